"""A kit that makes picture files: small good ones, bad ones of every kind, and seeded mutations.

`python -m lab.photos.bad_pictures 2000` opens that many mutations and counts what happens.
"""

from __future__ import annotations

import io
import random
import struct
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt
import pillow_heif
from PIL import Image

from companion.vision.core import MAX_PHOTO_BYTES, Unreadable
from companion.vision.pictures.picture import open_picture

Array: TypeAlias = npt.NDArray[np.uint8]

FORMATS: Final = ("JPEG", "PNG", "WEBP", "HEIC")
PNG_HEAD: Final = b"\x89PNG\r\n\x1a\n"


def scene(width: int = 203, height: int = 151) -> Array:
    """A smooth picture whose four corners differ, of shape (height, width, 3): red, green, blue."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    red, green = 255 * x / (width - 1), 255 * y / (height - 1)
    return np.stack([red, green, 255 - (red + green) / 2], axis=-1).round().astype(np.uint8)


def encoded(kind: str, picture: Array | Image.Image, **options: Any) -> bytes:
    """A file of one of `FORMATS`, or of another format of Pillow's."""
    image = picture if isinstance(picture, Image.Image) else Image.fromarray(picture)
    raw = io.BytesIO()
    if kind == "HEIC":
        # Which turns nothing, but writes the orientation where HEIC has it: outside of EXIF.
        pillow_heif.register_heif_opener()
        kind, options = "HEIF", {"quality": 95} | options
    image.save(raw, kind, **options)
    return raw.getvalue()


@cache
def good(kind: str) -> bytes:
    """A small file; two tests share it."""
    options: dict[str, Any] = {"JPEG": {"quality": 95, "subsampling": 0}, "WEBP": {"quality": 95}}
    return encoded(kind, scene(), **options.get(kind, {}))


def exif(orientation: int, order: str = "<") -> bytes:
    """An EXIF block with an orientation and a place, as a phone writes it."""
    head = (b"II" if order == "<" else b"MM") + struct.pack(order + "HL", 42, 8)
    entries = struct.pack(order + "HHHLHH", 2, 0x0112, 3, 1, orientation, 0)
    entries += struct.pack(order + "HHLL", 0x010F, 2, 4, 0) + struct.pack(order + "L", 0)
    return b"Exif\0\0" + head + entries + b"GPS 48.137 11.575"


def png_chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">L", len(body)) + kind + body + struct.pack(">L", zlib.crc32(kind + body))


def png(width: int, height: int, depth: int, color: int, packed: bytes, *before: bytes) -> bytes:
    """A PNG by hand; `before` are chunks before the pixels."""
    head = png_chunk(b"IHDR", struct.pack(">LLBBBBB", width, height, depth, color, 0, 0, 0))
    pixels = png_chunk(b"IDAT", packed)
    return PNG_HEAD + head + b"".join(before) + pixels + png_chunk(b"IEND", b"")


def with_png_chunks(data: bytes, *chunks: bytes) -> bytes:
    """The chunks after IHDR."""
    return data[:33] + b"".join(chunks) + data[33:]


def with_jpeg_segment(data: bytes, marker: int, body: bytes) -> bytes:
    """The segment at the start."""
    return data[:2] + struct.pack(">BBH", 0xFF, marker, len(body) + 2) + body + data[2:]


def with_jpeg_size(data: bytes, width: int, height: int) -> bytes:
    """Another size in the header, the pixels as they are."""
    at = next(data.index(bytes([0xFF, sof])) for sof in (0xC0, 0xC2) if bytes([0xFF, sof]) in data)
    return data[: at + 5] + struct.pack(">HH", height, width) + data[at + 9 :]


def zeros(amount: int) -> bytes:
    """Packed, in little memory."""
    packer, block = zlib.compressobj(9), bytes(1 << 20)
    parts = [packer.compress(block) for _ in range(amount >> 20)]
    return b"".join([*parts, packer.compress(bytes(amount & 0xFFFFF)), packer.flush()])


