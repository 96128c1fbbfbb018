"""What a file is, read from its own structure in Python before any decoder sees it.

A decoder then gets a copy with nothing but the parts that make up the first picture: no EXIF,
place, profile, text or preview survives, and a bomb in one of those is never opened.
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
    # Loaded when a picture is decoded, so that a refusal costs next to nothing.
    import numpy as np
    import numpy.typing as npt
    from PIL import Image

    Array: TypeAlias = npt.NDArray[np.uint8]

MAX_SIDE: Final = 30_000
"""Pixels. OpenCV's `remap` takes less than 32,767; no camera has more than a third of it."""
MAX_PIXELS: Final = 64_000_000
"""Of a picture. Phones make up to 50 megapixels (8160 × 6120); those of 108 or 200 join them."""
MAX_SEGMENTS: Final = 50_000
"""Of a file. PNGs have the most: one for each 8 kB as a rule."""
MAX_SCANS: Final = 64
"""Of a progressive JPEG, which is decoded once for each. Ten are usual."""


def check_pixels(width: int, height: int) -> None:
    """Refuses a picture of more than `MAX_PIXELS`, or with a side of more than `MAX_SIDE`."""
    if max(width, height) > MAX_SIDE:
        text = N_("The picture has %(width)s × %(height)s pixels; %(most)s on a side are the most.")
        refuse("too-many-pixels", text, {"width": width, "height": height, "most": MAX_SIDE})
    if width * height > MAX_PIXELS:
        text = N_("The picture has %(width)s × %(height)s pixels; %(most)s million are the most.")
        values = {"width": width, "height": height, "most": MAX_PIXELS // 1_000_000}
        refuse("too-many-pixels", text, values)


def refuse(code: str, text: str, values: Mapping[str, object] | None = None) -> NoReturn:
    raise Unreadable(code, Sentence(text, values or {}))


def truncated() -> NoReturn:
    refuse("truncated", N_("The picture breaks off: the end of the file is missing."))


def damaged() -> Unreadable:
    return Unreadable("damaged", Sentence(N_("The picture is damaged and cannot be opened.")))


Decode: TypeAlias = "Callable[[int, bool], tuple[Image.Image | Array, int, object]]"
"""(reduce, gray) → the picture as it is stored, by how much it has still to be reduced, and what
owns its memory: to be held as long as the picture is looked at.
An array is gray, or blue, green and red; either perhaps with alpha."""


@dataclass(frozen=True)
class Found:
    """A picture in a file."""

    mime: str
    size: tuple[int, int]
    """As it is stored, not yet upright."""
    orientation: int
    """As in EXIF: 1 to 8. Whatever else is 1."""
    decode: Decode
    reduces: bool = False
    """Whether `decode` itself reduces, at next to no cost."""


def look(data: bytes) -> Found:
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
                "This is a file of type %(format)s. Photos can be JPEG, PNG, WebP or HEIC files."
            )
            refuse("wrong-format", text, {"format": name})
    refuse("not-an-image", N_("This is no picture. Photos can be JPEG, PNG, WebP or HEIC files."))


def _brand(data: bytes) -> bytes:
    """What kind of HEIF file it is; AVIF may call itself by the family's name."""
    if data[4:8] != b"ftyp":
        return b""
    is_avif = data[8:12] in (b"mif1", b"msf1") and b"avif" in data[12:64]
    return b"avif" if is_avif else data[8:12]


_OTHERS: Final[Mapping[str, tuple[bytes, ...]]] = {
    "GIF": (b"gif87a", b"gif89a"),
    "TIFF": (b"ii*\0", b"mm\0*", b"ii+\0", b"mm\0+"),
    "BMP": (b"bm",),
    "PDF": (b"%pdf-",),
    "SVG": (b"<svg",),
    "XML": (b"<?xml",),
    "HTML": (b"<!doctype html", b"<html"),
    "PSD": (b"8bps",),
    "JPEG 2000": (b"\0\0\0\x0cjp", b"\xff\x4f\xff\x51"),
    "JPEG XL": (b"\xff\x0a", b"\0\0\0\x0cjxl"),
    "AVIF": (b"avif", b"avis"),
    "ZIP": (b"pk\x03\x04",),
}
"""What a file begins with, in lower case, or its brand; only to say it in the refusal."""


