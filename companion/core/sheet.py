"""The description of a paper sheet: fields in millimetres, marks, problems, terms.

The screen, the printed pad and the photo reader share this description. How things look is said
in `companion.core.sheet_style`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, Final, Generic, Literal, NamedTuple, TypeAlias, TypeVar

from companion.core.numbers import NumberSheet
from companion.core.refusal import Conflict, Refusal
from companion.core.result import Result, Written
from companion.core.values import Columns, Document, Player
from companion.core.words import Sentence, Word, minus

Millimetres: TypeAlias = float

# How a field is filled in, in the words of the public pad map. `points` are any whole number,
# written freely into one box; the map calls that a `number`, too.
Kind: TypeAlias = Literal["number", "digits", "points", "cross", "value"]

Shape: TypeAlias = Literal["circle", "pentagon", "square"]

# A small drawing that is printed in a field or before a label; "" for none
Symbol: TypeAlias = Literal["", "star", "lock"]

# How much a printed text stands out: gray, in ink, or in bold ink
Strength: TypeAlias = Literal["soft", "plain", "strong"]

# The content of a field: a number, a cross (True), a value's state, or nothing (None, False)
Mark: TypeAlias = int | str | bool | None

EMPTY: Final[Mapping[Kind, Mark]] = {
    "number": None,
    "digits": None,
    "points": None,
    "cross": False,
    "value": "open",
}


# The kinds of fields that are white inside, and empty unless a number is written in them
NUMBERS: Final[frozenset[Kind]] = frozenset({"number", "digits", "points"})


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
    color: str  # a colour's name, or "plain"
    name: Sentence  # the field's name for screen readers
    print: str = ""  # the text printed in the empty field
    print_size: Millimetres = 3.4
    print_strength: Strength = "soft"
    letter: Word | None = None  # the letter of its colour, if the field itself has to show it
    symbol: Symbol = ""
    cells: tuple[Box, ...] = ()  # the boxes of a `digits` field, one for each digit, left to right
    # Added to the field's width and height for a finger's target
    touch_margin: Millimetres = 1.0
    # Where an upright screen shows a value, small; None for the field's own place
    upright_at: tuple[Millimetres, Millimetres] | None = None
    numbers: range = range(0)  # what a `number`, `digits` or `points` field may hold
    # Whether a slash, a dash or a cross in it means the number 0
    is_struck: bool = False

    @property
    def most_digits(self) -> int:
        """The digits of the highest number that may be written in it."""
        return len(str(max(self.numbers, default=0)))

    @property
    def is_number(self) -> bool:
        return self.kind in NUMBERS

    @property
    def is_typed(self) -> bool:
        """Whether its number is typed digit by digit, because there are too many to choose from."""
        return self.kind in ("digits", "points")


def moved_exactly(box: Box, x: Millimetres, y: Millimetres) -> Box:
    """The box in the coordinates of the surface that it lies on."""
    return Box(box.x + x, box.y + y, box.width, box.height)


def moved(box: Box, x: Millimetres, y: Millimetres) -> Box:
    """The box in the coordinates of the surface that it lies on, rounded to micrometres.

    >>> moved(Box(1, 2, 5, 5), 10, 20)
    Box(x=11, y=22, width=5, height=5)
    """
    return Box(round(box.x + x, 3), round(box.y + y, 3), round(box.width, 3), round(box.height, 3))


def moved_field(field: Field, x: Millimetres, y: Millimetres) -> Field:
    """The field in the coordinates of the surface that it lies on."""
    return replace(
        field, box=moved(field.box, x, y), cells=tuple(moved(cell, x, y) for cell in field.cells)
    )


@dataclass(frozen=True)
class Label:
    """A text or symbol printed between the fields."""

    box: Box
    text: Sentence | None = None
    strength: Strength = "soft"
    # The largest size of the letters; a longer text is set smaller, or in several lines
    size: Millimetres = 3.0
    align: Literal["middle", "start"] = "middle"
    # Whether it is white on a dark pill, to stand out from its neighbours
    has_pill: bool = False
    # A symbol drawn before the text, in a column of its own; without a text, in the middle
    symbol: Symbol = ""
    sign: str = ""  # a character drawn before the text, in a column of its own
    # Whether a screen leaves it out when it turns the sheet upright, because it is too wide
    lying_only: bool = False
    # Whether it reads upwards, beside its column, when a screen turns the sheet upright
    turns_up: bool = False


@dataclass(frozen=True)
class Band:
    """A coloured strip behind a row's fields, with a letter for people who cannot see colours."""

    box: Box
    color: str
    letter: Word
    letter_at: tuple[Millimetres, Millimetres]
    # The centre of a small arrow to the right, where the row is filled in one direction only
    arrow_at: tuple[Millimetres, Millimetres] | None = None


