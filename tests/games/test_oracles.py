"""Random games of every game: the rules and a naive referee agree at every step, also on nonsense.

Each game has an `oracle.py`. `begin` makes a position and its referee, `wild` an action that
may be illegal in any way, `sensible` a legal one that gets on; `same` compares all that a position
shows, and `look_closely`, at some positions, what is legal there. `GAMES` are played, by `PLAYERS`
in turn; `ends` says in which of the ways a game has ended, all of which must come up.
"""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import pytest

from companion.games.catalog import GAMES
from lab.play import after, code
from lab.wide import examples

NAMES = ("Tim", "Sarah", "Linus", "Zoë", "Ben & Jo", "6")
CLOSELY = 0.1  # the share of a game's positions at which everything is tried


def judged_alike(position: Any, referee: Any, action: Any) -> Any:
    """The position after an action about which both agree, legal or not."""
    reasons, refused = referee.why_not(action), code(position, action)
    assert (refused in reasons) if reasons else (refused is None), (action, refused, reasons)
    if reasons:
        return position
    referee.happens(action)
    return after(position, action)


@pytest.mark.parametrize("game", GAMES)
def test_rules_and_referee_agree_on_whole_games(game: str) -> None:
    """Nothing legal is refused, nothing illegal accepted, and all that is shown agrees."""
    oracle: Any = import_module(f"tests.games.{GAMES[game].package}.oracle")
    ends = set()
    for seed in range(examples(oracle.GAMES)):
        chance = random.Random(seed)
        names = NAMES[: oracle.PLAYERS[seed % len(oracle.PLAYERS)]]
        position, referee = oracle.begin(names, chance)
        while not position.over:
            for _ in range(oracle.WILD):
                wild = oracle.wild(referee, chance)
                reasons, refused = referee.why_not(wild), code(position, wild)
                assert (refused in reasons) if reasons else (refused is None), wild
            action = oracle.sensible(position, referee, chance)
            assert not referee.why_not(action), "what the position offers is allowed"
            before, position = position, judged_alike(position, referee, action)
            oracle.same(before, position, referee, action)
            if position.over or chance.random() < CLOSELY:
                oracle.look_closely(position, referee)
        ends.add(oracle.ends(position))
    assert ends == oracle.ENDS, "or the games say nothing about the other ways"
