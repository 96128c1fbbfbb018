"""HEIC: checks the file before libheif sees it."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING, Final, TypeAlias

from companion.vision.containers.base import (
    MAX_SEGMENTS,
    ImageFile,
    check_pixels,
    damaged,
    refuse_truncated,
)

if TYPE_CHECKING:
    # Only for types: a refusal must not wait for these libraries to load.
    import numpy as np
    import numpy.typing as npt

    Array: TypeAlias = npt.NDArray[np.uint8]

BRANDS: Final = frozenset(
    {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
)
"""The major brands of HEIC files."""

_CODED_SIZE: Final = re.compile(rb"\0\0\0\x14ispe\0\0\0\0(.{8})", re.DOTALL)
"""The size of a coded picture (`ispe`). The file's own size can be a small part of it, and libheif
decodes no larger picture than this."""


def read_heic(data: bytes) -> ImageFile:
    """Describes a HEIC file, after checking its boxes and the size of its coded pictures.

    Raises:
        Unreadable: `truncated`, `damaged` or `too-many-pixels`.
    """
    place = 0
    for _ in range(MAX_SEGMENTS):
        if place == len(data):
            break
        size, wide = (int.from_bytes(data[place + at : place + to]) for at, to in ((0, 4), (8, 16)))
        size = {0: len(data) - place, 1: wide}.get(size, size)
        if size < 8:
            raise damaged()
        if place + size > len(data):
            refuse_truncated()
        if data[place + 4 : place + 8] == b"meta":
            for match in _CODED_SIZE.finditer(data, place, place + size):
                check_pixels(*struct.unpack(">LL", match[1]))
        place += size
    import pillow_heif

    try:
        file = pillow_heif.open_heif(data, convert_hdr_to_8bit=True, bgr_mode=True)
        width, height = file.size
    except Exception as error:
        raise damaged() from error

    def decode(reduce: int, gray: bool) -> tuple[Array, int, object]:
        import numpy as np

        file = pillow_heif.open_heif(data, convert_hdr_to_8bit=True, bgr_mode=True)
        array = np.asarray(file[file.primary_index])
        # Rows may be padded. The array is a view that does not keep its memory alive.
        return array[:, : file.size[0]], reduce, file

    # libheif has already applied the rotation of the file, so that EXIF's must be ignored.
    return ImageFile("image/heic", (width, height), 1, decode)