@dataclass(frozen=True)
class Blank:
    """A place on paper for a name, a date or a sum; it is not a field of the sheet."""

    id: str
    box: Box
    caption: Sentence | None
    # A line has its caption inside at the top left, the other shapes have it above
    shape: Literal["line", "square", "pentagon"] = "square"
    sign: str = ""  # the operator printed before a sum, such as "+"
    color: str = "plain"
    strong: bool = False  # whether it is drawn more prominently than other blanks


def placed(
    blanks: Iterable[Blank], x: Millimetres, y: Millimetres, column: int = 0
) -> tuple[Blank, ...]:
    """The sums of a sheet on its pad; see `Paper.at` and `in_column`."""
    return tuple(
        replace(blank, id=in_column(blank.id, column), box=moved_exactly(blank.box, x, y))
        for blank in blanks
    )


@dataclass(frozen=True, eq=False)
class Layout:
    """A sheet's geometry. The origin is its top left corner.

    Compared and hashed by identity, so that a drawing can be cached by its layout: a sheet hands
    out the same object for the same variant.
    """

    width: Millimetres
    height: Millimetres
    bands: tuple[Band, ...]
    fields: tuple[Field, ...]
    labels: tuple[Label, ...] = ()
    # The part of `height` that an upright phone shows; None for all of it. All of a wide sheet
    # would make the fields too small. The rest holds no field that is written on during play.
    upright_width: Millimetres | None = None
    # Whether a screen turns it upright like paper; another sheet is mirrored, too, to keep the
    # order of its rows.
    quarter_turn: bool = False
    # Where a screen shows sums on the sheet. One with the id of a term's blank shows its points;
    # `Term.so_far_at` and `won_at` may name another one.
    sums: tuple[Blank, ...] = ()

    @property
    def stands(self) -> bool:
        """Whether it is higher than wide, and a screen never turns it."""
        return self.height > self.width

    @property
    def upright_size(self) -> tuple[Millimetres, Millimetres]:
        """Width and height on an upright phone."""
        if self.stands:
            return self.width, self.height
        return self.upright_width or self.height, self.width

    @cached_property
    def places(self) -> Mapping[str, Box]:
        """Id → where a field or a sum is, the fields first."""
        boxes = {field.id: field.box for field in self.fields}
        return boxes | {place.id: place.box for place in self.sums}

    @cached_property
    def is_column(self) -> bool:
        """Whether it is a column of lines, which a screen shows beside those of other players."""
        return self.stands and len({(field.box.x, field.box.width) for field in self.fields}) == 1

    @cached_property
    def fold(self) -> Millimetres:
        """The height at which a lying phone cuts a column in two, so that both are about as high.

        >>> from companion.core.words import Sentence
        >>> lines = [Box(20, y, 9, 8) for y in (1, 11, 21, 35, 45)]
        >>> name = Sentence("Line")
        >>> fields = [Field(str(box.y), "points", box, "square", "plain", name) for box in lines]
        >>> Layout(30, 54, (), tuple(fields)).fold
        32.0
        """
        lines = sorted((box.y, box.y + box.height) for box in self.places.values())
        cuts = [((end + start) / 2, start - end) for (_, end), (start, _) in pairwise(lines)]
        # Among equals, the one in the widest gap
        return min(cuts, key=lambda cut: (round(max(cut[0], self.height - cut[0])), -cut[1]))[0]

    @cached_property
    def finger(self) -> Millimetres:
        """The shorter side of a finger's target, for most of the fields."""
        sides: Counter[Millimetres] = Counter()
        for field in self.fields:
            if field.kind != "value":
                sides[min(field.box.width, field.box.height) + field.touch_margin] += 1
        return max(sides, key=lambda side: sides[side])


