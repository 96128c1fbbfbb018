"""Kniffel, played by the rules and by a naive referee (`tests/games/test_oracles.py`)."""

from __future__ import annotations

import random
from typing import Any

from companion.games.kniffel import GAME
from companion.games.kniffel.rules import Kniffel
from companion.games.kniffel.variants import VARIANTS
from companion.games.record import checked_options
from lab.moves import kniffel as moves
from lab.oracles import kniffel as oracle
from lab.oracles.kniffel import Referee, document_of, score_of
from lab.play import code, some_action

GAMES, WILD, PLAYERS = 60, 3, (2, 1, 3, 4, 6)
ENDS = {(variant.name, variant.jokers) for variant in VARIANTS}


def table(*players: str, **options: str) -> Kniffel:
    """A game before its first roll."""
    return GAME.start(players, checked_options(GAME, options))


def begin(names: tuple[str, ...], chance: random.Random) -> tuple[Kniffel, Referee]:
    game = chance.choice([*oracle.GAMES])
    return table(*names, **oracle.GAMES[game]), Referee(list(names), game)


def wild(referee: Referee, chance: random.Random) -> dict[str, Any]:
    return {
        "do": chance.choice(["roll", "write", "write", "write", "pass", "next"]),
        "by": chance.choice([referee.active] * 3 + [*referee.players, "Nobody", None]),
        "dice": chance.choices(range(8), k=chance.choice([4, 5, 5, 5, 6])),
        "field": chance.choice([*oracle.printed("yatzy"), "sum.upper", None]),
        "points": chance.choice([*range(-1, 52), "7", None]),
        "extra": chance.random() < 0.3,
    }


def sensible(position: Kniffel, referee: Referee, chance: random.Random) -> dict[str, Any]:
    return some_action(position, moves, chance)


def same(before: Kniffel, position: Kniffel, referee: Referee, action: Any) -> None:
    assert (position.turn, position.active) == (referee.turn, referee.active)
    assert position.over == referee.over
    assert list(position.awaited) == ([] if referee.over else [referee.active])
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


def ends(position: Kniffel) -> tuple[str, str]:
    return position.variant.name, position.variant.jokers
