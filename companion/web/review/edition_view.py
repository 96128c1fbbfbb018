"""Editions that people describe: a blank sheet's corners and rows, and the list of those kept."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from flask import Blueprint, Response, make_response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.core.words import N_
from companion.games.catalog import SHEETS
from companion.games.editions import bases, described_edition
from companion.paper import description
from companion.paper.photos.sending import current_review, describe_photo
from companion.paper.review import Photo, Review, changing_review, load_review
from companion.tables import Refused
from companion.vision.core import MAX_PHOTO_BYTES, NOT_INSTALLED, Corners, Point
from companion.vision.worker.wire import trouble_of
from companion.web.page.context import current_tables
from companion.web.page.language import say
from companion.web.page.security import device
from companion.web.review.readers import can_read_photos, readers

pages = Blueprint("edition", __name__)

INSET: Final = 0.08
"""Where the corners are at first, as a share of the photo from its edges."""
MOST_CHARACTERS: Final = 200
"""Characters of the field with the corners."""


@pages.get("/editions")
def kept() -> ResponseReturnValue:
    """The editions that this device reads, too."""
    found = [tomllib.loads(table) for table in current_tables().own_editions.of_device(device())]
    return render_template(
        "review/editions.html",
        kept=[(_title(each), each) for each in found],
        missing=None if can_read_photos() else NOT_INSTALLED,
        most_bytes=MAX_PHOTO_BYTES,
    )


@pages.get("/editions/<name>.toml")
def export(name: str) -> ResponseReturnValue:
    """The table of an edition, as the project's own tables are."""
    for table in current_tables().own_editions.of_device(device()):
        if tomllib.loads(table)["name"] == name:
            return _attached(table, f"{name}.toml")
    raise Refused("no-such-sheet")


def _attached(text: str, name: str) -> Response:
    response = make_response(text)
    response.headers["Content-Type"] = "application/toml; charset=utf-8"
    response.headers["Content-Disposition"] = f"attachment; filename={name}"
    return response


@pages.post("/editions/<name>/delete")
def delete(name: str) -> ResponseReturnValue:
    """Deletes an edition."""
    current_tables().own_editions.delete(device(), name)
    return redirect(url_for("edition.kept"), code=303)


@pages.get("/review/<review_id>/edition/<photo_id>")
def show(review_id: str, photo_id: str) -> ResponseReturnValue:
    """The page on which the sheet in a photo is described."""
    _, review = current_review(current_tables(), readers(), device(), review_id)
    photo = review.photo(photo_id)
    if photo is None or not photo.is_pending:
        photo = _photo(review, photo_id)
    return render_template(
        "review/edition.html", review_id=review_id, photo=photo, **_context(photo)
    )


@pages.post("/review/<review_id>/edition/<photo_id>")
def change(review_id: str, photo_id: str) -> ResponseReturnValue:
    """Does what the form's `act` names."""
    act = request.form.get("act", "")
    if act == "keep":
        _, review = load_review(current_tables(), device(), review_id)
        name, table = description.named(
            _photo(review, photo_id).description, request.form.get("name", "")
        )
        current_tables().own_editions.keep(device(), name, table)
        return redirect(url_for("edition.kept"), code=303)
    if act not in ACTS:
        raise Refused("no-such-sheet")
    is_read = act != "move"
    with changing_review(current_tables(), device(), review_id) as review:
        photo = _photo(review, photo_id)
        if photo.is_pending:
            raise Refused("not-ready", reason=description.STILL_READ)
        photo.description = ACTS[act](photo, request.form)
        if is_read:
            photo.state, photo.at = "waiting", current_tables().now()
    if is_read:
        describe_photo(current_tables(), readers(), device(), review_id, photo)
    row = request.form.get("row") if act != "place" else None
    address = url_for("edition.show", review_id=review_id, photo_id=photo_id, row=row)
    return redirect(address, code=303)


def _place(photo: Photo, form: Mapping[str, str]) -> description.Description:
    sheet, _, name = form.get("like", "").partition("/")
    return description.started(sheet, name, _corners(form.get("corners", "")), photo.size)


def _check(photo: Photo, _form: Mapping[str, str]) -> description.Description:
    if not photo.description:
        raise Refused("no-such-sheet")
    return photo.description


