"""The table's pages: lobby, play and end; every tap and every button."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, TypeAlias

from flask import (
    Blueprint,
    abort,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue
from werkzeug.datastructures import MultiDict

from companion.core.game import AnyGame, Game
from companion.core.values import Options, clean_title
from companion.games.catalog import GAMES
from companion.games.others import names_of
from companion.tables import Refused, Table, Tap
from companion.tables.ledger.change import TableChange
from companion.tables.ledger.events import ENTRY_KINDS, START
from companion.tables.ledger.table_settings import SETTINGS
from companion.tables.play import access, lobby, roller
from companion.tables.upkeep.table_deletion import delete_table
from companion.web.page.context import current_tables, form_number, is_fragment
from companion.web.page.language import page_language
from companion.web.page.security import device
from companion.web.table.end import end_context
from companion.web.table.live import stream_address
from companion.web.table.page_parts import drawings, play_context, without_indentation
from companion.web.table.seating import lobby_context, thumbnail

MOST_SEATS: Final = 100  # Limit of the seats in an order; no game has as many players

pages = Blueprint("play", __name__, url_prefix="/t/<table_id>")


@pages.get("/")
def show(table_id: str) -> ResponseReturnValue:
    """The table's page in its present phase, or its fragment for htmx."""
    return _page(current_tables().read(table_id, device()))


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
        values |= end_context(table, current_tables().silent_phones(table.id))
    return without_indentation(render_template(template, **values))


def _stream_address(table: Table) -> str:
    return request.script_root + stream_address(table.id, device(), page_language())


@pages.get("/version")
def version(table_id: str) -> ResponseReturnValue:
    """The table's version, for pages without a stream, which ask every few seconds."""
    return jsonify(version=current_tables().version(table_id, device()))


@pages.get("/timer")
def timer(table_id: str) -> ResponseReturnValue:
    """The turn's timer in seconds, and the seconds since it began to count."""
    # It counts from the turn's first entry, or from the moment when it was set during the turn.
    # Elapsed time needs no clock that phones and server share.
    table = current_tables().read(table_id, device())
    turn = None if table.position is None else table.position.turn
    began = next((entry.at for entry in table.entries if entry.turn == turn), None)
    for event in reversed(table.log):
        if event.kind == SETTINGS["turn_timer"].kind:
            began = max(began or event.at, event.at)
            break
        if event.kind == START or (began is None and event.kind in ENTRY_KINDS):
            break
    elapsed = None if began is None else current_tables().now() / 1000 - began.timestamp()
    return jsonify(seconds=table.turn_timer, elapsed=None if elapsed is None else max(0, elapsed))


@pages.post("/taps")
def tap(table_id: str) -> ResponseReturnValue:
    """One tap. The answer comes when it is committed; sent twice it is still one entry."""
    saved = current_tables().tap(table_id, device(), Tap.parse(_json_body()))
    return jsonify(version=saved.version, moment=saved.moment)


def _json_body() -> Any:
    try:
        return request.get_json()
    except RecursionError:
        abort(400)


Form: TypeAlias = MultiDict[str, str]


def _set(name: str, change: TableChange, form: Form) -> None:
    """Sets a setting of the table to what its switch or list in the menu says."""
    is_switch = SETTINGS[name].choices == (False, True)
    lobby.set_setting(change, name, name in form if is_switch else form_number(form, name))


# The actions of the buttons in lobby and menu, each a POST that answers with the fresh table.
VERBS: Final[Mapping[str, Callable[[TableChange, Form], object]]] = {
    "game": lambda change, form: lobby.set_game(
        change, form.get("game", ""), _options(change, form)
    ),
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
    "take_over": lambda change, form: lobby.take_seat(change, _seat(form), is_held=True),
    "return": lambda change, form: lobby.return_seat(change, _seat(form)),
    "release": lambda change, form: lobby.release_seat(change, _seat(form)),
    "again": lambda change, form: lobby.again(change, _match_number(form)),
    "lobby": lambda change, form: lobby.to_lobby(change, _match_number(form)),
    # Ways on for a table that would be stuck: an early end, a lost host, lost dice.
    "stop": lambda change, form: lobby.stop(change, _match_number(form)),
    "host": lambda change, form: access.take_host_role(change, current_tables().presence.is_silent),
    "roll": lambda change, form: roller.roll(
        change, form.getlist("dice"), form.get("moment", ""), form.getlist("held")
    ),
    **{name: partial(_set, name) for name in SETTINGS},
}


