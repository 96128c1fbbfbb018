"""The contents of a database in numbers, for its operator."""

from __future__ import annotations

import sqlalchemy as sa

from companion.tables.database import schema
from companion.tables.database.engine import Database, sqlite_path


def status(database: Database) -> dict[str, int]:
    """Counts of what people made, and the bytes on the disk."""
    rows = schema.finished_matches.c
    phase, device = schema.tables.c.phase, schema.members.c.device
    counts = {
        "tables": sa.select(sa.func.count()).select_from(schema.tables),
        "playing": sa.select(sa.func.count()).where(phase == "playing"),
        "games": sa.select(sa.func.count()).where(rows.ended_at.is_not(None)),
        "on_paper": sa.select(sa.func.count()).where(rows.number.is_(None)),
        "devices": sa.select(sa.func.count(sa.distinct(device))),
        "events": sa.select(sa.func.count()).select_from(schema.events),
        "reviews": sa.select(sa.func.count()).select_from(schema.reviews),
    }
    with database.read() as connection:
        found = {name: connection.execute(query).scalar_one() for name, query in counts.items()}
        if not database.is_sqlite:
            size = sa.func.pg_database_size(sa.func.current_database())
            return {**found, "bytes": connection.execute(sa.select(size)).scalar_one()}
    file = sqlite_path(database.engine.url)
    parts = (file, file.with_name(f"{file.name}-wal"))
    return {**found, "bytes": sum(part.stat().st_size for part in parts if part.exists())}
