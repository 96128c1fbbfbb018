"""Counts of what each network address did lately, shared by all processes of one database.

Addresses are kept as hashes with a secret key, for a day at most.
"""

from __future__ import annotations

import hashlib
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.schema import address_counts

DAY_MS: Final = 24 * 60 * 60 * 1000
HOUR_MS: Final = 60 * 60 * 1000
_LOCK: Final = 0x636E74
"""The class of PostgreSQL advisory locks under which an address's counts are changed."""

_rows: Final = address_counts


def hashed(address: str, key: str) -> str:
    """The keyed hash that stands for an address in the database."""
    raw = address.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(raw, key=key.encode()[:64], digest_size=16).hexdigest()


def lock(connection: Connection, kind: str, address: str) -> None:
    """Makes others who count for this address wait until the end of the transaction."""
    if connection.dialect.name == "postgresql":
        number = sa.func.hashtext(f"{kind} {address}")
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK, number)))


def counted(connection: Connection, kind: str, address: str, now: int) -> int:
    """The sum of the counts of an address."""
    here = (_rows.c.kind == kind) & (_rows.c.address == address) & (_rows.c.until > now)
    query = sa.select(sa.func.coalesce(sa.func.sum(_rows.c.count), 0)).where(here)
    return int(connection.execute(query).scalar_one())


def is_at_least(connection: Connection, kind: str, most: int, now: int) -> bool:
    """Whether all addresses together have as many rows as `most`, each of which counts."""
    found = sa.select(sa.literal(1)).where(_rows.c.kind == kind, _rows.c.until > now)
    some = found.limit(most).subquery()
    return connection.execute(sa.select(sa.func.count()).select_from(some)).scalar_one() >= most


def add(connection: Connection, kind: str, address: str, until: int, number: int = 1) -> None:
    """Counts something until a moment, and forgets what is over; `number` may be negative."""
    here = (_rows.c.kind == kind) & (_rows.c.address == address) & (_rows.c.until == until)
    more = _rows.update().where(here).values(count=_rows.c.count + number)
    if connection.execute(more).rowcount == 0 and number > 0:
        row = {"kind": kind, "address": address, "until": until, "count": number}
        connection.execute(_rows.insert().values(row))
    elif number < 0:
        connection.execute(_rows.delete().where(here, _rows.c.count <= 0))


def forget(connection: Connection, now: int) -> None:
    """Deletes the counts that are over."""
    connection.execute(_rows.delete().where(_rows.c.until <= now))


def count_of_day(
    connection: Connection, kind: str, address: str, now: int, most: int, number: int = 1
) -> bool:
    """Counts `number` for a day; False, and nothing is counted, when that is too many."""
    lock(connection, kind, address)
    if counted(connection, kind, address, now) + number > most:
        return False
    # By the hour, so that an address has 25 rows at most.
    add(connection, kind, address, now // HOUR_MS * HOUR_MS + DAY_MS, number)
    return True
