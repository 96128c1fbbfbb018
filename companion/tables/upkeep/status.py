"""A database in numbers, for its operator."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from companion.tables.database import schema
from companion.tables.database.engine import Database, sqlite_path
from companion.tables.database.sqlite_file import beside, size_of

_rows: Final = schema.finished_matches.c
_COUNTS: Final = {
    "tables": sa.select(sa.func.count()).select_from(schema.tables),
    "playing": sa.select(sa.func.count()).where(schema.tables.c.phase == "playing"),
    "games": sa.select(sa.func.count()).where(_rows.ended_at.is_not(None)),
    "on_paper": sa.select(sa.func.count()).where(_rows.number.is_(None)),
    "devices": sa.select(sa.func.count(sa.distinct(schema.members.c.device))),
    "events": sa.select(sa.func.count()).select_from(schema.events),
    "reviews": sa.select(sa.func.count()).select_from(schema.reviews),
}


def status(database: Database) -> dict[str, int]:
    """Counts of what people made, and the bytes on the disk."""
    with database.read() as connection:
        found = {name: connection.execute(query).scalar_one() for name, query in _COUNTS.items()}
        if not database.is_sqlite:
            size = sa.select(sa.func.pg_database_size(sa.func.current_database()))
            return {**found, "bytes": connection.execute(size).scalar_one()}
    file = sqlite_path(database.engine.url)
    return {**found, "bytes": size_of(file) + size_of(beside(file, "-wal"))}
