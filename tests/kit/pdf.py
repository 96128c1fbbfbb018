"""A PDF's look and content: pixels, text, fonts, pictures."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

import pypdfium2
from PIL import Image

from companion.core.sheet import Box
from training import pdf

MM_PER_INCH = 25.4


def pictures(raw: bytes, dpi: int) -> list[Image.Image]:
    """Every page as a gray picture."""
    pages = range(len(page_sizes(raw)))
    return [Image.fromarray(pdf.pixels(raw, dpi / 72, page, gray=True)) for page in pages]


@contextmanager
def opened(raw: bytes) -> Iterator[pypdfium2.PdfDocument]:
    document = pypdfium2.PdfDocument(raw)
    try:
        yield document
    finally:
        document.close()


def page_sizes(raw: bytes) -> list[tuple[float, float]]:
    """Each page's width and height in millimetres."""
    with opened(raw) as document:
        return [tuple(part / 72 * MM_PER_INCH for part in page.get_size()) for page in document]


def texts(raw: bytes) -> list[str]:
    """Each page's text."""
    with opened(raw) as document:
        return [page.get_textpage().get_text_bounded() for page in document]


def text_boxes(raw: bytes) -> list[list[Box]]:
    """Each page's texts, as boxes in millimetres from the page's top left corner."""
    found: list[list[Box]] = []
    with opened(raw) as document:
        for page in document:
            text, top = page.get_textpage(), page.get_height()
            rects = (text.get_rect(index) for index in range(text.count_rects()))
            edges = ((x, top - upper, right - x, upper - y) for x, y, right, upper in rects)
            found.append([Box(*(edge / 72 * MM_PER_INCH for edge in box)) for box in edges])
    return found


def inside(raw: bytes) -> bytes:
    """All of the file with its streams unpacked."""
    parts = [raw]
    for match in re.finditer(rb"stream\r?\n", raw):
        unpacker = zlib.decompressobj()
        try:
            parts.append(unpacker.decompress(raw[match.end() :]))
        except zlib.error:
            continue
    return b"\n".join(parts)


def has_pictures(raw: bytes) -> bool:
    """Whether anything was turned into pixels."""
    return re.search(rb"/Subtype\s*/Image", inside(raw)) is not None


def fonts(raw: bytes) -> dict[str, bool]:
    """Name of each font → whether it is embedded."""
    found = {}
    for match in re.finditer(rb"/FontName\s*/([^\s/]+)", inside(raw)):
        around = inside(raw)[max(0, match.start() - 600) : match.end() + 600]
        found[match[1].decode("latin-1")] = b"/FontFile" in around
    return found
