"""The Kniffel sheet: thirteen lines for points, the sums between them, six columns on a pad."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import ClassVar, Final

from companion.core.sheet import (
    HEADER,
    PAD_WIDTH,
    Blank,
    Box,
    Field,
    Label,
    Layout,
    Mark,
    Millimetres,
    Paper,
    SheetKind,
    Term,
    in_column,
)
from companion.core.values import is_whole
from companion.core.words import N_, Sentence
from companion.games.kniffel import sheet as kniffel
from companion.games.kniffel.sheet import FIELDS, LOWER, UPPER, FieldName, KniffelSheet

NAMES: Final[Mapping[FieldName, str]] = {
    "ones": N_("Ones"),
    "twos": N_("Twos"),
    "threes": N_("Threes"),
    "fours": N_("Fours"),
    "fives": N_("Fives"),
    "sixes": N_("Sixes"),
    "three-of-a-kind": N_("Three of a kind"),
    "four-of-a-kind": N_("Four of a kind"),
    "full-house": N_("Full house"),
    "small-straight": N_("Small straight"),
    "large-straight": N_("Large straight"),
    "kniffel": N_("Kniffel"),
    "chance": N_("Chance"),
}
SUM_NAMES: Final = {
    "sum.upper": N_("Upper sum"),
    "sum.bonus": N_("Bonus from 63"),
    "sum.upper-total": N_("Upper part"),
    "sum.lower": N_("Lower part"),
    "sum.total": N_("Total"),
}
NAME: Final = Sentence("Name")
PRINTED_LINES: Final = (
    *UPPER,
    "sum.upper",
    "sum.bonus",
    "sum.upper-total",
    *LOWER,
    "sum.lower",
    "sum.total",
)
"""Fields and sums of a printed column from top to bottom; a screen shows the fields alone."""

MARGIN: Final[Millimetres] = 1.5
NAME_WIDTH: Final[Millimetres] = 31.0
WORTH_WIDTH: Final[Millimetres] = 8.0
"""Space beside a line's name for the points that it always gives."""
FIELD_WIDTH: Final[Millimetres] = 18.4
ACROSS: Final[Millimetres] = 20.0
"""The distance from one column of a pad to the next."""
GAP: Final[Millimetres] = 1.2
"""Space between the upper and the lower part."""
DOWN: Final[Millimetres] = 6.35
SCREEN_DOWN: Final[Millimetres] = 8.0
"""The distance from one line to the next, printed and on a screen."""
FIELD_LESS: Final[Millimetres] = 0.6
"""By how much a field is lower than its line."""
COLUMNS: Final = 6
SHEET_LEFT: Final[Millimetres] = 16.0
"""Space on a pad beside the lines, for the code of the names."""
LEFT: Final[Millimetres] = MARGIN + NAME_WIDTH + WORTH_WIDTH
"""The first column's left edge."""


def _box(lines: tuple[str, ...], name: str, down: Millimetres) -> Box:
    """The box of a field or sum on a sheet of these lines."""
    line = lines.index(name)
    gap = GAP if line >= lines.index(LOWER[0]) else 0.0
    y = MARGIN + line * down + gap + FIELD_LESS / 2
    return Box(LEFT, y, FIELD_WIDTH, down - FIELD_LESS)


def _field(name: FieldName, box: Box) -> Field:
    return Field(
        id=name,
        kind="points",
        box=box,
        shape="square",
        color="plain",
        name=Sentence(NAMES[name]),
        touch_margin=FIELD_LESS,
        numbers=range(max(kniffel.POSSIBLE[name]) + 1),
        is_struck=True,
    )


def _line_labels(name: str, box: Box) -> Iterator[Label]:
    """A line's name, and the points that it always gives."""
    is_sum = name in SUM_NAMES
    place = Box(MARGIN, box.y, NAME_WIDTH, box.height)
    text = Sentence(SUM_NAMES[name] if is_sum else NAMES[name])
    yield Label(place, text, "soft" if is_sum else "plain", 3.6, "start")
    if name in kniffel.FIXED:
        worth = Sentence("%(number)s", {"number": kniffel.FIXED[name]})
        yield Label(Box(MARGIN + NAME_WIDTH, box.y, WORTH_WIDTH, box.height), worth, size=3.2)


