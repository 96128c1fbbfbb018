"""The one gate for every tap.

Who → table → repeated → this match → over → whose seat → fresh → legal → append.

Each refusal has its own code; a refused tap leaves the table as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from companion.core.position import Position, game_over
from companion.core.refusal import Refusal
from companion.core.rolling import ROLLED, is_by_app
from companion.core.words import N_
from companion.tables.ledger import events as kinds
from companion.tables.ledger import rights
from companion.tables.ledger.change import TableChange, event_of_tap
from companion.tables.ledger.corrections import (
    Correction,
    correct,
    misfit_refused,
    played_or_refused,
    require_fit,
)
from companion.tables.ledger.events import Event, Tap, moment_of
from companion.tables.ledger.match import Match, Misfit, player_of_action
from companion.tables.ledger.rights import Member, require_entry, require_entry_for
from companion.tables.ledger.state import State
from companion.tables.play.changes_by_others import changed_marks
from companion.tables.play.lobby import seat_newcomers
from companion.tables.refusals import Refused

ANNOUNCED_SECONDS: Final = 5  # How often the log notes that a caller still taps

# The refusal of a player's act in a step that was closed without the player
CLOSED_BY: Final = N_("%(player)s had already gone on.")


@dataclass(frozen=True, slots=True)
class TapAnswer:
    """The answer to a tap that is in the database."""

    version: int  # the version of the table that the tap made; others may have followed
    moment: str  # the table's moment after the tap; empty in the lobby


def judge(change: TableChange, tap: Tap) -> TapAnswer:
    """Judges a tap and appends its event; `Store.changing` has checked device and table.

    Raises:
        Refused: the first check that fails, as listed above.
    """
    earlier = _earlier_event(change, tap)
    if earlier is not None:
        # Not the present one: a phone that lost the answer sends its waiting taps with this one,
        # and must not count as having seen what others have done since.
        return TapAnswer(earlier.seq, earlier.body.get("moment", tap.moment or ""))
    change.require_player()
    _require_present_match(change, tap)
    match = change.state.require_match(tap.undo)
    if tap.kind == kinds.CALL_CONFIRMED:
        _confirm_call(change, match, tap)
    elif tap.kind == kinds.CALL_REOPENED:
        _announce_call(change, tap)
    elif tap.dice is not None:
        _note_dice(change, match, tap, tap.dice)
    elif tap.implied is None:
        _enter(change, match, tap)
    else:
        _enter(change, *_enter_implied(change, match, tap, tap.implied))
    return TapAnswer(change.state.version, change.state.moment)


def _require_present_match(change: TableChange, tap: Tap) -> None:
    """Raises `Refused` with `earlier-game` for a tap that was made in an earlier match."""
    # It may have waited on a phone without network. An undo names an event instead of a moment.
    match, named = change.state.match, tap.named
    number = match.number if match else None
    if tap.match is not None and tap.match != number:
        raise Refused("earlier-game")
    is_here = named is None or (match is not None and match.event(named) is not None)
    if named and not is_here and event_of_tap(change.connection, change.table_id, named):
        raise Refused("earlier-game")


def _enter(change: TableChange, match: Match, tap: Tap) -> None:
    """Appends the event of a tap that changes an entry, unless nothing would change."""
    body: dict[str, Any] = {"action": tap.action}
    if tap.kind == kinds.ACTION:
        after = _play(change, match, tap)
    else:
        judged = _judge_toggle if tap.kind in (kinds.UNDO, kinds.REDO) else _judge_correction
        body, after = judged(change, match, tap)
        if tap.kind == kinds.REPLACE and body["action"] == body["old"] and not body["fixes"]:
            return
        if changed := changed_marks(match.game, match.position, after, change.state):
            body["changed"] = changed
    if tap.is_automatic:
        body["alone"] = True
    seat_newcomers(change, after)
    if after.fingerprint != tap.fingerprint:
        body["moment"] = moment_of(match.number, after.fingerprint)
    change.append(tap.kind, body, tap.id, after)


def _enter_implied(
    change: TableChange, match: Match, tap: Tap, implied: dict[str, Any]
) -> tuple[Match, Tap]:
    """Enters the action that a tap implies; returns the match and the tap to go on with."""
    # Several phones may imply the same one at once; the first of them enters it for all
    player = player_of_action(tap.action)
    if not _is_entered_already(match, tap, implied):
        _require_fresh(change, match, tap)
        panel, all_dice = match.game.panel, change.state.all_dice
        if player is None or implied != panel.implied(match.position, player, all_dice):
            raise Refused("stale")
        require_entry_for(change.state, change.member, player)
        after = played_or_refused(match.position, implied)
        name = f"first-{tap.id}"
        change.append(kinds.ACTION, {"action": implied, "unsaid": True}, name, after)
    match = change.state.match or match
    return match, replace(tap, fingerprint=tap.fingerprint and match.position.fingerprint)


def _is_entered_already(match: Match, tap: Tap, implied: dict[str, Any]) -> bool:
    """Whether somebody entered it since the person saw the table, and nothing else is new."""
    now = match.position.fingerprint
    for index in range(len(match.entries) - 1, -1, -1):
        entry = match.entries[index]
        if entry.action == implied or entry.turn < match.position.turn - 1:
            seen = match.position_before(index).fingerprint
            after = match.position_before(index + 1).fingerprint
            return entry.action == implied and after == now and tap.fingerprint in (seen, after)
    return False


def _confirm_call(change: TableChange, match: Match, tap: Tap) -> None:
    """Makes an open call final."""
    # Does nothing if the call is final already, has been changed since, or somebody has written:
    # the answer shows the person the table as it is
    call = rights.open_call(change.state)
    if call is None or call.entry != tap.final:
        return
    state, me = change.state, change.member
    may = rights.may_make_final(state, me, call)
    if not may or rights.wait_for_caller(state, me, call, change.now):
        raise Refused("call-open", player=call.player)
    _require_fresh(change, match, tap)
    change.append(kinds.CALL_CONFIRMED, rights.final_call(match.entries[-1]))


def _announce_call(change: TableChange, tap: Tap) -> None:
    """Notes that the caller still taps, and whether they are about to call again."""
    # Opens a call again that another device has made final. Does nothing where it comes too late.
    state = change.state
    call = rights.last_call(state)
    if call is None or call.entry != tap.anew:
        return
    is_known = call.is_made_again == tap.on and call.seconds_silent(change.now) < ANNOUNCED_SECONDS
    if rights.is_final(state):
        is_known = tap.on
    if not is_known and rights.is_callers_device(state, change.member, call):
        change.append(kinds.CALL_REOPENED, {"entry": call.entry, "on": tap.on})


def _note_dice(change: TableChange, match: Match, tap: Tap, tapped: dict[str, Any]) -> None:
    """Notes the dice that a caller has tapped so far, unless it is too late or nobody sees them."""
    dice = match.position.next_roll
    if dice is None or tap.fingerprint != match.position.fingerprint:
        return
    rights.require_roll(change.state, change.member, match.position)
    faces = {die.part: die.faces for die in dice.dice}
    for part, face in tapped.items():
        if isinstance(face, bool) or face not in faces.get(part, ()):
            raise Refused("bad-tap", why="dice")
    if rights.has_other_devices(change.state, change.member.id, match.position.active):
        change.append(kinds.DICE_TAPPED, {"dice": tapped, "moment": match.moment})


def preview(
    state: State,
    me: Member,
    entry_id: str,
    action: dict[str, Any] | None,
    *,
    inserts: bool = False,
) -> Correction:
    """A correction of an entry, or an insertion before it, and its consequences.

    Raises:
        Refused: this device cannot make it, or the rules forbid it.
    """
    if me.role == "viewer":
        raise Refused("view-only")
    match = state.require_match()
    index = match.index_of(entry_id)
    if index is None:
        raise Refused("no-such-entry")
    if not inserts:
        require_entry(state, me, match.entries[index].action)
    if action is not None:
        require_entry(state, me, action)
    correction = correct(match, index, action, inserts=inserts)
    # Changing one's own entry must not be a way to change somebody else's.
    for unfit in correction.unfit:
        require_entry_for(state, me, unfit.by)
    return correction


def _earlier_event(change: TableChange, tap: Tap) -> Event | None:
    """The event that this tap made when it came before; raises `bad-tap` for another tap's id."""
    event = event_of_tap(change.connection, change.table_id, tap.id)
    if event is None:
        return None
    named: object
    if tap.kind in kinds.ENTRY_KINDS:
        made, named = "action", tap.action
    elif tap.kind == kinds.REPLACE:
        made, named = "entry", tap.replaces
    else:
        made, named = "event", tap.undo or tap.redo
    if event.kind != tap.kind or event.body[made] != named:
        raise Refused("bad-tap", why="id")
    return event


