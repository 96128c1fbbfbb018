"""Which cells of a table are heads, what its numbers are, and whether it is a table of numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.core.sheet import Mark
from companion.games.score_grid import MOST_COLUMNS, MOST_ROWS
from companion.vision.core import Chances, FieldReading, flat_area
from companion.vision.evidence import MOST_OTHERS, ranked
from companion.vision.grids import cells, numbers
from companion.vision.grids.cells import FAINTEST, ROOM, FlatGrid, Ink, Place
from companion.vision.grids.columns import WORD as APART
from companion.vision.grids.edges import DRAWN
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.numbers import Writing
from companion.vision.grids.sums import find_sums, of_usual_kinds, settled

# The factor on how well a table is read from any side but the photo's own
UPRIGHT: Final = 0.85
SIDE: Final = 12  # The rows and columns of a larger table that are looked at first
LARGE: Final = 100  # Cells of a table from which a few are read before the others
LONG: Final = 100  # The least price with a point, in cents, and the least time
SINGLE: Final = 0.3  # The weight of a single digit in that: many look alike from several sides
CLEARLY: Final = 0.75  # How well they are read from a side, 0 to 1, for no other to be tried
WORDLIKE: Final = 2.5  # The width of writing, by its height, from which it is surely level
SAMPLE: Final = 24  # Written cells that are read to see which side is up
WORD: Final = 0.4  # The probability of a cell's number below which it is a word
# The share of words among some cells at a glance from which the others are not read, and the fewest
# cells that show it
ONLY_WORDS, GLANCED = 0.9, 12
# The same for many cells without lines, of which few may be words: pages of text had 0.68 and more,
# drawn tables at most 0.1
MANY_WORDS: Final = 0.6
HEADS: Final = 0.5  # The share of words among the written cells of a row or column of heads
# The least share of written cells in a row of heads recognized by being read worse than the
# table's numbers; the most probability of theirs, in mean ones of it; the least that counts
NAMED, WORSE, LEAST = 0.8, 0.5, 0.003
WORSE_IF_WIDE: Final = 0.75  # The same in a row of writing that is wider than all below it
TALLER: Final = 1.25  # The height of names, by that of usual numbers
# The ground of a printed cell, as a share of the next one's, for light falls off slowly; the least
# probability of a number on such a ground
SHADED, PLAIN = 0.88, 0.9
MOST_HEADS: Final = 3  # The most columns or rows of heads
# The least mean probability of a table's numbers; words look like some number, too
LEGIBLE: Final = 0.55
# The fewest numbers of a table, and the fewest cells in a row or column of it: 2 × 3
FEWEST: Final = 3
# Of numbers without lines: the least share of cells that are filled; the most that are words; the
# least mean probability
FULL, FEW_WORDS, PLAINLY = 0.5, 0.2, 0.6
DARK: Final = 0.45  # The mean ink from which a cell is a dark square, such as a chessboard's
SOME: Final = 0.06  # The share of dark squares in no table
# The steps from left to right in a calendar and, in hours and minutes, in a timetable; the share of
# neighbours that are so far apart
NEXT, COUNTED = (1, 100), 0.5
FOLLOWING: Final = 0.7  # The share of a column's numbers that count its rows
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
SURE: Final = 0.97  # The probability of a number from which nobody is asked
# How likely it is in a table that ink is no number, by how likely it is elsewhere
SELDOM: Final = 0.25
# Refusals of what else has numbers in rows and columns
PRICES: Final = "prices or times"
CALENDAR: Final = "a calendar or timetable"
OTHERS: Final = ("a sudoku", CALENDAR, PRICES, "a bingo card", "printed scales")
# Refusals of writing that may be a table's in a mirror, whose cells were not all read
WORDS: Final = ("words or signs at a glance", "nothing but heads")


@dataclass(frozen=True, eq=False)
class Grid:
    """The part of a table that can be written in."""

    flat: FlatGrid
    rows: tuple[int, ...]  # the table's rows, without heads and gaps
    columns: tuple[int, ...]
    head_rows: tuple[int, ...]
    head_columns: tuple[int, ...]
    written: Mapping[Place, Writing]

    def chances(self, row: int, column: int) -> Chances:
        """The probabilities of a cell's numbers; counted from 0, empty for an empty cell."""
        writing = self.written.get((self.rows[row], self.columns[column]))
        return writing.chances if writing else {}

    @property
    def numbers(self) -> list[list[int | None]]:
        """The likeliest number of each cell."""
        places = [[(row, column) for column in self.columns] for row in self.rows]
        return [
            [self.written[at].likeliest[0] if at in self.written else None for at in line]
            for line in places
        ]


