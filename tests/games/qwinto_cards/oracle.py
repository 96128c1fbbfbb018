"""Qwinto's card game, by the rules and at a real table (`tests/games/test_oracles.py`)."""

from __future__ import annotations

import random
from typing import Any

from companion.games.qwinto_cards import GAME
from companion.games.qwinto_cards.rules import PLACES, QwintoCards
from lab.oracles.qwinto_cards import DECK as ALL_CARDS
from lab.oracles.qwinto_cards import Table

Action = dict[str, Any]

GAMES, WILD, PLAYERS = 40, 6, (1, 2, 3, 4)
ENDS = {"alone", "together"}


def begin(names: tuple[str, ...], chance: random.Random) -> tuple[Any, Table]:
    return GAME.start(names, {}), Table(list(names), chance.randrange(2**32))


def wild(table: Table, chance: random.Random) -> Action:
    """An action that may be illegal in any way."""
    cards: list[list[Any]] = [
        [chance.choice([*ALL_CARDS, "o9", 3]), chance.choice(["tl", "tr", "bl", "br", "xx"])]
        for _ in range(chance.choice([0, 1, 1, 1, 2, 2, 2, 3]))
    ]
    if len(cards) == 2 and chance.random() < 0.6:
        cards[1][0] = chance.choice("oypg") + str(cards[0][0])[1:]
    return {
        "do": chance.choice(["lay", "lay", "write", "write", "pass", "next", "deal", "roll"]),
        "by": chance.choice([*table.players, "Nobody", 5, None]),
        "cards": cards,
        "row": chance.choice(["orange", "yellow", "purple", "gray"]),
        "field": chance.choice([*range(11), "1", None]),
        "grid": dict(zip(PLACES, chance.sample(ALL_CARDS, 4), strict=True)),
    }


WEIGHTS = {"write": 12, "lay": 3, "pass": 2, "next": 2, "deal": 1}
"""Writing more often than passing, so that games go on for a while."""


def sensible(position: QwintoCards, table: Table, chance: random.Random) -> Action:
    actions = table.sensible()
    return chance.choices(actions, [WEIGHTS[action["do"]] for action in actions])[0]


def same(before: QwintoCards, position: QwintoCards, table: Table, action: Action) -> None:
    """Every count is that of real cards."""
    assert position.turn == table.turn
    assert position.active == table.active
    assert position.over == table.over
    for player in table.players:
        assert position.sheet(player) == table.papers[player].document()
    covered = {card for stack in table.stacks.values() for card in stack[:-1]}
    assert position.covered == covered
    assert position.draw_pile == len(table.pile)
    held = {card for hand in table.hands.values() for card in hand}
    assert held <= set(position.available)
    sensible = table.sensible() if not table.over else []
    for player in table.players:
        assert position.hand(player) == len(table.hands[player])
        legal = [
            action for action in sensible if action["do"] == "write" and action["by"] == player
        ]
        assert set(position.open_fields(player)) == {
            (action["row"], action["field"]) for action in legal
        }
    if table.laid:
        called, letters = table.call()
        assert position.called == called
        assert {color[0] for color in position.called_colors} == letters


def look_closely(position: QwintoCards, table: Table) -> None:
    """The table's cards are compared at every step."""


def ends(position: QwintoCards) -> str:
    return "alone" if len(position.players) == 1 else "together"
