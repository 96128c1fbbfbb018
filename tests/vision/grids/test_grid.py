"""Which cells of a table are heads, by how well what is written in them is read."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.core import Chances
from companion.vision.grids.cells import FlatGrid, Place
from companion.vision.grids.grid import SURE, Grid, readings, without_heads
from companion.vision.grids.hand import OTHERWISE
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.numbers import CORRECTED, Writing

NUMBERS = {(row, column): {10 * row + column: 0.97} for row in (1, 2, 3) for column in (0, 1, 2)}


def found(
    cells: dict[Place, Chances],
    grounds: dict[Place, float] | None = None,
    columns: int = 3,
    rows: int = 4,
) -> Grid | None:
    """The table with these cells."""
    down, across = np.arange(rows + 1.0), np.arange(columns + 1.0)
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


@pytest.mark.parametrize(("size", "heads"), [((120.0, 55.0), (0,)), ((120.0, 40.0), ())])
def test_larger_writing_than_numbers_is_a_row_of_names(
    size: tuple[float, float], heads: tuple[int, ...]
) -> None:
    grid = found(NUMBERS)
    assert grid
    names = {(0, column): Writing({52: 0.98}, size=size) for column in range(3)}
    numbers = {at: Writing(each, size=(40.0 + 9 * at[1], 36.0)) for at, each in NUMBERS.items()}
    named = without_heads(grid.flat, {**names, **numbers})
    assert named
    assert named.head_rows == heads


@pytest.mark.parametrize(
    ("width", "sure", "heads"), [(90.0, 0.65, (0,)), (90.0, 0.8, ()), (50.0, 0.65, ())]
)
def test_wide_writing_that_is_read_worse_than_numbers_is_a_row_of_names(
    width: float, sure: float, heads: tuple[int, ...]
) -> None:
    grid = found(NUMBERS)
    assert grid
    names = {(0, column): Writing({52: sure}, size=(width, 36.0)) for column in range(3)}
    numbers = {at: Writing(each, size=(40.0 + 9 * at[1], 36.0)) for at, each in NUMBERS.items()}
    named = without_heads(grid.flat, {**names, **numbers})
    assert named
    assert named.head_rows == heads


@pytest.mark.parametrize(
    ("sure", "heads"), [(0.97, (0, 1)), (0.5, (0,))], ids=["a clear hand", "an unclear hand"]
)
def test_a_second_row_of_words_is_read_worse_than_the_numbers(
    sure: float, heads: tuple[int, ...]
) -> None:
    below = {(row, at): {5: sure} for row in (2, 3) for at in range(3)}
    words = {(row, at): {5: (0.05, 0.3)[row]} for row in (0, 1) for at in range(3)}
    grid = found({**words, **below})
    assert grid
    assert grid.head_rows == heads


@pytest.mark.parametrize("first", [{0: 0.4}, {0: 0.4, 1: 0.9, 2: 0.6}], ids=["one", "not all"])
def test_a_row_with_some_doubtful_numbers_is_not_a_head(first: dict[int, float]) -> None:
    grid = found({**NUMBERS, **{(0, at): {5: chance} for at, chance in first.items()}})
    assert grid
    assert (grid.head_rows, grid.rows) == ((), (0, 1, 2, 3))


def test_a_single_column_of_doubtful_numbers_is_not_a_head() -> None:
    """Nothing else in the table shows how well this hand is read."""
    grid = found({(row, 1): {row: 0.4} for row in range(4)})
    assert grid
    assert grid.columns == (0, 1, 2)


def test_a_name_above_a_column_of_doubtful_numbers_does_not_make_it_one_of_heads() -> None:
    """A thick pen's line touches them."""
    names: dict[Place, Chances] = {(0, at): {4: 0.03} for at in range(3)}
    numbers: dict[Place, Chances] = {at: {7: 0.97} for at in np.ndindex(5, 3) if at[0]}
    doubtful: dict[Place, Chances] = {(row, 0): {0: 0.1} for row in (1, 3)}
    table = found({**numbers, **names, **doubtful}, rows=5)
    assert table
    assert (table.head_rows, table.head_columns) == ((0,), ())


def test_an_empty_column_before_written_ones_belongs_to_no_player() -> None:
    grid = found({(row, at): {7 + row: 0.99} for row in range(4) for at in (1, 2)})
    assert grid
    assert grid.columns == (1, 2)


@pytest.mark.parametrize(("heads", "columns"), [((1, 2), (1, 2)), ((), (0, 1, 2, 3))])
def test_an_empty_last_column_without_a_name_is_no_players_beside_named_ones(
    heads: tuple[int, ...], columns: tuple[int, ...]
) -> None:
    names = {(0, at): {5: 0.1} for at in heads}
    numbers = {(row, at): {7 + row: 0.99} for row in (1, 2, 3) for at in (1, 2)}
    grid = found({**names, **numbers}, columns=4)
    assert grid
    assert grid.columns == columns


def test_pictures_on_colours_are_a_head_and_numbers_on_a_tint_are_not() -> None:
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


def test_a_shadow_does_not_turn_the_first_columns_into_heads() -> None:
    grounds = {(row, at): 150 * 1.08**at for row in range(4) for at in range(5)}
    names: dict[Place, Chances] = {(0, at): {7: 0.1} for at in range(5)}
    begun: dict[Place, Chances] = {(1, at): {9: 0.97} for at in range(5)}
    shaded = found({**names, **begun}, grounds, columns=5)
    assert shaded
    assert shaded.head_columns == ()


@pytest.mark.parametrize("third", [{3: 0.9}, {8: 0.6, 3: 0.3}, {8: 0.99}])
def test_numbers_of_the_rounds_are_not_a_player(third: Chances) -> None:
    """One of them may be read wrongly."""
    first: list[Chances] = [{1: 0.9}, {2: 0.9}, third, {4: 0.9}]
    cells = {(row, column): {30 * column + row: 0.97} for row in range(4) for column in (1, 2)}
    grid = found({**cells, **{(row, 0): chances for row, chances in enumerate(first)}})
    assert grid
    assert (grid.head_columns, grid.columns) == ((0,), (1, 2))


def test_ink_among_a_tables_numbers_is_seldom_none() -> None:
    clear: Chances = {5: 0.92, 6: 0.005}
    doubtful = [{5: 0.7, 6: 0.28}, {5: CORRECTED}, {5: OTHERWISE}]
    cells = {**NUMBERS, (1, 0): clear, **{(2, at): each for at, each in enumerate(doubtful)}}
    grid = found({(0, 0): {1: 0.01}, (0, 1): {1: 0.01}, (0, 2): {1: 0.01}, **cells})
    assert grid
    sure = readings(grid)
    assert sure[0, 0].confidence >= SURE
    assert all(sure[1, at].confidence < SURE for at in range(3))
