"""Filled-in sheets from their documents, for tests that write documents down."""

from __future__ import annotations

from typing import Any

from companion.core.sheet import Box, Layout
from companion.core.values import Document
from companion.games import scoring, standings, text
from companion.games.catalog import GAMES
from companion.games.standings import KeptSheet


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
        for player, part in filled.parts or [(name, filled)]:
            found.append((player, standings.kept_sheet(GAMES[game], part)))
    return found


def layout(document: dict[str, Any]) -> Layout:
    return scoring.filled_sheet(document).layout


def overlap(box: Box, other: Box) -> bool:
    """By more than a thousandth of a millimetre, which no sum of floats is worth."""
    return (
        box.x < other.x + other.width - 1e-3
        and other.x < box.x + box.width - 1e-3
        and box.y < other.y + other.height - 1e-3
        and other.y < box.y + box.height - 1e-3
    )


def inside(inner: Box, outer: Box) -> bool:
    """With all but a thousandth of a millimetre."""
    return (
        outer.x <= inner.x + 1e-3
        and outer.y <= inner.y + 1e-3
        and inner.x + inner.width <= outer.x + outer.width + 1e-3
        and inner.y + inner.height <= outer.y + outer.height + 1e-3
    )
