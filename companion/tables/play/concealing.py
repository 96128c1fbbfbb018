"""The open step as a device sees it where the table conceals entries until its own are made. Pure.

An entry that others have made on a sheet is concealed. What all players share, such as a roll or
the dice that somebody took, never is: the rest of the step depends on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from companion.core.position import Position
from companion.core.refusal import Refusal
from companion.core.values import Player
from companion.games.record import play_action
from companion.tables.ledger import events as kinds
from companion.tables.ledger import rights
from companion.tables.ledger.events import Event
from companion.tables.ledger.match import Entry, Match
from companion.tables.ledger.rights import Member
from companion.tables.ledger.state import State

CHANGES: Final = frozenset({kinds.REPLACE, kinds.INSERT, kinds.UNDO, kinds.REDO})


@dataclass(frozen=True, slots=True)
class Concealed:
    """The entries that a device does not see yet, and what it sees without them."""

    entries: Mapping[str, Entry]  # by their ids
    position: Position
    # The number of the last event before the step, after which changes of others are concealed, too
    since: int
    here: frozenset[Player]  # the players on the device

    def hides(self, event: Event, me: Member) -> bool:
        """Whether an event says what somebody else has written in the open step."""
        if event.id in self.entries:
            return True
        if event.kind not in CHANGES or event.member == me.id or event.seq <= self.since:
            return False
        return rights.player_of(event) not in self.here


def concealed(state: State, me: Member) -> Concealed | None:
    """The concealed part of the open step; None where a device sees all of it.

    A device sees all once none of its players is awaited, and without a player when the step is
    closed.
    """
    match = state.match
    if not state.concealed or match is None or match.is_over:
        return None
    here = frozenset(seat.name for seat in rights.seats_here(state, me))
    if here and here.isdisjoint(match.position.awaited):
        return None
    first = _first_of_step(match)
    hidden = {}
    before = position = match.position_before(first)
    for entry in match.entries[first:]:
        after = _played(before, entry)
        if entry.by not in here and entry.member != me.id and _is_on_sheet(before, after, entry):
            hidden[entry.id] = entry
        else:
            position = _played(position, entry)
        before = after
    earlier = match.event(match.entries[first - 1].id) if first else None
    return Concealed(hidden, position, earlier.seq if earlier else 0, here)


def _first_of_step(match: Match) -> int:
    """The index of the open step's first entry."""
    first = len(match.entries)
    while first and match.position_before(first - 1).step == match.position.step:
        first -= 1
    return first


def _played(position: Position, entry: Entry) -> Position:
    after = play_action(position, entry.action)
    return position if isinstance(after, Refusal) else after


def _is_on_sheet(before: Position, after: Position, entry: Entry) -> bool:
    """Whether an entry is its player's act in the step, and changes nothing that all share."""
    has_acted = entry.by in before.awaited and entry.by not in after.awaited
    return has_acted and before.fingerprint == after.fingerprint
