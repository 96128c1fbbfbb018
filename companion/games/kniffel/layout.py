"""The Kniffel sheet: thirteen lines for points, the sums between them, six columns on a pad."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
from typing import ClassVar, Final, NamedTuple

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
    moved_exactly,
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


class Look(NamedTuple):
    """The lines of a sheet from top to bottom, and their sizes."""

    lines: tuple[str, ...]
    name: Millimetres
    worth: Millimetres  # space beside a line's name for the points that it always gives
    field: Millimetres
    down: Millimetres  # the distance from one line to the next
    gap: Millimetres  # between the upper and the lower part


PRINTED: Final = Look(
    (*UPPER, "sum.upper", "sum.bonus", "sum.upper-total", *LOWER, "sum.lower", "sum.total"),
    name=31.0,
    worth=8.0,
    field=18.4,
    down=6.35,
    gap=1.2,
)
# A sheet that is slim enough to have all else beside it on a phone; the bonus is in its gap
SCREEN: Final = Look(FIELDS, name=29.0, worth=0.0, field=16.5, down=8.1, gap=5.8)
MARGIN: Final[Millimetres] = 1.5
ACROSS: Final[Millimetres] = 20.0  # from one column of a pad to the next
FIELD_LESS: Final[Millimetres] = 0.6  # by which a field is lower than its line
COLUMNS: Final = 6
SHEET_LEFT: Final[Millimetres] = 16.0  # on a pad, for the code of the names


def _box(look: Look, name: str) -> Box:
    """The box of a field or sum in the first column."""
    line = look.lines.index(name)
    gap = look.gap if line >= look.lines.index(LOWER[0]) else 0.0
    y = MARGIN + line * look.down + gap + FIELD_LESS / 2
    return Box(MARGIN + look.name + look.worth, y, look.field, look.down - FIELD_LESS)


def _field(name: FieldName, box: Box) -> Field:
    possible = kniffel.POSSIBLE[name]
    most = max(possible)
    return Field(
        id=name,
        kind="points",
        box=box,
        shape="square",
        color="plain",
        name=Sentence(NAMES[name]),
        touch_margin=FIELD_LESS,
        numbers=range(0, most + 1, most // (len(possible) - 1)),
        is_struck=True,
    )


def _line_labels(look: Look, name: str) -> Iterator[Label]:
    """A line's name, and the points that it always gives."""
    is_sum, box = name in SUM_NAMES, _box(look, name)
    place = Box(MARGIN, box.y, look.name, box.height)
    text = Sentence(SUM_NAMES[name] if is_sum else NAMES[name])
    yield Label(place, text, "soft" if is_sum else "plain", 3.6, "start")
    if name in kniffel.FIXED and look.worth:
        worth = Sentence("%(number)s", {"number": kniffel.FIXED[name]})
        yield Label(Box(MARGIN + look.name, box.y, look.worth, box.height), worth, size=3.2)


@cache
def _layout(look: Look) -> Layout:
    last, first_below = _box(look, look.lines[-1]), _box(look, LOWER[0])
    in_gap = Box(MARGIN, first_below.y - look.gap, look.name, look.gap)
    bonus = Label(in_gap, Sentence("Bonus"), "soft", 3.6, "start")
    labels: list[Label] = []
    for name in look.lines:
        labels += _line_labels(look, name)
    if "sum.bonus" not in look.lines:
        labels.append(bonus)
    return Layout(
        width=last.x + last.width + MARGIN,
        height=last.y + last.height + FIELD_LESS / 2 + MARGIN,
        bands=(),
        fields=tuple(_field(name, _box(look, name)) for name in FIELDS),
        labels=tuple(labels),
    )


def _blanks(column: int) -> Iterator[Blank]:
    right = SHEET_LEFT + column * ACROSS
    for name in SUM_NAMES:
        box = moved_exactly(_box(PRINTED, name), right, HEADER)
        yield Blank(in_column(name, column), box, None)
    above = Box(box.x, 3, box.width, 9.5)
    yield Blank(f"name.{column + 1}", above, Sentence("Name"), "line")


@cache
def _paper() -> Paper:
    drawn = _layout(PRINTED)
    columns = range(COLUMNS)
    return Paper(
        title=Sentence("Kniffel"),
        subtitle=None,
        width=PAD_WIDTH,
        height=round(HEADER + drawn.height + MARGIN, 2),
        layout=drawn,
        at=(SHEET_LEFT, HEADER),
        blanks=tuple(chain.from_iterable(map(_blanks, columns))),
        names=tuple(f"name.{column + 1}" for column in columns),
        columns=tuple(column * ACROSS for column in columns),
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
        return _layout(SCREEN)

    def marks(self, sheet: KniffelSheet) -> Mapping[str, Mark]:
        return dict(sheet.points)

    def from_marks(self, board: str, marks: Mapping[str, Mark]) -> KniffelSheet:
        """The column with these points; paper does not say how further Kniffels were counted."""
        written = []
        for field in FIELDS:
            mark = marks.get(field)
            if is_whole(mark):
                written.append((field, mark))
        return KniffelSheet(points=tuple(written))

    def terms(self, sheet: KniffelSheet) -> tuple[Term, ...]:
        """The total taken apart: the upper part, its bonus, the lower part, further Kniffels."""
        score = sheet.score()
        written = dict(sheet.points)
        upper = tuple(field for field in UPPER if field in written)
        lower = tuple(field for field in LOWER if field in written)
        note = Sentence("from %(points)s points", {"points": kniffel.BONUS_FROM})
        aim, missing_at, won_at = kniffel.BONUS_FROM, LOWER[0], ""
        if score["bonus"]:
            missing_at, won_at = won_at, missing_at
        terms = (
            Term(Sentence("Upper sum"), score["upper"], upper, so_far_at=missing_at, aim=aim),
            Term(
                Sentence("Bonus"),
                score["bonus"],
                upper if won_at else (),
                note=note,
                won_at=won_at,
            ),
            Term(Sentence("Lower part"), score["lower"], lower),
        )
        if not sheet.extra:
            return terms
        return (*terms, Term(Sentence("Further Kniffels"), score["extra"], ("kniffel",)))

    def sums(self, sheet: KniffelSheet) -> Mapping[str, int]:
        """The numbers that belong into the blanks of the column."""
        score = sheet.score()
        return {
            "sum.upper": score["upper"],
            "sum.bonus": score["bonus"],
            "sum.upper-total": score["upper"] + score["bonus"],
            "sum.lower": score["lower"],
            "sum.total": score["total"],
        }


SHEET: Final = KniffelKind()
