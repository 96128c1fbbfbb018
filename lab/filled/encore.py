"""Encore! sheets as players leave them, to print, photograph and read."""

from __future__ import annotations

import random

from companion.core.values import Document
from companion.games.encore.boards import BOARDS
from companion.games.encore.layout import SHEET


def written(board: str) -> Document:
    """Crosses that have grown from column H, column H full and claimed, three jokers used."""
    chance = random.Random(tuple(BOARDS).index(board))
    crossed = {f"H{row}" for row in range(1, 8)}
    while len(crossed) < 30:
        column, row = chance.choice(sorted(crossed))
        column = chr(min(max(ord(column) + chance.choice((-1, 0, 1)), ord("A")), ord("O")))
        crossed.add(f"{column}{row}")
        column, row = chance.choice(sorted(crossed))
        crossed.add(f"{column}{min(max(int(row) + chance.choice((-1, 1)), 1), 7)}")
    document = {
        "sheet": "encore",
        "board": board,
        "crossed": sorted(crossed),
        "jokers_used": 3,
        "columns": {},
        "colors": {},
    }
    problems = SHEET.filled(document).problems
    columns = [p.fields[0].split(".")[1] for p in problems if p.code == "column-unclaimed"]
    colors = [p.fields[0].split(".")[1] for p in problems if p.code == "color-unclaimed"]
    claims = ("first", "later")
    return document | {
        "columns": {name: claims[place % 2] for place, name in enumerate(columns)},
        "colors": dict.fromkeys(colors, "first"),
    }


def less(document: Document) -> Document:
    """Another player's sheet, which is worth less."""
    return {**document, "crossed": ["H4"], "columns": {}, "colors": {}}


CHANGE = ("joker.4", True)  # a field of the sheet, and its mark after a change by hand
