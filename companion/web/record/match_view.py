"""A finished match on its page: its players with their sheets, drawn or as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from flask_babel import gettext
from markupsafe import Markup

from companion.core.game import Game
from companion.core.sheet import FilledSheet, Term
from companion.core.words import Sentence
from companion.games.scoring import filled_sheet
from companion.tables import FinishedMatch, Participant
from companion.web.page.language import say
from companion.web.record.result_picture import headline
from companion.web.table.end import solo_result_in
from companion.web.table.sheet_drawing import draw


@dataclass(frozen=True)
class PlayerView:
    """One player's part of a finished match."""

    player: Participant
    # The drawn sheet; None without a sheet, and for a shared one (see `SharedView`)
    drawing: Markup | None
    terms: tuple[Term, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class SharedView:
    """A sheet that the players shared, as a table with a column for each player."""

    title: Sentence
    line_title: Sentence
    # The numbers line by line, players in the order of the ranking; None for an empty field
    lines: tuple[tuple[int | None, ...], ...]


def finished_context(found: FinishedMatch) -> dict[str, Any]:
    """The template's values for winner, totals and sheets."""
    sheets = [filled_of(player) for player in found.ranking]
    return {
        "match": found,
        "solo_result": solo_result_in(found),
        "sheets": [
            _player_view(found.game, player, filled)
            for player, filled in zip(found.ranking, sheets, strict=True)
        ],
        "shared_sheet": _shared(sheets),
        "headline": headline(found),
    }


def _shown_name(player: Participant) -> str:
    return player.name or gettext("Somebody")


def _player_view(game: Game, player: Participant, filled: FilledSheet | None) -> PlayerView:
    if filled is None:
        return PlayerView(player, None, ())
    problems = tuple(map(say, game.problems(filled)))
    if filled.kind.sharing is not None:
        return PlayerView(player, None, (), problems)
    title = gettext("Sheet of %(player)s", player=_shown_name(player))
    return PlayerView(player, draw(filled, {}, title), filled.terms, problems)


def filled_of(player: Participant) -> FilledSheet | None:
    sheet = player.filled_document
    return None if sheet is None else filled_sheet(sheet)


def _shared(parts: Sequence[FilledSheet | None]) -> SharedView | None:
    """The players' columns of a shared sheet, side by side; None without one."""
    sharing = next((part.kind.sharing for part in parts if part and part.kind.sharing), None)
    if sharing is None:
        return None
    columns = [sharing.columns(part.sheet)[0] if part else () for part in parts]
    return SharedView(sharing.title, sharing.line_title, tuple(zip_longest(*columns)))
