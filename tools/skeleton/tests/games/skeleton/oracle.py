"""Skeleton, played by the rules and by a naive referee (`tests/games/test_oracles.py`)."""

from __future__ import annotations

import random
from typing import Any

from companion.games.skeleton import GAME
from companion.games.skeleton.rules import Skeleton
from lab.moves import skeleton as moves
from lab.oracles.skeleton import FIELDS, Referee, score_of

from lab.play import code, some_action

GAMES, WILD, PLAYERS = 40, 3, (2, 1, 3, 4, 6)
ENDS = {"full sheets"}


def begin(names: tuple[str, ...], chance: random.Random) -> tuple[Skeleton, Referee]:
    return GAME.start(names, {}), Referee(list(names))


def wild(referee: Referee, chance: random.Random) -> dict[str, Any]:
    return {
        "do": chance.choice(["roll", "write", "write", "pass"]),
        "by": chance.choice([*referee.players, "Nobody", None]),
        "dice": chance.choices(range(8), k=chance.choice([1, 2, 2, 2, 3])),
        "field": chance.choice([*FIELDS, "A4", "", None, 1]),
    }


def sensible(position: Skeleton, referee: Referee, chance: random.Random) -> dict[str, Any]:
    return some_action(position, moves, chance)


def same(before: Skeleton, position: Skeleton, referee: Referee, action: Any) -> None:
    assert position.over == referee.over
    assert (position.turn, position.active) == (referee.turn, referee.active)
    assert list(position.dice) == referee.dice
    for player, paper in referee.papers.items():
        written = {"sheet": "skeleton", **dict.fromkeys(FIELDS), **paper}
        assert position.sheet(player) == written
        assert position.score(player) == score_of(paper)


def look_closely(position: Skeleton, referee: Referee) -> None:
    """Everything that could be written is tried."""
    for player in referee.players:
        for field in FIELDS:
            action = {"do": "write", "by": player, "field": field}
            reasons, refused = referee.why_not(action), code(position, action)
            assert (refused in reasons) if reasons else (refused is None), action


def ends(position: Skeleton) -> str:
    return "full sheets"
