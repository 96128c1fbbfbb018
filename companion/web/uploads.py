"""Request bodies on their way to Flask: small ones in memory, photos and files on the disk."""

from __future__ import annotations

import asyncio
import tempfile
from typing import IO, Final

from companion.web.asgi_types import AsgiApp, Message, Receive, Scope, Send, send_empty

UPLOADS: Final = "/upload/"
"""Path prefix of the addresses that photos are sent to."""
LARGE: Final = (UPLOADS, "/history/import")
"""Path prefixes whose requests may exceed the 1 MB body limit."""
MAX_UPLOAD_BYTES: Final = 160 * 1024 * 1024
"""Limit of one request; a phone with JavaScript sends each photo in a request of its own."""
MAX_UPLOADING_BYTES: Final = 640 * 1024 * 1024
"""Limit of all requests that are being sent at one time; their bodies lie on the disk."""
UPLOAD_SECONDS: Final = 600.0
"""The longest that one upload may take."""
CHUNK: Final = 256 * 1024
"""Bytes of a spooled body that Flask is given at a time."""


def is_upload(scope: Scope) -> bool:
    """Whether a request may have a large body."""
    path: str = scope["path"]
    return scope["method"] == "POST" and path.startswith(LARGE)


class Uploads:
    """Spools large bodies into nameless files and then hands the request to Flask."""

    def __init__(self, pages: AsgiApp) -> None:
        self._pages: Final = pages
        self.reserved_bytes = 0
        """Room on the disk that the uploads under way have been granted."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one upload: Flask's answer, or 503 without room, or 408 when it takes too long.

        Nothing is answered when the client goes away, or sends more than it said.
        """
        claimed = _claimed_length(scope)
        if claimed > MAX_UPLOAD_BYTES:
            # Flask refuses it for what it claims, and need not see any of it.
            await self._pages(scope, receive, send)
            return
        # An upload that does not say how long it is may be as long as any.
        room = claimed if claimed >= 0 else MAX_UPLOAD_BYTES
        if self.reserved_bytes + room > MAX_UPLOADING_BYTES:
            await send_empty(send, 503)
            return
        self.reserved_bytes += room
        try:
            with tempfile.TemporaryFile() as file:
                async with asyncio.timeout(UPLOAD_SECONDS):
                    is_whole = await _spool(receive, file, room)
                if is_whole:
                    file.seek(0)
                    await self._pages(scope, _replay_file(file, receive), send)
        except TimeoutError:
            await send_empty(send, 408)
        finally:
            self.reserved_bytes -= room


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


async def _spool(receive: Receive, file: IO[bytes], most: int) -> bool:
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
