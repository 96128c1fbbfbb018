"""What describes any paper sheet: its fields in millimetres, its marks, faults and score terms.

The screen, the printed pad and the photo reader all draw from this one description. It does not
say how anything is drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final, Generic, Literal, TypeAlias, TypeVar

from companion.core.refusal import Conflict, Problem
from companion.core.result import Result
from companion.core.values import Document, Player
from companion.core.words import N_, Sentence, Word

Millimetres: TypeAlias = float

Kind: TypeAlias = Literal["number", "digits", "cross", "value"]
"""What is done with a field; the words are those of the public pad map."""

Shape: TypeAlias = Literal["circle", "pentagon", "square"]

Symbol: TypeAlias = Literal["", "star", "lock"]
"""A small drawing that is printed in a field or before a label; "" for none."""

Strength: TypeAlias = Literal["soft", "plain", "strong"]
"""How much a printed text stands out: gray, in ink, or in bold ink."""

Mark: TypeAlias = int | str | bool | None
"""What stands in a field: a number, a cross (True), a value's state, or nothing (None, False)."""

EMPTY: Final[Mapping[Kind, Mark]] = {
    "number": None,
    "digits": None,
    "cross": False,
    "value": "open",
}
"""Kind → what stands in a field that nobody wrote in."""


@dataclass(frozen=True)
class Box:
    """A rectangle on the sheet, from its top left corner."""

    x: Millimetres
    y: Millimetres
    width: Millimetres
    height: Millimetres

    @property
    def center(self) -> tuple[Millimetres, Millimetres]:
        return (self.x + self.width / 2, self.y + self.height / 2)


@dataclass(frozen=True)
class Field:
    """One place to write on. `id` is the public field name."""

    id: str
    kind: Kind
    box: Box
    shape: Shape
    color: str
    """A colour's name, or "plain"."""
    name: Sentence
    """What a screen reader calls it."""
    group: str = ""
    """The short name of the fields that it belongs to; an upright sheet without room for a value
    lists it under this name."""
    print: str = ""
    """What is printed in the empty field."""
    print_size: Millimetres = 3.4
    """The height of the printed letters."""
    print_strength: Strength = "soft"
    letter: Word | None = None
    """The one letter of its colour, where the field itself has to show it."""
    symbol: Symbol = ""
    """What is drawn in it."""
    cells: tuple[Box, ...] = ()
    """The boxes of a `digits` field, one a digit, left to right."""
    room: Millimetres = 1.0
    """The millimetres by which a finger's target is wider and higher than the field."""
    numbers: range = range(0)
    """What may be written in a `number` or `digits` field."""

    @property
    def most_digits(self) -> int:
        """The digits of the highest number that may be written in it."""
        return len(str(max(self.numbers, default=0)))


def moved_exactly(box: Box, x: Millimetres, y: Millimetres) -> Box:
    """The box on what it lies on."""
    return Box(box.x + x, box.y + y, box.width, box.height)


def moved(box: Box, x: Millimetres, y: Millimetres) -> Box:
    """The box on what it lies on, rounded to what anybody can measure."""
    return Box(round(box.x + x, 3), round(box.y + y, 3), round(box.width, 3), round(box.height, 3))


def moved_field(field: Field, x: Millimetres, y: Millimetres) -> Field:
    """The field on what it lies on."""
    return replace(
        field, box=moved(field.box, x, y), cells=tuple(moved(cell, x, y) for cell in field.cells)
    )


@dataclass(frozen=True)
class Label:
    """Something printed between the fields, where nothing is written."""

    box: Box
    text: Sentence
    strength: Strength = "soft"
    size: Millimetres = 3.0
    """The letters' size at the most; a longer text is written smaller, or in several lines."""
    align: Literal["middle", "start"] = "middle"
    has_pill: bool = False
    """Whether it stands in white on a dark pill, to stand out from its neighbours."""
    symbol: Symbol = ""
    """Drawn before the text, in a column of its own."""
    sign: str = ""
    """The same for a single character."""
    lying_only: bool = False
    """Whether it needs its width, so that a screen that turns the sheet upright leaves it out."""
    turns_up: bool = False
    """Whether it reads upwards on an upright sheet, where it stands beside its column."""


