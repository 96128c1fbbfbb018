"""Events: the lines of a table's log, and their kinds; taps: the requests of phones for one.

The log is the only source for a table: everything else is folded from it (`state`, `match`).
`play.gate` judges taps.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple, Self

from companion.tables.database.columns import from_milliseconds
from companion.tables.ledger.table_settings import SETTING_KINDS
from companion.tables.refusals import Refused

_log: Final = logging.getLogger(__name__)

# The table and its lobby; the kinds of its settings are in `table_settings`. The comments name
# the fields of the body; a seat is given by its number.
MADE: Final = "made"  # game, options, label
GAME_CHOSEN: Final = "game-chosen"  # game, options
SEAT_ADDED: Final = "seat-added"  # seat, name, color, holder (a member or null)
SEAT_RENAMED: Final = "seat-renamed"  # seat, name, color, old (the name before)
SEAT_REMOVED: Final = "seat-removed"  # seat, name
SEATS_ORDERED: Final = "seats-ordered"  # seats, drawn (whether the app drew the first one)
SEAT_TAKEN: Final = "seat-taken"  # seat, name, holder; before (the holder before, if any)
SEAT_RELEASED: Final = "seat-released"  # seat, name
SEAT_LENT: Final = "seat-lent"  # seat, name, to; until 2.0, and without effect since
SEAT_BACK: Final = "seat-back"  # seat, name, holder; until 2.0 without: a lent seat goes back
JOINED: Final = "joined"  # member, role, label
HOST_CHANGED: Final = "host-changed"  # member, before (the members who were the host)
LINK_MADE: Final = "link-made"  # link, link_kind, seat
LINK_REVOKED: Final = "link-revoked"  # link, link_kind, members
LOBBY: Final = "lobby"  # back to the lobby after a match
ERASED: Final = "erased"  # number, seats, start; or no field: once a line of a deleted match

# The match itself. `changed` is in an event that has changed earlier marks on sheets; the
# key is the seat: {seat: {field: [old, new]}}. `moment` is that after a tap (see `moment_of`),
# where the tap named another one; events of versions before 2.0 have none.
START: Final = "start"  # number, game, options, players: [{seat, name, color}]; rules, if not 1
# action; drawn, if the app rolled: {moment, faces by die}; unsaid, if the act after it implies it;
# alone, if the page sent it without a tap
ACTION: Final = "action"
REPLACE: Final = "replace"  # entry, action or null, old, fixes: {entry: action or null}
INSERT: Final = "insert"  # before (an entry), action, fixes as in a replace
STOPPED: Final = "stopped"  # the match ends early; entry, old and action are empty, for an undo
# events: an entry that no longer fits the rules, and all later ones, which do not count from here
# on; turn: that of the first
SET_ASIDE: Final = "set-aside"
# event, target (its kind), entry, old, action: the entry before and after; with: the ids of the
# events that are undone with it, if any
UNDO: Final = "undo"
REDO: Final = "redo"  # as undo
CALL_CONFIRMED: Final = "called"  # entry, call: its action without the player; it is final now
CALL_REOPENED: Final = "awaited"  # entry, on: whether its player is about to call again; it is open
DICE_TAPPED: Final = "tapped"  # dice: part → face, so far, of a roll that is sent whole; moment

# The kinds from which a match is folded, after its start
MATCH_KINDS: Final = frozenset({ACTION, REPLACE, INSERT, STOPPED, SET_ASIDE, UNDO, REDO})

# The kinds that give a seat to a device, or take it away
SEAT_KINDS: Final = frozenset({SEAT_TAKEN, SEAT_RELEASED, SEAT_LENT, SEAT_BACK})

# The kinds that leave the seats, the devices and their rights as they are
TAP_KINDS: Final = MATCH_KINDS | {CALL_CONFIRMED, CALL_REOPENED, DICE_TAPPED}

# The kinds that may require replaying a match from its first entry
REPLAYED: Final = frozenset({REPLACE, INSERT, UNDO, REDO})

ENTRY_KINDS: Final = frozenset({ACTION, INSERT})

# The kinds that even a full log takes, at any rate: nothing may keep a person from being deleted,
# or the host from coming back, sending somebody away or ending a match. Each follows an event of
# another kind, or minutes of silence, so that they cannot go on without end.
ALWAYS: Final = frozenset(
    {ERASED, SEAT_REMOVED, SEAT_BACK, HOST_CHANGED, LINK_REVOKED, STOPPED, SET_ASIDE, LOBBY}
)


# Kind → the fields of its body that the fold reads; every version has written them
_FIELDS_READ: Final[Mapping[str, str]] = {
    MADE: "game options",
    GAME_CHOSEN: "game options",
    SEAT_ADDED: "seat name color holder",
    SEAT_RENAMED: "seat name color",
    SEAT_REMOVED: "seat",
    SEATS_ORDERED: "seats",
    SEAT_TAKEN: "seat holder",
    SEAT_RELEASED: "seat",
    SEAT_LENT: "seat",
    SEAT_BACK: "seat",
    JOINED: "",
    HOST_CHANGED: "member",
    LINK_MADE: "",
    LINK_REVOKED: "members",
    LOBBY: "",
    ERASED: "",
    START: "number game options players",
    ACTION: "action",
    REPLACE: "entry action fixes",
    INSERT: "before action fixes",
    STOPPED: "",
    SET_ASIDE: "events turn",
    UNDO: "event",
    REDO: "event",
    CALL_CONFIRMED: "entry",
    CALL_REOPENED: "entry on",
    DICE_TAPPED: "dice moment",
}
FIELDS: Final[Mapping[str, frozenset[str]]] = {
    **{kind: frozenset(fields.split()) for kind, fields in _FIELDS_READ.items()},
    **{kind: frozenset({setting.key}) for kind, setting in SETTING_KINDS.items()},
}


def damaged(why: str) -> Refused:
    """The refusal of a log that no version of the program has written; it is logged.

    Other exceptions of the fold are faults of the program, and are not turned into this one.
    """
    _log.error("the log of a table is damaged: %s", why)
    return Refused("damaged-table")


class Event(NamedTuple):
    """One line of the log. It is immutable; an undo is a further event."""

    seq: int  # the table's version after it
    # The tap's id, made on the phone; of a table's first event, the key of `Store.make`. Empty for
    # any other event that is not a tap in a match.
    id: str
    member: str  # the id of the membership of the device that did it
    actor: str  # the name of that device or of its seats, as it was then; may be empty
    kind: str
    body: Mapping[str, Any]
    at: datetime

    @classmethod
    def of_row(cls, row: Any) -> Event:
        """The event in a row of the database; raises `Refused` with `damaged-table`."""
        seq, tap_id, member, actor, kind, raw, milliseconds = row
        try:
            body, at = decode(raw), from_milliseconds(milliseconds)
        except (ValueError, TypeError, OverflowError, OSError, RecursionError) as error:
            raise damaged(f"line {seq}: {error}") from error
        if not isinstance(body, dict) or kind not in FIELDS or not FIELDS[kind] <= body.keys():
            raise damaged(f"line {seq} is not an event of the kind {kind!r}")
        return cls(seq, tap_id or "", member, actor, kind, body, at)


def encode(body: object) -> str:
    """The body as JSON in ASCII, so that any text survives in any database.

    Raises:
        TypeError, ValueError, RecursionError: it cannot be written as JSON.
    """
    return json.dumps(body, separators=(",", ":"), allow_nan=False)


def decode(text: str) -> Any:
    """The body again, with interned strings: a log repeats the same few over and over."""
    return _DECODER.decode(text)


def _interned(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {
        sys.intern(key): sys.intern(value) if isinstance(value, str) else value
        for key, value in pairs
    }


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_interned)


def moment_of(match: int, fingerprint: str) -> str:
    """The moment of a table: the number of its match, and the fingerprint of the position.

    Without the number, a tap that waited for the network could fit a later match.
    """
    return f"{match}:{fingerprint}"


_NUMBERED: Final = re.compile(r"([0-9]{1,9}):(.*)", re.DOTALL)

TAP_ID: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")

# Limit of an action's characters as JSON; the longest real one has about 200
LONGEST_ACTION: Final = 2_000

LONGEST_MOMENT: Final = 1_000
MOST_FIXES: Final = 500  # Limit of the fixes in one correction; a long match has about 150 entries


@dataclass(frozen=True, slots=True)
class Tap:
    """A phone's request: an action, a correction, an undo, a redo, or news of a call."""

    id: str  # the tap's id, made on the phone, so that the same tap sent twice is saved once
    # The two parts of the document's `moment`: the number of the match that the person saw, and the
    # fingerprint of its position. None is not compared.
    match: int | None = None
    fingerprint: str | None = None
    # The action to enter; with `replaces`, None removes the entry.
    action: dict[str, Any] | None = None
    # The document's `first`: the action that it implies, played before it; see `Panel.implied`.
    implied: dict[str, Any] | None = None
    # The document's `alone`: whether the page sent it by itself, because the player had no choice
    is_automatic: bool = False
    replaces: str | None = None  # the id of the entry to correct
    undo: str | None = None
    redo: str | None = None  # the id of the undone event to redo
    final: str | None = None  # the id of the call that is final
    # The id of the call that its player is about to make again.
    anew: str | None = None
    on: bool = True  # with `anew`: False when the player has changed their mind
    dice: dict[str, Any] | None = None  # the dice that the caller has tapped so far: part → face
    # Consent to replacing the entries that no longer fit, perhaps as `Correction.fixes` has them.
    # With None, such a correction is refused.
    fixes: dict[str, dict[str, Any] | None] | None = None
    # The version of the table that the person saw; None is not compared.
    version: int | None = None
    before: str | None = None  # the id of the entry before which the action was forgotten

    @property
    def kind(self) -> str:
        """The kind of the event that the tap makes."""
        if self.replaces is not None:
            return REPLACE
        if self.before is not None:
            return INSERT
        if self.undo is not None:
            return UNDO
        if self.final is not None:
            return CALL_CONFIRMED
        if self.anew is not None:
            return CALL_REOPENED
        if self.dice is not None:
            return DICE_TAPPED
        return REDO if self.redo is not None else ACTION

    @property
    def moment(self) -> str | None:
        """The moment that the person saw."""
        if self.fingerprint is None or self.match is None:
            return self.fingerprint
        return moment_of(self.match, self.fingerprint)

    @property
    def named(self) -> str | None:
        """The id of the event that the tap is about."""
        targets = (self.replaces, self.undo, self.redo, self.before, self.final, self.anew)
        return next(filter(None, targets), None)

    @classmethod
    def parse(cls, document: object) -> Self:
        """The tap in a JSON document; raises `Refused` with `bad-tap`."""
        if not isinstance(document, Mapping) or not _KEYS.issuperset(document):
            raise Refused("bad-tap", why="fields")
        read: dict[str, Any] = {}
        for name, (key, check) in _FIELDS.items():
            value = document.get(key)
            read[name] = None if value is None else check(value, key)
        read["id"] = read["id"] or ""
        read["match"], read["fingerprint"] = read.pop("moment") or (None, None)
        for name, (key, usual) in _SWITCHES.items():
            read[name] = document.get(key, usual)
            if not isinstance(read[name], bool):
                raise Refused("bad-tap", why=key)
        tap = cls(**read)
        for why, is_wrong in tap._faults("action" in document).items():
            if is_wrong:
                raise Refused("bad-tap", why=why)
        return tap

    def _faults(self, has_action: bool) -> dict[str, bool]:
        """Keys of the document → whether their values are wrong, or wrong together.

        Args:
            has_action: whether the document names an action, be it null.
        """
        targets = (self.replaces, self.undo, self.redo, self.before, self.final, self.anew)
        count = sum(map(bool, (*targets, self.dice)))
        has_none = self.kind in (UNDO, REDO, CALL_CONFIRMED, CALL_REOPENED, DICE_TAPPED)
        # A removal needs an explicit null: an action lost on the way must not remove the entry.
        may_have_none = has_none or (self.kind == REPLACE and has_action)
        return {
            "id": not self.id,
            "replaces, undo, redo, before, final, anew, dice": count > 1,
            "action": not may_have_none if self.action is None else has_none,
            "first": self.implied is not None and self.kind != ACTION,
            "fixes": self.fixes is not None and self.kind not in (REPLACE, INSERT),
        }


