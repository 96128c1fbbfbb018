"""The processes that read this app's photos."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network
from typing import Final

from flask import Flask, current_app, request

from companion.vision.workers import Readers

IPV6_PREFIX: Final = 64
"""Bits of an IPv6 address that name a network; a device makes up the others as it likes."""


def readers() -> Readers:
    """The app's readers, made when the first photo comes."""
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    found = app.extensions.get("readers")
    if found is None:
        found = app.extensions.setdefault("readers", Readers(app.config["READER"]))
    made: Readers = found
    return made


def close_readers(app: Flask) -> None:
    """Ends the app's readers, if there are any."""
    found = app.extensions.get("readers")
    if found is not None:
        found.close()


def sender_network() -> str:
    """Where this request comes from: an IPv4 address, or the network of an IPv6 address."""
    try:
        address = ip_address(request.remote_addr or "")
    except ValueError:  # a test client, or a socket of the system
        return ""
    if isinstance(address, IPv6Address) and address.ipv4_mapped is None:
        return str(ip_network((address.packed, IPV6_PREFIX), strict=False))
    return str(getattr(address, "ipv4_mapped", None) or address)
