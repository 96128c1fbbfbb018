"""Live updates: an ASGI app that streams a table's version, and hands all the rest to Flask.

A stream is a coroutine here, so a thousand waiting phones hold no thread. It carries nothing but
the version; the page then fetches what has changed. Under a plain WSGI server there is no stream,
and pages poll.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, MutableMapping
from typing import IO, Any, Final, TypeAlias

from a2wsgi import WSGIMiddleware
from flask import Flask, current_app
from itsdangerous import BadSignature, URLSafeTimedSerializer

from companion.tables import Refused, Tables

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

PATH: Final = "/live/"
TICKET_LIFETIME: Final = 24 * 60 * 60
"""Seconds that a stream's address holds; the page gets a new one whenever it is drawn."""
HEARTBEAT: Final = 20.0
"""Seconds between signs of life, so that routers do not cut a quiet stream."""
MAX_STREAMS: Final = 2000
"""Open streams in one process; whoever comes after polls."""
WSGI_THREADS: Final = 8
UPLOADS: Final = "/upload/"
"""Where photos are sent to."""
LARGE: Final = (UPLOADS, "/history/import")
"""What begins so takes more than a megabyte."""
MAX_UPLOAD_BYTES: Final = 160 * 1024 * 1024
"""Of one request; a phone with JavaScript sends each photo by itself."""
MAX_UPLOADING_BYTES: Final = 640 * 1024 * 1024
"""Of all that are being sent at one time; they lie on the disk."""
UPLOAD_SECONDS: Final = 600.0
CHUNK: Final = 256 * 1024
RETRY_MILLISECONDS: Final = 1500


def stream_address(table_id: str, device: str) -> str:
    """Where this device can listen to the table. It proves the device without its cookie."""
    return PATH + _signer(str(current_app.secret_key)).dumps([table_id, device])


def _signer(secret_key: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret_key, salt="live")


