"""Deleting for good what a table's log holds: a game, or a person's name.

The log is appended to and otherwise never changed; this is the one exception. A deleted game leaves
its number and its seating order, as `events.ERASED`, so that what follows still folds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import sqlalchemy as sa

from companion.tables import events as kinds
from companion.tables import log
from companion.tables.change import TableChange
from companion.tables.events import Event, encode
from companion.tables.names import name_key
from companion.tables.schema import events, matches, members

NOBODY: Final = "–"
"""Stands in the log where a deleted person's name was."""


def match(change: TableChange, number: int) -> None:
    """Erases game `number` of the table, and its line in the list of games."""
    _erase(change, {number})
    _tell(change, number)


def person(change: TableChange, key: str) -> frozenset[int]:
    """Erases a person's name (see `name_key`) from the table, and every game they played there.

    Returns the games' numbers. A game that is still running ends without a result.
    """
    numbers = {
        event.body["number"]
        for event in _log(change)
        if event.kind == kinds.START and key in _keys(event.body)
    }
    _erase(change, numbers)
    touched = bool(numbers)
    for event in _log(change):
        body, actor = _scrubbed(event.body, key), event.actor
        if key in _keys_in(actor):
            actor = ""
        if body != event.body or actor != event.actor:
            _rewrite(change, event.seq, body=encode(body), actor=actor)
            touched = True
    labels = sa.select(members.c.id, members.c.label).where(members.c.table_id == change.table_id)
    for member, label in change.connection.execute(labels).all():
        if name_key(label) == key:
            forget = members.update().where(members.c.id == member).values(label="")
            change.connection.execute(forget)
    if touched:
        # What is appended says who did it, and that may be the very name that goes.
        change.me = replace(change.member, label=NOBODY)
        gone = [seat.id for seat in change.state.seats if name_key(seat.name) == key]
        _tell(change, max(numbers, default=0))
        for seat in gone:
            change.append(kinds.SEAT_REMOVED, {"seat": seat, "name": NOBODY})
    return frozenset(numbers)


def _erase(change: TableChange, numbers: Iterable[int]) -> None:
    erased = set(numbers)
    current = 0
    for event in _log(change):
        if event.kind == kinds.START:
            current = event.body["number"]
            if current in erased:
                seats = [player["seat"] for player in event.body["players"]]
                _blank(change, event.seq, {"number": current, "seats": seats, "start": True})
        elif event.kind in kinds.GAME_KINDS and current in erased:
            _blank(change, event.seq, {})
    for number in erased:
        change.connection.execute(
            matches.delete().where(
                matches.c.table_id == change.table_id, matches.c.number == number
            )
        )


def _tell(change: TableChange, number: int) -> None:
    """What makes other processes, which have folded the game, forget it too."""
    seats = [seat.id for seat in change.state.seats]
    change.append(kinds.ERASED, {"number": number, "seats": seats, "start": False})


def _blank(change: TableChange, seq: int, body: Mapping[str, Any]) -> None:
    _rewrite(change, seq, kind=kinds.ERASED, body=encode(body), actor="", tap_id=None)


def _rewrite(change: TableChange, seq: int, **values: object) -> None:
    here = (events.c.table_id == change.table_id) & (events.c.seq == seq)
    change.connection.execute(events.update().where(here).values(**values))


def _log(change: TableChange) -> list[Event]:
    version = change.state.version - len(change.appended)
    return list(log.events_between(change.connection, change.table_id, 0, version))


def _keys(body: Mapping[str, Any]) -> set[str]:
    return {name_key(player["name"]) for player in body["players"]}


def _keys_in(actor: str) -> set[str]:
    """Of every name that may stand in a list of names; a name may hold a comma itself."""
    parts = actor.split(", ")
    places = range(len(parts) + 1)
    return {
        name_key(", ".join(parts[start:end])) for start in places for end in places if start < end
    }


def _scrubbed(body: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The body of an event with `NOBODY` wherever it names that person.

    Only where a name stands: somebody may be called "red" or "encore".
    """
    return {
        field: NOBODY
        if field in _NAMES and isinstance(value, str) and name_key(value) == key
        else value
        for field, value in body.items()
    }


_NAMES: Final = frozenset({"name", "old", "label"})
"""The fields of the lobby's events that hold a name. The games that hold it are erased."""
