"""Random games of every game in the catalogue, made of legal actions.

Each game's room below `tests/games` has a `moves.py` with its `candidates`: actions that may be
legal at a position, the useful ones first.
"""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

from companion.core.refusal import Refusal
from companion.games.catalog import GAMES
from companion.games.record import RECORD_FORMAT, play_action

Action = dict[str, Any]


def room(game: str) -> Any:
    """The module `moves` of a game's room."""
    return import_module(f"tests.games.{GAMES[game].room}.moves")


def some_game(game: str, seed: int, steps: int, names: tuple[str, ...]) -> list[Action]:
    """Legal actions from the start on."""
    options = {name: values[0] for name, values in GAMES[game].options.items()}
    return played_on(GAMES[game].start(names, options), game, seed, steps)


def played_on(position: Any, game: str, seed: int, steps: int = 3000) -> list[Action]:
    """Legal actions from there on."""
    chance = random.Random(seed)
    candidates = room(game).candidates
    actions: list[Action] = []
    while len(actions) < steps and not position.over:
        for action in candidates(position, chance):
            after = play_action(position, action)
            if not isinstance(after, Refusal):
                position = after
                actions.append(action)
                break
        else:
            raise AssertionError(f"no legal action after {actions}")
    return actions


def record_of(game: str, actions: list[Action], names: tuple[str, ...]) -> dict[str, Any]:
    """A record with the game's usual options."""
    return {
        "format": RECORD_FORMAT,
        "game": game,
        "players": list(names),
        "options": {},
        "actions": actions,
    }
