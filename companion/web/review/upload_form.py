"""The form that photos come in. Its photos are read where the upload lies, and not copied."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
import threading
from functools import cached_property
from itertools import zip_longest
from typing import IO, Any, Final, cast

from flask import Request
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData

from companion.paper.photos.sending import SentPhoto
from companion.vision.pictures.taken import HEAD_BYTES

MAX_PARTS: Final = 40
"""Limit of the parts of the form."""
CHUNK: Final = 64 * 1024
"""Bytes that are parsed at a time."""

_POSITION: Final = threading.Lock()
"""Held while a file is read: its descriptors share one position."""


class FileSlice(io.RawIOBase):
    """Some bytes of an open file, which may be closed meanwhile."""

    def __init__(self, descriptor: int, start: int, size: int) -> None:
        self._descriptor: Final = os.dup(descriptor)
        self._start: Final = start
        self._size: Final = size
        self._at = 0

    def readable(self) -> bool:
        """Says that this is a file to read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Reads the next bytes."""
        with _POSITION:
            os.lseek(self._descriptor, self._start + self._at, os.SEEK_SET)
            data = os.read(self._descriptor, min(len(buffer), self._size - self._at))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Goes to a byte, counted from the first one or from the end; returns its number."""
        self._at = offset + (self._size if whence == os.SEEK_END else 0)
        return self._at

    def close(self) -> None:
        """Lets the file go."""
        if not self.closed:
            os.close(self._descriptor)
        super().close()


class UploadForm:
    """The fields and files of a form with photos."""

    def __init__(self, request: Request, most_bytes: int) -> None:
        """Takes in the form of a request, as far as its parts are whole.

        Args:
            most_bytes: limit of the request.

        Raises:
            RequestEntityTooLarge: the body, a field or the number of parts is too large.
        """
        self.fields: Final[dict[str, str]] = {}
        self._files: Final[dict[str, list[IO[bytes]]]] = {}
        request.max_content_length = most_bytes
        body = request.environ["wsgi.input"]
        if isinstance(body, io.FileIO):  # see `web.net.bodies`
            self._parse(request, body)
            return
        with tempfile.TemporaryFile(buffering=0) as copy:  # the server does not spool
            shutil.copyfileobj(request.stream, copy)
            copy.seek(0)
            self._parse(request, copy)

    @cached_property
    def photos(self) -> list[SentPhoto]:
        """The photos, which stay open when the request has been answered."""
        photos = self._files.get("photo", [])
        # Of a photo that the page has made smaller, the beginning of its file comes beside it.
        heads = self._files.get("head", photos)[: len(photos)]
        sent = []
        for photo, head in zip_longest(photos, heads):
            begin = head.read(HEAD_BYTES) if head is not None else b""
            size = photo.seek(0, os.SEEK_END)
            photo.seek(0)
            sent.append(SentPhoto(photo, size, begin))
        return sent

    def _parse(self, request: Request, body: IO[bytes]) -> None:
        boundary = request.mimetype_params.get("boundary", "").encode("ascii", "replace")
        most = request.max_form_memory_size or 0
        decoder = MultipartDecoder(boundary, most, max_parts=MAX_PARTS)
        part: Field | File | None = None
        fed = 0
        try:
            while chunk := body.read(CHUNK):
                decoder.receive_data(chunk)
                fed += len(chunk)
                while not isinstance(event := decoder.next_event(), NeedData | Epilogue):
                    if isinstance(event, Field | File):
                        part, content, size, start = event, b"", 0, -1
                    elif isinstance(event, Data) and part is not None:
                        size += len(event.data)
                        if isinstance(part, File) and event.more_data:
                            # The decoder has what comes after these bytes.
                            start = start if start >= 0 else fed - len(decoder.buffer) - size
                        elif start < 0:
                            content += event.data
                        if len(content) > most:
                            raise RequestEntityTooLarge
                        if not event.more_data:
                            slices = (body.fileno(), start, size) if start >= 0 else None
                            self._take(part, content, slices)
        except ValueError:
            pass  # what comes is no form

    def _take(self, part: Field | File, content: bytes, place: tuple[int, int, int] | None) -> None:
        if isinstance(part, Field):
            self.fields.setdefault(part.name, content.decode("utf-8", "replace"))
        elif part.filename:
            # A file that came at once lies in memory already.
            file = FileSlice(*place) if place else io.BytesIO(content)
            self._files.setdefault(part.name, []).append(cast(IO[bytes], file))
