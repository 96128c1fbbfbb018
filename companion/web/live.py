"""Live updates: streams of a table's version over Server-Sent Events.

A stream is a coroutine, so a thousand waiting phones hold no thread. It carries nothing but the
version; the page then fetches what has changed. Under a plain WSGI server there is no stream, and
pages poll.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from typing import Final

from flask import current_app
from itsdangerous import BadSignature, SignatureExpired, URLSafeTimedSerializer
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from companion.tables import Refused, Tables
from companion.web.admission import PROXIES, Busy, Places, client_address
from companion.web.asgi_types import Receive, Scope, Send, send_empty

PATH: Final = "/live/"
TICKET_LIFETIME: Final = 24 * 60 * 60
"""Seconds for which a stream's address is valid; each drawing of the page makes a new one."""
HEARTBEAT: Final = 20.0
"""Seconds between signs of life, so that routers do not cut a quiet stream."""
MAX_STREAMS: Final = 2000
"""Limit of the open streams in one process; further phones poll. Fewer where the system allows
fewer connections."""
STREAMS_PER_DEVICE: Final = 12
"""Streams of one device: a tab each, and those whose end has not been noticed yet."""
STREAMS_PER_ADDRESS: Final = 200
"""Streams of one address, except for one that may be a proxy."""
RETRY_SECONDS: Final = 2.0
"""Pause of a stream while the database does not answer."""
LOOKING_THREADS: Final = 4
"""Threads that look up versions; streams have their own, so that they hold up nobody else."""
RETRY_MILLISECONDS: Final = 1500
"""The browser's pause before it opens a lost stream again."""

NO_DATABASE: Final = (OperationalError, PoolTimeout)
"""What is raised while the database does not answer."""

_HEADERS: Final = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]


def stream_address(table_id: str, device: str) -> str:
    """The path where this device can listen to the table. It proves the device without a cookie."""
    return PATH + _serializer(str(current_app.secret_key)).dumps([table_id, device])


def _serializer(secret_key: str) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret_key, salt="live")


def _ticket(serializer: URLSafeTimedSerializer, raw: str) -> tuple[str, str]:
    """The table and the device in a ticket; raises `BadSignature` or `ValueError`.

    A ticket from the future is valid: the clock may have stepped back since.
    """
    (table_id, device), signed = serializer.loads(raw, return_timestamp=True)
    if time.time() - signed.timestamp() > TICKET_LIFETIME:
        raise SignatureExpired("The ticket is too old.")
    return table_id, device


class LiveStreams:
    """The ASGI app of all open streams in this process."""

    def __init__(self, tables: Tables, secret_key: str, most_streams: int | None = None) -> None:
        most = MAX_STREAMS if most_streams is None else min(MAX_STREAMS, most_streams)
        self._tables: Final = tables
        self._devices: Final = Places(most, STREAMS_PER_DEVICE)
        self._addresses: Final = Places(most, STREAMS_PER_ADDRESS)
        self._threads: Final = ThreadPoolExecutor(LOOKING_THREADS, "companion-live")
        self._looking: Final = threading.Lock()
        self._looks: Final[dict[tuple[str, str], asyncio.Future[int]]] = {}
        self._serializer: Final = _serializer(secret_key)
        self._callbacks: Final[set[Callable[[int], None]]] = set()
        self._is_stopping = False
        self.open_count = 0
        """Streams that are open now."""

    def stop(self) -> None:
        """Ends the open streams; may be called from a signal handler."""
        self._is_stopping = True
        for wake in list(self._callbacks):
            wake(0)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Streams until the phone leaves, its membership ends or the server stops.

        Answers 403 for an address that is not (or no longer) valid, and 204 when no stream is
        free: a 204 tells an EventSource not to come back, and the page polls.
        """
        try:
            table_id, device = _ticket(self._serializer, scope["path"].removeprefix(PATH))
        except (BadSignature, ValueError):
            await send_empty(send, 403)
            return
        if scope["method"] != "GET":
            await send_empty(send, 204)
            return
        address = client_address(scope)
        try:
            with (
                self._devices.taken_by(str(device)),
                nullcontext() if address in PROXIES else self._addresses.taken_by(address),
            ):
                self.open_count += 1
                try:
                    await self._open(str(table_id), str(device), receive, send)
                finally:
                    self.open_count -= 1
        except Busy:
            await send_empty(send, 204)

    async def _open(self, table_id: str, device: str, receive: Receive, send: Send) -> None:
        try:
            version = await self._version(table_id, device)
        except Refused:
            await send_empty(send, 403)
        except NO_DATABASE:
            await send_empty(send, 503)
        else:
            await self._send_versions(table_id, device, version, receive, send)

    async def _send_versions(
        self, table_id: str, device: str, version: int, receive: Receive, send: Send
    ) -> None:
        loop = asyncio.get_running_loop()
        changed = asyncio.Event()

        def wake(_version: int) -> None:
            loop.call_soon_threadsafe(changed.set)

        unsubscribe = self._tables.bus.subscribe(table_id, wake)
        self._callbacks.add(wake)
        gone = asyncio.create_task(_disconnected(receive))
        try:
            # Changes between the first look and the subscription must not be missed.
            changed.set()
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            await _send_text(send, f"retry: {RETRY_MILLISECONDS}\ndata: {version}\n\n")
            while not gone.done() and not self._is_stopping:
                if changed.is_set():
                    changed.clear()
                    try:
                        latest = await self._version(table_id, device)
                    except NO_DATABASE:
                        # Other devices' streams ask at other moments, so the log need not say it.
                        await _wait(changed, gone, RETRY_SECONDS)
                        changed.set()
                        continue
                    if latest != version:
                        version = latest
                        await _send_text(send, f"data: {version}\n\n")
                elif not await _wait(changed, gone, HEARTBEAT):
                    await _send_text(send, ": still here\n\n")
        except (Refused, OSError):
            # The membership has ended, or the phone has gone: either way the stream ends.
            pass
        finally:
            unsubscribe()
            self._callbacks.discard(wake)
            gone.cancel()
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _version(self, table_id: str, device: str) -> int:
        """The table's version for a device; streams of one device that ask at once share a look.

        Only a look that has not begun is shared: one under way may have missed the last change.
        """
        key = (table_id, device)

        def look() -> int:
            with self._looking:
                del self._looks[key]
            return self._tables.version(*key)

        with self._looking:
            found = self._looks.get(key)
            if found is None:
                found = asyncio.get_running_loop().run_in_executor(self._threads, look)
                self._looks[key] = found
                # Nobody may be left to take its exception.
                found.add_done_callback(lambda done: done.cancelled() or done.exception())
        return await asyncio.shield(found)


async def _send_text(send: Send, text: str) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})


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
