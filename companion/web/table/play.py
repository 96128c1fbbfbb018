"""The table's pages: lobby, play and end; every tap; the turns so far and their correction."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from flask import (
    Blueprint,
    Response,
    abort,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue

from companion.core.values import clean_name
from companion.tables import Refused, Table, Tap
from companion.tables.ledger.change import TableChange
from companion.tables.play import lobby
from companion.tables.upkeep.table_deletion import delete_table
from companion.web.page.fragments import is_fragment
from companion.web.page.language import page_language, say
from companion.web.page.security import device
from companion.web.page.serving import store
from companion.web.table import story
from companion.web.table.drawing import draw
from companion.web.table.end import end_context
from companion.web.table.live import stream_address
from companion.web.table.parts import drawings, play_context, without_indentation
from companion.web.table.seating import lobby_context, thumbnail

MOST_SEATS: Final = 100
"""Limit of the seats in an order; no game has as many players."""

pages = Blueprint("play", __name__, url_prefix="/t/<table_id>")


@pages.get("/")
def show(table_id: str) -> ResponseReturnValue:
    return _page(store().look(table_id, device()))


def _page(table: Table) -> ResponseReturnValue:
    template = "table/fragments/table.html" if is_fragment() else "table/table.html"
    snapshot = drawings().snapshot(table)
    values: dict[str, Any] = {
        "live": _stream_address(table),
        "root": snapshot.facts,
        "shape": snapshot.shape,
    }
    if table.phase == "lobby":
        values |= lobby_context(table)
    elif table.phase == "playing":
        values |= play_context(table, snapshot)
    else:
        values |= end_context(table, store().silence(table.id, device()))
    return without_indentation(render_template(template, **values))


def _stream_address(table: Table) -> str:
    return request.script_root + stream_address(table.id, device(), page_language())


@pages.get("/parts")
def parts(table_id: str) -> ResponseReturnValue:
    """The parts that a page lacks: those whose hashes are not in `have`. Changes nothing.

    Every process answers alike, whatever the page has got from any of them.
    """
    table = store().look(table_id, device())
    snapshot = drawings().snapshot(table)
    have = frozenset(request.args.get("have", "").split("."))
    changes = [part.change(None) for part in snapshot.parts.values() if part.hash not in have]
    live = json.dumps({"live": _stream_address(table)})
    answer = f"[{','.join((snapshot.header(), live, *changes))}]"
    return Response(answer, mimetype="application/json")


@pages.get("/version")
def version(table_id: str) -> ResponseReturnValue:
    """The table's version, for pages without a stream, which ask every few seconds."""
    return jsonify(version=store().version(table_id, device()))


@pages.get("/timer")
def timer(table_id: str) -> ResponseReturnValue:
    """The turn's timer in seconds, and the seconds since the turn's first entry.

    Elapsed time needs no clock that phones and server share.
    """
    table = store().look(table_id, device())
    turn = None if table.position is None else table.position.turn
    first = next((entry.at for entry in table.entries if entry.turn == turn), None)
    elapsed = None if first is None else store().now() / 1000 - first.timestamp()
    return jsonify(seconds=table.turn_timer, elapsed=None if elapsed is None else max(0, elapsed))


@pages.post("/taps")
def tap(table_id: str) -> ResponseReturnValue:
    """One tap. The answer comes when it is committed; sent twice it is still one entry."""
    saved = store().tap(table_id, device(), Tap.parse(_json_body()))
    return jsonify(version=saved.version, moment=saved.fingerprint)


def _json_body() -> Any:
    try:
        return request.get_json()
    except RecursionError:
        abort(400)


Form: TypeAlias = Mapping[str, str]

# The actions of the buttons in lobby and menu, each a POST that answers with the fresh table.
VERBS: Final[Mapping[str, Callable[[TableChange, Form], object]]] = {
    "game": lambda change, form: lobby.set_game(change, form.get("game", ""), _options(form)),
    "add": lambda change, form: lobby.add_seat(
        change, form.get("name", ""), form.get("color", ""), "take" in form
    ),
    "rename": lambda change, form: lobby.rename_seat(
        change, _seat(form), form.get("name", ""), form.get("color")
    ),
    "remove": lambda change, form: lobby.remove_seat(change, _seat(form)),
    "order": lambda change, form: lobby.order_seats(change, _numbers(form)),
    "first": lambda change, form: lobby.start_with(change, _seat(form)),
    "draw": lambda change, form: lobby.shuffle_start(change),
    "start": lambda change, form: lobby.start(change),
    "take": lambda change, form: lobby.take_seat(change, _seat(form)),
    "release": lambda change, form: lobby.release_seat(change, _seat(form)),
    "shared": lambda change, form: lobby.set_setting(change, "shared_entry", "shared" in form),
    "hints": lambda change, form: lobby.set_setting(change, "hints", "hints" in form),
    "scores": lambda change, form: lobby.set_setting(change, "scores", "scores" in form),
    "timer": lambda change, form: lobby.set_setting(
        change, "turn_timer", seat_number(form, "seconds")
    ),
    "again": lambda change, form: lobby.again(
        change, seat_number(form, "number") if "number" in form else None
    ),
    "lobby": lambda change, form: lobby.to_lobby(change),
}


@pages.post("/do/<any({}):verb>".format(", ".join(VERBS)))
def do(table_id: str, verb: str) -> ResponseReturnValue:
    """Does what a button of the lobby or the menu says."""
    store().change(table_id, device(), VERBS[verb], request.form)
    if is_fragment():
        return _page(store().look(table_id, device()))
    return redirect(url_for("play.show", table_id=table_id), code=303)


