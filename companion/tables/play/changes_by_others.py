"""Notices of changes that other devices made to the sheets of this device's players. Pure.

A page shows them, because the field of a sheet may be out of sight when somebody else fills it in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from companion.core.game import Game
from companion.core.position import Position
from companion.core.values import Action, Player
from companion.tables.ledger import events as kinds
from companion.tables.ledger.events import Event
from companion.tables.ledger.match import Match, player_of_action
from companion.tables.ledger.rights import Member
from companion.tables.ledger.state import SeatState, State

# Seat → field → [mark before, mark now]; JSON has no numbers as keys
Changed: TypeAlias = dict[str, dict[str, list[Any]]]


@dataclass(frozen=True, slots=True)
class Notice:
    """One thing that another device did to a sheet."""

    seq: int  # the version of the table that it made
    actor: str  # the other device, in words; may be empty
    player: Player
    # The action that was entered for the player, as it counts now; None for a correction
    action: Action | None
    # The position before the action, if it is one of the last
    before: Position | None = field(default=None, compare=False, repr=False)
    # Field → (mark before, mark now), after a correction
    changed: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)


def changed_marks(game: Game, before: Position, after: Position, state: State) -> Changed:
    """The fields, already written on, that differ between two positions of a match."""
    found: Changed = {}
    for seat in state.seats:
        if seat.name not in before.players or seat.name not in after.players:
            continue
        old, new = game.filled(before, seat.name), game.filled(after, seat.name)
        if old is None or new is None or old.marks == new.marks:
            continue
        fields = {
            name: [mark, new.marks.get(name)]
            for name, mark in old.marks.items()
            if mark and new.marks.get(name) != mark
        }
        if fields:
            found[str(seat.id)] = fields
    return found


def notices(state: State, me: Member, recent: Sequence[Event]) -> tuple[Notice, ...]:
    """The latest changes by others to this device's sheets in the present match, oldest first.

    The host's device also hears of corrections on the sheets of players without a device.
    `recent` are the events to look through, in their order.
    """
    held = state.held_by(me.id)
    is_host = me.role == "host"
    mine = {
        seat.id: seat for seat in state.seats if seat in held or (is_host and seat.holder is None)
    }
    match = state.match
    if not mine or match is None:
        return ()
    names: Set[Player | None] = {seat.name for seat in held}
    found: list[Notice] = []
    for event in recent:
        if event.member != me.id:
            found += _notices_of(event, mine, names, match)
    return tuple(found)


def _notices_of(
    event: Event, mine: Mapping[int, SeatState], names: Set[Player | None], match: Match
) -> Iterator[Notice]:
    if event.kind == kinds.ACTION:
        player = player_of_action(event.body["action"])
        index = match.index_of(event.id) if player in names else None
        if player is not None and index is not None:
            is_recent = len(match.entries) - index < len(match.recent)
            before = match.position_before(index) if is_recent else None
            action = match.entries[index].action
            yield Notice(event.seq, event.actor, player, action, before)
    for number, fields in event.body.get("changed", {}).items():
        seat = mine.get(int(number))
        if seat is not None:
            pairs = {name: (old, new) for name, (old, new) in fields.items()}
            yield Notice(event.seq, event.actor, seat.name, None, changed=pairs)