@dataclass(frozen=True)
class Band:
    """A coloured strip holding a row's fields, and its letter for those who see no colour."""

    box: Box
    color: str
    letter: Word
    letter_at: tuple[Millimetres, Millimetres]
    """The letter's centre."""


@dataclass(frozen=True, eq=False)
class Layout:
    """A sheet's geometry. The origin is its top left corner.

    Compared and hashed by identity, so that a drawing can be kept by its layout: a sheet hands out
    the same object for the same variant.
    """

    width: Millimetres
    height: Millimetres
    bands: tuple[Band, ...]
    fields: tuple[Field, ...]
    labels: tuple[Label, ...] = ()
    upright_width: Millimetres | None = None
    """How much of `height` an upright phone shows, where the fields would get too small otherwise.

    The rest holds no field that is written on during play.
    """


@dataclass(frozen=True)
class Blank:
    """A place on paper for what no rule reads: a name, a date, a sum."""

    id: str
    box: Box
    caption: Sentence | None
    shape: Literal["line", "square", "pentagon"] = "square"
    """A line has its caption inside at the top left, the others have it above."""
    sign: str = ""
    """Printed before it: what is done with a sum."""
    color: str = "plain"
    strong: bool = False
    """It stands out from its likes."""


@dataclass(frozen=True, eq=False)
class Paper:
    """What a printed pad has around its sheet. The origin is the top left corner of the pad.

    Compared and hashed by identity, as `Layout` is.
    """

    title: Sentence
    subtitle: Sentence | None
    """The board's name."""
    width: Millimetres
    height: Millimetres
    layout: Layout
    at: tuple[Millimetres, Millimetres]
    """Where the sheet's top left corner lies."""
    blanks: tuple[Blank, ...]
    names: tuple[str, ...]
    """The blanks that take the players' names; as many players share one pad."""
    notes: tuple[Label, ...] = ()
    """A short reminder of the rules' numbers."""

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The sheet's fields, from the pad's top left corner."""
        return tuple(moved_field(field, *self.at) for field in self.layout.fields)


HEADER: Final[Millimetres] = 13.0
"""The height from a pad's top to the sheet, for title, name and date between the upper markers."""


def header(name: Sentence, name_id: str = "name") -> tuple[Blank, Blank]:
    """The two blanks between the upper markers: for a name (or a game) and for the date."""
    return (
        Blank(name_id, Box(66, 3, 66, 9.5), name, "line"),
        Blank("date", Box(136, 3, 37, 9.5), Sentence(N_("Date")), "line"),
    )


PAD_WIDTH: Final[Millimetres] = 190.0
"""Every pad's width: A4 upright and A5 lying keep a margin of 10 mm."""


@dataclass(frozen=True)
class Term:
    """One part of a total, with the fields that it comes from."""

    name: Sentence
    points: int
    fields: tuple[str, ...]
    color: str = "plain"


def _no_conflicts(sheets: object) -> tuple[Conflict, ...]:
    return ()


T = TypeVar("T")
"""A filled-in sheet of one kind, such as `QwintoSheet`."""


@dataclass(frozen=True)
class Sharing(Generic[T]):
    """How players share one sheet, a column each."""

    named: Callable[[T, Sequence[Player]], T]
    """(sheet, names) → the sheet with these names over its columns, from the left."""

    split: Callable[[T], tuple[tuple[Player, T], ...]]
    """Each player with a sheet of this player alone, in the order of the columns."""

    followed: Callable[[T, T], T]
    """(sheet, the next one) → both as one sheet, where a game went on on a second pad. The columns
    go by their names."""

    columns: Callable[[T], tuple[tuple[int | None, ...], ...]]
    """Each player's numbers, line by line."""

    place: Callable[[str], int]
    """Field name → its column, from 0."""

    line: Callable[[str], Sentence]
    """Field name → what the field is called where its player is said beside it."""

    line_title: Sentence
    """What a line is: the heading of the lines' numbers."""

    title: Sentence
    """What all lines together are."""


