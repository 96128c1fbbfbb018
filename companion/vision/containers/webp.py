"""WebP: keeps the chunks of the first picture, and nothing of the metadata."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, TypeAlias

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
    import numpy as np
    import numpy.typing as npt

    Array: TypeAlias = npt.NDArray[np.uint8]


def read_webp(data: bytes) -> ImageFile:
    """Describes a WebP and keeps only the chunks of its first picture.

    Raises:
        Unreadable: `truncated` or `damaged`.
    """
    end = 8 + int.from_bytes(data[4:8], "little")
    if end > len(data) + 1:  # some writers count a padding byte that they do not write
        refuse_truncated()
    chunks: dict[bytes, bytes] = {}
    orientation = 1
    for name, body in _riff_chunks(data[12:end]):
        if name == b"ANMF" and not chunks.keys() & _PICTURES:
            # Of an animation, the first frame is read.
            chunks.update(dict(reversed([*_riff_chunks(body[16:])])))
        elif name == b"EXIF":
            orientation = exif_orientation(body)
        else:
            chunks.setdefault(name, body)
    lossy, lossless = chunks.get(b"VP8 "), chunks.get(b"VP8L")
    if lossy is not None:
        if len(lossy) < 10 or lossy[3:6] != b"\x9d\x01\x2a":
            raise damaged()
        width, height = (side & 0x3FFF for side in struct.unpack_from("<HH", lossy, 6))
        clean = _riff_chunk(b"VP8 ", lossy)
        if (alpha := chunks.get(b"ALPH")) is not None:
            if not width or not height:
                raise damaged()
            sides = ((side - 1).to_bytes(3, "little") for side in (width, height))
            head = struct.pack("<L", 0x10) + b"".join(sides)
            clean = _riff_chunk(b"VP8X", head) + _riff_chunk(b"ALPH", alpha) + clean
    elif lossless is not None:
        if len(lossless) < 5 or lossless[0] != 0x2F:
            raise damaged()
        bits = int.from_bytes(lossless[1:5], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        clean = _riff_chunk(b"VP8L", lossless)
    else:
        raise damaged()
    decode = _decoder(_riff_chunk(b"RIFF", b"WEBP" + clean))
    return ImageFile("image/webp", (width, height), orientation, decode)


_PICTURES: Final = frozenset({b"VP8 ", b"VP8L"})
"""The chunks that hold a picture: lossy and lossless."""


def _riff_chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(name, content) of each chunk."""
    place = 0
    for _ in range(MAX_SEGMENTS):
        if place + 8 > len(body):
            return
        size = int.from_bytes(body[place + 4 : place + 8], "little")
        if place + 8 + size > len(body):
            refuse_truncated()
        yield body[place : place + 4], body[place + 8 : place + 8 + size]
        place += 8 + size + size % 2
    raise damaged()


def _riff_chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<L", len(body)) + body + b"\0" * (len(body) % 2)


def _decoder(clean: bytes) -> Decode:
    def decode(reduce: int, gray: bool) -> tuple[Array, int, object]:
        # OpenCV, because Pillow holds a WebP four times in memory, at 4 bytes a pixel.
        import cv2
        import numpy as np

        array = cv2.imdecode(np.frombuffer(clean, np.uint8), cv2.IMREAD_UNCHANGED)
        if array is None:
            raise damaged()
        return array.astype(np.uint8, copy=False), reduce, None

    return decode
