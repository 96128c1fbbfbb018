"""The pages for editing finished games and renaming people.

`companion.tables.history.editing` decides what may be edited, and what follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from flask import Blueprint, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from companion.core.refusal import Unusable
from companion.paper import editing
from companion.tables import FinishedMatch, Refused
from companion.tables.database.columns import from_milliseconds
from companion.tables.history import Details
from companion.tables.history.exchange import CLOCK_SLACK_MS
from companion.tables.history.people import person_id as id_of
from companion.tables.ledger.names import (
    LONGEST_LINE,
    LONGEST_NAME,
    LONGEST_TEXT,
    checked_name,
    name_key,
)
from companion.tables.refusals import at_field
from companion.web.page.context import current_tables
from companion.web.page.errors import page_fault
from companion.web.page.formats import time_to_type, time_typed
from companion.web.page.forms import Fault
from companion.web.page.security import device
from companion.web.record.personal import person_page

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
    form = MatchForm(match, request.form)
    try:
        current_tables().history.edit_details(device(), match_id, form.details())
    except (Refused, Unusable) as error:
        if isinstance(error, Refused) and error.code == "name-taken":
            error.at("name", form.last_place_of(str(error.refusal.values["name"])))
        fault, status = page_fault(error)
        return _form(match, fault), status
    return redirect(url_for("history.match", match_id=match_id), code=303)


@pages.post("/<match_id>/sheets")
def sheets(match_id: str) -> ResponseReturnValue:
    """Opens the game's sheets as a review, for changing every field."""
    review_id = editing.begin(current_tables(), device(), match_id)
    return redirect(url_for("review.show", review_id=review_id), code=303)


@pages.post("/<match_id>/settle")
def settle(match_id: str) -> ResponseReturnValue:
    """Keeps the edited game, or replaces it by its table's, which has played on."""
    by_table = request.form.get("keep") == "table"
    current_tables().history.settle_edit(device(), match_id, by_table=by_table)
    return redirect(url_for("history.match", match_id=match_id), code=303)


def _changeable(match_id: str) -> FinishedMatch:
    match = current_tables().history.match(device(), match_id)
    if not match.may_change:
        raise Refused("view-only")
    return match


class PlayerRow(NamedTuple):
    """A row of the form for a player."""

    name: str | None  # None for a player without one, who may stay so
    total: str  # as it is typed; empty without one
    has_sheet: bool = False


class MatchForm:
    """The form's fields: as somebody typed them, else those of the match."""

    def __init__(self, match: FinishedMatch, typed: MultiDict[str, str]) -> None:
        """The form of a match; `typed` is empty before it is sent."""
        self.match: Final = match
        self.typed: Final = typed
        self.ended: Final = typed.get("ended", time_to_type(match.ended_at))
        self.place: Final = typed.get("place", match.place)
        self.notes: Final = typed.get("notes", match.notes)
        names, totals = typed.getlist("name"), typed.getlist("total")
        totals += [""] * (len(names) - len(totals))
        self.typed_rows: Final = tuple(map(PlayerRow, names, totals))
        self.rows: Final = _typed_over(_rows(match), self.typed_rows)

    def details(self) -> Details:
        """The typed content; raises `Refused`: `bad-date`, `bad-total`."""
        players = []
        for place, row in enumerate(self.typed_rows):
            if row.name and row.name.strip():
                with at_field("name", place):
                    checked_name(row.name)
            with at_field("total", place):
                players.append((row.name or "", _total(row.total)))
        ended = time_typed(self.ended) if self.typed.get("ended") else self.match.ended_at
        return Details(ended, self.place, self.notes, tuple(players))

    def last_place_of(self, name: str) -> int:
        """The last row with this name, from 0."""
        keys = [name_key(row.name or "") for row in self.typed_rows]
        return max((place for place, key in enumerate(keys) if key == name_key(name)), default=0)


def _form(match: FinishedMatch, fault: Fault | None = None) -> str:
    """The form; after a refusal with everything that was typed."""
    form = MatchForm(match, request.form)
    return render_template(
        "record/edit.html",
        match=match,
        fault=fault,
        ended=form.ended,
        latest=time_to_type(from_milliseconds(current_tables().now() + CLOCK_SLACK_MS)),
        place=form.place,
        notes=form.notes,
        rows=form.rows,
        has_sheets=editing.can_edit(match),
        longest_name=LONGEST_NAME,
        longest_line=LONGEST_LINE,
        longest_text=LONGEST_TEXT,
    )


def _rows(match: FinishedMatch) -> list[PlayerRow]:
    """A row for each player who was not deleted, and one for a new player."""
    # In a match with sheets a new player comes with a new sheet, so not in this form
    rows = []
    for player in match.players:
        if not player.is_deleted:
            total = "" if player.total is None else str(player.total)
            rows.append(PlayerRow(player.name, total, player.filled_document is not None))
    if len(match.players) < match.game.max_players and not all(row.has_sheet for row in rows):
        rows.append(PlayerRow("", ""))
    return rows


def _typed_over(rows: list[PlayerRow], typed: Sequence[PlayerRow]) -> list[PlayerRow]:
    """The rows with the typed names and totals; unchanged if there are not as many."""
    if len(typed) != len(rows):
        return rows
    merged = []
    for row, new in zip(rows, typed, strict=True):
        nothing = None if row.name is None else ""
        merged.append(PlayerRow(new.name or nothing, new.total, row.has_sheet))
    return merged


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
    try:
        preview = current_tables().history.renaming_preview(device(), person_id, name)
    except Refused as refused:
        fault, status = page_fault(refused)
        if not fault.is_at("name"):
            raise
        return person_page(person_id, fault), status
    asks = preview.joins or preview.together or preview.untouched
    if asks and "sure" not in request.form:
        return render_template("record/rename_person.html", preview=preview)
    current_tables().history.rename_person(device(), person_id, name)
    stays = preview.together or preview.untouched or not preview.renamed
    renamed = person_id if stays else id_of(preview.name)
    return redirect(url_for("people.person", person_id=renamed), code=303)
