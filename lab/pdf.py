"""A PDF's look and content: pixels, text, fonts, pictures."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pypdfium2
from PIL import Image

from companion.core.sheet import Box
from companion.folders import PRINTABLES
from companion.pads import geometry
from companion.pads.order import checked_order
from companion.pads.printables import file_name

MM_PER_INCH: Final = 25.4
POINTS_PER_MM: Final = 72 / MM_PER_INCH


def pictures(raw: bytes, dpi: int) -> list[Image.Image]:
    """Every page as a gray picture."""
    pages = range(len(page_sizes(raw)))
    return [Image.fromarray(pixels(raw, dpi / 72, page, gray=True)) for page in pages]


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
    """The whole file with its streams unpacked."""
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


def pixels(
    file: Path | bytes, per_point: float, page: int = 0, *, gray: bool = False
) -> npt.NDArray[np.uint8]:
    """A page, BGR (rows, columns, 3) or gray (rows, columns).

    Args:
        per_point: pixels per point, of which an inch has 72; `POINTS_PER_MM` converts.
    """
    with pypdfium2.PdfDocument(file) as document:
        # A hair smaller, or rounding makes the page a pixel larger and all of it is stretched.
        shown = document[page].render(scale=per_point * (1 - 1e-5), grayscale=gray).to_numpy()
        return np.array(shown.reshape(shown.shape[:2]) if gray else shown[..., :3])


def cut_out(page: npt.NDArray[np.uint8], box: Box, px_per_mm: float) -> npt.NDArray[np.uint8]:
    """A copy of the part of a page, of so many pixels per millimetre, that lies in a box."""
    left, top = round(box.x * px_per_mm), round(box.y * px_per_mm)
    width, height = round(box.width * px_per_mm), round(box.height * px_per_mm)
    return np.ascontiguousarray(page[top : top + height, left : left + width])


def first_pad(sheet: str, board: str, px_per_mm: float) -> npt.NDArray[np.uint8]:
    """The first pad of a sheet's ready-made PDF for A4, BGR."""
    page = pixels(ready_made(sheet, board), px_per_mm / POINTS_PER_MM)
    pad = geometry.pages_of_order(checked_order(sheet, board=board or None)).pages[0][0]
    return cut_out(page, pad.box, px_per_mm)


def ready_made(sheet: str, board: str = "", paper: str = "a4") -> Path:
    """The ready-made PDF of a sheet's pads."""
    return PRINTABLES / file_name(checked_order(sheet, board=board or None, paper=paper))
