"""The ASGI app that uvicorn serves: it streams live updates and hands the rest to Flask.

A request body is read here before Flask sees it, so that no slow phone holds one of Flask's few
threads. Requests have threads by what they may wait for, so that reads never wait for writes.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection
from io import BytesIO
from typing import IO, Final

from flask import Flask
from werkzeug.exceptions import RequestEntityTooLarge

from companion.limiter import Full
from companion.tables import Tables
from companion.web.net import guard
from companion.web.net.asgi_types import Message, Receive, Scope, Send, send_empty
from companion.web.net.observing import note_route
from companion.web.net.proxies import limited_address
from companion.web.net.uploads import FULL, IMPORT, LARGE, REFUSED, Deadlines, Uploads
from companion.web.review.progress import PATH as REVIEW_PATH
from companion.web.review.progress import ReviewStreams
from companion.web.run.health import PATH as HEALTH
from companion.web.run.health import Health
from companion.web.run.threads import Threads
from companion.web.table.live import PATH, LiveStreams

SLOW: Final = re.compile(
    r"/pads/map|/history/(history\.|people|year|restore)|.*/(result\.png|feats)$"
)
"""Paths of slow pages."""
LIST: Final = "/history"
"""The path of the list of games, which is slow where the query filters it."""
PRINTED: Final = "/pads/pads.pdf"
"""The path of what an engine prints."""


class LiveApp:
    """Answers `/live/…` with a stream, and everything else with the Flask app."""

    def __init__(
        self,
        app: Flask,
        tables: Tables,
        names: Collection[str] | None = None,
        *,
        https_only: bool = True,
    ) -> None:
        """Serves the app.

        Args:
            names: the hosts by which it may be asked for; None for any. See `guard.own_names`.
            https_only: see `guard.with_headers`.
        """
        limits = tables.limits
        self.app: Final = app
        self._names: Final = names
        self._https_only: Final = https_only
        self._deadlines: Final = Deadlines()
        self.health: Final = Health(tables)
        self._limiter: Final = tables.limiter
        self._reading: Final = Threads(app, limits.reading_threads, tables.limiter)
        self._writing: Final = Threads(app, limits.writing_threads, tables.limiter)
        # A flood of refusals takes one thread's share of the processor.
        self._refusing: Final = Threads(app, 1, tables.limiter)
        self._static: Final = Threads(app, limits.static_threads, tables.limiter)
        self._slow: Final = Threads(
            app, limits.slow_threads, tables.limiter, "slow", limits.slow_wait_seconds
        )
        self._printing: Final = Threads(
            app, limits.printing, tables.limiter, "printing", limits.printing_wait_seconds
        )
        self._uploading: Final = Threads(app, limits.upload_threads, tables.limiter)
        # Files of games wait for each other here, and hold no thread that others need.
        self._importing: Final = Threads(app, limits.imports, tables.limiter, "imports")
        self.streams: Final = LiveStreams(app, tables)
        self._review_streams: Final = ReviewStreams(app, tables, self.streams)
        self.uploads: Final = Uploads(self._take_in, tables.limiter)

    def stop(self) -> None:
        """Ends open streams and half-sent bodies; may be called from a signal handler."""
        self.health.stop()
        self._deadlines.end()
        self.uploads.deadlines.end()
        self.streams.stop()

    def close(self) -> None:
        """Lets the threads go; those that are busy end when they are done."""
        for threads in vars(self).values():
            if isinstance(threads, Threads):
                threads.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            send = guard.with_headers(scope, send, https_only=self._https_only)
            if scope["path"].startswith(HEALTH):
                await self.health(scope, send)
            elif refused := guard.refusal(scope, self._names):
                await guard.refuse(send, *refused)
            else:
                await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"].startswith(REVIEW_PATH):
            note_route(f"{REVIEW_PATH}<ticket>")
            await self._review_streams(scope, receive, send)
        elif scope["path"].startswith(PATH):
            note_route(f"{PATH}<ticket>")
            await self.streams(scope, receive, send)
        elif scope["method"] == "POST" and scope["path"].startswith(LARGE):
            await self.uploads(scope, receive, send)
        else:
            await self._page(scope, receive, send)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a page: 413 with too large a body, 408 for one that takes long, 429 if busy."""
        try:
            body = await self._body(scope, receive)
            if body is not None:
                await self._threads_for(scope).answer(scope, BytesIO(body), send)
        except TimeoutError:
            await send_empty(send, self._deadlines.status, close=True)
        except (Full, RequestEntityTooLarge) as refused:
            await self._refusing.answer({**scope, REFUSED: refused}, BytesIO(), send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The body of a request; None when its client has gone.

        Raises:
            RequestEntityTooLarge: it is larger than `Limits.body_bytes`, or says so.
            TimeoutError: it does not come in time, or others needed its room.
            Full: there is no room for it.
        """
        limits = self._limiter.limits
        if guard.claimed_length(scope) > limits.body_bytes:
            raise RequestEntityTooLarge
        first = await _at_hand(receive)
        if not first.get("more_body", False):
            return await _whole(first, receive, limits.body_bytes)
        async with self._deadlines.within(limits.body_seconds) as end:
            with self._limiter.room("bodies", address=limited_address(scope), end=end):
                return await _whole(first, receive, limits.body_bytes)

    async def _take_in(self, scope: Scope, body: IO[bytes], send: Send) -> None:
        """Answers an upload that has come; a file of games only where its address has no other."""
        threads = self._importing if scope["path"].startswith(IMPORT) else self._uploading
        try:
            await threads.answer(scope, body, send)
        except Full as full:
            await self._reading.answer({**scope, FULL: full}, body, send)

    def _threads_for(self, scope: Scope) -> Threads:
        """The threads that answer a request."""
        path: str = scope["path"]
        if path.startswith("/static/"):
            return self._static
        if path == PRINTED:
            return self._printing
        # A list that is filtered counts all games of a device.
        if SLOW.match(path) or (path == LIST and scope.get("query_string")):
            return self._slow
        return self._reading if scope["method"] in ("GET", "HEAD") else self._writing


async def _at_hand(receive: Receive) -> Message:
    """The part of a body that came together with its head; a tap's is whole, and needs no room."""
    try:
        async with asyncio.timeout(0):
            return await receive()
    except TimeoutError:
        return {"type": "http.request", "body": b"", "more_body": True}


async def _whole(message: Message, receive: Receive, most: int) -> bytes | None:
    """The body that begins with a message; None when its client goes before the end.

    Raises:
        RequestEntityTooLarge: it has more than `most` bytes.
    """
    body = bytearray()
    while message["type"] != "http.disconnect":
        body += message.get("body", b"")
        if len(body) > most:
            raise RequestEntityTooLarge
        if not message.get("more_body", False):
            return bytes(body)
        message = await receive()
    return None


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
