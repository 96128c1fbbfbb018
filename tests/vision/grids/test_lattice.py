"""Drawn lines become a lattice: both edges of a stroke are one line, and the paper is no frame."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from companion.vision.grids import ruling
from companion.vision.grids.lattice import Lattice, find_lattice

ROWS, COLUMNS = 8, 4
LEFT, TOP, WIDTH, HEIGHT = 150, 200, 110, 50
RIGHT, BOTTOM = LEFT + COLUMNS * WIDTH, TOP + ROWS * HEIGHT

Gray = npt.NDArray[np.uint8]


def _paper() -> Gray:
    return np.full((1200, 900), 235, np.uint8)


def _line(gray: Gray, start: tuple[int, int], end: tuple[int, int], thick: int) -> None:
    cv2.line(gray, start, end, 90, thick)


def _found(gray: Gray) -> Lattice:
    gray[:] = cv2.GaussianBlur(gray, (3, 3), 0)
    tables = ruling.tables(ruling.segments(gray))
    lattice = find_lattice(tables[0], np.concatenate(tables))
    assert lattice
    return lattice


@pytest.mark.parametrize("thick", [2, 4, 6, 12])
def test_both_edges_of_a_stroke_are_one_line(thick: int) -> None:
    gray = _paper()
    for row in range(ROWS + 1):
        y = TOP + row * HEIGHT
        _line(gray, (LEFT, y), (RIGHT, y), thick)
    for column in range(COLUMNS + 1):
        x = LEFT + column * WIDTH
        _line(gray, (x, TOP), (x, BOTTOM), thick)
    lattice = _found(gray)
    assert lattice.corners.shape == (ROWS + 1, COLUMNS + 1, 2)
    assert (
        np.abs(lattice.outline - [(LEFT, TOP), (RIGHT, TOP), (RIGHT, BOTTOM), (LEFT, BOTTOM)]).max()
        < 6
    )


def test_the_papers_sides_do_not_frame_rows_below_a_table() -> None:
    gray = _paper()
    for row in range(ROWS + 1):
        y = TOP + row * HEIGHT
        _line(gray, (40, y), (860, y), 2)
    for column in (1, 3):
        x = LEFT + column * WIDTH
        _line(gray, (x, TOP), (x, BOTTOM), 3)
    for x in (40, 860):
        _line(gray, (x, 20), (x, 1180), 3)
    assert len(_found(gray).down) == ROWS + 1


@pytest.mark.parametrize(("width", "expected"), [(2.0, False), (5.0, True), (0.2, True)])
def test_cells_far_from_square_are_no_tables(width: float, expected: bool) -> None:
    down, across = np.arange(5.0), np.arange(4) * width
    corners = np.stack(np.meshgrid(across, down), axis=-1)
    assert Lattice(corners, down, across).is_slim == expected
