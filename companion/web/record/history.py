"""The history's pages: finished matches, people, a chart of their totals.

`companion.tables.history` decides what a device may see and change.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Any, Final

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext
from markupsafe import Markup

from companion.core.refusal import Unusable
from companion.core.sheet import FilledSheet, Term
from companion.core.words import Sentence
from companion.games.catalog import GAMES
from companion.games.scoring import filled_sheet
from companion.tables import FinishedMatch, Participant, Refused
from companion.tables.database.columns import is_id
from companion.tables.history import Filter, History
from companion.tables.history.people import Person, PersonalResult
from companion.tables.ledger.names import LONGEST_LINE, LONGEST_NAME, LONGEST_TEXT
from companion.web.page.context import current_tables
from companion.web.page.formats import short_day
from companion.web.page.language import say
from companion.web.page.security import device
from companion.web.record import bgstats
from companion.web.record.changes import in_words
from companion.web.record.charts import SHOWN, Line, color_of, draw_chart
from companion.web.record.result_picture import can_draw, headline, png
from companion.web.table.end import alone_in
from companion.web.table.share import address_for_others
from companion.web.table.sheet_drawing import draw

pages = Blueprint("history", __name__, url_prefix="/history")

HIGHEST_PAGE: Final = 10**6

DUELS_SHOWN: Final = 20
"""Limit of the others on a person's page; those with the most games in common."""

CHART_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
"""Content security policy of the chart: its own styles, and nothing else."""


@dataclass(frozen=True)
class PlayerView:
    """One player's part of a finished match."""

    player: Participant
    drawing: Markup | None
    """The drawn sheet; None without a sheet, and for a shared one (see `SharedView`)."""
    terms: tuple[Term, ...]
    problems: tuple[str, ...] = ()
    """The problems of the sheet, in words."""


@dataclass(frozen=True)
class SharedView:
    """A sheet that the players shared, as a table with a column for each player."""

    title: Sentence
    line_title: Sentence
    lines: tuple[tuple[int | None, ...], ...]
    """The numbers line by line, players in the order of the ranking; None for an empty field."""


def history() -> History:
    """The history of the tables that this app serves."""
    return current_tables().history


# Looking


@pages.get("")
def show() -> ResponseReturnValue:
    """The finished matches, the newest first, with links to import and export them."""
    return listed()


def listed(refused: str = "") -> str:
    """The list; `refused` says why a file that was chosen on it cannot be used."""
    chosen = _filter()
    page = history().matches(device(), _page_number(), chosen)
    # Counting people takes a while where there are thousands of games.
    is_searching = bool(chosen) or "search" in request.args
    people = history().people_page(device()).people if is_searching else ()
    return render_template(
        "record/list.html",
        page=page,
        is_restored="restored" in request.args,
        last_restore=history().last_restore(device()),
        refused=refused,
        chosen=chosen,
        is_searching=is_searching,
        query={name: value for name, value in asdict(chosen).items() if value},
        games=list(GAMES.values()),
        people=people,
        years=history().years(device()) if is_searching else (),
    )


def _filter() -> Filter:
    """The part of the list that is asked for; whatever there is not counts for nothing."""
    game, person = request.args.get("game", ""), request.args.get("person", "")
    return Filter(
        game=game if game in GAMES else "",
        person=person if is_id(person) else "",
        year=_year(request.args.get("year", 0, type=int)),
    )


def _year(number: int) -> int:
    return number if 1970 <= number <= 9999 else 0


@pages.get("/of/<table_id>/<int:number>")
def of_table(table_id: str, number: int) -> ResponseReturnValue:
    """Redirects from a match's end at its table to its page in the history."""
    match_id = history().match_at(device(), table_id, number)
    return redirect(url_for("history.match", match_id=match_id), code=303)


@pages.get("/year")
def years() -> ResponseReturnValue:
    """Redirects to the last year in which something was played."""
    found = history().years(device()) or (datetime.now().astimezone().year,)
    return redirect(url_for("history.year", number=found[0]), code=303)


@pages.get("/year/<int:number>")
def year(number: int) -> ResponseReturnValue:
    """The summary of a year."""
    found = history().year(device(), _year(number))
    return render_template("record/year.html", year=found, years=history().years(device()))


def finished_context(found: FinishedMatch) -> dict[str, Any]:
    """The template's values for winner, totals and sheets."""
    sheets = [_filled(player) for player in found.ranking]
    return {
        "match": found,
        "alone": alone_in(found),
        "sheets": list(map(_player_view, found.ranking, sheets)),
        "shared_sheet": _shared(sheets),
        "headline": headline(found),
        "has_picture": can_draw(),
    }


@pages.get("/<match_id>")
def match(match_id: str) -> ResponseReturnValue:
    """The page of a match, with its link to share, photos and changes."""
    found = history().match(device(), match_id)
    token, links = history().link_there(device(), match_id)
    link = address_for_others(url_for("results.look", token=token)) if token else ""
    return render_template(
        "record/match.html",
        **finished_context(found),
        link=link,
        links=links,
        photos=current_tables().reviews.kept_photos(found.id),
        bgstats=bgstats.links(found, gettext("Somebody")),
        changes=in_words(found, history().changes(device(), match_id)),
        longest_line=LONGEST_LINE,
        longest_text=LONGEST_TEXT,
    )


@pages.get("/<match_id>/result.png")
def picture(match_id: str) -> ResponseReturnValue:
    """The match as a picture to share."""
    return picture_response(history().match(device(), match_id))


