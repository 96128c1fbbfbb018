"""The result of a game that was played alone: points, personal best, rating. Nobody is beaten."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask
from flask_babel import gettext, ngettext

from companion.core.game import Game
from companion.core.words import Sentence, minus
from companion.tables import FinishedMatch, Refused, Table
from companion.web.page.security import device
from companion.web.page.serving import store


@dataclass(frozen=True)
class Alone:
    """The heading of a solo game's end, and the game's own rating of it."""

    headline: str
    rating: Sentence | None


def init_app(app: Flask) -> None:
    """Registers `alone_at` for templates."""
    app.jinja_env.globals.update(alone_at=alone_at)


def alone_at(table: Table) -> Alone | None:
    """The result of a table's finished match; None unless one person has played it."""
    position = table.position
    if position is None or not position.over or len(position.players) != 1:
        return None
    (name,) = position.players
    try:
        match_id = store().history.match_at(device(), table.id, table.number)
    except Refused:  # somebody has just undone the last entry
        match_id = ""
    return _alone(table.game, name, position.score(name)["total"], match_id)


def alone_in(match: FinishedMatch) -> Alone | None:
    """The result of a match of the history; None unless one person has played it.

    One sheet of a game that nobody can play alone is one of several that are missing.
    """
    is_solo = len(match.players) == match.game.min_players == 1
    if not is_solo or match.is_unfinished:
        return None
    (player,) = match.players
    if player.total is None:
        return None
    return _alone(match.game, player.name, player.total, match.id)


def _alone(game: Game, name: str | None, points: int, match_id: str) -> Alone:
    history = store().history
    best = history.best(device(), game.name, name, match_id, alone=True) if name else None
    rating = game.rating(points)
    return Alone(_headline(points, best), rating)


def _headline(total: int, best: int | None) -> str:
    """The points, beside the best of the person's other games, such as "30 points, …"."""
    numbers = {"points": minus(total), "best": "" if best is None else minus(best)}
    if best is None:
        return ngettext("%(points)s point", "%(points)s points", total, **numbers)
    if total > best:
        return gettext("%(points)s points: your best so far, before it was %(best)s", **numbers)
    if total == best:
        return gettext("%(points)s points, as many as your best", **numbers)
    return ngettext(
        "%(points)s point, your best is %(best)s",
        "%(points)s points, your best is %(best)s",
        total,
        **numbers,
    )
