"""Limits of the data of one device, and the deletion of tables that were never used."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.limits import Limits
from companion.tables.database.columns import device_hash
from companion.tables.database.schema import (
    finished_matches,
    links,
    matches,
    members,
    metadata,
    tables,
)
from companion.tables.limits import counts
from companion.tables.limits.counts import DAY_MS
from companion.tables.refusals import Refused

DELETED_AT_ONCE: Final = 50
"""Limit of the unused tables that go with one new one."""
MOST_MATCHES: Final = 25_000
"""Finished games that one device puts in itself, from paper or files."""


def make_room_for_table(
    connection: Connection, device: str, now: int, limits: Limits, address_key: str = ""
) -> None:
    """Deletes tables that were never used; called before one is made.

    Args:
        address_key: the address whose tables are counted, too; see `Tables.address_key`.

    Raises:
        Refused: `too-many-tables`.
    """
    _delete_unused(connection, now - limits.unused_table_days * DAY_MS)
    mine = (
        sa.select(sa.func.count())
        .select_from(members.join(tables, members.c.table_id == tables.c.id))
        .where(members.c.device == device_hash(device), members.c.role == "host")
    )
    today = mine.where(tables.c.made_at > now - DAY_MS)
    if connection.execute(today).scalar_one() >= limits.tables_per_device:
        raise Refused("too-many-tables")
    if connection.execute(mine.where(is_unused())).scalar_one() >= limits.unused_tables_per_device:
        raise Refused("too-many-tables")
    if address_key:
        counts.forget(connection, now)
        most = limits.tables_per_address
        if not counts.count_of_day(connection, "tables", address_key, now, most):
            raise Refused("too-many-tables")


def count_photos(
    connection: Connection, address_key: str, now: int, number: int, limits: Limits
) -> None:
    """Counts photos of an address; raises `Refused` with `too-many-photos`."""
    counts.forget(connection, now)
    most = limits.photos_per_address
    if not counts.count_of_day(connection, "photos", address_key, now, most, number):
        raise Refused("too-many-photos")


def check_matches(connection: Connection, device: str, new: int) -> None:
    """Raises `Refused` with `too-many-games` when the device would keep too many."""
    rows = finished_matches
    mine = sa.select(sa.func.count()).where(rows.c.owner == device_hash(device))
    if new and connection.execute(mine).scalar_one() + new > MOST_MATCHES:
        raise Refused("too-many-games", most=MOST_MATCHES)


def is_unused() -> sa.ColumnElement[bool]:
    """Whether no game has ever begun at a table."""
    begun = sa.exists().where(matches.c.table_id == tables.c.id)
    kept = sa.exists().where(finished_matches.c.table_id == tables.c.id)
    return (tables.c.phase == "lobby") & ~begun & ~kept


def _delete_unused(connection: Connection, before: int) -> None:
    query = sa.select(tables.c.id).where(tables.c.changed_at < before, is_unused())
    delete_tables(connection, connection.execute(query.limit(DELETED_AT_ONCE)).scalars().all())


def delete_tables(connection: Connection, ids: Sequence[str]) -> None:
    """Deletes tables with all that refers to them."""
    if not ids:
        return
    own_links = sa.select(links.c.id).where(links.c.table_id.in_(ids))
    for table in reversed(metadata.sorted_tables):
        for key in table.foreign_keys:
            if key.column is tables.c.id:
                connection.execute(table.delete().where(key.parent.in_(ids)))
            elif key.column is links.c.id and "table_id" not in table.c:
                connection.execute(table.delete().where(key.parent.in_(own_links)))
    connection.execute(tables.delete().where(tables.c.id.in_(ids)))
