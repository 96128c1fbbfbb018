"""Who may write for which seat. Pure; the gate, the lobby and the pages ask here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from companion.core.values import Player
from companion.tables.refusals import not_your_seat
from companion.tables.state import SeatState, State

Role: TypeAlias = Literal["host", "player", "viewer"]


@dataclass(frozen=True, slots=True)
class Member:
    """A device at a table."""

    id: str
    role: Role
    label: str


def may_enter(state: State, me: Member, seat: SeatState) -> bool:
    """Whether this device may write on the seat's sheet.

    With shared entry every player may. Without it only who holds the seat, and the host for a
    seat that nobody holds.
    """
    if me.role == "viewer":
        return False
    if state.shared_entry or seat.holder == me.id:
        return True
    return seat.holder is None and me.role == "host"


def may_enter_for(state: State, me: Member, player: Player | None) -> bool:
    """As `may_enter`, by name. What belongs to nobody is every player's.

    So is an unknown name: that there is no such player is for the rules to say.
    """
    if me.role == "viewer":
        return False
    seat = None if player is None else state.seat_called(player)
    return seat is None or may_enter(state, me, seat)


def need_entry_for(state: State, me: Member, player: Player | None) -> None:
    if not may_enter_for(state, me, player):
        raise not_your_seat(str(player))
