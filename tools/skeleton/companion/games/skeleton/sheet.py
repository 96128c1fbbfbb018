"""One filled-in sheet: the numbers that its fields take, and its score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from companion.core.numbers import FieldName, NumberSheet
from companion.core.refusal import Refusal
from companion.core.values import Document

DICE: Final = 2
SUMS: Final = range(DICE, 6 * DICE + 1)
PLACES: Final = (1, 2, 3)

# Row → its fields, from the left
ROWS: Final[Mapping[str, tuple[FieldName, ...]]] = {
    row: tuple(f"{row}{place}" for place in PLACES) for row in "ABC"
}
RANGES: Final = {field: SUMS for fields in ROWS.values() for field in fields}


@dataclass(frozen=True)
class SkeletonSheet(NumberSheet):
    NAME = "skeleton"

    @property
    def ranges(self) -> Mapping[FieldName, range]:
        return RANGES

    def refusal(self, field: FieldName, number: int) -> Refusal | None:
        """Why a number may not be written in a field; the rules and the page both ask.

        What else a rule forbids goes here, and into `problems` for sheets filled in on paper.
        """
        return self.taken(field)

    def row_points(self, row: str) -> int:
        """A full row is worth its sum, and twice that if its numbers grow; any other one nothing.

        >>> SkeletonSheet().filled({"A1": 2, "A2": 5, "A3": 6}).row_points("A")
        26
        """
        numbers = [number for number in self.line(ROWS[row]) if number is not None]
        if len(numbers) < len(PLACES):
            return 0
        return sum(numbers) * (2 if all(one < next_ for one, next_ in pairwise(numbers)) else 1)

    def score(self) -> Document:
        rows = {row: self.row_points(row) for row in ROWS}
        return {"rows": rows, "total": sum(rows.values())}
