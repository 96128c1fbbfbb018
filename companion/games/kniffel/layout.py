"""The sheet of Kniffel: its variant's lines, the sums between them, six columns on a pad."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain
from math import gcd
from typing import ClassVar, Final, NamedTuple

from companion.core.sheet import (
    HEADER,
    PAD_WIDTH,
    Blank,
    Box,
    Field,
    Label,
    Layout,
    Millimetres,
    NumberKind,
    Paper,
    Term,
    placed,
)
from companion.core.words import N_, Sentence
from companion.games.kniffel.sheet import KniffelSheet
from companion.games.kniffel.variants import BY_BOARD, KNIFFEL, VARIANTS, FieldName, Variant

SUM_NAMES: Final = {
    "sum.upper": N_("Upper sum"),
    "sum.bonus": N_("Bonus from %(points)s"),
    "sum.upper-total": N_("Upper part"),
    "sum.lower": N_("Lower part"),
    "sum.total": N_("Total"),
}


class Look(NamedTuple):
    """The sizes of a sheet's lines."""

    name: Millimetres
    worth: Millimetres  # space beside a line's name for the points that it always gives
    field: Millimetres
    down: Millimetres  # the distance from one line to the next
    gap: Millimetres  # between the upper and the lower part
    sum: Millimetres  # the height of a line with a sum
    margin: Millimetres
    upper_sums: tuple[str, ...] = ()  # below the upper lines
    lower_sums: tuple[str, ...] = ()

    def lines(self, variant: Variant) -> tuple[str, ...]:
        """The fields and sums from top to bottom."""
        return (*variant.upper, *self.upper_sums, *variant.lower, *self.lower_sums)


PRINTED: Final = Look(
    name=31.0,
    worth=8.0,
    field=18.4,
    down=6.35,
    gap=1.2,
    sum=6.35,
    margin=1.5,
    upper_sums=("sum.upper", "sum.bonus", "sum.upper-total"),
    lower_sums=("sum.lower", "sum.total"),
)
# Slim enough for everything else to be beside it on a phone, with lines as high as a finger in 380
# pixels; the sums are lower. The upper sum shows how far off the bonus is.
SCREEN: Final = Look(
    name=29.0,
    worth=0.0,
    field=16.5,
    down=8.1,
    gap=0.0,
    sum=3.9,
    margin=0.5,
    upper_sums=("sum.upper",),
    lower_sums=("sum.lower",),
)
MOST_LINES: Final = 18  # on a pad, so that two pads fit on a page; more lines stand closer
MARGIN: Final[Millimetres] = 1.5
ACROSS: Final[Millimetres] = 20.0  # from one column of a pad to the next
FIELD_LESS: Final[Millimetres] = 0.6  # the difference in height between a line and its field
COLUMNS: Final = 6
SHEET_LEFT: Final[Millimetres] = 16.0  # on a pad, for the code of the names


def _printed(variant: Variant) -> Look:
    lines = max(MOST_LINES, len(PRINTED.lines(variant)))
    down = round(PRINTED.down * MOST_LINES / lines * 20) / 20  # by 0.05 mm
    return PRINTED._replace(down=down, sum=down)


def _box(look: Look, variant: Variant, name: str) -> Box:
    """The box of a field or sum in the first column."""
    lines = look.lines(variant)
    line = lines.index(name)
    gap = look.gap if line >= lines.index(variant.lower[0]) else 0.0
    above = (look.sum if other in SUM_NAMES else look.down for other in lines[:line])
    y = round(look.margin + sum(above) + gap + FIELD_LESS / 2, 2)
    high = (look.sum if name in SUM_NAMES else look.down) - FIELD_LESS
    return Box(look.margin + look.name + look.worth, y, look.field, round(high, 2))


def _field(variant: Variant, name: FieldName, box: Box) -> Field:
    possible = variant.possible[name]
    return Field(
        id=name,
        kind="points",
        box=box,
        shape="square",
        color="plain",
        name=Sentence(variant.line[name].title),
        touch_margin=FIELD_LESS,
        numbers=range(0, max(possible) + 1, gcd(*possible)),
        is_struck=True,
    )


