"""The ASGI app that uvicorn serves: it streams live updates and hands the rest to Flask.

A request body is read here before Flask sees it, so that no slow phone holds one of Flask's few
threads. Requests have threads by what they may wait for, so that reads never wait for writes.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection
from contextvars import copy_context
from functools import partial
from io import BytesIO
from typing import Any, Final, cast

from a2wsgi import WSGIMiddleware
from a2wsgi.wsgi import build_environ
from flask import Flask
from werkzeug.wrappers import Response

from companion.limiter import Full
from companion.tables import Tables
from companion.web.net import guard
from companion.web.net.admission import Deadlines, client_address, counted_address
from companion.web.net.asgi_types import AsgiApp, Message, Receive, Scope, Send, send_empty
from companion.web.net.observing import note_route
from companion.web.net.uploads import FULL, IMPORT, LARGE, Uploads
from companion.web.review.progress import PATH as REVIEW_PATH
from companion.web.review.progress import ReviewStreams
from companion.web.run.health import PATH as HEALTH
from companion.web.run.health import Health
from companion.web.table.live import PATH, LiveStreams

SLOW: Final = re.compile(r"/pads/.|/history/(history\.|people|year)|.*/(result\.png|feats)$")
"""Paths of slow pages."""
LIST: Final = "/history"
"""The path of the list of games, which is slow where the query filters it."""
TAPS: Final = "/taps"
"""The end of the path to which phones send taps."""


class LiveApp:
    """Answers `/live/…` with a stream, and everything else with the Flask app."""

    def __init__(
        self,
        app: Flask,
        tables: Tables,
        names: Collection[str] | None = None,
    ) -> None:
        """Serves the app.

        Args:
            names: the hosts by which it may be asked for; None for any. See `guard.own_names`.
        """
        limits = tables.limits
        self.app: Final = app
        self._names: Final = names
        self._deadlines: Final = Deadlines()
        self.health: Final = Health(tables)
        self._reading: Final = _Threads(app, limits.reading_threads)
        self._writing: Final = _Threads(app, limits.writing_threads)
        self._static: Final = _Threads(app, limits.static_threads)
        self._slow: Final = _Threads(app, limits.slow_threads)
        self._uploading: Final = _Threads(app, limits.upload_threads)
        # Files of games wait for each other here, and hold no thread that others need.
        self._importing: Final = _Threads(app, limits.imports)
        self._limiter: Final = tables.limiter
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
        serving = (self._reading, self._writing, self._static, self._slow)
        for threads in (*serving, self._uploading, self._importing):
            threads.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] != "http":
            return
        elif scope["path"].startswith(HEALTH):
            await self.health(scope, guard.with_headers(scope, send))
        elif refused := guard.refusal(scope, self._names):
            await guard.refuse(guard.with_headers(scope, send), *refused)
        else:
            await self._answer(scope, receive, guard.with_headers(scope, send))

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
        """Answers a page: 429 when its address sends too many bodies, 408 when one takes long."""
        most = self._limiter.limits.body_bytes
        try:
            messages = await _body_at_hand(receive)
            if messages[-1].get("more_body", False):
                with self._limiter.room("bodies", address=client_address(scope)):
                    async with self._deadlines.within(self._limiter.limits.body_seconds):
                        await _rest_of_body(receive, messages, most)
        except Full:
            await send_empty(send, 429, close=True)
        except TimeoutError:
            await send_empty(send, self._deadlines.status, close=True)
        else:
            if messages[-1]["type"] == "http.disconnect":
                return
            if scope["method"] == "POST" and scope["path"].endswith(TAPS):
                await self._writing.answer(scope, messages, send)
            else:
                await self._threads_for(scope)(scope, _replay(messages, receive), send)

    async def _take_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers an upload that has come; a file of games only where its address has no other."""
        if not scope["path"].startswith(IMPORT):
            await self._uploading(scope, receive, send)
            return
        address = counted_address(client_address(scope))
        try:
            with self._limiter.room("imports", address=address):
                await self._importing(scope, receive, send)
        except Full as full:
            await self._reading({**scope, FULL: full}, receive, send)

    def _threads_for(self, scope: Scope) -> AsgiApp:
        """The threads that answer a request."""
        path: str = scope["path"]
        if path.startswith("/static/"):
            return self._static
        # A list that is filtered counts all games of a device.
        if SLOW.match(path) or (path == LIST and scope.get("query_string")):
            return self._slow
        return self._reading if scope["method"] in ("GET", "HEAD") else self._writing


class _Threads:
    """Flask in threads of its own, as an ASGI app."""

    def __init__(self, app: Flask, count: int) -> None:
        self._app: Final = app
        self._middleware: Final = WSGIMiddleware(app, workers=count)  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await cast(AsgiApp, self._middleware)(scope, receive, send)

    async def answer(self, scope: Scope, messages: list[Message], send: Send) -> None:
        """Answers a request that has been read, with an answer that is small.

        The middleware hands an answer on piece by piece, and its thread waits for the event loop
        at each; that takes longer than a tap. Here the thread hands it on as a whole.
        """
        body = BytesIO(b"".join(message.get("body", b"") for message in messages))
        environ: Any = build_environ(cast(Any, scope), cast(Any, body))
        context = copy_context()
        work = partial(context.run, Response.from_app, self._app, environ, buffered=True)
        response = await asyncio.get_running_loop().run_in_executor(self._middleware.executor, work)
        headers = [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in response.headers.to_wsgi_list()
        ]
        status = response.status_code
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": response.get_data()})

    def close(self) -> None:
        """Lets the threads go that have nothing to do; the others when they are done."""
        self._middleware.executor.shutdown(wait=False, cancel_futures=True)


async def _body_at_hand(receive: Receive) -> list[Message]:
    """The part of a body that came together with its head; a tap's is whole, and needs no room."""
    try:
        async with asyncio.timeout(0):
            return [await receive()]
    except TimeoutError:
        return [{"type": "http.request", "body": b"", "more_body": True}]


async def _rest_of_body(receive: Receive, messages: list[Message], most: int) -> None:
    """Adds the further messages of a body, or as many as Flask needs to refuse it for its size.

    The last one tells of a client that has gone before the end.
    """
    size = len(messages[-1].get("body", b""))
    while size <= most and messages[-1].get("more_body", False):
        messages.append(await receive())
        size += len(messages[-1].get("body", b""))


def _replay(messages: list[Message], receive: Receive) -> Receive:
    """A function that returns these messages first, then those of `receive`."""
    waiting = iter(messages)

    async def next_message() -> Message:
        message = next(waiting, None)
        return message if message is not None else await receive()

    return next_message


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
