"""Simulated entries on sheets: plausible games, now and then with a broken rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.games import SheetFilling, sheet_filling
from companion.core.sheet import EMPTY, AnySheetKind, FilledSheet, Mark, in_column, of_column
from companion.core.values import Document
from companion.games.catalog import SHEETS


@dataclass(frozen=True)
class InkedSheet:
    """A sheet as somebody filled it in."""

    sheet: AnySheetKind
    board: str  # `""` where the sheet has no boards
    marks: Mapping[str, Mark]  # field id → mark, for every field of the printed pad

    @cached_property
    def written(self) -> FilledSheet:
        """The content of the marks."""
        return self.sheet.marked(self.board, self.marks)

    @property
    def document(self) -> Document:
        """The public sheet document."""
        return self.written.document

    @property
    def total(self) -> int:
        return self.written.result.total

    @property
    def sums(self) -> Mapping[str, int]:
        """Id of a printed blank → the number that belongs in it."""
        found = {}
        for column in range(len(self.sheet.paper(self.board).columns)):
            marks = of_column(self.marks, column)
            if any(mark is not None for mark in marks.values()) or not column:
                sums = self.sheet.marked(self.board, marks).sums
                found |= {in_column(name, column): points for name, points in sums.items()}
        return found

    @property
    def player_count(self) -> int:
        """How many players share the pad."""
        return self._filling.player_count(self.marks)

    @property
    def _filling(self) -> SheetFilling:
        return sheet_filling(self.sheet)


def random_sheet(kind: str, rng: np.random.Generator) -> InkedSheet:
    """A random sheet.

    Args:
        kind: a sheet of the catalogue, with a board (`SHEET:BOARD`) or without; a
            random board is chosen where none is given.
    """
    name, _, board = kind.partition(":")
    sheet = SHEETS[name]
    board = board or (str(rng.choice(sheet.every_board)))
    filling = sheet_filling(sheet)
    paper = sheet.paper(board)
    empty = {field.id: EMPTY[field.kind] for field in paper.fields}
    columns = len(paper.columns)
    marks: dict[str, Mark] = {}
    for column in range(int(rng.integers(1, columns + 1)) if columns > 1 else 1):
        found = filling.random_marks(rng, board)
        marks |= {in_column(name, column): mark for name, mark in found.items()}
    if unknown := set(marks) - set(empty):
        raise ValueError(f"no such fields: {unknown}")
    filled = InkedSheet(sheet, board, empty | marks)
    _verify(filled, empty, filling)
    return filled


def _verify(filled: InkedSheet, empty: Mapping[str, Mark], filling: SheetFilling) -> None:
    """Raises `AssertionError` unless the document holds all marks that a document can hold."""
    documented = dict(empty)
    for column in range(len(filled.sheet.paper(filled.board).columns)):
        read = filled.sheet.marked(filled.board, of_column(filled.marks, column)).marks
        documented |= {in_column(name, column): mark for name, mark in read.items()}
    for name, drawn in filled.marks.items():
        if drawn != documented[name] and not filling.is_lost(name, drawn, documented[name]):
            raise AssertionError(f"{name}: drawn {drawn}, documented {documented[name]}")
