"""The Qwinto sheet: three shifted rows of nine fields, five pentagons, four failed attempts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product, starmap
from typing import ClassVar, Final

from companion.core.colors import COLOR_LETTERS, COLOR_WORDS, ROW_NAMES
from companion.core.sheet import (
    HEADER,
    PAD_WIDTH,
    Band,
    Box,
    Field,
    Label,
    Layout,
    Mark,
    Millimetres,
    NumberKind,
    Paper,
    Sum,
    Term,
    header,
    score_line,
    times,
)
from companion.core.words import N_, Sentence
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto.sheet import QwintoSheet

MARGIN: Final[Millimetres] = 2.0
PITCH: Final[Millimetres] = 13.5
LETTER_ROOM: Final[Millimetres] = 6.0  # The width before the first column, for each row's letter
FIELD: Final[Millimetres] = 11.0  # a field's width and height; a ballpoint needs at least 10.5
ARROW_DOWN: Final[Millimetres] = 4.0  # Distance from a row's letter to the arrow below it
COLUMN_COUNT: Final = 12
FAILED: Final[Millimetres] = 8.5
FAILED_PITCH: Final[Millimetres] = 10.5


def _row_box(color: str, index: int) -> Box:
    x = MARGIN + LETTER_ROOM + qwinto.COLUMNS[color][index] * PITCH + (PITCH - FIELD) / 2
    y = MARGIN + qwinto.COLORS.index(color) * PITCH + (PITCH - FIELD) / 2
    return Box(x, y, FIELD, FIELD)


def _number_field(color: str, index: int) -> Field:
    column = qwinto.COLUMNS[color][index]
    is_pentagon = qwinto.PENTAGONS.get(column) == color
    text = (
        N_("%(color)s, field %(field)s (bonus)")
        if is_pentagon
        else N_("%(color)s, field %(field)s")
    )
    return Field(
        id=qwinto.ROWS[color][index],
        kind="number",
        box=_row_box(color, index),
        shape="pentagon" if is_pentagon else "circle",
        color=color,
        name=Sentence(text, {"color": COLOR_WORDS[color], "field": index + 1}),
        numbers=range(qwinto.LOWEST, qwinto.HIGHEST + 1),
        touch_margin=PITCH - FIELD,
    )


def _failed_field(number: int) -> Field:
    y = MARGIN + len(qwinto.COLORS) * PITCH + (FAILED_PITCH - FAILED) / 2 + 1
    return Field(
        id=f"failed.{number}",
        kind="cross",
        box=Box(MARGIN + LETTER_ROOM + (number - 1) * FAILED_PITCH, y, FAILED, FAILED),
        shape="square",
        color="plain",
        name=Sentence("Failed attempt %(number)s", {"number": number}),
        print=f"−{-qwinto.FAILED_POINTS}",
        touch_margin=FAILED_PITCH - FAILED,
    )


def _band(color: str) -> Band:
    first, last = _row_box(color, 0), _row_box(color, qwinto.FIELDS - 1)
    pad = (PITCH - FIELD) / 2 - 0.5
    left = first.x - pad - LETTER_ROOM
    # A pentagon at the end reaches further into the corner than a circle does.
    box = Box(left, first.y - pad, last.x + last.width + 2 * pad - left, FIELD + 2 * pad)
    x, y = left + LETTER_ROOM / 2 + 0.4, box.center[1]
    return Band(box, color, COLOR_LETTERS[color], (x, y), (x, y + ARROW_DOWN))


@cache
def _layout() -> Layout:
    numbers = starmap(_number_field, product(qwinto.COLORS, range(qwinto.FIELDS)))
    failed = list(map(_failed_field, range(1, qwinto.FAILED_ATTEMPTS + 1)))
    return Layout(
        width=2 * MARGIN + LETTER_ROOM + COLUMN_COUNT * PITCH,
        height=2 * MARGIN + len(qwinto.COLORS) * PITCH + FAILED_PITCH,
        bands=tuple(map(_band, qwinto.COLORS)),
        fields=(*numbers, *failed),
        quarter_turn=True,
    )


SUM: Final[Millimetres] = 11.0  # The width and height of a box for a sum
SUM_GAP: Final[Millimetres] = 1.8
SIGN_GAP: Final[Millimetres] = 5.4  # The gap between two sums, for the sign
TOTAL_WIDTH: Final[Millimetres] = 18.0


def _sums() -> Iterator[Sum]:
    """The score line, in the order of the paper's: rows, bonuses, failed attempts, total."""
    for color in qwinto.COLORS:
        yield Sum(f"sum.{color}", Sentence(COLOR_WORDS[color]), color=color)
    for number, column in enumerate(qwinto.BONUS_COLUMNS, start=1):
        color = qwinto.PENTAGONS[column]
        caption = Sentence("Bonus %(letter)s", {"letter": COLOR_LETTERS[color]})
        yield Sum(f"sum.bonus.{number}", caption, "+" if number == 1 else "", color, "pentagon")
    yield Sum("sum.failed", Sentence("Failed"), "−")
    yield Sum("sum.total", Sentence("Total"), "=")