@pages.post("/do/<any({}):verb>".format(", ".join(VERBS)))
def do(table_id: str, verb: str) -> ResponseReturnValue:
    """Does what a button of the lobby or the menu says."""
    form = _with_title(request.form) if verb == "game" else request.form
    current_tables().change(table_id, device(), VERBS[verb], form)
    if is_fragment():
        return _page(current_tables().read(table_id, device()))
    return redirect(url_for("play.show", table_id=table_id), code=303)


def _options(change: TableChange, form: Mapping[str, str]) -> dict[str, Any]:
    """The options of the table's game, with those that a form changes."""
    game, state = GAMES.get(form.get("game", "")), change.state
    if game is None:
        return {}
    options = _choosable(game, state.options or {}) if state.game == game.name else {}
    for key, text in form.items():
        prefix, dot, name = key.partition(".")
        if prefix == "option" and dot:
            options[name] = game.read_option(name, text)
    return _choosable(game, options)


def _choosable(game: Game, options: Options) -> dict[str, Any]:
    """The options without those that follow from others."""
    settled = game.panel.options.keys() - game.panel.options_with(options).keys()
    return {name: value for name, value in options.items() if name not in settled}


def _with_title(form: Form) -> Form:
    """The form with the options that go with the title that it names."""
    game, title = GAMES.get(form.get("game", "")), clean_title(form.get("option.title", ""))
    if not isinstance(game, AnyGame) or title is None:
        return form
    former = current_tables().history.last_options(device(), names_of(title))
    own = {f"option.{name}": str(value) for name, value in game.chosen(title, former).items()}
    return MultiDict({**own, **form.to_dict()})


def _match_number(form: Mapping[str, str]) -> int | None:
    return form_number(form, "number") if "number" in form else None


def _seat(form: Mapping[str, str]) -> int:
    return form_number(form, "seat")


def _numbers(form: Mapping[str, str]) -> list[int]:
    # The last part takes the rest, so that an order that is too long fits no table.
    parts = form.get("order", "").split(",", MOST_SEATS)
    return [form_number({"seat": part}, "seat") for part in parts]


@pages.get("/menu")
def menu(table_id: str) -> ResponseReturnValue:
    """The table's menu, as a fragment that is fetched when it is opened."""
    table = current_tables().read(table_id, device())
    reviews = current_tables().reviews.of_device(device())
    return render_template(
        "table/fragments/menu.html",
        table=table,
        reviews=[review.id for review in reviews if review.body["table"] == table_id],
        silent_phones=current_tables().silent_phones(table_id),
        thumbnail=thumbnail,
        numbers=_numbers_so_far(table),
    )


def _numbers_so_far(table: Table) -> str | None:
    """Each player's numbers on a sheet that they share, to be printed with it; None without any."""
    sharing = table.game.sheet.sharing
    if sharing is None or table.shown is None:
        return None
    columns = {}
    for name in table.shown.players:
        if sheet := table.shown.sheet_of(name):
            columns[name] = sharing.columns(sheet)[0]
    return json.dumps(columns) if any(columns.values()) else None


@pages.get("/delete")
def ask_delete(table_id: str) -> ResponseReturnValue:
    """Says what deleting the table would do, before it is done."""
    table = current_tables().read(table_id, device())
    if not table.is_founder:
        raise Refused("not-host")
    return render_template("table/delete_table.html", table=table)


@pages.post("/delete")
def delete(table_id: str) -> ResponseReturnValue:
    delete_table(current_tables(), table_id, device())
    return redirect(url_for("start.show"), code=303)


@pages.get("/record.json")
def record(table_id: str) -> ResponseReturnValue:
    """The game as a `companion-record/1` file."""
    document = current_tables().export(table_id, device())
    response = jsonify(document)
    name = f"{document['game']}-{table_id[:6]}.json"
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
