"""Kniffel sheets as players leave them, to print, photograph and read."""

from __future__ import annotations

from companion.core.values import Document
from companion.games.kniffel.guide import EXAMPLE


def written(board: str) -> Document:
    """A sheet without a fault: one line is struck out, two are open."""
    return {**EXAMPLE, "extra": 0, "four-of-a-kind": None, "kniffel": None}


def less(document: Document) -> Document:
    """Another player's sheet, which is worth less."""
    return {**document, "full-house": 0, "small-straight": None}


CHANGE = ("four-of-a-kind", 22)
"""A field of the sheet, and what is put there by hand."""