def _options(form: Mapping[str, str]) -> dict[str, str]:
    return {key.removeprefix("option."): form[key] for key in form if key.startswith("option.")}


def seat_number(form: Mapping[str, str], name: str) -> int:
    """A seat's number from a form; what is no number names no seat."""
    text = form.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else -1


def _seat(form: Mapping[str, str]) -> int:
    return seat_number(form, "seat")


def _numbers(form: Mapping[str, str]) -> list[int]:
    # The last part takes the rest, so that an order that is too long fits no table.
    parts = form.get("order", "").split(",", MOST_SEATS)
    return [seat_number({"seat": part}, "seat") for part in parts]


@pages.get("/turns")
def turns(table_id: str) -> ResponseReturnValue:
    """Everything entered in this game, turn by turn, and who changed what."""
    table = store().look(table_id, device())
    return render_template(
        "table/fragments/turns.html",
        table=table,
        turns=story.turns(table),
        changes=story.changes(table),
    )


@pages.get("/turns/<entry_id>")
def edit(table_id: str, entry_id: str) -> ResponseReturnValue:
    """The choices for correcting one entry."""
    table = store().look(table_id, device())
    entry, before = story.entry_with_position(table, entry_id)
    panel = table.game.panel
    player = clean_name(entry.action.get("by")) or ""
    if story.is_undone_only(table.game, entry.action) or (player and player not in before.players):
        raise Refused("no-such-entry")
    picker = panel.picker(before, entry)
    drawing = None
    if player and (filled := table.game.filled(before, player)) is not None:
        taps, others = panel.taps(before, player), panel.marks(before, player)
        barred = panel.barred(before, player)
        drawing = draw(filled, taps, player, others, barred, player)
    return render_template(
        "table/fragments/edit.html",
        table=table,
        entry=entry,
        description=panel.describe(before, entry.action),
        player=player,
        panel=panel,
        picker=picker,
        drawing=drawing,
        passing=panel.passing(before, player) if player else None,
        skip=table.game.skip(player) if player else None,
        seat_id=next((seat.id for seat in table.seats if seat.name == player), 0),
    )


@pages.post("/turns/<entry_id>")
def preview(table_id: str, entry_id: str) -> ResponseReturnValue:
    """Shows what a correction would change, and changes nothing."""
    table = store().look(table_id, device())
    if table.me.role == "viewer":
        raise Refused("view-only")
    action = _json_object(request.form["action"])
    fixes = {
        key.removeprefix("fix."): _json_object(value)
        for key, value in request.form.items()
        if key.startswith("fix.")
    }
    inserts = "insert" in request.args
    correction = store().preview(table_id, device(), entry_id, action, fixes, inserts)
    # Another fit is offered first: one dropped entry must not drop a whole match.
    while more := story.suggested_fixes(table, correction, fixes):
        fixes |= more
        correction = store().preview(table_id, device(), entry_id, action, fixes, inserts)
    _, before = story.entry_with_position(table, entry_id)
    return render_template(
        "table/fragments/preview.html",
        table=table,
        action_json=json.dumps(action),
        correction=correction,
        old=story.describe(table, before, correction.entry.action),
        new=story.describe(table, before, action),
        unfit=story.unfit(table, correction),
        send=json.dumps(
            {
                "before" if inserts else "replaces": entry_id,
                "action": action,
                "fixes": correction.fixes,
                "version": table.version,
            }
        ),
    )


def _json_object(text: str) -> dict[str, Any] | None:
    """The JSON object in a form field; None for "null", which takes an entry away.

    Raises:
        Refused: it is neither.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused("bad-tap", why="action") from None
    if value is not None and not isinstance(value, dict):
        raise Refused("bad-tap", why="action")
    return value


@pages.get("/why/<int:seat>")
def why(table_id: str, seat: int) -> ResponseReturnValue:
    """Why what a player has tapped so far leads nowhere; changes nothing."""
    table = store().look(table_id, device())
    name = next((other.name for other in table.seats if other.id == seat), "")
    if table.position is None or name not in table.position.players:
        return jsonify(message="")
    position = table.position
    if entry_id := request.args.get("entry"):
        _, position = story.entry_with_position(table, entry_id)
    refusal = table.game.panel.why(position, name, request.args)
    return jsonify(message=say(refusal) if refusal else "")


@pages.get("/menu")
def menu(table_id: str) -> ResponseReturnValue:
    table = store().look(table_id, device())
    return render_template(
        "table/fragments/menu.html",
        table=table,
        hint_name=table.game.panel.hint_name,
        silence=store().silence(table_id, device()),
        thumbnail=thumbnail,
    )


@pages.get("/delete")
def ask_delete(table_id: str) -> ResponseReturnValue:
    """Says what deleting the table would do, before it is done."""
    table = store().look(table_id, device())
    if table.me.role != "host":
        raise Refused("not-host") if table.me.role == "player" else Refused("view-only")
    return render_template("table/delete_table.html", table=table)


@pages.post("/delete")
def delete(table_id: str) -> ResponseReturnValue:
    """Deletes the table for good."""
    delete_table(store(), table_id, device())
    return redirect(url_for("start.show"), code=303)


@pages.get("/record.json")
def record(table_id: str) -> ResponseReturnValue:
    """The game as a `companion-record/1` file."""
    document = store().export(table_id, device())
    response = jsonify(document)
    name = f"{document['game']}-{table_id[:6]}.json"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
