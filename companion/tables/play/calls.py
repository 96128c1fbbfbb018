"""Calls that are not final yet: dice or cards that their player may still change. Pure.

The others write once the player has said that the call is final, or has written. Where everybody
plays on one device, each call is final at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from companion.core.values import Player
from companion.tables.ledger.match import Entry
from companion.tables.ledger.rights import Member
from companion.tables.ledger.state import State
from companion.tables.refusals import Refused


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call that its player may still change."""

    entry: str
    """The id of the entry that made it."""
    player: Player
    member: str
    """The id of the membership of the device that entered it."""
    is_made_again: bool
    """Whether its player is about to make another one, such as a second roll."""


def open_call(state: State) -> OpenCall | None:
    """The call that the other devices wait for; None when they may write."""
    match = state.match
    if match is None or match.position.over or not match.entries:
        return None
    last = match.entries[-1]
    kind = match.game.panel.actions.get(last.action["do"])
    if kind is None or not kind.stays_open or last.by is None:
        return None
    if state.final_call == final_call(last):
        return None
    if not has_other_devices(state, last.member, last.by):
        return None
    return OpenCall(last.id, last.by, last.member, state.called_again == last.id)


def final_call(entry: Entry) -> dict[str, Any]:
    """The log's entry about a final call, without names. With other dice, it is open again."""
    call = {key: value for key, value in entry.action.items() if key != "by"}
    return {"entry": entry.id, "call": call}


def may_make_final(state: State, me: Member, call: OpenCall) -> bool:
    """Whether this device may say that a call is final: the player's own, or the host's."""
    return me.role == "host" or makes(state, me, call)


def makes(state: State, me: Member, call: OpenCall) -> bool:
    """Whether the call is made on this device."""
    seat = state.seat_called(call.player)
    return me.id == call.member or (seat is not None and seat.is_played_by(me.id))


def need_final(state: State, me: Member) -> None:
    """Raises `Refused` with `call-open` while another device is still making its call."""
    call = open_call(state)
    if call is not None and not makes(state, me, call):
        raise Refused("call-open", player=call.player)


def has_other_devices(state: State, member: str, caller: Player) -> bool:
    """Whether anybody plays on another device than this member's, which calls for the caller.

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
        elif not seat.is_played_by(member):
            return True
    return False
