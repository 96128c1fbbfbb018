"""A review's pages: looking through what was read or typed in, correcting it, saving the game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_babel import gettext

from companion.core.refusal import Refusal
from companion.core.values import clean_name
from companion.core.words import N_
from companion.games.catalog import GAMES, SHEETS
from companion.games.standings import kept as kept_sheet
from companion.tables import Refused, refusals
from companion.tables.names import checked_name
from companion.web import reading
from companion.web.fragments import is_fragment
from companion.web.language import join_names
from companion.web.review import Review, board_of, kept_name
from companion.web.review_view import field_context, obstacles, review_context, told
from companion.web.security import device
from companion.web.store import store
from companion.web.written import mark_of

pages = Blueprint("review", __name__)

CODES: Final = frozenset({"not-ready"})
"""Of the refusals that come from these pages and not from a table."""

PICTURE_AGE: Final = 24 * 60 * 60
"""Seconds that a browser may keep a review's picture; a name never gets another one."""


@pages.get("/review/<review_id>/")
def show(review_id: str) -> ResponseReturnValue:
    return _page(review_id)


def _page(review_id: str) -> ResponseReturnValue:
    version, found = reading.looked(review_id)
    template = "fragments/review.html" if is_fragment() else "review.html"
    asked = request.args.get("sheet") or request.form.get("shown", "")
    return render_template(template, **review_context(review_id, version, found, asked))


@pages.get("/review/<review_id>/progress")
def progress(review_id: str) -> ResponseReturnValue:
    """The page again when anything has changed, and else nothing."""
    version, found = reading.looked(review_id)
    if str(version) == request.args.get("version") and found.is_pending:
        return "", 204
    return _page(review_id)


@pages.get("/review/<review_id>/<name>.jpg")
def picture(review_id: str, name: str) -> ResponseReturnValue:
    """The flattened picture of a sheet."""
    return _jpeg(store().reviews.picture(review_id, device(), name))


@pages.get("/review/<review_id>/<sheet_id>/<field_name>")
def field(review_id: str, sheet_id: str, field_name: str) -> ResponseReturnValue:
    """What else may stand in a field."""
    _, body = store().reviews.look(review_id, device())
    found = Review.load(body)
    context = field_context(review_id, found, found.sheet(sheet_id), field_name)
    template = "fragments/review_field.html" if is_fragment() else "review_field.html"
    return render_template(template, **context)


@pages.post("/review/<review_id>/<sheet_id>/<field_name>")
def correct(review_id: str, sheet_id: str, field_name: str) -> ResponseReturnValue:
    """Corrects a field, or confirms it."""

    def set_it(found: Review) -> None:
        one = found.sheet(sheet_id)
        if field_name not in one.marks:
            raise refusals.no_such_sheet()
        one.set(field_name, mark_of(one.fields[field_name], request.form.get("value", "-")))

    return _changed(review_id, set_it)


def _changed(review_id: str, change_it: Callable[[Review], None]) -> ResponseReturnValue:
    with store().reviews.changing(review_id, device()) as change:
        found = Review.load(change.body)
        before = {one.id for one in found.sheets}
        change_it(found)
        change.pictures |= {
            f"sheet-{gone}": None for gone in before - {one.id for one in found.sheets}
        }
        change.body = found.dump()
    if is_fragment():
        return _page(review_id)
    shown = request.form.get("shown", "")
    return redirect(url_for("review.show", review_id=review_id, sheet=shown or None), code=303)


