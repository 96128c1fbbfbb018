"""Qwinto with dice, played by the rules and by a naive referee (`tests/games/test_oracles.py`)."""

from __future__ import annotations

import random
from typing import Any

from companion.games.qwinto_dice.rules import QwintoDice
from lab.games import table
from lab.moves import qwinto_dice as moves
from lab.oracles.qwinto import Referee
from lab.play import NEXT, code, some_action

GAMES, WILD, PLAYERS = 40, 2, (2, 3, 4, 2, 3, 6, 5)
ENDS = {"two full rows", "four failed attempts"}


def begin(names: tuple[str, ...], chance: random.Random) -> tuple[QwintoDice, Referee]:
    return table(*names), Referee(list(names))


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
    if chance.random() < 0.1 and not referee.why_not(NEXT):
        return NEXT
    return some_action(position, moves, chance)


def same(before: QwintoDice, position: QwintoDice, referee: Referee, action: Any) -> None:
    story = referee.story()
    assert position.turn == story.turn
    assert position.active == story.active
    assert position.over == story.over
    assert set(position.awaited) == (set() if story.over else set(referee.players) - story.acted)
    assert list(position.winners()) == referee.winners()
    if not story.over:
        assert position.called == (sum(story.rolls[-1].values()) if story.rolls else None)
        assert position.may_reroll == (len(story.rolls) == 1 and not story.acted)
    for player in referee.players:
        assert position.sheet(player) == story.papers[player].document()
        assert position.score(player) == story.papers[player].score()
    compare_open_fields(position, referee, position.active)


def compare_open_fields(position: QwintoDice, referee: Referee, player: str) -> None:
    fields = position.open_fields(player)
    assert len(fields) == len(set(fields))
    assert set(fields) == referee.open_fields(player)


def look_closely(position: QwintoDice, referee: Referee) -> None:
    """Everything that could ever be legal is tried, where that is not too much."""
    for player in referee.players:
        compare_open_fields(position, referee, player)
    if len(referee.players) > 2 and not position.over:
        return
    for action in referee.every_action():
        reasons, refused = referee.why_not(action), code(position, action)
        assert (refused in reasons) if reasons else (refused is None), action


def ends(position: QwintoDice) -> str:
    failed = any(sheet.failed == 4 for sheet in position.sheets)
    return "four failed attempts" if failed else "two full rows"