@dataclass(frozen=True, eq=False)
class Paper:
    """A printed pad: a sheet and what is around it. The origin is the pad's top left corner.

    Compared and hashed by identity, as `Layout` is.
    """

    title: Sentence
    subtitle: Sentence | None  # the board's name
    width: Millimetres
    height: Millimetres
    layout: Layout
    at: tuple[Millimetres, Millimetres]  # the sheet's top left corner on the pad
    blanks: tuple[Blank, ...]
    # The ids of the blanks for the players' names, one for each player who shares the pad
    names: tuple[str, ...]
    notes: tuple[Label, ...] = ()  # short reminders of the rules' numbers
    # Printed beside the sheet, in its coordinates, to show how its fields are filled in
    examples: tuple[Field, ...] = ()
    # The place of the names' QR code: below the upper left marker, or where there is room
    code: Box = Box(3, 17, 13.1, 13.1)
    # The distance of each column to the right of the layout's fields. A pad of several columns has
    # a sheet in each; `in_column` names their fields and sums.
    columns: tuple[Millimetres, ...] = (0.0,)

    @cached_property
    def sheet_fields(self) -> tuple[Field, ...]:
        """The fields of all columns, in the layout's coordinates."""
        fields = list(self.layout.fields)
        for column, right in enumerate(self.columns[1:], start=1):
            for field in self.layout.fields:
                beside = moved_field(field, right, 0)
                fields.append(replace(beside, id=in_column(field.id, column)))
        return tuple(fields)

    @cached_property
    def single(self) -> Paper:
        """The pad with only its first column."""
        if len(self.columns) == 1:
            return self
        blanks = []
        for blank in self.blanks:
            column, _ = column_of(blank.id)
            if column == 0 and blank.id not in self.names[1:]:
                blanks.append(blank)
        return replace(self, columns=self.columns[:1], blanks=tuple(blanks), names=self.names[:1])

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The sheet's fields, in the pad's coordinates."""
        return tuple(moved_field(field, *self.at) for field in self.sheet_fields)

    @cached_property
    def places(self) -> Mapping[str, Field | Blank]:
        """Id → field or blank, the fields first."""
        places: dict[str, Field | Blank] = {field.id: field for field in self.fields}
        places |= {blank.id: blank for blank in self.blanks}
        return places

    @cached_property
    def term_blanks(self) -> tuple[str, ...]:
        """The ids of the terms' blanks, in the terms' order: neither subtotals nor total."""
        names = (blank.id for blank in self.single.sums)
        return tuple(name for name in names if "-" not in name and name != TOTAL)

    @cached_property
    def sums(self) -> tuple[Blank, ...]:
        return tuple(blank for blank in self.blanks if blank.shape != "line")


V = TypeVar("V")


def in_column(name: str, column: int) -> str:
    """The id of a field or sum in a column of a pad, from 0; the first one's has no prefix.

    >>> in_column("sum.total", 2), column_of("3/sum.total")
    ('3/sum.total', (2, 'sum.total'))
    """
    return f"{column + 1}/{name}" if column else name


def column_of(name: str) -> tuple[int, str]:
    """(column from 0, name in it) of an id that `in_column` made."""
    column, slash, plain = name.rpartition("/")
    return (int(column) - 1 if slash else 0, plain)


def of_column(found: Mapping[str, V], column: int) -> dict[str, V]:
    """The values found in a column of a pad, by the names in it.

    >>> of_column({"sum.total": 7, "2/sum.total": 9}, 1)
    {'sum.total': 9}
    """
    values = {}
    for name, value in found.items():
        at, plain = column_of(name)
        if at == column:
            values[plain] = value
    return values


TOTAL: Final = "sum.total"  # the blank for the total on a sheet of one player
# The height from a pad's top to the sheet, for title, name and date between the upper markers
HEADER: Final[Millimetres] = 13.0


def header(name: Sentence, name_id: str = "name") -> tuple[Blank, Blank]:
    """The two blanks between the upper markers: one for a name (or a game), one for the date."""
    return (
        Blank(name_id, Box(66, 3, 66, 9.5), name, "line"),
        Blank("date", Box(136, 3, 37, 9.5), Sentence("Date"), "line"),
    )


class Sum(NamedTuple):
    """A part of a score line; see `Blank`."""

    id: str
    caption: Sentence
    sign: str = ""
    color: str = "plain"
    shape: Literal["square", "pentagon"] = "square"


def score_line(
    sums: Sequence[Sum],
    at: tuple[Millimetres, Millimetres],
    size: tuple[Millimetres, Millimetres],
    total_width: Millimetres,
    sign_gap: Millimetres,
    gap: Millimetres = 0.0,
) -> tuple[Blank, ...]:
    """The boxes for sums side by side; the last one is the total, wider and stronger.

    Args:
        at: the first box's top left corner.
        size: width and height of a box.
        sign_gap: the gap before a box with a sign.
        gap: the gap before any other box, except the first.
    """
    (x, y), (width, height) = at, size
    blanks: list[Blank] = []
    for part in sums:
        is_total = part is sums[-1]
        x += (sign_gap if part.sign else gap) if blanks else 0.0
        box = Box(x, y, total_width if is_total else width, height)
        blanks.append(
            Blank(part.id, box, part.caption, part.shape, part.sign, part.color, is_total)
        )
        x += box.width
    return tuple(blanks)


# The width of every pad. On A4 upright and A5 lying it leaves a margin of 10 mm.
PAD_WIDTH: Final[Millimetres] = 190.0


@dataclass(frozen=True)
class Term:
    """One part of a total, with the fields that make it."""

    name: Sentence
    points: int
    fields: tuple[str, ...]
    color: str = "plain"
    note: Sentence | None = None  # the origin of the points, such as "7 fields × 1"
    # The field or sum at which a screen shows its points once it is complete
    won_at: str = ""
    so_far_at: str = ""  # the one at which a screen shows its points until then; see `Layout.sums`
    aim: int = 0  # the points that complete it, shown beside its points so far; 0 for none


def times(count: int, points: int) -> Sentence:
    """The note of a term that counts things of equal value.

    >>> from companion.core.words import english
    >>> times(3, -5).translated(english, " and ")
    '3 × −5'
    """
    return Sentence("%(count)s × %(points)s", {"count": count, "points": minus(points)})


T = TypeVar("T", bound=Written)  # A filled-in sheet of one kind, in the type of its package


@dataclass(frozen=True)
class Sharing(Generic[T]):
    """How players share one sheet, a column each."""

    # (sheet, names) → the sheet with these names over its columns, from the left
    named: Callable[[T, Sequence[Player]], T]

    # Each player with a sheet of only this player, in the order of the columns
    split: Callable[[T], tuple[tuple[Player, T], ...]]

    # (sheet, the next one) → both as one sheet, for a game that continued on a second pad
    followed: Callable[[T, T], T]

    # (names) → an empty sheet with these names, with its lines
    empty: Callable[[Sequence[Player]], T]

    # Each player's numbers, line by line → a sheet; a shorter column is open at its end
    of_columns: Callable[[Columns], T]

    # Each player's numbers, line by line
    columns: Callable[[T], tuple[tuple[int | None, ...], ...]]

    place: Callable[[str], int]  # field name → its column, from 0

    # Field name → the field in words that do not name its player
    line: Callable[[str], Sentence]

    line_title: Sentence  # the heading of the lines' numbers, such as "Round"
    title: Sentence  # the title of all lines together


class SheetKind(ABC, Generic[T]):
    """A kind of sheet: what its filled-in sheets `T` are on paper, and its printed pad."""

    name: str  # the public name, as in a sheet document's `sheet`

    # The kind's number in the ids of the printed markers (0 to 6). Never given to another kind.
    number: int

    written: type[T]  # the type of its filled-in sheets

    # Board → its name, the usual board first; empty for a sheet without boards. A board's place is
    # part of the printed markers' ids, so a new board goes to the end.
    boards: ClassVar[Mapping[str, Sentence]] = {}

    boards_title: Sentence = Sentence("Board")  # what they are called where one is chosen

    # Id of a blank for a sum → the most that the rules allow, without its sign; else no bound
    most_sums: ClassVar[Mapping[str, int]] = {}

    sharing: Sharing[T] | None = None  # how players share the sheet; None where each player has one

    @abstractmethod
    def paper(self, board: str) -> Paper:
        """The printed pad of a board, always the same one; `""` where there are no boards."""

    def layout(self, sheet: T) -> Layout:
        """The geometry of a sheet (boards and player counts differ)."""
        return self.paper("").layout

    def board_of(self, sheet: T) -> str:
        """The board on which it is written; `""` where there are no boards."""
        layout = self.layout(sheet)
        boards = (board for board in self.every_board if self.paper(board).layout is layout)
        return next(boards, "")

    @abstractmethod
    def marks(self, sheet: T) -> Mapping[str, Mark]:
        """The sheet as field name → mark; fields that are left out are empty."""

    @abstractmethod
    def from_marks(self, board: str, marks: Mapping[str, Mark]) -> T:
        """The sheet with these marks; the board is `""` where there are no boards.

        Marks that a sheet cannot express (see `slips`) are left out.
        """

    def slips(self, marks: Mapping[str, Mark]) -> tuple[tuple[str, ...], ...]:
        """Groups of fields whose marks are unlikely together although no rule is broken.

        An example is a row of boxes filled in from the wrong side. To the photo reader, a slip
        hints at a misread mark.
        """
        return ()

    @abstractmethod
    def terms(self, sheet: T) -> tuple[Term, ...]:
        """The parts of the total, in the order of the paper's score line."""

    def sums(self, sheet: T) -> Mapping[str, int]:
        """Id of a blank for a sum → the right number. Penalties have no sign.

        The ids are public names; the blanks of every edition have them. The pad has a blank for
        each of the `terms`, in their order, as far as it has room. A subtotal, whose id has a
        hyphen, is the sum of the terms since the one before it, and the total that of all terms.
        """
        terms, sums, since = self.terms(sheet), dict[str, int](), 0
        left = iter(terms)
        for blank in self.paper(self.board_of(sheet)).single.sums:
            if blank.id == TOTAL:
                sums[TOTAL] = sum(term.points for term in terms)
            elif "-" in blank.id:
                sums[blank.id], since = since, 0
            elif term := next(left, None):
                sums[blank.id] = -term.points if blank.sign == "−" else term.points
                since += term.points
        return sums

    def conflicts(self, sheets: Sequence[tuple[str | Sentence, T]]) -> tuple[Conflict, ...]:
        """The contradictions between the sheets, each with its player, of one game.

        Each sheet by itself may be without a problem.
        """
        return ()

    @property
    def every_board(self) -> tuple[str, ...]:
        """The boards as `paper` takes them; `("",)` for a sheet without boards."""
        return tuple(self.boards) or ("",)

    @property
    def usual_board(self) -> str:
        """The board of a document that names none."""
        return self.every_board[0]

    def filled(self, document: Mapping[str, object]) -> FilledSheet:
        """The sheet of a public document; raises `Unusable`.

        >>> from companion.games.catalog import SHEETS
        >>> kind = next(iter(SHEETS.values()))
        >>> empty = kind.marked(kind.usual_board, {})
        >>> kind.filled(empty.document) == empty
        True
        """
        return FilledSheet(self, self.written.from_document(document))

    def marked(self, board: str, marks: Mapping[str, Mark]) -> FilledSheet:
        """The sheet with these marks.

        >>> from companion.games.catalog import SHEETS
        >>> kind = next(iter(SHEETS.values()))
        >>> first, second, *_ = kind.paper(kind.usual_board).layout.fields
        >>> filled = kind.marked(kind.usual_board, {first.id: 7, second.id: 7})
        >>> [problem.code for problem in filled.problems], filled.score["total"]
        (['not-ascending'], 2)
        """
        return FilledSheet(self, self.from_marks(board, marks))


