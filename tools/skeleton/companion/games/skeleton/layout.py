"""The paper, in millimetres: three rows of three fields, and the points of each row beside it."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from companion.games.skeleton.sheet import PLACES, RANGES, ROWS, SkeletonSheet

from companion.core.sheet import (
    HEADER,
    PAD_WIDTH,
    TOTAL,
    Blank,
    Box,
    Field,
    Label,
    Layout,
    NumberKind,
    Paper,
    Term,
    header,
    placed,
)
from companion.core.words import Sentence

MARGIN: Final = 2.0
FIELD: Final = 14.0
PITCH_X: Final = 15.5  # from one field to the next
PITCH_Y: Final = 22.0
TITLE: Final = 5.5  # above each row, for its name
SUMS_AT: Final = MARGIN + len(PLACES) * PITCH_X + 1
WIDTH: Final = SUMS_AT + FIELD + MARGIN
HEIGHT: Final = MARGIN + len(ROWS) * PITCH_Y + MARGIN
SHEET_LEFT: Final = 18.0  # on the pad, beside the code of the names
NUMBER: Final = 5  # in the printed markers, for good


def _box(row: int, place: int) -> Box:
    return Box(MARGIN + place * PITCH_X, MARGIN + TITLE + row * PITCH_Y, FIELD, FIELD)


def _field(name: str, box: Box) -> Field:
    title = Sentence("Row %(row)s, field %(field)s", {"row": name[0], "field": name[1:]})
    return Field(name, "number", box, "square", "plain", title, numbers=RANGES[name])


def _fields() -> tuple[Field, ...]:
    found = []
    for row, names in enumerate(ROWS.values()):
        for place, name in enumerate(names):
            found.append(_field(name, _box(row, place)))
    return tuple(found)


def _row_title(row: str) -> Sentence:
    return Sentence("Row %(row)s", {"row": row})


def _labels() -> tuple[Label, ...]:
    found = []
    for number, row in enumerate(ROWS):
        box = _box(number, 0)
        above = Box(box.x, box.y - TITLE, len(PLACES) * PITCH_X, TITLE - 0.5)
        found.append(Label(above, _row_title(row), "plain", 3.4, "start"))
    return tuple(found)


# The points of each row; the pad and the screen have them in the same places
POINTS: Final = tuple(
    Blank(f"sum.{row}", Box(SUMS_AT, _box(number, 0).y, FIELD, FIELD), Sentence("Points"))
    for number, row in enumerate(ROWS)
)


class SkeletonKind(NumberKind[SkeletonSheet]):
    """The sheet and its pad."""

    name = "skeleton"
    number = NUMBER
    written = SkeletonSheet

    @cached_property
    def _paper(self) -> Paper:
        layout = Layout(WIDTH, HEIGHT, (), _fields(), _labels(), sums=POINTS)
        points = placed(POINTS, SHEET_LEFT, HEADER + 3)
        total = Blank(TOTAL, Box(110, 60, 22, 14), Sentence("Total"), strong=True)
        return Paper(
            title=Sentence("Skeleton"),
            subtitle=None,
            width=PAD_WIDTH,
            height=HEADER + 3 + HEIGHT + 3,
            layout=layout,
            at=(SHEET_LEFT, HEADER + 3),
            blanks=(*header(Sentence("Name")), *points, total),
            names=("name",),
        )

    def paper(self, board: str) -> Paper:
        return self._paper

    def terms(self, sheet: SkeletonSheet) -> tuple[Term, ...]:
        return tuple(
            Term(_row_title(row), sheet.row_points(row), fields) for row, fields in ROWS.items()
        )


SHEET: Final = SkeletonKind()
