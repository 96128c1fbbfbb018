"""The history's pages: the list of finished matches with its filter, and each match.

`companion.tables.history` decides what a device may see and change.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import zip_longest
from typing import Any, Final

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext
from markupsafe import Markup

from companion.core.game import Game
from companion.core.refusal import Unusable
from companion.core.sheet import FilledSheet, Term
from companion.core.words import Sentence
from companion.games.others import find_game
from companion.games.scoring import filled_sheet
from companion.tables import FinishedMatch, Participant, quotas
from companion.tables.database.columns import is_id
from companion.tables.history import Filter, History
from companion.tables.history.paper import SavedBefore
from companion.tables.history.people import person_id as id_of
from companion.tables.history.restoring import Restored
from companion.tables.ledger.names import LONGEST_LINE, LONGEST_TEXT
from companion.web.page.context import current_tables
from companion.web.page.formats import clock, day, day_and_time, file_day, time_zone
from companion.web.page.language import say
from companion.web.page.links import address_for_others
from companion.web.page.security import device
from companion.web.record import bgstats
from companion.web.record.charts import color_of
from companion.web.record.result_picture import headline, svg
from companion.web.table.end import solo_result_in
from companion.web.table.sheet_drawing import draw

pages = Blueprint("history", __name__, url_prefix="/history")

HIGHEST_PAGE: Final = 10**6

# Limit of the people of the latest games to choose from; each person's page leads to theirs
PEOPLE_OFFERED: Final = 12
MOST_TOGETHER: Final = 4  # Limit of the people in one filter; each is a query of its own


@dataclass(frozen=True)
class Chip:
    """A part of the list's filter, to tap."""

    label: str
    address: str  # the list's address with this filter switched
    is_chosen: bool


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


pages.add_app_template_filter(color_of)


def history() -> History:
    """The history of the tables that this app serves."""
    return current_tables().history


# Reading


@pages.get("")
def show() -> ResponseReturnValue:
    """The finished matches, the newest first, with links to import and export them."""
    return listed()


def listed(refused: str = "", restored: Restored | None = None) -> str:
    """The list.

    Args:
        refused: why a file that was chosen on it cannot be used.
        restored: what the restore of a file has done.
    """
    chosen = _filter()
    page = history().matches(device(), page_number(), chosen)
    return render_template(
        "record/list.html",
        page=page,
        restored=restored,
        refused=refused,
        chosen=chosen,
        query=_query(chosen),
        chips=_chips(chosen),
        own_games=history().own_count(device()),
        most_games=quotas.MOST_MATCHES,
    )


def _filter() -> Filter:
    """The part of the list that is asked for; unknown filters are ignored."""
    game, people = request.args.get("game", ""), request.args.getlist("person")
    return Filter(
        game=game if find_game(game) else "",
        people=tuple(dict.fromkeys(filter(is_id, people)))[:MOST_TOGETHER],
        year=_year(request.args.get("year", 0, type=int)),
        zone=time_zone(),
    )


def _query(chosen: Filter) -> dict[str, Any]:
    query = {"game": chosen.game, "person": chosen.people, "year": chosen.year}
    return {name: value for name, value in query.items() if value}


def _chip(chosen: Filter, label: str, is_chosen: bool, **change: Any) -> Chip:
    """The chip that leads to the list with a changed filter."""
    address = url_for("history.show", **_query(replace(chosen, **change)))
    return Chip(label, address, is_chosen)


def _chips(chosen: Filter) -> list[tuple[str, list[Chip]]]:
    """(label of a group, the group's chips), each a link that adds to the filter or takes away."""
    games, people, years = [], [], []
    for game in history().games(device()):
        is_on = game.name == chosen.game
        games.append(_chip(chosen, say(game.title), is_on, game="" if is_on else game.name))
    recent = history().recent_names(device())[:PEOPLE_OFFERED]
    offered = history().names(device(), chosen.people) | {id_of(name): name for name in recent}
    for who, name in offered.items():
        toggled = tuple(sorted({*chosen.people} ^ {who}))
        people.append(_chip(chosen, name, who in chosen.people, people=toggled))
    for year in history().years(device(), time_zone()):
        is_on = year == chosen.year
        years.append(_chip(chosen, str(year), is_on, year=0 if is_on else year))
    groups = {gettext("Games"): games, gettext("People"): people, gettext("Years"): years}
    found = []
    for title, chips in groups.items():
        chips.sort(key=lambda chip: not chip.is_chosen)
        if len(chips) > 1 or (chips and chips[0].is_chosen):
            found.append((title, chips))
    return found


