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
from companion.tables.refusals import Refused

DAY_MS: Final = 24 * 60 * 60 * 1000
UNUSED_DAYS: Final = 7  # days for which a table without a match is kept
DELETED_AT_ONCE: Final = 50  # Unused tables deleted at most when one is made
# Finished matches that one device puts in itself, from paper or files. Those that have more since
# earlier versions keep theirs.
MOST_MATCHES: Final = 5_000
# Up to this number, a device gets copies of other devices' matches. The rest is for its own, so
# that nobody else can fill its history.
MOST_WITH_COPIES: Final = 4_000


def make_room_for_table(connection: Connection, device: str, now: int, limits: Limits) -> None:
    """Deletes tables that were never used; called before one is made.

    Raises:
        Refused: `too-many-tables`.
    """
    old = tables.c.changed_at < now - UNUSED_DAYS * DAY_MS
    unused = sa.select(tables.c.id).where(old, is_unused()).limit(DELETED_AT_ONCE)
    delete_tables(connection, connection.execute(unused).scalars().all())
    of_today = (
        sa.select(sa.func.count())
        .select_from(members.join(tables, members.c.table_id == tables.c.id))
        .where(members.c.device == device_hash(device), members.c.role == "host")
        .where(tables.c.made_at > now - DAY_MS)
    )
    if connection.execute(of_today).scalar_one() >= limits.tables_per_device:
        raise Refused("too-many-tables")


def count_matches(connection: Connection, device: str) -> int:
    """The number of finished matches that the device has put in itself."""
    mine = finished_matches.c.owner == device_hash(device)
    return connection.execute(sa.select(sa.func.count()).where(mine)).scalar_one()


def room_for_matches(connection: Connection, device: str) -> int:
    """The number of matches that the device may still put in; raises `too-many-games` at none."""
    room = MOST_MATCHES - count_matches(connection, device)
    if room <= 0:
        raise Refused("too-many-games", most=MOST_MATCHES)
    return room


def with_room(connection: Connection, owners: Sequence[str]) -> list[str]:
    """Those of the devices, by their hashes, that get a copy of another device's match."""
    owner = finished_matches.c.owner
    many = sa.select(owner).where(owner.in_(owners)).group_by(owner)
    full = set(connection.execute(many.having(sa.func.count() >= MOST_WITH_COPIES)).scalars())
    return [one for one in owners if one not in full]


def is_unused() -> sa.ColumnElement[bool]:
    """Whether no match has ever begun at a table."""
    begun = sa.exists().where(matches.c.table_id == tables.c.id)
    kept = sa.exists().where(finished_matches.c.table_id == tables.c.id)
    return (tables.c.phase == "lobby") & ~begun & ~kept


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
