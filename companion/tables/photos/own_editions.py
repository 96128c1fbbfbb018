"""The publishers' sheets that people have described: tables of editions, each one device's."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from companion.tables.database.columns import device_hash
from companion.tables.database.schema import own_editions
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

MOST: Final = 5
"""Limit of a device's editions; each makes reading a photo with publishers' sheets slower."""


class OwnEditions:
    """The described editions of one database. Each method is one transaction."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    def tables_of(self, owner: str) -> list[str]:
        """The tables of a device as TOML, by name; `owner` is its `device_hash`."""
        query = sa.select(own_editions.c.body).where(own_editions.c.owner == owner)
        with self._store.database.read() as connection:
            return list(connection.execute(query.order_by(own_editions.c.name)).scalars())

    def of_device(self, device: str) -> list[str]:
        """The tables of this device as TOML, by name."""
        return self.tables_of(device_hash(device))

    def keep(self, device: str, name: str, table: str) -> None:
        """Keeps a table, in place of one of the same name.

        Raises:
            Refused: `too-many-editions`.
        """
        row = {"owner": device_hash(device), "name": name}
        mine = own_editions.c.owner == row["owner"]
        count = sa.select(sa.func.count()).where(mine)
        with self._store.database.write(exclusive_table=own_editions) as connection:
            connection.execute(own_editions.delete().where(mine, own_editions.c.name == name))
            if connection.execute(count).scalar_one() >= MOST:
                raise Refused("too-many-editions", most=MOST)
            values = {**row, "body": table, "made_at": self._store.now()}
            connection.execute(own_editions.insert().values(values))

    def delete(self, device: str, name: str) -> None:
        """Deletes a table, if it is there."""
        which = (own_editions.c.owner == device_hash(device)) & (own_editions.c.name == name)
        with self._store.database.write() as connection:
            connection.execute(own_editions.delete().where(which))
