"""JPEG: keeps the segments of the first picture, and nothing of the metadata."""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from companion.vision.containers.base import (
    MAX_SEGMENTS,
    Decode,
    ImageFile,
    damaged,
    exif_orientation,
    refuse_truncated,
)

if TYPE_CHECKING:
    # Only for types: a refusal must not wait for these libraries to load.
    from PIL import Image

MAX_SCANS: Final = 64
"""Scans of a progressive JPEG, which is decoded once for each of them. Ten are usual."""

_SCAN: Final = 0xDA
_FRAMES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_ENDING: Final = re.compile(rb"\xff\xd9")
"""The end of the picture; a regular expression takes a third of the time of `bytes.find`."""
_SEQUENTIAL: Final = frozenset({0xC0, 0xC1})
_NEEDED: Final = frozenset({0xC4, 0xCC, 0xDB, 0xDD, 0xE0, 0xEE})
"""Segments that are kept: tables, JFIF, and Adobe's colour transform."""


def read_jpeg(data: bytes) -> ImageFile:
    """Describes a JPEG and keeps only the segments that its first picture needs.

    Raises:
        Unreadable: `truncated` or `damaged`.
    """
    parts, size, orientation = [b"\xff\xd8"], None, None
    is_progressive, colors = False, 0
    for place, marker, end in _segments(data):
        if marker in _FRAMES:
            if size is not None or end - place < 10:
                raise damaged()
            height, width = struct.unpack_from(">HH", data, place + 5)
            size = (width, height)
            is_progressive, colors = marker not in _SEQUENTIAL, data[place + 9]
        elif marker == 0xE1 and orientation is None and data[place + 4 : place + 10] == b"Exif\0\0":
            orientation = exif_orientation(data[place + 4 : end])
        if marker in _NEEDED or marker in _FRAMES:
            parts.append(data[place:end])
        elif marker == _SCAN:
            # Entropy-coded data never contains this pair of bytes.
            ending = _ENDING.search(data, end)
            if ending is None:
                refuse_truncated()
            last = ending.start()
            # One scan with all colour components (their number follows its length) is complete.
            is_whole = not is_progressive and data[place + 4] == colors
            if size is None or (not is_whole and data.count(b"\xff\xda", end, last) >= MAX_SCANS):
                raise damaged()
            parts.append(data[place : last + 2])
            clean = b"".join(parts)
            return ImageFile("image/jpeg", size, orientation or 1, _decoder(clean), reduces=True)
    raise damaged()


def _segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """(start, marker, end) of each segment, up to the first scan."""
    place = 2
    for _ in range(MAX_SEGMENTS):
        place = data.find(b"\xff", place)
        if place < 0:
            refuse_truncated()
        while data[place + 1 : place + 2] == b"\xff":
            place += 1
        if place + 4 > len(data):
            refuse_truncated()
        marker = data[place + 1]
        if marker in (0x00, 0x01) or 0xD0 <= marker <= 0xD8:
            place += 2
            continue
        end = place + 2 + int.from_bytes(data[place + 2 : place + 4])
        if marker == 0xD9 or end < place + 4:
            raise damaged()
        if end > len(data):
            refuse_truncated()
        yield place, marker, end
        place = end
    raise damaged()


def _decoder(clean: bytes) -> Decode:
    def decode(reduce: int, gray: bool) -> tuple[Image.Image, int, object]:
        from PIL.JpegImagePlugin import JpegImageFile

        image = JpegImageFile(io.BytesIO(clean))
        width, height = image.size
        # libjpeg itself decodes at a smaller size, and for gray without the colours.
        image.draft("L" if gray else None, (max(width // reduce, 1), max(height // reduce, 1)))
        image.load()
        return image, 1, None

    return decode
