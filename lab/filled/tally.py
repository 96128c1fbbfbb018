"""Tallies as players leave them, to print, photograph and read."""

from __future__ import annotations

from companion.core.values import Document


def written(board: str) -> Document:
    return {
        "sheet": "tally",
        "players": ["1", "2", "3"],
        "rounds": [[12, 30, 4], [7, 0, 108], [25, 16, 9]],
    }


CHANGE = ("round.3.player.3", 5)  # a field of the sheet, and its mark after a change by hand
