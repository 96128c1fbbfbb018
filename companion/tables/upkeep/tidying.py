"""Deletes unused data: empty tables after a week, everything else after a year.

Nobody has an account, so use is what devices do. A table is in use as long as somebody writes at
it; a finished match as long as its device comes back. A device that is not known yet is waited for
from the first tidying on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables import quotas
from companion.tables.database.schema import (
    deleted_matches,
    devices,
    finished_matches,
    members,
    reviews,
    tables,
)
from companion.tables.history import rewriting
from companion.tables.ledger.store import Store
from companion.tables.photos.reviews import LIFETIME_MS, Reviews
from companion.tables.quotas import DAY_MS, UNUSED_DAYS, is_unused
from companion.tables.upkeep.table_deletion import hand_out_matches

TABLES_AT_ONCE: Final = 5  # deleted in one transaction, so that no tap waits for long
ROWS_AT_ONCE: Final = 500  # other rows of one transaction

_NOTE_DEVICE: Final = sa.text(
    "INSERT INTO devices (device, seen_at) SELECT :device, CAST(:now AS BIGINT)"
    " WHERE EXISTS (SELECT 1 FROM members WHERE members.device = :device)"
    " OR EXISTS (SELECT 1 FROM plays WHERE plays.owner = :device)"
    " ON CONFLICT (device) DO UPDATE SET seen_at = excluded.seen_at"
)


_COMING: Final = (
    sa.select(members.c.device)
    .join(devices, devices.c.device == members.c.device)
    .where(members.c.role != "viewer")
    .order_by(members.c.role)
)


class Tidied(NamedTuple):
    """The numbers of rows that were deleted, or would be."""

    empty_tables: int = 0  # tables where no match ever began
    tables: int = 0
    games: int = 0  # finished matches of devices that have not come back
    reviews: int = 0  # photographed sheets that nobody saved


def note_devices(connection: Connection, seen: Iterable[tuple[str, int]]) -> None:
    """Notes when devices were here, of those that have a table or a match.

    Args:
        seen: (hash of the device's token; milliseconds since 1970).
    """
    for device, now in seen:
        connection.execute(_NOTE_DEVICE, {"device": device, "now": now})


def tidy(
    store: Store,
    keep_days: int,
    *,
    is_rehearsal: bool = False,
    may_go_on: Callable[[], bool] = lambda: True,
) -> Tidied:
    """Deletes unused data, a few rows at a time; a server may run meanwhile.

    Args:
        keep_days: days without use until data is deleted; 0 keeps all matches.
        is_rehearsal: whether nothing is deleted, only counted.
        may_go_on: called before each transaction.

    Returns:
        The counts of what was unused, all of which is deleted unless this had to stop.
    """
    now = store.now()
    before = now - keep_days * DAY_MS
    empty = (tables.c.changed_at < now - UNUSED_DAYS * DAY_MS) & is_unused()
    found = _count_unused(store, before if keep_days else None, empty)
    if is_rehearsal:
        return found
    while may_go_on() and _delete_some_tables(store, empty, now):
        pass
    Reviews(store).sweep()
    if keep_days and may_go_on():
        _wait_for_unknown(store, now)
        while may_go_on() and _delete_some_tables(store, tables.c.changed_at < before, before):
            pass
        while may_go_on() and _delete_some_matches(store, before):
            pass
        _forget_devices(store, before)
    return found


def _delete_some_tables(store: Store, which: sa.ColumnElement[bool], before: int) -> bool:
    """Deletes some of these tables while nobody can write; returns whether there were any."""
    # Their finished matches go to the devices that have come since
    query = sa.select(tables.c.id).where(which).order_by(tables.c.changed_at)
    query = query.limit(TABLES_AT_ONCE)
    if not store.database.is_sqlite:
        query = query.with_for_update(skip_locked=True)
    with store.database.write() as connection:
        ids = connection.execute(query).scalars().all()
        empty = []
        for table_id in ids:
            coming = _COMING.where(devices.c.seen_at >= before, members.c.table_id == table_id)
            owners = connection.execute(coming).scalars().all()
            if hand_out_matches(connection, table_id, owners):
                empty.append(table_id)
        quotas.delete_tables(connection, empty)
    store.forget_tables(empty)
    return bool(ids)


def _wait_for_unknown(store: Store, now: int) -> None:
    """Notes now for every device with something here that was never noted."""
    for column in (members.c.device, finished_matches.c.owner):
        known = sa.exists().where(devices.c.device == column)
        query = sa.select(column).distinct().where(column.is_not(None), ~known).limit(ROWS_AT_ONCE)
        while True:
            with store.database.write() as connection:
                unknown = connection.execute(query).scalars().all()
                note_devices(connection, [(device, now) for device in unknown])
            if not unknown:
                break


def _gone(before: int) -> sa.Select[Any]:
    return sa.select(devices.c.device).where(devices.c.seen_at < before)


def _delete_some_matches(store: Store, before: int) -> bool:
    """Deletes some matches of devices that have not come since; whether there were any."""
    rows = finished_matches
    some = sa.select(rows.c.id).where(rows.c.owner.in_(_gone(before)))
    some = some.limit(rewriting.ROWS_AT_ONCE)  # their photos are large
    with store.database.write() as connection:
        return connection.execute(rows.delete().where(rows.c.id.in_(some))).rowcount > 0


def _forget_devices(store: Store, before: int) -> None:
    """Deletes the notes of devices that no longer have anything."""
    at_table = sa.exists().where(members.c.device == devices.c.device)
    has_matches = sa.exists().where(finished_matches.c.owner == devices.c.device)
    with store.database.write() as connection:
        deleted = deleted_matches.delete().where(deleted_matches.c.owner.in_(_gone(before)))
        connection.execute(deleted)
        gone = devices.c.seen_at < before
        connection.execute(devices.delete().where(gone, ~at_table, ~has_matches))


def _count_unused(store: Store, before: int | None, empty: sa.ColumnElement[bool]) -> Tidied:
    """Counts what `tidy` would delete.

    Args:
        before: milliseconds since 1970; what was played and not used since goes. None keeps it.
        empty: the condition of the empty tables.
    """
    rows = finished_matches
    count = sa.func.count()
    queries = [sa.select(count).where(empty)]
    if before is not None:
        old = tables.c.changed_at < before
        gone = members.c.device.in_(_gone(before))
        # A device that was never noted is waited for, and its matches go to it.
        waited_for = sa.exists().where(
            members.c.table_id == tables.c.id, members.c.role != "viewer", ~gone
        )
        ended = old & ~waited_for & rows.c.ended_at.is_not(None)
        queries += [
            sa.select(count).where(old, ~is_unused()),
            sa.select(count).select_from(rows.join(tables)).where(ended),
            sa.select(count).where(rows.c.owner.in_(_gone(before))),
        ]
    expired = sa.select(count).where(reviews.c.changed_at <= store.now() - LIFETIME_MS)
    with store.database.read() as connection:
        number, *played = [connection.execute(query).scalar_one() for query in queries]
        others, *games = played or [0]
        return Tidied(number, others, sum(games), connection.execute(expired).scalar_one())