@cache
def _layout(lines: tuple[str, ...], down: Millimetres) -> Layout:
    boxes = {name: _box(lines, name, down) for name in lines}
    return Layout(
        width=LEFT + FIELD_WIDTH + MARGIN,
        height=boxes[lines[-1]].y + down - FIELD_LESS / 2 + MARGIN,
        bands=(),
        fields=tuple(_field(name, boxes[name]) for name in FIELDS),
        labels=tuple(label for name in lines for label in _line_labels(name, boxes[name])),
    )


def _sums(column: int, left: Millimetres) -> Iterator[Blank]:
    for name in SUM_NAMES:
        box = _box(PRINTED_LINES, name, DOWN)
        place = Box(left + box.x + column * ACROSS, HEADER + box.y, box.width, box.height)
        yield Blank(in_column(name, column), place, None, strong=name == "sum.total")


@cache
def _paper() -> Paper:
    drawn = _layout(PRINTED_LINES, DOWN)
    left = SHEET_LEFT
    names = tuple(f"name.{column + 1}" for column in range(COLUMNS))
    return Paper(
        title=Sentence("Kniffel"),
        subtitle=None,
        width=PAD_WIDTH,
        height=round(HEADER + drawn.height + MARGIN, 2),
        layout=drawn,
        at=(left, HEADER),
        blanks=(
            *(
                Blank(name, Box(left + LEFT + column * ACROSS, 3, FIELD_WIDTH, 9.5), NAME, "line")
                for column, name in enumerate(names)
            ),
            *(blank for column in range(COLUMNS) for blank in _sums(column, left)),
        ),
        names=names,
        columns=tuple(column * ACROSS for column in range(COLUMNS)),
    )


class KniffelKind(SheetKind[KniffelSheet]):
    """The sheet of Kniffel: one column."""

    name = "kniffel"
    number = 4
    written = KniffelSheet
    most_sums: ClassVar = {
        "sum.upper": 105,
        "sum.bonus": kniffel.BONUS,
        "sum.upper-total": 105 + kniffel.BONUS,
        "sum.lower": 235,
    }

    def paper(self, board: str) -> Paper:
        """The printed pad, with a column for each of six players or games."""
        return _paper()

    def layout(self, sheet: KniffelSheet) -> Layout:
        """The thirteen lines of a screen."""
        return _layout(FIELDS, SCREEN_DOWN)

    def marks(self, sheet: KniffelSheet) -> Mapping[str, Mark]:
        """The points written."""
        return dict(sheet.points)

    def from_marks(self, board: str, marks: Mapping[str, Mark]) -> KniffelSheet:
        """The column with these points; paper does not say how further Kniffels were counted."""
        points = {field: marks.get(field) for field in FIELDS}
        written = tuple((field, mark) for field, mark in points.items() if is_whole(mark))
        return KniffelSheet(points=written)

    def terms(self, sheet: KniffelSheet) -> tuple[Term, ...]:
        """The total taken apart: the upper part, its bonus, the lower part, further Kniffels."""
        score = sheet.score()
        written = dict(sheet.points)
        upper = tuple(field for field in UPPER if field in written)
        lower = tuple(field for field in LOWER if field in written)
        note = Sentence("from %(points)s points", {"points": kniffel.BONUS_FROM})
        terms = (
            Term(Sentence("Upper sum"), score["upper"], upper),
            Term(Sentence("Bonus"), score["bonus"], upper if score["bonus"] else (), note=note),
            Term(Sentence("Lower part"), score["lower"], lower),
        )
        if not sheet.extra:
            return terms
        return (*terms, Term(Sentence("Further Kniffels"), score["extra"], ("kniffel",)))

    def sums(self, sheet: KniffelSheet) -> Mapping[str, int]:
        """What belongs into the blanks of the column."""
        score = sheet.score()
        return {
            "sum.upper": score["upper"],
            "sum.bonus": score["bonus"],
            "sum.upper-total": score["upper"] + score["bonus"],
            "sum.lower": score["lower"],
            "sum.total": score["total"],
        }


SHEET: Final = KniffelKind()
