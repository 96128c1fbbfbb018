"""A review's pages: looking through what was read or typed in, correcting it, saving the game."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from flask import Blueprint, Response, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from companion.core.game import Game
from companion.core.words import N_, Word
from companion.games.catalog import SHEETS
from companion.games.grid_layout import SHEET as TABLE
from companion.games.others import ANY, any_game
from companion.paper import saving
from companion.paper.form_marks import parse_mark
from companion.paper.photos.sending import review_after_losses
from companion.paper.review import Review, changing_review, load_review
from companion.paper.saving import name_in_words
from companion.paper.totals import incomplete
from companion.tables import Refused
from companion.tables.ledger.names import checked_name, name_key
from companion.web.page.context import current_tables, form_number, is_fragment
from companion.web.page.language import join_names, say
from companion.web.page.security import device
from companion.web.review.readers import readers
from companion.web.review.review_view import (
    chosen_board,
    chosen_game,
    field_context,
    obstacle_text,
    review_context,
)

pages = Blueprint("review", __name__)


@pages.get("/review/<review_id>/")
def show(review_id: str) -> ResponseReturnValue:
    """The page of a review; of one that was saved, the game that it has become."""
    try:
        return _page(review_id)
    except Refused:
        if not saving.is_saved(current_tables(), device(), review_id):
            raise
        return redirect(url_for("history.match", match_id=review_id), code=303)


def _page(review_id: str, asked: str = "") -> ResponseReturnValue:
    """The page of a review, or its fragment; `asked` is as in `review_context`."""
    version, found = review_after_losses(current_tables(), readers(), device(), review_id)
    template = "review/fragments/review.html" if is_fragment() else "review/review.html"
    asked = asked or request.args.get("sheet") or request.form.get("shown", "")
    context = review_context(
        review_id,
        version,
        found,
        asked,
        whose=request.args.get("whose", ""),
        answered=request.form.get("answered", ""),
        recent=lambda: current_tables().history.recent_names(device()),
    )
    return render_template(template, **context)


@pages.get("/review/<review_id>/progress")
def progress(review_id: str) -> ResponseReturnValue:
    """The page when anything has changed, else an empty answer."""
    version, _ = review_after_losses(current_tables(), readers(), device(), review_id)
    if str(version) == request.args.get("version"):
        return "", 204
    return _page(review_id)


@pages.get("/review/<review_id>/<name>.jpg")
def picture(review_id: str, name: str) -> ResponseReturnValue:
    """The flattened picture of a sheet, or a photo that is shown."""
    # No browser keeps a copy, as of any page: it would outlive a review or game that is deleted.
    raw = current_tables().reviews.picture(review_id, device(), name)
    return Response(raw, mimetype="image/jpeg")


@pages.get("/review/<review_id>/<sheet_id>/<field_name>")
def field(review_id: str, sheet_id: str, field_name: str) -> ResponseReturnValue:
    _, found = load_review(current_tables(), device(), review_id)
    asked = request.args.get("shown", "")
    context = field_context(review_id, found, found.sheet(sheet_id), field_name, asked)
    template = "review/fragments/review_field.html" if is_fragment() else "review/review_field.html"
    return render_template(template, **context)


@pages.post("/review/<review_id>/<sheet_id>/<field_name>")
def correct(review_id: str, sheet_id: str, field_name: str) -> ResponseReturnValue:
    def set_it(found: Review) -> None:
        sheet = found.sheet(sheet_id)
        if field_name not in sheet.fields:
            raise Refused("no-such-sheet")
        text = request.form.get("value", "-")
        sheet.set(field_name, parse_mark(sheet.fields[field_name], text))

    return _changed(review_id, set_it)


def _changed(review_id: str, change_it: Callable[[Review], object]) -> ResponseReturnValue:
    """The page after a change, which returns the id of the sheet to show, or None for the same."""
    with changing_review(current_tables(), device(), review_id) as found:
        changed = change_it(found)
    asked = changed if isinstance(changed, str) else ""
    if is_fragment():
        return _page(review_id, asked)
    shown = asked or request.form.get("shown") or None
    anchor = "sheet-title" if asked else None
    address = url_for("review.show", review_id=review_id, sheet=shown, _anchor=anchor)
    return redirect(address, code=303)


def _place() -> int:
    """The column that a form names; the first one if it names none."""
    return form_number(request.form, "place") if "place" in request.form else 0


def _leave_nameless(found: Review, form: Mapping[str, str]) -> None:
    """Marks a sheet, a column or all unnamed sheets of a game as anonymous."""
    if "on" in form:
        found.leave_nameless(form["on"], _place())
        return
    for sheet, place in found.game_with(form.get("key", "")).undecided():
        found.leave_nameless(sheet.id, place)


def _move(found: Review, form: Mapping[str, str]) -> str:
    """Puts a sheet to another game: that of another sheet, or one of its own."""
    sheet = found.sheet(form.get("on", ""))
    found.move(sheet.id, found.sheet(form["to"]).key if "to" in form else "")
    return sheet.id


def _keep_one(found: Review, form: Mapping[str, str]) -> None:
    """Keeps one of each group of equal sheets, of those that were asked about."""
    asked = form.get("gone", "").split()
    for kept, *others in found.game_with(form.get("on", "")).doubles():
        for gone in others:
            if gone.id in asked:
                found.keep_one(kept.id, gone.id)


def _keep_apart(found: Review, form: Mapping[str, str]) -> None:
    """Notes that sheets are not earlier ones photographed again."""
    for sheet_id in form.get("gone", "").split():
        found.sheet(sheet_id).is_distinct = True


def _widen(found: Review, form: Mapping[str, str]) -> None:
    """Adds a column to a shared sheet that is typed in, or takes an empty one away."""
    sheet = found.sheet(form.get("on", ""))
    if sheet.has_picture or not sheet.is_shared:
        raise Refused("no-such-sheet")
    if "fewer" not in form and sheet.places < sheet.most_places:
        sheet.players = list(map(sheet.player, range(sheet.places + 1)))
    elif "fewer" in form and sheet.has_spare_column:
        sheet.players = sheet.players[: sheet.places - 1]


def _drop(found: Review, form: Mapping[str, str]) -> None:
    """Leaves out a column that belongs to no player, or includes it again."""
    sheet, place = found.sheet(form.get("on", "")), _place()
    if "back" in form:
        sheet.take_back(place)
    else:
        sheet.drop(place)


def _choose_game(found: Review, form: Mapping[str, str], named: Game | None) -> None:
    """Sets the game of the sheets that are shown, who wins, and what counts of a table."""
    part = found.game_with(form.get("shown", ""))
    is_nameless = part.sheet_name == TABLE.name and "title" in form
    game = named or (ANY if is_nameless else chosen_game(form))
    if game.packages and game.name not in part.candidates:
        text = N_("%(game)s has sheets of its own. Photograph those, or enter just the totals.")
        raise incomplete(text, game=Word(game.title)).at("title")
    wins = form.get("wins", "")
    if part.sheet_name == TABLE.name and game == ANY and not wins:
        raise incomplete(N_("Say who wins.")).at("wins")
    if wins and game.stands_for_any:
        game = any_game(game.title, lowest_wins=wins == "lowest")
    found.wins[part.key] = wins
    for sheet in part.sheets:
        if f"row.{sheet.id}" in form:
            sheet.choose_row(form_number(form, f"row.{sheet.id}"))
    if part.key:
        found.chosen[part.key] = game.name
    else:
        found.game = game.name


def _choose_dashes(found: Review, form: Mapping[str, str]) -> None:
    """Sets what all dashes of a table stand for: 0, or nothing."""
    found.sheet(form.get("on", "")).choose_dashes(0 if form.get("mark") else None)


def _add(found: Review, form: Mapping[str, str]) -> str:
    """Adds an empty sheet, which may be typed in from a photo."""
    sheet = form.get("kind", "")
    if sheet not in SHEETS:
        raise Refused("no-such-game")
    photo = found.photo(form.get("photo", ""))
    added = found.add(sheet, chosen_board(SHEETS[sheet], form), photo=photo.id if photo else "")
    if player := form.get("player", ""):
        found.name_sheet(added.id, 0, checked_name(player))
    if photo is not None and len(photo.troubles) == 1:
        photo.troubles = []
    return added.id


def _note_absent(found: Review, form: Mapping[str, str]) -> None:
    """Notes that an expected player did not play."""
    found.names = [name for name in found.names if name != form.get("player")]


def _cancel(found: Review, form: Mapping[str, str]) -> None:
    photo = found.photo(form.get("photo", ""))
    if photo is None:
        raise Refused("no-such-sheet")
    if photo.is_pending:
        readers().cancel(photo.id)
        found.photos.remove(photo)


def _dismiss(found: Review, form: Mapping[str, str]) -> None:
    """Takes note of what was not read in a photo."""
    photo = found.photo(form.get("photo", ""))
    if photo is not None and not photo.is_pending:
        photo.troubles = []


# Last part of the address → change of the review; one that returns a sheet's id has it shown
VERBS: Final[Mapping[str, Callable[[Review, Mapping[str, str]], object]]] = {
    "nameless": _leave_nameless,
    "move": _move,
    "keep": _keep_one,
    "not_twice": _keep_apart,
    "widen": _widen,
    "drop": _drop,
    "dashes": _choose_dashes,
    "add": _add,
    "did_not_play": _note_absent,
    "remove": lambda found, form: found.remove(form.get("on", "")),
    "edition": lambda found, form: found.sheet(form.get("on", "")).confirm_edition(),
    "other_printing": lambda found, form: found.refuse_edition(form.get("on", "")),
    "checked": lambda found, form: found.sheet(form.get("on", "")).confirm(),
    "misread": lambda found, form: found.sheet(form.get("on", "")).forget_sum(form.get("sum", "")),
    "cancel": _cancel,
    "dismiss": _dismiss,
}


@pages.post("/review/<review_id>/do/name")
def name_sheet(review_id: str) -> ResponseReturnValue:
    """Gives a sheet or column a name, spelled as in the latest match."""
    raw = request.form.get("name", "")
    typed = checked_name(raw) if raw.strip() else ""
    # Looked up before the change, in which nobody else writes: there may be thousands of matches.
    spelled = current_tables().history.known_names(device(), [typed])[0] if typed else ""

    def name_it(found: Review) -> None:
        name = typed and found.known_names.get(name_key(typed), spelled)
        found.name_sheet(request.form.get("on", ""), _place(), name)

    return _changed(review_id, name_it)


@pages.post("/review/<review_id>/do/game")
def choose_game(review_id: str) -> ResponseReturnValue:
    """Sets the game of the sheets that are shown; see `_choose_game`."""
    form = request.form
    # Before the change, like a name: games of a typed title are looked for in the whole history.
    is_named = form.get("game") or form.get("title", "").strip()
    named = chosen_game(form) if is_named else None
    return _changed(review_id, lambda found: _choose_game(found, form, named))


@pages.post("/review/<review_id>/do/<any({}):verb>".format(", ".join(VERBS)))
def do(review_id: str, verb: str) -> ResponseReturnValue:
    """Applies one of `VERBS` to a review. Other verbs are not found (404)."""
    return _changed(review_id, lambda found: VERBS[verb](found, request.form))


@pages.get("/review/<review_id>/discard")
def ask_discard(review_id: str) -> ResponseReturnValue:
    """Asks before a review is discarded, and says what will be lost."""
    _, found = review_after_losses(current_tables(), readers(), device(), review_id)
    names = [name_in_words(player, say) for game in found.games for player in game.players()]
    return render_template(
        "review/review_discard.html",
        review_id=review_id,
        review=found,
        players=join_names(names) if names else "",
    )


@pages.post("/review/<review_id>/discard")
def discard(review_id: str) -> ResponseReturnValue:
    if edited := _discard(review_id).edits:
        return redirect(url_for("history.match", match_id=edited), code=303)
    return redirect(url_for("start.show"), code=303)


@pages.post("/photo/discard")
def discard_all() -> ResponseReturnValue:
    """Deletes the reviews that the form names; one that is gone already is passed over."""
    for review_id in request.form.getlist("review"):
        with suppress(Refused):
            _discard(review_id)
    return redirect(url_for("photo.show"), code=303)


def _discard(review_id: str) -> Review:
    with current_tables().reviews.changing(review_id, device()) as change:
        change.is_over = True
    found = Review.load(change.body)
    for photo in found.photos:
        readers().cancel(photo.id)
    return found


@pages.post("/review/<review_id>/save")
def save(review_id: str) -> ResponseReturnValue:
    """Saves one game of the review in the history; the next game is shown, if there is one."""
    key = request.form.get("key", "")
    try:
        match_id = saving.save(
            current_tables(), device(), review_id, say, key, again="again" in request.form
        )
    except saving.NotReady as error:
        reason = obstacle_text(error.obstacle)
        raise Refused("not-ready", reason=reason) from None
    try:
        load_review(current_tables(), device(), review_id)
    except Refused:
        return redirect(url_for("history.match", match_id=match_id), code=303)
    return redirect(url_for("review.show", review_id=review_id), code=303)


@pages.post("/review/<review_id>/play")
def play_on(review_id: str) -> ResponseReturnValue:
    """Goes on with a game of the review at a table, on all phones."""
    _, found = load_review(current_tables(), device(), review_id)
    try:
        record = saving.begun(found.game_with(request.form.get("key", "")))
    except saving.NotReady as error:
        raise Refused("not-ready", reason=obstacle_text(error.obstacle)) from None
    table_id = current_tables().import_record(device(), record)
    return redirect(url_for("play.show", table_id=table_id), code=303)


@pages.get("/history/<match_id>/photo/<int:number>.jpg")
def kept_photo(match_id: str, number: int) -> ResponseReturnValue:
    found = current_tables().history.match(device(), match_id)
    raw = current_tables().reviews.kept_photo(found.id, number)
    return Response(raw, mimetype="image/jpeg")