AnySheetKind: TypeAlias = SheetKind[Any]

N = TypeVar("N", bound=NumberSheet)


class NumberKind(SheetKind[N]):
    """A kind of sheet with a number in each field; see `core.numbers`."""

    def empty(self, board: str) -> N:
        """A sheet of a board before anything is written."""
        return self.written()

    def marks(self, sheet: N) -> Mapping[str, Mark]:
        return dict(sheet.entries)

    def from_marks(self, board: str, marks: Mapping[str, Mark]) -> N:
        return self.empty(board).filled(marks)


@dataclass(frozen=True)
class FilledSheet:
    """A filled-in sheet with its kind. Each property is worked out once."""

    kind: AnySheetKind
    sheet: Written  # the sheet, of the kind's own type

    @cached_property
    def document(self) -> Document:
        """The public document."""
        return self.sheet.document()

    @cached_property
    def layout(self) -> Layout:
        return self.kind.layout(self.sheet)

    @cached_property
    def marks(self) -> Mapping[str, Mark]:
        """Field name → mark; fields that are left out are empty."""
        return self.kind.marks(self.sheet)

    @cached_property
    def problems(self) -> tuple[Refusal, ...]:
        """Every fault of the sheet."""
        return self.sheet.problems()

    @cached_property
    def board(self) -> str:
        """The board on which it is written; `""` where there are no boards."""
        return self.kind.board_of(self.sheet)

    @cached_property
    def impossible(self) -> tuple[str, ...]:
        """Number fields with a number that nobody can write there."""
        numbers = {field.id: field.numbers for field in self.layout.fields if field.numbers}
        found = []
        for name, mark in self.marks.items():
            if mark is not None and name in numbers and mark not in numbers[name]:
                found.append(name)
        return tuple(found)

    @cached_property
    def score(self) -> Document:
        """The score object of the public interface."""
        return self.sheet.score()

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        return self.kind.terms(self.sheet)

    @cached_property
    def result(self) -> Result:
        """The total, and what breaks a tie."""
        return self.sheet.result()

    @cached_property
    def sums(self) -> Mapping[str, int]:
        """Id of a blank for a sum → the right number."""
        return self.kind.sums(self.sheet)

    def named(self, names: Sequence[Player]) -> FilledSheet:
        """A shared sheet with these names over its columns; any other sheet unchanged."""
        if self.kind.sharing is None:
            return self
        return FilledSheet(self.kind, self.kind.sharing.named(self.sheet, names))

    @cached_property
    def by_player(self) -> tuple[tuple[Player, FilledSheet], ...]:
        """A shared sheet as (player, a sheet of only this player); empty for other sheets.

        >>> from companion.games.catalog import SHEETS
        >>> shared = next(kind for kind in SHEETS.values() if kind.sharing)
        >>> sheet = FilledSheet(shared, shared.sharing.of_columns({"Ada": (3, 4), "Ben": (5,)}))
        >>> [(player, part.result.total) for player, part in sheet.by_player]
        [('Ada', 7), ('Ben', 5)]
        """
        if self.kind.sharing is None:
            return ()
        split = self.kind.sharing.split(self.sheet)
        return tuple((player, FilledSheet(self.kind, part)) for player, part in split)
