"""Qwinto sheets as players leave them, to print, photograph and read."""

from __future__ import annotations

from companion.core.values import Document


def written(board: str) -> Document:
    """A sheet without a fault, on which the last field of the yellow row may hold an 18 as well."""
    return {
        "sheet": "qwinto",
        "orange": [None, 5, None, None, 10, 13, None, 17, None],
        "yellow": [2, 3, 7, 8, 10, 11, 12, 15, 16],
        "purple": [2, 4, None, 6, 7, None, 9, 11, None],
        "failed": 2,
    }


def less(document: Document) -> Document:
    """Another player's sheet, which is worth less."""
    return {**document, "yellow": [None, *document["yellow"][1:]]}


CHANGE = ("yellow.9", 18)
"""A field of the sheet, and what is put there by hand."""
