"""One player's Qwixx sheet: what may be crossed, its faults, and its score.

It knows no dice and no other player. Readings where the rules are silent: `docs/rules.md`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final, Self, TypeAlias

from companion.core.colors import COLOR_WORDS
from companion.core.refusal import Refusal, Unusable, counted
from companion.core.result import Result
from companion.core.values import Document, is_whole
from companion.core.words import N_

Color: TypeAlias = str
Row: TypeAlias = tuple[int, ...]  # the numbers crossed, in the order in which the row prints them

COLORS: Final = ("red", "yellow", "green", "blue")  # The rows from top to bottom

# The printed numbers of each row, left to right
NUMBERS: Final[Mapping[Color, tuple[int, ...]]] = {
    "red": tuple(range(2, 13)),
    "yellow": tuple(range(2, 13)),
    "green": tuple(range(12, 1, -1)),
    "blue": tuple(range(12, 1, -1)),
}

# The number of each row to which the lock belongs
LAST: Final[Mapping[Color, int]] = {color: numbers[-1] for color, numbers in NUMBERS.items()}

CROSSES_TO_LOCK: Final = 5  # Crosses that a row needs before its last number may be crossed

FAILED_ROLLS: Final = 4  # The fourth failed roll ends the game

FAILED_POINTS: Final = -5

# Number → its place in the row, from 0
_PLACE: Final[Mapping[Color, Mapping[int, int]]] = {
    color: dict(zip(numbers, range(len(numbers)), strict=True))
    for color, numbers in NUMBERS.items()
}


@dataclass(frozen=True)
class QwixxSheet:
    red: Row = ()
    yellow: Row = ()
    green: Row = ()
    blue: Row = ()
    locks: tuple[Color, ...] = ()  # the rows whose lock this player has crossed, from top to bottom
    failed: int = 0

    @classmethod
    def from_document(cls, document: Mapping[str, object]) -> Self:
        """The sheet of a public sheet document.

        Raises:
            Unusable: a row is missing, or is not a list of its own numbers in the row's order;
                `locks` is not a list of rows, each at most once; `failed` is not 0–4.
        """
        rows = {color: _row(document, color) for color in COLORS}
        locks = document.get("locks", [])
        if not isinstance(locks, list) or not all(lock in COLORS for lock in locks):
            raise Unusable(f"'locks' must be a list of some of: {', '.join(COLORS)}.")
        if len(set(locks)) < len(locks):
            raise Unusable("'locks' must not name a row twice.")
        failed = counted(document, "failed", FAILED_ROLLS)
        return cls(**rows, locks=_in_order(set(locks)), failed=failed)

    def row(self, color: Color) -> Row:
        row: Row = getattr(self, color)
        return row

    def cross(self, color: Color, number: int) -> QwixxSheet:
        """The sheet with `number` crossed; the last number of a row takes its lock along.

        Nothing is checked, see `refusal`.
        """
        rows = {other: self.row(other) for other in COLORS}
        rows[color] = (*rows[color], number)
        locked = {*self.locks, color} if number == LAST[color] else {*self.locks}
        return QwixxSheet(**rows, locks=_in_order(locked), failed=self.failed)

    def fail(self) -> QwixxSheet:
        return replace(self, failed=min(self.failed + 1, FAILED_ROLLS))

    def document(self) -> Document:
        return {
            "sheet": "qwixx",
            **{color: list(self.row(color)) for color in COLORS},
            "locks": list(self.locks),
            "failed": self.failed,
        }

    def score(self) -> Document:
        rows = {color: points(crosses(self, color)) for color in COLORS}
        failed = FAILED_POINTS * self.failed
        return {"rows": rows, "failed": failed, "total": sum(rows.values()) + failed}

    def result(self) -> Result:
        """The total; a tie is shared."""
        return Result(self.score()["total"])

    def problems(self) -> tuple[Refusal, ...]:
        """Every fault of the filled-in sheet, not only the first."""
        found: list[Refusal] = []
        for color in COLORS:
            found += _row_problems(self, color)
        return tuple(found)


def _in_order(colors: set[Color]) -> tuple[Color, ...]:
    return tuple(color for color in COLORS if color in colors)


def lost_numbers(sheet: QwixxSheet, color: Color) -> Row:
    """The numbers of a row without a cross before its last one; nobody may cross them later."""
    row = sheet.row(color)
    passed = NUMBERS[color][: _PLACE[color][row[-1]]] if row else ()
    return tuple(number for number in passed if number not in row)


def refusal(sheet: QwixxSheet, color: Color, number: int) -> Refusal | None:
    """Why `number` (2–12) cannot be crossed in the row, or None if it can.

    Rules: "from left to right only", and the last number needs five crosses before it.
    """
    row = sheet.row(color)
    if row and _PLACE[color][number] <= _PLACE[color][row[-1]]:
        return Refusal(
            "not-ascending",
            "A row is crossed in one direction: the %(number)s cannot come after the %(last)s.",
            {"number": number, "last": row[-1]},
            (f"{color}.{row[-1]}",),
        )
    if number == LAST[color] and len(row) < CROSSES_TO_LOCK:
        return Refusal(
            "needs-five",
            "The %(number)s closes the row: it needs %(needed)s other crosses first, but the "
            "row has only %(crosses)s.",
            {"number": number, "needed": CROSSES_TO_LOCK, "crosses": len(row)},
        )
    return None


def has_failed(sheet: QwixxSheet) -> bool:
    """Whether all failed rolls are taken, which ends the game."""
    return sheet.failed >= FAILED_ROLLS


def crosses(sheet: QwixxSheet, color: Color) -> int:
    """The number of crosses of a row; a crossed last number counts its lock, too."""
    row = sheet.row(color)
    return len(row) + (LAST[color] in row)


def points(count: int) -> int:
    """The points of a row with so many crosses: 1, 3, 6, 10 …"""
    return count * (count + 1) // 2


def _row_problems(sheet: QwixxSheet, color: Color) -> Iterator[Refusal]:
    row, last = sheet.row(color), LAST[color]
    both = (f"{color}.{last}", f"{color}.lock")
    is_crossed, is_locked = last in row, color in sheet.locks
    values: dict[str, object] = {"color": COLOR_WORDS[color], "number": last}
    if is_crossed and len(row) <= CROSSES_TO_LOCK:
        text = N_(
            "The %(number)s in the %(color)s row needs %(needed)s other crosses first, but the "
            "row has only %(crosses)s."
        )
        counts = {"needed": CROSSES_TO_LOCK, "crosses": len(row) - 1}
        fields = tuple(f"{color}.{number}" for number in row)
        yield Refusal("needs-five", text, values | counts, fields)
    if is_locked and not is_crossed:
        text = N_("The lock of the %(color)s row is crossed, but the %(number)s is not.")
        yield Refusal("lock-without-last", text, values, both)
    if is_crossed and not is_locked:
        text = N_("The %(number)s in the %(color)s row is crossed, but the lock is not.")
        yield Refusal("lock-missing", text, values, both)


def _row(document: Mapping[str, object], color: Color) -> Row:
    row, numbers = document.get(color), NUMBERS[color]
    if not isinstance(row, list) or not all(map(is_whole, row)):
        raise Unusable(f"'{color}' must be a list of the numbers crossed in that row.")
    if not set(row) <= set(numbers):
        raise Unusable(f"'{color}' must hold numbers from 2 to 12 only.")
    if row != [number for number in numbers if number in row]:
        raise Unusable(
            f"'{color}' must hold each number at most once, in order from"
            f" {numbers[0]} to {numbers[-1]}."
        )
    return tuple(row)
