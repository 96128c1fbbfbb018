"""Lines are trusted where they divide the numbers, and those of the paper are left out."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.vision.grids import finding
from companion.vision.grids.columns import Numbers
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.trimming import _narrowed, is_explained, trimmed
from tests.vision.grids.test_columns import COLUMNS, EMPTY, GRID, ROWS, _found, _paper


def test_lines_that_do_not_divide_the_numbers_are_not_trusted() -> None:
    numbers = _found(_paper(GRID, 0.4))
    lattice = numbers.lattice
    assert is_explained(lattice, numbers)
    merged = Lattice(lattice.corners[::2], lattice.down[::2], lattice.across)
    assert not is_explained(merged, numbers)
    at = np.sort([*range(ROWS + 1), *np.arange(ROWS) + 0.2])
    left = np.stack([np.interp(at, range(ROWS + 1), part) for part in lattice.corners[:, 0].T], 1)
    ways = lattice.corners[:1] - lattice.corners[:1, :1]
    doubled = Lattice(left[:, np.newaxis] + ways, at, lattice.across)
    assert not is_explained(doubled, numbers)
    smaller = Lattice(lattice.corners[:, :-1], lattice.down, lattice.across[:-1])
    assert not is_explained(smaller, numbers)


def test_rests_of_the_outermost_line_are_no_digits_beside_a_table() -> None:
    numbers = _found(_paper(GRID, 0.4))
    corners = numbers.lattice.corners
    rests = (corners[1:, -1] + corners[:-1, -1]) / 2 + (3, 0)
    cells = [(row, COLUMNS) for row in range(ROWS)]
    numbers = replace(
        numbers,
        digits=np.concatenate([numbers.digits, rests]),
        cells=np.concatenate([numbers.cells, cells]),
    )
    assert is_explained(numbers.lattice, numbers)


@pytest.mark.parametrize(("beside", "expected"), [(2, True), (5, False)])
def test_a_cloth_beside_a_table_makes_nobody_doubt_its_lines(beside: int, expected: bool) -> None:
    numbers = _found(_paper(GRID, 0.4))
    lattice = numbers.lattice
    wider = Lattice(
        np.concatenate(
            [lattice.corners, 2 * lattice.corners[:, -1:] - lattice.corners[:, -2:-1]], 1
        ),
        lattice.down,
        np.append(lattice.across, 2 * lattice.across[-1] - lattice.across[-2]),
    )
    middles = (wider.corners[1:, -1] + wider.corners[:-1, -2]) / 2
    cells = [(row, COLUMNS) for row in range(beside)]
    numbers = replace(
        numbers,
        lattice=wider,
        digits=np.concatenate([numbers.digits, middles[:beside]]),
        cells=np.concatenate([numbers.cells, cells]),
    )
    assert is_explained(lattice, numbers) == expected


def test_rows_of_the_paper_below_a_table_are_left_out() -> None:
    down, across = np.arange(9.0), np.arange(7.0)
    ruled = Lattice(np.stack(np.meshgrid(across, down), axis=-1), down, across)
    at = [(x + 0.5, y + 0.5) for y in range(1, 5) for x in range(6)]

    def size(first: int, last: int) -> tuple[int, ...]:
        """That of the lines around numbers which stand in some columns."""
        centers = np.array([each for each in at if first <= each[0] < last])
        cells = np.zeros((len(centers), 2), np.intp)
        numbers = Numbers(ruled, centers, cells, 1.0, np.zeros((0, 4)), 0.4, 1.0, 1.0)
        return trimmed(ruled, numbers, EMPTY).corners.shape[:2]

    assert size(1, 5) == (5, 5)
    assert size(0, 6) == (9, 7)  # Its own lines: rounds that were not played.


def test_lines_are_not_trimmed_to_a_single_row() -> None:
    """The digits of one player's numbers, on their side, may seem to be in columns."""
    down, across = np.arange(9.0), np.arange(7.0)
    ruled = Lattice(np.stack(np.meshgrid(across, down), axis=-1), down, across)
    centers = np.array([(x + 0.5, y) for x in range(1, 5) for y in (2.3, 2.7)])
    cells = np.zeros((len(centers), 2), np.intp)
    numbers = Numbers(ruled, centers, cells, 1.0, np.zeros((0, 4)), 0.4, 1.0, 1.0)
    assert trimmed(ruled, numbers, EMPTY) is ruled


@pytest.mark.parametrize("quarters", [0, 1])
def test_lines_of_the_paper_beside_a_table_are_left_out_although_they_are_doubted(
    quarters: int,
) -> None:
    down, across = np.arange(5.0), np.arange(7.0)
    ruled = Lattice(np.stack(np.meshgrid(across, down), axis=-1), down, across)
    places = [(row, column) for row in range(4) for column in range(1, 5)]
    centers = np.array([(x + part, y + 0.5) for y, x in places for part in (0.3, 0.7)])
    cells = np.stack([np.arange(len(centers)), np.zeros(len(centers))], axis=1).astype(np.intp)
    numbers = Numbers(ruled, centers, cells, 1.0, np.zeros((0, 4)), 0.4, 1.0, 1.0)
    lattice, is_ruled = finding._tries(ruled.turned(quarters), [numbers], EMPTY)[-1]
    assert is_ruled
    assert sorted(lattice.outline.tolist()) == [[1, 0], [1, 4], [5, 0], [5, 4]]


def test_the_papers_sides_are_no_sides_of_a_table() -> None:
    down, across = np.arange(6.0), np.array([-4.0, 2, 4, 10])
    wide = Lattice(np.stack(np.meshgrid(across, down), axis=-1), down, across)
    numbers = np.array([0.0, 2, 4, 6])
    lattice = Lattice(np.stack(np.meshgrid(numbers, down), axis=-1), down, numbers)
    narrowed = _narrowed(wide, lattice)
    assert narrowed.corners == pytest.approx(lattice.corners)
    assert narrowed.across == pytest.approx(numbers)
    heads = np.array([-0.5, 2, 4, 6])
    wider = Lattice(np.stack(np.meshgrid(heads, down), axis=-1), down, heads)
    assert _narrowed(wider, lattice).across == pytest.approx(heads)


@pytest.mark.parametrize("quarters", [0, 1])
@pytest.mark.parametrize(("written", "columns"), [([1, 3, 4], 6), ([3], 4)])
def test_columns_of_lines_are_kept_if_something_is_written_there(
    written: list[int], columns: int, quarters: int
) -> None:
    """Its digits were too pale to be found."""
    side = 40
    down, across = np.arange(6.0) * side, np.arange(7.0) * side
    ruled = Lattice(np.stack(np.meshgrid(across, down), axis=-1), down, across)
    found = [(row, column) for row in range(5) for column in range(1, 5)]
    photo = np.full((220, 260), 240, np.uint8)
    for row, column in [*found, *((row, 5) for row in written)]:
        x, y = (int((at + 0.5) * side) for at in (column, row))
        cv2.line(photo, (x, y - 8), (x, y + 8), 140, 3)
    centers = np.array([((column + 0.5) * side, (row + 0.5) * side) for row, column in found])
    cells = np.zeros((len(centers), 2), np.intp)
    numbers = Numbers(ruled, centers, cells, 1.0, np.zeros((0, 4)), 16.0, 1.0, 1.0)
    kept = trimmed(ruled.turned(quarters), numbers, photo).turned(-quarters)
    assert kept.corners.shape[:2] == (6, columns + 1)
