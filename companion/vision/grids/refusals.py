"""What has numbers in rows and columns, and is no table of points: sudokus, calendars, prices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.games.score_grid import MOST_COLUMNS, MOST_ROWS
from companion.vision.core import flat_area
from companion.vision.grids import cells, numbers
from companion.vision.grids.cells import FAINTEST, ROOM, FlatGrid, Ink, Place
from companion.vision.grids.columns import WORD as APART
from companion.vision.grids.edges import DRAWN
from companion.vision.grids.grid import FEWEST, PLAIN, WORD, Grid, counts_from
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.numbers import Writing

LONG: Final = 100  # The least price with a point, in cents, and the least time
GLANCED: Final = 12  # The fewest cells of which a few, or one look, show what they are
# The least mean probability of a table's numbers; words look like some number, too
LEGIBLE: Final = 0.55
# Of numbers without lines: the least share of cells that are filled; the most that are words; the
# least mean probability
FULL, FEW_WORDS, PLAINLY = 0.5, 0.2, 0.6
# The steps from left to right in a calendar and, in hours and minutes, in a timetable; the share of
# neighbours that are so far apart
NEXT, COUNTED = (1, 100), 0.5
# The least columns of a sheet with scales; the share of a row's steps that count, and of such rows
SCALE, STEPS, SCALES = 5, 0.65, 0.5
# The share of equal numbers in no table, from `GLANCED` numbers on: scribbles look like one digit
SAME: Final = 0.8
# A sudoku is square with so many cells on each side, and so many of its numbers are single digits
SUDOKU, DIGITS = 9, 0.9
# The least rows and columns of a part of it; the share of these rows in which some cells, but no
# larger share of them, are filled
PART, SCATTERED = 6, 0.7
# The share of a column's cells with a point or colon, from which these are prices or times, and the
# share of such columns: of prices, euros may be a column of their own
POINTED, PRICED = 0.75, 0.5
# How many numbers each column of a bingo card of so many columns is drawn from; the fewest that
# show it, and the least share of them: some are crossed out, and letters look like others
BINGO: Final = {5: 15, 9: 10}
MANY, RANGED = 8, 0.8
# Refusals of what else has numbers in rows and columns
PRICES: Final = "prices or times"
CALENDAR: Final = "a calendar or timetable"
OTHERS: Final = ("a sudoku", CALENDAR, PRICES, "a bingo card", "printed scales")
# Refusals of writing that may be a table's in a mirror, whose cells were not all read
WORDS: Final = ("words or signs at a glance", "nothing but heads")


def no_points(seen: Mapping[Place, Writing], part: Lattice, photo: npt.NDArray[np.uint8]) -> str:
    """Why some cells of a large table show something else than points, or ""."""
    if _is_following(seen):
        return CALENDAR
    long = sum(abs(each.likeliest[0] or 0) >= LONG for each in seen.values())
    if long < max(MANY, POINTED * len(seen)):
        return ""
    few = FlatGrid.of(part, photo)
    pointed = sum(each.has_point for each in numbers.read(few, few.places).values())
    return PRICES if pointed >= POINTED * len(seen) else ""


def not_of_numbers(grid: Grid) -> str:
    """Why what is written is not mostly numbers, or one of `OTHERS`; else ""."""
    lines = [[grid.written.get((row, at)) for row in grid.rows] for at in grid.columns]
    if len(grid.rows) >= MANY:
        # Words may stand beside the printed numbers of their rows.
        lines = [column for column in lines if counts_from(column) is None]
    # What looks struck says nothing: squares of a board do, too.
    inked = [each for column in lines for each in column if each and not each.is_struck]
    sure = [each.likeliest[1] for each in inked]
    if len(sure) < FEWEST or len(grid.rows) * len(grid.columns) < 2 * FEWEST:
        return "too few numbers"
    if len(grid.rows) > MOST_ROWS or len(grid.columns) > MOST_COLUMNS:
        return "more rows or columns than a table has"
    if sum(sure) < LEGIBLE * len(sure):
        return "words or signs instead of numbers"
    # Many tables of victories or of mistakes have nothing but ones.
    equal = Counter(number for each in inked if (number := each.likeliest[0] or 0) > 1)
    if len(inked) >= GLANCED and max(equal.values(), default=0) >= SAME * len(inked):
        return "one number everywhere"
    if _is_sudoku(grid):
        return "a sudoku"
    inside = {place for place in grid.written if place[0] in grid.rows and place[1] in grid.columns}
    if _is_following({place: grid.written[place] for place in inside}):
        return CALENDAR
    if _share_priced(grid) >= PRICED:
        return PRICES
    if _is_in_ranges(grid):
        return "a bingo card"
    return "printed scales" if _are_scales(grid) else ""


def _is_sudoku(grid: Grid) -> bool:
    """Whether single digits fill a square, or are scattered over one or a part of one."""
    rows, columns = (sorted({place[axis] for place in grid.flat.places}) for axis in (0, 1))
    read = [each.likeliest[0] or 0 for each in grid.written.values() if not each.is_struck]
    in_range = sum(1 <= number <= SUDOKU for number in read)
    if len(grid.rows) == len(grid.columns) == SUDOKU and in_range >= DIGITS * len(read):
        return True
    if sum(0 <= number <= SUDOKU for number in read) < DIGITS * len(read):
        return False
    if min(len(rows), len(columns)) < PART or max(len(rows), len(columns)) > SUDOKU:
        return False
    # People fill a table row by row.
    filled = np.array([sum((row, at) in grid.written for at in columns) for row in rows])
    return bool(np.mean((filled > 0) & (filled < SCATTERED * len(columns))) >= SCATTERED)


def _is_following(written: Mapping[Place, Writing]) -> bool:
    """Whether many numbers are one day, or one hour, after the number before."""
    read = {place: each.likeliest[0] or 0 for place, each in written.items()}
    # Hours and minutes may be columns of their own.
    times = {
        (row, column): LONG * read[row, column - 1] + number
        for (row, column), number in read.items()
        if read.get((row, column - 1))
    }
    return max(_share_following(read, 1), _share_following(times, 2)) >= COUNTED


def _share_following(read: Mapping[Place, int], away: int) -> float:
    """The share of numbers that are the next of the one some columns before."""
    steps = [
        number - read[row, column - away]
        for (row, column), number in read.items()
        if read.get((row, column - away))
    ]
    return sum(step in NEXT for step in steps) / len(steps) if len(steps) >= 2 * FEWEST else 0.0


def _are_scales(grid: Grid) -> bool:
    """Whether rows count up or down from field to field, as on the sheets of some games."""
    if len(grid.columns) < SCALE:
        return False
    counting = sum(
        _is_scale([grid.written.get((row, at)) for at in grid.columns]) for row in grid.rows
    )
    return counting >= max(2, SCALES * len(grid.rows))


def _is_scale(row: Sequence[Writing | None]) -> bool:
    """Whether numbers count up or down; what is crossed out looks struck, or like a zero."""
    numbers = [
        (at, number)
        for at, each in enumerate(row)
        if each and not each.is_struck and (number := each.likeliest[0])
    ]
    steps = [(number - before, at - left) for (left, before), (at, number) in pairwise(numbers)]
    rising, falling = (sum(step == way * gap for step, gap in steps) for way in (1, -1))
    return max(rising, falling) >= max(2, STEPS * len(steps))


def _share_priced(grid: Grid) -> float:
    """The share of columns that hold prices or times, some of them divided at their points."""
    alone = [_are_pointed(grid, [column]) for column in grid.columns]
    priced = alone.copy()
    for left, pair in enumerate(pairwise(grid.columns)):
        if not any(alone[left : left + 2]) and _are_pointed(grid, pair):
            priced[left : left + 2] = True, True
    return float(np.mean(priced))


def _are_pointed(grid: Grid, columns: Sequence[int]) -> bool:
    """Whether a point or colon stands in most rows of some columns."""
    rows = [
        [grid.written[row, at].has_point for at in columns if (row, at) in grid.written]
        for row in grid.rows
    ]
    points = [any(row) for row in rows if row]
    return sum(points) >= max(FEWEST, POINTED * len(points))


def _is_in_ranges(grid: Grid) -> bool:
    """Whether nearly all numbers are in their column's range, as in bingo."""
    size = BINGO.get(len(grid.columns))
    if size is None:
        return False
    likeliest = [
        (column, *writing.likeliest)
        for column, at in enumerate(grid.columns)
        for row in grid.rows
        if (writing := grid.written.get((row, at))) and not writing.is_struck
    ]
    ranges = [
        (column, (number - 1) // size)
        for column, number, sure in likeliest
        if number is not None and sure >= PLAIN
    ]
    of_column = sum(column == its for column, its in ranges)
    return len(ranges) >= MANY and of_column >= RANGED * len(ranges)


def not_plain(grid: Grid) -> str:
    """Why numbers without lines are not a table; "" if most cells hold one, and few a word."""
    if len(grid.rows) < 2 or len(grid.columns) < 2:
        return "a single row or column without lines"
    inked = [grid.chances(*at) for at in np.ndindex(len(grid.rows), len(grid.columns))]
    sure = [max(chances.values()) for chances in inked if chances]
    words = sum(each < WORD for each in sure)
    if len(sure) < FULL * len(inked):
        return "too many empty cells without lines"
    if words > FEW_WORDS * len(sure) or float(np.mean(sure)) < PLAINLY:
        return "words or signs without lines"
    return "digits of the same numbers" if _share_close(grid) >= PRICED else ""


def _share_close(grid: Grid) -> float:
    """The share of columns that are as close to another one as the digits of a number.

    Such columns are parts of one: of prices, whose points are too small to be seen, for example.
    """
    found = cells.inks(grid.flat, grid.flat.places)
    most = APART * numbers.usual_height([*found.values()])
    is_close = np.zeros(len(grid.columns), bool)
    for left, pair in enumerate(pairwise(grid.columns)):
        gaps = [
            _gap(grid.flat, found, row, pair)
            for row in grid.rows
            if all((row, at) in found for at in pair)
        ]
        if gaps and np.median(gaps) < most:
            is_close[left : left + 2] = True
    return float(np.mean(is_close))


def _gap(flat: FlatGrid, found: Mapping[Place, Ink], row: int, pair: tuple[int, int]) -> float:
    """The pixels between the writing in a row's cells of two columns; infinite across a line."""
    starts = [flat_area(flat.box((row, at)), ROOM)[1].start for at in pair]
    left, right = (numbers.extent(found[row, at].strokes) for at in pair)
    stop, start = round(starts[0] + left.x + left.width), round(starts[1] + right.x)
    between = 1 - flat.even[flat_area(flat.box((row, pair[0])))[0], stop : max(start, stop + 1)]
    is_drawn = np.mean(between.max(axis=1, initial=0) > FAINTEST) >= DRAWN
    return np.inf if is_drawn else start - stop
