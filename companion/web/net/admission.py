"""The address that a request counts for, and deadlines of what is being received."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from ipaddress import IPv6Address, ip_address
from typing import Any, Final

PROXIES: Final = frozenset({"127.0.0.1", "::1"})
"""This computer, whose programs may stand for many clients. A proxy that is trusted names them."""


def client_address(scope: Any) -> str:
    """The origin of a request: an IPv4 address, or the /64 network that one household has."""
    client = scope.get("client")
    return network_of(client[0]) if client else ""


def counted_address(address: str) -> str:
    """The network whose tables and photos are counted; empty for one that may be a proxy."""
    network = network_of(address)
    return "" if network in PROXIES else network


def network_of(address: str) -> str:
    """The address, or an IPv6 address's /64 network: a device has as many of those as it likes."""
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if not isinstance(parsed, IPv6Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(IPv6Address(int(parsed) >> 64 << 64))


def limited_address(scope: Any) -> str:
    """The address whose limits apply to a request; empty for this computer, which has none."""
    client = scope.get("client")
    return counted_address(client[0]) if client else ""


REFUSED: Final = "companion.refused"
"""The key in a scope for the error with which Flask answers a request before it looks at it."""


class Deadlines:
    """Time limits of what is being received. A stop of the server ends them all at once."""

    def __init__(self) -> None:
        self._running: Final[dict[asyncio.Timeout, asyncio.AbstractEventLoop]] = {}
        self.is_over = False

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[Callable[[], bool]]:
        """Raises `TimeoutError` after so many seconds, or when the server stops.

        Yields a function that ends it at once, and returns True.
        """
        async with asyncio.timeout(0 if self.is_over else seconds) as limit:
            self._running[limit] = asyncio.get_running_loop()
            try:
                yield partial(self._end, limit)
            finally:
                del self._running[limit]

    def end(self) -> None:
        """Ends them; may be called from a signal handler."""
        self.is_over = True
        for limit, loop in list(self._running.items()):
            loop.call_soon_threadsafe(self._end, limit)

    def _end(self, limit: asyncio.Timeout) -> bool:
        if limit in self._running:
            limit.reschedule(self._running[limit].time())
        return True

    @property
    def status(self) -> int:
        """The status of an answer to whoever was too slow: the phone's fault, or the server's."""
        return 503 if self.is_over else 408