def _first_half(kind: str) -> bytes:
    return good(kind)[: len(good(kind)) // 2]


def _resized(kind: str, width: int, height: int) -> bytes:
    """A WebP or a HEIC with another size in its header."""
    before, order = {"WEBP": (b"\x9d\x01\x2a", "<HH"), "HEIC": (b"ispe\0\0\0\0", ">LL")}[kind]
    data, size = good(kind), struct.pack(order, width, height)
    at = data.index(before) + len(before)
    return data[:at] + size + data[at + len(size) :]


def _heic_without_pixels() -> bytes:
    data = good("HEIC")
    at = data.index(b"mdat") + 4
    return data[:at] + bytes(len(data) - at)


BAD: Final[Mapping[str, tuple[str, Callable[[], bytes]]]] = {
    "empty": ("empty", lambda: b""),
    "one byte": ("not-an-image", lambda: b"\xff"),
    "words": ("not-an-image", lambda: b"hello " * 100),
    "only a JPEG's first bytes": ("truncated", lambda: b"\xff\xd8\xff"),
    "only a PNG's first bytes": ("damaged", lambda: PNG_HEAD),
    "only a WebP's first bytes": ("damaged", lambda: b"RIFF\4\0\0\0WEBP"),
    "only a HEIC's first bytes": ("damaged", lambda: b"\0\0\0\x18ftypheic" + bytes(12)),
    "a GIF": ("wrong-format", lambda: encoded("GIF", scene())),
    "a TIFF": ("wrong-format", lambda: encoded("TIFF", scene())),
    "a JPEG 2000": ("wrong-format", lambda: b"\0\0\0\x0cjP  \r\n\x87\n" + bytes(100)),
    "an AVIF": ("wrong-format", lambda: b"\0\0\0\x1cftypavif" + bytes(100)),
    "an AVIF by the family's name": ("wrong-format", lambda: b"\0\0\0\x1cftypmif1\0\0\0\0mif1avif"),
    "an SVG": ("wrong-format", lambda: b'<svg xmlns="http://www.w3.org/2000/svg"/>'),
    "an SVG with a head": ("wrong-format", lambda: b'\xef\xbb\xbf<?xml version="1.0"?><svg/>'),
    "an HTML page": ("wrong-format", lambda: b"\n<!DOCTYPE html><title>404</title>"),
    "a movie": ("not-an-image", lambda: b"\0\0\0\x18ftypmp42" + bytes(100)),
    "too many bytes": ("too-many-bytes", lambda: good("JPEG").ljust(MAX_PHOTO_BYTES + 1)),
    **{
        f"1×1 as {kind}": ("too-small", lambda kind=kind: encoded(kind, scene(2, 2)[:1, :1]))
        for kind in ("JPEG", "PNG", "WEBP")
    },
    "a strip": ("too-small", lambda: encoded("PNG", scene(5000, 10))),
    "half a JPEG": ("truncated", lambda: _first_half("JPEG")),
    "a JPEG without its last byte": ("truncated", lambda: good("JPEG")[:-1]),
    "half a WebP": ("damaged", lambda: _first_half("WEBP")),
    "a PNG bomb": ("too-many-pixels", lambda: png(30_000, 30_000, 1, 0, zeros(30_000 * 3751))),
    "a huge PNG by its head": ("too-many-pixels", lambda: png(2**31 - 1, 2**31 - 1, 8, 6, b"")),
    "a huge JPEG by its head": (
        "too-many-pixels",
        lambda: with_jpeg_size(good("JPEG"), 65_000, 65_000),
    ),
    "a huge WebP by its head": ("too-many-pixels", lambda: _resized("WEBP", 16_383, 16_383)),
    "a PNG of no height": ("damaged", lambda: png(500, 0, 8, 0, b"")),
    "a JPEG of no height": ("too-small", lambda: with_jpeg_size(good("JPEG"), 500, 0)),
    "a strip that is too wide": ("too-many-pixels", lambda: png(36_000, 120, 8, 0, b"")),
    "a JPEG without an end of segments": (
        "truncated",
        lambda: b"\xff\xd8\xff\xe0\xff\xff" + bytes(65_533),
    ),
    "a JPEG with two frames": (
        "damaged",
        lambda: with_jpeg_segment(good("JPEG"), 0xC0, b"\x08\0\xff\0\xff\3" + bytes(9)),
    ),
}
"""Kind of bad file → the code of its refusal, and its maker."""

BAD_INSIDE: Final[Mapping[str, Callable[[], bytes]]] = {
    "a PNG with too few pixels": lambda: png(200, 200, 8, 0, zeros(3000)),
    "a PNG that is not packed": lambda: png(200, 200, 8, 0, b"not zlib at all"),
    "a PNG without pixels": lambda: png(200, 200, 8, 0, b""),
    "a PNG of no known colours": lambda: png(200, 200, 8, 5, zeros(40_200)),
    "a WebP wider than its data": lambda: _resized("WEBP", 8000, 8000),
    "a HEIC without its pixels": _heic_without_pixels,
    "a huge HEIC by its head": lambda: _resized("HEIC", 60_000, 60_000),
    **{f"half a {kind}": lambda kind=kind: _first_half(kind) for kind in ("PNG", "HEIC")},
}
"""Files with a valid header, which are refused when they are decoded."""

FINE: Final[Mapping[str, Callable[[], bytes]]] = {
    **{kind: lambda kind=kind: good(kind) for kind in FORMATS},
    "a progressive JPEG": lambda: encoded("JPEG", scene(), quality=95, progressive=True),
    "a JPEG with a second picture": lambda: encoded(
        "MPO", scene(), quality=95, save_all=True, append_images=[Image.new("RGB", (99, 99))]
    ),
    "a JPEG with something after it": lambda: good("JPEG") + b"\0" * 100 + good("PNG"),
    "a JPEG with bytes between its parts": lambda: (
        good("JPEG")[:2] + b"\xff" * 9 + good("JPEG")[2:]
    ),
    "a JPEG with 3 MB of profile": lambda: encoded(
        "JPEG", scene(), quality=95, icc_profile=bytes(3_000_000)
    ),
    "a JPEG that ends in its EXIF's middle": lambda: with_jpeg_segment(
        good("JPEG"), 0xE1, b"Exif\0\0II*\0\x08\0\0\0\xff\xff"
    ),
    "a JPEG whose EXIF points far away": lambda: with_jpeg_segment(
        good("JPEG"), 0xE1, b"Exif\0\0MM\0*\xff\xff\xff\xff"
    ),
    "a JPEG with an orientation of 99": lambda: encoded("JPEG", scene(), quality=95, exif=exif(99)),
    "a JPEG with a broken second picture": lambda: with_jpeg_segment(
        good("JPEG"), 0xE2, b"MPF\0II*\0\x08\0\0\0" + bytes(20)
    ),
    "a PNG with 5 MB of text": lambda: with_png_chunks(
        good("PNG"), png_chunk(b"tEXt", b"Comment\0" + b"x" * 5_000_000)
    ),
    "a PNG with something after it": lambda: good("PNG") + good("PNG"),
    "a moving PNG": lambda: encoded(
        "PNG", scene(), save_all=True, append_images=[Image.new("RGB", (203, 151))]
    ),
    "a moving WebP": lambda: encoded(
        "WEBP", scene(), quality=95, save_all=True, append_images=[Image.new("RGB", (203, 151))]
    ),
    "a WebP without loss": lambda: encoded("WEBP", scene(), lossless=True),
    "a WebP with a place": lambda: encoded("WEBP", scene(), quality=95, exif=exif(1)),
}
"""Odd files that still show `scene()`."""


def mutations(count: int, seed: int) -> Iterator[bytes]:
    """Good files with something wrong, the same ones for the same seed."""
    chance = random.Random(seed)
    sources = [make() for name, make in FINE.items() if "MB" not in name]
    for _ in range(count):
        data = bytearray(chance.choice(sources))
        for _ in range(chance.choice((1, 1, 2, 5))):
            chance.choice(_MUTATIONS)(data, chance)
        yield bytes(data)


def _flip(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 3, 30))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _number(data: bytearray, chance: random.Random) -> None:
    """Makes a length, a size or an offset extreme."""
    at = chance.randrange(min(len(data), 700))
    value = chance.choice((0, 1, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0xFFFFFFFF))
    data[at : at + 4] = value.to_bytes(4, chance.choice(("big", "little")))


