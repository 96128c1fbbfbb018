"""Deletes a table for good, with its log, links and members.

Its finished matches stay in the histories of the devices that played there, each with a copy of its
own where it has room: nobody's history may depend on the host keeping a table.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables import quotas
from companion.tables.database.columns import new_id
from companion.tables.database.schema import finished_matches
from companion.tables.history import rewriting
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused


def delete_table(store: Store, table_id: str, device: str) -> None:
    """Deletes the table for good, with a match that is running. For the device that made it.

    Its finished matches stay in the history of each device that played there and has room, to which
    they go a few at a time; repeating the deletion finishes one that was interrupted.

    Raises:
        Refused: `not-host`.
    """
    is_out = False
    while not is_out:
        with store.changing(table_id, device) as change:
            if change.member.id != change.state.founder:
                raise Refused("not-host")
            is_out = hand_out_matches(change.connection, table_id, change.player_devices())
            if is_out:
                quotas.delete_tables(change.connection, [table_id])
    store.forget_tables([table_id])


def hand_out_matches(connection: Connection, table_id: str, owners: Sequence[str]) -> bool:
    """Gives some of a table's finished matches to the first device, and copies to the others.

    Args:
        owners: hashes of the devices' tokens; without any the matches are deleted.

    Returns:
        Whether none is left, so that the table may be deleted.
    """
    rows = finished_matches
    here = rows.c.table_id == table_id
    most = max(1, rewriting.ROWS_AT_ONCE // max(1, len(owners)))
    query = sa.select(rows).where(here, rows.c.ended_at.is_not(None)).limit(most)
    found = connection.execute(query).mappings().all() if owners else []
    free = {"table_id": None, "number": None}
    others = quotas.with_room(connection, owners[1:])
    copies = [
        {**match, **free, "id": new_id(), "owner": owner} for match in found for owner in others
    ]
    if found:
        given = rows.update().where(rows.c.id.in_([match["id"] for match in found]))
        connection.execute(given.values(owner=owners[0], **free))
    if copies:
        connection.execute(rows.insert(), copies)
    if len(found) == most:
        return False
    connection.execute(rows.delete().where(here))
    return True
