"""One sheet of a review: the marks that were read or typed in, and their consequences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, NamedTuple

from companion.core.edition import OWN
from companion.core.sheet import (
    TOTAL,
    AnySheetKind,
    Box,
    Field,
    FilledSheet,
    Layout,
    Mark,
    Paper,
    Term,
)
from companion.core.values import is_whole
from companion.core.words import N_, Sentence
from companion.games.catalog import KINDS
from companion.games.editions import paper_of
from companion.games.grid_layout import with_totals
from companion.games.score_grid import ScoreGrid
from companion.paper.form_marks import is_empty, is_same
from companion.tables import Refused
from companion.vision.core import SURE_SUM

OTHERS_SHOWN: Final = 3  # limit of the alternatives that are offered for an unsure field
ALIKE: Final = 0.9  # share of common marks from which two sheets count as one, photographed twice
ENOUGH_TO_COMPARE: Final = 6  # marks needed for that: fewer may be equal by chance
# Confidence up to which an empty field counts as hardly visible. The reader gives it to fields
# outside the photo or under something.
HIDDEN: Final = 0.55


@dataclass(frozen=True)
class WrittenSum:
    """A sum on the paper, and the number that is right."""

    blank: str  # the id of its blank, such as `sum.total`
    written: int  # with the sign of `counted`, because no sign is read
    counted: int

    @property
    def is_right(self) -> bool:
        return self.written == self.counted


@dataclass
class ReviewSheet:
    """One sheet of a review, stored with these attributes; `set` changes a mark."""

    id: str
    sheet: str
    board: str
    number: int = 0  # in its review, from 1; removing others does not change it
    marks: dict[str, Mark] = field(default_factory=dict)  # of every field
    players: list[str] = field(default_factory=list)  # by column; "" for a missing name
    photo: str = ""  # the id of the photo that shows it; empty for a sheet that is typed in
    has_picture: bool = False
    unsure: list[str] = field(default_factory=list)  # unchecked fields, by their cost in points
    fixed: list[str] = field(default_factory=list)
    # Unchecked field → [value that was read, its confidence, [[alternative, confidence], …]]
    read: dict[str, list[Any]] = field(default_factory=dict)
    edition: str = OWN
    unsure_edition: bool = False  # nobody has confirmed the printing yet
    # Blank for a sum → [number on the paper, confidence]
    written: dict[str, list[Any]] = field(default_factory=dict)
    by_sums: list[str] = field(default_factory=list)  # unchecked fields, read by the written sums
    dashes: list[str] = field(default_factory=list)  # with a dash or slash, read as 0
    printed: dict[str, str] = field(default_factory=dict)  # column → the name printed there
    group: str = ""  # key of the game it was moved to; empty while kind and board decide
    nameless: list[int] = field(default_factory=list)  # anonymous columns; [0] for a single player
    is_distinct: bool = False  # somebody confirmed that this sheet was not photographed twice
    # Its corners in the photo, clockwise from the top left; empty if it is typed in
    corners: list[list[float]] = field(default_factory=list)
    # Column of no player, such as one of row numbers → its fields that were unsure
    dropped: dict[str, list[str]] = field(default_factory=dict)

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
        return self.kind.layout(sharing.empty(self._headings(self.places)))

    @property
    def picture_name(self) -> str:
        return f"sheet-{self.id}"

    @property
    def is_shared(self) -> bool:
        return self.kind.sharing is not None

    @property
    def is_one_column(self) -> bool:
        """Whether its paper has columns of other players or games beside each one."""
        paper = paper_of(self.kind, self.board, self.edition)
        return self.is_shared or (self.has_picture and len(paper.columns) > 1)

    @property
    def fields(self) -> Mapping[str, Field]:
        """Fields by name, in the pad's coordinates with a picture, else in the sheet's."""
        source = self.paper.fields if self.has_picture else self.layout.fields
        return {field.id: field for field in source}

    @cached_property
    def filled(self) -> FilledSheet:
        """The sheet with these marks; the columns of a shared sheet are not named yet.

        Those that were dropped are empty.
        """
        marks = self.marks
        if self.dropped:
            marks = {
                name: marks[name] for name in marks if not self.is_dropped(self.place_of(name))
            }
        return self.kind.marked(self.board, marks)

    @property
    def table(self) -> ScoreGrid | None:
        return self.filled.sheet if isinstance(self.filled.sheet, ScoreGrid) else None

    def choose_row(self, row: int) -> None:
        """Sets which row of a table has the totals, from 1; 0 if each row is a round."""
        if self.table is None or not 0 <= row <= len(self.table.values):
            raise Refused("no-such-sheet")
        self.board = with_totals(self.board, row)
        self.__dict__.pop("filled", None)

    @property
    def dash_mark(self) -> Mark:
        """The meaning of a table's dashes, 0 or None; False if it has none."""
        marks = [self.marks[name] for name in self.dashes]
        return next((mark for mark in marks if mark in (0, None)), False)

    def choose_dashes(self, mark: Mark) -> None:
        """Sets what all dashes of a table stand for; those that are another number stay."""
        for name in self.dashes:
            if self.marks[name] in (0, None):
                self.marks[name] = mark
                if name in self.read:
                    self.read[name][0] = mark
        self.__dict__.pop("filled", None)

    @property
    def terms(self) -> tuple[Term, ...]:
        """The terms of the score; a shared sheet's terms have the players' names."""
        if not self.is_shared:
            return self.filled.terms
        terms = enumerate(self.filled.named(self._headings(self.columns)).terms)
        return tuple(term for place, term in terms if not self.is_dropped(place))

    @property
    def is_blank(self) -> bool:
        return all(map(is_empty, self.marks.values()))

    @property
    def columns(self) -> int:
        """The columns of a shared sheet up to the last one with a name or a number."""
        if self.kind.sharing is None:
            return 1
        columns = len(self.kind.sharing.columns(self.filled.sheet))
        for place, name in enumerate(self.players, start=1):
            if name:
                columns = max(columns, place)
        return max(columns, *(int(place) + 1 for place in self.dropped), 1)

    @property
    def places(self) -> int:
        """The number of names asked for: of all columns on a sheet that is typed in."""
        if self.has_picture or not self.is_shared:
            return self.columns
        return max(self.columns, len(self.players)) if self.players else self.most_places

    @property
    def has_spare_column(self) -> bool:
        """Whether the last column of a sheet that is typed in has no name and no number."""
        return self.places > max(self.columns, 1) and not self.player(self.places - 1)

    @property
    def most_places(self) -> int:
        return len(self.own_paper.names)

    def player(self, place: int = 0) -> str:
        """The name of a column's player; empty if nobody has entered one."""
        return self.players[place] if place < len(self.players) else ""

    def display_name(self, place: int = 0) -> str | Sentence:
        """The name of a column's player, or which column or sheet it is."""
        text = N_("Column %(number)s") if self.is_shared else N_("Sheet %(number)s")
        number = place + 1 if self.is_shared else self.number
        return self.player(place) or Sentence(text, {"number": number})

    def _headings(self, columns: int) -> list[str]:
        """The name over each column, or its number; no two alike."""
        return unique(self.player(place) or str(place + 1) for place in range(columns))

    def set_name(self, place: int, name: str) -> None:
        """Names a column; an empty name leaves it open again."""
        self.players += [""] * (place + 1 - len(self.players))
        self.players[place] = name
        self.take_back(place)
        self.nameless = [other for other in self.nameless if other != place]

    def is_dropped(self, place: int) -> bool:
        return str(place) in self.dropped

    def drop(self, place: int) -> None:
        """Drops a column that belongs to no player: nothing in it counts or is asked about."""
        if not self.is_shared or self.is_dropped(place) or not 0 <= place < self.columns:
            raise Refused("no-such-sheet")
        self.set_name(place, "")
        unsure = [name for name in self.unsure if self.place_of(name) == place]
        self.unsure = [name for name in self.unsure if name not in unsure]
        self.dropped[str(place)] = unsure
        self.__dict__.pop("filled", None)

    def take_back(self, place: int) -> None:
        """Includes a dropped column again."""
        self.unsure += self.dropped.pop(str(place), [])
        self.__dict__.pop("filled", None)

    def place_of(self, field_name: str) -> int:
        """The column of a field; 0 on a sheet of one player."""
        return self.kind.sharing.place(field_name) if self.kind.sharing else 0

    def set(self, name: str, mark: Mark) -> None:
        """Corrects or confirms a field; either way it counts as checked."""
        if self._doubt(name) and is_same(mark, self.read[name][0]):
            # The writer's hand: fields of at least this likeness need no answer, either.
            for other in self._written_alike(name):
                self.unsure.remove(other)
        if not is_same(self.marks[name], mark):
            self.marks[name] = mark
            self.__dict__.pop("filled", None)
            if name not in self.fixed:
                self.fixed.append(name)
        for checked in (self.unsure, self.by_sums):
            if name in checked:
                checked.remove(name)
        self.read.pop(name, None)

    def _written_alike(self, name: str) -> list[str]:
        """The unsure fields, without problems, in which the same two digits are in doubt."""
        doubt, confidence = self._doubt(name), self.read[name][1]
        wrong = {each for problem in self.filled.problems for each in problem.fields}
        alike = []
        for other in self.unsure:
            if other in wrong or self._doubt(other) != doubt:
                continue
            if self.read[other][1] >= confidence:
                alike.append(other)
        return alike

    @property
    def sums(self) -> tuple[WrittenSum, ...]:
        """The sums on the paper that were read with confidence, in the order of the paper."""
        sums = []
        for blank, (written, confidence) in self.written.items():
            counted = self.filled.sums.get(blank)
            if counted is None or confidence < SURE_SUM or not is_whole(written):
                continue
            sign = -1 if counted < 0 else 1
            sums.append(WrittenSum(blank, sign * abs(written), counted))
        return tuple(sums)

    def total_of(self, place: int = 0) -> WrittenSum | None:
        """The total that a column's player wrote, if any."""
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
        self.unsure.clear()
        self.by_sums.clear()
        self.read.clear()

    def confirm_edition(self) -> None:
        self.unsure_edition = False

    def forget_sum(self, blank: str) -> None:
        """Discards a sum as misread."""
        self.written.pop(blank, None)

    def is_hidden(self, name: str) -> bool:
        """Whether an unsure field can hardly be seen in the photo."""
        value, confidence, _ = self.read.get(name, [self.marks[name], 1.0, []])
        return name in self.unsure and is_empty(value) and confidence <= HIDDEN

    def _doubt(self, name: str) -> tuple[str, str] | None:
        """(digit read, its likeliest alternative); None unless they are a number's only doubt."""
        value, _, others = self.read.get(name, [None, 1.0, []])
        if not (is_whole(value) and others and is_whole(others[0][0])):
            return None
        one, other = str(value), str(others[0][0])
        if len(one) != len(other):
            return None
        differing = [pair for pair in zip(one, other, strict=True) if pair[0] != pair[1]]
        return differing[0] if len(differing) == 1 else None

    def breaks_rule(self, name: str, mark: Mark) -> bool:
        """Whether a mark in a field contradicts the sure ones."""
        filled = self.kind.marked(self.board, {**self.marks, name: mark})
        doubted = {*self.unsure} - {name}
        concerned = [problem.fields for problem in filled.problems if name in problem.fields]
        return any(map(doubted.isdisjoint, concerned))

    def likeliest(self, name: str) -> list[Mark]:
        """The likeliest values of a field, best first; only the best may break a rule."""
        value, _, others = self.read.get(name, [self.marks[name], 1.0, []])
        found: list[Mark] = [value]
        for mark, _ in others:
            is_new = not any(is_same(mark, known) for known in found)
            if is_new and not (is_whole(mark) and self.breaks_rule(name, mark)):
                found.append(mark)
        return found[: OTHERS_SHOWN + 1]

    def is_like(self, other: ReviewSheet) -> bool:
        """Whether sheets of two photos have nearly the same marks, and enough to compare."""
        are_of_two = self.photo and other.photo and self.photo != other.photo
        if not are_of_two or (self.sheet, self.board) != (other.sheet, other.board):
            return False
        written = same = 0
        for name, mark in self.marks.items():
            if is_empty(mark) and is_empty(other.marks[name]):
                continue
            written += 1
            same += mark == other.marks[name]
        return written >= ENOUGH_TO_COMPARE and same >= ALIKE * written