@dataclass(frozen=True, eq=False)
class Examined:
    """Cells that may be a table's, and what was found in them."""

    lattice: Lattice
    is_ruled: bool  # whether lines are drawn between them
    refusal: str  # why they are not a table, for a developer; "" for a table
    grid: Grid | None = None  # as far as they were read

    @property
    def table(self) -> Grid | None:
        """The numbers, if these are a table's."""
        return None if self.refusal else self.grid


def examine(
    lattice: Lattice,
    photo: npt.NDArray[np.uint8],
    *,
    is_ruled: bool = True,
    at_a_glance: bool = False,
) -> Examined:
    """Reads the numbers in some cells.

    Args:
        is_ruled: whether lines are drawn between the cells; else more of them have to be numbers.
        at_a_glance: whether it is enough to see that there are numbers.
    """
    looked = _first_look(lattice, photo, is_ruled=is_ruled)
    if isinstance(looked, str):
        return Examined(lattice, is_ruled, looked)
    quarters, turned = looked
    rows, columns = (len({place[axis] for place in turned.places}) for axis in (0, 1))
    if rows > MOST_ROWS + MOST_HEADS or columns > MOST_COLUMNS + MOST_HEADS:
        return Examined(lattice, is_ruled, "more rows or columns than a table has")
    grid = _read(turned, at_a_glance=at_a_glance)
    if grid and _ends_with_words(grid):
        over = _read(FlatGrid.of(lattice.turned(quarters + 2), photo), at_a_glance=at_a_glance)
        if over and over.head_rows and _mean_sure(_inked(over)) > _mean_sure(_inked(grid)):
            grid = over
    if grid is None:
        return Examined(lattice, is_ruled, WORDS[1])
    refusal = _not_of_numbers(grid) or ("" if is_ruled else _not_plain(grid))
    return Examined(lattice, is_ruled, refusal, grid)


def _first_look(
    lattice: Lattice, photo: npt.NDArray[np.uint8], *, is_ruled: bool
) -> tuple[int, FlatGrid] | str:
    """(by how many quarters cells are turned to be read, these cells), or why they are no table's,
    by their shapes and by what a few of them show.
    """
    if lattice.is_slim:
        return "cells far from square"
    if lattice.is_loose:
        return "lines far from the others"
    middle = _middle(lattice)
    flat = FlatGrid.of(middle, photo)
    dark = [float(np.mean(1 - flat.even[cells.inner(flat, place)])) for place in flat.places]
    if len(dark) < 2 * FEWEST:
        return "too few cells"
    if np.mean(np.array(dark) > DARK) > SOME:
        return "dark squares"
    is_whole = middle.corners.shape == lattice.corners.shape
    part, sides = sample(flat)
    quarters, seen = _best_side(part, sides, photo)
    if len(seen) < GLANCED and not is_whole:
        part, sides = sample(FlatGrid.of(lattice, photo))
        quarters, seen = _best_side(part, sides, photo)
    words = sum(each.likeliest[1] < WORD for each in seen.values())
    is_large = len(lattice.down) * len(lattice.across) > LARGE
    most = MANY_WORDS if is_large and not is_ruled else ONLY_WORDS
    if len(seen) >= GLANCED and words >= most * len(seen):
        return WORDS[0]
    if is_large and (refusal := _no_points(seen, part.turned(quarters), photo)):
        return refusal
    is_turned = quarters or not is_whole
    return quarters, FlatGrid.of(lattice.turned(quarters), photo) if is_turned else flat


def _read(flat: FlatGrid, *, at_a_glance: bool) -> Grid | None:
    return without_heads(flat, numbers.read(flat, flat.places, at_a_glance=at_a_glance))


