"""Deletes a table for good, with its log, links and members.

Its finished matches stay in the histories of the devices that played there, each with a copy of its
own: nobody's history may depend on the host keeping a table.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables import quotas
from companion.tables.database.columns import new_id
from companion.tables.database.schema import finished_matches
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused


def delete_table(store: Store, table_id: str, device: str) -> None:
    """Deletes the table for good, with a match that is running. For the device that made it.

    Its finished matches stay in the history of each device that played there.

    Raises:
        Refused: `not-host`.
    """
    with store.changing(table_id, device) as change:
        if change.member.id != change.state.founder:
            raise Refused("not-host")
        hand_out_matches(change.connection, table_id, change.player_devices())
        quotas.delete_tables(change.connection, [table_id])
    store.forget_tables([table_id])


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
    free = {"table_id": None, "number": None}
    found = connection.execute(sa.select(rows).where(here)).mappings().all()
    copies = [
        {**match, **free, "id": new_id(), "owner": owner} for match in found for owner in owners[1:]
    ]
    connection.execute(rows.update().where(here).values(owner=owners[0], **free))
    if copies:
        connection.execute(rows.insert(), copies)
