"""Every game and every kind of sheet, by its public name. A new game is one more line here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Final

from companion.core.game import Game, GameKind
from companion.core.sheet import AnySheetKind
from companion.games.grid_layout import SHEET as TABLE

# The games' folders in `companion/games`, in the order in which the games are offered
PACKAGES: Final = (
    "qwinto_dice",
    "qwinto_cards",
    "encore",
    "freaky",
    "qwixx",
    "kniffel",
    "rounds",
)


def _game(package: str) -> Game:
    game = import_module(f"companion.games.{package}").GAME
    if not isinstance(game, GameKind) or game.package != package:
        raise TypeError(f"the package {package!r} does not have the game of that name")
    return game


GAMES: Final[Mapping[str, Game]] = {game.name: game for game in map(_game, PACKAGES)}

SHEETS: Final[Mapping[str, AnySheetKind]] = {game.sheet.name: game.sheet for game in GAMES.values()}

# Every kind of filled-in sheet: those of games, and the table of a game that is not known
KINDS: Final[Mapping[str, AnySheetKind]] = {**SHEETS, TABLE.name: TABLE}


def _games_by_sheet() -> dict[str, tuple[str, ...]]:
    games: dict[str, tuple[str, ...]] = {}
    for game in GAMES.values():
        games[game.sheet.name] = (*games.get(game.sheet.name, ()), game.name)
    return games


SHEET_GAMES: Final[Mapping[str, tuple[str, ...]]] = _games_by_sheet()
