"""Events: the lines of a table's log, and their kinds.

The log is the truth about a table: everything else is folded from it (`state`, `match`).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

# The table and its lobby; the kinds of its settings are in `table_settings`. The comments name
# the fields of the body; a seat is given by its number.
MADE: Final = "made"  # game, options, label
GAME_CHOSEN: Final = "game-chosen"  # game, options
SEAT_ADDED: Final = "seat-added"  # seat, name, color, holder (a member or null)
SEAT_RENAMED: Final = "seat-renamed"  # seat, name, color, old (the name before)
SEAT_REMOVED: Final = "seat-removed"  # seat, name
SEATS_ORDERED: Final = "seats-ordered"  # seats, drawn (whether the app drew the first one)
SEAT_TAKEN: Final = "seat-taken"  # seat, name, holder; also when the host's link hands it over
SEAT_RELEASED: Final = "seat-released"  # seat, name
SEAT_LENT: Final = "seat-lent"  # seat, name, to: the member that plays for its silent holder
SEAT_BACK: Final = "seat-back"  # seat, name; a lent seat is its holder's alone again
JOINED: Final = "joined"  # member, role, label
HOST_CHANGED: Final = "host-changed"  # member, before (the members who were the host)
LINK_MADE: Final = "link-made"  # link, link_kind, seat
LINK_REVOKED: Final = "link-revoked"  # link, link_kind, members
LOBBY: Final = "lobby"  # back to the lobby after a match
ERASED: Final = "erased"  # number, seats, start; or no field: once a line of a deleted match

# The match itself. `changed` is in an event that has changed what stood on sheets before it; the
# key is the seat: {seat: {field: [old, new]}}.
START: Final = "start"  # number, game, options, players: [{seat, name, color}]
ACTION: Final = "action"  # action; drawn, where the app rolled: the `moment`, and faces by die
REPLACE: Final = "replace"  # entry, action or null, old, fixes: {entry: action or null}, old_fixes
INSERT: Final = "insert"  # before (an entry), action, fixes and old_fixes as in a replace
STOPPED: Final = "stopped"  # the match ends early; entry, old and action are empty, as an undo asks
UNDO: Final = "undo"  # event, target (its kind), entry, old, action: the entry before and after
REDO: Final = "redo"  # as undo
CALLED: Final = "called"  # entry, call: its action without the player; it is final now
AWAITED: Final = (
    "awaited"  # entry, on: whether its player is about to call again, such as a second roll
)

GAME_KINDS: Final = frozenset({ACTION, REPLACE, INSERT, STOPPED, UNDO, REDO})
"""The kinds from which a match is folded, after its start."""

TAP_KINDS: Final = GAME_KINDS | {CALLED, AWAITED}
"""The kinds that leave the seats, the devices and their rights as they are."""

ENTRY_KINDS: Final = frozenset({ACTION, INSERT})
"""The kinds that make an entry."""

ALWAYS: Final = frozenset(
    {ERASED, SEAT_REMOVED, SEAT_BACK, HOST_CHANGED, LINK_REVOKED, STOPPED, LOBBY}
)
"""The kinds that even a full log takes, at any rate: nothing may keep a person from being deleted,
or the host from coming back, sending somebody away and ending a game. Each follows on an event of
another kind, or on minutes of silence, so that they cannot go on without end."""


@dataclass(frozen=True, slots=True)
class Event:
    """One line of the log. It is immutable; an undo is a further event."""

    seq: int
    """The table's version after it."""
    id: str
    """The tap's id, made on the phone; empty for an event that was no tap in a match."""
    member: str
    """The id of the membership of the device that did it."""
    actor: str
    """The name of that device or of its seats, as it was then; may be empty."""
    kind: str
    body: Mapping[str, Any]
    at: datetime


def encode(body: object) -> str:
    """The body as JSON in ASCII, so that any text survives in any database.

    Raises:
        TypeError, ValueError, RecursionError: it cannot be written as JSON.
    """
    return json.dumps(body, separators=(",", ":"), allow_nan=False)


def decode(text: str) -> Any:
    """The body again, with interned strings: a log repeats the same few over and over."""
    return json.loads(text, object_pairs_hook=_interned)


def _interned(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {
        sys.intern(key): sys.intern(value) if isinstance(value, str) else value
        for key, value in pairs
    }
