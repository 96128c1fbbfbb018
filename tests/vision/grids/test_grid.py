"""Which cells of a table are heads, by how well what is written in them is read.

Also what is refused, and how few cells are read before it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest

from companion.core.sheet import Box
from companion.vision.core import Chances
from companion.vision.grids import cells as cell_module
from companion.vision.grids import numbers as number_module
from companion.vision.grids.cells import FlatGrid, Ink, Place
from companion.vision.grids.grid import (
    CALENDAR,
    PRICES,
    SAMPLE,
    SURE,
    Grid,
    _not_of_numbers,
    _not_plain,
    examine,
    readings,
    without_heads,
)
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
    assert _not_of_numbers(replace(table, written=cells)) == refusal


@pytest.mark.parametrize(("is_struck", "refusal"), [(True, "a bingo card"), (False, "")])
def test_crossed_out_numbers_of_a_bingo_card_say_nothing(is_struck: bool, refusal: str) -> None:
    places = list(np.ndindex(4, 5))
    table = found({at: {15 * at[1] + 4 * at[0] + 1: 0.97} for at in places}, columns=5)
    assert table
    crossed = {at: Writing({0: 0.97}, is_struck=is_struck) for at in places if sum(at) % 3 == 0}
    assert _not_of_numbers(replace(table, written={**table.written, **crossed})) == refusal


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
    assert _not_plain(table) == refusal


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
    assert _not_of_numbers(grid) == refusal


def test_prices_are_seen_where_euros_are_a_column_of_their_own() -> None:
    places = list(np.ndindex(5, 2))
    cells = {(row, at): Writing({7 + 20 * row: 0.97}, has_point=at == 1) for row, at in places}
    table = found({at: {7: 0.97} for at in places}, columns=2)
    assert table
    kept = replace(table, written=cells, rows=(0, 1, 2, 3), columns=(0, 1), head_columns=())
    assert _not_of_numbers(kept) == "prices or times"


def test_prices_are_seen_where_their_points_are_in_one_column_or_the_other() -> None:
    """A point between two columns belongs to the cell in which most of it is."""
    places = list(np.ndindex(4, 3))
    table = found({at: {7 + 20 * at[0] + 3 * at[1]: 0.97} for at in places})
    assert table
    kept = replace(table, rows=(0, 1, 2, 3), columns=(0, 1, 2), head_columns=())

    def with_points(*points: Place) -> Grid:
        cells = {at: replace(kept.written[at], has_point=at in points) for at in places}
        return replace(kept, written=cells)

    assert _not_of_numbers(with_points((0, 0), (1, 1), (2, 0), (3, 1))) == "prices or times"
    assert _not_of_numbers(with_points((0, 0), (1, 1), (2, 2), (3, 1))) == "prices or times"
    assert not _not_of_numbers(with_points((0, 0), (1, 1), (2, 2)))
    assert not _not_of_numbers(with_points((0, 2), (1, 2), (2, 2), (3, 2)))


def test_running_numbers_beside_words_are_not_a_table() -> None:
    """A chess game is written beside the printed numbers of its turns, in two halves."""
    turns: dict[Place, Chances] = {(row, 0): {row + 26: 0.97} for row in range(10)}
    moves: dict[Place, Chances] = {(row, at): {7 * row: 0.4} for row in range(10) for at in (1, 2)}
    written = {place: Writing(chances) for place, chances in {**turns, **moves}.items()}
    table = found({**NUMBERS})
    assert table
    beside = replace(table, written=written, rows=tuple(range(10)), columns=(0, 1, 2))
    assert _not_of_numbers(beside) == "words or signs instead of numbers"
    points = {place: Writing({7 * place[0] + 3 * place[1]: 0.97}) for place in moves}
    played = replace(beside, written={**written, **points})
    assert _not_of_numbers(played) == ""


class Pages:
    """Stands for the reading of cells: all are written in, and each look is noted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, glance: Chances, *, points: bool) -> None:
        self.glance, self.points = glance, points
        self.looks: list[tuple[int, bool]] = []  # How many cells were read, and whether so at once
        self.box = Box(0, 0, 10, 10)  # around both strokes of each cell
        monkeypatch.setattr(cell_module, "inks", lambda flat, places: self.inks(places))
        monkeypatch.setattr(number_module, "read", self.read)

    def inks(self, places: Sequence[Place]) -> Mapping[Place, Ink]:
        """All of these cells with ink."""
        return dict.fromkeys(places, Ink(WHITE.astype(np.float32), (self.box, self.box)))

    def read(
        self, flat: FlatGrid, places: Sequence[Place], *, at_a_glance: bool = False
    ) -> Mapping[Place, Writing]:
        found = [*cell_module.inks(flat, places)]
        self.looks.append((len(found), at_a_glance))
        return dict.fromkeys(found, Writing(self.glance, has_point=self.points))


DOWN, ACROSS = np.arange(31) * 20.0, np.arange(21) * 20.0
LARGE_LATTICE = Lattice(np.stack(np.meshgrid(ACROSS, DOWN), axis=-1), DOWN, ACROSS)
WHITE = np.full((620, 620), 240, np.uint8)


