"""Just the totals: a form for names and final scores, beside photos and typed sheets."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus
from itertools import zip_longest
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.core.values import LONGEST_TITLE
from companion.games.others import ANY, OtherGame
from companion.paper import totals
from companion.tables import Refused
from companion.tables.database.columns import (
    from_milliseconds,
    is_id,
    new_id,
    own_token,
    to_milliseconds,
)
from companion.tables.history.exchange import CLOCK_SLACK_MS
from companion.web.page.context import current_tables
from companion.web.page.formats import time_to_type, time_typed
from companion.web.page.forms import fault_of
from companion.web.page.language import say
from companion.web.page.security import device
from companion.web.review.review_view import chosen_game, games_here, table_of

pages = Blueprint("totals", __name__)

MOST_ROWS: Final = OtherGame.max_players
MOST_CHARACTERS: Final = 100  # Characters of a name that are read; a name may have fewer
PEOPLE_OFFERED: Final = 12  # Limit of the people of the latest games who are offered as chips


@pages.get("/totals")
def show() -> ResponseReturnValue:
    """The empty form, with the names of the table that asks for it."""
    table = table_of(request.args.get("table", ""))
    names = [seat.name for seat in table.seats] if table else []
    game = table.game.name if table else ""
    return _page(game, [(name, "") for name in names], new_id())


@pages.post("/totals")
def save() -> ResponseReturnValue:
    """Saves the game, or shows the form again with what is missing."""
    form = request.form
    form_id = form.get("id", "")
    form_id = form_id if is_id(form_id) else new_id()
    # A form must not name another device's game, nor one that it may get from a backup.
    match_id = own_token(device(), f"totals {form_id}")
    names, scores = form.getlist("name")[:MOST_ROWS], form.getlist("total")[:MOST_ROWS]
    rows = []
    for name, score in zip_longest(names, scores, fillvalue=""):
        rows.append((name[:MOST_CHARACTERS], score[:MOST_CHARACTERS]))
    name, table = form.get("game", ""), table_of(form.get("table", ""))
    try:
        game = chosen_game(form)
        found = totals.parse(game, rows)
        ended = _ended(form.get("ended", ""))
    except Refused as refused:
        return _again(name, rows, form_id, refused)
    best = totals.tied(game, found)
    if best and "winner" not in form:
        asked = {str(place): found[place].name or "" for place in best}
        breaker = totals.tie_breaker(game)
        return _again(name, rows, form_id, asked=asked, tie_breaker=breaker and say(breaker))
    chosen = [place for place in best if str(place) == form.get("winner")]
    typed = [score.name for score in found if score.name]
    known = iter(current_tables().history.known_names(device(), typed))
    named = [totals.FinalScore(next(known) if score.name else None, score.total) for score in found]
    again = "again" in form
    try:
        who = (current_tables(), device(), table.id if table else "")
        full = totals.save(who, game, named, match_id, chosen, ended, again=again)
    except Refused as refused:  # nothing that was typed is lost
        return _again(name, rows, form_id, refused)
    address = url_for("history.match", match_id=match_id, full=full or None)
    return redirect(address, code=303)


def _ended(text: str) -> datetime | None:
    """The time in the form; None for the minute that is now, or without a time."""
    now = from_milliseconds(current_tables().now())
    if text in ("", time_to_type(now)):
        return None
    ended = time_typed(text)
    if not 0 <= to_milliseconds(ended) <= to_milliseconds(now) + CLOCK_SLACK_MS:
        raise Refused("bad-date")
    return ended


def _again(
    game: str,
    rows: list[tuple[str, str]],
    form_id: str,
    refused: Refused | None = None,
    **more: Any,
) -> ResponseReturnValue:
    fault = fault_of(refused, say(refused.refusal)) if refused else None
    page = _page(game, rows, form_id, fault=fault, **more)
    return page, HTTPStatus.UNPROCESSABLE_ENTITY


def _page(game: str, rows: list[tuple[str, str]], form_id: str, **more: Any) -> str:
    games, form = games_here(), request.form
    now = current_tables().now()
    people = current_tables().history.recent_names(device())
    return render_template(
        "review/totals.html",
        games=games,
        game=game or ("" if "title" in form else games[0].name),
        title=form.get("title", ""),
        lowest_wins="lowest" in form.getlist("wins"),
        longest=LONGEST_TITLE,
        titles=ANY.known_titles,
        ended=form.get("ended", time_to_type(from_milliseconds(now))),
        latest=time_to_type(from_milliseconds(now + CLOCK_SLACK_MS)),
        rows=[*rows, *[("", "")] * (MOST_ROWS - len(rows))][:MOST_ROWS],
        form_id=form_id,
        table_id=request.values.get("table", ""),
        people=people,
        chips=people[:PEOPLE_OFFERED],
        highest=totals.HIGHEST,
        **more,
    )
