"""Filled-in sheets: one of every kind in the catalogue, and those of a test's own documents.

`lab/filled` has a module for each sheet: `written(board)` is a sheet without a problem,
`less(document)` the sheet of a player with fewer points (where players share no sheet), and
`CHANGE` a field with a mark that may stand there as well.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from companion.core.sheet import AnySheetKind, Box, Layout
from companion.core.values import Document
from companion.games import scoring, standings, text
from companion.games.catalog import GAMES, SHEETS
from companion.games.standings import KeptSheet

KINDS: Final = tuple((kind, board) for kind in SHEETS.values() for board in kind.every_board)
"""Every sheet with each of its boards."""


def papers_of(kind: AnySheetKind) -> Any:
    """A sheet's module in `lab/filled`."""
    return import_module(f"lab.filled.{kind.name}")


def written(kind: AnySheetKind, board: str) -> Document:
    document: Document = papers_of(kind).written(board)
    return document


def scored(document: object) -> Document:
    """The `companion-score/1` object of a sheet document."""
    return scoring.scored(scoring.filled_sheet(document))


def as_text(document: object) -> str:
    return text.as_text(scoring.filled_sheet(document))


def kept(game: str, *sheets: tuple[str, Document]) -> list[tuple[str, KeptSheet]]:
    """(player, sheet) of a game on paper as the history takes them; a shared sheet is split."""
    found: list[tuple[str, KeptSheet]] = []
    for name, document in sheets:
        filled = scoring.filled_sheet(document)
        for player, part in filled.by_player or [(name, filled)]:
            found.append((player, standings.kept_sheet(GAMES[game], part)))
    return found


def layout(document: dict[str, Any]) -> Layout:
    return scoring.filled_sheet(document).layout


def overlap(box: Box, other: Box, least: float = 1e-3) -> bool:
    """Whether two boxes have more in common than a strip of `least` millimetres."""
    across = min(box.x + box.width, other.x + other.width) - max(box.x, other.x)
    down = min(box.y + box.height, other.y + other.height) - max(box.y, other.y)
    return min(across, down) > least


def inside(inner: Box, outer: Box) -> bool:
    """With all but a thousandth of a millimetre."""
    return (
        outer.x <= inner.x + 1e-3
        and outer.y <= inner.y + 1e-3
        and inner.x + inner.width <= outer.x + outer.width + 1e-3
        and inner.y + inner.height <= outer.y + outer.height + 1e-3
    )
