"""Questions of whoever runs the database: its size in numbers; one person's name, to delete it.

A name is one person at one table or in one device's games; elsewhere it may be somebody else.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database import schema
from companion.tables.database.engine import Database, sqlite_path
from companion.tables.history.deletion import delete_from, named_in_changes
from companion.tables.ledger import erase
from companion.tables.ledger import events as kinds
from companion.tables.ledger.events import decode
from companion.tables.ledger.names import name_key
from companion.tables.ledger.rights import Member
from companion.tables.ledger.saved import decode_players
from companion.tables.ledger.store import Store

DEVICE: Final = "device-"
"""Beginning of the place of games that belong to a device and to no table."""
HASH_LENGTH: Final = 16
ROWS_AT_ONCE: Final = 200
OPERATOR: Final = Member("", "host", erase.NOBODY)
"""The operator of the server, in the log of a table."""

_rows: Final = schema.finished_matches
_place: Final = sa.func.coalesce(
    _rows.c.table_id, DEVICE + sa.func.substr(_rows.c.owner, 1, HASH_LENGTH)
)


@dataclass(slots=True)
class Trace:
    """A table, or a device's other games, where a name stands."""

    place: str
    games: int = 0
    """Finished games with the name."""
    latest: int = 0
    """The end of the latest one, in milliseconds since 1970."""
    others: frozenset[str] = frozenset()
    """The other names in these games, by which one tells who it is."""


def status(database: Database) -> dict[str, int]:
    """Counts of what people made, and the bytes on the disk."""
    rows = schema.finished_matches.c
    phase, device = schema.tables.c.phase, schema.members.c.device
    counts = {
        "tables": sa.select(sa.func.count()).select_from(schema.tables),
        "playing": sa.select(sa.func.count()).where(phase == "playing"),
        "games": sa.select(sa.func.count()).where(rows.ended_at.is_not(None)),
        "on_paper": sa.select(sa.func.count()).where(rows.number.is_(None)),
        "devices": sa.select(sa.func.count(sa.distinct(device))),
        "events": sa.select(sa.func.count()).select_from(schema.events),
        "reviews": sa.select(sa.func.count()).select_from(schema.reviews),
    }
    with database.read() as connection:
        found = {name: connection.execute(query).scalar_one() for name, query in counts.items()}
        if not database.is_sqlite:
            size = sa.func.pg_database_size(sa.func.current_database())
            return {**found, "bytes": connection.execute(sa.select(size)).scalar_one()}
    file = sqlite_path(database.engine.url)
    parts = (file, file.with_name(f"{file.name}-wal"))
    return {**found, "bytes": sum(part.stat().st_size for part in parts if part.exists())}


def find_person(store: Store, name: str) -> list[Trace]:
    """The places where a name stands: in finished games, on seats, and in logs of tables."""
    key = name_key(name)
    is_theirs = cache(lambda text: name_key(text) == key)
    found: dict[str, Trace] = {}
    with store.database.read() as connection:
        query = sa.select(_place, _rows.c.ended_at, _rows.c.players)
        for place, ended_at, text in connection.execute(query.execution_options(yield_per=500)):
            names = [player.name for player in decode_players(text) if player.name]
            if any(map(is_theirs, names)):
                trace = found.setdefault(place, Trace(place))
                trace.games += 1
                trace.latest = max(trace.latest, ended_at or 0)
                trace.others |= {other for other in names if not is_theirs(other)}
        for place in _in_logs(connection, key):
            found.setdefault(place, Trace(place))
    return list(found.values())


def delete_person(store: Store, name: str, places: Collection[str]) -> None:
    """Deletes a name at these places for good; see `history.deletion`, which does it for a device.

    Each table's log is one transaction, and then a few games are one.
    """
    key = name_key(name)
    for place in places:
        if not place.startswith(DEVICE):
            with store.changing(place, "", joins=True) as change:
                change.me = OPERATOR
                erase.erase_person(change, key, _numbers(change.connection, place, key))
    here = _place.in_(places)
    with store.database.read() as connection:
        query = sa.select(_rows.c.id, _rows.c.players).where(here)
        ids = {
            row.id
            for row in connection.execute(query)
            if any(player.is_called(key) for player in decode_players(row.players))
        }
        known = sorted({*ids, *named_in_changes(connection, here, key, ids)})
    for start in range(0, len(known), ROWS_AT_ONCE):
        with store.database.write() as connection:
            part = _rows.c.id.in_(known[start : start + ROWS_AT_ONCE])
            delete_from(connection, part, key, store.now())


def _in_logs(connection: Connection, key: str) -> set[str]:
    """The tables whose logs name the person outside of taps, which repeat what stands there."""
    events = schema.events.c
    query = sa.select(events.table_id, events.body).where(events.kind.not_in(kinds.GAME_KINDS))
    return {
        table_id
        for table_id, body in connection.execute(query.execution_options(yield_per=500))
        if erase.names_person(decode(body), key)
    }


def _numbers(connection: Connection, table_id: str, key: str) -> list[int]:
    """The numbers of a table's finished matches with the person, who may be called so since."""
    query = sa.select(_rows.c.number, _rows.c.players).where(_rows.c.table_id == table_id)
    return [
        number
        for number, text in connection.execute(query)
        if number and any(player.is_called(key) for player in decode_players(text))
    ]
