"""A page of a PDF in pixels: the one place for training, the benchmarks and the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import pypdfium2

from companion.pads.folders import PRINTABLES

POINTS_PER_MM: Final = 72 / 25.4


def pixels(
    file: Path | bytes, per_point: float, page: int = 0, *, gray: bool = False
) -> npt.NDArray[np.uint8]:
    """A page, BGR (rows, columns, 3) or gray (rows, columns).

    Args:
        per_point: pixels per point, of which an inch has 72; `POINTS_PER_MM` converts.
    """
    with pypdfium2.PdfDocument(file) as document:
        shown = document[page].render(scale=per_point, grayscale=gray).to_numpy()
        return np.array(shown.reshape(shown.shape[:2]) if gray else shown[..., :3])


def ready_made(sheet: str, board: str = "", paper: str = "a4") -> Path:
    """The ready-made PDF of a sheet's pads."""
    return PRINTABLES / f"{'-'.join(filter(None, (sheet, board, paper)))}.pdf"
