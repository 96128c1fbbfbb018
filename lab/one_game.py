"""`pytest --game NAME`: the tests of one game and its sheet, in any folder.

A test is a game's if it is in the folder of the game or its sheet, if one of its parameters is
either of them, or if it has the mark `every_game`, because it goes over all games at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from companion.core.game import Game, GameKind
from companion.core.sheet import SheetKind
from companion.games.catalog import GAMES
from lab import toy, wide

KNOWN: dict[str, Game] = {**toy.GAMES, **GAMES}
FOLDERS = Path(__file__).resolve().parents[1] / "tests" / "games"


def select(name: str, items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests of a game; a case that is wide for the sake of other games is a usual one.

    Raises:
        UsageError: there is no such game.
    """
    game = KNOWN.get(name)
    if game is None:
        raise pytest.UsageError(f"There is no game {name!r}. There are: {', '.join(KNOWN)}.")
    found = []
    for item in items:
        if is_of(game, item):
            item.own_markers = [
                mark
                for mark in item.own_markers
                if mark.name != "wide" or not is_its(game, mark.kwargs.get(wide.CASE))
            ]
            found.append(item)
    return found


def is_of(game: Game, item: pytest.Item) -> bool:
    if item.get_closest_marker("every_game"):
        return True
    if any(FOLDERS / package in item.path.parents for package in game.packages):
        return True
    case = getattr(item, "callspec", None)
    return case is not None and any(is_its(game, value) for value in case.params.values())


def is_its(game: Game, value: Any) -> bool:
    """Whether a parameter is a game, a sheet, or has one of them.

    >>> [is_its(GAMES["qwinto-dice"], value) for value in ("qwinto", "qwinto-dice", "qwinto@nsv")]
    [True, True, True]
    >>> is_its(GAMES["qwinto-dice"], "qwinto-cards")
    False
    """
    match value:
        case GameKind():
            return value.name == game.name
        case SheetKind():
            return value.name == game.sheet.name
        case str() if value in KNOWN and value != game.sheet.name:
            return value == game.name
        case str():
            # A sheet with its board or its edition
            return re.split("[-:@]", value)[0] in {game.sheet.name, game.package}
        case Iterable():
            return any(is_its(game, part) for part in value)
    return isinstance(getattr(value, "sheet", None), SheetKind) and is_its(game, value.sheet)
