"""The turns so far, and the correction of one entry: its choices, and what it would change."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import partial
from typing import Any

from flask import Blueprint, abort, jsonify, render_template, request
from flask.typing import ResponseReturnValue
from markupsafe import Markup

from companion.core.position import Position
from companion.core.refusal import Refusal
from companion.core.values import Player, clean_name
from companion.core.words import Sentence
from companion.games.record import play_action
from companion.tables import Refused, Table
from companion.tables.ledger.corrections import Correction, fits_before
from companion.tables.ledger.match import Entry
from companion.web.page.context import current_tables
from companion.web.page.language import say
from companion.web.page.security import device
from companion.web.table import all_turns
from companion.web.table.shared_view import played_or_same, position_of
from companion.web.table.sheet_drawing import differences, draw

pages = Blueprint("correcting", __name__, url_prefix="/t/<table_id>")


@dataclass(frozen=True)
class UnfitView:
    """An entry that no longer fits after a correction."""

    turn: int
    description: Sentence
    reason: Refusal
    replacement: Sentence | None  # the entry in its place; None if it is left out


@pages.get("/turns")
def show(table_id: str) -> ResponseReturnValue:
    """Everything entered in this game, turn by turn, and who changed what."""
    table = current_tables().read(table_id, device())
    players = table.position.players if table.position else ()
    return render_template(
        "table/fragments/turns.html",
        table=table,
        turns=all_turns.turns(table),
        players=[seat for seat in table.seats if seat.name in players],
        changes=all_turns.changes(table),
    )


@pages.get("/changes")
def changes(table_id: str) -> ResponseReturnValue:
    """The dialog for changing a running game, with the results of the changes."""
    table = current_tables().read(table_id, device())
    if not table.game.panel.has_changes:
        abort(404)
    if table.position is None:
        raise Refused("not-started")
    if not table.may_end:
        raise Refused("not-yours-to-end")
    facts = table.game.panel.changes(table.position, request.args)
    return render_template(f"games/{table.game.package}/changes.html", table=table, facts=facts)


@pages.get("/turns/<entry_id>")
def edit(table_id: str, entry_id: str) -> ResponseReturnValue:
    table = current_tables().read(table_id, device())
    entry, before = all_turns.entry_with_position(table, entry_id)
    panel = table.game.panel
    player = clean_name(entry.action.get("by")) or ""
    if "late" in request.args:
        return _write_late(table, entry, before)
    is_of_stranger = player and player not in before.players
    if is_of_stranger or all_turns.is_undone_only(table.game, entry.action):
        raise Refused("no-such-entry")
    picker = panel.picker(before, entry)
    drawing = None
    is_tapped = picker is None or "sets" in picker
    if is_tapped and player and (filled := table.game.filled(before, player)) is not None:
        taps, others = panel.taps(before, player), panel.marks(before, player)
        after = play_action(before, entry.action)
        old = None if isinstance(after, Refusal) else table.game.filled(after, player)
        changed = differences(old, filled) if old else {}
        drawing = draw(filled, taps, player, others, player, changed)
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
        pass_action=table.game.pass_action(player) if player else None,
        seat_id=next((seat.id for seat in table.seats if seat.name == player), 0),
    )


def _write_late(table: Table, entry: Entry, before: Position) -> str:
    """The earlier sheet of a skipped player, with the fields that change nothing else."""
    match, panel = table.state.match, table.game.panel
    number = request.args.get("late", type=int)
    seat = next((seat for seat in table.seats if seat.id == number), None)
    index = match.index_of(entry.id) if match else None
    if match is None or index is None or seat is None or seat.name not in before.awaited:
        raise Refused("no-such-entry")
    taps = {}
    for field, tap in panel.taps(before, seat.name).items():
        if tap.is_open and fits_before(match, index, dict(tap.action)):
            taps[field] = tap
    filled, others = table.game.filled(before, seat.name), panel.marks(before, seat.name)
    return render_template(
        "table/fragments/late.html",
        table=table,
        entry=entry,
        seat=seat,
        picker=panel.player_facts(before, seat.name),
        drawing=draw(filled, taps, seat.name, others, seat.name) if filled else "",
    )


@pages.post("/turns/<entry_id>")
def preview(table_id: str, entry_id: str) -> ResponseReturnValue:
    """Shows what a correction would change, and changes nothing."""
    table = current_tables().read(table_id, device())
    if table.me.role == "viewer":
        raise Refused("view-only")
    action = _json_object(request.form["action"])
    inserts = "insert" in request.args
    entry, before = all_turns.entry_with_position(table, entry_id)
    corrected_to = partial(current_tables().preview, table_id, device(), entry_id, inserts=inserts)
    try:
        correction = corrected_to(action)
    except Refused as refused:
        passing = table.game.pass_action(entry.by) if action is None and entry.by else None
        if refused.code != "does-not-fit" or passing in (None, entry.action):
            raise
        if isinstance(play_action(before, passing), Refusal):
            raise
        # In a closed turn, taking back an entry means passing.
        action, correction = passing, corrected_to(passing)
    after = play_action(before, action) if inserts and action else before
    return render_template(
        "table/fragments/preview.html",
        table=table,
        correction=correction,
        old=all_turns.describe(
            table, before if isinstance(after, Refusal) else after, correction.entry.action
        ),
        new=all_turns.describe(table, before, action),
        unfit=_unfit(table, correction),
        sheets=_changed_sheets(table, correction),
        send=json.dumps(
            {
                "before" if inserts else "replaces": entry_id,
                "action": action,
                "fixes": correction.fixes,
                "version": table.version,
            }
        ),
    )


def _changed_sheets(table: Table, correction: Correction) -> dict[Player, Markup]:
    panel, now, after = table.game.panel, position_of(table), correction.after
    sheets = {}
    for player in after.players:
        if player in table.hidden:
            continue
        before, filled = table.game.filled(now, player), table.game.filled(after, player)
        changed = differences(before, filled) if before and filled else None
        if filled and changed:
            others = panel.marks(after, player)
            sheets[player] = draw(filled, {}, player, others, changed=changed)
    return sheets


def _json_object(text: str) -> dict[str, Any] | None:
    """The JSON object in a form field; None for "null", which removes an entry.

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
    """Why no legal action has what a player has tapped so far; changes nothing."""
    table = current_tables().read(table_id, device())
    name = next((other.name for other in table.seats if other.id == seat), "")
    if table.position is None or name not in table.position.players:
        return jsonify(message="")
    panel = table.game.panel
    if entry_id := request.args.get("entry"):
        _, position = all_turns.entry_with_position(table, entry_id)
    else:
        implied = panel.implied(table.position, name, table.all_dice)
        position = played_or_same(table.position, implied)
    refusal = panel.why(position, name, request.args)
    return jsonify(message=say(refusal) if refusal else "")


def _unfit(table: Table, correction: Correction) -> list[UnfitView]:
    """The entries that no longer fit after a correction, with the replacement of each."""
    before = {entry.id: position for entry, position in all_turns.with_positions(table)}
    describe = table.game.panel.describe
    views = []
    for unfit in correction.unfit:
        if unfit.by in table.hidden:
            continue
        if unfit.entry not in before:
            raise Refused("stale")  # the entry was made after the table was read
        description = all_turns.describe(table, before[unfit.entry], unfit.action)
        replacement = describe(unfit.position, unfit.becomes) if unfit.becomes else None
        views.append(UnfitView(unfit.turn, description, unfit.refusal, replacement))
    return views
