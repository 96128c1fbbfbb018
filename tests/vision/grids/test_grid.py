"""Which cells of a table are heads, by how well what is written in them is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from companion.vision.core import Chances
from companion.vision.grids.cells import FlatGrid, Place
from companion.vision.grids.grid import Grid, _not_of_numbers, without_heads
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.numbers import Writing

NUMBERS = {(row, column): {10 * row + column: 0.97} for row in (1, 2, 3) for column in (0, 1, 2)}


def found(
    cells: dict[Place, Chances], grounds: dict[Place, float] | None = None, columns: int = 3
) -> Grid | None:
    """The table of four rows with these cells."""
    down, across = np.arange(5.0), np.arange(columns + 1.0)
    corners = np.stack(np.meshgrid(across, down), axis=-1)
    lattice = Lattice(corners, down, across)
    image = np.zeros((1, 1), np.uint8)
    flat = FlatGrid(lattice, 10.0, image, image.astype(np.float32), grounds or {})
    return without_heads(flat, {place: Writing(chances) for place, chances in cells.items()})


@pytest.mark.parametrize(
    "first",
    [{}, {0: 0.4, 1: 0.35, 2: 0.6}, {0: 0.95, 1: 0.75, 2: 0.01}],
    ids=["nobody wrote them", "they look like numbers", "two do very much"],
)
def test_a_row_of_names_is_a_head(first: dict[int, float]) -> None:
    grid = found({**NUMBERS, **{(0, at): {5: chance} for at, chance in first.items()}})
    assert grid
    assert (grid.head_rows, grid.rows) == ((0,), (1, 2, 3))


@pytest.mark.parametrize("first", [{0: 0.4}, {0: 0.4, 1: 0.9, 2: 0.6}], ids=["one", "not all"])
def test_a_row_in_which_some_numbers_are_doubtful_is_none(first: dict[int, float]) -> None:
    grid = found({**NUMBERS, **{(0, at): {5: chance} for at, chance in first.items()}})
    assert grid
    assert (grid.head_rows, grid.rows) == ((), (0, 1, 2, 3))


def test_a_single_column_of_doubtful_numbers_is_none() -> None:
    """Nothing else in the table shows how well this hand is read."""
    grid = found({(row, 1): {row: 0.4} for row in range(4)})
    assert grid
    assert grid.columns == (0, 1, 2)


def test_a_column_of_pictures_on_colours_is_a_head_and_one_of_numbers_on_a_tint_is_none() -> None:
    places = [(row, column) for row in range(4) for column in range(3)]
    grounds = {place: 120.0 if place[1] == 0 else 240.0 for place in places}
    names: dict[Place, Chances] = {(0, 1): {7: 0.1}, (0, 2): {4: 0.2}}
    numbers = {place: chances for place, chances in NUMBERS.items() if place[1]}
    pictures = found({**names, **numbers, (1, 0): {0: 0.6}}, grounds)
    assert pictures
    assert (pictures.head_columns, pictures.head_rows) == ((0,), (0,))
    tinted = found({**names, **NUMBERS}, grounds)
    assert tinted
    assert (tinted.head_columns, tinted.head_rows) == ((), (0,))


def test_a_shadow_over_the_first_columns_makes_no_head_of_them() -> None:
    grounds = {(row, at): 150 * 1.08**at for row in range(4) for at in range(5)}
    names: dict[Place, Chances] = {(0, at): {7: 0.1} for at in range(5)}
    begun: dict[Place, Chances] = {(1, at): {9: 0.97} for at in range(5)}
    shaded = found({**names, **begun}, grounds, columns=5)
    assert shaded
    assert shaded.head_columns == ()


@pytest.mark.parametrize("third", [{3: 0.9}, {8: 0.6, 3: 0.3}, {8: 0.99}])
def test_numbers_of_the_rounds_are_no_players(third: Chances) -> None:
    """One of them may be read wrongly."""
    first: list[Chances] = [{1: 0.9}, {2: 0.9}, third, {4: 0.9}]
    cells = {(row, column): {30 * column + row: 0.97} for row in range(4) for column in (1, 2)}
    grid = found({**cells, **{(row, 0): chances for row, chances in enumerate(first)}})
    assert grid
    assert (grid.head_columns, grid.columns) == ((0,), (1, 2))


@pytest.mark.parametrize(
    ("number", "has_point", "refusal"),
    [
        (lambda row, column: 15 * column + 3 * row + 1, False, "a bingo card"),
        (lambda row, column: 31 * row + 7 * column, True, "prices or times"),
        (lambda row, column: 7 * ((row + 2 * column) % 5) + row, False, ""),
    ],
    ids=["columns that go on from each other", "points beside the digits", "points of players"],
)
def test_numbers_of_something_else_are_no_table(
    number: Callable[[int, int], int], has_point: bool, refusal: str
) -> None:
    places = list(np.ndindex(4, 5))
    cells = {at: Writing({number(*at): 0.97}, has_point=has_point) for at in places}
    table = found({at: {number(*at): 0.97} for at in places}, columns=5)
    assert table
    assert _not_of_numbers(replace(table, written=cells)) == refusal


def test_prices_are_seen_where_euros_are_a_column_of_their_own() -> None:
    places = list(np.ndindex(5, 2))
    cells = {(row, at): Writing({7 + 20 * row: 0.97}, has_point=at == 1) for row, at in places}
    table = found({at: {7: 0.97} for at in places}, columns=2)
    assert table
    kept = replace(table, written=cells, rows=(0, 1, 2, 3), columns=(0, 1), head_columns=())
    assert _not_of_numbers(kept) == "prices or times"