def _move(photo: Photo, form: Mapping[str, str]) -> description.Description:
    return description.moved(_check(photo, form), form.get("row", ""), form.get("way", ""))


ACTS: Final[Mapping[str, Callable[[Photo, Mapping[str, str]], description.Description]]] = {
    "place": _place,
    "check": _check,
    "move": _move,
}
"""Act → the photo's description after it. All but a move look at the photo again."""


LABELS: Final[Mapping[str, str]] = {
    "left": N_("To the left"),
    "right": N_("To the right"),
    "up": N_("Up"),
    "down": N_("Down"),
    "shorter": N_("Closer together"),
    "longer": N_("Farther apart"),
    "narrower": N_("Narrower"),
    "wider": N_("Wider"),
    "lower": N_("Less high"),
    "higher": N_("Higher"),
}
"""Way of `description.WAYS` → the words of its button."""


def _photo(review: Review, photo_id: str) -> Photo:
    photo = review.photo(photo_id)
    if photo is None or not photo.has_picture:
        raise Refused("no-such-sheet")
    return photo


def _corners(text: str) -> Corners:
    """The corners of a form, as `12,30 400,28 …`; raises `Refused` with `bad-corners`."""
    try:
        points = [part.split(",") for part in text[:MOST_CHARACTERS].split()]
        a, b, c, d = ((float(x), float(y)) for x, y in points)
    except ValueError:
        raise Refused("bad-corners") from None
    return (a, b, c, d)


def _title(table: Mapping[str, Any]) -> str:
    kind = SHEETS[table["sheet"]]
    return say(kind.paper(kind.usual_board).title)


def _context(photo: Photo) -> dict[str, Any]:
    made = photo.description
    corners = made.get("corners") or _usual_corners(photo.size or (0, 0))
    groups = _groups(made["table"], corners) if made.get("is_placed") else {}
    row = request.args.get("row", "")
    return {
        "made": made,
        "corners": corners,
        "groups": groups,
        "row": row if row in groups else next(iter(groups), ""),
        "known": [(f"{sheet}/{name}", _title(table)) for (sheet, name), table in bases().items()],
        "troubles": [say(trouble_of(each).sentence) for each in photo.troubles]
        if photo.state == "failed"
        else [],
        "labels": LABELS,
    }


def _usual_corners(size: Sequence[int]) -> Corners:
    width, height = size
    left, top = width * INSET, height * INSET
    right, bottom = width - left, height - top
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def _groups(table: str, corners: Corners) -> dict[str, list[Corners]]:
    """Name of rows → the outlines of their fields in the photo."""
    made, rows = described_edition(table), tomllib.loads(table)
    paper, place = made.paper(made.sheet.usual_board), to_photo(corners)
    found: dict[str, list[Corners]] = {}
    for row in (*rows["fields"], *rows["blanks"]):
        for part in row["each"]:
            box = paper.places[row["id"].format(part)].box
            left, right = box.x / paper.width, (box.x + box.width) / paper.width
            top, bottom = box.y / paper.height, (box.y + box.height) / paper.height
            outline = place(left, top), place(right, top), place(right, bottom), place(left, bottom)
            found.setdefault(row["id"], []).append(outline)
    return found


def to_photo(corners: Corners) -> Callable[[float, float], Point]:
    """How the paper's points, 0 to 1 across and down, are seen in perspective (Heckbert 1989)."""
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    dx1, dx2, dx3 = x1 - x2, x3 - x2, x0 - x1 + x2 - x3
    dy1, dy2, dy3 = y1 - y2, y3 - y2, y0 - y1 + y2 - y3
    area = dx1 * dy2 - dx2 * dy1
    g, h = (dx3 * dy2 - dx2 * dy3) / area, (dx1 * dy3 - dx3 * dy1) / area

    def place(across: float, down: float) -> Point:
        depth = g * across + h * down + 1
        x = (x1 - x0 + g * x1) * across + (x3 - x0 + h * x3) * down + x0
        y = (y1 - y0 + g * y1) * across + (y3 - y0 + h * y3) * down + y0
        return x / depth, y / depth

    return place
