"""Request bodies on their way to Flask: small ones in memory, photos and files on the disk."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Final

from companion.web.net.admission import PROXIES, Busy, Deadlines, Places, Rate, client_address
from companion.web.net.asgi_types import AsgiApp, Message, Receive, Scope, Send, send_empty

UPLOADS: Final = "/upload/"
"""Path prefix of the addresses that photos are sent to."""
LARGE: Final = (UPLOADS, "/history/import")
"""Path prefixes whose requests may exceed the 1 MB body limit."""
MAX_UPLOAD_BYTES: Final = 160 * 1024 * 1024
"""Limit of one request; a phone with JavaScript sends each photo in a request of its own."""
MAX_UPLOADING_BYTES: Final = 640 * 1024 * 1024
"""Limit of all requests that are being sent at one time to the processes of a machine; their
bodies lie on its disk."""
UPLOAD_SECONDS: Final = 600.0
"""The longest that one upload may take."""
STALL_SECONDS: Final = 20.0
"""Time in which an upload has to bring `STALL_BYTES`; a weak network brings ten times as much."""
STALL_BYTES: Final = 16 * 1024
MOST_UPLOADS: Final = 48
UPLOADS_PER_ADDRESS: Final = 8
"""Uploads of one address at a time; a browser has at most six connections."""
MOST_IN_A_WHILE: Final = 240
"""Uploads of one address in `WHILE_SECONDS`: a dozen photos of each of 20 games."""
WHILE_SECONDS: Final = 600.0
SPOOL: Final = "companion.spool"
"""The key in an upload's scope under which its body lies, so that a photo need not be copied."""
CHUNK: Final = 256 * 1024
"""Bytes of a spooled body that Flask is given at a time."""


def is_upload(scope: Scope) -> bool:
    """Whether a request may have a large body."""
    path: str = scope["path"]
    return scope["method"] == "POST" and path.startswith(LARGE)


class NoRoom(Exception):
    """The disk, or the share of it that uploads may have, is full."""


class Uploads:
    """Spools large bodies into nameless files and then hands the request to Flask."""

    def __init__(self, pages: AsgiApp, most_bytes: int = MAX_UPLOADING_BYTES) -> None:
        self._pages: Final = pages
        self._most_bytes: Final = most_bytes
        self._places: Final = Places(MOST_UPLOADS, UPLOADS_PER_ADDRESS)
        self._rate: Final = Rate(MOST_IN_A_WHILE, WHILE_SECONDS)
        self.deadlines: Final = Deadlines()
        self.reserved_bytes = 0
        """Bytes on the disk of the uploads under way. What was only announced takes no room."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers an upload with Flask's answer.

        The answer is 429 when the address has too many uploads under way or sent too many, 503
        without room on the disk or when the server stops, and 408 when the upload is too slow. A
        client that goes away, or sends more than it said, gets none.
        """
        claimed = _claimed_length(scope)
        if claimed > MAX_UPLOAD_BYTES:
            # Flask refuses it for what it claims, and need not see any of it.
            await self._pages(scope, receive, send)
            return
        address = client_address(scope)
        try:
            if address not in PROXIES:
                self._rate.count(address)
            with self._places.taken_by(address):
                await self._take(scope, receive, send, claimed)
        except Busy:
            await send_empty(send, 429, close=True)

    async def _take(self, scope: Scope, receive: Receive, send: Send, claimed: int) -> None:
        most = claimed if claimed >= 0 else MAX_UPLOAD_BYTES
        spooled = 0

        def count(size: int) -> None:
            nonlocal spooled
            if self.reserved_bytes + size > self._most_bytes:
                raise NoRoom
            self.reserved_bytes += size
            spooled += size

        try:
            with _nameless_file() as file:
                async with self.deadlines.within(UPLOAD_SECONDS):
                    is_whole = await _spool(receive, file, most, count)
                if is_whole:
                    spooled_scope = {**scope, SPOOL: file}
                    await self._pages(spooled_scope, _replay_file(file, receive), send)
        except TimeoutError:
            await send_empty(send, self.deadlines.status, close=True)
        except NoRoom:
            await send_empty(send, 503, close=True)
        finally:
            self.reserved_bytes -= spooled


async def whole_body(receive: Receive, most: int) -> list[Message]:
    """All messages of a request's body, or as many as Flask needs to refuse it for its size.

    Empty when the client has gone before the end.
    """
    messages: list[Message] = []
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


def replay(messages: list[Message], receive: Receive) -> Receive:
    """A function that returns these messages first, then those of `receive`."""
    waiting = iter(messages)

    async def next_message() -> Message:
        message = next(waiting, None)
        return message if message is not None else await receive()

    return next_message


def _replay_file(file: IO[bytes], receive: Receive) -> Receive:
    """A function that returns a file's content as a request's body, then those of `receive`."""
    is_over = False

    async def next_message() -> Message:
        nonlocal is_over
        if is_over:
            return await receive()
        chunk = file.read(CHUNK)
        is_over = len(chunk) < CHUNK
        return {"type": "http.request", "body": chunk, "more_body": not is_over}

    return next_message


def _claimed_length(scope: Scope) -> int:
    """The Content-Length header; -1 when there is none, or it is no number."""
    raw = dict(scope["headers"]).get(b"content-length", b"")
    return int(raw) if raw.isdigit() else -1


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
    receive: Receive, file: IO[bytes], most: int, count: Callable[[int], None]
) -> bool:
    """Writes a request's body into a file, and rewinds it.

    Args:
        count: called with the size of each part before it is written.

    Returns:
        False when the client has gone, or sends too much.

    Raises:
        TimeoutError: the client is too slow.
        NoRoom: the disk is full.
    """
    size = fresh = 0
    loop = asyncio.get_running_loop()
    last = loop.time() + STALL_SECONDS
    while size <= most:
        async with asyncio.timeout_at(last):
            message = await receive()
        if message["type"] == "http.disconnect":
            return False
        body = message.get("body", b"")
        size += len(body)
        fresh += len(body)
        if fresh >= STALL_BYTES:
            fresh, last = 0, loop.time() + STALL_SECONDS
        if size <= most:
            count(len(body))
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
