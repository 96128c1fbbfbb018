"""Turns in which dice are rolled before the entries, by the active player or by anybody."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.game import Game
from companion.core.refusal import Refusal
from lab import toy
from lab.play import after

ROLL = {"do": "roll", "die": 3}
ONCE = "You can roll the dice only once in a turn."


def start(game: Game) -> Any:
    return game.start(("Ada", "Ben"), {})


@pytest.mark.parametrize(
    ("game", "actions", "says"),
    [
        (toy.GAME, [{"do": "cross", "by": "Ben"}],
         "There is nothing to write yet: Ada has to roll the dice first."),
        (toy.GAME, [{**ROLL, "by": "Ben"}], "It is Ada's turn, so only they can do this."),
        (toy.GAME, [{**ROLL, "by": "Ada"}, {**ROLL, "by": "Ada"}], ONCE),
        (toy.OF_ALL, [{"do": "cross", "by": "Ben", "number": 1}],
         "The dice have to be rolled first."),
        (toy.OF_ALL, [{"do": "roll", "dice": [1, 2, 3]}] * 2, ONCE),
    ],
)  # fmt: skip
def test_the_dice_come_first_and_once(game: Game, actions: list[Any], says: str) -> None:
    position = start(game)
    for action in actions[:-1]:
        assert position.must_roll
        assert position.next_roll
        position = after(position, action)
    refused = position.play(actions[-1])
    assert isinstance(refused, Refusal)
    assert refused.message == says
    assert position.must_roll == bool(position.next_roll)
