"""Request bodies on their way to Flask: their deadlines; photos and files, kept on the disk."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from functools import partial
from io import BytesIO
from typing import IO, Final, TypeAlias

from werkzeug.exceptions import RequestEntityTooLarge

from companion.limiter import Full, Limiter
from companion.limits import Limits
from companion.web.net.asgi_types import Receive, Scope, Send, send_empty
from companion.web.net.guard import claimed_length
from companion.web.net.proxies import limited_address

UPLOADS: Final = "/upload/"
"""Path prefix of the addresses that photos are sent to."""
IMPORT: Final = "/history/import"
"""The path that files of games are sent to."""
LARGE: Final = (UPLOADS, IMPORT, "/import")
"""Path prefixes whose requests may be larger than `Limits.body_bytes`."""
SPOOL: Final = "companion.spool"
"""The key in an upload's scope under which its body lies, so that a photo need not be copied."""
FULL: Final = "companion.full"
"""The key in an upload's scope under which its refusal for want of room lies: the page says it."""

REFUSED: Final = "companion.refused"
"""The key in a scope for the error with which Flask answers a request before it looks at it."""

Pages: TypeAlias = Callable[[Scope, IO[bytes], Send], Awaitable[None]]
"""Flask, which answers a request whose body has come."""


class NoRoom(Exception):
    """The disk is full."""


class Deadlines:
    """Time limits of what is being received. A stop of the server ends them all at once."""

    def __init__(self) -> None:
        self._running: Final[dict[asyncio.Timeout, asyncio.AbstractEventLoop]] = {}
        self.is_over = False

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[Callable[[], bool]]:
        """Raises `TimeoutError` after so many seconds, or when the server stops.

        Yields a function that ends it at once, and returns True.
        """
        async with asyncio.timeout(0 if self.is_over else seconds) as limit:
            self._running[limit] = asyncio.get_running_loop()
            try:
                yield partial(self._end, limit)
            finally:
                del self._running[limit]

    def end(self) -> None:
        """Ends them; may be called from a signal handler."""
        self.is_over = True
        for limit, loop in list(self._running.items()):
            loop.call_soon_threadsafe(self._end, limit)

    def _end(self, limit: asyncio.Timeout) -> bool:
        if limit in self._running:
            limit.reschedule(self._running[limit].time())
        return True

    @property
    def status(self) -> int:
        """The status of an answer to whoever was too slow: the phone's fault, or the server's."""
        return 503 if self.is_over else 408


class Uploads:
    """Spools large bodies into nameless files and then hands the request to Flask."""

    def __init__(self, pages: Pages, limiter: Limiter) -> None:
        self._pages: Final = pages
        self._limiter: Final = limiter
        self.deadlines: Final = Deadlines()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers an upload with Flask's answer.

        The answer is 429 when the address has too many uploads under way or sent too many, 503
        without room on the disk or when the server stops, and 408 when the upload is too slow. A
        client that goes away, or sends more than it said, gets none.
        """
        claimed = claimed_length(scope)
        if claimed > self._limiter.limits.upload_bytes:
            await self._pages({**scope, REFUSED: RequestEntityTooLarge()}, BytesIO(), send)
            return
        address = limited_address(scope)
        try:
            self._limiter.take("recent-uploads", address=address)
            with self._limiter.room("uploads", address=address):
                await self._take(scope, receive, send, claimed)
        except Full:
            await send_empty(send, 429, close=True)

    async def _take(self, scope: Scope, receive: Receive, send: Send, claimed: int) -> None:
        limits, address = self._limiter.limits, limited_address(scope)
        most = claimed if claimed >= 0 else limits.upload_bytes
        try:
            with ExitStack() as spooled, _nameless_file() as file:

                def reserve(size: int) -> None:
                    """Takes room on the disk for bytes that have come; announced ones take none."""
                    spooled.callback(self._limiter.take("upload-bytes", size, address=address))

                async with self.deadlines.within(limits.upload_seconds):
                    is_whole = await _spool(receive, file, most, reserve, limits)
                if is_whole:
                    await self._pages({**scope, SPOOL: file}, file, send)
        except TimeoutError:
            await send_empty(send, self.deadlines.status, close=True)
        except (Full, NoRoom):
            await send_empty(send, 503, close=True)


@contextmanager
def _nameless_file() -> Iterator[IO[bytes]]:
    """A temporary file; raises `NoRoom` when the disk has none."""
    try:
        # Unbuffered, so that nothing is left to write when it is closed.
        file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 - closed below
    except OSError as error:
        raise NoRoom from error
    with file:
        yield file


async def _spool(
    receive: Receive, file: IO[bytes], most: int, reserve: Callable[[int], None], limits: Limits
) -> bool:
    """Writes a request's body into a file, and rewinds it.

    Args:
        reserve: called with the size of each part before it is written.

    Returns:
        False when the client has gone, or sends too much.

    Raises:
        TimeoutError: the client is too slow.
        NoRoom: the disk is full.
        Full: other uploads have taken the room on it.
    """
    size = fresh = 0
    loop = asyncio.get_running_loop()
    last = loop.time() + limits.stall_seconds
    while size <= most:
        async with asyncio.timeout_at(last):
            message = await receive()
        if message["type"] == "http.disconnect":
            return False
        body = message.get("body", b"")
        size += len(body)
        fresh += len(body)
        if fresh >= limits.stall_bytes:
            fresh, last = 0, loop.time() + limits.stall_seconds
        if size <= most:
            reserve(len(body))
            _write(file, body)
        if not message.get("more_body", False):
            file.seek(0)
            return size <= most
    return False


def _write(file: IO[bytes], body: bytes) -> None:
    rest = memoryview(body)
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError as error:
        raise NoRoom from error
