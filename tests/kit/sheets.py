"""Filled-in sheets from their documents, for tests that write documents down."""

from __future__ import annotations

from typing import Any

from companion.core.sheet import Layout
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
            found.append((player, standings.kept(GAMES[game], part)))
    return found


def layout(document: dict[str, Any]) -> Layout:
    return scoring.filled_sheet(document).layout
