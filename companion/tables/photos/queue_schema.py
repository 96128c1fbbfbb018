"""Procrastinate's tables and functions: a PostgreSQL schema of their own beside ours.

The waiting photos are worth minutes, so no backup has them, and Alembic does not know the schema.
Procrastinate brings its own migrations; the schema's comment says up to which version they ran.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from companion.core.refusal import Unusable
from companion.tables.database import postgres
from companion.tables.database.engine import MIGRATION_LOCK, Database

NAME: Final = "companion_queue"
"""The schema."""
Version: TypeAlias = tuple[int, ...]

NEEDED: Final = (
    "Photos on PostgreSQL go through a queue that is not installed here ({} is missing): install"
    ' the companion with its extra "postgres".'
)


def prepare(database: Database) -> None:
    """Makes the schema, or upgrades it to the version that is installed here.

    Raises:
        Unusable: procrastinate is not installed.
    """
    try:
        wanted = _version(metadata.version("procrastinate"))
    except metadata.PackageNotFoundError as missing:
        raise Unusable(NEEDED.format("procrastinate")) from missing
    with database.read() as connection:
        if (_found(connection) or ()) >= wanted:
            return
    with database.write() as connection, postgres.patient(connection):
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
        found = _found(connection)
        if found is not None and found >= wanted:
            return  # another process was first
        if found is None:
            connection.execute(sa.text(f"CREATE SCHEMA {NAME}"))
        with first(connection) as raw:
            for script in _scripts(found):
                raw.execute(script)
        said = ".".join(map(str, wanted))
        connection.execute(sa.text(f"COMMENT ON SCHEMA {NAME} IS '{said}'"))


@contextmanager
def first(connection: Connection) -> Iterator[Any]:
    """The driver's connection, whose statements find the queue's functions meanwhile."""
    path = sa.func.current_setting("search_path")
    before = connection.execute(sa.select(path)).scalar_one()
    _look_in(connection, f"{NAME}, {before}")
    yield connection.connection.driver_connection
    # After an error nothing more can be asked, and the setting ends with the transaction.
    _look_in(connection, before)


def connect_arguments(engine: Engine) -> dict[str, Any]:
    """The arguments with which a reader's own connections are opened."""
    _, given = engine.dialect.create_connect_args(engine.url)
    arguments = {**postgres.arguments(engine.url), **given}
    options = f"{arguments.get('options', '')} -c search_path={NAME}"
    return {**arguments, "options": options.strip()}


def _look_in(connection: Connection, path: str) -> None:
    connection.execute(sa.select(sa.func.set_config("search_path", path, True)))


def _found(connection: Connection) -> Version | None:
    """The version of the schema; None when there is none."""
    said = sa.func.obj_description(sa.func.to_regnamespace(NAME), "pg_namespace")
    comment = connection.execute(sa.select(said)).scalar()
    return _version(comment) if comment else None


def _scripts(found: Version | None) -> Iterator[str]:
    """The scripts that upgrade the schema from a version to that of the installed package."""
    from procrastinate.schema import SchemaManager

    if found is None:
        yield SchemaManager.get_schema()
        return
    # 03.04.00_50_post_add_retry_failed_job_procedure.sql
    for path in sorted(Path(SchemaManager.get_migrations_path()).glob("*.sql")):
        if _version(path.name.partition("_")[0]) > found:
            yield path.read_text("utf-8")


def _version(text: str) -> Version:
    """The numbers of a version, without what marks one before its release."""
    return tuple(int(part) for part in text.split(".") if part.isdigit())