def _ends_with_words(grid: Grid) -> bool:
    """Whether the last row instead of the first one holds names, as in a table upside down."""
    last = [
        grid.written[grid.rows[-1], at]
        for at in grid.columns
        if (grid.rows[-1], at) in grid.written
    ]
    return not grid.head_rows and len(last) > 1 and all(each.likeliest[1] < WORD for each in last)


def _no_points(seen: Mapping[Place, Writing], part: Lattice, photo: npt.NDArray[np.uint8]) -> str:
    """Why some cells of a large table show something else than points, or ""."""
    if _is_following(seen):
        return CALENDAR
    long = sum(abs(each.likeliest[0] or 0) >= LONG for each in seen.values())
    if long < max(MANY, POINTED * len(seen)):
        return ""
    few = FlatGrid.of(part, photo)
    pointed = sum(each.has_point for each in numbers.read(few, few.places).values())
    return PRICES if pointed >= POINTED * len(seen) else ""


def _best_side(
    part: Lattice, sides: Sequence[int], photo: npt.NDArray[np.uint8]
) -> tuple[int, Mapping[Place, Writing]]:
    """(by how many quarters some cells are turned to be read best, what is read then).

    Args:
        sides: by how many they may be turned.
    """
    looks: list[Mapping[Place, Writing]] = []
    scores: list[float] = []
    for quarters in sides:
        looks.append(glance(part.turned(quarters), photo))
        scores.append(_legible([*looks[-1].values()]) * (UPRIGHT if quarters else 1))
        if scores[-1] >= CLEARLY * len(looks[-1]):
            break
    best = int(np.argmax(scores))
    return sides[best], looks[best]


def sample(flat: FlatGrid) -> tuple[Lattice, Sequence[int]]:
    """(a part of a table, by how many quarters it may be turned for its writing to be level).

    It has some written cells, as close together as they stand. The table's heads, at the top and
    at the left, are the first to be left out.
    """
    inks = cells.inks(flat, flat.places)
    inked = np.zeros([len(at) - 1 for at in (flat.lattice.down, flat.lattice.across)], bool)
    for place in inks:
        inked[place] = True
    top, left, (bottom, right) = 0, 0, inked.shape
    while True:
        part = inked[top:bottom, left:right]
        sides = (part[0], part[-1]) if bottom - top >= right - left else (part[:, 0], part[:, -1])
        first, last = (int(side.sum()) for side in sides)
        if max(part.shape) <= 2 or part.sum() - min(first, last) < SAMPLE:
            break
        is_first = first <= last
        if bottom - top >= right - left:
            top, bottom = top + is_first, bottom - (not is_first)
        else:
            left, right = left + is_first, right - (not is_first)
    kept = [inks[row + top, at + left] for row, at in np.argwhere(part).tolist()]
    return _part(flat.lattice, slice(top, bottom + 1), slice(left, right + 1)), _sides(kept)


def _sides(inks: Sequence[Ink]) -> Sequence[int]:
    """The quarter turns to try: words are wider than high, and look like digits from the side."""
    boxes = [numbers.extent(ink.strokes) for ink in inks if len(ink.strokes) > 1]
    if len(boxes) < GLANCED:
        return range(4)
    lying = float(np.median([box.width / box.height for box in boxes]))
    if 1 / WORDLIKE < lying < WORDLIKE:
        return range(4)
    return (0, 2) if lying > 1 else (1, 3)


