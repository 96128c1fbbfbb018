"""Qwinto with dice, played by the rules and by a naive referee (`tests/games/test_oracles.py`)."""

from __future__ import annotations

import random
from typing import Any

from companion.games.qwinto_dice.rules import QwintoDice
from tests.kit import games
from tests.kit.oracles.qwinto import Referee
from tests.kit.play import code

GAMES, WILD, PLAYERS = 40, 2, (2, 3, 4, 2, 3, 6, 5)
ENDS = {"two full rows", "four failed attempts"}


def begin(names: tuple[str, ...], chance: random.Random) -> tuple[QwintoDice, Referee]:
    return games.table(*names), Referee(list(names))


def wild(referee: Referee, chance: random.Random) -> dict[str, Any]:
    colors = chance.sample(("orange", "yellow", "purple"), 2)
    return {
        "do": chance.choice(["roll", "write", "write", "pass", "next", "play"]),
        "by": chance.choice([*referee.players, "Nobody", None]),
        "dice": {color: chance.randint(0, 7) for color in colors},
        "row": chance.choice(["orange", "yellow", "purple", "gray"]),
        "field": chance.choice([*range(11), "1", None]),
    }


def sensible(position: QwintoDice, referee: Referee, chance: random.Random) -> dict[str, Any]:
    return games.sensible(referee, chance, careless=0.3 * (len(referee.players) % 2))


def same(before: QwintoDice, position: QwintoDice, referee: Referee, action: Any) -> None:
    games.compare(position, referee)
    games.compare_open_fields(position, referee, position.active)


def look_closely(position: QwintoDice, referee: Referee) -> None:
    """Everything that could ever be legal is tried, where that is not too much."""
    for player in referee.players:
        games.compare_open_fields(position, referee, player)
    if len(referee.players) > 2 and not position.over:
        return
    for action in referee.every_action():
        reasons, refused = referee.why_not(action), code(position, action)
        assert (refused in reasons) if reasons else (refused is None), action


def ends(position: QwintoDice) -> str:
    failed = any(sheet.failed == 4 for sheet in position.sheets)
    return "four failed attempts" if failed else "two full rows"
