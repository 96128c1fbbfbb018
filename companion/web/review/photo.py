"""Score by photo: the first page, sending photos, and typing sheets in by hand.

`paper.photos` has the way of a photo from here on, and `pages` those for correcting the sheets.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import chain, zip_longest
from typing import Final, NamedTuple

from flask import Blueprint, Flask, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import FileStorage

from companion.games.catalog import GAMES, SHEET_GAMES
from companion.games.editions import every_edition
from companion.games.others import find_game, kept_game
from companion.paper.photos.sending import SentPhoto, send_photos
from companion.paper.review import Review
from companion.tables import Refused
from companion.tables.database.columns import from_milliseconds
from companion.tables.ledger.names import checked_name
from companion.tables.photos.reviews import OpenReview
from companion.tables.refusals import at_field
from companion.vision.core import MAX_PHOTO_BYTES, NOT_INSTALLED
from companion.vision.pictures.exif_time import HEAD_BYTES
from companion.vision.worker.loop import READER
from companion.web.net.bodies import UPLOADS
from companion.web.net.guard import network_of
from companion.web.page.context import current_tables, is_fragment
from companion.web.page.errors import page_fault
from companion.web.page.formats import time_zone
from companion.web.page.forms import Fault
from companion.web.page.language import join_names, say
from companion.web.page.security import device
from companion.web.review.readers import can_read_photos, readers
from companion.web.review.review_view import boarded_sheets, chosen_board, table_of

pages = Blueprint("photo", __name__)

MOST_AT_ONCE: Final = 24  # Limit of the photos in one request
MOST_NAMES: Final = 12  # Limit of the names that are typed in; the rest is passed over
# Limit of the characters of all typed names together; the rest is cut off
MOST_CHARACTERS: Final = 4000


def init_app(app: Flask) -> None:
    """`app.config["READER"]` names the module that reads; read when the first photo comes."""
    app.config.setdefault("READER", READER)


# The first page


@pages.get("/photo")
def show() -> ResponseReturnValue:
    """The page that asks for the way: camera, gallery, or by hand."""
    return _page()


def _page(fault: Fault | None = None) -> str:
    """The page; `fault` says what is wrong with what was typed in."""
    table = table_of(request.values.get("table", ""))
    return render_template(
        "review/photo.html",
        table=table,
        missing=None if can_read_photos() else NOT_INSTALLED,
        names=[seat.name for seat in table.seats] if table else [],
        chosen=request.form.get("game", table.game.name if table else ""),
        fault=fault,
        games=[(name, GAMES[name]) for name in chain.from_iterable(SHEET_GAMES.values())],
        boarded=boarded_sheets(),
        boxed=join_names(_boxed()),
        most_bytes=MAX_PHOTO_BYTES,
        open_reviews=_open_reviews(),
    )


class ReviewCard(NamedTuple):
    """A review that this device may continue."""

    opened: OpenReview
    review: Review
    changed_at: datetime
    people: str  # the players in words


def _open_reviews() -> list[ReviewCard]:
    cards = []
    for opened in current_tables().reviews.of_device(device()):
        review = Review.load(opened.body)
        changed_at = from_milliseconds(opened.changed_at)
        cards.append(ReviewCard(opened, review, changed_at, _people(review)))
    return cards


def _people(review: Review) -> str:
    """The players of a review, in words; empty while nobody is known."""
    names: list[str] = []
    for sheet in review.sheets:
        names += map(sheet.player, range(sheet.places))
    people = list(dict.fromkeys(filter(None, names or review.names)))
    return join_names(people) if people else ""


def _boxed() -> list[str]:
    """The titles of the sheets whose publishers' printings are read, too."""
    titles = (made.sheet.paper(made.sheet.usual_board).title for made in every_edition())
    return list(dict.fromkeys(map(say, titles)))


def _new_review(form: Mapping[str, str]) -> Review:
    """A review with the form's game, names and table."""
    table = table_of(form.get("table", ""))
    known = kept_game(table.game, table.options).name if table else ""
    game = form.get("game", known)
    names = [seat.name for seat in table.seats] if table else []
    if "names" in form:
        names = _typed_names(form["names"])
    history = current_tables().history
    of_several = {sheet: games for sheet, games in SHEET_GAMES.items() if len(games) > 1}
    return Review(
        table=table.id if table else "",
        game=game if find_game(game) else "",
        is_given=find_game(game) is not None,
        usual={sheet: history.last_game(device(), games) for sheet, games in of_several.items()},
        names=names,
        keep="keep" in form,
    )


def _typed_names(text: str) -> list[str]:
    """The names in a text, one on each line; raises `Refused`."""
    lines = text[:MOST_CHARACTERS].replace(",", "\n").splitlines()
    named = [line for line in lines if line.strip()]
    with at_field("names"):
        return list(map(checked_name, named[:MOST_NAMES]))


# Sending


@pages.post(UPLOADS + "new")
def send() -> ResponseReturnValue:
    photos = _sent_files()
    review_id = current_tables().reviews.make(device(), _new_review(request.form).dump())
    return _accept(review_id, photos)


@pages.post(UPLOADS + "<review_id>")
def send_more(review_id: str) -> ResponseReturnValue:
    return _accept(review_id, _sent_files())


def _sent_files() -> list[FileStorage]:
    """The photos in the form; raises `Refused`."""
    files = [each for each in request.files.getlist("photo") if each.filename]
    if not files:
        raise Refused("no-photo")
    if len(files) > MOST_AT_ONCE:
        raise Refused("too-many-photos", most=MOST_AT_ONCE)
    return files


def _detached(files: Sequence[FileStorage]) -> list[SentPhoto]:
    """Photos that stay open when the request has been answered."""
    # Of a photo that the page has made smaller, the beginning of its file comes beside it.
    heads = request.files.getlist("head") or files
    network, sent = network_of(request.remote_addr or ""), []
    for photo, head in zip_longest(files, heads[: len(files)]):
        begin = head.stream.read(HEAD_BYTES) if head is not None else b""
        size = photo.stream.seek(0, os.SEEK_END)
        photo.stream.seek(0)
        sent.append(SentPhoto(photo.stream, size, network, begin, time_zone()))
        photo.stream = io.BytesIO()  # which Flask closes in its place
    return sent


def _accept(review_id: str, files: Sequence[FileStorage]) -> ResponseReturnValue:
    send_photos(current_tables(), readers(), device(), review_id, _detached(files))
    address = url_for("review.show", review_id=review_id)
    if is_fragment():
        response = make_response("", 204)
        response.headers["HX-Redirect"] = address
        return response
    return redirect(address, code=303)


# By hand


@pages.post("/by-hand")
def by_hand() -> ResponseReturnValue:
    """Makes a review of empty sheets, one for each name."""
    try:
        review = _new_review(request.form)
    except Refused as refused:
        if refused.field is None:
            raise
        fault, status = page_fault(refused)
        return _page(fault), status
    game = find_game(review.game)
    if game is None:
        raise Refused("no-such-game")
    sheet = game.sheet
    review.add_empty(sheet.name, chosen_board(sheet, request.form))
    review_id = current_tables().reviews.make(device(), review.dump(), once=True)
    is_named = not any(game.undecided() for game in review.games)
    anchor = "typing" if is_named else None
    return redirect(url_for("review.show", review_id=review_id, _anchor=anchor), code=303)
