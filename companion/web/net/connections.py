"""Connections that do not starve the others: deadlines for headers, and room for new phones.

Uvicorn has a deadline for idle connections between two requests only, and takes connections until
the process has no descriptor left. So each of its connections stands behind one of ours, which
only passes on what asyncio calls.
"""

from __future__ import annotations

import asyncio
import sys
from collections import Counter
from typing import Any, Final, TypeAlias

from uvicorn.protocols.http.h11_impl import H11Protocol

from companion.limits import USUAL, Limits
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

    def __init__(self, limits: Limits = USUAL, proxies: Proxies = NO_PROXIES) -> None:
        """Limits the connections.

        Args:
            limits: with `connections` of all. A new one closes the one that has been idle for
                longest, of the address that has the most.
            proxies: whose connections are not limited by address.
        """
        self.limits: Final = limits
        self._proxies: Final = proxies
        self._open: Final[dict[Peer, Connection]] = {}
        self._per_address: Final[Counter[str]] = Counter()

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
        """Counts a new connection, and closes an idle one where there is one too many."""
        self._open[connection.peer] = connection
        self._per_address[connection.network] += 1
        address = connection.peer[0].removeprefix(MAPPED)
        stands_for_many = address in PROXIES or self._proxies.trust(address)
        count, most = self._per_address[connection.network], self.limits.connections_per_address
        if count > most and not stands_for_many:
            self._make_room(connection, {connection.network})
        elif len(self._open) > self.limits.connections:
            top = max(self._per_address.values())
            largest = {name for name, count in self._per_address.items() if count == top}
            self._make_room(connection, largest)

    def leave(self, connection: Connection) -> None:
        """Forgets a connection that was closed."""
        if self._open.pop(connection.peer, None) is not None:
            self._per_address[connection.network] -= 1
            if not self._per_address[connection.network]:
                del self._per_address[connection.network]

    def _make_room(self, new: Connection, networks: set[str]) -> None:
        """Closes the oldest idle connection of these networks; the new one if there is none."""
        others = (
            connection
            for connection in self._open.values()  # in the order in which they were opened
            if connection is not new
            and connection.network in networks
            and not connection.is_busy
            and not connection.transport.is_closing()
        )
        next(others, new).transport.abort()


class Connection(asyncio.Protocol):
    """A client's connection: uvicorn's own, with a deadline for each request's head."""

    transport: asyncio.Transport
    peer: Peer = ("", 0)
    network = ""
    is_busy = False
    """Whether a request is being answered."""

    def __init__(self, connections: Connections, uvicorn: asyncio.Protocol) -> None:
        self._connections: Final = connections
        self._uvicorn: Final = uvicorn
        self._head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Starts the deadline, and finds room for the connection."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - of a listening TCP socket
        self.transport = transport
        if peer := transport.get_extra_info("peername"):
            self.peer = (str(peer[0]), int(peer[1]))
        self.network = network_of(self.peer[0])
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
        """The client takes more slowly than the app sends."""
        self._uvicorn.pause_writing()

    def resume_writing(self) -> None:
        """The client has caught up."""
        self._uvicorn.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Frees the connection's place."""
        self._stop_timer()
        self._connections.leave(self)
        self._uvicorn.connection_lost(exc)

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

    def _too_late(self) -> None:
        self._head_timer = None
        if not self.is_busy:
            self.transport.close()
