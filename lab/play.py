"""Playing actions of any game: one by one, at random, and all that are legal, counted as a tree.

`lab/moves` has a module for each game with its `candidates`: actions that may be legal at a
position, the useful ones first.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import import_module
from types import MappingProxyType
from typing import Any, Final, TypeVar

from companion.core.position import Position
from companion.core.refusal import Refusal
from companion.core.words import english
from companion.games.catalog import GAMES
from companion.games.record import RECORD_FORMAT, play_action
from companion.tables.ledger.match import Entry

Action = dict[str, Any]
P = TypeVar("P", bound=Position)
Node = TypeVar("Node")

A_SINGLE_ONE: Final = re.compile(
    r"(?<![\d.,−-])1 (such )?(times|dice|points|fields|cards|crosses|numbers|rolls|rounds|turns"
    r"|rows|columns|players|sheets|boxes|lines)\b"
)
NEXT: Action = {"do": "next"}
EMPTY: Final[Mapping[str, Any]] = MappingProxyType({})


def passes(by: str) -> Action:
    return {"do": "pass", "by": by}


def after(position: P, *actions: Action) -> P:
    """The position after actions that must all be allowed."""
    for action in actions:
        result = position.play(action)
        assert not isinstance(result, Refusal), f"{action} was refused: {result.message}"
        position = result
    return position


def code(position: Position, action: object) -> str | None:
    """The code with which the action is refused, or None when it is allowed."""
    result = play_action(position, action)
    if not isinstance(result, Refusal):
        return None
    assert said(result) == result.message.strip() != "", "every refusal can be said"
    return result.code


def said(sentence: Any) -> str:
    """A sentence or refusal in English, in which a single thing has no plural."""
    text = str(sentence.translated(english, " or "))
    assert not A_SINGLE_ONE.search(text), text
    return text


def entry(action: Action, turn: int = 1, name: str = "an-entry") -> Entry:
    """An action as a table has it."""
    return Entry(name, action, action.get("by"), turn, "", "", datetime.now(UTC))


def moves_of(game: str) -> Any:
    """A game's module in `lab/moves`."""
    return import_module(f"lab.moves.{GAMES[game].package}")


def some_game(game: str, seed: int, steps: int, names: tuple[str, ...]) -> list[Action]:
    """Legal actions from the start of a game."""
    options = {name: values[0] for name, values in GAMES[game].options.items()}
    return played_on(GAMES[game].start(names, options), game, seed, steps)


def played_on(position: Any, game: str, seed: int, steps: int = 3000) -> list[Action]:
    """Legal actions from there on."""
    chance = random.Random(seed)
    actions: list[Action] = []
    while len(actions) < steps and not position.over:
        actions.append(some_action(position, moves_of(game), chance))
        position = after(position, actions[-1])
    return actions


def some_action(position: Any, moves: Any, chance: random.Random) -> Action:
    """The first legal one of a game's candidates."""
    for action in moves.candidates(position, chance):
        if not code(position, action):
            return dict(action)
    raise AssertionError(f"None of the candidates of {moves} is legal at {position}")


def record_of(
    players: Sequence[str],
    actions: Sequence[Any],
    game: str = "qwinto-dice",
    options: Mapping[str, Any] = EMPTY,
) -> dict[str, Any]:
    """A record, with the game's default options except for these."""
    return {
        "format": RECORD_FORMAT,
        "game": game,
        "players": list(players),
        "options": dict(options),
        "actions": actions,
    }


def some_record(
    names: tuple[str, ...], seed: int, steps: int = 3000, game: str = "qwinto-dice"
) -> dict[str, Any]:
    """Legal actions from the start of a game. as a record."""
    return record_of(names, some_game(game, seed, steps, names), game)


def counts(first: Node, following: Callable[[Node], Iterable[Node]], depth: int) -> list[int]:
    """How many sequences of one, two, … and `depth` legal actions there are.

    The counts are chess's perft: a mistake in the rules changes them, however well it hides.
    """
    found, layer = list[int](), [first]
    for _ in range(depth):
        layer = [after for node in layer for after in following(node)]
        found.append(len(layer))
    return found


def by_rules(tries: Sequence[Any]) -> Callable[[Any], Iterable[Any]]:
    """The positions after each action that the rules allow, out of those tried."""

    def following(position: Position) -> Iterable[Position]:
        results = map(position.play, tries)
        return (result for result in results if not isinstance(result, Refusal))

    return following


def by_referee(tries: Sequence[Any]) -> Callable[[Any], Iterable[Any]]:
    """The games after each action that a naive referee allows, out of those tried."""

    def following(referee: Any) -> Iterable[Any]:
        legal = (action for action in tries if not referee.why_not(action))
        log, make = referee.log, type(referee)
        return (make(referee.players, [*log, action], referee.already) for action in legal)

    return following
