"""The step that a device may undo or redo: its own last one, or a seat's that it holds. Pure."""

from __future__ import annotations

from companion.core.values import Player
from companion.tables.ledger import events as kinds
from companion.tables.ledger.events import Event
from companion.tables.ledger.match import player_of_action
from companion.tables.ledger.rights import Member, may_enter_for
from companion.tables.ledger.state import State

STEPS: tuple[str, ...] = (kinds.ACTION, kinds.REPLACE, kinds.INSERT, kinds.STOPPED)
"""The kinds of events that can be undone."""


def last_undoable(state: State, me: Member) -> Event | None:
    """The last step that is not undone, made on this device or for a seat that it holds."""
    if state.match is None:
        return None
    held = {seat.name for seat in state.held_by(me.id)}
    for event in reversed(state.match.events):
        if event.kind not in STEPS or event.id in state.match.disabled:
            continue
        if event.kind in kinds.ENTRY_KINDS and state.match.index_of(event.id) is None:
            continue  # somebody has taken it back already
        player = player_of(event)
        if (event.member == me.id or player in held) and may_enter_for(state, me, player):
            return event
    return None


def last_redoable(state: State, me: Member) -> Event | None:
    """The step that this device undid last, unless it has done another step since."""
    if state.match is None:
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
