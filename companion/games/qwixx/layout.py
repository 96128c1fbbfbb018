"""The Qwixx sheet: four rows of eleven numbers and a lock, and four failed rolls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import chain
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
    Paper,
    SheetKind,
    Sum,
    Term,
    header,
    score_line,
    times,
)
from companion.core.words import N_, Sentence
from companion.games.qwixx import sheet as qwixx
from companion.games.qwixx.sheet import QwixxSheet

MARGIN: Final[Millimetres] = 1.5
PITCH: Final[Millimetres] = 11.8
ROW_PITCH: Final[Millimetres] = 12.4
FIELD: Final[Millimetres] = 10.8  # a field's width and height; a ballpoint's cross needs 9
LETTER_ROOM: Final[Millimetres] = 6.0  # Space before the first number, for each row's letter
# Additional space between a row's last number and its lock, for the symbol: the photo reader would
# take large print inside a box for ink.
LOCK_GAP: Final[Millimetres] = 4.8
LOCK_SIZE: Final[Millimetres] = 4.2
BAND_EDGE: Final[Millimetres] = 0.5  # Height of a row's band above and below its fields
BAND_END: Final[Millimetres] = 1.3  # beyond the lock: the round end must not cut off its corners
ARROW_DOWN: Final[Millimetres] = 4.0  # Distance from a row's letter to the arrow below it
COLUMN_COUNT: Final = 12  # The numbers and the lock
FAILED: Final[Millimetres] = 9.5
FAILED_PITCH: Final[Millimetres] = 10.8
# Space below the rows; small, because upright phones show the failed rolls beside them
FAILED_GAP: Final[Millimetres] = 1.2


def _row_box(color: str, place: int) -> Box:
    """The box of a row's number, or of its lock: the place after the numbers."""
    gap = LOCK_GAP if place == COLUMN_COUNT - 1 else 0.0
    x = MARGIN + LETTER_ROOM + place * PITCH + (PITCH - FIELD) / 2 + gap
    y = MARGIN + qwixx.COLORS.index(color) * ROW_PITCH + (ROW_PITCH - FIELD) / 2
    return Box(x, y, FIELD, FIELD)


def _row_fields(color: str) -> Iterator[Field]:
    word = COLOR_WORDS[color]
    for place, number in enumerate(qwixx.NUMBERS[color]):
        yield Field(
            id=f"{color}.{number}",
            kind="cross",
            box=_row_box(color, place),
            shape="square",
            color=color,
            name=Sentence("%(color)s %(number)s", {"color": word, "number": number}),
            print=str(number),
            touch_margin=PITCH - FIELD,
        )
    yield Field(
        id=f"{color}.lock",
        kind="cross",
        box=_row_box(color, COLUMN_COUNT - 1),
        shape="square",
        color=color,
        name=Sentence("%(color)s, lock", {"color": word}),
        touch_margin=PITCH - FIELD,
    )


def _failed_field(number: int) -> Field:
    x = MARGIN + LETTER_ROOM + (PITCH - FIELD) / 2 + (number - 1) * FAILED_PITCH
    y = MARGIN + len(qwixx.COLORS) * ROW_PITCH + FAILED_GAP
    return Field(
        id=f"failed.{number}",
        kind="cross",
        box=Box(x, y, FAILED, FAILED),
        shape="square",
        color="plain",
        name=Sentence("Failed roll %(number)s", {"number": number}),
        print=f"−{-qwixx.FAILED_POINTS}",
        touch_margin=FAILED_PITCH - FAILED,
    )


def _lock_symbol(color: str) -> Label:
    last, lock = _row_box(color, COLUMN_COUNT - 2), _row_box(color, COLUMN_COUNT - 1)
    x = (last.x + last.width + lock.x - LOCK_SIZE) / 2
    box = Box(x, lock.center[1] - LOCK_SIZE / 2, LOCK_SIZE, LOCK_SIZE)
    return Label(box, size=LOCK_SIZE, symbol="lock")


