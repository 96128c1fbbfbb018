"""The history's pages: the list of finished matches with its filter, and each match.

`companion.tables.history` decides what a device may see and change.
"""

from __future__ import annotations

import json
from datetime import datetime

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from companion.core.refusal import Unusable
from companion.tables.history.paper import SavedBefore
from companion.tables.ledger.names import LONGEST_LINE, LONGEST_TEXT
from companion.web.page.context import current_tables
from companion.web.page.formats import clock, day, day_and_time, file_day
from companion.web.page.links import address_for_others
from companion.web.page.security import device
from companion.web.record import bgstats
from companion.web.record.charts import color_of
from companion.web.record.list_view import attached, history, listed
from companion.web.record.match_view import filled_of, finished_context
from companion.web.record.result_picture import svg

pages = Blueprint("history", __name__, url_prefix="/history")
pages.add_app_template_filter(color_of)


# Reading


@pages.get("")
def show() -> ResponseReturnValue:
    """The finished matches, the newest first, with links to import and export them."""
    return listed()


@pages.get("/of/<table_id>/<int:number>")
def of_table(table_id: str, number: int) -> ResponseReturnValue:
    """Redirects from a match's end at its table to its page in the history."""
    match_id = history().match_at(device(), table_id, number)
    return redirect(url_for("history.match", match_id=match_id), code=303)


@pages.get("/<match_id>")
def match(match_id: str) -> ResponseReturnValue:
    """The page of a match, with its link to share and photos."""
    found = history().match(device(), match_id)
    token, links = history().own_link(device(), found.id)
    link = address_for_others(url_for("results.look", token=token)) if token else ""
    return render_template(
        "record/match.html",
        **finished_context(found),
        link=link,
        links=links,
        full=request.args.get("full", 0, type=int),
        photos=current_tables().reviews.kept_photos(found.id),
        bgstats=bgstats.links(found, gettext("Somebody")),
        longest_line=LONGEST_LINE,
        longest_text=LONGEST_TEXT,
    )


@pages.get("/<match_id>/result.svg")
def picture(match_id: str) -> ResponseReturnValue:
    """The match as a picture; a page makes a PNG of it to share."""
    found = history().match(device(), match_id)
    drawing = svg(found, list(map(filled_of, found.ranking)))
    return Response(drawing, mimetype="image/svg+xml")


@pages.get("/<match_id>/record.json")
def record(match_id: str) -> ResponseReturnValue:
    """The match as a `companion-record/1` file, by whose `id` the start page finds it again."""
    found = history().match(device(), match_id)
    if found.record is None:
        raise Unusable(gettext("this game was not played in the app"))
    document = {**json.loads(found.record), "id": found.identity}
    response = Response(json.dumps(document), mimetype="application/json")
    return attached(response, f"{found.game.package}-{file_day(found.ended_at)}.json")


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
    """Saves a match's place and notes, and leads back to it."""
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
