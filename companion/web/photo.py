"""Score by photo: sending photos, looking through what was read, correcting it, saving the game.

Photos are read in processes of their own (`vision.workers`), so a page is there at once and asks
how far they are. The same pages serve sheets that are typed in by hand.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from typing import IO, Any, Final

from flask import (
    Blueprint,
    Flask,
    Response,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue
from flask_babel import gettext
from werkzeug.datastructures import FileStorage

from companion.games.catalog import GAMES
from companion.games.core import N_, Refusal, Sentence, clean_name
from companion.sheets.catalog import SHEETS
from companion.sheets.encore import BOARD_NAMES
from companion.tables import Refused, Tables, refusals
from companion.tables.names import checked_name
from companion.vision.core import Trouble
from companion.vision.wire import Answer, trouble_document
from companion.vision.worker import READER
from companion.vision.workers import Busy, Failed, Job, Outcome, Readers
from companion.web.fragments import is_fragment
from companion.web.live import MAX_UPLOAD_BYTES, UPLOADS
from companion.web.play import store
from companion.web.review import (
    MAX_PHOTO_BYTES,
    MOST_PHOTOS,
    SHEET_GAMES,
    Photo,
    Review,
    mark_of,
)
from companion.web.review_view import field_context, obstacles, review_context
from companion.web.security import device

pages = Blueprint("photo", __name__)

MOST_AT_ONCE: Final = 12
"""Photos in one request."""
MAX_PARTS: Final = 24
"""Of the form that brings them."""
LOST_MS: Final = 30_000
"""A photo that waits for so long and is in nobody's queue was lost when the app was restarted."""
PICTURE_AGE: Final = 24 * 60 * 60
"""Seconds that a browser may keep a review's picture; a name never gets another one."""

CODES: Final = frozenset({"too-many-photos", "not-ready"})
"""Of the refusals that come from these pages and not from a table."""

LOST: Final = Sentence(N_("The app was restarted while it read this photo. Send it again."))
BUSY: Final = Refusal(
    "too-many-photos",
    N_("Too many photos are being read just now. Try again in a moment."),
)


def init_app(app: Flask) -> None:
    """`app.config["READER"]` names the module that reads; read when the first photo comes."""
    app.config.setdefault("READER", READER)
    app.jinja_env.globals.update(kept_photos=lambda play: store().reviews.kept_photos(play.id))
    app.register_blueprint(pages)


def readers() -> Readers:
    """The app's readers, made when the first photo comes."""
    app = current_app._get_current_object()  # type: ignore[attr-defined]
    found = app.extensions.get("readers")
    if found is None:
        found = app.extensions.setdefault("readers", Readers(app.config["READER"]))
    made: Readers = found
    return made


# The first page


@pages.get("/photo")
def show() -> ResponseReturnValue:
    """Camera, gallery, or by hand."""
    table = _table(request.args.get("table", ""))
    return render_template(
        "photo.html",
        table=table,
        names=[seat.name for seat in table.seats] if table else [],
        games=[(name, GAMES[name]) for names in SHEET_GAMES.values() for name in names],
        boards=BOARD_NAMES,
        most_bytes=MAX_PHOTO_BYTES,
        open_reviews=store().reviews.mine(device()),
    )


def _table(table_id: str) -> Any:
    """The table that is asked for, if this device may write there; raises `Refused`."""
    if not table_id:
        return None
    table = store().look(table_id, device())
    if table.me.role == "viewer":
        raise refusals.view_only()
    return table


def _new_review() -> Review:
    """A review with what the form says of the game, the names and the table."""
    table = _table(request.form.get("table", ""))
    game = request.form.get("game", table.game.name if table else "")
    names = [seat.name for seat in table.seats] if table else []
    if "names" in request.form:
        names = _typed_names(request.form["names"])
    return Review(
        table=table.id if table else "",
        game=game if game in GAMES else "",
        names=names,
        keep="keep" in request.form,
    )


def _typed_names(text: str) -> list[str]:
    """The names of a text, one a line; raises `Refused`."""
    lines = [line for line in text.replace(",", "\n").splitlines() if clean_name(line)]
    return [checked_name(line) for line in lines[:12]]


# Sending


@pages.post(UPLOADS + "new")
def send() -> ResponseReturnValue:
    """The first photos of a new review."""
    files = _files()
    review = _new_review()
    review_id = store().reviews.make(device(), review.dump())
    return _sent(review_id, files)


@pages.post(UPLOADS + "<review_id>")
def send_more(review_id: str) -> ResponseReturnValue:
    """Further photos."""
    files = _files()
    store().reviews.look(review_id, device())
    return _sent(review_id, files)