def _require_fresh(change: TableChange, match: Match, tap: Tap) -> None:
    """Raises `Refused` with `stale` when the person saw another state of the match."""
    if tap.fingerprint is not None and tap.fingerprint != match.position.fingerprint:
        raise Refused("stale")
    if tap.version is not None and tap.version != change.state.version:
        raise Refused("stale")


def stale(state: State, tap: Tap) -> Refused:
    """The refusal of a stale tap; it has a sentence of its own if the player was skipped."""
    closing = None
    if state.match is not None and tap.kind == kinds.ACTION and tap.fingerprint is not None:
        closing = state.match.skipping(player_of_action(tap.action), tap.fingerprint)
    if closing is None or closing.by is None:
        return Refused("stale")
    return Refused(Refusal("stale", CLOSED_BY, {"player": closing.by}), entry=closing.id)


def _play(change: TableChange, match: Match, tap: Tap) -> Position:
    """The position after a tap's action; raises `Refused` if it cannot be played."""
    action = tap.action or {}
    may_follow = match.position.over and action.get("do") in match.position.AFTER_END
    if match.is_over and not may_follow:
        raise Refused(game_over())
    _require_by_hand(action)
    require_entry(change.state, change.member, action)
    if match.closes(action) and not rights.may_close(
        change.state, change.member, match.position.active
    ):
        raise Refused("not-yours-to-close", player=match.position.active)
    _require_fresh(change, match, tap)
    after = played_or_refused(match.position, action)
    # A program that names no fingerprint has seen no page, so no open call.
    if tap.fingerprint is not None:
        rights.require_final(change.state, change.member)
    return after


