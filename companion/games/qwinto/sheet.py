"""The Qwinto sheet that both Qwinto games share: legal numbers, problems and score.

It knows neither dice nor cards. Sources: the chapters "Entering numbers" and "End of game and
scoring" of both rule texts. Readings where they are silent: `docs/rules.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import chain, pairwise, product
from typing import Final, Self, TypeAlias

from companion.core.colors import COLOR_WORDS
from companion.core.numbers import FieldName, Numbers, NumberSheet, read_numbers
from companion.core.refusal import Refusal, counted
from companion.core.values import Document
from companion.core.words import N_

Color: TypeAlias = str

COLORS: Final = ("orange", "yellow", "purple")  # The rows from top to bottom

FIELDS: Final = 9  # Fields in a row; the missing field is not counted

# The column (0–11, from the left) of each field of a row
COLUMNS: Final[Mapping[Color, tuple[int, ...]]] = {
    "orange": (2, 3, 4, 6, 7, 8, 9, 10, 11),
    "yellow": (1, 2, 3, 4, 5, 7, 8, 9, 10),
    "purple": (0, 1, 2, 3, 5, 6, 7, 8, 9),
}

BONUS_COLUMNS: Final = (2, 3, 7, 8, 9)  # The columns with three fields, left to right

# Bonus column → the row whose field there is the pentagon
PENTAGONS: Final[Mapping[int, Color]] = {
    2: "purple",
    3: "orange",
    7: "orange",
    8: "yellow",
    9: "purple",
}

LOWEST, HIGHEST = 1, 18
FAILED_ATTEMPTS: Final = 4  # The fourth failed attempt ends the game
FAILED_POINTS: Final = -5
FULL_ROWS_TO_END: Final = 2
SHEETS_KEPT: Final = 2048  # of (sheet, row, number) in the cache of open fields, 2 kB each

# Column → the index of its field in the row
_FIELD_AT: Final[Mapping[Color, Mapping[int, int]]] = {
    color: dict(zip(columns, range(FIELDS), strict=True)) for color, columns in COLUMNS.items()
}


def _others_in_column(color: Color, index: int) -> list[tuple[Color, int]]:
    """The other fields in a field's column, as (row, index from 0)."""
    column = COLUMNS[color][index]
    others = []
    for other in COLORS:
        if other != color and column in _FIELD_AT[other]:
            others.append((other, _FIELD_AT[other][column]))
    return others


_NEIGHBORS: Final = {
    (color, index): _others_in_column(color, index)
    for color, index in product(COLORS, range(FIELDS))
}


ROWS: Final[Mapping[Color, tuple[FieldName, ...]]] = {
    color: tuple(f"{color}.{field}" for field in range(1, FIELDS + 1)) for color in COLORS
}
RANGES: Final = dict.fromkeys(chain(*ROWS.values()), range(LOWEST, HIGHEST + 1))


@dataclass(frozen=True)
class QwintoSheet(NumberSheet):
    """One player's filled-in sheet."""

    NAME = "qwinto"

    failed: int = 0

    @property
    def ranges(self) -> Mapping[FieldName, range]:
        return RANGES

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        """The sheet of a public sheet document.

        Raises:
            Unusable: a row is missing, not of nine whole numbers or nulls, or `failed` is not 0–4.
        """
        numbers: dict[FieldName, int | None] = {}
        for color, fields in ROWS.items():
            numbers |= zip(fields, read_numbers(document.get(color), color, FIELDS), strict=True)
        return cls(counted(document, "failed", FAILED_ATTEMPTS)).filled(numbers)

    @cached_property
    def rows(self) -> Mapping[Color, Numbers]:
        """The nine numbers or None of each row, left to right."""
        return {color: self.line(fields) for color, fields in ROWS.items()}

    def row(self, color: Color) -> Numbers:
        return self.rows[color]

    def fail(self) -> QwintoSheet:
        return replace(self, failed=min(self.failed + 1, FAILED_ATTEMPTS))

    def document(self) -> Document:
        rows = {color: list(row) for color, row in self.rows.items()}
        return {"sheet": self.NAME, **rows, "failed": self.failed}

    def score(self) -> Document:
        rows = {color: row_points(self.row(color)) for color in COLORS}
        bonuses = [bonus_points(self, column) for column in BONUS_COLUMNS]
        failed = FAILED_POINTS * self.failed
        total = sum(rows.values()) + sum(bonuses) + failed
        return {"rows": rows, "bonuses": bonuses, "failed": failed, "total": total}

    def problems(self) -> tuple[Refusal, ...]:
        """Every fault of the filled-in sheet, not only the first."""
        return (*super().problems(), *_not_ascending(self), *_repeated(self))


