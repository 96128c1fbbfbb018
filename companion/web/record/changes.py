"""The pages on which finished games are changed, and the changes in words.

`companion.tables.history.mending` decides what may be changed, and what follows.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from companion.core.refusal import Unusable
from companion.core.sheet import EMPTY, Field
from companion.core.words import minus
from companion.paper import reopening
from companion.tables import FinishedMatch, Refused
from companion.tables.database.columns import from_milliseconds
from companion.tables.history import Details
from companion.tables.history.people import person_id as id_of
from companion.tables.ledger.finished import MatchChange
from companion.tables.ledger.names import LONGEST_LINE, LONGEST_NAME, LONGEST_TEXT
from companion.tables.ledger.saved import Item
from companion.web.page.context import current_tables
from companion.web.page.errors import explain
from companion.web.page.formats import day_and_time, mark_label, time_to_type, time_typed
from companion.web.page.language import say
from companion.web.page.security import device

pages = Blueprint("changes", __name__, url_prefix="/history")

ITEMS_SHOWN: Final = 12
"""Items of one change on the page; the rest is counted."""


@dataclass(frozen=True)
class ChangeView:
    """A change in words."""

    at: datetime
    lines: tuple[str, ...]
    more: int
    """The number of lines that are left out."""


# A game


@pages.get("/<match_id>/mend")
def ask(match_id: str) -> ResponseReturnValue:
    """The form with everything that can be changed in a game."""
    return _form(_changeable(match_id))


@pages.post("/<match_id>/mend")
def mend(match_id: str) -> ResponseReturnValue:
    """Saves the form and leads to the match; shows the form again with the reason of a refusal."""
    match = _changeable(match_id)
    try:
        current_tables().history.mend_details(device(), match_id, _details(match))
    except (Refused, Unusable) as error:
        message, status = explain(error)
        return _form(match, message), status
    return redirect(url_for("history.match", match_id=match_id), code=303)


@pages.post("/<match_id>/sheets")
def sheets(match_id: str) -> ResponseReturnValue:
    """Opens the game's sheets as a review, in which every field can be changed."""
    review_id = reopening.begin(current_tables(), device(), match_id)
    return redirect(url_for("review.show", review_id=review_id), code=303)


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
        "record/mend.html",
        match=match,
        refused=refused,
        ended=form.get("ended", time_to_type(match.ended_at)),
        latest=time_to_type(from_milliseconds(current_tables().now())),
        place=form.get("place", match.place),
        notes=form.get("notes", match.notes),
        rows=rows,
        has_sheets=reopening.can_reopen(match),
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
    """Gives a person another name; asks first where that is more than another spelling.

    Asks again where it takes longer than a request may.
    """
    name = request.form.get("name", "")
    preview = current_tables().history.renaming_preview(device(), person_id, name)
    asks = preview.joins or preview.together or preview.untouched
    if asks and "sure" not in request.form:
        return render_template("record/rename_person.html", preview=preview)
    if not current_tables().history.rename_person(device(), person_id, name):
        rest = current_tables().history.renaming_preview(device(), person_id, name)
        return render_template("record/rename_person.html", preview=rest, is_rest=True)
    stays = preview.together or preview.untouched or not preview.renamed
    renamed = person_id if stays else id_of(preview.name)
    return redirect(url_for("people.person", person_id=renamed), code=303)


# In words


def in_words(match: FinishedMatch, changes: tuple[MatchChange, ...]) -> list[ChangeView]:
    """The changes of a game for its page, the latest first."""
    fields: dict[str, Field] = {}
    if any(item.field for change in changes for item in change.items):
        kind = match.game.sheet
        papers = map(kind.paper, kind.every_board)
        fields = {field.id: field for paper in papers for field in paper.fields}
    views = []
    for change in changes:
        lines = tuple(_line(match, fields, item) for item in change.items[:ITEMS_SHOWN])
        views.append(ChangeView(change.at, lines, max(0, len(change.items) - ITEMS_SHOWN)))
    return views


def _line(match: FinishedMatch, fields: dict[str, Field], item: Item) -> str:
    before, after, player = item.before, item.after, item.player or gettext("not named")
    if item.what == "ended":
        values = {name: day_and_time(from_milliseconds(at)) for name, at in _both(before, after)}
        return gettext("Date: %(before)s → %(after)s", **values)
    if item.what == "name":
        names = {name: had or gettext("not named") for name, had in _both(before, after)}
        return gettext("Name: %(before)s → %(after)s", **names)
    if item.what == "added":
        return gettext("%(player)s was added.", player=player)
    if item.what == "removed":
        return gettext("%(player)s was taken out.", player=player)
    if item.what == "total":
        label = gettext("Total")
        shown = {name: "–" if at is None else minus(at) for name, at in _both(before, after)}
    else:
        field = fields.get(item.field)
        label = _label(match, field) if field else item.field
        shown = {
            name: mark_label(field, EMPTY[field.kind] if mark is None else mark)
            if field
            else str(mark)
            for name, mark in _both(before, after)
        }
    text = gettext("%(player)s, %(field)s: %(before)s → %(after)s")
    return text % {"player": player, "field": label, **shown}


def _both(before: Any, after: Any) -> tuple[tuple[str, Any], tuple[str, Any]]:
    return (("before", before), ("after", after))


def _label(match: FinishedMatch, field: Field) -> str:
    sharing = match.game.sheet.sharing
    return say(field.name if sharing is None else sharing.line(field.id))
