"""PNG: keeps the chunks of the picture, and nothing of the metadata."""

from __future__ import annotations

import io
import struct
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

SIGNATURE: Final = b"\x89PNG\r\n\x1a\n"


def read_png(data: bytes) -> ImageFile:
    """Describes a PNG and keeps only the chunks that the picture needs.

    Raises:
        Unreadable: `truncated` or `damaged`.
    """
    if data[12:16] != b"IHDR" or data[8:12] != b"\0\0\0\x0d":
        raise damaged()
    if len(data) < 33:
        refuse_truncated()
    width, height, depth = struct.unpack_from(">LLB", data, 16)
    needed = {b"IHDR", b"PLTE", b"IDAT", b"IEND"}
    if depth <= 8:
        # Pillow converts 16 bits to 8; then a transparent colour of 16 bits has no meaning.
        needed.add(b"tRNS")
    parts, orientation, place = [SIGNATURE], 1, 8
    for _ in range(MAX_SEGMENTS):
        if place + 12 > len(data):
            refuse_truncated()
        kind = data[place + 4 : place + 8]
        end = place + 12 + int.from_bytes(data[place : place + 4])
        if end > len(data):
            refuse_truncated()
        if kind in needed:
            parts.append(data[place:end])
        elif kind == b"eXIf":
            orientation = exif_orientation(data[place + 8 : end - 4])
        if kind == b"IEND":
            return ImageFile("image/png", (width, height), orientation, _decoder(b"".join(parts)))
        place = end
    raise damaged()


def _decoder(clean: bytes) -> Decode:
    def decode(reduce: int, gray: bool) -> tuple[Image.Image, int, object]:
        from PIL.PngImagePlugin import PngImageFile

        image = PngImageFile(io.BytesIO(clean))
        image.load()
        return image, reduce, None

    return decode
