"""Request bodies, received before Flask sees the request, so that no slow phone holds a thread."""

from __future__ import annotations

import asyncio
import logging
import re
import tempfile
from collections.abc import AsyncIterator, Mapping
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
from companion.tables.history.exchange import MOST_BYTES
from companion.web.net.asgi_types import Receive, Scope

BODY_BYTES: Final = 128 * 1024  # of a request without a file; a long game's correction has 60 kB
BODY_SECONDS: Final = 300  # to send a body, a photo's, too
UPLOAD_BYTES: Final = 160 * 1024**2  # of one request with photos
UPLOADS: Final = "/upload/"  # Path prefix of the addresses that photos are sent to
_PHOTOS: Final = re.compile(UPLOADS + r"[\w-]+", re.ASCII)
# Bytes of a request with a file of games
_FILES: Final[Mapping[str, int]] = {
    "/history/import": MOST_BYTES + 4096,  # for the form around the file
    "/import": 512 * 1024,  # a record; the longest real one has 100 kB
}
# The key in a scope for the error that Flask raises, and explains, before it looks further
REFUSED: Final = "companion.refused"
RETRY_SECONDS: Final = 5  # The Retry-After of a request without room

_log: Final = logging.getLogger(__name__)


class ClientGone(Exception):
    """The client left before its request was complete."""


class Bodies:
    """Receives the bodies of one process's requests."""

    def __init__(self, limits: Limits) -> None:
        self._limits: Final = limits
        # The bytes received of each upload under way
        self._uploads: Final[dict[IO[bytes], int]] = {}

    @asynccontextmanager
    async def received(self, scope: Scope, receive: Receive) -> AsyncIterator[IO[bytes]]:
        """The request's whole body, which is closed afterwards; a large one is a nameless file.

        Raises:
            HTTPException: it is larger than its address takes, or other uploads have taken the
                room; it did not arrive in time; the disk is full.
            ClientGone: the rest will never come.
        """
        most = most_bytes(scope["method"], scope["path"])
        is_large = most > BODY_BYTES
        length = dict(scope["headers"]).get(b"content-length", b"")
        claimed = int(length) if length.isdigit() else 0
        if claimed > most:
            raise RequestEntityTooLarge
        with ExitStack() as ends:
            try:
                body: IO[bytes] = BytesIO()
                if is_large:
                    self._require_room(claimed)
                    # Unbuffered, so that nothing is left to write when it is closed.
                    body = ends.enter_context(tempfile.TemporaryFile(buffering=0))
                    self._uploads[body] = 0
                    ends.callback(self._uploads.pop, body)
                async with asyncio.timeout(BODY_SECONDS):
                    await self._write_all(receive, body, most)
            except TimeoutError as late:
                raise RequestTimeout from late
            except OSError as full:
                _log.error("a request's body cannot be kept: %s", full)
                raise ServiceUnavailable(retry_after=RETRY_SECONDS) from full
            yield body

    async def _write_all(self, receive: Receive, body: IO[bytes], most: int) -> None:
        """Writes a request's body into a file, and rewinds it; raises as `received` does."""
        size, is_whole = 0, False
        while not is_whole:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            rest = memoryview(message.get("body", b""))
            size += len(rest)
            if size > most:
                raise RequestEntityTooLarge
            if body in self._uploads:
                self._require_room(len(rest))
                self._uploads[body] = size
            while rest:  # an unbuffered file may take less at a time
                rest = rest[body.write(rest) :]
            is_whole = not message.get("more_body", False)
        body.seek(0)

    def _require_room(self, size: int) -> None:
        """Raises `TooManyRequests` if the uploads under way leave less room on the disk."""
        if sum(self._uploads.values()) + size > self._limits.uploading_bytes:
            raise TooManyRequests(retry_after=RETRY_SECONDS)


def most_bytes(method: str, path: str) -> int:
    """Limit of a request's body; one above `BODY_BYTES` is kept on the disk."""
    if method != "POST":
        return BODY_BYTES
    return UPLOAD_BYTES if _PHOTOS.fullmatch(path) else _FILES.get(path, BODY_BYTES)