def _middle(lattice: Lattice) -> Lattice:
    """The cells in the middle of a large table, or all."""
    first = [max(lines - 1 - SIDE, 0) // 2 for lines in lattice.corners.shape[:2]]
    return _part(lattice, *(slice(at, at + SIDE + 1) for at in first))


def _part(lattice: Lattice, down: slice, across: slice) -> Lattice:
    return Lattice(lattice.corners[down, across], lattice.down[down], lattice.across[across])


def glance(lattice: Lattice, photo: npt.NDArray[np.uint8]) -> Mapping[Place, Writing]:
    """What is written in some cells, read in a fifth of the time."""
    flat = FlatGrid.of(lattice, photo)
    return numbers.read(flat, flat.places, at_a_glance=True)


def _inked(table: Grid) -> list[Writing]:
    places = product(table.rows, table.columns)
    return [table.written[place] for place in places if place in table.written]


def legible(table: Grid) -> float:
    """How much is read with certainty: less if cells divide numbers or join two of them."""
    return _legible([each for each in _inked(table) if each.likeliest[1] >= SURE])


def share_sure(table: Grid) -> float:
    """The share of a table's numbers that nobody is asked about, without what sums say."""
    sure = [each.likeliest[1] >= SURE for each in _inked(table)]
    return float(np.mean(sure)) if sure else 0.0


def legibility(lattice: Lattice, photo: npt.NDArray[np.uint8]) -> float:
    """How well numbers are read in some cells at a glance, 0 to 1."""
    written = [*glance(lattice, photo).values()]
    return _legible(written) / max(len(written), FEWEST)


def _legible(written: Sequence[Writing]) -> float:
    """How well numbers of several digits are read: turned, their digits stand above each other."""
    likeliest = [each.likeliest for each in written if not each.is_struck]
    return sum(sure * (1 if abs(number or 0) > 9 else SINGLE) for number, sure in likeliest)


def _mean_sure(written: Sequence[Writing]) -> float:
    """The geometric mean of the likeliest numbers' probabilities; 1 where all are struck.

    In this mean a number that looks like a word weighs more than a word that looks like a number.
    """
    sure = [max(each.likeliest[1], LEAST) for each in written if not each.is_struck]
    return float(np.exp(np.mean(np.log(sure or [1.0]))))


def without_heads(flat: FlatGrid, written: Mapping[Place, Writing]) -> Grid | None:
    """The rows and columns between the heads."""
    rows, columns = (sorted({place[axis] for place in flat.places}) for axis in (0, 1))
    left = _Left(flat, written, rows, columns)
    head_rows: list[int] = []
    head_columns: list[int] = []
    for _ in range(2 * MOST_HEADS):
        if len(rows) < 2 or not columns:
            return None
        if left.begins_with_column_of_heads(len(head_columns)):
            head_columns.append(columns.pop(0))
        elif left.begins_with_row_of_heads(len(head_rows)):
            head_rows.append(rows.pop(0))
        elif not any((rows[0], column) in written for column in columns) and not head_rows:
            head_rows.append(rows.pop(0))  # Nobody wrote the names.
    filled = [any((row, at) in written for row in head_rows + rows) for at in columns]
    are_named = any((row, at) in written for row in head_rows for at in columns)
    # An outer column holds nothing, nor does its head: the paper's own lines go on beside a table.
    if len(columns) > 3 and are_named and not filled[-1] and all(filled[1:-1]):
        columns.pop()
        filled.pop()
    if len(columns) > 2 and not filled[0] and all(filled[1:]):
        head_columns.append(columns.pop(0))
    if len(columns) > 1:
        first = [written.get((row, columns[0])) for row in rows]
        if _counts_from(first) == 1:
            head_columns.append(columns.pop(0))  # The rounds' numbers are no points.
    return Grid(flat, tuple(rows), tuple(columns), tuple(head_rows), tuple(head_columns), written)


@dataclass(frozen=True, eq=False)
class _Left:
    """What is left of a table without the heads that were seen."""

    flat: FlatGrid
    written: Mapping[Place, Writing]
    rows: Sequence[int]
    columns: Sequence[int]

    def begins_with_column_of_heads(self, before: int) -> bool:
        """Whether the first column is one of heads.

        Args:
            before: how many columns of heads there are before it.
        """
        first, names, _ = self._words([(self.rows[0], column) for column in self.columns])
        # A name says nothing of the numbers below it.
        rows = self.rows[1:] if names > HEADS * len(first) else self.rows
        places = [(row, self.columns[0]) for row in rows]
        inked, words, lines = self._words(places)
        if inked and not before and words + lines == len(inked):
            return True  # The rest is too pale to be seen.
        if before and words + lines < 2:
            return False  # One doubtful number below a head is none.
        plain = sum(each.likeliest[1] >= PLAIN for each in inked)
        printed = sum(self._is_printed(at) for at in places)
        return words > HEADS * len(inked) or printed > max(HEADS * len(places), 2 * plain)

    def begins_with_row_of_heads(self, before: int) -> bool:
        """The same of the first row."""
        places = [(self.rows[0], column) for column in self.columns]
        inked, words, lines = self._words(places)
        below = [at for at in product(self.rows[1:], self.columns) if at in self.written]
        under = [self.written[at] for at in below]
        if inked and not before and words + lines == len(inked):
            return True
        if not before and _are_larger(inked, under):
            return True  # Names are, and some look like numbers.
        if before and words + lines < 2:
            return False
        inner = [at for at in below if at[1] != self.columns[0]]
        if inner and len(inked) >= max(2, NAMED * len({at[1] for at in inner})):
            others = [self.written[at] for at in inner]
            worse = WORSE_IF_WIDE if _are_wider(inked, under) else WORSE
            if _mean_sure(inked) < worse * _mean_sure(others):
                return True
        # Below names, numbers in an unclear hand look like words, too.
        return words > HEADS * len(inked) and not before

    def _words(self, places: Sequence[Place]) -> tuple[Sequence[Writing], int, int]:
        """(the writing in some cells, how much of it are words, how much are strokes)."""
        inked = [self.written[place] for place in places if place in self.written]
        words = [each for each in inked if each.likeliest[1] < WORD]
        # Words in small print look like strokes; nobody strikes a whole row of numbers.
        lines = sum(each.is_struck and each not in words for each in inked)
        return inked, len(words), lines

    def _is_printed(self, place: Place) -> bool:
        """Whether its ground is darker than the next cell's, and no number is read there."""
        grounds = self.flat.grounds
        beside = [grounds.get((place[0], column), 0.0) for column in self.columns[1:2]]
        is_shaded = grounds.get(place, 0.0) < SHADED * sum(beside)
        is_number = place in self.written and self.written[place].likeliest[1] >= PLAIN
        return is_shaded and not is_number


def _are_larger(some: Sequence[Writing], others: Sequence[Writing]) -> bool:
    """Whether each of them is wider than all others, and higher than a usual one."""
    height = min((each.size[1] for each in some), default=0.0)
    usual = TALLER * np.median([each.size[1] for each in others] or [0.0])
    return _are_wider(some, others) and bool(height > usual)


def _are_wider(some: Sequence[Writing], others: Sequence[Writing]) -> bool:
    """Whether each of them is wider than all others."""
    if len(some) < 2 or len(others) < MANY:
        return False
    return min(each.size[0] for each in some) > max(each.size[0] for each in others)


def _counts_from(column: Sequence[Writing | None]) -> int | None:
    """The number from which its cells count on, row by row; some may be read wrongly."""
    numbers = [(row, each.likeliest[0]) for row, each in enumerate(column) if each]
    starts = Counter(number - row for row, number in numbers if number is not None)
    (first, count), *_ = starts.most_common(1) or [(0, 0)]
    return first if count >= max(FEWEST, FOLLOWING * len(numbers)) else None


def _not_of_numbers(grid: Grid) -> str:
    """Why what is written is not mostly numbers, or one of `OTHERS`; else ""."""
    lines = [[grid.written.get((row, at)) for row in grid.rows] for at in grid.columns]
    if len(grid.rows) >= MANY:
        # Words may stand beside the printed numbers of their rows.
        lines = [column for column in lines if _counts_from(column) is None]
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


def _not_plain(grid: Grid) -> str:
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


def _as_number(chances: Chances) -> Chances:
    """The probabilities of ink that stands among a table's numbers."""
    read = sum(chances.values())
    whole = read + SELDOM * (1 - read)
    return {mark: chance / whole for mark, chance in chances.items()}


def readings(grid: Grid) -> dict[Place, FieldReading]:
    """The number of each cell, by its row and column from 0, with what the table's others say."""
    columns = [
        [_as_number(grid.chances(row, column)) for row in range(len(grid.rows))]
        for column in range(len(grid.columns))
    ]
    sum_rows = find_sums(columns)
    found = {}
    for column, ink in enumerate(of_usual_kinds(columns, sum_rows)):
        for row, chances in enumerate(settled(ink, sum_rows)):
            (value, sure), *others = ranked(chances) or [(None, 1.0 if not ink[row] else 0.0)]
            alternatives: list[tuple[Mark, float]] = others[:MOST_OTHERS]
            found[row, column] = FieldReading(value, min(sure, 1.0), tuple(alternatives))
    return found
