"""The table as a sheet: fields in rows and columns, as many as there are, and no printed pad."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from companion.core.sheet import Box, Field, Layout, Mark, Millimetres, Paper, SheetKind, Term
from companion.core.values import is_whole
from companion.core.words import Sentence
from companion.games.ruled_table import HIGHEST, LOWEST, Table, field_name

WIDTH: Final[Millimetres] = 15.0
HEIGHT: Final[Millimetres] = 9.0
HEAD: Final[Millimetres] = 22.0
"""The width of a column of words."""


def board_of(rows: int, columns: int, head_rows: int = 0, head_columns: int = 0) -> str:
    """The table's size and that of its heads, as its board says it."""
    return f"{rows}x{columns}x{head_rows}x{head_columns}"


@lru_cache(maxsize=64)
def _paper(board: str) -> Paper:
    rows, columns, head_rows, head_columns = map(int, (board or board_of(1, 1)).split("x"))
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
    return Paper(Sentence("Table"), None, *size, layout=layout, at=(0, 0), blanks=(), names=())


class TableKind(SheetKind[Table]):
    """The table; its board is its size, because no two are alike."""

    name = "table"
    number = -1  # It is never printed.
    written = Table

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
        rows, columns, *_ = map(int, (board or board_of(1, 1)).split("x"))
        found = [
            [marks.get(field_name(row, column)) for column in range(columns)] for row in range(rows)
        ]
        return Table(tuple(tuple(n if is_whole(n) else None for n in row) for row in found))

    def terms(self, sheet: Table) -> tuple[Term, ...]:
        """A term for each column."""
        return tuple(
            Term(Sentence("Column %(number)s", {"number": number}), total, ())
            for number, total in enumerate(sheet.totals, start=1)
        )

    def sums(self, sheet: Table) -> Mapping[str, int]:
        """None: its sums are fields."""
        return {}


SHEET: Final = TableKind()
