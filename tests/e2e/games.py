"""A game played on paper first: what each player would tap, so that a browser can do the same."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any

from companion.core.refusal import Refusal
from companion.games.qwinto.sheet import COLORS, COLUMNS
from companion.games.qwinto_dice import GAME
from companion.games.qwinto_dice.rules import QwintoDice
from companion.games.record import RECORD_FORMAT

Action = dict[str, Any]
Dice = dict[str, int]

LONG_NAMES = (
    "Maximiliane Wolkensteins",
    "Bartholomäus von Öttings",
    "WWWWWWWWWWWWWWWWWWWWWWWW",
    "Ana Sofía de la Vega Rui",
    "Åse Þorgerður Øvergård-Q",
    "<b>Tom & Jerry</b> 1234!",
)
"""Six names as long as a name may be; one has no place to break, one looks like markup."""


def throw(chance: random.Random) -> Dice:
    """One to three dice, in the order of the sheet's rows."""
    colors = chance.sample(COLORS, chance.randint(1, 3))
    return {color: chance.randint(1, 6) for color in COLORS if color in colors}


def best(number: int, fields: Iterable[str]) -> str | None:
    """The open field ("yellow.6") that suits the number best, or None to pass."""

    def badness(field: str) -> tuple[float, str]:
        color, place = field.split(".")
        return abs(COLUMNS[color][int(place) - 1] / 11 - (number - 1) / 17), field

    return min(fields, key=badness, default=None)


def actions(players: tuple[str, ...], seed: int) -> Iterator[tuple[QwintoDice, Action]]:
    """A whole game: each action with the position before it."""
    chance = random.Random(seed)
    position = GAME.start(players, {})
    while not position.over:
        action: Action
        if not position.rolls:
            action = {"do": "roll", "by": position.active, "dice": throw(chance)}
        else:
            player = position.waiting[0]
            fields = (f"{color}.{field}" for color, field in position.open_fields(player))
            field = best(position.called or 0, fields)
            action = {"do": "pass", "by": player}
            if field:
                color, place = field.split(".")
                action = {"do": "write", "by": player, "row": color, "field": int(place)}
        yield position, action
        result = position.play(action)
        assert not isinstance(result, Refusal), result.message
        position = result


def record(players: tuple[str, ...], seed: int, most: int | None = None) -> dict[str, Any]:
    """A whole game as a record, or its first `most` actions."""
    played = [action for _, action in actions(players, seed)]
    return {
        "format": RECORD_FORMAT,
        "game": GAME.name,
        "players": list(players),
        "options": {},
        "actions": played[:most],
    }
