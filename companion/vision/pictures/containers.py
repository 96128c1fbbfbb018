"""Finds out what a file is and cuts it down to its first picture, before any decoder sees it.

A decoder gets a copy without EXIF, location, profiles, texts and previews. Pillow's own limits are
not enough: it spends minutes on a JPEG of many small EXIF segments, and refuses a PNG for a bomb in
a text that nobody needs to unpack. Nothing here decodes pixels, and no library is loaded for a
refusal.
"""

from __future__ import annotations

import io
import re
import struct
from collections.abc import Callable, Iterator, Mapping
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
MAX_BLOCKS: Final = 50_000
"""Blocks of a file. PNGs have the most, usually one for each 8 kB."""
MAX_SCANS: Final = 64
"""Scans of a progressive JPEG, which is decoded once for each of them. Ten are usual."""

Decode: TypeAlias = "Callable[[int, bool], Image.Image | Array]"
"""(reduction, whether gray is enough) → the picture as stored; raises whatever its library raises.

An array is gray or BGR.
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
    reduces: bool = False
    """Whether `decode` itself reduces, at almost no cost, and returns an array.

    Otherwise it ignores its arguments.
    """


def inspect(data: bytes) -> ImageFile:
    """Finds out a file's format from its first bytes and describes its first picture.

    Raises:
        Unreadable: `wrong-format`, `not-an-image`, `truncated`, `damaged` or `too-many-pixels`.
    """
    if data[:3] == b"\xff\xd8\xff":
        return _jpeg(data)
    if data[:8] == _PNG:
        return _png(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp(data)
    brand = _brand(data)
    if brand in _HEIC_BRANDS:
        return _heic(data)
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    for name, signs in _OTHERS.items():
        if start.startswith(signs) or brand in signs:
            text = N_(
                "This is a file of type %(format)s."
                " Photos can be JPEG, PNG, WebP, HEIC or PDF files."
            )
            refuse("wrong-format", text, {"format": name})
    text = N_("This is no picture. Photos can be JPEG, PNG, WebP, HEIC or PDF files.")
    raise Unreadable("not-an-image", Sentence(text))


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


def image_of(array: Array) -> Image.Image:
    """A picture of OpenCV's (gray, BGR or BGRA) as Pillow's."""
    from PIL import Image

    height, width, *channels = array.shape
    mode, raw = {(): ("L", "L"), (3,): ("RGB", "BGR"), (4,): ("RGBA", "BGRA")}[tuple(channels)]
    return Image.frombuffer(mode, (width, height), array, "raw", raw, 0, 1)


def damaged() -> Unreadable:
    """The error for a file that does not follow its format; to be raised."""
    return Unreadable("damaged", Sentence("The picture is damaged and cannot be opened."))


def _refuse_truncated() -> NoReturn:
    refuse("truncated", N_("The picture breaks off: the end of the file is missing."))


# All four formats are rows of blocks that say their kind and length.

Head: TypeAlias = Callable[[bytes, int], tuple[bytes, int, int] | None]
"""(file, place) → (kind, start, end) of the block there; None where no block follows."""


def _blocks(data: bytes, place: int, head: Head) -> Iterator[tuple[bytes, int, int]]:
    """(kind, start, end) of each block from a place on; refuses a file that ends within one."""
    for _ in range(MAX_BLOCKS):
        block = head(data, place) if place + 8 <= len(data) else None
        if block is None:
            return
        _, start, place = block
        if place < start + 4:
            raise damaged()
        if place > len(data):
            _refuse_truncated()
        yield block
    raise damaged()


def _orientation(exif: bytes) -> int:
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


_SEGMENT: Final = re.compile(
    rb"(?:[^\xff]*+\xff++[\0\1\xd0-\xd8])*+[^\xff]*+\xff++([\x02-\xcf\xd9-\xfe])(..)", re.DOTALL
)
"""A JPEG marker and the length that follows it; fill bytes and markers without one are skipped.