def _cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(16, max(len(data), 17)) :]


def _remove(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(8, max(len(data), 9))
    del data[at : at + chance.choice((1, 4, 100))]


def _repeat(data: bytearray, chance: random.Random) -> None:
    at, length = chance.randrange(len(data)), chance.choice((1, 12, 500))
    data[at:at] = data[at : at + length]


def _repair(data: bytearray, _: random.Random) -> None:
    """Corrects a PNG's checksums, so that the other faults are reached."""
    if data[:8] != PNG_HEAD:
        return
    place = 8
    while place + 12 <= len(data):
        length = int.from_bytes(data[place : place + 4])
        end = place + 12 + length
        if end > len(data):
            break
        data[end - 4 : end] = zlib.crc32(data[place + 4 : end - 4]).to_bytes(4)
        place = end


_MUTATIONS: Final = (_flip, _number, _cut, _remove, _repeat, _repair)


def opened(data: bytes) -> str:
    """The outcome: "opened" or a refusal's code. Everything else is an exception."""
    try:
        picture = open_picture(data)
        width, height = picture.size
        for reduce in (4, 1):
            shape = (-(-height // reduce), -(-width // reduce))
            assert picture.gray(reduce).shape == shape
            assert picture.color(reduce).shape == (*shape, 3)
    except Unreadable as unreadable:
        assert str(unreadable)
        return unreadable.code
    return "opened"


if __name__ == "__main__":
    count, seed = (*map(int, sys.argv[1:]), 0)[:2]
    print(dict(Counter(opened(data) for data in mutations(count, seed)).most_common()))