def _files() -> list[FileStorage]:
    request.max_content_length = MAX_UPLOAD_BYTES
    request.max_form_parts = MAX_PARTS
    files = [file for file in request.files.getlist("photo") if file.filename]
    if not files:
        raise Refused(Refusal("no-photo", N_("No photo was chosen. Take one, or choose one.")))
    if len(files) > MOST_AT_ONCE:
        text = N_("These are too many photos at once; %(most)s are the most.")
        raise Refused(Refusal("too-many-photos", text, {"most": MOST_AT_ONCE}))
    return files


def _sent(review_id: str, files: Iterable[FileStorage]) -> ResponseReturnValue:
    now = store()._store.now()
    jobs: list[tuple[Photo, Job | None]] = []
    with store().reviews.changing(review_id, device()) as change:
        review = Review.load(change.body)
        for file in files:
            if len(review.photos) >= MOST_PHOTOS:
                text = N_("There are %(most)s photos here already. Start anew with the others.")
                raise Refused(Refusal("too-many-photos", text, {"most": MOST_PHOTOS}))
            photo = Photo(secrets.token_hex(8), now)
            review.photos.append(photo)
            jobs.append((photo, _job(review_id, photo, file, keep=review.keep)))
        change.body = review.dump()
    for photo, job in jobs:
        try:
            if job is None:
                _note(store(), review_id, photo.id, _too_large())
            else:
                readers().submit(job)
        except Busy:
            if job is not None:
                job.file.close()
            _note(store(), review_id, photo.id, Failed(BUSY.code, Sentence(BUSY.text)))
    address = url_for("photo.review", review_id=review_id)
    if is_fragment():
        response = make_response("", 204)
        response.headers["HX-Redirect"] = address
        return response
    return redirect(address, code=303)


