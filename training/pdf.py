"""A page of a PDF in pixels: the one place for training, the benchmarks and the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pypdfium2

from companion.pads.files import PRINTABLES

POINTS_PER_MM: Final = 72 / 25.4


def pixels(
    file: Path | bytes, px_per_mm: float, page: int = 0, *, gray: bool = False
) -> npt.NDArray[np.uint8]:
    """A page: BGR, (rows, columns, 3), or gray, (rows, columns)."""
    with pypdfium2.PdfDocument(file) as document:
        shown = document[page].render(scale=px_per_mm / POINTS_PER_MM, grayscale=gray).to_numpy()
        return np.ascontiguousarray(shown[..., 0] if gray else shown[..., :3])


def ready_made(sheet: str, board: str = "", paper: str = "a4") -> Path:
    """The ready-made PDF of a sheet's pads."""
    return PRINTABLES / f"{'-'.join(filter(None, (sheet, board, paper)))}.pdf"