It never goes back, so that megabytes of fill bytes cost milliseconds."""
_ENDING: Final = re.compile(rb"\xff\xd9")
"""The end of the picture; a regular expression takes a third of the time of `bytes.find`."""
_FRAMES: Final = frozenset(bytes([marker]) for marker in {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_TABLES: Final = frozenset({b"\xc4", b"\xcc", b"\xdb", b"\xdd", b"\xe0", b"\xee"})
"""Segments that are kept: tables, JFIF, and Adobe's colour transform."""


def _jpeg_head(data: bytes, place: int) -> tuple[bytes, int, int] | None:
    segment = _SEGMENT.match(data, place)
    if segment is None:
        return None
    start = segment.start(1) - 1
    return segment[1], start, start + 2 + int.from_bytes(segment[2])


def _jpeg(data: bytes) -> ImageFile:
    parts, size, orientation = [b"\xff\xd8"], None, None
    for kind, start, end in _blocks(data, 2, _jpeg_head):
        if kind in _FRAMES:
            if size is not None or end - start < 10:
                raise damaged()
            height, width = struct.unpack_from(">HH", data, start + 5)
            size = (width, height)
        elif kind == b"\xe1" and orientation is None and data[start + 4 : start + 8] == b"Exif":
            orientation = _orientation(data[start + 4 : end])
        if kind in _TABLES or kind in _FRAMES:
            parts.append(data[start:end])
        elif kind == b"\xd9":
            raise damaged()
        elif kind == b"\xda":
            # Entropy-coded data contains neither marker.
            ending = _ENDING.search(data, end)
            if ending is None:
                _refuse_truncated()
            if size is None or data.count(b"\xff\xda", end, ending.start()) >= MAX_SCANS:
                raise damaged()
            clean = b"".join([*parts, data[start : ending.end()]])
            return ImageFile("image/jpeg", size, orientation or 1, _jpeg_decoder(clean), True)
    _refuse_truncated()


def _jpeg_decoder(clean: bytes) -> Decode:
    def decode(reduce: int, gray: bool) -> Array:
        # OpenCV, because Pillow needs a third more time to hand over colours.
        import cv2
        import numpy as np

        kind = "GRAYSCALE" if gray else "COLOR"
        how = f"IMREAD_{kind}" if reduce == 1 else f"IMREAD_REDUCED_{kind}_{reduce}"
        flags = getattr(cv2, how) | cv2.IMREAD_IGNORE_ORIENTATION
        pixels = cv2.imdecode(np.frombuffer(clean, np.uint8), flags)
        if pixels is None:
            raise damaged()
        return np.asarray(pixels, np.uint8)

    return decode


_PNG: Final = b"\x89PNG\r\n\x1a\n"


def _png_head(data: bytes, place: int) -> tuple[bytes, int, int]:
    length, kind = struct.unpack_from(">L4s", data, place)
    return kind, place, place + 12 + length


def _png(data: bytes) -> ImageFile:
    if data[8:16] != b"\0\0\0\x0dIHDR":
        raise damaged()
    if len(data) < 33:
        _refuse_truncated()
    width, height, depth = struct.unpack_from(">LLB", data, 16)
    needed = {b"IHDR", b"PLTE", b"IDAT", b"IEND"}
    if depth <= 8:
        # Pillow converts 16 bits to 8; then a transparent colour of 16 bits has no meaning.
        needed.add(b"tRNS")
    parts, orientation = [_PNG], 1
    for kind, start, end in _blocks(data, 8, _png_head):
        if kind in needed:
            parts.append(data[start:end])
        elif kind == b"eXIf":
            orientation = _orientation(data[start + 8 : end - 4])
        if kind == b"IEND":
            decode = _png_decoder(b"".join(parts))
            return ImageFile("image/png", (width, height), orientation, decode)
    _refuse_truncated()


def _png_decoder(clean: bytes) -> Decode:
    def decode(reduce: int, gray: bool) -> Image.Image:
        from PIL.PngImagePlugin import PngImageFile

        image = PngImageFile(io.BytesIO(clean))
        image.load()
        return image

    return decode