@dataclass(frozen=True)
class SheetKind(Generic[T]):
    """A kind of sheet: what can be said of a filled-in sheet `T`, and how the pad looks."""

    name: str
    """The public name, as in a sheet document's `sheet`."""

    parse: Callable[[Mapping[str, object]], T]
    """The sheet of a public document; raises `Unusable` when it is not of the documented shape."""

    document: Callable[[T], Document]
    """The public document of a sheet."""

    from_marks: Callable[[str, Mapping[str, Mark]], T]
    """(board, field name → mark) → the sheet; the board is `""` where there are no boards. What no
    sheet can say (see `slips`) is left out of it."""

    marks: Callable[[T], Mapping[str, Mark]]
    """Field name → what stands there; fields that are left out are empty."""

    slips: Callable[[Mapping[str, Mark]], tuple[tuple[str, ...], ...]]
    """Groups of fields whose marks do not go together although no rule is broken: a sheet filled
    in from the wrong side, say. To the photo reader they hint at a misread mark."""

    layout: Callable[[T], Layout]
    """The geometry of a sheet (boards and player counts differ)."""

    problems: Callable[[T], tuple[Problem, ...]]
    score: Callable[[T], Document]
    terms: Callable[[T], tuple[Term, ...]]
    result: Callable[[T], Result]

    number: int
    """The kind's number in the ids of the printed markers (0 to 6). Never given to another kind."""

    paper: Callable[[str], Paper]
    """The printed pad of a board; `""` where there are no boards."""

    boards: Mapping[str, Sentence] = field(default_factory=dict)
    """The boards with their names, the usual one first; empty where there is but one. The order is
    in the ids of the printed markers, so a new board goes to the end."""

    sharing: Sharing[T] | None = None
    """How players share the sheet; None where each has one of their own."""

    conflicts: Callable[[Sequence[tuple[str | Sentence, T]]], tuple[Conflict, ...]] = _no_conflicts
    """(player, sheet) of one game → what these sheets say against each other. Each sheet by itself
    may be without a problem."""

    @property
    def every_board(self) -> tuple[str, ...]:
        """The boards, as `paper` takes them: `""` alone where there are none."""
        return tuple(self.boards) or ("",)

    @property
    def usual_board(self) -> str:
        return self.every_board[0]

    def filled(self, document: Mapping[str, object]) -> FilledSheet:
        """The sheet of a public document; raises `Unusable`."""
        return FilledSheet(self, self.parse(document))

    def marked(self, board: str, marks: Mapping[str, Mark]) -> FilledSheet:
        """The sheet on which these marks stand."""
        return FilledSheet(self, self.from_marks(board, marks))


AnySheetKind: TypeAlias = SheetKind[Any]


@dataclass(frozen=True)
class FilledSheet:
    """A filled-in sheet with its kind. Whatever is asked of it is worked out once."""

    kind: AnySheetKind
    sheet: Any
    """The sheet, of the kind's own type."""

    @cached_property
    def document(self) -> Document:
        return self.kind.document(self.sheet)

    @cached_property
    def layout(self) -> Layout:
        return self.kind.layout(self.sheet)

    @cached_property
    def marks(self) -> Mapping[str, Mark]:
        return self.kind.marks(self.sheet)

    @cached_property
    def problems(self) -> tuple[Problem, ...]:
        return self.kind.problems(self.sheet)

    @cached_property
    def score(self) -> Document:
        return self.kind.score(self.sheet)

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        return self.kind.terms(self.sheet)

    @cached_property
    def result(self) -> Result:
        return self.kind.result(self.sheet)

    def named(self, names: Sequence[Player]) -> FilledSheet:
        """A shared sheet with these names over its columns; any other sheet as it is."""
        if self.kind.sharing is None:
            return self
        return FilledSheet(self.kind, self.kind.sharing.named(self.sheet, names))

    @cached_property
    def parts(self) -> tuple[tuple[Player, FilledSheet], ...]:
        """A shared sheet as (player, a sheet of this player alone); empty for other sheets."""
        if self.kind.sharing is None:
            return ()
        split = self.kind.sharing.split(self.sheet)
        return tuple((player, FilledSheet(self.kind, part)) for player, part in split)