def refusal(sheet: QwintoSheet, color: Color, field: int, number: int) -> Refusal | None:
    """Why `number` cannot be written in `field` (1–9) of the row, or None if it can.

    Rule: "Entering numbers", 1) ascending within a row, 2) no number twice in a column.
    """
    if number < LOWEST:
        return Refusal(
            "nothing-to-write",
            "Only numbers from 1 to 18 may be written, not %(number)s.",
            {"number": number},
        )
    row = sheet.row(color)
    refused = sheet.taken(ROWS[color][field - 1]) or _out_of_order(row, color, field, number)
    if refused:
        return refused
    for other_color, other_index in _NEIGHBORS[color, field - 1]:
        if sheet.row(other_color)[other_index] == number:
            return Refusal(
                "repeated-in-column",
                "No number may appear twice in a column: there is already a %(number)s in the "
                "%(color)s row.",
                {"number": number, "color": COLOR_WORDS[other_color]},
                (f"{other_color}.{other_index + 1}",),
            )
    return None


def _out_of_order(row: Numbers, color: Color, field: int, number: int) -> Refusal | None:
    """The refusal of a number with which its row would not ascend, or None."""
    # The words fit rows that run to the right and, on an upright phone, down
    larger_before, smaller_after = [], []
    for at, value in enumerate(row, start=1):
        if value is None:
            continue
        if at < field and value > number:
            larger_before.append((value, at))
        elif at > field and value < number:
            smaller_after.append((value, at))
    if number in row:
        text = N_("The %(number)s is already in this row.")
        other, at = number, row.index(number) + 1
    elif larger_before:
        text = N_("Numbers in a row increase: the %(number)s cannot come after the %(other)s.")
        other, at = max(larger_before)
    elif smaller_after:
        text = N_("Numbers in a row increase: the %(number)s cannot come before the %(other)s.")
        other, at = min(smaller_after)
    else:
        return None
    values = {"number": number, "other": other}
    return Refusal("not-ascending", text, values, (f"{color}.{at}",))


@lru_cache(maxsize=SHEETS_KEPT)
def open_fields(sheet: QwintoSheet, color: Color, number: int) -> tuple[int, ...]:
    """The fields (1–9) of a row in which `number` may be written; cached for the pages."""
    return tuple(
        field for field in range(1, FIELDS + 1) if refusal(sheet, color, field, number) is None
    )


def is_finished(sheet: QwintoSheet) -> bool:
    """Whether this sheet ends the game: two full rows or the fourth failed attempt."""
    return has_full_rows(sheet) or has_failed(sheet)


def has_full_rows(sheet: QwintoSheet) -> bool:
    """Whether enough rows are full to end the game."""
    return fields_to_end(sheet) == 0


def fields_to_end(sheet: QwintoSheet) -> int:
    """The fewest fields that, once written, end the game by full rows."""
    missing = sorted(sheet.row(color).count(None) for color in COLORS)
    return sum(missing[:FULL_ROWS_TO_END])


def has_failed(sheet: QwintoSheet) -> bool:
    """Whether all failed attempts are taken, which ends the game."""
    return sheet.failed >= FAILED_ATTEMPTS


def row_points(row: Numbers) -> int:
    """One point a number; in a full row the number on the far right instead."""
    written = [number for number in row if number is not None]
    return written[-1] if len(written) == FIELDS else len(written)


def bonus_points(sheet: QwintoSheet, column: int) -> int:
    """The pentagon's number when all three fields of a bonus column are filled, else 0."""
    numbers = {color: sheet.row(color)[_FIELD_AT[color][column]] for color in COLORS}
    if None in numbers.values():
        return 0
    return numbers[PENTAGONS[column]] or 0


def _written(sheet: QwintoSheet, color: Color) -> list[tuple[int, int]]:
    """(field, number) of the written fields of a row, left to right."""
    row = enumerate(sheet.row(color), start=1)
    return [(field, number) for field, number in row if number is not None]


def _not_ascending(sheet: QwintoSheet) -> Iterator[Refusal]:
    for color in COLORS:
        written = _written(sheet, color)
        # Every pair of neighbours that does not ascend; if all pairs do, the whole row does.
        for (field, number), (next_field, next_number) in pairwise(written):
            if number >= next_number:
                text = N_(
                    "Numbers in the %(color)s row must increase: %(number)s comes before %(other)s."
                )
                values = {"color": COLOR_WORDS[color], "number": number, "other": next_number}
                fields = (f"{color}.{field}", f"{color}.{next_field}")
                yield Refusal("not-ascending", text, values, fields)


def _repeated(sheet: QwintoSheet) -> Iterator[Refusal]:
    for column in range(12):
        fields: dict[int, list[str]] = {}
        for color in COLORS:
            index = _FIELD_AT[color].get(column)
            number = None if index is None else sheet.row(color)[index]
            if index is not None and number is not None:
                fields.setdefault(number, []).append(f"{color}.{index + 1}")
        for number, twice in fields.items():
            if len(twice) > 1:
                text = N_("The number %(number)s appears twice in one column.")
                yield Refusal("repeated-in-column", text, {"number": number}, tuple(twice))
