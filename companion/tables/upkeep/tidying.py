"""Deletes unused data: empty tables after a week, everything else after a year.

Nobody has an account, so use is what devices do. A table is in use as long as somebody writes at
it; a finished match as long as its device comes back. A device that is not known yet is waited for
from the first tidying on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables import quotas
from companion.tables.database.schema import (
    deleted_matches,
    devices,
    finished_matches,
    members,
    own_editions,
    own_phones,
    restored_matches,
    reviews,
    tables,
)
from companion.tables.ledger.store import Store
from companion.tables.photos.reviews import LIFETIME_MS, Reviews
from companion.tables.quotas import DAY_MS, is_unused
from companion.tables.upkeep.table_deletion import hand_out_matches

USUAL_KEEP_DAYS: Final = 365
"""Days after which unused data are deleted; a phone's cookie lasts 400 days."""
TABLES_AT_ONCE: Final = 20
"""Tables deleted in one transaction, so that no tap waits for long."""
RESTORE_DAYS: Final = 30
"""Days for which a restore can be taken back."""
ROWS_AT_ONCE: Final = 500
"""Limit of other rows that are written in one transaction."""


_NOTE_DEVICE: Final = sa.text(
    "INSERT INTO devices (device, seen_at) SELECT :device, CAST(:now AS BIGINT)"
    " WHERE EXISTS (SELECT 1 FROM members WHERE members.device = :device)"
    " OR EXISTS (SELECT 1 FROM plays WHERE plays.owner = :device)"
    " OR EXISTS (SELECT 1 FROM own_editions WHERE own_editions.owner = :device)"
    " ON CONFLICT (device) DO UPDATE SET seen_at = excluded.seen_at"
)


@dataclass(frozen=True, slots=True)
class Tidied:
    """The numbers of rows that were deleted, or would be."""

    empty_tables: int = 0
    """Tables at which no game has ever begun."""
    tables: int = 0
    games: int = 0
    """Finished games of devices that have not come back."""
    reviews: int = 0
    """Photographed games that nobody saved."""

    def document(self) -> dict[str, int]:
        """The numbers by name, as `companion tidy --json` prints them."""
        return asdict(self)


def note_devices(connection: Connection, seen: Iterable[tuple[str, int]]) -> None:
    """Notes when devices were here, of those that have a table, a match or an edition.

    Args:
        seen: (hash of the device's token, or a phone's key; milliseconds since 1970).
    """
    for device, now in seen:
        connection.execute(_NOTE_DEVICE, {"device": device, "now": now})
        here = own_phones.c.key == device
        connection.execute(own_phones.update().where(here).values(seen_at=now))


def tidy(
    store: Store,
    keep_days: int,
    *,
    is_rehearsal: bool = False,
    may_go_on: Callable[[], bool] = lambda: True,
) -> Tidied:
    """Deletes unused data, a few rows at a time; a server may run meanwhile.

    Args:
        keep_days: days after which what is not used goes; 0 keeps all that was ever played.
        is_rehearsal: whether nothing is deleted, only counted.
        may_go_on: asked before each transaction.
    """
    now = store.now()
    weeks_old = (tables.c.changed_at < now - store.limits.unused_table_days * DAY_MS) & is_unused()
    if is_rehearsal:
        return _rehearsal(store, keep_days, weeks_old)
    empty = old = games = 0
    while may_go_on() and (ids := _delete_some(store, weeks_old)):
        empty += len(ids)
    expired = _count_reviews(store)
    Reviews(store).sweep()
    with store.database.write() as connection:
        old_restores = restored_matches.c.at < now - RESTORE_DAYS * DAY_MS
        connection.execute(restored_matches.delete().where(old_restores))
    if keep_days and may_go_on():
        before = now - keep_days * DAY_MS
        _wait_for_unknown(store, now)
        while may_go_on() and (found := _delete_some_old(store, before)):
            old += found[0]
            games += found[1]
        while may_go_on() and (count := _delete_some_matches(store, before)):
            games += count
        _forget_devices(store, before)
    return Tidied(empty, old, games, expired)


def _delete_some(store: Store, which: sa.ColumnElement[bool]) -> list[str]:
    """Deletes some of these tables; returns their ids."""
    with store.database.write() as connection:
        ids = _locked(store, connection, which)
        quotas.delete_tables(connection, ids)
    store.forget_tables(ids)
    return ids


def _locked(store: Store, connection: Connection, which: sa.ColumnElement[bool]) -> list[str]:
    """The ids of some of these tables, at which nobody can write until the end."""
    query = sa.select(tables.c.id).where(which).order_by(tables.c.changed_at)
    query = query.limit(TABLES_AT_ONCE)
    if not store.database.is_sqlite:
        query = query.with_for_update(skip_locked=True)
    return list(connection.execute(query).scalars())


