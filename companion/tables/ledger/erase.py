"""Erases a match, or a person's name, from a table's log.

The log is append-only; this is the one exception. An erased match leaves its number and its seating
order, as `events.ERASED`, so that the events that follow still fold.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache
from itertools import combinations
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.values import clean_name
from companion.tables.database.schema import events, matches, members
from companion.tables.ledger import events as kinds
from companion.tables.ledger.change import TableChange, events_between
from companion.tables.ledger.events import decode, encode
from companion.tables.ledger.match import PLAYER_KEYS
from companion.tables.ledger.names import name_key
from companion.tables.ledger.store import MOST_DRAFTS, Store
from companion.tables.refusals import Refused

NOBODY: Final = "–"  # Replaces a deleted person's name in the log


class Traces(NamedTuple):
    """The places of a person in a table's log."""

    numbers: frozenset[int]  # their matches
    scrubbed: list[dict[str, Any]]  # new columns of other events that name them
    labelled: list[str]  # the members whose label has the name


def erase_match(change: TableChange, number: int) -> None:
    """Erases match `number` of the table, and its row in the list of matches."""
    _erase_matches(change, {number})
    _announce(change, number)


def erase_person(
    store: Store,
    table_id: str,
    device: str,
    key: str,
    more: Iterable[int],
    require: Callable[[TableChange], object],
    *,
    joins: bool = False,
) -> None:
    """Erases a person from a table, with every match that they played there.

    A match that is still running ends without a result. The log is read while others may write,
    and read again where somebody has.

    Args:
        key: the `name_key` of the person's name.
        more: numbers of further matches that are erased: the person had another name there.
        require: raises `Refused` if the device is not allowed to do this.
        joins: see `Store.changing`.

    Raises:
        Refused: also as `Store.changing`; `stale`: others wrote each time.
    """
    for _ in range(MOST_DRAFTS):
        version = store.audience(table_id).state.version
        with store.database.read() as connection:
            found = traces(connection, table_id, version, key, more)
        if not any(found):
            return
        with store.changing(table_id, device, joins=joins) as change:
            require(change)
            if change.state.version == version:
                _erase_traces(change, key, found)
                return
    raise Refused("stale")


def traces(
    connection: Connection, table_id: str, version: int, key: str, more: Iterable[int]
) -> Traces:
    """A person's traces in a table's whole log, which takes long to read."""
    log = list(events_between(connection, table_id, 0, version))
    numbers = set(more)
    current = 0
    for event in log:
        if event.kind == kinds.START:
            current = event.body["number"]
            if key in _player_keys(event.body):
                numbers.add(current)
        elif event.kind in kinds.ENTRY_KINDS and key in _named_keys(event.body["action"]):
            numbers.add(current)  # joined the match while it was played
    named = cache(lambda actor: key in _name_keys_in(actor))
    scrubbed: list[dict[str, Any]] = []
    current = 0
    for event in log:
        if event.kind == kinds.START:
            current = event.body["number"]
        if current in numbers and event.kind in kinds.TAP_KINDS | {kinds.START}:
            continue
        body, actor = _scrubbed(event.body, key), "" if named(event.actor) else event.actor
        if body != event.body or actor != event.actor:
            scrubbed.append({"at_seq": event.seq, "body": encode(body), "actor": actor})
    query = sa.select(members.c.id, members.c.label).where(members.c.table_id == table_id)
    labels = connection.execute(query).all()
    labelled = [member for member, label in labels if name_key(label) == key]
    return Traces(frozenset(numbers), scrubbed, labelled)


def _erase_traces(change: TableChange, key: str, found: Traces) -> None:
    _erase_matches(change, found.numbers)
    _rewrite(change, found.scrubbed)
    forget = members.update().where(members.c.id.in_(found.labelled)).values(label="")
    change.connection.execute(forget)
    if found.numbers or found.scrubbed:
        # Events name the device that made them, and that may be the very name to erase.
        change.me = replace(change.member, label=NOBODY)
        gone = [seat.id for seat in change.state.seats if name_key(seat.name) == key]
        _announce(change, max(found.numbers, default=0))
        for seat in gone:
            change.append(kinds.SEAT_REMOVED, {"seat": seat, "name": NOBODY})


def _erase_matches(change: TableChange, numbers: Collection[int]) -> None:
    """Erases these matches from the table: the starts, and the taps until the next one."""
    here = events.c.table_id == change.table_id
    query = sa.select(events.c.seq, events.c.body).where(here, events.c.kind == kinds.START)
    starts = [(seq, decode(body)) for seq, body in change.connection.execute(query).all()]
    starts.sort(key=lambda start: start[0])
    ends = [seq for seq, _ in starts[1:]] + [change.state.version + 1]
    blank = {"kind": kinds.ERASED, "actor": "", "tap_id": None}
    for (seq, body), end in zip(starts, ends, strict=False):
        if body["number"] not in numbers:
            continue
        taps = (events.c.seq > seq) & (events.c.seq < end) & events.c.kind.in_(kinds.TAP_KINDS)
        change.connection.execute(events.update().where(here, taps).values(body="{}", **blank))
        seats = [player["seat"] for player in body["players"]]
        left = encode({"number": body["number"], "seats": seats, "start": True})
        start = events.update().where(here, events.c.seq == seq)
        change.connection.execute(start.values(body=left, **blank))
    of_number = (matches.c.table_id == change.table_id) & matches.c.number.in_(numbers)
    change.connection.execute(matches.delete().where(of_number))


def _announce(change: TableChange, number: int) -> None:
    """Appends an event that makes processes which have folded the match forget it, too."""
    seats = [seat.id for seat in change.state.seats]
    change.append(kinds.ERASED, {"number": number, "seats": seats, "start": False})


def _rewrite(change: TableChange, values: list[dict[str, Any]]) -> None:
    """Writes these columns of the events whose numbers are `at_seq`."""
    if values:
        here = (events.c.table_id == change.table_id) & (events.c.seq == sa.bindparam("at_seq"))
        change.connection.execute(events.update().where(here), values)


def _player_keys(body: Mapping[str, Any]) -> set[str]:
    return {name_key(player["name"]) for player in body["players"]}


def _named_keys(action: Mapping[str, Any]) -> set[str]:
    """The keys under which an action names players."""
    names = (clean_name(action[key]) for key in PLAYER_KEYS & action.keys())
    return {name_key(name) for name in names if name}


def _name_keys_in(actor: str) -> set[str]:
    """The keys of all names that may be in a list of names; a name may hold a comma itself."""
    parts = actor.split(", ")
    keys = set()
    for start, end in combinations(range(len(parts) + 1), 2):
        keys.add(name_key(", ".join(parts[start:end])))
    return keys


def _scrubbed(body: Mapping[str, Any], key: str) -> dict[str, Any]:
    """The body of an event with `NOBODY` wherever it names that person."""
    # Only fields that hold names are changed: somebody may be called "red" or "host"
    scrubbed = dict(body)
    for field in _NAMES & body.keys():
        if isinstance(body[field], str) and name_key(body[field]) == key:
            scrubbed[field] = NOBODY
    return scrubbed


# The fields of the lobby's events that hold a name. Matches with the name are erased.
_NAMES: Final = frozenset({"name", "old", "label"})
