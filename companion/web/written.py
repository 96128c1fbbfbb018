"""One sheet of a review: its marks as they were read or typed in, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from companion.core.refusal import Problem
from companion.core.sheet import AnySheetKind, Field, FilledSheet, Kind, Layout, Mark, Term
from companion.core.values import Document
from companion.games.catalog import SHEETS
from companion.tables import refusals

OTHERS_SHOWN: Final = 3
"""Other values offered for a field that the reader is unsure of."""
DIGITS: Final[Mapping[Kind, int]] = {"number": 2, "digits": 3}
STATES: Final = ("open", "circled", "crossed")


@dataclass
class Written:
    """One sheet of a review."""

    id: str
    sheet: str
    board: str
    marks: dict[str, Mark] = field(default_factory=dict)
    """What counts now, for every field."""
    players: list[str] = field(default_factory=list)
    """Whose it is; of a tally, whose each column is. Empty names are still to be given."""
    photo: str = ""
    """The photo that shows it; none for a sheet that is typed in."""
    has_picture: bool = False
    unsure: list[str] = field(default_factory=list)
    """Fields that nobody has looked at yet, the least sure first."""
    fixed: list[str] = field(default_factory=list)
    """Fields that were changed by hand."""
    read: dict[str, list[Any]] = field(default_factory=dict)
    """Of a field that was read: the value, how sure, and the other values with theirs."""

    @property
    def kind(self) -> AnySheetKind:
        return SHEETS[self.sheet]

    @property
    def shares(self) -> bool:
        """Whether the players share this sheet, a column each."""
        return len(self.kind.paper(self.board).names) > 1

    @property
    def fields(self) -> Mapping[str, Field]:
        """By name, from the sheet's corner; on a sheet with a picture, from the pad's."""
        source = self.kind.paper(self.board).fields if self.has_picture else self.layout.fields
        return {one.id: one for one in source}

    @property
    def layout(self) -> Layout:
        return self.kind.paper(self.board).layout

    @property
    def document(self) -> Document:
        """The public sheet document; the columns of a tally have the players' names."""
        document = self.kind.marked(self.board, self.marks).document
        if self.shares:
            rounds = document["rounds"]
            count = max(len(document["players"]), len(self.named), 1)
            document["players"] = unique(self.called(place) for place in range(count))
            document["rounds"] = [[*row, *[None] * (count - len(row))] for row in rounds]
        return document

    @property
    def is_blank(self) -> bool:
        """Whether nothing is written on it."""
        return all(map(is_empty, self.marks.values()))

    @property
    def columns(self) -> int:
        """How many players there are to be named."""
        seats = len(self.kind.paper(self.board).names)
        return len(self.document["players"]) if self.shares and self.has_picture else seats

    @property
    def named(self) -> list[str]:
        """The names up to the last one that was given."""
        names = list(self.players)
        while names and not names[-1]:
            names.pop()
        return names

    def called(self, place: int) -> str:
        """The name of the player of a column, or its number."""
        name = self.players[place] if place < len(self.players) else ""
        return name or str(place + 1)

    @property
    def filled(self) -> FilledSheet:
        return self.kind.filled(self.document)

    @property
    def problems(self) -> tuple[Problem, ...]:
        return self.filled.problems

    @property
    def score(self) -> Document:
        return self.filled.score

    @property
    def terms(self) -> tuple[Term, ...]:
        return self.filled.terms

    def set(self, name: str, mark: Mark) -> None:
        """Corrects or confirms a field; either way somebody has looked at it."""
        if self.marks[name] != mark or type(self.marks[name]) is not type(mark):
            self.marks[name] = mark
            if name not in self.fixed:
                self.fixed.append(name)
        self.unsure = [other for other in self.unsure if other != name]

    def choices(self, name: str) -> list[Mark]:
        """The likeliest values of a field, the likeliest first."""
        value, _, others = self.read.get(name, [self.marks[name], 1.0, []])
        found: list[Mark] = []
        for mark in (value, *(other for other, _ in others)):
            if not any(mark is one or (mark == one and type(mark) is type(one)) for one in found):
                found.append(mark)
        return found[: OTHERS_SHOWN + 1]


def is_empty(mark: Mark) -> bool:
    """Whether nothing stands there; a tally's 0 is something."""
    return mark is None or mark is False or mark == "open"


def unique(names: Iterable[str]) -> list[str]:
    """Names that differ from each other, for a document that asks for that."""
    found: list[str] = []
    for name in names:
        candidate, number = name, 2
        while candidate in found:
            candidate, number = f"{name} {number}", number + 1
        found.append(candidate)
    return found


def mark_of(one: Field, text: str) -> Mark:
    """What a form says that stands in a field; raises `Refused` when that cannot be."""
    if one.kind in DIGITS:
        if not text:
            return None
        if text.isascii() and text.isdigit() and len(text) <= DIGITS[one.kind]:
            return int(text)
    elif one.kind == "cross" and text in ("true", "false"):
        return text == "true"
    elif one.kind == "value" and text in STATES:
        return text
    raise refusals.bad_tap("value")


def mark_text(mark: Mark) -> str:
    """A mark as a form says it."""
    if isinstance(mark, bool):
        return "true" if mark else "false"
    return "" if mark is None else str(mark)
