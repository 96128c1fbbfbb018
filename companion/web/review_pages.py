"""A review's pages: looking through what was read or typed in, correcting it, saving the game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.core.refusal import Refusal
from companion.core.words import N_
from companion.games.catalog import GAMES, SHEETS
from companion.paper import photos, saving, stored
from companion.paper.marks import parse_mark
from companion.paper.review import Review
from companion.paper.saving import called
from companion.tables import Refused, refusals
from companion.tables.names import checked_name
from companion.web.fragments import is_fragment
from companion.web.language import join_names, say
from companion.web.readers import readers
from companion.web.review_view import chosen_board, field_context, obstacle_text, review_context
from companion.web.security import device
from companion.web.store import store

pages = Blueprint("review", __name__)

CODES: Final = frozenset({"not-ready"})
"""Codes of the refusals that come from these pages and not from a table."""


@pages.get("/review/<review_id>/")
def show(review_id: str) -> ResponseReturnValue:
    return _page(review_id)


def _page(review_id: str, asked: str = "") -> ResponseReturnValue:
    """The page of a review, or its fragment; `asked` is the sheet to show."""
    version, found = photos.current(store(), readers(), device(), review_id)
    template = "fragments/review.html" if is_fragment() else "review.html"
    asked = asked or request.args.get("sheet") or request.form.get("shown", "")
    return render_template(template, **review_context(review_id, version, found, asked))


@pages.get("/review/<review_id>/progress")
def progress(review_id: str) -> ResponseReturnValue:
    """The page when anything has changed, else an empty answer."""
    version, found = photos.current(store(), readers(), device(), review_id)
    if str(version) == request.args.get("version") and found.is_pending:
        return "", 204
    return _page(review_id)


@pages.get("/review/<review_id>/<name>.jpg")
def picture(review_id: str, name: str) -> ResponseReturnValue:
    """The flattened picture of a sheet, or a photo that is shown."""
    return _jpeg(store().reviews.picture(review_id, device(), name))


@pages.get("/review/<review_id>/<sheet_id>/<field_name>")
def field(review_id: str, sheet_id: str, field_name: str) -> ResponseReturnValue:
    """The dialog for correcting a field."""
    _, found = stored.load(store(), device(), review_id)
    context = field_context(review_id, found, found.sheet(sheet_id), field_name)
    template = "fragments/review_field.html" if is_fragment() else "review_field.html"
    return render_template(template, **context)


@pages.post("/review/<review_id>/<sheet_id>/<field_name>")
def correct(review_id: str, sheet_id: str, field_name: str) -> ResponseReturnValue:
    """Corrects a field, or confirms it."""

    def set_it(found: Review) -> None:
        sheet = found.sheet(sheet_id)
        if field_name not in sheet.marks:
            raise refusals.no_such_sheet()
        text = request.form.get("value", "-")
        sheet.set(field_name, parse_mark(sheet.fields[field_name], text))

    return _changed(review_id, set_it)


def _changed(review_id: str, change_it: Callable[[Review], str | None]) -> ResponseReturnValue:
    """The page after a change, which returns the id of the sheet to show, or None for the same."""
    with stored.changing(store(), device(), review_id) as found:
        asked = change_it(found)
    if is_fragment():
        return _page(review_id, asked or "")
    shown = asked or request.form.get("shown") or None
    anchor = "sheet-title" if asked else None
    address = url_for("review.show", review_id=review_id, sheet=shown, _anchor=anchor)
    return redirect(address, code=303)


def _place() -> int:
    text = request.form.get("place", "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 3 else -1


def _call(found: Review, form: Mapping[str, str]) -> None:
    raw = form.get("name", "")
    name = checked_name(raw) if raw.strip() else ""
    found.call(form.get("on", ""), _place(), name)


def _play(found: Review, form: Mapping[str, str]) -> None:
    game = form.get("game", "")
    if game not in GAMES:
        raise refusals.no_such_game()
    found.game = game


def _add(found: Review, form: Mapping[str, str]) -> str:
    """Adds an empty sheet, which may be typed in from a photo."""
    sheet = form.get("kind", "")
    if sheet not in SHEETS:
        raise refusals.no_such_game()
    photo = found.photo(form.get("photo", ""))
    added = found.add(sheet, chosen_board(SHEETS[sheet], form), photo=photo.id if photo else "")
    if photo is not None and len(photo.troubles) == 1:
        photo.troubles = []
    return added.id


def _remove(found: Review, form: Mapping[str, str]) -> None:
    found.remove(form.get("on", ""))


def _looked(found: Review, form: Mapping[str, str]) -> None:
    """Marks the whole sheet as looked at."""
    found.sheet(form.get("on", "")).unsure.clear()


def _misread(found: Review, form: Mapping[str, str]) -> None:
    """Forgets a sum that was not written as it was read."""
    found.sheet(form.get("on", "")).forget_sum(form.get("sum", ""))


def _cancel(found: Review, form: Mapping[str, str]) -> None:
    photo = found.photo(form.get("photo", ""))
    if photo is None:
        raise refusals.no_such_sheet()
    if photo.is_pending:
        readers().cancel(photo.id)
        found.photos.remove(photo)


def _dismiss(found: Review, form: Mapping[str, str]) -> None:
    photo = found.photo(form.get("photo", ""))
    if photo is not None and not photo.is_pending:
        photo.troubles = []


VERBS: Final[Mapping[str, Callable[[Review, Mapping[str, str]], str | None]]] = {
    "name": _call,
    "game": _play,
    "add": _add,
    "remove": _remove,
    "looked": _looked,
    "misread": _misread,
    "cancel": _cancel,
    "dismiss": _dismiss,
}


@pages.post("/review/<review_id>/do/<any({}):verb>".format(", ".join(VERBS)))
def do(review_id: str, verb: str) -> ResponseReturnValue:
    return _changed(review_id, lambda found: VERBS[verb](found, request.form))


@pages.get("/review/<review_id>/discard")
def ask_discard(review_id: str) -> ResponseReturnValue:
    """Asks before a review is discarded, and says what will be lost."""
    _, found = photos.current(store(), readers(), device(), review_id)
    names = [called(player, say) for player in found.players()]
    return render_template(
        "review_discard.html",
        review_id=review_id,
        review=found,
        players=join_names(names) if names else "",
    )


@pages.post("/review/<review_id>/discard")
def discard(review_id: str) -> ResponseReturnValue:
    """Deletes the review."""
    for photo in stored.discard(store(), device(), review_id).photos:
        readers().cancel(photo.id)
    return redirect(url_for("start.show"), code=303)


@pages.post("/review/<review_id>/save")
def save(review_id: str) -> ResponseReturnValue:
    """Saves the review as a game of the history."""
    try:
        saving.save(store(), device(), review_id, say)
    except saving.NotReady as error:
        reason = obstacle_text(error.obstacle)
        raise Refused(Refusal("not-ready", N_("Not yet: %(reason)s"), {"reason": reason})) from None
    return redirect(url_for("history.match", match_id=review_id), code=303)


@pages.get("/history/<match_id>/photo/<int:number>.jpg")
def kept(match_id: str, number: int) -> ResponseReturnValue:
    """A photo that was kept with a game."""
    found = store().history.match(device(), match_id)
    return _jpeg(store().reviews.kept_photo(found.id, number))


def _jpeg(raw: bytes) -> Response:
    # No browser may keep it: it would outlive the review or the game that is deleted.
    response = make_response(raw)
    response.headers["Content-Type"] = "image/jpeg"
    return response
