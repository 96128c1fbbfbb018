"""The ASGI app that uvicorn serves: it streams live updates and hands the rest to Flask.

Requests have threads by what they may wait for, so that reads wait neither for writes nor for what
takes seconds.
"""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from io import BytesIO
from typing import Final

from flask import Flask
from werkzeug.exceptions import HTTPException

from companion.tables import Tables
from companion.web.net.asgi_types import Receive, Scope, Send, send_empty
from companion.web.net.bodies import REFUSED, Bodies, ClientGone
from companion.web.run.threads import Threads
from companion.web.table.live import PATH, LiveStreams

READING_THREADS: Final = 8
WRITING_THREADS: Final = 8
SLOW_THREADS: Final = 3
MOST_SLOW: Final = 12  # Slow requests that are answered or wait; others are asked to come again
# Paths of slow pages: PDFs, exports, a record that is opened, and figures over many games
SLOW: Final = re.compile(r"/pads/(map|pads\.pdf)|/history/(history\.|people)|/import$|.*/feats$")
LIST: Final = "/history"  # The path of the list of games, which is slow where the query filters it


class LiveApp:
    """Answers `/live/…` with a stream, and everything else with the Flask app."""

    def __init__(self, app: Flask, tables: Tables, prefix: str = "") -> None:
        """Serves the app.

        Args:
            prefix: the part of every path that browsers have before the app's own, as
                `/companion`; empty without one.
        """
        self.app: Final = app
        self._prefix: Final = prefix
        self._bodies: Final = Bodies(tables.limits)
        self._reading: Final = Threads(app, READING_THREADS)
        self._writing: Final = Threads(app, WRITING_THREADS)
        self._slow: Final = Threads(app, SLOW_THREADS, MOST_SLOW)
        self._restoring: Final = Threads(app, 1, MOST_SLOW)
        self.streams: Final = LiveStreams(app, tables)

    def stop(self) -> None:
        """Ends open streams; may be called from a signal handler."""
        self.streams.stop()

    def close(self) -> None:
        """Releases the threads; busy ones end when they are done."""
        for threads in (self._reading, self._writing, self._slow, self._restoring):
            threads.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] == "http":
            await self._answer(_below(self._prefix, scope), receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"].startswith(PATH):
            await self.streams(scope, receive, send)
        else:
            await self._page(scope, receive, send)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            async with self._bodies.received(scope, receive) as body:
                await self._threads_for(scope).answer(scope, body, send)
        except ClientGone:
            pass
        except HTTPException as refused:
            await self._reading.answer({**scope, REFUSED: refused}, BytesIO(), send)
        except asyncio.CancelledError:
            # The server stops, and has waited long enough.
            with suppress(RuntimeError):  # an answer has begun
                await send_empty(send, 503, close=True)

    def _threads_for(self, scope: Scope) -> Threads:
        path: str = scope["path"]
        if path == "/history/import":  # the largest backups take minutes
            return self._restoring
        # A list that is filtered counts all games of a device.
        if SLOW.match(path) or (path == LIST and scope.get("query_string")):
            return self._slow
        return self._reading if scope["method"] in ("GET", "HEAD") else self._writing


def _below(prefix: str, scope: Scope) -> Scope:
    """The request with the app's own path; a proxy may have taken the prefix off or not."""
    path: str = scope["path"]
    if prefix and (path == prefix or path.startswith(f"{prefix}/")):
        path = path[len(prefix) :] or "/"
    return {**scope, "root_path": prefix, "path": path}


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
