"""Connections that do not starve the others: deadlines for headers, and room for new phones.

Uvicorn has a deadline for idle connections between two requests only, and takes connections until
the process has no descriptor left.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any, Final, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from companion.limiter import Full, Limiter
from companion.limits import Limits
from companion.web.net.proxies import MAPPED, PROXIES, Proxies, network_of

LEAST_CONNECTIONS: Final = 64
USUAL_DESCRIPTORS: Final = 1024


def capacity(limits: Limits) -> int:
    """The number of connections that this process can hold beside its own files."""
    descriptors = USUAL_DESCRIPTORS
    if sys.platform != "win32":
        import resource

        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < 0:  # no limit
            return limits.connections
        descriptors = soft
    room = descriptors - limits.spare_descriptors
    return max(LEAST_CONNECTIONS, min(limits.connections, room))


class Connection(H11Protocol):
    """A client's connection: uvicorn's own, with a deadline for each request's head."""

    def __init__(self, limiter: Limiter, proxies: Proxies, **server: Any) -> None:
        """A new connection.

        Args:
            limiter: says which one is closed for a new one.
            proxies: whose connections are not limited by address.
            server: uvicorn's own settings and state.
        """
        super().__init__(**server)
        self._limiter: Final = limiter
        self._proxies: Final = proxies
        self._head_timer: asyncio.TimerHandle | None = None
        self._taking_timer: asyncio.TimerHandle | None = None
        self._leave: Callable[[], None] = lambda: None
        """Gives back the connection's place."""

    @property
    def is_busy(self) -> bool:
        """Whether a request is being answered."""
        return not getattr(self.cycle, "response_complete", True)  # None before the first one

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Starts the deadline, and finds room: closes this one or an idle one for want of it."""
        super().connection_made(cast(asyncio.Transport, transport))
        self._await_head()
        address = self.client[0].removeprefix(MAPPED) if self.client else ""
        stands_for_many = address in PROXIES or self._proxies.trust(address)
        who = "" if stands_for_many else network_of(address)
        try:
            self._leave = self._limiter.take("connections", address=who, end=self.end)
        except Full:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Starts the deadline with the first byte of a head, and stops it with the last."""
        super().data_received(data)
        if self.is_busy:
            self._stop_timer()
        else:
            self._await_head()

    def pause_writing(self) -> None:
        """The client takes more slowly than the app sends, and has to take something."""
        super().pause_writing()
        self._await_taking()

    def resume_writing(self) -> None:
        """The client has caught up."""
        self._stop_taking()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Frees the connection's place."""
        self._stop_timer()
        self._stop_taking()
        self._leave()
        super().connection_lost(exc)

    def end(self) -> bool:
        """Closes an idle connection; says whether it was one."""
        if not self.is_busy:
            self.transport.abort()
        return not self.is_busy

    def _await_head(self) -> None:
        if self._head_timer is None:
            seconds = self._limiter.limits.head_seconds
            self._head_timer = self.loop.call_later(seconds, self._too_late)

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _await_taking(self) -> None:
        limits = self._limiter.limits
        most = self.transport.get_write_buffer_size() - limits.stall_bytes
        self._taking_timer = self.loop.call_later(limits.stall_seconds, self._check_taking, most)

    def _check_taking(self, most: int) -> None:
        """Closes the connection where more than so many bytes of an answer still wait."""
        if self.transport.get_write_buffer_size() > most:
            self.transport.abort()
        else:
            self._await_taking()

    def _stop_taking(self) -> None:
        if self._taking_timer is not None:
            self._taking_timer.cancel()
            self._taking_timer = None

    def _too_late(self) -> None:
        self._head_timer = None
        if not self.is_busy:
            self.transport.close()
