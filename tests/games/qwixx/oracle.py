"""Qwixx, played by the rules and by a naive referee (`tests/games/test_oracles.py`)."""

from __future__ import annotations

import random
from typing import Any

from companion.games.qwixx.rules import Qwixx
from lab.moves import qwixx as moves
from lab.oracles.qwixx import Referee, document_of, score_of
from lab.play import NEXT, code, some_action
from tests.games.qwixx.actions import ROWS, cross, table

GAMES, WILD, PLAYERS = 30, 2, (2, 3, 4, 2, 5)
ENDS = {
    (reason, step)
    for reason in ("two rows", "four failed rolls")
    for step in ("in the white step", "in the color step")
} - {("four failed rolls", "in the white step")}


def begin(names: tuple[str, ...], chance: random.Random) -> tuple[Qwixx, Referee]:
    return table(*names), Referee(list(names))


def wild(referee: Referee, chance: random.Random) -> dict[str, Any]:
    return {
        "do": chance.choice(["roll", "cross", "cross", "pass", "next", "write"]),
        "by": chance.choice([*referee.players, "Nobody", None]),
        "white": chance.choices(range(8), k=chance.choice([2, 2, 3])),
        "dice": {row: chance.randint(1, 6) for row in chance.sample(ROWS, chance.randrange(5))},
        "row": chance.choice([*ROWS, "white"]),
        "number": chance.choice([*range(1, 14), "7", None]),
    }


def sensible(position: Qwixx, referee: Referee, chance: random.Random) -> dict[str, Any]:
    if chance.random() < 0.1 and not referee.why_not(NEXT):
        return NEXT
    return some_action(position, moves, chance)


def same(before: Qwixx, position: Qwixx, referee: Referee, action: Any) -> None:
    story = referee.story()
    assert (position.turn, position.active) == (story["turn"], story["active"])
    assert position.over == (story["phase"] == "over")
    assert list(position.awaited) == referee.awaited()
    assert list(position.winners()) == referee.winners()
    assert set(position.closed) == story["shut"]
    assert list(position.white) == story["white"]
    assert dict(position.colored) == story["dice"]
    if not position.over:
        assert position.in_color_step == (story["phase"] == "color")
    for player in referee.players:
        assert position.sheet(player) == document_of(story["papers"][player])
        assert position.score(player) == score_of(story["papers"][player])
    # The fingerprint changes with what all share, and nothing else.
    was, now = (
        (at.turn, at.white, at.colored, at.in_color_step, at.over) for at in (before, position)
    )
    assert (before.fingerprint == position.fingerprint) == (was == now)


def look_closely(position: Qwixx, referee: Referee) -> None:
    """Everything but a roll that could ever be legal is tried."""
    for action in referee.every_entry():
        reasons, refused = referee.why_not(action), code(position, action)
        assert (refused in reasons) if reasons else (refused is None), action
    for player in referee.players:
        legal = [
            (row, number)
            for row in ROWS
            for number in range(2, 13)
            if not referee.why_not(cross(player, row, number))
        ]
        assert sorted(position.open_crosses(player)) == sorted(legal)


def ends(position: Qwixx) -> tuple[str, str]:
    reason = "two rows" if len(position.closed) >= 2 else "four failed rolls"
    return reason, "in the color step" if position.in_color_step else "in the white step"
