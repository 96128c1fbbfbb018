"""Threads for Flask, which addresses take in turn, so that nobody waits for all that one sends."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext
from contextvars import copy_context
from functools import partial
from typing import IO, Any, Final, cast

from a2wsgi.wsgi import build_environ
from flask import Flask
from werkzeug.wrappers import Response

from companion.limiter import ALL, Limiter
from companion.web.net.asgi_types import Scope, Send
from companion.web.net.proxies import limited_address


class Turns:
    """Places for work. Addresses that wait for one get it in turn, however much each has to do."""

    def __init__(self, places: int, per_address: int) -> None:
        """Has all places free.

        Args:
            per_address: limit of the places of one address; this computer has none.
        """
        self._free = places
        self._per_address: Final = per_address
        self._held: Counter[str] = Counter()
        self._waiting: Final[OrderedDict[str, deque[asyncio.Future[None]]]] = OrderedDict()

    @asynccontextmanager
    async def turn(self, address: str, seconds: float | None) -> AsyncIterator[None]:
        """Holds a place meanwhile; raises `TimeoutError` if none gets free in so many seconds."""
        place = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(address, deque()).append(place)
        self._hand_out()
        try:
            async with asyncio.timeout(seconds):
                await place
            yield
        finally:
            if place.done() and not place.cancelled():
                self._free += 1
                self._held -= Counter({address: 1})  # which forgets those that hold none
                self._hand_out()

    def _hand_out(self) -> None:
        while self._free:
            address = next(filter(self._may_have_more, self._waiting), None)
            if address is None:
                return
            queue = self._waiting[address]
            place = queue.popleft()
            self._waiting.move_to_end(address)
            if not queue:
                del self._waiting[address]
            if not place.done():  # the request may have waited for too long
                self._free -= 1
                self._held[address] += 1
                place.set_result(None)

    def _may_have_more(self, address: str) -> bool:
        return not address or self._held[address] < self._per_address


class Threads:
    """Flask in threads of its own."""

    def __init__(
        self,
        app: Flask,
        count: int,
        limiter: Limiter,
        kind: str = "",
        wait_seconds: float | None = None,
    ) -> None:
        """Answers so many requests at a time, and at most half as many of one address.

        Args:
            kind: the limiter's kind of these requests, if their number is limited.
            wait_seconds: limit of a request's wait for a thread.
        """
        self._app: Final = app
        self._limiter: Final = limiter
        self._kind: Final = kind
        self._wait_seconds: Final = wait_seconds
        self._executor: Final = ThreadPoolExecutor(count, "companion-web")
        self._turns: Final = Turns(count, max(1, count // 2))

    async def answer(self, scope: Scope, body: IO[bytes], send: Send) -> None:
        """Answers a request whose body has come; raises `Full` where there is no room for it.

        A thread hands an answer on as a whole: it waits neither for the event loop at each piece
        nor for a phone that takes it slowly.
        """
        address = limited_address(scope)
        room = self._limiter.room(self._kind, address=address) if self._kind else nullcontext()
        with room:
            try:
                async with self._turns.turn(address, self._wait_seconds):
                    response = await self._ask(scope, body)
            except TimeoutError:
                raise self._limiter.refusal(self._kind, ALL, address) from None
        headers = [
            (name.lower().encode("latin-1"), value.encode("latin-1"))
            for name, value in response.headers.to_wsgi_list()
        ]
        status = response.status_code
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": response.get_data()})

    async def _ask(self, scope: Scope, body: IO[bytes]) -> Response:
        environ: Any = build_environ(cast(Any, scope), cast(Any, body))
        context = copy_context()
        work = partial(context.run, Response.from_app, self._app, environ, buffered=True)
        return await asyncio.get_running_loop().run_in_executor(self._executor, work)

    def close(self) -> None:
        """Lets the threads go that have nothing to do; the others when they are done."""
        self._executor.shutdown(wait=False, cancel_futures=True)
