"""The Encore! sheet: 15 × 7 coloured boxes, the columns' and colours' values, and eight jokers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import pairwise
from typing import ClassVar, Final

from companion.core.colors import COLOR_LETTERS, COLOR_WORDS
from companion.core.refusal import Conflict
from companion.core.sheet import (
    HEADER,
    PAD_WIDTH,
    Box,
    Field,
    Label,
    Layout,
    Mark,
    Millimetres,
    Paper,
    SheetKind,
    Sum,
    Term,
    header,
    score_line,
    times,
)
from companion.core.words import N_, Sentence, joined
from companion.games.encore import sheet as encore_sheet
from companion.games.encore.boards import (
    BOARDS,
    BOXES,
    CLAIMS,
    COLORS,
    COLUMNS,
    JOKER_FIELDS,
    JOKER_POINTS,
    JOKERS,
    LINES,
    ROWS,
    STAR_POINTS,
    START_COLUMN,
    Board,
    Claim,
    Line,
    LineId,
)
from companion.games.encore.sheet import EncoreSheet

MARGIN: Final[Millimetres] = 2.0
PITCH: Final[Millimetres] = 10.5  # The distance from one box to the next, across and down
SIDE: Final[Millimetres] = 9.5  # a box's width and height; a ballpoint's cross needs 9
HEADING: Final[Millimetres] = 5.0  # The height of the columns' letters
GAP: Final[Millimetres] = 3.0  # The distance between the grid and the values beside and below it
VALUE_SIZE: Final[Millimetres] = 5.2
JOKER_SIGN: Final = "!"
_VALUE_TEXTS: Final = {
    ("column", "first"): N_("Column %(column)s, first (points: %(points)s)"),
    ("column", "later"): N_("Column %(column)s, later (points: %(points)s)"),
    ("color", "first"): N_("All %(color)s boxes, first (points: %(points)s)"),
    ("color", "later"): N_("All %(color)s boxes, later (points: %(points)s)"),
}
_POINT_TEXTS: Final = {
    "first": N_("Column %(column)s, first: 1 point"),
    "later": N_("Column %(column)s, later: 1 point"),
}


def _place(across: float, down: float) -> Box:
    """A square of the grid, counted from A1; the values and jokers stand on it, too."""
    inset = (PITCH - SIDE) / 2
    return Box(MARGIN + across * PITCH + inset, MARGIN + HEADING + down * PITCH + inset, SIDE, SIDE)


_BESIDE: Final = len(COLUMNS) + GAP / PITCH  # The first square beside the grid
_BELOW: Final = len(ROWS) + GAP / PITCH / 2  # The first of two rows of values below the grid
_JOKERS_DOWN: Final = _BELOW + 2 + 2.1 / PITCH  # Captions of the sums need room above
_JOKERS_ACROSS: Final = 1.5  # the pad's lower marker needs room at the left


def _box_field(board: Board, box: str) -> Field:
    color, star = board.colors[box], box in board.stars
    text = N_("%(box)s, %(color)s, with a star") if star else N_("%(box)s, %(color)s")
    return Field(
        id=box,
        kind="cross",
        box=_place(COLUMNS.index(box[0]), int(box[1:]) - 1),
        shape="square",
        color=color,
        name=Sentence(text, {"box": box, "color": COLOR_WORDS[color]}),
        letter=COLOR_LETTERS[color],
        symbol="star" if star else "",
    )


def _value_field(line: Line, claim: Claim) -> Field:
    is_first, is_column = claim == "first", line.kind == "column"
    points, lower = line.points[claim], not is_first
    text = _POINT_TEXTS[claim] if points == 1 else _VALUE_TEXTS[line.kind, claim]
    return Field(
        id=f"{line.id}.{claim}",
        kind="value",
        box=_place(COLUMNS.index(line.name), _BELOW + lower)
        if is_column
        else _place(_BESIDE + lower, COLORS.index(line.name)),
        shape="square",
        color="plain" if is_column else line.name,
        name=Sentence(text, {line.kind: line.word, "points": points}),
        print=str(points),
        print_size=VALUE_SIZE,
        print_strength="strong" if is_first else "plain",
        letter=COLOR_LETTERS.get(line.name),
        upright_at=_below_letter(line.name, 1 if is_first else -1) if is_column else None,
    )


def _below_letter(column: str, side: int) -> tuple[Millimetres, Millimetres]:
    """The place of a value on an upright sheet: below its letter, left (1) or right (-1)."""
    return (
        MARGIN + (COLUMNS.index(column) + 0.72) * PITCH,
        MARGIN + HEADING / 2 - 0.7 + side * 2,
    )


def _joker_field(number: int) -> Field:
    return Field(
        id=f"joker.{number}",
        kind="cross",
        box=_place(_JOKERS_ACROSS + number - 1, _JOKERS_DOWN),
        shape="square",
        color="plain",
        name=Sentence("Joker %(number)s", {"number": number}),
        print=JOKER_SIGN,
        print_size=6.4,
        print_strength="strong",
    )


def _heading(column: str) -> Label:
    box = Box(MARGIN + COLUMNS.index(column) * PITCH, MARGIN, PITCH, HEADING)
    text = Sentence("%(column)s", {"column": column})
    if column == START_COLUMN:
        return Label(box, text, "strong", has_pill=True)
    return Label(box, text)


def _claim_labels() -> Iterator[Label]:
    """The labels "first" and "later": above the colours' values, right of the columns'."""
    for place, text in enumerate((Sentence("first"), Sentence("later"))):
        above = _place(_BESIDE + place, 0)
        yield Label(Box(above.x, MARGIN, SIDE, HEADING), text, size=2.6, turns_up=True)
        beside = _place(_BESIDE, _BELOW + place)
        box = Box(beside.x, beside.y, 8, SIDE)  # on a pad, the names' code is to the right of it
        yield Label(box, text, size=2.6, align="start", lying_only=True)


def _legend() -> Iterator[Label]:
    """The points of a star that is not crossed and of an unused joker, as on the original sheet."""
    star = Sentence("−%(points)s", {"points": -STAR_POINTS})
    joker = Sentence("+%(points)s", {"points": JOKER_POINTS})
    place = partial(Label, strength="plain", size=4.6, align="start", lying_only=True)
    yield place(_legend_box(0), star, symbol="star")
    yield place(_legend_box(1), joker, sign=JOKER_SIGN)


def _legend_box(line: int) -> Box:
    box = _place(_BESIDE, len(COLORS) + line)
    return Box(box.x, box.y, PITCH + SIDE, SIDE)


@cache
def _layout(board_name: str) -> Layout:
    board = BOARDS[board_name]
    return Layout(
        width=2 * MARGIN + (_BESIDE + 2) * PITCH,
        height=2 * MARGIN + HEADING + (_JOKERS_DOWN + 1) * PITCH,
        bands=(),
        fields=(
            *(_box_field(board, box) for box in BOXES),
            *(_value_field(line, claim) for line in LINES.values() for claim in CLAIMS),
            *map(_joker_field, range(1, JOKERS + 1)),
        ),
        labels=(*map(_heading, COLUMNS), *_claim_labels(), *_legend()),
        upright_width=MARGIN + HEADING + len(ROWS) * PITCH,
        quarter_turn=True,
    )


SUM: Final[Millimetres] = 10.4  # The width of a box for a sum; its height is a box's
SIGN_GAP: Final[Millimetres] = 3.4
TOTAL_WIDTH: Final[Millimetres] = 12.5
# In the order of `BOARDS`, which is that of the printed markers
BOARD_NAMES: Final[Mapping[str, Sentence]] = {
    "black": Sentence("black board"),
    "red": Sentence("red board"),
    "blue": Sentence("blue board"),
    "green": Sentence("green board"),
    "orange": Sentence("orange board"),
    "purple": Sentence("purple board"),
    "yellow": Sentence("yellow board"),
}
_SUMS: Final = (
    Sum("sum.colors", Sentence("Colors")),
    Sum("sum.columns", Sentence("Columns"), "+"),
    Sum("sum.jokers", Sentence("Jokers"), "+"),
    Sum("sum.stars", Sentence("Stars"), "−"),
    Sum("sum.total", Sentence("Total"), "="),
)


@cache
def _paper(board: str) -> Paper:
    sheet = _layout(board)
    left = (PAD_WIDTH - sheet.width) / 2
    last_joker = sheet.fields[-1].box
    at = left + last_joker.x + last_joker.width + GAP, HEADER + last_joker.y
    sums = score_line(_SUMS, at, (SUM, SIDE), TOTAL_WIDTH, SIGN_GAP)
    return Paper(
        title=Sentence("Encore!"),
        subtitle=BOARD_NAMES[board],
        width=PAD_WIDTH,
        height=HEADER + sheet.height + 2,
        layout=sheet,
        at=(left, HEADER),
        blanks=(*header(Sentence("Name")), *sums),
        names=("name",),
        code=Box(173.9, 99, 13.1, 13.1),
    )


_VALUE_FIELDS: Final = {line: (f"{line}.first", f"{line}.later") for line in LINES}  # As `CLAIMS`


def _line_term(sheet: EncoreSheet, kind: str, name: Sentence) -> Term:
    """The points of full columns or colours; a star marks those claimed first: "A*, E"."""
    claims = dict(sheet.claims)
    fields: list[str] = []
    words: list[Sentence] = []
    for line in map(LINES.__getitem__, sheet.full):
        if line.kind != kind:
            continue
        claim = claims.get(line.id, "later")
        fields.append(f"{line.id}.{claim}")
        words.append(joined((line.word, "*" if claim == "first" else ""), ""))
    note = joined(words) if words else None
    return Term(name, sheet.score()[f"{kind}s"], tuple(fields), note=note)


def _most(kind: str) -> int:
    return sum(line.points["first"] for line in LINES.values() if line.kind == kind)


_MOST: Final = {
    "sum.jokers": JOKERS * JOKER_POINTS,
    "sum.colors": _most("color"),
    "sum.columns": _most("column"),
}


_CLAIMED_TWICE: Final = {
    "column": N_(
        "%(one)s and %(other)s both claim the higher value of column %(column)s. That is right"
        " only if they completed it in the same turn."
    ),
    "color": N_(
        "%(one)s and %(other)s both claim the higher bonus for %(color)s. That is right only"
        " if they completed it in the same turn."
    ),
}


class EncoreKind(SheetKind[EncoreSheet]):
    """The sheet of Encore!, on one of seven boards."""

    name = "encore"
    number = 1
    written = EncoreSheet
    boards: ClassVar = {name: BOARD_NAMES[name] for name in BOARDS}
    most_sums: ClassVar = _MOST | {
        "sum.total": sum(_MOST.values()),
        "sum.stars": -STAR_POINTS * max(len(board.stars) for board in BOARDS.values()),
    }

    def paper(self, board: str) -> Paper:
        return _paper(board)

    def layout(self, sheet: EncoreSheet) -> Layout:
        """The geometry: the boards differ in colours and stars only."""
        return _layout(sheet.board_name)

    def conflicts(
        self, sheets: Sequence[tuple[str | Sentence, EncoreSheet]]
    ) -> tuple[Conflict, ...]:
        """The higher values that more than one player claims."""
        claimed: dict[LineId, list[int]] = {}
        for place, (_, sheet) in enumerate(sheets):
            for line, claim in sheet.claims:
                if claim == "first":
                    claimed.setdefault(line, []).append(place)
        found = []
        for line, places in claimed.items():
            if len(places) > 1:
                (one, _), (other, _) = (sheets[place] for place in places[:2])
                kind = LINES[line].kind
                values = {kind: LINES[line].word, "one": one, "other": other}
                fields = tuple((place, f"{line}.first") for place in places)
                found.append(Conflict(Sentence(_CLAIMED_TWICE[kind], values), fields))
        return tuple(found)

    def marks(self, sheet: EncoreSheet) -> Mapping[str, Mark]:
        """Crosses, used jokers from the left, and the values.

        A player who circles a later value has crossed out the first one. A sheet does not say which
        values are crossed out because of others; in a game, `Encore.crossed_out` does.
        """
        written: dict[str, Mark] = dict.fromkeys(sheet.crossed, True)
        written |= dict.fromkeys(JOKER_FIELDS[: max(sheet.jokers_used, 0)], True)
        for line, claim in sheet.claims:
            written[f"{line}.{claim}"] = "circled"
            if claim == "later":
                written[f"{line}.first"] = "crossed"
        return written

    def from_marks(self, board: str, marks: Mapping[str, Mark]) -> EncoreSheet:
        """The sheet with these marks; the jokers are counted, wherever they are.

        Where both values of a line are circled, the higher one counts; see `slips`.
        """
        claims: list[tuple[LineId, Claim]] = []
        for line, (first, later) in _VALUE_FIELDS.items():
            if marks.get(first) == "circled":
                claims.append((line, "first"))
            elif marks.get(later) == "circled":
                claims.append((line, "later"))
        return EncoreSheet(
            board_name=board,
            crossed=tuple(filter(marks.get, BOXES)),
            jokers_used=len(list(filter(marks.get, JOKER_FIELDS))),
            claims=tuple(claims),
        )

    def slips(self, marks: Mapping[str, Mark]) -> tuple[tuple[str, ...], ...]:
        """Jokers that are not crossed from the left, and lines with both values circled."""
        slips = []
        for left, right in pairwise(JOKER_FIELDS):
            if marks.get(right) and not marks.get(left):
                slips.append((left, right))
        for first, later in _VALUE_FIELDS.values():
            if marks.get(first) == marks.get(later) == "circled":
                slips.append((first, later))
        return tuple(slips)

    def terms(self, sheet: EncoreSheet) -> tuple[Term, ...]:
        """The parts of the total: colours, columns, unused jokers, stars that are not crossed."""
        score = sheet.score()
        jokers = JOKER_FIELDS[max(sheet.jokers_used, 0) :]
        open_stars = sheet.board.stars - frozenset(sheet.crossed)
        stars = tuple(filter(open_stars.__contains__, BOXES))
        return (
            _line_term(sheet, "color", Sentence("Colors")),
            _line_term(sheet, "column", Sentence("Columns")),
            Term(
                encore_sheet.JOKERS_LEFT,
                score["jokers"],
                jokers,
                note=times(len(jokers), JOKER_POINTS) if jokers else None,
            ),
            Term(
                Sentence("Stars not crossed"),
                score["stars"],
                stars,
                note=times(len(stars), STAR_POINTS) if stars else None,
            ),
        )


SHEET: Final = EncoreKind()
