"""Encore!, played by the rules and by a naive referee (`tests/games/test_oracles.py`)."""

from __future__ import annotations

import random
from typing import Any

from companion.games.encore import GAME
from companion.games.encore.boards import BOARDS, BOXES, COLORS
from companion.games.encore.dice import COLOR_FACES, COUNTS, NUMBER_FACES
from companion.games.encore.rules import Encore
from lab.oracles.encore import BLACK, Action, Print, Referee
from lab.sheets import scored

GAMES, WILD, PLAYERS = 40, 3, (1, 2, 1, 4, 1, 6, 1, 3, 1, 5)
"""Solo games often enough for full columns and colours, and for the thirtieth roll."""
ENDS = {"alone", "together"}


def begin(names: tuple[str, ...], chance: random.Random) -> tuple[Any, Referee]:
    board = "black" if len(names) == 1 else chance.choice(list(BOARDS))
    return GAME.start(names, {"board": board}), Referee(list(names), printed(board))


def printed(board: str) -> Print:
    """The referee's sheet: its own for the black board, else our colours with its points."""
    if board == "black":
        return BLACK
    own = BOARDS[board]
    return Print(dict(own.colors), own.stars, BLACK.first, BLACK.later)


def wild(referee: Referee, chance: random.Random) -> Action:
    """An action that may be illegal in any way."""
    color = chance.choice([*COLORS, *COLORS, "joker", "pink"])
    number = chance.choice([*COUNTS, "joker", 6, "2", None])
    boxes = chance.sample(BOXES, chance.randint(0, 5))
    if chance.random() < 0.7 and color in COLORS and number in COUNTS:
        boxes = sorted(chance.choice(BOARDS["black"].shapes(color, number)))
    return {
        "do": chance.choice(["roll", "cross", "cross", "cross", "pass", "next", "write"]),
        "by": chance.choice([*referee.players, "Nobody", None]),
        "colors": chance.choices([*COLOR_FACES, "pink"], k=chance.choice([3, 3, 3, 2])),
        "numbers": chance.choices([*NUMBER_FACES, 6], k=chance.choice([3, 3, 3, 4])),
        "told": chance.choice([True, None, False]),
        "color_die": chance.choice([color, color, "joker"]),
        "number_die": number,
        "color": color,
        "boxes": boxes + (boxes[:1] if chance.random() < 0.05 else []),
    }


def crossing(
    player: str, position: Encore, referee: Referee, chance: random.Random
) -> list[Action]:
    """One of the player's biggest crossings of some choice, if there is one."""
    choices = position.choices(player)
    if not choices:
        return []
    choice = chance.choice(choices)
    ways = position.crossings(player, choice)
    biggest = [way for way in ways if len(way) == max(map(len, ways))]
    boxes = sorted(chance.choice(sorted(biggest, key=sorted)))
    chance.shuffle(boxes)
    return [{"do": "cross", "by": player, **choice._asdict(), "boxes": boxes}]


def sensible(position: Encore, referee: Referee, chance: random.Random) -> Action:
    if referee.roll is None and chance.random() < 0.5:
        return {"do": "roll", "by": referee.active, "told": False}
    if referee.roll is None:
        faces = (
            chance.choices(COLOR_FACES, k=position.dice),
            chance.choices(NUMBER_FACES, k=position.dice),
        )
        return {"do": "roll", "by": referee.active, "colors": faces[0], "numbers": faces[1]}
    awaited = [player for player in referee.players if player not in referee.acted]
    actions = [
        action for player in awaited for action in crossing(player, position, referee, chance)
    ]
    if not actions or chance.random() < 0.1:
        actions = [{"do": "pass", "by": player} for player in awaited]
        actions += [{"do": "next"}] if referee.active in referee.acted else []
    return chance.choice(actions)


def same(before: Encore, position: Encore, referee: Referee, action: Action) -> None:
    assert (position.turn, position.active) == (referee.turn, referee.active)
    assert position.over == referee.over
    closed = referee.roll is None or referee.over
    for player in referee.players if closed else [action["by"]]:
        _same_sheet(referee, position, player)
    firsts = {name for paper in referee.papers.values() for name in paper.circled}
    for player in referee.players:
        circled = referee.papers[player].circled.items()
        gone = firsts - {name for name, claim in circled if claim == "first"}
        assert {name.split(".")[1] for name in position.crossed_out(player)} == gone


def _same_sheet(referee: Referee, position: Encore, player: str) -> None:
    document = position.sheet(player)
    assert document == referee.document(player, document["board"])
    assert position.score(player) == referee.score(player)
    assert scored(document) == {
        "format": "companion-score/1",
        "problems": [],
        "score": referee.score(player),
    }


def look_closely(position: Encore, referee: Referee) -> None:
    """Boxes are tried one set after the other in `test_legal.py`."""
    assert not position.over or list(position.winners()) == referee.winners()


def ends(position: Encore) -> str:
    return "alone" if len(position.players) == 1 else "together"