def _year(number: int) -> int:
    return number if 1970 <= number <= 9999 else 0


@pages.get("/of/<table_id>/<int:number>")
def of_table(table_id: str, number: int) -> ResponseReturnValue:
    """Redirects from a match's end at its table to its page in the history."""
    match_id = history().match_at(device(), table_id, number)
    return redirect(url_for("history.match", match_id=match_id), code=303)


def finished_context(found: FinishedMatch) -> dict[str, Any]:
    """The template's values for winner, totals and sheets."""
    sheets = [_filled(player) for player in found.ranking]
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


@pages.get("/<match_id>")
def match(match_id: str) -> ResponseReturnValue:
    """The page of a match, with its link to share and photos."""
    found = history().match(device(), match_id)
    token, links = history().own_link(device(), match_id)
    link = address_for_others(url_for("results.look", token=token)) if token else ""
    return render_template(
        "record/match.html",
        **finished_context(found),
        link=link,
        links=links,
        photos=current_tables().reviews.kept_photos(found.id),
        bgstats=bgstats.links(found, gettext("Somebody")),
        longest_line=LONGEST_LINE,
        longest_text=LONGEST_TEXT,
    )


@pages.get("/<match_id>/result.svg")
def picture(match_id: str) -> ResponseReturnValue:
    """The match as a picture; a page makes a PNG of it to share."""
    found = history().match(device(), match_id)
    drawing = svg(found, list(map(_filled, found.ranking)))
    return Response(drawing, mimetype="image/svg+xml")


@pages.get("/<match_id>/record.json")
def record(match_id: str) -> ResponseReturnValue:
    """The match as a `companion-record/1` file, by whose `id` the start page finds it again."""
    found = history().match(device(), match_id)
    if found.record is None:
        raise Unusable(gettext("this game was not played in the app"))
    document = {**json.loads(found.record), "id": found.identity}
    response = Response(json.dumps(document), mimetype="application/json")
    return attached(response, f"{found.game.room}-{file_day(found.ended_at)}.json")


# Changing


@pages.app_errorhandler(SavedBefore)
def ask_again(error: SavedBefore) -> ResponseReturnValue:
    """Asks whether to save a game again that is in the history already."""
    form = [pair for pair in request.form.items(multi=True) if pair[0] != "again"]
    at = error.match.ended_at
    is_today = day(at) == day(datetime.now().astimezone())
    when = clock(at) if is_today else day_and_time(at)
    return render_template("record/saved_before.html", match=error.match, form=form, when=when), 409


@pages.post("/<match_id>/note")
def note(match_id: str) -> ResponseReturnValue:
    """Saves place and notes of a match, and leads back to it."""
    place, notes = request.form.get("place", ""), request.form.get("notes", "")
    history().edit_notes(device(), match_id, place=place, notes=notes)
    return redirect(url_for("history.match", match_id=match_id), code=303)


@pages.get("/<match_id>/delete")
def ask_delete(match_id: str) -> ResponseReturnValue:
    """Says what deleting would do, before it is done."""
    found = history().match_to_delete(device(), match_id)
    return render_template("record/delete_match.html", match=found)


@pages.post("/<match_id>/delete")
def delete(match_id: str) -> ResponseReturnValue:
    """Deletes a match with its photos and links, and leads to the history."""
    history().delete_match(device(), match_id)
    return redirect(url_for("history.show"), code=303)


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


def _filled(player: Participant) -> FilledSheet | None:
    sheet = player.filled_document
    return None if sheet is None else filled_sheet(sheet)


def _shared(parts: Sequence[FilledSheet | None]) -> SharedView | None:
    """The players' columns of a shared sheet, side by side; None without one."""
    sharing = next((part.kind.sharing for part in parts if part and part.kind.sharing), None)
    if sharing is None:
        return None
    columns = [sharing.columns(part.sheet)[0] if part else () for part in parts]
    return SharedView(sharing.title, sharing.line_title, tuple(zip_longest(*columns)))


def page_number() -> int:
    """The page of a list that is asked for, from 1."""
    number = request.args.get("page", 1, type=int)
    return min(max(number, 1), HIGHEST_PAGE)


def attached(response: Response, name: str) -> Response:
    """The response as a file to save."""
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
