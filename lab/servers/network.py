"""Keeps the tests on this machine: a connection to any other address is refused, and says so."""

from __future__ import annotations

import socket
from typing import Any

import pytest


class OutsideWorld(RuntimeError):
    """A test asked for an address that is not this machine's."""


def is_here(family: int, address: Any) -> bool:
    """Whether a socket's address is loopback, or no network address at all."""
    is_network = family in (socket.AF_INET, socket.AF_INET6)
    return not is_network or str(address[0]).startswith(("127.", "::1", "localhost"))


def stay_here(patch: pytest.MonkeyPatch) -> None:
    """Guards every stream socket of this process until `patch` is undone.

    A datagram socket may connect anywhere: that sends nothing, and it is how the app learns its own
    address on the local network.
    """
    for name in ("connect", "connect_ex"):
        patch.setattr(socket.socket, name, _guarded(getattr(socket.socket, name)))


def _guarded(connect: Any) -> Any:
    def connect_here(self: socket.socket, address: Any) -> Any:
        if self.type == socket.SOCK_STREAM and not is_here(self.family, address):
            raise OutsideWorld(f"a test wanted to connect to {address[0]}")
        return connect(self, address)

    return connect_here
