"""A table whose rows are known: its columns become sheets, other tables of its size do not."""

from __future__ import annotations

import random

import numpy as np
import pytest

from companion.games.editions import known_grids
from companion.games.known_grids import KnownGrid
from companion.vision.core import Chances
from companion.vision.grids.cells import FlatGrid, Place
from companion.vision.grids.grid import Grid
from companion.vision.grids.known import KnownSheets, find_known
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.numbers import Writing

TABLE = next(table for table in known_grids() if table.edition.sheet.name == "kniffel")
POINTS = dict(zip(("ones", "twos", "threes", "fours"), (3, 6, 9, 8), strict=True))
WHOLE = {
    **POINTS,
    "fives": 15,
    "sixes": 24,
    "three-of-a-kind": 24,
    "four-of-a-kind": 0,
    "full-house": 25,
    "small-straight": 30,
    "large-straight": 40,
    "kniffel": 0,
    "chance": 23,
}


def found(cells: dict[Place, Chances], heads: int = 0, columns: int = 8) -> Grid:
    """A table of these cells, as if its heads had been taken for numbers."""
    rows = len(TABLE.rows) + heads
    down, across = np.arange(rows + 1.0), np.arange(columns + 1.0)
    corners = np.stack(np.meshgrid(across, down), axis=-1)
    lattice = Lattice(corners, down, across)
    image = np.zeros((1, 1), np.uint8)
    flat = FlatGrid(lattice, 10.0, image, image.astype(np.float32))
    written = {place: Writing(chances) for place, chances in cells.items()}
    return Grid(flat, tuple(range(rows)), tuple(range(columns)), (), (), written)


def column(
    made: KnownGrid, marks: dict[str, int], at: int, sums: dict[str, int], row: int = 0
) -> dict[Place, Chances]:
    """The cells of a column in which these numbers are surely read."""
    numbers = {**marks, **sums}
    return {
        (row + place, made.heads + at): {numbers[name]: 0.999}
        for place, name in enumerate(made.rows)
        if name in numbers
    }


def sums(marks: dict[str, int]) -> dict[str, int]:
    return dict(TABLE.edition.sheet.marked(TABLE.edition.sheet.usual_board, marks).sums)


def only(known: KnownSheets | None, at: int = 0) -> dict[str, object]:
    assert known is not None
    return dict(known.columns[at].marks)


@pytest.mark.parametrize("heads", [0, 1])
def test_each_column_with_ink_is_a_sheet(heads: int) -> None:
    cells = column(TABLE, WHOLE, 0, sums(WHOLE), heads) | column(TABLE, POINTS, 2, {}, heads)
    known = find_known(found(cells, heads))
    assert known is not None
    assert known.is_certain
    assert known.columns.keys() == {0, 2}
    assert only(known) == WHOLE
    assert only(known, 2) == {**dict.fromkeys(WHOLE), **POINTS}
    assert not any(weighed.unsure for weighed in known.columns.values())
    assert len(known.grid.rows) == len(TABLE.rows)


def test_possible_numbers_and_sums_of_a_row_settle_doubtful_fields() -> None:
    cells = column(TABLE, WHOLE, 0, sums(WHOLE))
    straight, fives = (TABLE.rows.index(name) for name in ("small-straight", "fives"))
    cells[straight, TABLE.heads] = {36: 0.6, 30: 0.3}
    cells[fives, TABLE.heads] = {5: 0.6, 15: 0.3}
    known = find_known(found(cells))
    assert only(known) == WHOLE
    assert known is not None
    assert not known.columns[0].unsure


def test_ink_without_a_number_is_asked_about() -> None:
    cells = column(TABLE, WHOLE, 0, {})
    cells[TABLE.rows.index("chance"), TABLE.heads] = {}
    known = find_known(found(cells))
    assert known is not None
    assert known.columns[0].unsure == ("chance",)


@pytest.mark.parametrize("seed", range(5))
def test_other_numbers_and_other_sizes_are_another_table(seed: int) -> None:
    chance = random.Random(seed)
    numbers = {
        (row, at): {chance.randint(1, 99): 0.999}
        for row in range(len(TABLE.rows))
        for at in range(TABLE.heads, 8)
    }
    assert find_known(found(numbers)) is None
    whole = column(TABLE, WHOLE, 0, {})
    assert find_known(found(whole, columns=7)) is None
    assert find_known(found(whole, heads=2)) is None


def test_a_doubtful_sheet_is_asked_for_as_a_whole() -> None:
    cells = column(TABLE, WHOLE, 0, {})
    for name in ("kniffel", "full-house", "small-straight"):
        cells[TABLE.rows.index(name), TABLE.heads] = {17: 0.9}
    known = find_known(found(cells))
    assert known is not None
    assert not known.is_certain
