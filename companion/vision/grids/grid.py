"""Which cells of a table are heads, and what its numbers are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from companion.core.sheet import Mark
from companion.vision.core import Chances, FieldReading
from companion.vision.evidence import MOST_OTHERS, ranked
from companion.vision.grids.cells import FlatGrid, Place
from companion.vision.grids.numbers import Writing
from companion.vision.grids.sums import find_sums, of_usual_kinds, settled

# The weight of a single digit in how well numbers are read: many look alike from several sides
SINGLE: Final = 0.3
WORD: Final = 0.4  # The probability of a cell's number below which it is a word
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
# The fewest numbers of a table, and the fewest cells in a row or column of it: 2 × 3
FEWEST: Final = 3
FOLLOWING: Final = 0.7  # The share of a column's numbers that count its rows
MANY: Final = 8  # The fewest numbers that show how large others are
SURE: Final = 0.97  # The probability of a number from which nobody is asked
# How likely it is in a table that ink is no number, by how likely it is elsewhere
SELDOM: Final = 0.25


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

    @property
    def inked(self) -> list[Writing]:
        """What is written in its cells."""
        places = product(self.rows, self.columns)
        return [self.written[place] for place in places if place in self.written]


def legible(table: Grid) -> float:
    """How much is read with certainty: less if cells divide numbers or join two of them."""
    return well_read([each for each in table.inked if each.likeliest[1] >= SURE])


def share_sure(table: Grid) -> float:
    """The share of a table's numbers that nobody is asked about, without what sums say."""
    sure = [each.likeliest[1] >= SURE for each in table.inked]
    return float(np.mean(sure)) if sure else 0.0


def well_read(written: Sequence[Writing]) -> float:
    """How well numbers of several digits are read: turned, their digits stand above each other."""
    likeliest = [each.likeliest for each in written if not each.is_struck]
    return sum(sure * (1 if abs(number or 0) > 9 else SINGLE) for number, sure in likeliest)


def mean_sure(written: Sequence[Writing]) -> float:
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
        if counts_from(first) == 1:
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
            if mean_sure(inked) < worse * mean_sure(others):
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


def counts_from(column: Sequence[Writing | None]) -> int | None:
    """The number from which its cells count on, row by row; some may be read wrongly."""
    numbers = [(row, each.likeliest[0]) for row, each in enumerate(column) if each]
    starts = Counter(number - row for row, number in numbers if number is not None)
    (first, count), *_ = starts.most_common(1) or [(0, 0)]
    return first if count >= max(FEWEST, FOLLOWING * len(numbers)) else None


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
