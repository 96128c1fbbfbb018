"""Erases a match, or a person's name, from a table's log.

The log is append-only; this is the one exception. An erased match leaves its number and its seating
order, as `events.ERASED`, so that the events that follow still fold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import sqlalchemy as sa

from companion.tables.database.schema import events, matches, members
from companion.tables.ledger import events as kinds
from companion.tables.ledger.change import TableChange, events_between
from companion.tables.ledger.events import Event, encode
from companion.tables.ledger.names import name_key

NOBODY: Final = "–"
"""Replaces a deleted person's name in the log."""


def erase_match(change: TableChange, number: int) -> None:
    """Erases match `number` of the table, and its row in the list of matches."""
    _erase_matches(change, {number})
    _announce(change, number)


def erase_person(change: TableChange, key: str) -> frozenset[int]:
    """Erases a person from the table, with every match that they played there.

    A match that is still running ends without a result.

    Args:
        key: the `name_key` of the person's name.

    Returns:
        The numbers of the erased matches.
    """
    numbers = {
        event.body["number"]
        for event in _events_before(change)
        if event.kind == kinds.START and key in _player_keys(event.body)
    }
    _erase_matches(change, numbers)
    touched = bool(numbers)
    for event in _events_before(change):
        body, actor = _scrubbed(event.body, key), event.actor
        if key in _name_keys_in(actor):
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
        # Events name the device that made them, and that may be the very name to erase.
        change.me = replace(change.member, label=NOBODY)
        gone = [seat.id for seat in change.state.seats if name_key(seat.name) == key]
        _announce(change, max(numbers, default=0))
        for seat in gone:
            change.append(kinds.SEAT_REMOVED, {"seat": seat, "name": NOBODY})
    return frozenset(numbers)


def _erase_matches(change: TableChange, numbers: Iterable[int]) -> None:
    erased = set(numbers)
    current = 0
    for event in _events_before(change):
        if event.kind == kinds.START:
            current = event.body["number"]
            if current in erased:
                seats = [player["seat"] for player in event.body["players"]]
                _blank(change, event.seq, {"number": current, "seats": seats, "start": True})
        elif event.kind in (*kinds.GAME_KINDS, kinds.CALLED, kinds.AWAITED) and current in erased:
            _blank(change, event.seq, {})
    for number in erased:
        change.connection.execute(
            matches.delete().where(
                matches.c.table_id == change.table_id, matches.c.number == number
            )
        )


def _announce(change: TableChange, number: int) -> None:
    """Appends an event that makes processes which have folded the match forget it, too."""
    seats = [seat.id for seat in change.state.seats]
    change.append(kinds.ERASED, {"number": number, "seats": seats, "start": False})


def _blank(change: TableChange, seq: int, body: Mapping[str, Any]) -> None:
    _rewrite(change, seq, kind=kinds.ERASED, body=encode(body), actor="", tap_id=None)


def _rewrite(change: TableChange, seq: int, **values: object) -> None:
    here = (events.c.table_id == change.table_id) & (events.c.seq == seq)
    change.connection.execute(events.update().where(here).values(**values))


def _events_before(change: TableChange) -> list[Event]:
    version = change.state.version - len(change.appended)
    return list(events_between(change.connection, change.table_id, 0, version))


def _player_keys(body: Mapping[str, Any]) -> set[str]:
    return {name_key(player["name"]) for player in body["players"]}


def _name_keys_in(actor: str) -> set[str]:
    """The keys of all names that may stand in a list of names; a name may hold a comma itself."""
    parts = actor.split(", ")
    places = range(len(parts) + 1)
    return {
        name_key(", ".join(parts[start:end])) for start in places for end in places if start < end
    }


def _scrubbed(body: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The body of an event with `NOBODY` wherever it names that person.

    Only fields that hold names are changed: somebody may be called "red" or "host".
    """
    return {
        field: NOBODY
        if field in _NAMES and isinstance(value, str) and name_key(value) == key
        else value
        for field, value in body.items()
    }


_NAMES: Final = frozenset({"name", "old", "label"})
"""The fields of the lobby's events that hold a name. Matches with the name are erased."""
