"""The pages on which finished games are edited, and people renamed.

`companion.tables.history.editing` decides what may be edited, and what follows.
"""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.core.refusal import Unusable
from companion.paper import editing
from companion.tables import FinishedMatch, Refused
from companion.tables.database.columns import from_milliseconds
from companion.tables.history import Details
from companion.tables.history.exchange import CLOCK_SLACK_MS
from companion.tables.history.people import person_id as id_of
from companion.tables.ledger.names import LONGEST_LINE, LONGEST_NAME, LONGEST_TEXT
from companion.web.page.context import current_tables
from companion.web.page.errors import explain
from companion.web.page.formats import time_to_type, time_typed
from companion.web.page.security import device

pages = Blueprint("editing", __name__, url_prefix="/history")

# A game


@pages.get("/<match_id>/edit")
def ask(match_id: str) -> ResponseReturnValue:
    """The form with everything that can be edited in a game."""
    return _form(_changeable(match_id))


@pages.post("/<match_id>/edit")
def save(match_id: str) -> ResponseReturnValue:
    """Saves the form and leads to the match; shows the form again with the reason of a refusal."""
    match = _changeable(match_id)
    try:
        current_tables().history.edit_details(device(), match_id, _details(match))
    except (Refused, Unusable) as error:
        message, status = explain(error)
        return _form(match, message), status
    return redirect(url_for("history.match", match_id=match_id), code=303)


@pages.post("/<match_id>/sheets")
def sheets(match_id: str) -> ResponseReturnValue:
    """Opens the game's sheets as a review, in which every field can be changed."""
    review_id = editing.begin(current_tables(), device(), match_id)
    return redirect(url_for("review.show", review_id=review_id), code=303)


@pages.post("/<match_id>/settle")
def settle(match_id: str) -> ResponseReturnValue:
    """Keeps the edited game, or takes the one of its table, which has played on."""
    by_table = request.form.get("keep") == "table"
    current_tables().history.settle(device(), match_id, by_table=by_table)
    return redirect(url_for("history.match", match_id=match_id), code=303)


def _changeable(match_id: str) -> FinishedMatch:
    match = current_tables().history.match(device(), match_id)
    if not match.may_change:
        raise Refused("view-only")
    return match


def _form(match: FinishedMatch, refused: str = "") -> str:
    """The form; after a refusal with what was typed in."""
    form = request.form
    names, totals = form.getlist("name"), form.getlist("total")
    rows = _rows(match)
    if len(names) == len(rows):
        rows = [
            (name or (None if before is None else ""), total, has_sheet)
            for name, total, (before, _, has_sheet) in zip(names, totals, rows, strict=False)
        ]
    return render_template(
        "record/edit.html",
        match=match,
        refused=refused,
        ended=form.get("ended", time_to_type(match.ended_at)),
        latest=time_to_type(from_milliseconds(current_tables().now() + CLOCK_SLACK_MS)),
        place=form.get("place", match.place),
        notes=form.get("notes", match.notes),
        rows=rows,
        has_sheets=editing.can_edit(match),
        longest_name=LONGEST_NAME,
        longest_line=LONGEST_LINE,
        longest_text=LONGEST_TEXT,
    )


def _rows(match: FinishedMatch) -> list[tuple[str | None, str, bool]]:
    """(name, total, whether there is a sheet) of each player who was not deleted, and of a new one.

    The name of a player without one is None. In a match with sheets a new player comes with a
    new sheet, and so not here.
    """
    rows: list[tuple[str | None, str, bool]] = [
        (
            player.name,
            "" if player.total is None else str(player.total),
            player.filled_document is not None,
        )
        for player in match.players
        if not player.is_deleted
    ]
    if len(match.players) < match.game.max_players and not all(row[2] for row in rows):
        rows.append(("", "", False))
    return rows


def _details(match: FinishedMatch) -> Details:
    """The form's content; raises `Refused`: `bad-date`, `bad-total`."""
    form = request.form
    names, totals = form.getlist("name"), form.getlist("total")
    totals += [""] * (len(names) - len(totals))
    return Details(
        ended=time_typed(form["ended"]) if form.get("ended") else match.ended_at,
        place=form.get("place", match.place),
        notes=form.get("notes", match.notes),
        players=tuple((name, _total(total)) for name, total in zip(names, totals, strict=False)),
    )


def _total(text: str) -> int | None:
    text = text.strip().replace("−", "-")
    if not text:
        return None
    digits = text.removeprefix("-")
    if not digits.isascii() or not digits.isdigit() or len(digits) > 6:
        raise Refused("bad-total")
    return int(text)


# A person


@pages.post("/people/<person_id>/rename")
def rename(person_id: str) -> ResponseReturnValue:
    """Gives a person another name; asks first where that is more than another spelling."""
    name = request.form.get("name", "")
    preview = current_tables().history.renaming_preview(device(), person_id, name)
    asks = preview.joins or preview.together or preview.untouched
    if asks and "sure" not in request.form:
        return render_template("record/rename_person.html", preview=preview)
    current_tables().history.rename_person(device(), person_id, name)
    stays = preview.together or preview.untouched or not preview.renamed
    renamed = person_id if stays else id_of(preview.name)
    return redirect(url_for("people.person", person_id=renamed), code=303)
