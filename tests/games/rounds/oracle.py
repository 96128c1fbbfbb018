"""Rounds, played by the rules and by a naive referee (`tests/games/test_oracles.py`)."""

from __future__ import annotations

import random
from typing import Any

from companion.games.rounds import GAME
from companion.games.rounds.rules import Rounds
from lab.oracles.rounds import Referee
from lab.play import code

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
    action: Action = {
        "do": chance.choice(["points", "points", "end", "won", "next", "set", "join", "leave"]),
    }
    names = [*referee.score.everybody, "Nobody", None]
    if action["do"] in ("join", "leave"):
        action["player"] = chance.choice(names)
        action["points"] = chance.choice([0, "mean", 7, None, False, "much"])
    elif action["do"] == "set":
        values: dict[str, list[Any]] = {
            "lowest": [True, False, 0],
            "to": [0, 70, -1, 100_000, True, "7"],
            "rounds": [0, 3, 1000, None],
            "starter": [True, False, None],
            "x": [1],
        }
        for name in chance.sample(sorted(values), chance.choice([0, 1, 2])):
            action[name] = chance.choice(values[name])
    else:
        action["by"] = chance.choice([*names, names[0]])
        action["points"] = chance.choice(WILD_POINTS)
    return action


def sensible(position: Rounds, referee: Referee, chance: random.Random) -> Action:
    """A legal action, found by the referee alone."""
    score = referee.score
    if change := _change(score, chance):
        return change
    if score.closed and not score.open and chance.random() < 0.05 * score.closed:
        return {"do": "end"}
    by = chance.choice([name for name in score.here if name not in score.open])
    return {"do": "points", "by": by, "points": chance.randint(-20, 40)}


def _change(score: Any, chance: random.Random) -> Action | None:
    """Now and then, that somebody joins or leaves, or another end."""
    kind = chance.choice([*["points"] * 40, "set", "join", "leave"])
    if kind == "set":
        name, value = chance.choice(
            [
                ("lowest", not score.set["lowest"]),
                ("to", 50),
                ("to", 0),
                ("rounds", 5),
                ("rounds", 0),
            ]
        )
        return None if score.set[name] == value else {"do": "set", name: value}
    if score.open:
        return None
    if kind == "join":
        newcomers = [name for name in ("Zoe", "Yan", *score.left) if name not in score.here]
        points = chance.choice([0, "mean"])
        name = chance.choice(newcomers) if newcomers else None
        return {"do": "join", "player": name, "points": points} if name else None
    if kind == "leave" and len(score.here) > 1:
        return {"do": "leave", "player": chance.choice(score.here)}
    return None


def same(before: Rounds, position: Rounds, referee: Referee, action: Action) -> None:
    score = referee.score
    assert position.over == bool(score.reason)
    assert position.turn == score.closed + (not score.is_full)
    assert position.active == score.starter
    assert list(position.players) == score.everybody
    assert list(position.present) == score.here
    assert position.settings == score.set
    for name in score.everybody:
        points = [*score.written[name], *([score.open[name]] if name in score.open else [])]
        total = score.total(name)
        assert position.sheet(name)["rounds"] == [[number] for number in points]
        assert position.score(name) == {"totals": {name: total}, "total": total}


def look_closely(position: Rounds, referee: Referee) -> None:
    score = referee.score
    assert list(position.winners()) == referee.winners
    for name in score.everybody:
        is_open = name in score.here and name not in score.open and not score.reason
        named = {"do": "won", "by": name}
        assert (code(position, named) is None) == (not referee.why_not(named))
        assert (name in position.deciding) == (not referee.why_not(named))
        assert (name in position.awaited) == is_open
        assert (GAME.panel.player_facts(position, name) is not None) == is_open


def ends(position: Rounds) -> str:
    (said,) = GAME.panel.ended(position)
    reasons = {"reached": "points", "played.": "rounds", "players ended": "by hand"}
    return next(reason for words, reason in reasons.items() if words in said.text)
