"""Kniffel sheets as players leave them, to print, photograph and read."""

from __future__ import annotations

from companion.core.values import Document
from companion.games.kniffel.guide import example
from companion.games.kniffel.variants import BY_BOARD


def written(board: str) -> Document:
    """A sheet without a fault: one line is struck out, two are open."""
    return example(BY_BOARD[board])


def less(document: Document) -> Document:
    """Another player's sheet, which is worth less."""
    return {**document, "full-house": 0, "small-straight": None}


CHANGE = ("four-of-a-kind", 20)
"""A field of the sheet, and its mark after a change by hand."""