def _band(color: str) -> Band:
    first, lock = _row_box(color, 0), _row_box(color, COLUMN_COUNT - 1)
    right = lock.x + lock.width + BAND_END
    box = Box(MARGIN, first.y - BAND_EDGE, right - MARGIN, FIELD + 2 * BAND_EDGE)
    x, y = MARGIN + LETTER_ROOM / 2 + 0.4, box.center[1]
    return Band(box, color, COLOR_LETTERS[color], (x, y), (x, y + ARROW_DOWN))


@cache
def _layout() -> Layout:
    rows = chain.from_iterable(map(_row_fields, qwixx.COLORS))
    failed = list(map(_failed_field, range(1, qwixx.FAILED_ROLLS + 1)))
    bands = tuple(map(_band, qwixx.COLORS))
    return Layout(
        width=bands[0].box.x + bands[0].box.width + MARGIN,
        height=failed[0].box.y + FAILED + MARGIN,
        bands=bands,
        fields=(*rows, *failed),
        labels=tuple(map(_lock_symbol, qwixx.COLORS)),
        quarter_turn=True,
    )


SUM: Final[Millimetres] = 10.6  # The width and height of a box for a sum
CAPTION: Final[Millimetres] = 3.4  # The height of a sum's caption, above its box
SIGN_GAP: Final[Millimetres] = 5.4
TOTAL_WIDTH: Final[Millimetres] = 18.0
LEGEND_HEAD: Final[Millimetres] = 17.0  # The width of the names of the score table's lines
LEGEND_PITCH: Final[Millimetres] = 7.2
LEGEND_LINE: Final[Millimetres] = 3.1
NOTE_GAP: Final[Millimetres] = 3.0
_SUMS: Final = (
    *(
        Sum(f"sum.{color}", Sentence(COLOR_WORDS[color]), "+" if place else "", color)
        for place, color in enumerate(qwixx.COLORS)
    ),
    Sum("sum.failed", Sentence("Failed"), "−"),
    Sum("sum.total", Sentence("Total"), "="),
)


def _legend(x: Millimetres, y: Millimetres) -> Iterator[Label]:
    """The points of a row by its crosses: a line of counts, and a line of points."""
    counts = range(1, COLUMN_COUNT + 1)
    lines = (
        (N_("Crosses"), tuple(counts)),
        (N_("Points"), tuple(map(qwixx.points, counts))),
    )
    for line, (name, numbers) in enumerate(lines):
        down = y + line * LEGEND_LINE
        yield Label(Box(x, down, LEGEND_HEAD, LEGEND_LINE), Sentence(name), size=2.6, align="start")
        for place, number in enumerate(numbers):
            across = x + LEGEND_HEAD + place * LEGEND_PITCH
            text = Sentence("%(number)s", {"number": number})
            yield Label(Box(across, down, LEGEND_PITCH, LEGEND_LINE), text, size=2.6)


_NOTE: Final = N_("Last number: only after five other crosses. Its lock counts as one more cross.")


@cache
def _paper() -> Paper:
    drawn = _layout()
    left, top = (PAD_WIDTH - drawn.width) / 2, HEADER + 0.3
    right = left + drawn.width - MARGIN
    failed = drawn.fields[-1].box
    sums = top + failed.y + CAPTION - 0.4
    width = (len(_SUMS) - 1) * (SUM + SIGN_GAP) + TOTAL_WIDTH
    line = score_line(_SUMS, (right - width, sums), (SUM, SUM), TOTAL_WIDTH, SIGN_GAP)
    legend = sums + SUM + 1.1
    beside = left + MARGIN + LEGEND_HEAD + COLUMN_COUNT * LEGEND_PITCH + NOTE_GAP
    return Paper(
        title=Sentence("Qwixx"),
        subtitle=None,
        width=PAD_WIDTH,
        height=round(legend + 2 * LEGEND_LINE + 1.5, 2),
        layout=drawn,
        at=(left, top),
        blanks=(*header(Sentence("Name")), *line),
        names=("name",),
        notes=(
            _failed_caption(left, top),
            *_legend(left + MARGIN, legend),
            Label(
                Box(beside, legend, right - beside, 2 * LEGEND_LINE),
                Sentence(_NOTE),
                size=2.5,
                align="start",
            ),
        ),
    )