def _too_large() -> Failed:
    text = N_("The photo is larger than %(most)s MB.")
    return Failed("too-many-bytes", Sentence(text, {"most": MAX_PHOTO_BYTES // 1024 // 1024}))


def _job(review_id: str, photo: Photo, file: FileStorage, keep: bool) -> Job | None:
    """The photo in a nameless file of its own; None when it is too large."""
    # The request's own files are closed when it has been answered.
    held: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - the job closes it
    try:
        shutil.copyfileobj(file.stream, held)
        size = held.tell()
        held.seek(0)
    except OSError:
        held.close()
        raise
    if size > MAX_PHOTO_BYTES:
        held.close()
        return None
    tables = store()
    return Job(
        id=photo.id,
        file=held,
        size=size,
        keep=keep,
        owner=device(),
        began=partial(_began, tables, review_id, photo.id),
        done=partial(_note, tables, review_id, photo.id),
    )


def _began(tables: Tables, review_id: str, photo_id: str) -> None:
    def begin(photo: Photo, _review: Review) -> None:
        photo.state = "reading"

    _change_photo(tables, review_id, photo_id, begin)


def _note(tables: Tables, review_id: str, photo_id: str, outcome: Outcome) -> None:
    """Puts what came of a photo into its review, from whatever thread."""
    pictures: dict[str, bytes | None] = {}

    def note(photo: Photo, review: Review) -> None:
        if isinstance(outcome, Failed):
            photo.state = "failed"
            photo.troubles = [_failed_document(outcome.code, outcome.sentence)]
            return
        photo.state = "read"
        photo.troubles = [trouble_document(trouble) for trouble in outcome.reading.troubles]
        _take(review, photo, outcome, pictures)

    _change_photo(tables, review_id, photo_id, note, pictures)


def _failed_document(code: str, sentence: Sentence) -> dict[str, Any]:
    return trouble_document(Trouble(code, sentence))


def _take(review: Review, photo: Photo, answer: Answer, pictures: dict[str, bytes | None]) -> None:
    for reading in answer.reading.sheets:
        try:
            one = review.add_reading(reading, photo.id)
        except Refused as refused:
            sentence = Sentence(refused.refusal.text, refused.refusal.values)
            photo.troubles.append(_failed_document(refused.code, sentence))
            break
        photo.sheets += 1
        if reading.flat:
            pictures[f"sheet-{one.id}"] = reading.flat
    if answer.kept:
        pictures[f"photo-{photo.id}"] = answer.kept


def _change_photo(
    tables: Tables,
    review_id: str,
    photo_id: str,
    change_it: Callable[[Photo, Review], None],
    pictures: Mapping[str, bytes | None] | None = None,
) -> None:
    # The review may have been thrown away or saved meanwhile.
    with suppress(Refused), tables.reviews.changing(review_id, None) as change:
        review = Review.load(change.body)
        photo = review.photo(photo_id)
        if photo is None or not photo.is_pending:
            return
        change_it(photo, review)
        change.body = review.dump()
        change.pictures |= pictures or {}


# By hand


@pages.post("/by-hand")
def by_hand() -> ResponseReturnValue:
    """A review of empty sheets, one for each name."""
    review = _new_review()
    sheet = next((name for name, games in SHEET_GAMES.items() if review.game in games), "")
    if not sheet:
        raise refusals.no_such_game()
    board = _board(sheet)
    shares = len(SHEETS[sheet].paper(board).names) > 1
    for _ in range(1 if shares else max(len(review.names), 1)):
        review.add(sheet, board)
    review_id = store().reviews.make(device(), review.dump())
    return redirect(url_for("photo.review", review_id=review_id), code=303)


def _board(sheet: str) -> str:
    boards = SHEETS[sheet].boards
    board = request.form.get("board", "")
    return board if board in boards else next(iter(boards), "")


# The review


@pages.get("/review/<review_id>/")
def review(review_id: str) -> ResponseReturnValue:
    return _page(review_id)


def _page(review_id: str) -> ResponseReturnValue:
    version, body = store().reviews.look(review_id, device())
    found = _without_lost(review_id, Review.load(body))
    template = "fragments/review.html" if is_fragment() else "review.html"
    asked = request.args.get("sheet") or request.form.get("shown", "")
    return render_template(template, **review_context(review_id, version, found, asked))


def _without_lost(review_id: str, found: Review) -> Review:
    """The review, with photos that nobody reads any more marked as failed."""
    before = store()._store.now() - LOST_MS
    for photo in found.photos:
        if photo.is_pending and photo.at < before and not readers().has(photo.id):
            _note(store(), review_id, photo.id, Failed("lost", LOST))
            photo.state = "failed"
            photo.troubles = [_failed_document("lost", LOST)]
    return found


@pages.get("/review/<review_id>/progress")
def progress(review_id: str) -> ResponseReturnValue:
    """The page again when anything has changed, and else nothing."""
    version, body = store().reviews.look(review_id, device())
    found = _without_lost(review_id, Review.load(body))
    if str(version) == request.args.get("version") and found.is_pending:
        return "", 204
    return _page(review_id)


@pages.get("/review/<review_id>/<name>.jpg")
def picture(review_id: str, name: str) -> ResponseReturnValue:
    """The flattened picture of a sheet."""
    return _jpeg(store().reviews.picture(review_id, device(), name))


def _jpeg(raw: bytes) -> Response:
    response = make_response(raw)
    response.headers["Content-Type"] = "image/jpeg"
    response.headers["Cache-Control"] = f"private, max-age={PICTURE_AGE}, immutable"
    return response


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
    return redirect(url_for("photo.review", review_id=review_id, sheet=shown or None), code=303)


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
    found.add(sheet, _board(sheet))


def _remove(found: Review, form: Mapping[str, str]) -> None:
    found.remove(form.get("on", ""))


def _looked(found: Review, form: Mapping[str, str]) -> None:
    """Somebody has compared the whole sheet."""
    found.sheet(form.get("on", "")).unsure.clear()


def _keep(found: Review, form: Mapping[str, str]) -> None:
    found.keep = form.get("keep") == "on"


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


@pages.post("/review/<review_id>/discard")
def discard(review_id: str) -> ResponseReturnValue:
    """Throws everything away."""
    with store().reviews.changing(review_id, device()) as change:
        for photo in Review.load(change.body).photos:
            readers().cancel(photo.id)
        change.is_over = True
    return redirect(url_for("start.show"), code=303)


@pages.post("/review/<review_id>/save")
def save(review_id: str) -> ResponseReturnValue:
    """Puts the game into the history; the review is over then."""
    _, body = store().reviews.look(review_id, device())
    found = Review.load(body)
    if missing := obstacles(found, found.ranking()):
        raise Refused(Refusal("not-ready", N_("Not yet: %(reason)s"), {"reason": missing[0]}))
    is_photo = any(one.photo for one in found.counted)
    play_id = store().history.add_paper_game(
        device(),
        found.played,
        found.documents(lambda name, number: name or gettext("Player %(number)s", number=number)),
        ended=datetime.fromtimestamp(store()._store.now() / 1000, UTC),
        source="photo" if is_photo else "typed",
    )
    store().reviews.finish(review_id, device(), play_id if found.keep else None)
    return redirect(url_for("history.play", play_id=play_id), code=303)


@pages.get("/history/<play_id>/photo/<int:number>.jpg")
def kept(play_id: str, number: int) -> ResponseReturnValue:
    """A photo that was kept with a game."""
    found = store().history.play(device(), play_id)
    return _jpeg(store().reviews.kept_photo(found.id, number))
