"""The ASGI app that uvicorn serves: it streams live updates and hands the rest to Flask.

A request body is read here before Flask sees it, so that no slow phone holds one of Flask's few
threads.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, cast

from a2wsgi import WSGIMiddleware
from flask import Flask

from companion.tables import Tables
from companion.web import guard
from companion.web.asgi_types import AsgiApp, Receive, Scope, Send
from companion.web.live import PATH, LiveStreams
from companion.web.uploads import Uploads, is_upload, replay, whole_body

WSGI_THREADS: Final = 8


class LiveApp:
    """Answers `/live/…` with a stream, and everything else with the Flask app."""

    def __init__(self, app: Flask, tables: Tables, names: Collection[str] | None = None) -> None:
        """Serves the app.

        Args:
            names: the hosts by which it may be asked for; None for any. See `guard.own_names`.
        """
        self._names: Final = names
        self._pages: Final = cast(AsgiApp, WSGIMiddleware(app, workers=WSGI_THREADS))  # type: ignore[arg-type]
        self._most_bytes: Final[int] = app.config["MAX_CONTENT_LENGTH"]
        self.streams: Final = LiveStreams(tables, str(app.secret_key))
        self.uploads: Final = Uploads(self._pages)

    def stop(self) -> None:
        """Ends the open streams; may be called from a signal handler."""
        self.streams.stop()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await _lifespan(receive, send)
        elif scope["type"] != "http":
            return
        elif refused := guard.refusal(scope, self._names):
            await guard.refuse(guard.with_headers(scope, send), *refused)
        else:
            await self._answer(scope, receive, guard.with_headers(scope, send))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"].startswith(PATH):
            await self.streams(scope, receive, send)
        elif is_upload(scope):
            await self.uploads(scope, receive, send)
        else:
            await self._page(scope, receive, send)

    async def _page(self, scope: Scope, receive: Receive, send: Send) -> None:
        messages = await whole_body(receive, self._most_bytes)
        if messages:
            await self._pages(scope, replay(messages, receive), send)


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
