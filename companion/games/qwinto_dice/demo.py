"""A record of three players up to the end of a turn, for the first page to show that turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from companion.core.values import Action, Document
from companion.games.qwinto.sheet import COLORS

PLAYERS: Final = ("Ada", "Ben", "Carla")
# Turn by turn, Ada's first: the dice, and each player's row and field, by the color's first letter
TURNS: Final = (
    ("o2 p4", "p4 p4 p4"),
    ("o6 y1", "o4 y4 o4"),
    ("o1 y6 p6", "y7 p7 o8"),
    ("o6 y3 p6", "p8 p9 y8"),
    ("y4", "y3 y2 y3"),
    ("o2 p1", "o2 p2 o2"),
    ("o3 p5", "o5 o5 o5"),
    ("o4", "o3 o3 o3"),
    ("o2 p5", "p5 o4 p5"),
    ("o4 p5", "o6 o6 p6"),
)
ROWS: Final = {color[0]: color for color in COLORS}


def _actions() -> Iterator[Action]:
    for turn, (dice, fields) in enumerate(TURNS):
        faces = {ROWS[die[0]]: int(die[1]) for die in dice.split()}
        yield {"do": "roll", "by": PLAYERS[turn % len(PLAYERS)], "dice": faces}
        for player, field in zip(PLAYERS, fields.split(), strict=True):
            yield {"do": "write", "by": player, "row": ROWS[field[0]], "field": int(field[1])}


DEMO: Final[Document] = {
    "format": "companion-record/1",
    "game": "qwinto-dice",
    "players": list(PLAYERS),
    "actions": list(_actions()),
}
