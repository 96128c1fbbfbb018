"""The rights of devices: to write for seats, to undo a step, to write under an open call. Pure.

A call is open while its player may still change the dice or cards. The others write once the player
has said that it is final, or has written. If everybody plays on one device, each is final at
once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any, Final, Literal, TypeAlias

from companion.core.position import Position
from companion.core.values import Action, Player
from companion.tables.ledger import events as kinds
from companion.tables.ledger.events import Event
from companion.tables.ledger.match import Entry, Match, player_of_action
from companion.tables.ledger.state import SeatState, State
from companion.tables.refusals import Refused

QUIET_SECONDS: Final = 20  # How long a caller taps nothing until the host may go on with the call

Role: TypeAlias = Literal["host", "player", "viewer"]

# The kinds of events that can be undone
STEPS: tuple[str, ...] = (kinds.ACTION, kinds.REPLACE, kinds.INSERT, kinds.STOPPED)


@dataclass(frozen=True, slots=True)
class Member:
    """A device at a table."""

    id: str
    role: Role
    label: str  # the device's name in the log; may be empty


@dataclass(frozen=True, slots=True)
class Audience:
    """A table at one version, with all devices that sit at it."""

    table_id: str
    state: State
    members: Mapping[str, Member]  # the hash of a device's token → its membership


def may_enter(state: State, me: Member, seat: SeatState) -> bool:
    """Whether this device may write on the seat's sheet.

    With shared entry every player's device may. Without it, only the device that holds the seat
    may, and the host's for a seat that no device holds.
    """
    if me.role == "viewer":
        return False
    return state.shared_entry or is_own_seat(me, seat)


def seats_here(state: State, me: Member) -> list[SeatState]:
    """The seats whose players tap on this device: those that it holds, or that no device does."""
    writes_for_others = me.role == "host" or not state.held_by(me.id)
    here = []
    for seat in state.seats:
        is_free = seat.holder is None and writes_for_others and may_enter(state, me, seat)
        if is_free or seat.holder == me.id:
            here.append(seat)
    return here


def may_enter_for(state: State, me: Member, player: Player | None) -> bool:
    """Whether this device may write for a player, by name; see `may_enter`.

    Every player's device may write for nobody (None), and for an unknown name, which the rules
    refuse.
    """
    if me.role == "viewer":
        return False
    seat = None if player is None else state.seat_named(player)
    return seat is None or may_enter(state, me, seat)


def may_close(state: State, me: Member, active: Player) -> bool:
    """Whether this device may close the step for those who have not acted.

    The host may, and the device that plays for the active player: the one that holds the seat, or
    any that may write for a seat that no device holds.
    """
    if me.role == "host":
        return True
    seat = state.seat_named(active)
    if seat is None or seat.holder is None:
        return may_enter_for(state, me, active)
    return seat.holder == me.id


def may_end(state: State, me: Member) -> bool:
    """Whether this device may end the match: the host's, and any that holds a seat."""
    return me.role == "host" or (me.role == "player" and bool(state.held_by(me.id)))


def require_host(me: Member) -> None:
    """Raises `Refused` with `not-host` or `view-only` unless this is the host's device."""
    if me.role != "host":
        raise Refused("view-only" if me.role == "viewer" else "not-host")


def require_deleter(state: State, me: Member, *, is_hosts: bool) -> None:
    """Raises `Refused` with `not-host` or `view-only` unless this device may delete for good.

    A host who has the role in place of a silent phone deletes and revokes nothing: no undo would
    bring it back.

    Args:
        is_hosts: whether it is the host's to delete.
    """
    if is_hosts:
        require_host(me)
    if me.role == "host" and me.id != state.founder:
        raise Refused("not-host")


def closing_player(state: State, me: Member, active: Player) -> Player | None:
    """The player in whose name this device closes the step; None for a device without a seat."""
    own = [seat.name for seat in state.held_by(me.id)]
    seat = state.seat_named(active)
    plays_active = active in own or (seat is not None and not own and seat.holder is None)
    return active if plays_active else next(iter(own), None)


def require_entry_for(state: State, me: Member, player: Player | None) -> None:
    """Raises `Refused` with `not-your-seat` unless `may_enter_for`."""
    if not may_enter_for(state, me, player):
        raise Refused("not-your-seat", player=str(player))


def require_roll(state: State, me: Member, position: Position) -> None:
    """Raises `Refused` with `not-your-seat` unless it may roll for a player who may."""
    is_anyones = len(position.rollers) > 1
    require_entry_for(state, me, None if is_anyones else position.active)


def require_entry(state: State, me: Member, action: Action) -> None:
    """Raises `Refused` unless this device may enter the action in the match, or take it back.

    `not-your-seat`; `not-yours-to-end` for one that ends the match, unless `may_end`.
    """
    require_entry_for(state, me, player_of_action(action))
    if _is_of_end(state.require_match(), action) and not may_end(state, me):
        raise Refused("not-yours-to-end")


def _is_of_end(match: Match, action: Action | None) -> bool:
    kinds_of_end = [name for name, kind in match.game.panel.actions.items() if kind.is_of_end]
    return action is not None and action.get("do") in kinds_of_end


def undoable_event(state: State, me: Member) -> Event | None:
    """The last step that this device may undo, and that is not undone yet.

    It was made on this device, for a seat that the device plays for, or by skipping one of its
    players. Whether later entries fit without it is only judged when somebody takes it back: doing
    so for each device at each tap would replay many entries.
    """
    match = state.match
    if match is None or match.ended is not None:
        return None
    if match.is_kept:
        return match.stopped if me.role == "host" else None
    held = {seat.name for seat in state.held_by(me.id)}
    for event in match.events[::-1]:
        if event.kind not in STEPS or event.id in match.disabled:
            continue
        player = player_of(event)
        is_theirs = event.member == me.id or player in held
        may_undo = (
            (is_theirs and may_enter_for(state, me, player))
            or _was_skipped(state, match, me, event)
            # The host may let a match go on, whoever has ended it.
            or (me.role == "host" and _has_ended(match, event))
        )
        if may_undo and not _is_taken_away(match, event):
            return event
    return None


