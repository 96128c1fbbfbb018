"""A phone's request to change a match, and how it is read from JSON; `gate` judges it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from companion.tables.ledger import events as kinds
from companion.tables.ledger.events import decode, encode
from companion.tables.refusals import Refused

TAP_ID: Final = re.compile(r"[A-Za-z0-9_-]{8,64}")

LONGEST_ACTION: Final = 2_000
"""Limit of an action's characters as JSON; the longest real one has about 200."""

LONGEST_FINGERPRINT: Final = 1_000
MOST_FIXES: Final = 500
"""Limit of the fixes in one correction; a long match has about 150 entries."""


@dataclass(frozen=True, slots=True)
class Tap:
    """A phone's request: an action, a correction, an undo, a redo, or a word about a call."""

    id: str
    """The tap's id, made on the phone, so that the same tap sent twice is saved once."""
    fingerprint: str | None = None
    """`moment` of the document: the fingerprint of the position that the person saw.

    None is not compared.
    """
    action: dict[str, Any] | None = None
    """The action to enter; with `replaces`, None removes the entry."""
    replaces: str | None = None
    """The id of the entry to correct."""
    undo: str | None = None
    """The id of the event to undo."""
    redo: str | None = None
    """The id of the undone event to redo."""
    final: str | None = None
    """The id of the entry with the call that is final."""
    anew: str | None = None
    """The id of the entry with the call that its player is about to make again."""
    on: bool = True
    """Whether the player of `anew` still is about to."""
    fixes: dict[str, dict[str, Any] | None] | None = None
    """Entry → its replacement if the correction makes it misfit; None asks for no fix."""
    version: int | None = None
    """The version of the table that the person saw; None is not compared."""
    before: str | None = None
    """The id of the entry before which the action was forgotten."""

    @property
    def kind(self) -> str:
        """The kind of the event that the tap makes."""
        if self.replaces is not None:
            return kinds.REPLACE
        if self.before is not None:
            return kinds.INSERT
        if self.undo is not None:
            return kinds.UNDO
        if self.final is not None:
            return kinds.CALLED
        if self.anew is not None:
            return kinds.AWAITED
        return kinds.REDO if self.redo is not None else kinds.ACTION

    @classmethod
    def parse(cls, document: object) -> Self:
        """The tap in a JSON document; raises `Refused` with `bad-tap`."""
        if not isinstance(document, Mapping) or not _KEYS.issuperset(document):
            raise Refused("bad-tap", why="fields")
        read: dict[str, Any] = {
            name: None if (value := document.get(wire)) is None else check(value, wire)
            for name, (wire, check) in _FIELDS.items()
        }
        tap = cls(**read | {"id": read["id"] or "", "on": document.get("on", True)})
        if not isinstance(tap.on, bool):
            raise Refused("bad-tap", why="on")
        if not tap.id:
            raise Refused("bad-tap", why="id")
        asked = (tap.replaces, tap.undo, tap.redo, tap.before, tap.final, tap.anew)
        if sum(step is not None for step in asked) > 1:
            raise Refused("bad-tap", why="replaces, undo, redo, before, final, anew")
        # A removal needs an explicit null: an action lost on the way must not remove the entry.
        has_none = tap.kind in (kinds.UNDO, kinds.REDO, kinds.CALLED, kinds.AWAITED)
        may_have_none = has_none or (tap.kind == kinds.REPLACE and "action" in document)
        if tap.action is None and not may_have_none:
            raise Refused("bad-tap", why="action")
        if tap.action is not None and has_none:
            raise Refused("bad-tap", why="action")
        if tap.fixes is not None and tap.kind not in (kinds.REPLACE, kinds.INSERT):
            raise Refused("bad-tap", why="fixes")
        return tap


def _id(value: object, key: str) -> str:
    if not (isinstance(value, str) and TAP_ID.fullmatch(value)):
        raise Refused("bad-tap", why=key)
    return value


def _fingerprint(value: object, key: str) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_FINGERPRINT:
        raise Refused("bad-tap", why=key)
    return value


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


_FIELDS: Final[Mapping[str, tuple[str, Callable[[object, str], Any]]]] = {
    "fingerprint": ("moment", _fingerprint),
    "action": ("action", _action),
    "fixes": ("fixes", _fixes),
    "version": ("version", _version),
    **{name: (name, _id) for name in ("id", "replaces", "undo", "redo", "final", "anew", "before")},
}
"""Attribute → its key in the document and what reads it. Null is the same as no key."""

_KEYS: Final = frozenset(wire for wire, _ in _FIELDS.values()) | {"on"}
