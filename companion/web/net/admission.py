"""Limits of what one network address may have under way, so that nobody starves the others."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from ipaddress import IPv6Address, ip_address
from typing import Any, Final

REMEMBERED: Final = 10_000
"""Limit of the addresses that a rate remembers; the oldest are forgotten."""


PROXIES: Final = frozenset({"127.0.0.1", "::1"})
"""This computer, whose programs may stand for many clients. A proxy that is trusted names them."""


class Busy(Exception):
    """All places are taken, or all of this address."""


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


class Deadlines:
    """Time limits of what is being received. A stop of the server ends them all at once."""

    def __init__(self) -> None:
        self._running: Final[dict[asyncio.Timeout, asyncio.AbstractEventLoop]] = {}
        self.is_over = False

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[None]:
        """Raises `TimeoutError` after so many seconds, or when the server stops."""
        async with asyncio.timeout(0 if self.is_over else seconds) as limit:
            self._running[limit] = asyncio.get_running_loop()
            try:
                yield
            finally:
                del self._running[limit]

    def end(self) -> None:
        """Ends them; may be called from a signal handler."""
        self.is_over = True
        for limit, loop in list(self._running.items()):
            loop.call_soon_threadsafe(self._end, limit)

    def _end(self, limit: asyncio.Timeout) -> None:
        if limit in self._running:
            limit.reschedule(self._running[limit].time())

    @property
    def status(self) -> int:
        """The status of an answer to whoever was too slow: the phone's fault, or the server's."""
        return 503 if self.is_over else 408


class Places:
    """Places that are taken for a while, so many in all and so many by each. For one thread."""

    def __init__(self, most: int, each: int) -> None:
        self.most = most
        self.each = each
        self.taken: Final[Counter[str]] = Counter()

    @contextmanager
    def taken_by(self, who: str) -> Iterator[None]:
        """Holds a place; raises `Busy` when there is none."""
        self.take(who)
        try:
            yield
        finally:
            self.free(who)

    def take(self, who: str) -> None:
        if self.taken[who] >= self.each or self.taken.total() >= self.most:
            if not self.taken[who]:
                del self.taken[who]
            raise Busy
        self.taken[who] += 1

    def free(self, who: str) -> None:
        self.taken[who] -= 1
        if self.taken[who] <= 0:
            del self.taken[who]


class Rate:
    """A limit of events by address in a sliding window. Safe between threads."""

    def __init__(
        self, most: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.most = most
        self.seconds: Final = seconds
        self._clock: Final = clock
        self._lock: Final = threading.Lock()
        self._times: Final[OrderedDict[str, deque[float]]] = OrderedDict()

    def count(self, who: str) -> None:
        """Counts an event; raises `Busy`, and counts nothing, when it is one too many."""
        with self._lock:
            now = self._clock()
            times = self._times.setdefault(who, deque())
            self._times.move_to_end(who)
            while times and times[0] <= now - self.seconds:
                times.popleft()
            if len(times) >= self.most:
                raise Busy
            times.append(now)
            while len(self._times) > REMEMBERED:
                self._times.popitem(last=False)
