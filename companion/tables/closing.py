"""Deletes a table for good, with its log, links and members.

Its finished matches stay in the histories of the devices that played there, each with a copy of its
own: nobody's history may depend on the host keeping a table.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.history.visible import catch_up
from companion.tables.ids import device_hash, new_id
from companion.tables.schema import (
    events,
    finished_matches,
    link_tokens,
    links,
    matches,
    members,
    tables,
)
from companion.tables.store import Store


def delete_table(store: Store, table_id: str, device: str) -> None:
    """See `Tables.delete_table`."""
    catch_up(store, device)
    with store.changing(table_id, device) as change:
        change.need_host()
        others = sa.select(members.c.device).where(
            members.c.table_id == table_id,
            members.c.role != "viewer",
            members.c.device != device_hash(device),
        )
        owners = [device_hash(device), *change.connection.execute(others).scalars()]
        hand_out_matches(change.connection, table_id, owners)
        own_links = sa.select(links.c.id).where(links.c.table_id == table_id)
        change.connection.execute(link_tokens.delete().where(link_tokens.c.link_id.in_(own_links)))
        for table in (events, matches, members, links):
            change.connection.execute(table.delete().where(table.c.table_id == table_id))
        change.connection.execute(tables.delete().where(tables.c.id == table_id))
        version = change.state.version + 1
    # The open streams look for their table, do not find it, and end.
    store.cache.drop(table_id)
    store.bus.publish(table_id, version)
    if store.postgres is not None:
        store.postgres.announce(table_id, version)


def hand_out_matches(connection: Connection, table_id: str, owners: Sequence[str]) -> None:
    """Gives a table's finished matches to the first of these devices, and copies to the others.

    Args:
        owners: hashes of the devices' tokens; without any the matches are deleted.
    """
    rows = finished_matches
    here = rows.c.table_id == table_id
    connection.execute(rows.delete().where(here, rows.c.ended_at.is_(None)))
    if not owners:
        connection.execute(rows.delete().where(here))
        return
    found = connection.execute(sa.select(rows).where(here)).mappings().all()
    free = {"table_id": None, "number": None}
    copies = [
        {**match, **free, "id": new_id(), "owner": owner} for match in found for owner in owners[1:]
    ]
    connection.execute(rows.update().where(here).values(owner=owners[0], **free))
    if copies:
        connection.execute(rows.insert(), copies)
