"""The winners of a game on paper, from its finished sheets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from companion.core.game import Game
from companion.core.refusal import Unusable
from companion.core.result import Result, won
from companion.core.sheet import FilledSheet
from companion.core.values import Document
from companion.games.score_grid import ScoreGrid


@dataclass(frozen=True)
class KeptSheet:
    """One player's finished sheet as the history keeps it, and its result."""

    document: Document | None  # None when only the total is known
    result: Result
    has_problems: bool = False  # whether it breaks the rules, so that it is kept as it is written
    written: int | None = None  # the total on the paper, where it differs
    # Whether its total means anything: no field has a number that cannot be written there
    is_countable: bool = True


def read(game: Game, sheet: object) -> KeptSheet:
    """The sheet of one player, or the document that a game without sheets has instead.

    Raises:
        Unusable: it is not a sheet, not one of this game, or one of several players.
    """
    if not isinstance(sheet, Mapping):
        raise Unusable("A sheet is a JSON object.")
    if not game.has_sheet and "sheet" not in sheet:
        return KeptSheet(*game.read_count(sheet))
    if sheet.get("sheet") != game.sheet.name:
        raise Unusable(f"This is not a sheet of {game.name}.")
    return kept_sheet(game, game.sheet.filled(sheet))


def kept_sheet(game: Game, filled: FilledSheet) -> KeptSheet:
    """The sheet of one player; of a ruled table, its rounds or, if so chosen, only its total.

    Raises:
        Unusable: it is not of this game, or of several players.
    """
    if isinstance(filled.sheet, ScoreGrid) and game.sheet.sharing:
        if filled.sheet.chosen_row:
            return KeptSheet(None, filled.result)
        filled = FilledSheet(game.sheet, game.sheet.sharing.of_columns(filled.sheet.rounds))
    if filled.kind.name != game.sheet.name:
        raise Unusable(f"This is not a sheet of {game.name}.")
    if filled.kind.sharing is not None and len(filled.by_player) != 1:
        raise Unusable(f"This {filled.kind.name} is of several players.")
    return KeptSheet(
        filled.document,
        filled.result,
        has_problems=bool(game.problems(filled)),
        is_countable=not filled.impossible,
    )


def winners(game: Game, results: Sequence[Result]) -> tuple[bool, ...]:
    """Whether each result has won, in the same order.

    Nobody has won when there are fewer results than the game needs players: sheets are missing.
    """
    if len(results) < game.min_players:
        return (False,) * len(results)
    return won(results, lowest_wins=game.lowest_wins)
