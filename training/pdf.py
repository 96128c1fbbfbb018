"""A page of a PDF in pixels: the one place for training, the benchmarks and the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pypdfium2

from companion.core.sheet import Box
from companion.folders import PRINTABLES
from companion.pads import geometry
from companion.pads.order import checked_order
from companion.pads.printables import file_name

POINTS_PER_MM: Final = 72 / 25.4


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
