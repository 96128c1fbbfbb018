"""Common parts of all file formats: limits, refusals, and the description of a picture."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NoReturn, TypeAlias

from companion.core.words import N_, Sentence
from companion.vision.core import Unreadable

if TYPE_CHECKING:
    # Only for types: a refusal must not wait for these libraries to load.
    import numpy as np
    import numpy.typing as npt
    from PIL import Image

    Array: TypeAlias = npt.NDArray[np.uint8]

MAX_SIDE: Final = 30_000
"""Pixels on a side. `cv2.remap` takes less than 32,767; no camera has more than a third of it."""
MAX_PIXELS: Final = 64_000_000
"""Pixels of a picture. Phones save up to 50 megapixels (8160 × 6120); those with 108 or 200 combine
them."""
MAX_SEGMENTS: Final = 50_000
"""Segments or chunks of a file. PNGs have the most, usually one for each 8 kB."""


def check_pixels(width: int, height: int) -> None:
    """Raises `Unreadable` for more than `MAX_PIXELS`, or a side of more than `MAX_SIDE`."""
    if max(width, height) > MAX_SIDE:
        text = N_("The picture has %(width)s × %(height)s pixels; %(most)s on a side are the most.")
        refuse("too-many-pixels", text, {"width": width, "height": height, "most": MAX_SIDE})
    if width * height > MAX_PIXELS:
        text = N_("The picture has %(width)s × %(height)s pixels; %(most)s million are the most.")
        values = {"width": width, "height": height, "most": MAX_PIXELS // 1_000_000}
        refuse("too-many-pixels", text, values)


def refuse(code: str, text: str, values: Mapping[str, object] | None = None) -> NoReturn:
    """Raises `Unreadable` with this code and sentence."""
    raise Unreadable(code, Sentence(text, values or {}))


def refuse_truncated() -> NoReturn:
    """Raises `Unreadable` for a file that ends too early."""
    refuse("truncated", N_("The picture breaks off: the end of the file is missing."))


def damaged() -> Unreadable:
    """The error for a file that does not follow its format; to be raised."""
    return Unreadable("damaged", Sentence(N_("The picture is damaged and cannot be opened.")))


Decode: TypeAlias = "Callable[[int, bool], tuple[Image.Image | Array, int, object]]"
"""(reduction, gray) → (picture as stored, reduction still to be done, owner of its memory).

The owner must be kept alive as long as the picture is used. An array is gray or BGR, either one
perhaps with alpha.
"""


@dataclass(frozen=True)
class ImageFile:
    """The first picture of a file, not decoded yet."""

    mime: str
    """The media type, such as `image/jpeg`."""
    size: tuple[int, int]
    """Width and height as stored, not yet upright."""
    orientation: int
    """EXIF orientation, 1 to 8; 1 if the file says nothing valid."""
    decode: Decode
    """Decodes the picture; raises whatever its library raises."""
    reduces: bool = False
    """Whether `decode` itself reduces, at almost no cost."""


def exif_orientation(exif: bytes) -> int:
    """The orientation in an EXIF block, with or without its "Exif" prefix; 1 if it is not valid."""
    exif = exif.removeprefix(b"Exif\0\0")
    order = {b"II": "<", b"MM": ">"}.get(exif[:2])
    if order is None:
        return 1
    try:
        (start,) = struct.unpack_from(order + "L", exif, 4)
        (count,) = struct.unpack_from(order + "H", exif, start)
        for place in range(start + 2, start + 2 + 12 * min(count, 1000), 12):
            tag, kind, _, value = struct.unpack_from(order + "HHLH", exif, place)
            if tag == 0x0112 and kind == 3:
                return int(value) if 1 <= value <= 8 else 1
    except struct.error:
        pass
    return 1
