"""Sheets of numbers: what each field may hold, what it holds, and its faults.

A game lists its fields, with the numbers that each one takes, and its score. On paper and on the
screen such a sheet is a `core.sheet.NumberKind`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Final, Self, TypeAlias

from companion.core.refusal import Refusal, Unusable, bad_action
from companion.core.result import Result
from companion.core.values import Document, is_huge, is_whole
from companion.core.words import N_

FieldName: TypeAlias = str
Numbers: TypeAlias = tuple[int | None, ...]  # in a list of fields; None where nothing is written

OUT_OF_RANGE: Final = N_(
    "Only numbers from %(lowest)s to %(highest)s may be written, not %(number)s."
)


def read_number(raw: object, name: str) -> int | None:
    """A number of a document, or None where nothing is written; raises `Unusable`."""
    if raw is None or (is_whole(raw) and not is_huge(raw)):
        return raw
    raise Unusable(f"'{name}' must hold nothing but whole numbers that can be written, and nulls.")


def read_numbers(raw: object, name: str, count: int) -> Numbers:
    """A document's list of so many numbers or nulls; raises `Unusable`.

    >>> read_numbers([7, None], "row", 2)
    (7, None)
    """
    if not isinstance(raw, list) or len(raw) != count:
        raise Unusable(f"'{name}' must be a list of {count} numbers or nulls.")
    return tuple(read_number(number, name) for number in raw)


def out_of_range(
    where: FieldName, number: int | None, allowed: Sequence[int], text: str = OUT_OF_RANGE
) -> Iterable[Refusal]:
    """The problem of a number that its field does not allow; none of any other number.

    >>> [problem.message for problem in out_of_range("A1", 19, range(1, 19))]
    ['Only numbers from 1 to 18 may be written, not 19.']
    """
    if number is not None and number not in allowed:
        values = {"number": number, "lowest": allowed[0], "highest": allowed[-1]}
        yield Refusal("number-out-of-range", text, values, (where,))


@dataclass(frozen=True)
class NumberSheet(ABC):
    """One player's sheet with a number in each field."""

    NAME: ClassVar[str]  # as in a document's `sheet`
    # The problem of a number that a field does not take, and the refusal of a second number in it
    OUT_OF_RANGE: ClassVar[str] = OUT_OF_RANGE
    TAKEN: ClassVar[str] = N_("There is already a %(taken)s in this field.")

    # What is written, in the order of the fields
    entries: tuple[tuple[FieldName, int], ...] = field(default=(), kw_only=True)

    @property
    @abstractmethod
    def ranges(self) -> Mapping[FieldName, Sequence[int]]:
        """The numbers that each field takes, smallest first; the fields in their order."""

    @abstractmethod
    def score(self) -> Document:
        """The score object, with `total`."""

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """The sheet of a document with a number or null for each field; raises `Unusable`."""
        return cls().read(document)

    def read(self, document: Mapping[str, Any]) -> Self:
        """This empty sheet with a document's numbers; raises `Unusable`."""
        return self.filled({name: read_number(document.get(name), name) for name in self.ranges})

    def document(self) -> Document:
        return {"sheet": self.NAME, **self.numbers}

    def filled(self, numbers: Mapping[FieldName, object]) -> Self:
        """The sheet with only these numbers; a field with anything else stays open."""
        entries = []
        for name in self.ranges:
            if is_whole(number := numbers.get(name)):
                entries.append((name, number))
        return replace(self, entries=tuple(entries))

    def write(self, where: FieldName, number: int) -> Self:
        """The sheet with a number in a field. Nothing is checked."""
        # A process keeps many sheets of a game, so they share the entries before the last one.
        entries = {entry[0]: entry for entry in (*self.entries, (where, number))}
        in_order = tuple(entries[name] for name in self.ranges if name in entries)
        return replace(self, entries=in_order)

    @cached_property
    def numbers(self) -> Mapping[FieldName, int | None]:
        """The number in each field; None where it is open."""
        return {**dict.fromkeys(self.ranges), **dict(self.entries)}

    def at(self, where: FieldName) -> int | None:
        return self.numbers[where]

    def line(self, fields: Iterable[FieldName]) -> Numbers:
        """The numbers in these fields."""
        return tuple(map(self.numbers.__getitem__, fields))

    def total(self, fields: Iterable[FieldName]) -> int:
        """The sum of the numbers in these fields."""
        return sum(filter(None, self.line(fields)))

    def is_open(self, where: FieldName) -> bool:
        return self.at(where) is None

    @property
    def is_full(self) -> bool:
        return len(self.entries) == len(self.ranges)

    def taken(self, where: FieldName) -> Refusal | None:
        """Why nothing may be written in a field of the sheet any more, or None."""
        taken = self.at(where)
        if taken is None:
            return None
        return Refusal("field-taken", self.TAKEN, {"taken": taken}, (where,))

    def field_named(self, raw: object) -> FieldName | Refusal:
        """The field that an action names, or why there is no such field; see `taken`."""
        if not isinstance(raw, str):
            return bad_action("The entry does not say which field it is for.")
        if raw not in self.ranges:
            return Refusal("no-such-field", "There is no such field on the sheet.")
        return raw

    def result(self) -> Result:
        """The total; a tie is shared."""
        return Result(self.score()["total"])

    def problems(self) -> tuple[Refusal, ...]:
        """Every fault of the filled-in sheet, not only the first."""
        problems: list[Refusal] = []
        for name, number in self.entries:
            problems += out_of_range(name, number, self.ranges[name], self.OUT_OF_RANGE)
        return tuple(problems)
