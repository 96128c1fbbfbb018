"""Kniffel, played by the rules and by a naive referee (`tests/games/test_oracles.py`)."""

from __future__ import annotations

import random
from typing import Any

from companion.core.position import Turn
from companion.games.kniffel.rules import Kniffel
from companion.games.kniffel.sheet import JOKERS, KniffelSheet
from tests.games.kniffel import moves
from tests.kit.oracles.kniffel import PRINTED, Referee, document_of, score_of
from tests.kit.play import code, some_action

GAMES, WILD, PLAYERS = 30, 3, (2, 1, 3, 4, 6)
ENDS = set(JOKERS)


def table(*players: str, jokers: str = "none") -> Kniffel:
    """A game before its first roll."""
    return Kniffel(now=Turn(players), sheets=(KniffelSheet(jokers),) * len(players))


def begin(names: tuple[str, ...], chance: random.Random) -> tuple[Kniffel, Referee]:
    jokers = chance.choice(JOKERS)
    return table(*names, jokers=jokers), Referee(list(names), jokers)


def wild(referee: Referee, chance: random.Random) -> dict[str, Any]:
    return {
        "do": chance.choice(["roll", "write", "write", "write", "pass", "next"]),
        "by": chance.choice([referee.active] * 3 + [*referee.players, "Nobody", None]),
        "dice": chance.choices(range(8), k=chance.choice([4, 5, 5, 5, 6])),
        "field": chance.choice([*PRINTED, "sum.upper", None]),
        "points": chance.choice([*range(-1, 52), "7", None]),
        "extra": chance.random() < 0.3,
    }


def sensible(position: Kniffel, referee: Referee, chance: random.Random) -> dict[str, Any]:
    return some_action(position, moves, chance)


def same(before: Kniffel, position: Kniffel, referee: Referee, action: Any) -> None:
    assert (position.turn, position.active) == (referee.turn, referee.active)
    assert position.over == referee.over
    assert list(position.waiting) == ([] if referee.over else [referee.active])
    assert list(position.winners()) == referee.winners()
    if not position.over:
        assert list(position.dice) == (referee.rolls[-1] if referee.rolls else [])
        assert position.rolls == len(referee.rolls)
    for player in referee.players:
        assert position.sheet(player) == document_of(referee.papers[player])
        assert position.score(player) == score_of(referee.papers[player])
    assert before.fingerprint != position.fingerprint, "all share the turn and the dice"


def look_closely(position: Kniffel, referee: Referee) -> None:
    """Every entry that could ever be legal is tried."""
    for action in referee.every_entry():
        reasons, refused = referee.why_not(action), code(position, action)
        assert (refused in reasons) if reasons else (refused is None), action


def ends(position: Kniffel) -> str:
    return position.sheets[0].jokers