def _delete_some_old(store: Store, before: int) -> tuple[int, int] | None:
    """Deletes some tables that were not used since; returns how many, and how many games.

    Their finished matches go to the devices that still come. None if there are no such tables.
    """
    games = 0
    gone: list[str] = []
    with store.database.write() as connection:
        ids = _locked(store, connection, tables.c.changed_at < before)
        for table_id in ids:
            query = _coming(before).where(
                members.c.table_id == table_id, members.c.role != "viewer"
            )
            owners = connection.execute(query.order_by(members.c.role)).scalars().all()
            games += 0 if owners else _count_matches(connection, table_id)
            if hand_out_matches(connection, table_id, owners):
                break  # the rest of them in another transaction
            gone.append(table_id)
        quotas.delete_tables(connection, gone)
    store.forget_tables(gone)
    return (len(gone), games) if ids else None


def _coming(before: int) -> sa.Select[Any]:
    """The devices at tables that have been here since."""
    return (
        sa.select(members.c.device)
        .join(devices, devices.c.device == members.c.device)
        .where(devices.c.seen_at >= before)
    )


def _count_matches(connection: Connection, table_id: str) -> int:
    query = sa.select(sa.func.count()).where(
        finished_matches.c.table_id == table_id, finished_matches.c.ended_at.is_not(None)
    )
    return int(connection.execute(query).scalar_one())


def _wait_for_unknown(store: Store, now: int) -> None:
    """Notes now for every device with something here that was never noted."""
    for column in (members.c.device, finished_matches.c.owner, own_editions.c.owner):
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


def _delete_some_matches(store: Store, before: int) -> int:
    """Deletes some matches of devices that have not come since; returns how many."""
    rows = finished_matches
    query = sa.select(rows.c.id).where(rows.c.owner.in_(_gone(before))).limit(ROWS_AT_ONCE)
    with store.database.write() as connection:
        ids = connection.execute(query).scalars().all()
        if ids:
            connection.execute(rows.delete().where(rows.c.id.in_(ids)))
    return len(ids)


def _forget_devices(store: Store, before: int) -> None:
    """Deletes the notes of devices that have nothing any more, and the lists of their phones.

    Forgotten phones stay forgotten: their cookies never end by themselves.
    """
    at_table = sa.exists().where(members.c.device == devices.c.device)
    has_matches = sa.exists().where(finished_matches.c.owner == devices.c.device)
    gone = devices.c.seen_at < before
    with store.database.write() as connection:
        of_gone = deleted_matches.c.owner.in_(sa.select(devices.c.device).where(gone))
        connection.execute(deleted_matches.delete().where(of_gone))
        unused = own_editions.c.owner.in_(sa.select(devices.c.device).where(gone))
        connection.execute(own_editions.delete().where(unused))
        connection.execute(devices.delete().where(gone, ~at_table, ~has_matches))
        is_left = sa.exists().where(devices.c.device == own_phones.c.device)
        old = own_phones.c.seen_at < before
        listed = own_phones.c.forgotten_at.is_(None)
        connection.execute(own_phones.delete().where(old, listed, ~is_left))


def _count_reviews(store: Store) -> int:
    expired = reviews.c.changed_at <= store.now() - LIFETIME_MS
    with store.database.read() as connection:
        return int(connection.execute(sa.select(sa.func.count()).where(expired)).scalar_one())


def _rehearsal(store: Store, keep_days: int, weeks_old: sa.ColumnElement[bool]) -> Tidied:
    before = store.now() - keep_days * DAY_MS
    rows = finished_matches
    old = tables.c.changed_at < before
    is_known = sa.exists().where(devices.c.device == members.c.device, devices.c.seen_at < before)
    # A device that was never noted is waited for, and its matches go to it.
    waited_for = sa.exists().where(
        members.c.table_id == tables.c.id, members.c.role != "viewer", ~is_known
    )
    of_tables = sa.select(sa.func.count()).select_from(rows.join(tables)).where(
        old, ~waited_for, rows.c.ended_at.is_not(None)
    )  # fmt: skip
    of_devices = sa.select(sa.func.count()).where(rows.c.owner.in_(_gone(before)))
    with store.database.read() as connection:

        def count(query: sa.Select[Any]) -> int:
            return int(connection.execute(query).scalar_one())

        empty = count(sa.select(sa.func.count()).where(weeks_old))
        expired = _count_reviews(store)
        if not keep_days:
            return Tidied(empty, reviews=expired)
        others = count(sa.select(sa.func.count()).where(old, ~is_unused()))
        return Tidied(empty, others, count(of_tables) + count(of_devices), expired)
