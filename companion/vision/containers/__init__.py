"""Finds out what a file is, from its own structure, before any decoder sees it.

The parsers are written in Python. A decoder then gets a copy that holds only the parts of the first
picture: EXIF, location, profiles, texts and previews are removed, and a decompression bomb in one
of them is never opened.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.core.words import N_, Sentence
from companion.vision.containers.base import (
    MAX_PIXELS,
    MAX_SIDE,
    ImageFile,
    check_pixels,
    damaged,
    refuse,
)
from companion.vision.containers.heic import BRANDS, read_heic
from companion.vision.containers.jpeg import MAX_SCANS, read_jpeg
from companion.vision.containers.png import SIGNATURE, read_png
from companion.vision.containers.webp import read_webp
from companion.vision.core import Unreadable

__all__ = [
    "MAX_PIXELS",
    "MAX_SCANS",
    "MAX_SIDE",
    "ImageFile",
    "check_pixels",
    "damaged",
    "inspect",
    "refuse",
]


def inspect(data: bytes) -> ImageFile:
    """Finds out a file's format from its first bytes and describes its first picture.

    Raises:
        Unreadable: `wrong-format`, `not-an-image`, `truncated`, `damaged` or `too-many-pixels`.
    """
    if data[:3] == b"\xff\xd8\xff":
        return read_jpeg(data)
    if data[:8] == SIGNATURE:
        return read_png(data)
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return read_webp(data)
    brand = _brand(data)
    if brand in BRANDS:
        return read_heic(data)
    start = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    for name, signs in _OTHERS.items():
        if start.startswith(signs) or brand in signs:
            text = N_(
                "This is a file of type %(format)s. Photos can be JPEG, PNG, WebP or HEIC files."
            )
            refuse("wrong-format", text, {"format": name})
    text = N_("This is no picture. Photos can be JPEG, PNG, WebP or HEIC files.")
    raise Unreadable("not-an-image", Sentence(text))


def _brand(data: bytes) -> bytes:
    """The major brand of a HEIF file, or `b""`; AVIF may use the family's brand."""
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
"""Format → first bytes in lower case, or brand; only used in the refusal."""
