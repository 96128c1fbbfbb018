"""What has numbers in rows and columns, and is no table of points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.vision.core import Chances
from companion.vision.grids.cells import FlatGrid, Place
from companion.vision.grids.grid import Grid
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.numbers import Writing
from companion.vision.grids.refusals import CALENDAR, not_of_numbers, not_plain
from tests.vision.grids.test_grid import NUMBERS, found


@pytest.mark.parametrize(
    ("number", "has_point", "refusal"),
    [
        (lambda row, column: 15 * column + 3 * row + 1, False, "a bingo card"),
        (lambda row, column: 31 * row + 7 * column, True, "prices or times"),
        (lambda row, column: 3 if row or column else 5, False, "one number everywhere"),
        (lambda row, column: 1, False, ""),
        (lambda row, column: 7 * row + column + 1, False, CALENDAR),
        (lambda row, column: 512 + 8 * row + 100 * column, False, CALENDAR),
        (lambda row, column: (5 + row + column // 2, 13 * row + 4)[column % 2], False, CALENDAR),
        (lambda row, column: 12 - column if row else 2 + column, False, "printed scales"),
        (lambda row, column: 7 * ((row + 2 * column) % 5) + row, False, ""),
    ],
    ids=[
        "columns that go on from each other",
        "points beside the digits",
        "scribbles that look like one digit",
        "victories of players",
        "days",
        "times",
        "hours and minutes in columns of their own",
        "rows that count up, and rows that count down",
        "points of players",
    ],
)
def test_numbers_of_something_else_are_not_a_table(
    number: Callable[[int, int], int], has_point: bool, refusal: str
) -> None:
    places = list(np.ndindex(4, 5))
    cells = {at: Writing({number(*at): 0.97}, has_point=has_point) for at in places}
    table = found({at: {number(*at): 0.97} for at in places}, columns=5)
    assert table
    assert not_of_numbers(replace(table, written=cells)) == refusal


@pytest.mark.parametrize(("is_struck", "refusal"), [(True, "a bingo card"), (False, "")])
def test_crossed_out_numbers_of_a_bingo_card_say_nothing(is_struck: bool, refusal: str) -> None:
    places = list(np.ndindex(4, 5))
    table = found({at: {15 * at[1] + 4 * at[0] + 1: 0.97} for at in places}, columns=5)
    assert table
    crossed = {at: Writing({0: 0.97}, is_struck=is_struck) for at in places if sum(at) % 3 == 0}
    assert not_of_numbers(replace(table, written={**table.written, **crossed})) == refusal


@pytest.mark.parametrize(
    ("away", "is_lined", "refusal"),
    [(8, False, "digits of the same numbers"), (24, False, ""), (8, True, "")],
    ids=["euros and cents", "points", "a line between them"],
)
def test_columns_as_close_as_digits_are_one(away: int, is_lined: bool, refusal: str) -> None:
    """Points of prices may be too small to be seen.

    Args:
        away: pixels from the border between the columns to the strokes beside it.
    """
    photo = np.full((480, 320), 240, np.uint8)
    for y in range(20, 480, 80):
        for x in (160 - away, 160 + away):
            cv2.line(photo, (x, y), (x, y + 30), 60, 5)
    cv2.line(photo, (160, 0), (160, 479 * is_lined), 60, 3)
    down, across = np.arange(7.0) * 80, np.arange(3.0) * 160
    lattice = Lattice(np.stack(np.meshgrid(across, down), axis=-1), down, across)
    written = {at: Writing({7 + 3 * at[0]: 0.99}) for at in np.ndindex(6, 2)}
    table = Grid(FlatGrid.of(lattice, photo), tuple(range(6)), (0, 1), (), (), written)
    assert not_plain(table) == refusal


@pytest.mark.parametrize(("step", "refusal"), [(3, "a sudoku"), (1, "")])
def test_digits_scattered_over_a_part_of_a_sudoku_are_refused_and_full_rows_are_not(
    step: int, refusal: str
) -> None:
    """Its outermost row was lost, and a rest of a line looks like a zero."""
    rows, columns = range(8), range(9)
    written = {
        (row, at): Writing({(5 * row + 3 * at) % 10: 0.99})
        for row in rows
        for at in columns
        if (row + at) % step == 0
    }
    down, across = np.arange(9.0), np.arange(10.0)
    lattice = Lattice(np.stack(np.meshgrid(across, down), axis=-1), down, across)
    image = np.zeros((1, 1), np.uint8)
    flat = FlatGrid(lattice, 10.0, image, image.astype(np.float32))
    grid = Grid(flat, tuple(rows), tuple(columns), (), (), written)
    assert not_of_numbers(grid) == refusal


def test_prices_are_seen_where_euros_are_a_column_of_their_own() -> None:
    places = list(np.ndindex(5, 2))
    cells = {(row, at): Writing({7 + 20 * row: 0.97}, has_point=at == 1) for row, at in places}
    table = found({at: {7: 0.97} for at in places}, columns=2)
    assert table
    kept = replace(table, written=cells, rows=(0, 1, 2, 3), columns=(0, 1), head_columns=())
    assert not_of_numbers(kept) == "prices or times"


def test_prices_are_seen_where_their_points_are_in_one_column_or_the_other() -> None:
    """A point between two columns belongs to the cell in which most of it is."""
    places = list(np.ndindex(4, 3))
    table = found({at: {7 + 20 * at[0] + 3 * at[1]: 0.97} for at in places})
    assert table
    kept = replace(table, rows=(0, 1, 2, 3), columns=(0, 1, 2), head_columns=())

    def with_points(*points: Place) -> Grid:
        cells = {at: replace(kept.written[at], has_point=at in points) for at in places}
        return replace(kept, written=cells)

    assert not_of_numbers(with_points((0, 0), (1, 1), (2, 0), (3, 1))) == "prices or times"
    assert not_of_numbers(with_points((0, 0), (1, 1), (2, 2), (3, 1))) == "prices or times"
    assert not not_of_numbers(with_points((0, 0), (1, 1), (2, 2)))
    assert not not_of_numbers(with_points((0, 2), (1, 2), (2, 2), (3, 2)))


def test_running_numbers_beside_words_are_not_a_table() -> None:
    """A chess game is written beside the printed numbers of its turns, in two halves."""
    turns: dict[Place, Chances] = {(row, 0): {row + 26: 0.97} for row in range(10)}
    moves: dict[Place, Chances] = {(row, at): {7 * row: 0.4} for row in range(10) for at in (1, 2)}
    written = {place: Writing(chances) for place, chances in {**turns, **moves}.items()}
    table = found({**NUMBERS})
    assert table
    beside = replace(table, written=written, rows=tuple(range(10)), columns=(0, 1, 2))
    assert not_of_numbers(beside) == "words or signs instead of numbers"
    points = {place: Writing({7 * place[0] + 3 * place[1]: 0.97}) for place in moves}
    played = replace(beside, written={**written, **points})
    assert not_of_numbers(played) == ""