def picture_response(found: FinishedMatch) -> Response:
    """A match as a PNG."""
    if not can_draw():
        raise Unusable(gettext("pictures are not set up on this server"))
    response = Response(png(found, list(map(_filled, found.ranking))), mimetype="image/png")
    name = f"{found.game.name}-{found.ended_at.astimezone():%Y-%m-%d}.png"
    response.headers["Content-Disposition"] = f'inline; filename="{name}"'
    return response


@pages.get("/<match_id>/record.json")
def record(match_id: str) -> ResponseReturnValue:
    """The match as a `companion-record/1` file, which the start page can open again."""
    found = history().match(device(), match_id)
    if found.record is None:
        raise Unusable(gettext("this game was not played in the app"))
    response = Response(json.dumps(found.record), mimetype="application/json")
    return attached(response, f"{found.game.name}-{found.ended_at:%Y-%m-%d}.json")


@pages.get("/people")
def people() -> ResponseReturnValue:
    """The page of all people with whom this device has played, some at a time."""
    return render_template(
        "record/people.html", page=history().people_page(device(), _page_number())
    )


@pages.get("/people/<person_id>")
def person(person_id: str) -> ResponseReturnValue:
    """The page of a person: the latest results, and duels with others."""
    found = history().person(device(), person_id)
    duels = history().duels(device(), found)
    return render_template(
        "record/person.html",
        person=found,
        results=found.results[: -SHOWN - 1 : -1],
        shown=SHOWN,
        others=[line.name for line in history().people_page(device()).people],
        duels=duels[:DUELS_SHOWN],
        more_duels=max(0, len(duels) - DUELS_SHOWN),
        longest_name=LONGEST_NAME,
    )


@pages.get("/people/<person_id>/chart.svg")
def chart(person_id: str) -> ResponseReturnValue:
    """A person's totals over time as a picture, with a line for each game."""
    found = history().person(device(), person_id)
    raw = draw_chart(*_chart_lines(found), dark="dark" in request.args)
    response = Response(raw, mimetype="image/svg+xml")
    response.headers["Content-Security-Policy"] = CHART_POLICY
    return response


# Changing


@pages.post("/<match_id>/note")
def note(match_id: str) -> ResponseReturnValue:
    """Saves place and notes of a match, and leads back to it."""
    place, notes = request.form.get("place", ""), request.form.get("notes", "")
    history().annotate(device(), match_id, place=place, notes=notes)
    return redirect(url_for("history.match", match_id=match_id), code=303)


@pages.get("/<match_id>/delete")
def ask_delete(match_id: str) -> ResponseReturnValue:
    """Says what deleting would do, before it is done."""
    found = history().match(device(), match_id)
    if not found.may_change:
        raise Refused("view-only")
    return render_template("record/delete_match.html", match=found)


@pages.post("/<match_id>/delete")
def delete(match_id: str) -> ResponseReturnValue:
    """Deletes a match with its photos and links, and leads to the history."""
    history().delete_match(device(), match_id)
    return redirect(url_for("history.show"), code=303)


@pages.get("/people/<person_id>/delete")
def ask_delete_person(person_id: str) -> ResponseReturnValue:
    """Says what deleting would do, before it is done."""
    preview = history().deletion_preview(device(), person_id)
    return render_template("record/delete_person.html", preview=preview)


@pages.post("/people/<person_id>/delete")
def delete_person(person_id: str) -> ResponseReturnValue:
    """Takes a person's name out of all matches, and leads to the list of people.

    Asks again where it takes longer than a request may.
    """
    if not history().delete_person(device(), person_id):
        rest = history().deletion_preview(device(), person_id)
        return render_template("record/delete_person.html", preview=rest, is_rest=True)
    return redirect(url_for("history.people"), code=303)


def _shown_name(player: Participant) -> str:
    return player.name or gettext("Somebody")


def _player_view(player: Participant, filled: FilledSheet | None) -> PlayerView:
    if filled is None:
        return PlayerView(player, None, ())
    problems = tuple(map(say, filled.problems))
    if filled.kind.sharing is not None:
        return PlayerView(player, None, (), problems)
    title = gettext("Sheet of %(player)s", player=_shown_name(player))
    return PlayerView(player, draw(filled, {}, title), filled.terms, problems)


def _filled(player: Participant) -> FilledSheet | None:
    """The player's sheet, or None."""
    sheet = player.filled_document
    return None if sheet is None else filled_sheet(sheet)


def _shared(parts: Sequence[FilledSheet | None]) -> SharedView | None:
    """The players' parts of a sheet that they shared, side by side; None where there was none."""
    sharing = next((part.kind.sharing for part in parts if part and part.kind.sharing), None)
    if sharing is None:
        return None
    columns = [sharing.columns(part.sheet)[0] if part else () for part in parts]
    return SharedView(sharing.title, sharing.line_title, tuple(zip_longest(*columns)))


def _chart_lines(found: Person) -> tuple[list[Line], list[str]]:
    """The chart's lines, one for each game, and the dates of the first and the last match."""
    shown = found.results[-SHOWN:]
    by_game: dict[str, list[tuple[int, PersonalResult]]] = {}
    for number, result in enumerate(shown, start=1):
        by_game.setdefault(result.game.name, []).append((number, result))
    lines = [
        Line(
            say(results[0][1].game.title),
            color_of(list(GAMES).index(name)),
            [(number, result.total) for number, result in results],
        )
        for name, results in sorted(by_game.items())
    ]
    return lines, [short_day(result.ended_at) for result in (shown[0], shown[-1])]


def _page_number() -> int:
    number = request.args.get("page", 1, type=int)
    return min(max(number, 1), HIGHEST_PAGE)


def attached(response: Response, name: str) -> Response:
    """The response as a file to save."""
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