def _judge_correction(
    change: TableChange, match: Match, tap: Tap
) -> tuple[dict[str, Any], Position]:
    """The body of a `REPLACE` or an `INSERT`, and the position after it."""
    inserts = tap.kind == kinds.INSERT
    if inserts:
        _require_by_hand(tap.action)
    _require_fresh(change, match, tap)
    named = tap.before or tap.replaces or ""
    action = tap.action if inserts else _by_hand(tap.action)
    correction = preview(change.state, change.member, named, action, inserts=inserts)
    if tap.fixes is None:
        require_fit(correction)
    elif not tap.fixes.items() <= correction.fixes.items():
        raise Refused("bad-tap", why="fixes")
    entry = correction.entry
    what = {"before": entry.id} if inserts else {"entry": entry.id, "old": entry.action}
    return {**what, "action": action, "fixes": correction.fixes}, correction.after


def _judge_toggle(change: TableChange, match: Match, tap: Tap) -> tuple[dict[str, Any], Position]:
    """The body of an `UNDO` or a `REDO`, and the position after it."""
    if tap.kind == kinds.UNDO:
        target = rights.undoable_event(change.state, change.member)
        if target is None or tap.undo in match.disabled or match.event(tap.undo or "") is None:
            raise Refused("nothing-to-undo")
    else:
        target = rights.redoable_event(change.state, change.member)
        if target is None or tap.redo not in match.disabled:
            raise Refused("nothing-to-redo")
    _require_fresh(change, match, tap)
    if target.id not in (tap.undo, tap.redo):
        raise Refused("stale")
    result = match.toggled(target.id)
    entry = target.id if target.kind in kinds.ENTRY_KINDS else target.body["entry"]
    if isinstance(result, Misfit):
        raise misfit_refused(result, entry)
    what = {"event": target.id, "target": target.kind, "entry": entry}
    actions = {"old": match.action_of(entry), "action": result.action_of(entry)}
    others = sorted((match.disabled ^ result.disabled) - {target.id})
    return {**what, **actions, **({"with": others} if others else {})}, result.position


def _require_by_hand(action: dict[str, Any] | None) -> None:
    """Raises `bad-tap` for a phone's action that claims to be rolled by the app."""
    if action is not None and ROLLED in action:
        raise Refused("bad-tap", why=ROLLED)


def _by_hand(action: dict[str, Any] | None) -> dict[str, Any] | None:
    """A corrected action, without the mark that the app rolled it."""
    if action is None or not is_by_app(action):
        return action
    return {key: value for key, value in action.items() if key != ROLLED}