def _orientation(exif: bytes) -> int:
    """From an EXIF block, with or without its "Exif" before it; 1 when anything is odd."""
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


# JPEG

_SCAN: Final = 0xDA
_FRAMES: Final = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
_ENDING: Final = re.compile(rb"\xff\xd9")
"""Found in a third of the time that `bytes.find` takes."""
_SEQUENTIAL: Final = frozenset({0xC0, 0xC1})
_NEEDED: Final = frozenset({0xC4, 0xCC, 0xDB, 0xDD, 0xE0, 0xEE})
"""Tables, JFIF and Adobe's word on the colours. All others, from EXIF to a second picture, go."""


def _jpeg(data: bytes) -> Found:
    parts, size, orientation = [b"\xff\xd8"], None, None
    is_progressive, colors = False, 0
    for place, marker, end in _jpeg_segments(data):
        if marker in _FRAMES:
            if size is not None or end - place < 10:
                raise damaged()
            height, width = struct.unpack_from(">HH", data, place + 5)
            size = (width, height)
            is_progressive, colors = marker not in _SEQUENTIAL, data[place + 9]
        elif marker == 0xE1 and orientation is None and data[place + 4 : place + 10] == b"Exif\0\0":
            orientation = _orientation(data[place + 4 : end])
        if marker in _NEEDED or marker in _FRAMES:
            parts.append(data[place:end])
        elif marker == _SCAN:
            # Between here and the end this pair of bytes is in no picture's data.
            ending = _ENDING.search(data, end)
            if ending is None:
                truncated()
            last = ending.start()
            # One scan with all the colours (their number follows its length) is the whole picture.
            is_whole = not is_progressive and data[place + 4] == colors
            if size is None or (not is_whole and data.count(b"\xff\xda", end, last) >= MAX_SCANS):
                raise damaged()
            parts.append(data[place : last + 2])
            clean = b"".join(parts)
            return Found("image/jpeg", size, orientation or 1, _jpeg_decoder(clean), reduces=True)
    raise damaged()


