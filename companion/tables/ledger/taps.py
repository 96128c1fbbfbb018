"""A phone's request to change a match, and how it is read from JSON; `gate` judges it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
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
    """The id of the entry with the call that its player is about to make anew."""
    on: bool = True
    """With `anew`, whether the player still is."""
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
        tap = cls(
            id=_id(document, "id") or "",
            fingerprint=_fingerprint(document.get("moment")),
            action=_action(document.get("action")),
            replaces=_id(document, "replaces"),
            undo=_id(document, "undo"),
            redo=_id(document, "redo"),
            final=_id(document, "final"),
            anew=_id(document, "anew"),
            on=_on(document.get("on", True)),
            fixes=_fixes(document.get("fixes")),
            version=_version(document.get("version")),
            before=_id(document, "before"),
        )
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


_KEYS: Final = frozenset(field.name for field in fields(Tap)) - {"fingerprint"} | {"moment"}


def _id(document: Mapping[str, Any], key: str) -> str | None:
    value = document.get(key)
    if value is not None and not (isinstance(value, str) and TAP_ID.fullmatch(value)):
        raise Refused("bad-tap", why=key)
    return value


def _fingerprint(value: object) -> str | None:
    if value is not None and not (isinstance(value, str) and len(value) <= LONGEST_FINGERPRINT):
        raise Refused("bad-tap", why="moment")
    return value


def _version(value: object) -> int | None:
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise Refused("bad-tap", why="version")
    return value


def _on(value: object) -> bool:
    if not isinstance(value, bool):
        raise Refused("bad-tap", why="on")
    return value


def _action(value: object) -> dict[str, Any] | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise Refused("bad-tap", why="action")
    try:
        text = encode(value)
    except (ValueError, TypeError, RecursionError) as error:
        raise Refused("bad-tap", why="action") from error
    if len(text) > LONGEST_ACTION:
        raise Refused("bad-tap", why="action")
    # As the log has it, with interned strings: the action stays in memory with the table's state.
    action: dict[str, Any] = decode(text)
    return action


def _fixes(value: object) -> dict[str, dict[str, Any] | None] | None:
    if value is None:
        return None
    if not isinstance(value, dict) or len(value) > MOST_FIXES:
        raise Refused("bad-tap", why="fixes")
    return {key: _action(action) for key, action in value.items()}
