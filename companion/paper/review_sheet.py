"""One sheet of a review: its marks as they were read or typed in, and their consequences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from companion.core.edition import OWN
from companion.core.sheet import TOTAL, AnySheetKind, Field, FilledSheet, Layout, Mark, Paper, Term
from companion.core.values import is_whole
from companion.core.words import N_, Sentence
from companion.games.catalog import KINDS
from companion.games.editions import paper_of
from companion.games.ruled_layout import with_totals
from companion.games.ruled_table import Table
from companion.paper.form_marks import is_empty, is_same
from companion.tables import Refused
from companion.vision.core import SURE_SUM

OTHERS_SHOWN: Final = 3
"""Limit of the other values offered for a field that the reader is unsure of."""
ALIKE: Final = 0.9  # Share of common marks from which two sheets count as one, photographed twice
ENOUGH_TO_COMPARE: Final = 6
"""Marks needed for that comparison; fewer may be the same on two sheets by chance."""
HIDDEN: Final = 0.55
"""Confidence up to which a field that was read as empty counts as hardly visible.

The reader says so of a field that lies outside the photo, or under something."""


@dataclass(frozen=True)
class WrittenSum:
    """A sum on the paper, and the number that belongs there."""

    blank: str  # the id of the place where it stands, such as `sum.total`
    written: int  # no sign is read, so it has that of `counted`
    counted: int

    @property
    def is_right(self) -> bool:
        return self.written == self.counted


@dataclass
class ReviewSheet:
    """One sheet of a review. Its attributes are stored as they are; `set` changes a mark."""

    id: str
    sheet: str
    board: str
    number: int = 0  # in its review, from 1; it stays when others are removed
    marks: dict[str, Mark] = field(default_factory=dict)
    """The mark that counts now, for every field."""
    players: list[str] = field(default_factory=list)
    """The player's name, or a name for each column of a shared sheet; empty while it is missing."""
    photo: str = ""  # the id of the photo that shows it; empty for a sheet that is typed in
    has_picture: bool = False
    unsure: list[str] = field(default_factory=list)
    """Fields that nobody has looked at yet: first those by which the total may be most wrong."""
    fixed: list[str] = field(default_factory=list)
    read: dict[str, list[Any]] = field(default_factory=dict)
    """Field that nobody has looked at → the value that was read, the confidence, and other values
    with theirs."""
    edition: str = OWN
    unsure_edition: bool = False  # whether nobody has said yet that it is this printing
    written: dict[str, list[Any]] = field(default_factory=dict)
    """Blank for a sum → the number that its writer put there, and the confidence."""
    by_sums: list[str] = field(default_factory=list)
    """Fields that were read so because of the written sums, and that nobody has looked at."""
    printed: dict[str, str] = field(default_factory=dict)  # column → the name that is printed there
    group: str = ""
    """The key of the game that somebody put it to; empty while kind and board decide."""
    nameless: list[int] = field(default_factory=list)
    """The columns that stay without a name; [0] on a sheet of one player."""
    is_distinct: bool = False
    """Whether somebody has said that it is not an earlier sheet, photographed twice."""

    @property
    def kind(self) -> AnySheetKind:
        return KINDS[self.sheet]

    @property
    def key(self) -> str:
        """The key of its game in the review: sheets of one kind and board go together."""
        return self.group or base_key(self.sheet, self.board)

    @property
    def paper(self) -> Paper:
        """The paper that was photographed; our own pad for a sheet that is typed in."""
        return paper_of(self.kind, self.board, self.edition).single

    @property
    def own_paper(self) -> Paper:
        """Our own pad, which has blanks for names and captions over the sums."""
        return self.kind.paper(self.board)

    @property
    def layout(self) -> Layout:
        """The sheet as a screen draws it: a shared one has as many columns as players."""
        sharing = self.kind.sharing
        if sharing is None or self.has_picture or not self.players:
            return self.own_paper.layout
        numbered = [self.player(place) or str(place + 1) for place in range(self.places)]
        return self.kind.layout(sharing.empty(unique(numbered)))

    @property
    def picture_name(self) -> str:
        return f"sheet-{self.id}"

    @property
    def is_shared(self) -> bool:
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
    def table(self) -> Table | None:
        """The ruled table, where it is one."""
        return self.filled.sheet if isinstance(self.filled.sheet, Table) else None

    def choose_row(self, row: int) -> None:
        """Says which row of a table has the totals, from 1; 0 if each one is a round."""
        if self.table is None or not 0 <= row <= len(self.table.values):
            raise Refused("no-such-sheet")
        self.board = with_totals(self.board, row)
        self.__dict__.pop("filled", None)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the score; a shared sheet's terms have the players' names."""
        if not self.is_shared:
            return self.filled.terms
        names = unique(self.player(place) or str(place + 1) for place in range(self.columns))
        return self.filled.named(names).terms

    @property
    def is_blank(self) -> bool:
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
        if self.has_picture or not self.is_shared:
            return self.columns
        return max(self.columns, len(self.players)) if self.players else self.most_places

    @property
    def has_spare_column(self) -> bool:
        """Whether the last column of a sheet that is typed in has no name and no number."""
        return self.places > max(self.columns, 1) and not self.player(self.places - 1)

    @property
    def most_places(self) -> int:
        """The limit of the names on a sheet."""
        return len(self.own_paper.names)

    def player(self, place: int = 0) -> str:
        """The name of a column's player; empty when it is still to be given."""
        return self.players[place] if place < len(self.players) else ""

    def called(self, place: int = 0) -> str | Sentence:
        """The name of a column's player, or which column or sheet it is."""
        text = N_("Column %(number)s") if self.is_shared else N_("Sheet %(number)s")
        number = place + 1 if self.is_shared else self.number
        return self.player(place) or Sentence(text, {"number": number})

    def call(self, place: int, name: str) -> None:
        """Names a column; an empty name leaves it open again."""
        self.players += [""] * (place + 1 - len(self.players))
        self.players[place] = name
        self.nameless = [other for other in self.nameless if other != place]

    def place_of(self, field_name: str) -> int:
        """The column of a field; 0 on a sheet of one player."""
        return self.kind.sharing.place(field_name) if self.kind.sharing else 0

    def set(self, name: str, mark: Mark) -> None:
        """Corrects or confirms a field; either way somebody has looked at it."""
        value, sure, _ = self.read.get(name, [None, 0.0, []])
        if (doubt := self._doubt(name)) and is_same(mark, value):
            # The writer's hand: fields that look at least as much so need no answer, either.
            wrong = {each for problem in self.filled.problems for each in problem.fields}
            alike = {
                each
                for each in self.unsure
                if self._doubt(each) == doubt and self.read[each][1] >= sure and each not in wrong
            }
            self.unsure = [each for each in self.unsure if each not in alike]
        if not is_same(self.marks[name], mark):
            self.marks[name] = mark
            self.__dict__.pop("filled", None)
            if name not in self.fixed:
                self.fixed.append(name)
        self.unsure = [other for other in self.unsure if other != name]
        self.by_sums = [other for other in self.by_sums if other != name]
        self.read.pop(name, None)

    @property
    def sums(self) -> tuple[WrittenSum, ...]:
        """The sums on the paper that were read with confidence, in the order of the paper."""
        counted = self.filled.sums
        return tuple(
            WrittenSum(blank, -abs(written) if counted[blank] < 0 else abs(written), counted[blank])
            for blank, (written, confidence) in self.written.items()
            if confidence >= SURE_SUM and blank in counted and is_whole(written)
        )

    def total_of(self, place: int = 0) -> WrittenSum | None:
        """The total that is written for a column's player, if there is one."""
        if (table := self.table) is not None:
            written = table.written_total(place)
            counted = table.totals[place]
            return None if written is None else WrittenSum("", written, counted)
        blank = f"sum.player.{place + 1}" if self.is_shared else TOTAL
        return next((written for written in self.sums if written.blank == blank), None)

    def place_of_sum(self, blank: str) -> int:
        """The column of a blank for a sum; 0 on a sheet of one player."""
        return int(blank.rpartition(".")[2]) - 1 if self.is_shared else 0

    def confirm(self) -> None:
        """Says that somebody has compared the whole sheet."""
        self.unsure.clear()
        self.by_sums.clear()
        self.read.clear()

    def confirm_edition(self) -> None:
        self.unsure_edition = False

    def forget_sum(self, blank: str) -> None:
        """Takes a sum for misread."""
        self.written.pop(blank, None)

    def is_hidden(self, name: str) -> bool:
        """Whether an unsure field can hardly be seen in the photo."""
        value, confidence, _ = self.read.get(name, [self.marks[name], 1.0, []])
        return name in self.unsure and is_empty(value) and confidence <= HIDDEN

    def _doubt(self, name: str) -> tuple[str, str] | None:
        """(digit, the one that it may be instead), where that is all that a number is unsure in."""
        value, _, others = self.read.get(name, [None, 1.0, []])
        if not (is_whole(value) and others and is_whole(others[0][0])):
            return None
        one, other = str(value), str(others[0][0])
        differing = [pair for pair in zip(one, other, strict=False) if len({*pair}) > 1]
        return differing[0] if len(one) == len(other) and len(differing) == 1 else None

    def breaks_rule(self, name: str, mark: Mark) -> bool:
        """Whether a mark cannot stand in a field beside those of which nobody is unsure."""
        filled = self.kind.marked(self.board, {**self.marks, name: mark})
        doubted = {*self.unsure} - {name}
        return any(
            name in problem.fields and doubted.isdisjoint(problem.fields)
            for problem in filled.problems
        )

    def likeliest(self, name: str) -> list[Mark]:
        """The likeliest values of a field, the likeliest first; only that may break a rule."""
        value, _, others = self.read.get(name, [self.marks[name], 1.0, []])
        found: list[Mark] = [value]
        for mark, _ in others:
            is_new = not any(is_same(mark, known) for known in found)
            if is_new and not (is_whole(mark) and self.breaks_rule(name, mark)):
                found.append(mark)
        return found[: OTHERS_SHOWN + 1]

    def is_like(self, other: ReviewSheet) -> bool:
        """Whether sheets of two photos have nearly the same marks, and enough of them to tell."""
        are_of_two = self.photo and other.photo and self.photo != other.photo
        if not are_of_two or (self.sheet, self.board) != (other.sheet, other.board):
            return False
        both = ((self.marks[name], other.marks[name]) for name in self.marks)
        written = [pair for pair in both if not all(map(is_empty, pair))]
        same = sum(left == right for left, right in written)
        return len(written) >= ENOUGH_TO_COMPARE and same >= ALIKE * len(written)


def base_key(sheet: str, board: str) -> str:
    """The key of the game that sheets of this kind and board belong to unasked."""
    return "-".join(filter(None, (sheet, board)))


def unique(names: Iterable[str]) -> list[str]:
    """The names made different from each other, for a document that requires it."""
    found: list[str] = []
    for name in names:
        candidate, number = name, 2
        while candidate in found:
            candidate, number = f"{name} {number}", number + 1
        found.append(candidate)
    return found
