"""Deletes a table for good, with its log, links and members.

Its finished matches stay in the histories of the devices that played there, each with a copy of its
own: nobody's history may depend on the host keeping a table.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables import quotas
from companion.tables.database.columns import new_id
from companion.tables.database.schema import finished_matches
from companion.tables.history.pacing import Pace
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

COPIES_AT_ONCE: Final = 1000
"""Copies of matches in one transaction: thousands of short matches may go to a hundred devices."""


def delete_table(store: Store, table_id: str, device: str) -> None:
    """Deletes the table for good, with a match that is running. For the device that made it.

    Its finished matches stay in the history of each device that played there. They are handed out
    in several transactions; a deletion that was cut off is ended by another one.

    Raises:
        Refused: `not-host`.
    """
    pace = Pace()
    is_left = True
    while is_left:
        with store.changing(table_id, device) as change:
            if change.member.id != change.state.founder:
                raise Refused("not-host")
            devices = change.player_devices()
            is_left = hand_out_matches(change.connection, table_id, devices)
            if not is_left:
                quotas.delete_tables(change.connection, [table_id])
        pace.pause()
    store.forget_tables([table_id])


def hand_out_matches(connection: Connection, table_id: str, owners: Sequence[str]) -> bool:
    """Gives some of a table's finished matches to the first of these devices, copies to the others.

    Args:
        owners: hashes of the devices' tokens; without any the matches are deleted.

    Returns:
        Whether there are more.
    """
    rows = finished_matches
    here = rows.c.table_id == table_id
    connection.execute(rows.delete().where(here, rows.c.ended_at.is_(None)))
    if not owners:
        connection.execute(rows.delete().where(here))
        return False
    most = max(1, COPIES_AT_ONCE // len(owners))
    query = sa.select(rows).where(here).order_by(rows.c.number).limit(most)
    found = connection.execute(query).mappings().all()
    free = {"table_id": None, "number": None}
    copies = [
        {**match, **free, "id": new_id(), "owner": owner} for match in found for owner in owners[1:]
    ]
    these = here & rows.c.number.in_([match["number"] for match in found])
    connection.execute(rows.update().where(these).values(owner=owners[0], **free))
    if copies:
        connection.execute(rows.insert(), copies)
    return len(found) == most
