"""Finds out what a file is, and how large and which way up its first picture, before it is decoded.

JPEGs are walked here, segment by segment: Pillow spends minutes on one of many small EXIF segments,
and OpenCV, which decodes them, says nothing of one that breaks off. Pillow opens all others.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Mapping
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

# Pixels on a side. `cv2.remap` takes less than 32,767; no camera has more than a third of it.
MAX_SIDE: Final = 30_000
# Pixels of a picture. Phones save up to 50 megapixels (8160 × 6120); those with 108 or 200 combine
# them.
MAX_PIXELS: Final = 64_000_000
MAX_SEGMENTS: Final = 50_000  # Segments of a JPEG; a profile of many megabytes has hundreds


@dataclass(frozen=True)
class ImageFile:
    """The first picture of a file, not decoded yet."""

    size: tuple[int, int]  # width and height as stored, not yet upright
    orientation: int  # EXIF orientation, 1 to 8; 1 if the file says nothing valid
    source: bytes | Image.Image  # a whole JPEG, or the picture as Pillow has it


def inspect(data: bytes) -> ImageFile:
    """Finds out a file's format from its first bytes and describes its first picture.

    Raises:
        Unreadable: `wrong-format`, `not-an-image`, `truncated`, `damaged` or `too-many-pixels`.
    """
    if data[:3] == b"\xff\xd8\xff":
        return _jpeg(data)
    brand = _brand(data)
    is_webp = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    if is_webp or data[:8] == b"\x89PNG\r\n\x1a\n" or brand in _HEIC_BRANDS:
        return _opened(data)
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    for name, signs in _OTHERS.items():
        if start.startswith(signs) or brand in signs:
            text = N_(
                "This is a file of type %(format)s."
                " Photos can be JPEG, PNG, WebP, HEIC or PDF files."
            )
            refuse("wrong-format", text, {"format": name})
    text = N_("This is not a picture. Photos can be JPEG, PNG, WebP, HEIC or PDF files.")
    raise Unreadable("not-an-image", Sentence(text))


def _require_few_pixels(width: int, height: int) -> None:
    if max(width, height) > MAX_SIDE:
        text = N_(
            "The picture has %(width)s × %(height)s pixels; each side can have at most %(most)s."
        )
        refuse("too-many-pixels", text, {"width": width, "height": height, "most": MAX_SIDE})
    if width * height > MAX_PIXELS:
        text = N_(
            "The picture has %(width)s × %(height)s pixels; it can have at most %(most)s million."
        )
        values = {"width": width, "height": height, "most": MAX_PIXELS // 1_000_000}
        refuse("too-many-pixels", text, values)


def refuse(code: str, text: str, values: Mapping[str, object] | None = None) -> NoReturn:
    """Raises `Unreadable` with this code and sentence."""
    raise Unreadable(code, Sentence(text, values or {}))


def damaged() -> Unreadable:
    """The error for a file that does not follow its format; to be raised."""
    return Unreadable("damaged", Sentence("The picture is damaged and cannot be opened."))


# A JPEG marker and the length that follows it; fill bytes and markers without one are skipped. It
# never goes back, so that megabytes of fill bytes cost milliseconds.
_SEGMENT: Final = re.compile(
    rb"(?:[^\xff]*+\xff++[\0\1\xd0-\xd8])*+[^\xff]*+\xff++([\x02-\xcf\xd9-\xfe])(..)", re.DOTALL
)
_FRAMES: Final = frozenset(bytes([marker]) for marker in {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})


def _jpeg(data: bytes) -> ImageFile:
    size, orientation, place = None, None, 2
    for _ in range(MAX_SEGMENTS):
        segment = _SEGMENT.match(data, place)
        if segment is None:
            break
        start, place = segment.end(), segment.start(2) + int.from_bytes(segment[2])
        body = data[start:place]
        if segment[1] in _FRAMES:
            if size is not None or len(body) < 5:
                raise damaged()
            height, width = struct.unpack_from(">xHH", body)
            size = (width, height)
            _require_few_pixels(*size)
        elif segment[1] == b"\xe1" and orientation is None and body[:4] == b"Exif":
            orientation = _orientation(body)
        elif segment[1] == b"\xda":
            if data.rfind(b"\xff\xd9", place) < 0:
                break
            if size is None:
                raise damaged()
            return ImageFile(size, orientation or 1, data)
        if place < start or segment[1] == b"\xd9":
            raise damaged()
    refuse("truncated", N_("The picture breaks off: the end of the file is missing."))


def _orientation(exif: bytes) -> int:
    """The orientation in an EXIF block; 1 if it is not valid."""
    from PIL import Image

    block = Image.Exif()
    try:
        block.load(exif)
        return int(block.get(0x0112, 1))
    except Exception:
        # It raises all kinds of errors, and the picture may be fine.
        return 1


def _opened(data: bytes) -> ImageFile:
    import pillow_heif
    from PIL import Image

    pillow_heif.register_heif_opener()
    Image.MAX_IMAGE_PIXELS = None  # `_require_few_pixels` has the limit
    try:
        image = Image.open(io.BytesIO(data), formats=("PNG", "WEBP", "HEIF"))
    except Exception as error:
        raise damaged() from error
    _require_few_pixels(*image.size)
    return ImageFile(image.size, _orientation(image.info.get("exif", b"")), image)


# The major brands of HEIC files
_HEIC_BRANDS: Final = frozenset(
    {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
)


def _brand(data: bytes) -> bytes:
    """The major brand of a HEIF file, or `b""`; AVIF may use the family's brand."""
    if data[4:8] != b"ftyp":
        return b""
    is_avif = data[8:12] in (b"mif1", b"msf1") and b"avif" in data[12:64]
    return b"avif" if is_avif else data[8:12]


# Format → first bytes in lower case, or brand; only used in the refusal
_OTHERS: Final[Mapping[str, tuple[bytes, ...]]] = {
    "GIF": (b"gif87a", b"gif89a"),
    "TIFF": (b"ii*\0", b"mm\0*", b"ii+\0", b"mm\0+"),
    "BMP": (b"bm",),
    "SVG": (b"<svg",),
    "XML": (b"<?xml",),
    "HTML": (b"<!doctype html", b"<html"),
    "PSD": (b"8bps",),
    "JPEG 2000": (b"\0\0\0\x0cjp", b"\xff\x4f\xff\x51"),
    "JPEG XL": (b"\xff\x0a", b"\0\0\0\x0cjxl"),
    "AVIF": (b"avif", b"avis"),
    "ZIP": (b"pk\x03\x04",),
}