def _riff_head(data: bytes, place: int) -> tuple[bytes, int, int] | None:
    place += place % 2
    if place + 8 > len(data):
        return None
    kind, length = struct.unpack_from("<4sL", data, place)
    return kind, place, place + 8 + length


def _webp(data: bytes) -> ImageFile:
    end = 8 + int.from_bytes(data[4:8], "little")
    if end > len(data) + 1:  # some writers count a padding byte that they do not write
        _refuse_truncated()
    data = data[:end]
    chunks: dict[bytes, bytes] = {}
    orientation = 1
    for kind, start, end in _blocks(data, 12, _riff_head):
        if kind == b"ANMF" and not chunks.keys() & {b"VP8 ", b"VP8L"}:
            # Of an animation, the first frame is read.
            frame = [*_blocks(data[:end], start + 24, _riff_head)]
            chunks.update({name: data[first + 8 : last] for name, first, last in reversed(frame)})
        elif kind == b"EXIF":
            orientation = _orientation(data[start + 8 : end])
        else:
            chunks.setdefault(kind, data[start + 8 : end])
    if (lossy := chunks.get(b"VP8 ")) is not None:
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
    elif (lossless := chunks.get(b"VP8L")) is not None:
        if len(lossless) < 5 or lossless[0] != 0x2F:
            raise damaged()
        bits = int.from_bytes(lossless[1:5], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        clean = _riff_chunk(b"VP8L", lossless)
    else:
        raise damaged()
    decode = _webp_decoder(_riff_chunk(b"RIFF", b"WEBP" + clean))
    return ImageFile("image/webp", (width, height), orientation, decode)


def _riff_chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<L", len(body)) + body + b"\0" * (len(body) % 2)


def _webp_decoder(clean: bytes) -> Decode:
    def decode(reduce: int, gray: bool) -> Image.Image:
        # OpenCV, because Pillow holds a WebP four times in memory, at 4 bytes a pixel.
        import cv2
        import numpy as np

        array = cv2.imdecode(np.frombuffer(clean, np.uint8), cv2.IMREAD_UNCHANGED)
        if array is None:
            raise damaged()
        return image_of(array.astype(np.uint8, copy=False))

    return decode


_HEIC_BRANDS: Final = frozenset(
    {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
)
"""The major brands of HEIC files."""
_CODED_SIZE: Final = re.compile(rb"\0\0\0\x14ispe\0\0\0\0(.{8})", re.DOTALL)
"""The size of a coded picture (`ispe`). The file's own size can be a small part of it, and libheif
decodes no larger picture than this."""


def _brand(data: bytes) -> bytes:
    """The major brand of a HEIF file, or `b""`; AVIF may use the family's brand."""
    if data[4:8] != b"ftyp":
        return b""
    is_avif = data[8:12] in (b"mif1", b"msf1") and b"avif" in data[12:64]
    return b"avif" if is_avif else data[8:12]


def _heic_head(data: bytes, place: int) -> tuple[bytes, int, int]:
    length, kind = struct.unpack_from(">L4s", data, place)
    long = int.from_bytes(data[place + 8 : place + 16])
    return kind, place, place + {0: len(data) - place, 1: long}.get(length, length)


def _heic(data: bytes) -> ImageFile:
    for kind, start, end in _blocks(data, 0, _heic_head):
        if kind == b"meta":
            for match in _CODED_SIZE.finditer(data, start, end):
                check_pixels(*struct.unpack(">LL", match[1]))
    import pillow_heif

    try:
        width, height = pillow_heif.open_heif(data).size
    except Exception as error:
        raise damaged() from error

    def decode(reduce: int, gray: bool) -> Image.Image:
        return pillow_heif.open_heif(data, convert_hdr_to_8bit=True).to_pillow()

    # libheif has already applied the rotation of the file, so that EXIF's must be ignored.
    return ImageFile("image/heic", (width, height), 1, decode)


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
"""Format → first bytes in lower case, or brand; only used in the refusal."""
