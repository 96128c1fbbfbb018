"""Request bodies, received before Flask sees the request, so that no slow phone holds a thread."""

from __future__ import annotations

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from io import BytesIO
from typing import IO, Final

from werkzeug.exceptions import (
    RequestEntityTooLarge,
    RequestTimeout,
    ServiceUnavailable,
    TooManyRequests,
)

from companion.limits import Limits
from companion.web.net.asgi_types import Receive, Scope

UPLOADS: Final = "/upload/"
"""Path prefix of the addresses that photos are sent to."""
LARGE: Final = (UPLOADS, "/history/import", "/import")
"""Path prefixes whose requests may be larger than `Limits.body_bytes`; they lie on the disk."""
REFUSED: Final = "companion.refused"
"""The key in a scope for the error that Flask raises, and explains, before it looks further."""
RETRY_SECONDS: Final = 5
"""Seconds after which a request may come again for which there was no room."""

_log: Final = logging.getLogger(__name__)


class ClientGone(Exception):
    """The client has left before its request was whole."""


class Bodies:
    """Receives the bodies of one process's requests."""

    def __init__(self, limits: Limits) -> None:
        self._limits: Final = limits
        self._uploading = 0
        """Bytes of the uploads under way, as far as they are announced."""

    @asynccontextmanager
    async def received(self, scope: Scope, receive: Receive) -> AsyncIterator[IO[bytes]]:
        """The request's whole body, which is closed afterwards; a large one is a nameless file.

        Raises:
            RequestEntityTooLarge: it is, or says that it is, larger than its address takes.
            TooManyRequests: other uploads have taken the room on the disk.
            RequestTimeout: it was not here in time.
            ServiceUnavailable: the disk is full.
            ClientGone: it will never be whole.
        """
        limits = self._limits
        is_large = scope["method"] == "POST" and scope["path"].startswith(LARGE)
        most = limits.upload_bytes if is_large else limits.body_bytes
        claimed = claimed_length(scope)
        if claimed > most:
            raise RequestEntityTooLarge
        room = (claimed if claimed >= 0 else most) if is_large else 0
        if self._uploading + room > limits.uploading_bytes:
            raise TooManyRequests(retry_after=RETRY_SECONDS)
        self._uploading += room
        try:
            with ExitStack() as files:
                try:
                    body: IO[bytes] = BytesIO()
                    if is_large:
                        # Unbuffered, so that nothing is left to write when it is closed.
                        body = files.enter_context(tempfile.TemporaryFile(buffering=0))
                    async with asyncio.timeout(limits.body_seconds):
                        await _write_all(receive, body, most)
                except TimeoutError as late:
                    raise RequestTimeout from late
                except OSError as full:
                    _log.error("a request's body cannot be kept: %s", full)
                    raise ServiceUnavailable(retry_after=RETRY_SECONDS) from full
                yield body
        finally:
            self._uploading -= room


def claimed_length(scope: Scope) -> int:
    """The Content-Length header; -1 when there is none, or it is no number."""
    raw = dict(scope["headers"]).get(b"content-length", b"")
    return int(raw) if raw.isdigit() else -1


async def _write_all(receive: Receive, body: IO[bytes], most: int) -> None:
    """Writes a request's body into a file, and rewinds it; raises as `Bodies.received` does."""
    size, is_whole = 0, False
    while not is_whole:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        rest = memoryview(message.get("body", b""))
        size += len(rest)
        if size > most:
            raise RequestEntityTooLarge
        while rest:  # an unbuffered file may take less at a time
            rest = rest[body.write(rest) :]
        is_whole = not message.get("more_body", False)
    body.seek(0)