def _line_labels(look: Look, variant: Variant, name: str) -> Iterator[Label]:
    """A line's name, and the points that it always gives."""
    is_sum, box = name in SUM_NAMES, _box(look, variant, name)
    place = Box(MARGIN, box.y, look.margin + look.name - MARGIN, box.height)
    if is_sum:
        text = Sentence(SUM_NAMES[name], {"points": variant.bonus_from})
    else:
        text = Sentence(variant.line[name].title)
    yield Label(place, text, "soft" if is_sum else "plain", 3.6, "start")
    fixed = None if is_sum else variant.line[name].fixed
    if fixed and look.worth:
        worth = Sentence("%(number)s", {"number": fixed})
        yield Label(Box(look.margin + look.name, box.y, look.worth, box.height), worth, size=3.2)


@cache
def _layout(look: Look, variant: Variant) -> Layout:
    lines = look.lines(variant)
    last = _box(look, variant, lines[-1])
    labels: list[Label] = []
    for name in lines:
        labels += _line_labels(look, variant, name)
    return Layout(
        width=last.x + last.width + look.margin,
        height=round(last.y + last.height + FIELD_LESS / 2 + look.margin, 2),
        bands=(),
        fields=tuple(_field(variant, name, _box(look, variant, name)) for name in variant.fields),
        labels=tuple(labels),
        sums=tuple(_sums(look, variant)),
    )


def _sums(look: Look, variant: Variant) -> Iterator[Blank]:
    for name in look.lines(variant):
        if name in SUM_NAMES:
            text = Sentence(SUM_NAMES[name], {"points": variant.bonus_from})
            yield Blank(name, _box(look, variant, name), text if look is SCREEN else None)


def _blanks(drawn: Layout, column: int) -> Iterator[Blank]:
    sums = placed(drawn.sums, SHEET_LEFT + column * ACROSS, HEADER, column)
    yield from sums
    above = Box(sums[0].box.x, 3, sums[0].box.width, 9.5)
    yield Blank(f"name.{column + 1}", above, Sentence("Name"), "line")


@cache
def _paper(variant: Variant) -> Paper:
    drawn = _layout(_printed(variant), variant)
    columns = range(COLUMNS)
    blanks = (_blanks(drawn, column) for column in columns)
    return Paper(
        title=Sentence(variant.title),
        subtitle=None,
        width=PAD_WIDTH,
        height=round(HEADER + drawn.height + MARGIN, 2),
        layout=drawn,
        at=(SHEET_LEFT, HEADER),
        blanks=tuple(chain.from_iterable(blanks)),
        names=tuple(f"name.{column + 1}" for column in columns),
        columns=tuple(column * ACROSS for column in columns),
    )


def _most_sums() -> dict[str, int]:
    """The most that each sum can be in any variant."""
    most: dict[str, int] = {}
    for variant in VARIANTS:
        for name, points in variant.most_sums.items():
            most[name] = max(points, most.get(name, 0))
    return most


class KniffelKind(NumberKind[KniffelSheet]):
    """The sheet of Kniffel and its variants: one column; variants with other lines are boards."""

    name = "kniffel"
    number = 4
    written = KniffelSheet
    boards: ClassVar = {board: Sentence(row.title) for board, row in BY_BOARD.items()}
    boards_title = Sentence("Variant")
    most_sums: ClassVar = _most_sums()

    def paper(self, board: str) -> Paper:
        """The printed pad, with a column for each of six players or games."""
        return _paper(BY_BOARD[board])

    def board_of(self, sheet: KniffelSheet) -> str:
        return sheet.variant.board

    def layout(self, sheet: KniffelSheet) -> Layout:
        return _layout(SCREEN, sheet.variant)

    def empty(self, board: str) -> KniffelSheet:
        """An empty column of a board; paper does not show how a further five alike was counted."""
        return KniffelSheet(BY_BOARD[board])

    def terms(self, sheet: KniffelSheet) -> tuple[Term, ...]:
        """The parts of the total: the upper part, its bonus, the lower part, further five alike."""
        score, variant = sheet.score(), sheet.variant
        written = {field for field, _ in sheet.entries}
        upper = tuple(field for field in variant.upper if field in written)
        lower = tuple(field for field in variant.lower if field in written)
        note = Sentence("from %(points)s points", {"points": variant.bonus_from})
        aim = 0 if score["bonus"] else variant.bonus_from
        won_at = "sum.upper" if score["bonus"] else ""
        terms = (
            Term(Sentence("Upper sum"), score["upper"], upper, aim=aim),
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
        further = Sentence("Further: %(name)s", {"name": variant.title})
        return (*terms, Term(further, score["extra"], (KNIFFEL,)))


SHEET: Final = KniffelKind()
