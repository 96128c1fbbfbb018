"""Changes of many finished matches, a few in each transaction, so that no tap waits for long.

What is written is prepared before the transaction. Each few matches are changed together;
repeating a change finishes one that was interrupted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.schema import finished_matches as rows
from companion.tables.database.schema import match_photos
from companion.tables.history.matches import FinishedMatch, from_row, in_parts
from companion.tables.ledger.store import Store

# Matches that are written in one transaction, which takes some milliseconds
ROWS_AT_ONCE: Final = 50

# Columns that show whether a match has changed
SEEN: Final = ("id", "changed_at", "ended_at", "is_contested")

_NOTE_DELETED: Final = sa.text(
    "INSERT INTO deleted_plays (owner, identity, at)"
    " SELECT DISTINCT COALESCE(plays.owner, members.device), plays.identity,"
    " CAST(:now AS BIGINT) FROM plays LEFT JOIN members ON members.table_id = plays.table_id"
    " WHERE plays.id IN :ids AND COALESCE(plays.owner, members.device) IS NOT NULL"
    " ON CONFLICT (owner, identity) DO NOTHING"
).bindparams(sa.bindparam("ids", expanding=True, type_=sa.Text))


def rewrite(
    store: Store,
    ids: Sequence[str],
    change: Callable[[FinishedMatch], FinishedMatch | None],
    allowed: sa.ColumnElement[bool],
    *,
    with_photos: bool = True,
) -> None:
    """Changes those of the matches that are allowed.

    Args:
        change: a match → the match with other players, or None to delete it. It is
            called again if somebody else has changed the match meanwhile.
        with_photos: whether a changed match keeps its photos.
    """
    for part in in_parts(ids, ROWS_AT_ONCE):
        while not _rewrite_some(store, change, rows.c.id.in_(part) & allowed, with_photos):
            pass


def _rewrite_some(
    store: Store,
    change: Callable[[FinishedMatch], FinishedMatch | None],
    ours: sa.ColumnElement[bool],
    with_photos: bool,
) -> bool:
    """Changes these matches; returns False if somebody has changed one since it was read."""
    with store.database.read() as connection:
        found = connection.execute(sa.select(rows, sa.true().label("may_change")).where(ours)).all()
    now = store.now()
    values, gone = [], []
    for row in found:
        match = from_row(row)
        after = change(match)
        if after is None:
            gone.append(row.id)
        elif after != match:
            values.append(_changed_columns(row, match, after, now))
    if not values and not gone:
        return True
    seen = set(map(_version, found))
    look = sa.select(*(rows.c[name] for name in SEEN)).where(ours).with_for_update()
    with store.database.write() as connection:
        if seen != set(map(_version, connection.execute(look))):
            return False
        if values:
            connection.execute(rows.update().where(rows.c.id == sa.bindparam("key")), values)
        if not with_photos:
            of_changed = match_photos.c.play_id.in_([value["key"] for value in values])
            connection.execute(match_photos.delete().where(of_changed))
        delete(connection, gone, now)
    return True


def _version(row: sa.Row[Any]) -> tuple[Any, ...]:
    return tuple(row._mapping[name] for name in SEEN)


def _changed_columns(
    row: sa.Row[Any], before: FinishedMatch, after: FinishedMatch, now: int
) -> dict[str, Any]:
    """The values of a changed match, with its id as `key`."""
    # The clock may have stopped, or have been put back.
    columns = replace(after, changed=max(before.changed + 1, now)).columns()
    # A match that continues has not ended.
    if row.ended_at is None:
        columns["ended_at"] = None
    return {**columns, "is_contested": after.is_contested, "key": row.id}


def delete(connection: Connection, ids: Sequence[str], now: int) -> None:
    """Deletes matches, and notes that for all devices that see them."""
    if ids:
        connection.execute(_NOTE_DELETED, {"ids": list(ids), "now": now})
        connection.execute(rows.delete().where(rows.c.id.in_(ids)))
