"""Rounds, played by the rules and by a naive referee (`tests/games/test_oracles.py`)."""

from __future__ import annotations

import random
from typing import Any

from companion.games.rounds import GAME
from companion.games.rounds.rules import Rounds
from tests.kit.oracles.rounds import Referee
from tests.kit.play import code

Action = dict[str, Any]

GAMES, WILD, PLAYERS = 60, 4, (1, 2, 3, 6)
ENDS = {"by hand", "points", "rounds"}


def begin(names: tuple[str, ...], chance: random.Random) -> tuple[Any, Referee]:
    options = {
        "lowest": chance.choice([False, True]),
        "to": chance.choice([0, 60, 150]),
        "rounds": chance.choice([0, 4]),
    }
    return GAME.start(names, options), Referee(list(names), already=options)


WILD_POINTS = (0, 99_999, -99_999, 100_000, -100_000, 10**30, True, 1.5, "7", None)


def wild(referee: Referee, chance: random.Random) -> Action:
    """An action that may be illegal in any way."""
    return {
        "do": chance.choice(["points", "points", "points", "end", "won", "next"]),
        "by": chance.choice([*referee.players, *referee.players, "Nobody", None]),
        "points": chance.choice(WILD_POINTS),
    }


def sensible(position: Rounds, referee: Referee, chance: random.Random) -> Action:
    """Found by the referee alone."""
    if referee.closed and not referee.open and chance.random() < 0.05 * referee.closed:
        return {"do": "end"}
    by = chance.choice([name for name in referee.players if name not in referee.open])
    return {"do": "points", "by": by, "points": chance.randint(-20, 40)}


def same(before: Rounds, position: Rounds, referee: Referee, action: Action) -> None:
    is_over = bool(referee.reason)
    assert position.over == is_over
    open_round = referee.closed + (referee.reason not in ("points", "rounds"))
    assert position.turn == open_round
    assert position.active == referee.players[(open_round - 1) % len(referee.players)]
    for name in referee.players:
        points = referee.points(name)
        assert position.sheet(name)["rounds"] == [[number] for number in points]
        assert position.score(name) == {"totals": {name: sum(points)}, "total": sum(points)}


def look_closely(position: Rounds, referee: Referee) -> None:
    assert list(position.winners()) == referee.winners
    for name in referee.players:
        is_open = name not in referee.open and not referee.reason
        named = {"do": "won", "by": name}
        assert (code(position, named) is None) == (not referee.why_not(named))
        assert (name in position.deciding) == (not referee.why_not(named))
        assert (name in position.waiting) == is_open
        assert (GAME.panel.player_facts(position, name) is not None) == is_open


def ends(position: Rounds) -> str:
    (said,) = GAME.panel.ended(position)
    reasons = {"reached": "points", "rounds were": "rounds", "players ended": "by hand"}
    return next(reason for words, reason in reasons.items() if words in said.text)
