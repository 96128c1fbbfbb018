"""Sheets of Skeleton as players leave them, to print, photograph and read."""

from __future__ import annotations

from companion.games.skeleton.guide import EXAMPLE

from companion.core.values import Document


def written(board: str) -> Document:
    """A sheet without a fault: one field is open."""
    return dict(EXAMPLE)


def less(document: Document) -> Document:
    """Another player's sheet, which is worth less."""
    return {**document, "A3": 5}


CHANGE = ("C2", 11)  # a field of the sheet, and what is put there by hand