def _place() -> int:
    text = request.form.get("place", "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 3 else -1


def _call(found: Review, form: Mapping[str, str]) -> None:
    raw = form.get("name", "")
    name = checked_name(raw) if clean_name(raw) else ""
    found.call(form.get("on", ""), _place(), name)


def _play(found: Review, form: Mapping[str, str]) -> None:
    game = form.get("game", "")
    if game not in GAMES:
        raise refusals.no_such_game()
    found.game = game


def _add(found: Review, form: Mapping[str, str]) -> None:
    sheet = form.get("kind", "")
    if sheet not in SHEETS:
        raise refusals.no_such_game()
    found.add(sheet, board_of(sheet, form.get("board", "")))


def _remove(found: Review, form: Mapping[str, str]) -> None:
    found.remove(form.get("on", ""))


def _looked(found: Review, form: Mapping[str, str]) -> None:
    """Somebody has compared the whole sheet."""
    found.sheet(form.get("on", "")).unsure.clear()


def _cancel(found: Review, form: Mapping[str, str]) -> None:
    photo = found.photo(form.get("photo", ""))
    if photo is None:
        raise refusals.no_such_sheet()
    if photo.is_pending:
        reading.readers().cancel(photo.id)
        found.photos.remove(photo)


def _dismiss(found: Review, form: Mapping[str, str]) -> None:
    photo = found.photo(form.get("photo", ""))
    if photo is not None and not photo.is_pending:
        photo.troubles = []


VERBS: Final[Mapping[str, Callable[[Review, Mapping[str, str]], None]]] = {
    "name": _call,
    "game": _play,
    "add": _add,
    "remove": _remove,
    "looked": _looked,
    "cancel": _cancel,
    "dismiss": _dismiss,
}


@pages.post("/review/<review_id>/do/<any({}):verb>".format(", ".join(VERBS)))
def do(review_id: str, verb: str) -> ResponseReturnValue:
    return _changed(review_id, lambda found: VERBS[verb](found, request.form))


@pages.get("/review/<review_id>/discard")
def ask_discard(review_id: str) -> ResponseReturnValue:
    """Says what will be gone, before it is."""
    _, found = reading.looked(review_id)
    names = [told(one) for one in found.ranking()]
    return render_template(
        "review_discard.html",
        review_id=review_id,
        review=found,
        players=join_names(names) if names else "",
    )


@pages.post("/review/<review_id>/discard")
def discard(review_id: str) -> ResponseReturnValue:
    """Throws everything away."""
    with store().reviews.changing(review_id, device()) as change:
        for photo in Review.load(change.body).photos:
            reading.readers().cancel(photo.id)
        change.is_over = True
    return redirect(url_for("start.show"), code=303)


@pages.post("/review/<review_id>/save")
def save(review_id: str) -> ResponseReturnValue:
    """Puts the game into the history; the review is over then.

    The game gets the review's id, so that two taps on the button save it once.
    """
    try:
        _, body = store().reviews.look(review_id, device())
    except Refused:
        if _is_saved(review_id):
            return redirect(url_for("history.match", match_id=review_id), code=303)
        raise
    found = Review.load(body)
    if missing := obstacles(found, found.ranking()):
        raise Refused(Refusal("not-ready", N_("Not yet: %(reason)s"), {"reason": missing[0]}))
    is_photo = any(one.photo for one in found.counted)
    store().history.add_paper_game(
        device(),
        found.played,
        [
            (name, kept_sheet(GAMES[found.played], sheet))
            for name, sheet in found.players(
                lambda name, number: name or gettext("Player %(number)s", number=number)
            )
        ],
        ended=datetime.fromtimestamp(store().now() / 1000, UTC),
        source="photo" if is_photo else "typed",
        match_id=review_id,
    )
    keep = [kept_name(photo) for photo in found.photos] if found.keep else []
    with suppress(Refused):  # the other of two taps was here first
        store().reviews.finish(review_id, device(), review_id, keep)
    return redirect(url_for("history.match", match_id=review_id), code=303)


def _is_saved(review_id: str) -> bool:
    try:
        store().history.match(device(), review_id)
    except Refused:
        return False
    return True


@pages.get("/history/<match_id>/photo/<int:number>.jpg")
def kept(match_id: str, number: int) -> ResponseReturnValue:
    """A photo that was kept with a game."""
    found = store().history.match(device(), match_id)
    return _jpeg(store().reviews.kept_photo(found.id, number))


def _jpeg(raw: bytes) -> Response:
    response = make_response(raw)
    response.headers["Content-Type"] = "image/jpeg"
    response.headers["Cache-Control"] = f"private, max-age={PICTURE_AGE}, immutable"
    return response
