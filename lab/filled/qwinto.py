"""Qwinto sheets as players leave them, to print, photograph and read."""

from __future__ import annotations

from companion.core.values import Document
from lab.games import SARAH


def written(board: str) -> Document:
    """Sarah's sheet, whose yellow row may end with an 18 as well."""
    return dict(SARAH)


def less(document: Document) -> Document:
    """Another player's sheet, which is worth less."""
    return {**document, "yellow": [None, *document["yellow"][1:]]}


CHANGE = ("yellow.9", 18)  # a field of the sheet, and its mark after a change by hand