class Column(NamedTuple):
    """One player's part of a sheet: all of it, or a column of a shared one."""

    sheet: ReviewSheet
    place: int  # from the left; 0 on a sheet of one player

    @property
    def key(self) -> str:
        """The sheet and the column, such as "2.0"."""
        return f"{self.sheet.id}.{self.place}"

    @property
    def name(self) -> str:
        """The player's name; empty if nobody has entered one."""
        return self.sheet.player(self.place)

    @property
    def is_nameless(self) -> bool:
        return self.place in self.sheet.nameless

    @property
    def is_dropped(self) -> bool:
        """Whether it belongs to no player."""
        return self.sheet.is_dropped(self.place)

    @property
    def is_open(self) -> bool:
        return not (self.name or self.is_nameless or self.is_dropped)

    @property
    def box(self) -> Box:
        """Its place on the paper, with its head."""
        paper = self.sheet.paper
        fields = self.own(field.id for field in paper.layout.fields)
        heads = paper.names[self.place : self.place + 1]
        boxes = [paper.places[name].box for name in (*fields, *heads) if name in paper.places]
        x, y = min(box.x for box in boxes), min(box.y for box in boxes)
        right = max(box.x + box.width for box in boxes)
        bottom = max(box.y + box.height for box in boxes)
        return Box(x, y, right - x, bottom - y)

    def own(self, fields: Iterable[str]) -> list[str]:
        """Those of the fields that belong to this player."""
        return [name for name in fields if self.sheet.place_of(name) == self.place]


def base_key(sheet: str, board: str) -> str:
    """The key of the game to which sheets of this kind and board belong by default."""
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
