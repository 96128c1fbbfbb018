"""Just the totals: a form for names and final scores, beside photos and typed sheets."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from itertools import zip_longest
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.games.catalog import GAMES
from companion.paper import totals
from companion.paper.totals import Incomplete
from companion.tables import Refused
from companion.tables.database.columns import is_id, new_id
from companion.web.page.context import current_tables
from companion.web.page.language import say
from companion.web.page.security import device
from companion.web.review.photo import table_of

pages = Blueprint("totals", __name__)

MOST_ROWS: Final = max(game.max_players for game in GAMES.values())
MOST_CHARACTERS: Final = 100
"""Characters of a name that are looked at; a name may have fewer."""


@pages.get("/totals")
def show() -> ResponseReturnValue:
    """The empty form, with the names of the table that asks for it."""
    table = table_of(request.args.get("table", ""))
    names = [seat.name for seat in table.seats] if table else []
    game = table.game.name if table and table.game else ""
    return _page(game, [(name, "") for name in names], new_id())


@pages.post("/totals")
def save() -> ResponseReturnValue:
    """Saves the game, or shows the form again with what is missing."""
    form = request.form
    game = GAMES.get(form.get("game", ""))
    match_id = form.get("id", "")
    if game is None:
        raise Refused("no-such-game")
    names, scores = form.getlist("name")[:MOST_ROWS], form.getlist("total")[:MOST_ROWS]
    rows = [
        (name[:MOST_CHARACTERS], score[:MOST_CHARACTERS])
        for name, score in zip_longest(names, scores, fillvalue="")
    ]
    match_id = match_id if is_id(match_id) else new_id()
    try:
        found = totals.parse(game, rows)
    except Incomplete as incomplete:
        return _again(game.name, rows, match_id, say(incomplete.sentence))
    except Refused as refused:
        return _again(game.name, rows, match_id, say(refused.refusal))
    best = totals.tied(game, found)
    if best and "winner" not in form:
        asked = {str(place): found[place].name or "" for place in best}
        return _again(game.name, rows, match_id, asked=asked)
    chosen = [place for place in best if str(place) == form.get("winner")]
    known = iter(
        current_tables().history.known_names(
            device(), [score.name for score in found if score.name]
        )
    )
    named = [totals.FinalScore(next(known) if score.name else None, score.total) for score in found]
    totals.save(current_tables(), device(), game, named, match_id, chosen)
    return redirect(url_for("history.match", match_id=match_id), code=303)


def _again(
    game: str,
    rows: list[tuple[str, str]],
    match_id: str,
    problem: str = "",
    asked: Mapping[str, str] | None = None,
) -> ResponseReturnValue:
    page = _page(game, rows, match_id, problem=problem, asked=asked or {})
    return page, HTTPStatus.UNPROCESSABLE_ENTITY


def _page(game: str, rows: list[tuple[str, str]], match_id: str, **more: Any) -> str:
    breaker = totals.tie_breaker(GAMES[game]) if game in GAMES else None
    return render_template(
        "review/totals.html",
        games=GAMES.values(),
        game=game,
        rows=[*rows, *[("", "")] * (MOST_ROWS - len(rows))][:MOST_ROWS],
        match_id=match_id,
        people=current_tables().history.recent_names(device()),
        tie_breaker=say(breaker) if breaker else "",
        **more,
    )