def _is_taken_away(match: Match, event: Event) -> bool:
    """Whether a correction has taken away the entry that an event made."""
    return event.kind in kinds.ENTRY_KINDS and match.index_of(event.id) is None


def _has_ended(match: Match, event: Event) -> bool:
    """Whether an event has ended the match, or said who has won it."""
    return event.kind == kinds.STOPPED or _is_of_end(match, match.action_of(event.id))


def _was_skipped(state: State, match: Match, me: Member, event: Event) -> bool:
    """Whether an event skipped a player of this device who had a choice."""
    skip = match.skip
    if skip is None or skip.entry.id != event.id or skip.entry.is_automatic:
        return False
    seats = (state.seat_named(player) for player in skip.players)
    return any(seat is not None and is_own_seat(me, seat) for seat in seats)


def is_own_seat(me: Member, seat: SeatState) -> bool:
    """Whether this device is the player's own: it holds the seat, or is the host's for a free one.

    With shared entry others may write for the seat, too.
    """
    return seat.holder == me.id if seat.holder is not None else me.role == "host"


def redoable_event(state: State, me: Member) -> Event | None:
    """The step that this device undid last, unless it has done another step since."""
    if state.match is None or state.match.is_kept:
        return None
    for event in reversed(state.match.events):
        if event.member != me.id:
            continue
        if event.kind in STEPS and event.id not in state.match.disabled:
            return None
        if event.kind == kinds.UNDO and event.body["event"] in state.match.disabled:
            undone = state.match.event(event.body["event"])
            if undone is not None and may_enter_for(state, me, player_of(undone)):
                return undone
            return None
    return None


def player_of(event: Event) -> Player | None:
    """The player whose sheet a step was for."""
    action = event.body["action"] if event.kind in kinds.ENTRY_KINDS else event.body["old"]
    return player_of_action(action)


@dataclass(frozen=True, slots=True)
class LastCall:
    """The call that is the last entry of a match: open, or final already."""

    entry: str  # the id of the entry that made it
    player: Player
    member: str  # the id of the membership of the device that entered it
    # Whether its player is about to make another one, such as a second roll.
    is_made_again: bool
    tapped: Event  # the caller's last tap: `seconds_silent` counts from it

    def seconds_silent(self, now: int) -> float:
        """The seconds since the caller's last tap; `now` has milliseconds since 1970."""
        return now / 1000 - self.tapped.at.timestamp()


def open_call(state: State) -> LastCall | None:
    """The call that the other devices wait for; None when they may write."""
    call = last_call(state)
    return None if call is None or is_final(state) else call


def is_final(state: State) -> bool:
    match = state.match
    return match is not None and state.final_call == final_call(match.entries[-1])


def last_call(state: State) -> LastCall | None:
    """The last entry if it is a call, final or not; None if no other device hears of it."""
    match = state.match
    if match is None or match.position.over or not match.entries:
        return None
    last = match.entries[-1]
    kind = match.game.panel.actions.get(last.action["do"])
    if kind is None or not kind.stays_open or last.by is None:
        return None
    if not has_other_devices(state, last.member, last.by):
        return None
    seat = state.seat_named(last.by)
    callers = {last.member, seat and seat.holder}
    taps = (line for line in reversed(state.log) if line.member in callers)
    tapped = next((line for line in taps if line.kind in kinds.TAP_KINDS), match.events[-1])
    return LastCall(last.id, last.by, last.member, state.call_made_again == last.id, tapped)


def final_call(entry: Entry) -> dict[str, Any]:
    """The log's entry about a final call, without names. With other dice, it is open again."""
    call = {key: value for key, value in entry.action.items() if key != "by"}
    return {"entry": entry.id, "call": call}


def may_make_final(state: State, me: Member, call: LastCall) -> bool:
    """Whether this device may say that a call is final: the player's own, or the host's."""
    return me.role == "host" or is_callers_device(state, me, call)


def wait_for_caller(state: State, me: Member, call: LastCall, now: int) -> int:
    """The seconds until this device may say that a call is final; `now` has milliseconds."""
    if is_callers_device(state, me, call):
        return 0
    return min(QUIET_SECONDS, max(0, ceil(QUIET_SECONDS - call.seconds_silent(now))))


def is_callers_device(state: State, me: Member, call: LastCall) -> bool:
    seat = state.seat_named(call.player)
    return me.id == call.member or (seat is not None and seat.holder == me.id)


def require_final(state: State, me: Member) -> None:
    """Raises `Refused` with `call-open` while another device is still making its call."""
    call = open_call(state)
    if call is not None and not is_callers_device(state, me, call):
        raise Refused("call-open", player=call.player)


def has_other_devices(state: State, member: str, caller: Player) -> bool:
    """Whether anybody plays on another device than the caller's.

    Seats that no device holds are played on the host's device, or on one that has no seat of its
    own and so may be anybody's. A phone with a seat is its player's: the others are elsewhere.
    """
    players = state.match.position.players if state.match else ()
    is_shared = member == state.host or not state.held_by(member)
    for seat in state.seats:
        if seat.name not in players:
            continue
        if seat.holder is None:
            if not is_shared and seat.name != caller:
                return True
        elif seat.holder != member:
            return True
    return False
