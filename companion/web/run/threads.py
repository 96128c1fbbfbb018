"""Flask in a pool of threads of its own."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from math import inf
from typing import IO, Any, Final, cast

from a2wsgi.wsgi import build_environ
from flask import Flask
from werkzeug.exceptions import TooManyRequests
from werkzeug.wrappers import Response

from companion.web.net.asgi_types import Scope, Send
from companion.web.net.bodies import RETRY_SECONDS


class Threads:
    """A pool of threads that answer requests."""

    def __init__(self, app: Flask, count: int, most_requests: float = inf) -> None:
        """Answers `count` requests at a time.

        Args:
            most_requests: limit of the requests that are answered or wait for a thread.
        """
        self._app: Final = app
        self._most_requests: Final = most_requests
        self._requests = 0
        self._executor: Final = ThreadPoolExecutor(count, "companion-web")

    async def answer(self, scope: Scope, body: IO[bytes], send: Send) -> None:
        """Answers a request with a complete body; raises `TooManyRequests` without room for it.

        A thread hands an answer on as a whole: it waits neither for the event loop at each piece
        nor for a phone that takes it slowly.
        """
        if self._requests >= self._most_requests:
            raise TooManyRequests(retry_after=RETRY_SECONDS)
        self._requests += 1
        try:
            response = await self._ask(scope, body)
        finally:
            self._requests -= 1
        headers = [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in response.headers.to_wsgi_list()
        ]
        status = response.status_code
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": response.get_data()})

    async def _ask(self, scope: Scope, body: IO[bytes]) -> Response:
        environ: Any = build_environ(cast(Any, scope), cast(Any, body))
        work = partial(copy_context().run, Response.from_app, self._app, environ, buffered=True)
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    def close(self) -> None:
        """Releases the idle threads, and the others when they are done."""
        self._executor.shutdown(wait=False, cancel_futures=True)
