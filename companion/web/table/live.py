"""Live updates: streams of what changes at a table, over Server-Sent Events.

A stream is a coroutine, so a thousand waiting phones hold no thread. `push` draws what it carries,
`framing` puts it into words. Under a plain WSGI server there is no stream, and pages poll.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from flask import Flask, current_app
from flask_babel import gettext
from itsdangerous import BadSignature, URLSafeTimedSerializer

from companion.tables import Tables
from companion.tables.database.columns import device_hash
from companion.web.net.asgi_types import Receive, Scope, Send, send_empty
from companion.web.page.errors import SENTENCES
from companion.web.page.language import speaking
from companion.web.table.framing import Writer, message, opening, sign_of_life
from companion.web.table.page_parts import Snapshot
from companion.web.table.push import NO_DATABASE, Listener, NoLongerMember, TableStreams

PATH: Final = "/live/"
# Lifetime of a stream's address; each drawing of the page makes a new one
TICKET_LIFETIME: Final = 24 * 60 * 60
HEARTBEAT: Final = 20.0  # Seconds between signs of life, so that routers do not cut a quiet stream
# Threads that draw tables for streams, so that these hold up nobody else
READING_THREADS: Final = 4
RETRY_MILLISECONDS: Final = 1500  # The browser's pause before it opens a lost stream again

EVENT_STREAM: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
    (b"vary", b"accept-encoding"),
]
_PACKED: Final = [(b"content-encoding", b"gzip")]


def stream_address(table_id: str, device: str, language: str) -> str:
    """The path where this device can listen to the table. It proves the device without a cookie."""
    # It has the device's hash: proxies write paths into their logs
    content = [table_id, device_hash(device), language]
    return PATH + _serializer(str(current_app.secret_key)).dumps(content)


def _serializer(secret_key: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret_key, salt="live")


class LiveStreams:
    """The ASGI app of all open streams in this process."""

    def __init__(self, app: Flask, tables: Tables) -> None:
        self._app: Final = app
        self._tables: Final = tables
        self._most: Final = tables.limits.streams
        self._threads: Final = ThreadPoolExecutor(READING_THREADS, "companion-live")
        self._of_tables: Final[dict[str, TableStreams]] = {}
        self._listeners: Final[set[Listener]] = set()
        self._serializer: Final = _serializer(str(app.secret_key))
        self._loop: asyncio.AbstractEventLoop | None = None
        self.is_stopping = False

    def stop(self) -> None:
        """Ends the open streams; may be called from a signal handler."""
        self.is_stopping = True
        if self._loop is not None and not self._loop.is_closed():
            for listener in tuple(self._listeners):
                self._loop.call_soon_threadsafe(listener.ring)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Streams until the phone leaves, its membership ends or the server stops.

        Answers 403 for an address that is not (or no longer) valid, and 204 when no stream is
        free: a 204 tells an EventSource not to come back, and the page polls.
        """
        ticket = scope["path"].removeprefix(PATH)
        try:
            content, signed = self._serializer.loads(ticket, return_timestamp=True)
        except (BadSignature, ValueError):
            await send_empty(send, 403)
            return
        # A ticket from the future is valid: the clock may have stepped back since.
        if time.time() - signed.timestamp() > TICKET_LIFETIME:
            await send_empty(send, 403)
            return
        if scope["method"] != "GET" or len(self._listeners) >= self._most:
            await send_empty(send, 204)
            return
        loop = self._loop = asyncio.get_running_loop()
        table_id, device, language = content
        listener = Listener(device, language)

        def sign_out(_version: int) -> None:
            loop.call_soon_threadsafe(listener.end, NoLongerMember())

        self._listeners.add(listener)
        unsubscribe = self._tables.bus.subscribe(device, sign_out)
        accepted = [value for name, value in scope["headers"] if name == b"accept-encoding"]
        writer = Writer(is_packed=any(b"gzip" in value for value in accepted))
        try:
            await self._open(table_id, listener, writer, receive, send)
        finally:
            unsubscribe()
            self._listeners.discard(listener)

    async def _open(
        self, table_id: str, listener: Listener, writer: Writer, receive: Receive, send: Send
    ) -> None:
        streams = self._of_tables.get(table_id)
        if streams is None:
            streams = TableStreams(self._app, self._tables, table_id, self._threads)
            self._of_tables[table_id] = streams
        streams.enter(listener)

        async def disconnected() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass

        disconnect = asyncio.create_task(disconnected())
        disconnect.add_done_callback(listener.ring)
        try:
            while listener.latest is None and listener.error is None and not disconnect.done():
                await listener.rings(HEARTBEAT)
            if isinstance(listener.error, NO_DATABASE):
                await send_empty(send, 503)
            elif listener.error is not None or listener.latest is None:
                await send_empty(send, 403)
            else:
                await self._send_changes(listener, listener.latest, writer, disconnect, send)
        finally:
            disconnect.cancel()
            if streams.leave(listener):
                del self._of_tables[table_id]

    async def _send_changes(
        self,
        listener: Listener,
        shown: Snapshot,
        writer: Writer,
        disconnect: asyncio.Task[None],
        send: Send,
    ) -> None:
        headers = [*EVENT_STREAM, *(_PACKED if writer.is_packed else ())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

        async def write(text: str) -> None:
            body = writer.write(text)
            await send({"type": "http.response.body", "body": body, "more_body": True})

        try:
            await write(opening(shown, RETRY_MILLISECONDS, await self._look(listener)))
            while not (disconnect.done() or self.is_stopping or listener.error):
                latest = listener.latest
                if latest is not None and latest.version > shown.version:
                    # A phone that is slow gets the newest state next, whatever came in between.
                    text, shown = message(shown, latest), latest
                elif await listener.rings(HEARTBEAT):
                    continue
                else:
                    text = sign_of_life(shown, await self._look(listener))
                await write(text)
        except OSError:
            return  # the phone has gone
        await send({"type": "http.response.body", "body": writer.end(), "more_body": False})

    async def _look(self, listener: Listener) -> str:
        """Marks the device as heard; returns what to say where nothing can be saved just now."""

        def look() -> str:
            self._tables.presence.mark_online(listener.device)
            if not self._tables.database.fault():
                return ""
            with speaking(self._app, listener.language):
                return gettext(SENTENCES[503])

        return await asyncio.get_running_loop().run_in_executor(self._threads, look)
