"""What stands beside a table that was read, and two numbers in a cell, are said and shown."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from companion.vision.grids.beside import left_out, two_in_cells
from companion.vision.grids.cells import FlatGrid, Place
from companion.vision.grids.columns import Numbers
from companion.vision.grids.grid import Grid
from companion.vision.grids.lattice import Lattice

SIZE, TALL = 40.0, 16.0  # Pixels of a cell, and of a digit
NOBODY = np.zeros((0, 2))


def _lattice(top: int, bottom: int, left: int, right: int) -> Lattice:
    down, across = (np.arange(a, b + 1) * SIZE for a, b in ((top, bottom), (left, right)))
    return Lattice(np.stack(np.meshgrid(across, down), axis=-1), down, across)


def _numbers(rows: int, columns: int, extra: tuple[tuple[float, float], ...] = ()) -> Numbers:
    """A digit in the middle of each cell, and others, by row and column."""
    at = [(row + 0.5, column + 0.5) for row in range(rows) for column in range(columns)]
    x, y = (np.array([*at, *extra])[:, ::-1] * SIZE).T
    boxes = np.stack([x - TALL / 3, y - TALL / 2, x + TALL / 3, y + TALL / 2], axis=1)
    cells = np.zeros((0, 2), np.intp)
    return Numbers(_lattice(0, rows, 0, columns), NOBODY, cells, 1.0, boxes, TALL, 1.0, 1.0)


def _codes(lattice: Lattice, numbers: Numbers, *, has_heads: bool = True) -> list[str]:
    notes = [*left_out(lattice, numbers, has_heads=has_heads)]
    assert all(note.corners for note in notes)
    return [note.code for note in notes]


def _crowded(down: Sequence[int], doubled: Sequence[Place], away: tuple[int, int]) -> list[str]:
    """The notes on a table of three columns with a stroke in each cell, and in some a second one.

    Args:
        down: where its lines are.
        away: how far the second one is to the right and below, in pixels.
    """
    across = np.arange(4) * 160
    photo = np.full((down[-1], across[-1]), 240, np.uint8)
    size = (len(down) - 1, 3)
    for row, column in np.ndindex(size):
        x, y = int(across[column]) + 40, down[row] + 20
        starts = [(x, y), (x + away[0], y + away[1])] if (row, column) in doubled else [(x, y)]
        for at in starts:
            cv2.line(photo, at, (at[0], at[1] + 20), 60, 5)
    corners = np.stack(np.meshgrid(across, down), axis=-1).astype(np.float64)
    flat = FlatGrid.of(Lattice(corners, np.array(down, float), across.astype(float)), photo)
    notes = [*two_in_cells(Grid(flat, tuple(range(size[0])), (0, 1, 2), (), (), {}))]
    assert all(note.corners for note in notes)
    return [note.code for note in notes]


def test_a_table_that_was_read_whole_has_no_notes() -> None:
    assert not _codes(_lattice(0, 6, 0, 4), _numbers(6, 4))


@pytest.mark.parametrize(
    "read",
    [(0, 6, 1, 4), (0, 6, 0, 3), (0, 5, 0, 4), (1, 6, 0, 4)],
    ids=["first column", "last column", "last row", "first row"],
)
def test_a_lost_row_or_column_is_reported(read: tuple[int, int, int, int]) -> None:
    assert _codes(_lattice(*read), _numbers(6, 4)) == ["beside-table"]


def test_half_of_a_last_row_is_reported() -> None:
    assert _codes(_lattice(0, 6, 0, 2), _numbers(6, 2, ((6.5, 0.5),))) == ["beside-table"]
    assert not _codes(_lattice(0, 6, 0, 4), _numbers(6, 4, ((6.5, 0.5),)))


def test_names_may_stand_above_a_table_without_heads() -> None:
    assert not _codes(_lattice(1, 6, 0, 4), _numbers(6, 4), has_heads=False)
    assert _codes(_lattice(2, 6, 0, 4), _numbers(6, 4), has_heads=False) == ["beside-table"]


def test_a_word_beside_one_row_is_not_a_column() -> None:
    word = tuple((2.5, 4.5 + part / 3) for part in range(4))
    assert not _codes(_lattice(0, 6, 0, 4), _numbers(6, 4, word))


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("axis", [0, 1])
def test_two_numbers_beside_each_other_are_reported_in_three_cells_of_a_line(
    axis: int, count: int
) -> None:
    doubled = [(at, 1) if axis else (1, at) for at in range(count)]
    expected = ["two-in-cells"] if count == 3 else []
    assert _crowded(range(0, 500, 80), doubled, (60, 0)) == expected
    assert not _crowded(range(0, 500, 80), doubled, (20, 0))


@pytest.mark.parametrize(("bottom", "expected"), [(280, ["two-in-cells"]), (240, [])])
def test_two_numbers_below_each_other_in_a_row_as_high_as_two_are_reported(
    bottom: int, expected: list[str]
) -> None:
    """In a row of the usual height one of them is a correction."""
    down = [0, 80, 160, bottom, bottom + 80, bottom + 160]
    assert _crowded(down, [(2, 1)], (3, 34)) == expected
