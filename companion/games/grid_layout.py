"""The table as a sheet: fields in rows and columns, as many as there are, and no printed pad."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import product
from typing import Final

from companion.core.sheet import (
    Blank,
    Box,
    Field,
    Layout,
    Mark,
    Millimetres,
    Paper,
    Sharing,
    SheetKind,
    Term,
)
from companion.core.values import is_whole
from companion.core.words import Sentence
from companion.games.score_grid import RANGE, ScoreGrid, field_name

WIDTH: Final[Millimetres] = 15.0
HEIGHT: Final[Millimetres] = 9.0
HEAD: Final[Millimetres] = 22.0  # The width of a column of words


def board_of(rows: int, columns: int, head_rows: int = 0, head_columns: int = 0) -> str:
    """The board's name: the table's size and that of its heads."""
    return f"{rows}x{columns}x{head_rows}x{head_columns}"


def with_totals(board: str, row: int) -> str:
    """The board of a table with its totals in a row, from 1; in no row if 0."""
    return "x".join([*board.split("x")[:4], str(row)])


def _numbers(name: str) -> tuple[int, int]:
    """The row and the column of a field, from 1."""
    _, row, _, column = name.split(".")
    return int(row), int(column)


@lru_cache(maxsize=64)
def _paper(board: str) -> Paper:
    rows, columns, head_rows, head_columns, *_ = map(int, (board or board_of(1, 1)).split("x"))
    left, top = head_columns * HEAD, head_rows * HEIGHT
    fields = []
    for row, column in product(range(rows), range(columns)):
        place = Box(left + column * WIDTH, top + row * HEIGHT, WIDTH, HEIGHT)
        fields.append(_field(row, column, place))
    size = left + columns * WIDTH, top + rows * HEIGHT
    blanks = []
    for column in range(columns):
        head = Box(left + column * WIDTH, 0, WIDTH, top)
        blanks.append(Blank(f"name.{column + 1}", head, None, "line"))
    return Paper(
        title=Sentence("Table"),
        subtitle=None,
        width=size[0],
        height=size[1],
        layout=Layout(*size, bands=(), fields=tuple(fields)),
        at=(0, 0),
        blanks=tuple(blanks) if head_rows else (),
        names=tuple(blank.id for blank in blanks),
    )


def _field(row: int, column: int, box: Box) -> Field:
    values = {"row": row + 1, "column": column + 1}
    return Field(
        id=field_name(row, column),
        kind="digits",
        box=box,
        shape="square",
        color="plain",
        name=Sentence("Row %(row)s, column %(column)s", values),
        numbers=RANGE,
        touch_margin=0.0,
    )


class TableKind(SheetKind[ScoreGrid]):
    """The table; its board names its size and, if somebody has chosen it, the row of totals."""

    name = "table"
    number = -1  # It is never printed.
    written = ScoreGrid
    sharing = Sharing(
        named=ScoreGrid.named,
        split=ScoreGrid.split,
        followed=ScoreGrid.followed,
        empty=lambda names: ScoreGrid.of_rounds(dict.fromkeys(names, ())),
        of_columns=ScoreGrid.of_rounds,
        columns=lambda table: tuple(map(tuple, table.rounds.values())),
        place=lambda field: _numbers(field)[1] - 1,
        line=lambda field: Sentence("Row %(row)s", {"row": _numbers(field)[0]}),
        line_title=Sentence("Row"),
        title=Sentence("Table"),
    )

    def paper(self, board: str) -> Paper:
        """The fields of a table of that size, beside and below its heads."""
        return _paper(board)

    def layout(self, sheet: ScoreGrid) -> Layout:
        return _paper(board_of(len(sheet.values), len(sheet.values[0]))).layout

    def marks(self, sheet: ScoreGrid) -> Mapping[str, Mark]:
        """Every field's number; None where it is empty."""
        return {field_name(*at): number for at, number in sheet.written}

    def from_marks(self, board: str, marks: Mapping[str, Mark]) -> ScoreGrid:
        rows, columns, _, _, *total = map(int, (board or board_of(1, 1)).split("x"))

        def number(row: int, column: int) -> int | None:
            mark = marks.get(field_name(row, column))
            return mark if is_whole(mark) else None

        values = []
        for row in range(rows):
            values.append(tuple(number(row, column) for column in range(columns)))
        return ScoreGrid(tuple(values), total_row=total[0] if total else None)

    def terms(self, sheet: ScoreGrid) -> tuple[Term, ...]:
        terms = []
        for place, total in enumerate(sheet.totals[: len(sheet.players) or None]):
            title = Sentence("Column %(number)s", {"number": place + 1})
            if sheet.players:
                title = Sentence("%(player)s", {"player": sheet.players[place]})
            counted = tuple(field_name(row, place) for row in sheet.counted)
            terms.append(Term(title, total, counted))
        return tuple(terms)


SHEET: Final = TableKind()
