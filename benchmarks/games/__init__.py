"""The benchmarks' knowledge of single games and sheets: one module for each game's package.

A module has the name of its package in `companion/games` and is found by it. It defines what
applies to it:

* `FILLING`, a `SheetFilling`, for every sheet of the catalogue: how people fill it in;
* `begin`, for a game: `begin(players, chance)` returns a `TappedGame`. The server benchmarks play
  the first game of the catalogue whose module has it, and **cost** all games: those without it as
  `RandomTaps`;
* `TURNS`, each a `TappedTurn`: how a turn of the game is tapped in a browser;
* `QUICK`, a `QuickFingers`: what is tapped faster than the page is redrawn.

A new sheet or game is a new module here; nothing else changes.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, Final, Protocol, TypeAlias

import numpy as np

from benchmarks.fingers import QuickFingers, TappedTurn
from companion.core.game import Game
from companion.core.position import Position
from companion.core.refusal import Refusal
from companion.core.sheet import AnySheetKind, Mark
from companion.core.values import Player
from companion.games.catalog import GAMES
from companion.games.record import checked_options
from lab.play import moves_of

Rng: TypeAlias = np.random.Generator

BREAKS_A_RULE: Final = 0.03  # the share of sheets on which the player made a mistake


def _one_player(marks: Mapping[str, Mark]) -> int:
    return 1


def _nothing_is_lost(field: str, drawn: Mark, documented: Mark) -> bool:
    return False


@dataclass(frozen=True)
class SheetFilling:
    """How people fill in one kind of sheet."""

    random_marks: Callable[[Rng, str], dict[str, Mark]]
    """(random generator, board) → field id → mark, of a plausible game; fields that are left out
    are empty. Some sheets break a rule, as people do."""

    player_count: Callable[[Mapping[str, Mark]], int] = _one_player
    """Marks → how many players share the pad."""

    is_lost: Callable[[str, Mark, Mark], bool] = _nothing_is_lost
    """(field id, mark as drawn, mark as in the document) → whether the document cannot hold that
    mark."""


class TappedGame(Protocol):
    """A game in progress that proposes its own next tap."""

    @property
    def position(self) -> Position:
        """The position after the taps so far."""

    def tap(self) -> tuple[Player, dict[str, Any]]:
        """Makes the next legal tap; returns its player and the JSON body that the phone sends."""


def sheet_filling(sheet: AnySheetKind) -> SheetFilling:
    """The filling of a sheet's package.

    Raises:
        ModuleNotFoundError: the sheet has no module in `benchmarks/games`.
    """
    moves_of = import_module(f"{__name__}.{sheet.name.replace('-', '_')}")
    filling: SheetFilling = moves_of.FILLING
    return filling


def first_tapped_game() -> Game:
    """The first game of the catalogue whose module has `begin`."""
    modules = _modules()
    return next(game for game in GAMES.values() if hasattr(modules.get(game.package), "begin"))


def begin(game: Game, players: tuple[Player, ...], chance: random.Random) -> TappedGame:
    """A new game of these players, with the usual options."""
    moves_of = _modules().get(game.package)
    if hasattr(moves_of, "begin"):
        begun: TappedGame = moves_of.begin(players, chance)
        return begun
    return RandomTaps(game, players, chance)


class RandomTaps:
    """A game in progress, tapped at random from the candidates in `lab/moves`."""

    def __init__(self, game: Game, players: tuple[Player, ...], chance: random.Random) -> None:
        self.position: Position = game.start(players, checked_options(game, {}))
        self._moves: Final = moves_of(game.name)
        self._chance: Final = chance

    def tap(self) -> tuple[Player, dict[str, Any]]:
        """See `TappedGame.tap`."""
        position = self.position
        found: list[tuple[bool, dict[str, Any], Position]] = []
        for action in self._moves.candidates(position, self._chance):
            after = position.play(action)
            if isinstance(after, Refusal):
                continue
            # The active player first, whom the others wait for; and nobody ends the game early.
            is_next = position.active not in position.awaited or action.get("by") == position.active
            found.append((is_next and not after.over, action, after))
            if found[-1][0]:
                break
        _, action, self.position = max(found, key=lambda one: one[0])
        body = {"id": secrets.token_hex(16), "moment": position.fingerprint, "action": action}
        return action.get("by") or position.active, body


def tapped_turns() -> Iterator[tuple[Game, TappedTurn]]:
    """The ways in which a turn of each game is tapped in a browser."""
    modules = _modules()
    for game in GAMES.values():
        for turn in getattr(modules.get(game.package), "TURNS", ()):
            yield game, turn


def quick_fingers() -> Iterator[tuple[Game, QuickFingers]]:
    """The games' taps that come faster than the page is redrawn."""
    modules = _modules()
    for game in GAMES.values():
        if fingers := getattr(modules.get(game.package), "QUICK", None):
            yield game, fingers


def _modules() -> dict[str, ModuleType]:
    return {
        found.name: import_module(f"{__name__}.{found.name}") for found in iter_modules(__path__)
    }
