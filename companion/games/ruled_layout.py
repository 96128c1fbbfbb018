"""The table as a sheet: fields in rows and columns, as many as there are, and no printed pad."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
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
from companion.games.ruled_table import HIGHEST, LOWEST, Table, field_name

WIDTH: Final[Millimetres] = 15.0
HEIGHT: Final[Millimetres] = 9.0
HEAD: Final[Millimetres] = 22.0  # The width of a column of words


def board_of(rows: int, columns: int, head_rows: int = 0, head_columns: int = 0) -> str:
    """The board's name: the table's size and that of its heads."""
    return f"{rows}x{columns}x{head_rows}x{head_columns}"


def with_totals(board: str, row: int) -> str:
    """The board of a table whose totals stand in a row, from 1; in no row if 0."""
    return "x".join([*board.split("x")[:4], str(row)])


def _numbers(name: str) -> tuple[int, int]:
    """The row and the column of a field, from 1."""
    _, row, _, column = name.split(".")
    return int(row), int(column)


@lru_cache(maxsize=64)
def _paper(board: str) -> Paper:
    rows, columns, head_rows, head_columns, *_ = map(int, (board or board_of(1, 1)).split("x"))
    left, top = head_columns * HEAD, head_rows * HEIGHT
    fields = tuple(
        Field(
            id=field_name(row, column),
            kind="digits",
            box=Box(left + column * WIDTH, top + row * HEIGHT, WIDTH, HEIGHT),
            shape="square",
            color="plain",
            name=Sentence("Row %(row)s, column %(column)s", {"row": row + 1, "column": column + 1}),
            numbers=range(LOWEST, HIGHEST + 1),
            touch_margin=0.0,
        )
        for row in range(rows)
        for column in range(columns)
    )
    size = left + columns * WIDTH, top + rows * HEIGHT
    layout = Layout(*size, bands=(), fields=fields)
    names = tuple(f"name.{column + 1}" for column in range(columns))
    heads = (Box(left + column * WIDTH, 0, WIDTH, top) for column in range(columns))
    blanks = (
        Blank(name, box, None, "line") for name, box in zip(names, heads, strict=True) if head_rows
    )
    return Paper(
        Sentence("Table"), None, *size, layout=layout, at=(0, 0), blanks=tuple(blanks), names=names
    )


class TableKind(SheetKind[Table]):
    """The table; its board is its size, and which row has the totals where somebody said so."""

    name = "table"
    number = -1  # It is never printed.
    written = Table
    sharing = Sharing(
        named=Table.named,
        split=Table.split,
        followed=Table.followed,
        empty=lambda names: Table.of_rounds(dict.fromkeys(names, ())),
        of_columns=Table.of_rounds,
        columns=lambda table: tuple(map(tuple, table.rounds.values())),
        place=lambda field: _numbers(field)[1] - 1,
        line=lambda field: Sentence("Row %(row)s", {"row": _numbers(field)[0]}),
        line_title=Sentence("Row"),
        title=Sentence("Table"),
    )

    def paper(self, board: str) -> Paper:
        """The fields of a table of that size, beside and below its heads."""
        return _paper(board)

    def layout(self, sheet: Table) -> Layout:
        """The fields alone."""
        return _paper(board_of(len(sheet.values), len(sheet.values[0]))).layout

    def marks(self, sheet: Table) -> Mapping[str, Mark]:
        """Every field's number; None where it is empty."""
        return {field_name(*at): number for at, number in sheet.written}

    def from_marks(self, board: str, marks: Mapping[str, Mark]) -> Table:
        """The table with these marks."""
        rows, columns, _, _, *total = map(int, (board or board_of(1, 1)).split("x"))
        values = []
        for row in range(rows):
            found = [marks.get(field_name(row, column)) for column in range(columns)]
            values.append(tuple(mark if is_whole(mark) else None for mark in found))
        return Table(tuple(values), total_row=total[0] if total else None)

    def terms(self, sheet: Table) -> tuple[Term, ...]:
        """A term for each column."""
        if sheet.players:
            titles = [Sentence("%(player)s", {"player": player}) for player in sheet.players]
        else:
            numbers = range(1, len(sheet.columns) + 1)
            titles = [Sentence("Column %(number)s", {"number": number}) for number in numbers]
        terms = []
        for place, (title, total) in enumerate(zip(titles, sheet.totals, strict=False)):
            counted = tuple(field_name(row, place) for row in sheet.counted)
            terms.append(Term(title, total, counted))
        return tuple(terms)

    def sums(self, sheet: Table) -> Mapping[str, int]:
        """None: its sums are fields."""
        return {}


SHEET: Final = TableKind()
