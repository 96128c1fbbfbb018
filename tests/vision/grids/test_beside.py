"""What stands beside a table that was read, and two numbers in a cell, are said and shown."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.grids.beside import left_out
from companion.vision.grids.columns import Numbers
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


def _codes(lattice: Lattice, numbers: Numbers, heads: tuple[int, int] = (1, 0)) -> list[str]:
    notes = [*left_out(lattice, numbers, heads)]
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
    assert not _codes(_lattice(1, 6, 0, 4), _numbers(6, 4), (0, 0))
    assert _codes(_lattice(2, 6, 0, 4), _numbers(6, 4), (0, 0)) == ["beside-table"]


def test_a_word_beside_one_row_is_not_a_column() -> None:
    word = tuple((2.5, 4.5 + part / 3) for part in range(4))
    assert not _codes(_lattice(0, 6, 0, 4), _numbers(6, 4, word))


@pytest.mark.parametrize("axis", [0, 1], ids=["rows", "columns"])
def test_two_numbers_in_each_cell_are_reported(axis: int) -> None:
    whole = _lattice(0, 6, 0, 4)
    corners = np.delete(whole.corners, 2, axis=axis)
    down, across = (
        np.delete(at, 2) if n == axis else at for n, at in ((0, whole.down), (1, whole.across))
    )
    assert _codes(Lattice(corners, down, across), _numbers(6, 4)) == ["two-in-cells"]


def test_a_number_of_two_digits_is_one() -> None:
    second = tuple((row + 0.5, 1.8) for row in range(6))
    assert not _codes(_lattice(0, 6, 0, 4), _numbers(6, 4, second))


def test_words_in_the_first_column_are_not_two_numbers() -> None:
    letters = tuple((row + 0.02, 0.5) for row in range(1, 6))
    assert _codes(_lattice(0, 6, 0, 4), _numbers(6, 4, letters), (1, 0)) == ["two-in-cells"]
    assert not _codes(_lattice(0, 6, 0, 4), _numbers(6, 4, letters), (1, 1))
