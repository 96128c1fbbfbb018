"""What people write on their sheets: plausible games, now and then with a broken rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from benchmarks.games import SheetFilling, sheet_filling
from companion.core.sheet import EMPTY, AnySheetKind, FilledSheet, Mark
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
        """What the marks say."""
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
        return self._filling.sums(self.written.score)

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
    marks = filling.random_marks(rng, board)
    empty = {field.id: EMPTY[field.kind] for field in sheet.paper(board).fields}
    if unknown := set(marks) - set(empty):
        raise ValueError(f"no such fields: {unknown}")
    filled = InkedSheet(sheet, board, empty | marks)
    _verify(filled, empty, filling)
    return filled


def _verify(filled: InkedSheet, empty: Mapping[str, Mark], filling: SheetFilling) -> None:
    """Raises `AssertionError` unless the document holds all marks that a document can hold."""
    documented = {**empty, **filled.written.marks}
    for name, drawn in filled.marks.items():
        if drawn != documented[name] and not filling.is_lost(name, drawn, documented[name]):
            raise AssertionError(f"{name}: drawn {drawn}, documented {documented[name]}")
