"""Erases a match, or a person's name, from a table's log.

The log is append-only; this is the one exception. An erased match leaves its number and its seating
order, as `events.ERASED`, so that the events that follow still fold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache
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
    _erase_matches(change, _events_before(change), {number})
    _announce(change, number)


def erase_person(change: TableChange, key: str, more: Iterable[int] = ()) -> None:
    """Erases a person from the table, with every match that they played there.

    A match that is still running ends without a result.

    Args:
        key: the `name_key` of the person's name.
        more: numbers of further matches that are erased: the person had another name there.
    """
    log = _events_before(change)
    numbers = set(more) | {
        event.body["number"]
        for event in log
        if event.kind == kinds.START and key in _player_keys(event.body)
    }
    erased = _erase_matches(change, log, numbers)
    named = cache(lambda actor: key in _name_keys_in(actor))
    scrubbed: list[dict[str, Any]] = []
    for event in log:
        if event.seq not in erased:
            body, actor = _scrubbed(event.body, key), "" if named(event.actor) else event.actor
            if body != event.body or actor != event.actor:
                scrubbed.append({"at_seq": event.seq, "body": encode(body), "actor": actor})
    _rewrite(change, scrubbed)
    labels = sa.select(members.c.id, members.c.label).where(members.c.table_id == change.table_id)
    for member, label in change.connection.execute(labels).all():
        if name_key(label) == key:
            forget = members.update().where(members.c.id == member).values(label="")
            change.connection.execute(forget)
    if numbers or scrubbed:
        # Events name the device that made them, and that may be the very name to erase.
        change.me = replace(change.member, label=NOBODY)
        gone = [seat.id for seat in change.state.seats if name_key(seat.name) == key]
        _announce(change, max(numbers, default=0))
        for seat in gone:
            change.append(kinds.SEAT_REMOVED, {"seat": seat, "name": NOBODY})


def _erase_matches(
    change: TableChange, log: Iterable[Event], numbers: Collection[int]
) -> frozenset[int]:
    """Erases these matches from the table; returns the numbers of their events."""
    current = 0
    erased: dict[int, Mapping[str, Any]] = {}
    for event in log:
        if event.kind == kinds.START:
            current = event.body["number"]
            if current in numbers:
                seats = [player["seat"] for player in event.body["players"]]
                erased[event.seq] = {"number": current, "seats": seats, "start": True}
        elif event.kind in kinds.TAP_KINDS and current in numbers:
            erased[event.seq] = {}
    blank = {"kind": kinds.ERASED, "actor": "", "tap_id": None}
    _rewrite(
        change,
        [{"at_seq": seq, "body": encode(body), **blank} for seq, body in erased.items()],
    )
    if numbers:
        here = (matches.c.table_id == change.table_id) & (matches.c.number == sa.bindparam("of"))
        change.connection.execute(matches.delete().where(here), [{"of": one} for one in numbers])
    return frozenset(erased)


def _announce(change: TableChange, number: int) -> None:
    """Appends an event that makes processes which have folded the match forget it, too."""
    seats = [seat.id for seat in change.state.seats]
    change.append(kinds.ERASED, {"number": number, "seats": seats, "start": False})


def _rewrite(change: TableChange, values: list[dict[str, Any]]) -> None:
    """Writes these columns of the events whose numbers are `at_seq`."""
    if values:
        here = (events.c.table_id == change.table_id) & (events.c.seq == sa.bindparam("at_seq"))
        change.connection.execute(events.update().where(here), values)


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
