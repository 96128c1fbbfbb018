"""Connections that do not starve the others: deadlines for headers, and room for new phones.

Uvicorn has a deadline for idle connections between two requests only, and takes connections until
the process has no descriptor left.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from companion.web.net.admission import PROXIES, network_of
from companion.web.net.proxies import MAPPED, NO_PROXIES, Proxies

HEAD_SECONDS: Final = 15.0
"""Limit of the time from a connection, or the first byte, to the end of a request's headers."""
RESERVE: Final = 320
"""Descriptors kept for files, pipes and the database, and for the 128 connections that asyncio may
accept before it hands over the first of them."""
LEAST_CONNECTIONS: Final = 64
MOST_CONNECTIONS: Final = 4096
MOST_PER_ADDRESS: Final = 256
"""Connections of one address; a phone at a table has two or three."""
USUAL_DESCRIPTORS: Final = 1024


def capacity() -> int:
    """The number of connections that this process can hold beside its own files."""
    descriptors = USUAL_DESCRIPTORS
    if sys.platform != "win32":
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        descriptors = MOST_CONNECTIONS + RESERVE if soft < 0 else soft  # -1: no limit
    return max(LEAST_CONNECTIONS, min(MOST_CONNECTIONS, descriptors - RESERVE))


def protocol(most: int, proxies: Proxies = NO_PROXIES) -> type[H11Protocol]:
    """Uvicorn's protocol class with deadlines and limits, for one server.

    Args:
        most: limit of the connections. A new one closes the one that has been idle for longest,
            of the address that has the most.
        proxies: whose connections are not limited by address.
    """
    per_address: Counter[str] = Counter()

    class Protocol(H11Protocol):
        _head_timer: asyncio.TimerHandle | None = None
        _address = ""
        opened_at = 0.0

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.opened_at = self.loop.time()
            self._address = network_of(self.client[0]) if self.client else ""
            per_address[self._address] += 1
            self._await_head()
            if per_address[self._address] > MOST_PER_ADDRESS and not self._stands_for_many():
                self._make_room({self._address})
            elif len(self.connections) > most:
                self._make_room(_largest(per_address))

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self.is_idle():
                self._await_head()
            else:
                self._stop_timer()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_timer()
            if self._address in per_address:
                per_address[self._address] -= 1
                if per_address[self._address] <= 0:
                    del per_address[self._address]
            super().connection_lost(exc)

        def is_idle(self) -> bool:
            """Whether nothing has been asked that is not answered."""
            cycle: RequestResponseCycle | None = self.cycle  # uvicorn's annotation lacks the None
            return cycle is None or cycle.response_complete

        def _stands_for_many(self) -> bool:
            peer = self.client[0].removeprefix(MAPPED) if self.client else ""
            return peer in PROXIES or proxies.trust(peer)

        def _await_head(self) -> None:
            if self._head_timer is None:
                self._head_timer = self.loop.call_later(HEAD_SECONDS, self._too_late)

        def _stop_timer(self) -> None:
            if self._head_timer is not None:
                self._head_timer.cancel()
                self._head_timer = None

        def _too_late(self) -> None:
            self._head_timer = None
            if self.is_idle() and not self.transport.is_closing():
                self.transport.close()

        def _make_room(self, addresses: set[str]) -> None:
            """Closes the oldest idle connection of these addresses; this one if there is none."""
            others = (
                other
                for other in self.connections
                if isinstance(other, Protocol)
                and other is not self
                and other._address in addresses
                and other.is_idle()
                and not other.transport.is_closing()
            )
            oldest = min(others, key=lambda other: other.opened_at, default=self)
            oldest.transport.abort()

    return Protocol


def _largest(counts: Counter[str]) -> set[str]:
    """The addresses with the most connections."""
    most = max(counts.values(), default=0)
    return {address for address, count in counts.items() if count == most}
