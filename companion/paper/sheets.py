"""One sheet of a review: its marks as they were read or typed in, and their consequences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from companion.core.sheet import AnySheetKind, Field, FilledSheet, Layout, Mark, Paper, Term
from companion.games.catalog import SHEETS
from companion.paper.marks import is_empty, is_same

OTHERS_SHOWN: Final = 3
"""Limit of the other values offered for a field that the reader is unsure of."""
ALIKE: Final = 0.9
"""Share of common marks from which two sheets count as one, photographed twice."""
ENOUGH_TO_COMPARE: Final = 6
"""Marks needed for that comparison; fewer may be the same on two sheets by chance."""


@dataclass
class ReviewSheet:
    """One sheet of a review. Its attributes are stored as they are; `set` changes a mark."""

    id: str
    sheet: str
    """The name of its kind."""
    board: str
    marks: dict[str, Mark] = field(default_factory=dict)
    """The mark that counts now, for every field."""
    players: list[str] = field(default_factory=list)
    """The player's name, or a name for each column of a shared sheet; empty while it is missing."""
    photo: str = ""
    """The id of the photo that shows it; empty for a sheet that is typed in."""
    has_picture: bool = False
    unsure: list[str] = field(default_factory=list)
    """Fields that nobody has looked at yet, the least sure first."""
    fixed: list[str] = field(default_factory=list)
    """Fields that were changed by hand."""
    read: dict[str, list[Any]] = field(default_factory=dict)
    """Field that was read → its value, the confidence, and other values with their confidence."""

    @property
    def kind(self) -> AnySheetKind:
        return SHEETS[self.sheet]

    @property
    def paper(self) -> Paper:
        return self.kind.paper(self.board)

    @property
    def layout(self) -> Layout:
        return self.paper.layout

    @property
    def picture_name(self) -> str:
        """The name of its flattened picture, if it has one."""
        return f"sheet-{self.id}"

    @property
    def is_shared(self) -> bool:
        """Whether the players share this sheet, a column each."""
        return self.kind.sharing is not None

    @property
    def fields(self) -> Mapping[str, Field]:
        """Fields by name, in the pad's coordinates with a picture, else in the sheet's."""
        source = self.paper.fields if self.has_picture else self.layout.fields
        return {field.id: field for field in source}

    @cached_property
    def filled(self) -> FilledSheet:
        """The sheet with these marks; the columns of a shared sheet are not named yet."""
        return self.kind.marked(self.board, self.marks)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the score; a shared sheet's terms have the players' names."""
        if not self.is_shared:
            return self.filled.terms
        names = unique(self.player(place) or str(place + 1) for place in range(self.columns))
        return self.filled.named(names).terms

    @property
    def is_blank(self) -> bool:
        """Whether nothing is written on it."""
        return all(map(is_empty, self.marks.values()))

    @property
    def columns(self) -> int:
        """The columns of a shared sheet up to the last one with a name or a number."""
        if self.kind.sharing is None:
            return 1
        named = max((place for place, name in enumerate(self.players, 1) if name), default=0)
        return max(len(self.kind.sharing.columns(self.filled.sheet)), named)

    @property
    def places(self) -> int:
        """How many names are asked for: of all columns on a sheet that is typed in."""
        return self.columns if self.has_picture else len(self.paper.names)

    def player(self, place: int = 0) -> str:
        """The name of a column's player; empty when it is still to be given."""
        return self.players[place] if place < len(self.players) else ""

    def place_of(self, field_name: str) -> int:
        """The column of a field; 0 on a sheet of one player."""
        sharing = self.kind.sharing
        return 0 if sharing is None else sharing.place(field_name)

    def set(self, name: str, mark: Mark) -> None:
        """Corrects or confirms a field; either way somebody has looked at it."""
        if not is_same(self.marks[name], mark):
            self.marks[name] = mark
            self.__dict__.pop("filled", None)
            if name not in self.fixed:
                self.fixed.append(name)
        self.unsure = [other for other in self.unsure if other != name]

    def likeliest(self, name: str) -> list[Mark]:
        """The likeliest values of a field, the likeliest first."""
        value, _, others = self.read.get(name, [self.marks[name], 1.0, []])
        found: list[Mark] = []
        for mark in (value, *(other for other, _ in others)):
            if not any(is_same(mark, known) for known in found):
                found.append(mark)
        return found[: OTHERS_SHOWN + 1]

    def is_like(self, other: ReviewSheet) -> bool:
        """Whether both sheets have nearly the same marks, and enough of them to tell."""
        if (self.sheet, self.board) != (other.sheet, other.board):
            return False
        both = ((self.marks[name], other.marks[name]) for name in self.marks)
        written = [pair for pair in both if not all(map(is_empty, pair))]
        same = sum(left == right for left, right in written)
        return len(written) >= ENOUGH_TO_COMPARE and same >= ALIKE * len(written)


def unique(names: Iterable[str]) -> list[str]:
    """The names made different from each other, for a document that requires it."""
    found: list[str] = []
    for name in names:
        candidate, number = name, 2
        while candidate in found:
            candidate, number = f"{name} {number}", number + 1
        found.append(candidate)
    return found