_NOTES: Final = (
    N_("Full row: its rightmost number. Any other row: 1 point for each number."),
    N_("Full column of three: the number in its pentagon."),
    N_("Each failed attempt: −5 points."),
)


@cache
def _paper() -> Paper:
    sheet = _layout()
    left = (PAD_WIDTH - sheet.width) / 2
    down = HEADER + 1 + sheet.height
    failed = sheet.fields[-1].box
    beside = left + failed.x + failed.width + 5
    line = (22.9, down + 4.6)
    sums = score_line(tuple(_sums()), line, (SUM, SUM), TOTAL_WIDTH, SIGN_GAP, SUM_GAP)
    return Paper(
        title=Sentence("Qwinto"),
        subtitle=None,
        width=PAD_WIDTH,
        height=down + 19,
        layout=sheet,
        at=(left, HEADER + 1),
        blanks=(*header(Sentence("Name")), *sums),
        names=("name",),
        notes=tuple(_notes(beside, HEADER + failed.y + 0.9)),
    )


def _notes(left: Millimetres, top: Millimetres) -> Iterator[Label]:
    for line, text in enumerate(_NOTES):
        box = Box(left, top + line * 3.3, PAD_WIDTH - 8 - left, 3.3)
        yield Label(box, Sentence(text), size=2.9, align="start")


_FAILED_FIELDS: Final = tuple(f"failed.{number}" for number in range(1, qwinto.FAILED_ATTEMPTS + 1))


def _row_note(count: int, points: int) -> Sentence | None:
    if count == qwinto.FIELDS:
        return Sentence("row full: its last number, %(number)s", {"number": points})
    if count == 1:
        return Sentence("1 field × 1")
    return Sentence("%(count)s fields × 1", {"count": count}) if count else None


def _in_column(color: str, column: int) -> str:
    """The id of a row's field in a column."""
    return qwinto.ROWS[color][qwinto.COLUMNS[color].index(column)]


def _row_term(sheet: QwintoSheet, color: str, points: int) -> Term:
    written = tuple(name for name in qwinto.ROWS[color] if not sheet.is_open(name))
    return Term(
        Sentence(ROW_NAMES[color], {}),
        points,
        written,
        color,
        _row_note(len(written), points),
        won_at=qwinto.ROWS[color][-1] if len(written) == qwinto.FIELDS else "",
    )


def _bonus_term(number: int, points: int) -> Term:
    """The term of a bonus, numbered from 1; 0 points while its column is not full."""
    column = qwinto.BONUS_COLUMNS[number - 1]
    pentagon = qwinto.PENTAGONS[column]
    name = Sentence("Bonus %(number)s", {"number": number})
    if not points:
        return Term(name, 0, (), pentagon)
    return Term(
        name,
        points,
        tuple(_in_column(color, column) for color in qwinto.COLORS),
        pentagon,
        Sentence("column full: the number in the pentagon"),
        won_at=_in_column(pentagon, column),
    )


class QwintoKind(NumberKind[QwintoSheet]):
    """The sheet of both Qwinto games."""

    name = "qwinto"
    number = 0
    written = QwintoSheet
    # A row or bonus gives its number of fields, or one of its numbers.
    most_sums: ClassVar = {part.id: qwinto.HIGHEST for part in _sums()} | {
        "sum.failed": -qwinto.FAILED_POINTS * qwinto.FAILED_ATTEMPTS,
        "sum.total": qwinto.HIGHEST * (len(qwinto.COLORS) + len(qwinto.BONUS_COLUMNS)),
    }

    def paper(self, board: str) -> Paper:
        """The printed pad; the same for both Qwinto games."""
        return _paper()

    def marks(self, sheet: QwintoSheet) -> Mapping[str, Mark]:
        """The numbers in the rows, and a cross for each failed attempt made."""
        return {**super().marks(sheet), **dict.fromkeys(_FAILED_FIELDS[: sheet.failed], True)}

    def from_marks(self, board: str, marks: Mapping[str, Mark]) -> QwintoSheet:
        """The sheet with these marks; the failed attempts are counted, wherever they are."""
        failed = list(filter(marks.get, _FAILED_FIELDS))
        return QwintoSheet(len(failed)).filled(marks)

    def terms(self, sheet: QwintoSheet) -> tuple[Term, ...]:
        """The parts of the total, in the order of the paper's score line."""
        score = sheet.score()
        rows = [_row_term(sheet, color, score["rows"][color]) for color in qwinto.COLORS]
        bonuses = [_bonus_term(*numbered) for numbered in enumerate(score["bonuses"], start=1)]
        attempts = Term(
            Sentence("Failed attempts"),
            score["failed"],
            _FAILED_FIELDS[: sheet.failed],
            note=times(sheet.failed, qwinto.FAILED_POINTS) if sheet.failed else None,
        )
        return (*rows, *bonuses, attempts)


SHEET: Final = QwintoKind()
