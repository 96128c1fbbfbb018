"""A filled-in sheet of every kind in the catalogue.

Each sheet's room below `tests/games` has a `papers.py`: `written(board)` is a sheet without a
problem, `less(document)` the sheet of a player with fewer points (where players share no sheet),
and `CHANGE` a field with a mark that may stand there as well.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from companion.core.sheet import AnySheetKind
from companion.core.values import Document
from companion.games.catalog import SHEETS

KINDS: Final = tuple((kind, board) for kind in SHEETS.values() for board in kind.every_board)
"""Every sheet with each of its boards."""


def room(kind: AnySheetKind) -> Any:
    """The module `papers` of a sheet's room."""
    return import_module(f"tests.games.{kind.name}.papers")


def written(kind: AnySheetKind, board: str) -> Document:
    document: Document = room(kind).written(board)
    return document
