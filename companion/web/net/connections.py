"""Connections that do not starve the others: deadlines for headers, and room for new phones.

Uvicorn has a deadline for idle connections between two requests only, and takes connections until
the process has no descriptor left. So each of its connections stands behind one of ours, which
only passes on what asyncio calls.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from uvicorn.protocols.http.h11_impl import H11Protocol

from companion.limiter import Full, Limiter
from companion.limits import Limits
from companion.web.net.admission import PROXIES, network_of
from companion.web.net.asgi_types import AsgiApp, Receive, Scope, Send
from companion.web.net.proxies import MAPPED, NO_PROXIES, Proxies

LEAST_CONNECTIONS: Final = 64
USUAL_DESCRIPTORS: Final = 1024

Peer: TypeAlias = tuple[str, int]
"""The address and port of a client's end, which no other open connection has."""


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


class Connections:
    """The open connections of one server.

    `protocol` is uvicorn's `http` setting, and `app` what it serves.
    """

    def __init__(self, limiter: Limiter, proxies: Proxies = NO_PROXIES) -> None:
        """Limits the connections.

        Args:
            limiter: says which one is closed for a new one.
            proxies: whose connections are not limited by address.
        """
        self.limits: Final = limiter.limits
        self._limiter: Final = limiter
        self._proxies: Final = proxies
        self._open: Final[dict[Peer, Connection]] = {}

    def protocol(self, **server: Any) -> asyncio.Protocol:
        """A new connection; called by uvicorn with its own settings and state."""
        return Connection(self, H11Protocol(**server))

    def app(self, inner: AsgiApp) -> AsgiApp:
        """An ASGI app that calls `inner`, and counts a connection as busy meanwhile."""

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            connection = self._open.get(scope.get("client") or ("", 0))
            if connection is None:
                await inner(scope, receive, send)
                return
            connection.begin_request()
            try:
                await inner(scope, receive, send)
            finally:
                connection.is_busy = False

        return app

    def enter(self, connection: Connection) -> None:
        """Counts a new connection, and closes it or an idle one where there is one too many."""
        self._open[connection.peer] = connection
        address = connection.peer[0].removeprefix(MAPPED)
        stands_for_many = address in PROXIES or self._proxies.trust(address)
        who = "" if stands_for_many else network_of(address)
        try:
            connection.leave = self._limiter.take("connections", address=who, end=connection.end)
        except Full:
            connection.transport.abort()

    def leave(self, connection: Connection) -> None:
        """Forgets a connection that was closed."""
        self._open.pop(connection.peer, None)
        connection.leave()


class Connection(asyncio.Protocol):
    """A client's connection: uvicorn's own, with a deadline for each request's head."""

    transport: asyncio.Transport
    peer: Peer = ("", 0)
    is_busy = False
    """Whether a request is being answered."""

    def __init__(self, connections: Connections, uvicorn: asyncio.Protocol) -> None:
        self._connections: Final = connections
        self._uvicorn: Final = uvicorn
        self._head_timer: asyncio.TimerHandle | None = None
        self._taking_timer: asyncio.TimerHandle | None = None
        self.leave: Callable[[], None] = lambda: None
        """Gives back the connection's place."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Starts the deadline, and finds room for the connection."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - of a listening TCP socket
        self.transport = transport
        if peer := transport.get_extra_info("peername"):
            self.peer = (str(peer[0]), int(peer[1]))
        self._uvicorn.connection_made(transport)
        self._await_head()
        self._connections.enter(self)

    def data_received(self, data: bytes) -> None:
        """Starts the deadline with the first byte of a head."""
        self._uvicorn.data_received(data)
        if not self.is_busy:
            self._await_head()

    def eof_received(self) -> bool | None:
        """The client sends no more."""
        return self._uvicorn.eof_received()

    def pause_writing(self) -> None:
        """The client takes more slowly than the app sends, and has to take something."""
        self._uvicorn.pause_writing()
        self._await_taking()

    def resume_writing(self) -> None:
        """The client has caught up."""
        self._stop_taking()
        self._uvicorn.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Frees the connection's place."""
        self._stop_timer()
        self._stop_taking()
        self._connections.leave(self)
        self._uvicorn.connection_lost(exc)

    def end(self) -> bool:
        """Closes an idle connection; says whether it was one."""
        if not self.is_busy:
            self.transport.abort()
        return not self.is_busy

    def begin_request(self) -> None:
        """A head has come in time, and its request is being answered."""
        self.is_busy = True
        self._stop_timer()

    def _await_head(self) -> None:
        if self._head_timer is None:
            loop = asyncio.get_running_loop()
            self._head_timer = loop.call_later(
                self._connections.limits.head_seconds, self._too_late
            )

    def _stop_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _await_taking(self) -> None:
        limits = self._connections.limits
        most = self.transport.get_write_buffer_size() - limits.stall_bytes
        loop = asyncio.get_running_loop()
        self._taking_timer = loop.call_later(limits.stall_seconds, self._check_taking, most)

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
