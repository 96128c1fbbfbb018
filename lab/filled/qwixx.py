"""Qwixx sheets as players leave them, to print, photograph and read."""

from __future__ import annotations

from companion.core.values import Document


def written(board: str) -> Document:
    """A sheet without a fault: one row is locked, and there are two failed rolls."""
    return {
        "sheet": "qwixx",
        "red": [2, 3, 5, 8, 9, 12],
        "yellow": [4, 7, 10],
        "green": [11, 9, 8, 6],
        "blue": [],
        "locks": ["red"],
        "failed": 2,
    }


def less(document: Document) -> Document:
    """Another player's sheet, which is worth less."""
    return {**document, "red": [3, 5, 8], "locks": []}


CHANGE = ("green.3", True)  # a field of the sheet, and its mark after a change by hand