def _jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Where each begins, its marker and where it ends, up to the first scan."""
    place = 2
    for _ in range(MAX_SEGMENTS):
        place = data.find(b"\xff", place)
        if place < 0:
            truncated()
        while data[place + 1 : place + 2] == b"\xff":
            place += 1
        if place + 4 > len(data):
            truncated()
        marker = data[place + 1]
        if marker in (0x00, 0x01) or 0xD0 <= marker <= 0xD8:
            place += 2
            continue
        end = place + 2 + int.from_bytes(data[place + 2 : place + 4])
        if marker == 0xD9 or end < place + 4:
            raise damaged()
        if end > len(data):
            truncated()
        yield place, marker, end
        place = end
    raise damaged()


def _jpeg_decoder(clean: bytes) -> Decode:
    def decode(reduce: int, gray: bool) -> tuple[Image.Image, int, object]:
        from PIL.JpegImagePlugin import JpegImageFile

        image = JpegImageFile(io.BytesIO(clean))
        width, height = image.size
        # Decoded small, and for gray without the colours, by libjpeg itself.
        image.draft("L" if gray else None, (max(width // reduce, 1), max(height // reduce, 1)))
        image.load()
        return image, 1, None

    return decode


# PNG

_PNG: Final = b"\x89PNG\r\n\x1a\n"


def _png(data: bytes) -> Found:
    if data[12:16] != b"IHDR" or data[8:12] != b"\0\0\0\x0d":
        raise damaged()
    if len(data) < 33:
        truncated()
    width, height, depth = struct.unpack_from(">LLB", data, 16)
    needed = {b"IHDR", b"PLTE", b"IDAT", b"IEND"}
    if depth <= 8:
        # Pillow gives 16 bits as 8, where a transparent colour of 16 bits has no meaning.
        needed.add(b"tRNS")
    parts, orientation, place = [_PNG], 1, 8
    for _ in range(MAX_SEGMENTS):
        if place + 12 > len(data):
            truncated()
        kind = data[place + 4 : place + 8]
        end = place + 12 + int.from_bytes(data[place : place + 4])
        if end > len(data):
            truncated()
        if kind in needed:
            parts.append(data[place:end])
        elif kind == b"eXIf":
            orientation = _orientation(data[place + 8 : end - 4])
        if kind == b"IEND":
            return Found("image/png", (width, height), orientation, _png_decoder(b"".join(parts)))
        place = end
    raise damaged()


def _png_decoder(clean: bytes) -> Decode:
    def decode(reduce: int, gray: bool) -> tuple[Image.Image, int, object]:
        from PIL.PngImagePlugin import PngImageFile

        image = PngImageFile(io.BytesIO(clean))
        image.load()
        return image, reduce, None

    return decode


# WebP


def _webp(data: bytes) -> Found:
    end = 8 + int.from_bytes(data[4:8], "little")
    if end > len(data) + 1:  # some writers count a padding byte that they do not write
        truncated()
    chunks: dict[bytes, bytes] = {}
    orientation = 1
    for name, body in _riff_chunks(data[12:end]):
        if name == b"ANMF" and not chunks.keys() & _WEBP_PICTURES:
            # A moving picture is read by its first frame.
            chunks.update(dict(reversed([*_riff_chunks(body[16:])])))
        elif name == b"EXIF":
            orientation = _orientation(body)
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
    decode = _webp_decoder(_riff_chunk(b"RIFF", b"WEBP" + clean))
    return Found("image/webp", (width, height), orientation, decode)


_WEBP_PICTURES: Final = frozenset({b"VP8 ", b"VP8L"})


def _riff_chunks(body: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = 0
    for _ in range(MAX_SEGMENTS):
        if place + 8 > len(body):
            return
        size = int.from_bytes(body[place + 4 : place + 8], "little")
        if place + 8 + size > len(body):
            truncated()
        yield body[place : place + 4], body[place + 8 : place + 8 + size]
        place += 8 + size + size % 2
    raise damaged()


def _riff_chunk(name: bytes, body: bytes) -> bytes:
    return name + struct.pack("<L", len(body)) + body + b"\0" * (len(body) % 2)


def _webp_decoder(clean: bytes) -> Decode:
    def decode(reduce: int, gray: bool) -> tuple[Array, int, object]:
        # Pillow holds a WebP four times over, at 4 bytes a pixel.
        import cv2
        import numpy as np

        array = cv2.imdecode(np.frombuffer(clean, np.uint8), cv2.IMREAD_UNCHANGED)
        if array is None:
            raise damaged()
        return array.astype(np.uint8, copy=False), reduce, None

    return decode


# HEIC

_HEIC_BRANDS: Final = frozenset(
    {b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"hevm", b"hevs", b"mif1", b"msf1"}
)

_HEIC_SIZE: Final = re.compile(rb"\0\0\0\x14ispe\0\0\0\0(.{8})", re.DOTALL)
"""A coded picture's size. The file's own can be a small piece of that; libheif decodes no larger
picture than it says here."""


def _heic(data: bytes) -> Found:
    place = 0
    for _ in range(MAX_SEGMENTS):
        if place == len(data):
            break
        size, wide = (int.from_bytes(data[place + at : place + to]) for at, to in ((0, 4), (8, 16)))
        size = {0: len(data) - place, 1: wide}.get(size, size)
        if size < 8:
            raise damaged()
        if place + size > len(data):
            truncated()
        if data[place + 4 : place + 8] == b"meta":
            for match in _HEIC_SIZE.finditer(data, place, place + size):
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
        # Its rows may be filled up. The array is a view that keeps nothing alive.
        return array[:, : file.size[0]], reduce, file

    # libheif itself turns the picture as the file says; what EXIF says beside that is not for us.
    return Found("image/heic", (width, height), 1, decode)
