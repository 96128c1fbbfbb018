"""The phones of one person: all have one device's token in their cookies, and so are one device."""

from __future__ import annotations

import secrets
from typing import Final

import sqlalchemy as sa

from companion.tables.database.columns import device_hash
from companion.tables.database.schema import metadata
from companion.tables.ledger.store import Store

DEVICE_BYTES: Final = 16  # Random bytes in a device's token
_UNIQUE: Final = (sa.UniqueConstraint, sa.PrimaryKeyConstraint)


def new_device() -> str:
    """The token of a device that has nothing yet."""
    return secrets.token_urlsafe(DEVICE_BYTES)


def sign_out_others(store: Store, device: str, token: str) -> None:
    """Moves a device's memberships, matches and other data to the new device of this token.

    Phones that have the old token become strangers, and their streams end. They keep what the new
    device has already, such as a membership of the same table.
    """
    old, new = device_hash(device), device_hash(token)
    with store.database.write() as connection:
        for table in metadata.sorted_tables:
            for column in table.c:
                if column.name in ("device", "owner"):  # each holds the hash of a device's token
                    mine = table.update().where(column == old, ~_has_already(column, new))
                    connection.execute(mine.values({column.name: new}))
    store.publish(old, 0)


def _has_already(column: sa.Column[str], device: str) -> sa.ColumnElement[bool]:
    """The condition on a row whose place, by a unique key, another row of the device has taken."""
    table = column.table
    other = table.alias()
    unique = (
        key for key in table.constraints if isinstance(key, _UNIQUE) and column in [*key.columns]
    )
    taken = []
    for key in unique:
        same = [other.c[one.name] == one for one in key.columns if one is not column]
        taken.append(sa.exists().where(other.c[column.name] == device, *same))
    return sa.or_(sa.false(), *taken)
