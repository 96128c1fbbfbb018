"""A table's log in the database: its events appended and read back, as rows of `events`.

Rows are never changed, except by `erase`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.schema import events
from companion.tables.database.times import from_milliseconds
from companion.tables.ledger.events import Event, decode, encode


def append(connection: Connection, table_id: str, new: Sequence[Event], at: int) -> None:
    """Writes new events of a table, at least one. `at` is in milliseconds since 1970."""
    rows = [
        {
            "table_id": table_id,
            "seq": event.seq,
            "tap_id": event.id or None,
            "member": event.member,
            "actor": event.actor,
            "kind": event.kind,
            "body": encode(event.body),
            "at": at,
        }
        for event in new
    ]
    connection.execute(_INSERT, rows[0] if len(rows) == 1 else rows)


def events_between(connection: Connection, table_id: str, after: int, upto: int) -> Iterator[Event]:
    """A table's events in order, from version `after` + 1 to `upto`."""
    query = {"table": table_id, "after": after, "upto": upto}
    return map(_event, connection.execute(_BETWEEN, query))


def event_of_tap(connection: Connection, table_id: str, tap_id: str) -> Event | None:
    """The event that a tap made, in any match of the table."""
    row = connection.execute(_OF_TAP, {"table": table_id, "tap": tap_id}).one_or_none()
    return None if row is None else _event(row)


def _event(row: Any) -> Event:
    seq, tap_id, member, actor, kind, body, at = row
    return Event(seq, tap_id or "", member, actor, kind, decode(body), from_milliseconds(at))


_INSERT: Final = events.insert()
_COLUMNS: Final = (
    events.c.seq,
    events.c.tap_id,
    events.c.member,
    events.c.actor,
    events.c.kind,
    events.c.body,
    events.c.at,
)
_BETWEEN: Final = (
    sa.select(*_COLUMNS)
    .where(
        events.c.table_id == sa.bindparam("table"),
        events.c.seq > sa.bindparam("after"),
        events.c.seq <= sa.bindparam("upto"),
    )
    .order_by(events.c.seq)
)
_OF_TAP: Final = sa.select(*_COLUMNS).where(
    events.c.table_id == sa.bindparam("table"), events.c.tap_id == sa.bindparam("tap")
)