class LiveApp:
    """The ASGI app: `/live/…` is streamed here, everything else is the Flask app's."""

    def __init__(self, app: Flask, tables: Tables) -> None:
        self._tables = tables
        self._signer = _signer(str(app.secret_key))
        self._pages = WSGIMiddleware(app, workers=WSGI_THREADS)  # type: ignore[arg-type]
        self._most_bytes: int = app.config["MAX_CONTENT_LENGTH"]
        self._streams = 0
        self._uploading = 0
        self._listening: set[Callable[[int], None]] = set()
        self._is_stopping = False

    def stop(self) -> None:
        """Ends the streams that are open; may be called from a signal handler."""
        self._is_stopping = True
        for tell in list(self._listening):
            tell(0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        elif scope["type"] == "http" and scope["path"].startswith(PATH):
            await self._stream(scope, receive, send)
        elif scope["type"] == "http":
            await self._page(scope, receive, send)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        # A phone that falls asleep while it sends must not hold one of Flask's few threads.
        if scope["method"] == "POST" and scope["path"].startswith(LARGE):
            await self._upload(scope, receive, send)
            return
        messages = await _whole_body(receive, self._most_bytes)
        if messages:
            await self._pages(scope, _replaying(messages, receive), send)  # type: ignore[arg-type]

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A large body, which waits in a nameless file until it is whole."""
        claimed = _claimed_length(scope)
        if claimed > MAX_UPLOAD_BYTES:
            # Flask refuses it for what it claims, and need not see any of it.
            await self._pages(scope, receive, send)  # type: ignore[arg-type]
            return
        # An upload that does not say how long it is may be as long as any.
        room = claimed if claimed >= 0 else MAX_UPLOAD_BYTES
        if self._uploading + room > MAX_UPLOADING_BYTES:
            await _refuse(send, 503)
            return
        self._uploading += room
        try:
            with tempfile.TemporaryFile() as file:
                async with asyncio.timeout(UPLOAD_SECONDS):
                    is_whole = await _spooled(receive, file, room)
                if is_whole:
                    file.seek(0)
                    await self._pages(scope, _reading(file, receive), send)  # type: ignore[arg-type]
        except TimeoutError:
            await _refuse(send, 408)
        finally:
            self._uploading -= room

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            await send({"type": f"{message['type']}.complete"})
            if message["type"] == "lifespan.shutdown":
                return

    async def _stream(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            table_id, device = self._signer.loads(
                scope["path"].removeprefix(PATH), max_age=TICKET_LIFETIME
            )
            version = await self._version(table_id, device)
        except (BadSignature, ValueError, Refused):
            await _refuse(send, 403)
            return
        if scope["method"] != "GET" or self._streams >= MAX_STREAMS:
            # 204 tells an EventSource not to come back, and the page polls.
            await _refuse(send, 204)
            return
        self._streams += 1
        try:
            await self._send_versions(table_id, device, version, receive, send)
        finally:
            self._streams -= 1

    async def _send_versions(
        self, table_id: str, device: str, version: int, receive: Receive, send: Send
    ) -> None:
        loop = asyncio.get_running_loop()
        changed = asyncio.Event()

        def tell(_version: int) -> None:
            loop.call_soon_threadsafe(changed.set)

        unsubscribe = self._tables.bus.subscribe(table_id, tell)
        self._listening.add(tell)
        gone = asyncio.create_task(_disconnected(receive))
        try:
            # What came between the first look and the subscription must not be missed.
            changed.set()
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            await _send(send, f"retry: {RETRY_MILLISECONDS}\ndata: {version}\n\n")
            while not gone.done() and not self._is_stopping:
                if changed.is_set():
                    changed.clear()
                    latest = await self._version(table_id, device)
                    if latest != version:
                        version = latest
                        await _send(send, f"data: {version}\n\n")
                elif not await _wait(changed, gone, HEARTBEAT):
                    await _send(send, ": still here\n\n")
        except (Refused, OSError):
            # The membership has ended, or the phone has gone: either way the stream ends.
            pass
        finally:
            unsubscribe()
            self._listening.discard(tell)
            gone.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _version(self, table_id: str, device: str) -> int:
        return await asyncio.to_thread(self._tables.version, table_id, device)


_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]


async def _send(send: Send, text: str) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})


async def _refuse(send: Send, status: int) -> None:
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _wait(changed: asyncio.Event, gone: asyncio.Task[None], seconds: float) -> bool:
    """Whether something happened within `seconds`."""
    waiting = asyncio.create_task(changed.wait())
    try:
        done, _ = await asyncio.wait(
            {waiting, gone}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )
    finally:
        waiting.cancel()
    return bool(done)


async def _whole_body(receive: Receive, most: int) -> list[MutableMapping[str, Any]]:
    """Every message of a request's body, or as many as Flask needs to refuse it for its size.

    Empty when the client has gone before the end.
    """
    messages: list[MutableMapping[str, Any]] = []
    size = 0
    while size <= most:
        message = await receive()
        if message["type"] == "http.disconnect":
            return []
        messages.append(message)
        size += len(message.get("body", b""))
        if not message.get("more_body", False):
            break
    return messages


def _claimed_length(scope: Scope) -> int:
    """As the header says it; -1 when it does not."""
    raw = dict(scope["headers"]).get(b"content-length", b"")
    return int(raw) if raw.isdigit() else -1


async def _spooled(receive: Receive, file: IO[bytes], most: int) -> bool:
    """Writes a request's body into a file. False when the client has gone, or sends too much."""
    size = 0
    while size <= most:
        message = await receive()
        if message["type"] == "http.disconnect":
            return False
        body = message.get("body", b"")
        size += len(body)
        file.write(body)
        if not message.get("more_body", False):
            return size <= most
    return False


def _reading(file: IO[bytes], receive: Receive) -> Receive:
    """A `receive` that gives a file's content as a request's body."""
    is_over = False

    async def read() -> MutableMapping[str, Any]:
        nonlocal is_over
        if is_over:
            return await receive()
        chunk = file.read(CHUNK)
        is_over = len(chunk) < CHUNK
        return {"type": "http.request", "body": chunk, "more_body": not is_over}

    return read


def _replaying(messages: list[MutableMapping[str, Any]], receive: Receive) -> Receive:
    """A `receive` that gives these messages first."""
    waiting = iter(messages)

    async def replay() -> MutableMapping[str, Any]:
        message = next(waiting, None)
        return message if message is not None else await receive()

    return replay