def _id(value: object, key: str) -> str:
    if not (isinstance(value, str) and TAP_ID.fullmatch(value)):
        raise Refused("bad-tap", why=key)
    return value


def _moment(value: object, key: str) -> tuple[int | None, str]:
    if not isinstance(value, str) or len(value) > LONGEST_MOMENT:
        raise Refused("bad-tap", why=key)
    # A tap that waited on a phone since before 2.2.0 has no number.
    found = _NUMBERED.fullmatch(value)
    return (int(found[1]), found[2]) if found else (None, value)


def _version(value: object, key: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise Refused("bad-tap", why=key)
    return value


def _action(value: object, key: str) -> dict[str, Any]:
    try:
        text = encode(value) if isinstance(value, dict) else ""
    except (ValueError, TypeError, RecursionError) as error:
        raise Refused("bad-tap", why=key) from error
    if not text or len(text) > LONGEST_ACTION:
        raise Refused("bad-tap", why=key)
    # As the log has it, with interned strings: the action stays in memory with the table's state.
    action: dict[str, Any] = decode(text)
    return action


def _fixes(value: object, key: str) -> dict[str, dict[str, Any] | None]:
    if not isinstance(value, dict) or len(value) > MOST_FIXES:
        raise Refused("bad-tap", why=key)
    return {
        entry: None if action is None else _action(action, "action")
        for entry, action in value.items()
    }


# Attribute → its key in the document and what reads it. Null is the same as no key.
_FIELDS: Final[Mapping[str, tuple[str, Callable[[object, str], Any]]]] = {
    "moment": ("moment", _moment),
    "action": ("action", _action),
    "implied": ("first", _action),
    "dice": ("dice", _action),
    "fixes": ("fixes", _fixes),
    "version": ("version", _version),
    **{name: (name, _id) for name in ("id", "replaces", "undo", "redo", "final", "anew", "before")},
}

# Attribute → its key in the document, and its value where the key is absent
_SWITCHES: Final = {"on": ("on", True), "is_automatic": ("alone", False)}

_KEYS: Final = frozenset(key for key, _ in (*_FIELDS.values(), *_SWITCHES.values()))