@pytest.mark.parametrize(
    ("glance", "points", "refusal"),
    [
        ({7: 0.2}, False, "words or signs at a glance"),
        ({1230: 0.97}, True, PRICES),
    ],
)
def test_what_a_few_cells_show_is_refused_before_the_others_are_read(
    glance: Chances, points: bool, refusal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = Pages(monkeypatch, glance, points=points)
    assert examine(LARGE_LATTICE, WHITE).refusal == refusal
    assert len(pages.looks) <= 4
    assert max(count for count, _ in pages.looks) < 2 * SAMPLE


@pytest.mark.parametrize(
    ("is_ruled", "cells", "is_read"), [(False, 20, False), (True, 20, True), (False, 8, True)]
)
def test_a_page_of_text_is_given_up_where_two_thirds_are_words(
    is_ruled: bool, cells: int, is_read: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between lines they may be a sheet's print, and a few cells are soon read."""
    pages = Pages(monkeypatch, {}, points=False)

    def read(flat: FlatGrid, places: Sequence[Place], **_: bool) -> Mapping[Place, Writing]:
        pages.looks.append((len(places), False))
        chances: list[Chances] = [{37: 0.97}, {7: 0.2}, {7: 0.2}]
        return {place: Writing(chances[number % 3]) for number, place in enumerate(places)}

    monkeypatch.setattr(number_module, "read", read)
    lines = np.arange(cells + 1) * 20.0
    lattice = Lattice(np.stack(np.meshgrid(lines, lines), axis=-1), lines, lines)
    examine(lattice, WHITE, is_ruled=is_ruled)
    assert (max(count for count, _ in pages.looks) == cells**2) is is_read


def test_a_table_that_is_read_surely_is_read_from_one_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = Pages(monkeypatch, {37: 0.97}, points=False)
    examine(LARGE_LATTICE, WHITE)
    assert [at_a_glance for _, at_a_glance in pages.looks] == [True, False]
    assert pages.looks[1][0] == 30 * 20


def test_a_table_that_is_read_fairly_well_is_looked_at_from_all_sides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Upside down, 86 and 90 are numbers, too."""
    pages = Pages(monkeypatch, {86: 0.6}, points=False)
    examine(LARGE_LATTICE, WHITE)
    assert [at_a_glance for _, at_a_glance in pages.looks] == [*[True] * 4, False]


@pytest.mark.parametrize("shape", [(40, 10), (10, 40)], ids=["level", "upright"])
def test_words_are_not_read_from_the_side(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There they look like digits."""
    pages = Pages(monkeypatch, {7: 0.2}, points=False)
    pages.box = Box(0, 0, *shape)
    assert examine(LARGE_LATTICE, WHITE).refusal == "words or signs at a glance"
    assert len(pages.looks) == 2


def test_a_table_whose_last_row_holds_names_is_read_upside_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = np.arange(5) * 20.0
    lattice = Lattice(np.stack(np.meshgrid(lines, lines), axis=-1), lines, lines)
    Pages(monkeypatch, {8: 0.97}, points=False)

    def read(flat: FlatGrid, places: Sequence[Place], **_: bool) -> Mapping[Place, Writing]:
        names = 3 if flat.lattice.corners[0, 0, 0] == 0 else 0
        numbers: list[Chances] = [{18 + at: 0.9} if names else {81 - at: 0.95} for at in range(4)]
        return {
            place: Writing({4: 0.1} if place[0] == names else numbers[place[1]]) for place in places
        }

    monkeypatch.setattr(number_module, "read", read)
    examined = examine(lattice, WHITE)
    assert examined.table
    assert (examined.table.head_rows, examined.table.numbers[0]) == ((0,), [81, 80, 79, 78])


def test_a_large_table_with_little_in_its_middle_is_looked_at_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = Pages(monkeypatch, {37: 0.97}, points=False)
    corner = [(row, at) for row in range(4) for at in range(4)]
    monkeypatch.setattr(
        cell_module,
        "inks",
        lambda flat, places: pages.inks(corner if len(places) == 30 * 20 else []),
    )
    examine(LARGE_LATTICE, WHITE)
    assert pages.looks == [(0, True), (16, True), (16, False)]


def test_more_columns_than_a_table_may_have_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages(monkeypatch, {37: 0.97}, points=False)
    assert examine(LARGE_LATTICE.turned(1), WHITE).refusal
    assert [at_a_glance for _, at_a_glance in pages.looks] == [True]


def test_ink_among_a_tables_numbers_is_seldom_none() -> None:
    clear: Chances = {5: 0.92, 6: 0.005}
    doubtful = [{5: 0.7, 6: 0.28}, {5: CORRECTED}, {5: OTHERWISE}]
    cells = {**NUMBERS, (1, 0): clear, **{(2, at): each for at, each in enumerate(doubtful)}}
    grid = found({(0, 0): {1: 0.01}, (0, 1): {1: 0.01}, (0, 2): {1: 0.01}, **cells})
    assert grid
    sure = readings(grid)
    assert sure[0, 0].confidence >= SURE
    assert all(sure[1, at].confidence < SURE for at in range(3))