def _failed_caption(left: Millimetres, top: Millimetres) -> Label:
    """The caption below the boxes; above them, it would push them away from the rows."""
    first, last = _failed_field(1).box, _failed_field(qwixx.FAILED_ROLLS).box
    width = last.x + last.width - first.x
    box = Box(left + first.x, top + first.y + FAILED + 0.5, width, LEGEND_LINE)
    return Label(box, Sentence("Failed rolls"), size=2.2)


def _note(sheet: QwixxSheet, color: str) -> Sentence | None:
    count = qwixx.crosses(sheet, color)
    if count == 1:
        return Sentence("1 cross")
    if qwixx.LAST[color] in sheet.row(color):
        return Sentence("%(count)s crosses, with the lock", {"count": count})
    return Sentence("%(count)s crosses", {"count": count}) if count else None


def _counted(sheet: QwixxSheet, color: str) -> tuple[str, ...]:
    """The fields that count as a row's crosses: the lock goes with the last number."""
    row = sheet.row(color)
    lock = (f"{color}.lock",) if qwixx.LAST[color] in row else ()
    return (*(f"{color}.{number}" for number in row), *lock)


def _row_term(sheet: QwixxSheet, color: str, points: int) -> Term:
    lock, is_won = f"{color}.lock", color in sheet.locks
    return Term(
        Sentence(ROW_NAMES[color]),
        points,
        _counted(sheet, color),
        color,
        _note(sheet, color),
        won_at=lock if is_won else "",
        so_far_at="" if is_won else lock,
    )


_FAILED_FIELDS: Final = tuple(f"failed.{number}" for number in range(1, qwixx.FAILED_ROLLS + 1))


class QwixxKind(SheetKind[QwixxSheet]):
    name = "qwixx"
    number = 3
    written = QwixxSheet
    most_sums: ClassVar = {f"sum.{color}": qwixx.points(12) for color in qwixx.COLORS} | {
        "sum.failed": -qwixx.FAILED_POINTS * qwixx.FAILED_ROLLS,
        "sum.total": qwixx.points(12) * len(qwixx.COLORS),
    }

    def paper(self, board: str) -> Paper:
        return _paper()

    def marks(self, sheet: QwixxSheet) -> Mapping[str, Mark]:
        """A cross in each number and lock crossed, and in each failed roll from the left."""
        crossed: list[str] = []
        for color in qwixx.COLORS:
            crossed += [f"{color}.{number}" for number in sheet.row(color)]
        crossed += [f"{color}.lock" for color in sheet.locks]
        return dict.fromkeys([*crossed, *_FAILED_FIELDS[: sheet.failed]], True)

    def from_marks(self, board: str, marks: Mapping[str, Mark]) -> QwixxSheet:
        """The sheet with these marks; the failed rolls are counted, wherever they are."""
        rows, locks = {}, []
        for color, numbers in qwixx.NUMBERS.items():
            rows[color] = tuple(n for n in numbers if marks.get(f"{color}.{n}"))
            if marks.get(f"{color}.lock"):
                locks.append(color)
        failed = list(filter(marks.get, _FAILED_FIELDS))
        return QwixxSheet(**rows, locks=tuple(locks), failed=len(failed))

    def terms(self, sheet: QwixxSheet) -> tuple[Term, ...]:
        """The parts of the total, in the order of the paper's score line."""
        score = sheet.score()
        rows = [_row_term(sheet, color, score["rows"][color]) for color in qwixx.COLORS]
        note = times(sheet.failed, qwixx.FAILED_POINTS) if sheet.failed else None
        fields = _FAILED_FIELDS[: sheet.failed]
        failed = Term(Sentence("Failed rolls"), score["failed"], fields, note=note)
        return (*rows, failed)


SHEET: Final = QwixxKind()
