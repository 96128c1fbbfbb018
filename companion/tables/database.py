"""The database: connections, transactions and migrations, for SQLite and PostgreSQL alike.

It knows neither games nor matches. Writing transactions run one at a time.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from companion.tables import schema

BUSY_TIMEOUT_MS: Final = 10_000
"""How long a write waits for another process that is writing to the same SQLite file."""

RETRY_SECONDS: Final = 0.02
"""Pause between attempts to switch SQLite to its write-ahead log."""

POOL_SIZE: Final = 8
POOL_OVERFLOW: Final = 24
"""Connections beyond the pool, for moments in which many threads write at once."""

MIGRATION_LOCK: Final = 0x636F6D70
"""The PostgreSQL advisory lock under which one process migrates and the others wait."""

_WRITES: Final = "companion_writes"
"""The execution option that marks a transaction which writes."""


class Database:
    """A database with the newest schema; an older one is migrated when it is opened."""

    def __init__(self, url: str) -> None:
        self.engine: Final = _engine(url)
        self.is_sqlite: Final = self.engine.dialect.name == "sqlite"
        # SQLite lets one connection write at a time and makes the others sleep and ask again.
        # Threads of one process queue here instead, which is fairer and wakes them at once.
        self._writers: Final[AbstractContextManager[Any]] = (
            threading.Lock() if self.is_sqlite else nullcontext()
        )
        self._writing: Final = self.engine.execution_options(**{_WRITES: True})
        self._migrate()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that changes nothing."""
        with self.engine.connect() as connection:
            yield connection

    @contextmanager
    def snapshot(self) -> Iterator[Connection]:
        """A `read` in which all queries see the state at the first one, however long it takes."""
        engine = self.engine
        if not self.is_sqlite:  # SQLite's transactions are snapshots anyway
            engine = engine.execution_options(isolation_level="REPEATABLE READ")
        with engine.connect() as connection:
            yield connection

    @contextmanager
    def write(self, exclusive_table: sa.Table | None = None) -> Iterator[Connection]:
        """A transaction that is committed at the end, or rolled back when anything is raised.

        Args:
            exclusive_table: a table into which nobody else may write meanwhile. SQLite has only
                one writer at a time anyway.
        """
        with self._writers, self._writing.begin() as connection:
            if exclusive_table is not None and not self.is_sqlite:
                lock = f"LOCK TABLE {exclusive_table.name} IN SHARE ROW EXCLUSIVE MODE"
                connection.execute(sa.text(lock))
            yield connection

    def close(self) -> None:
        """Closes the connections that are not in use."""
        self.engine.dispose()

    def _migrate(self) -> None:
        with self.engine.connect() as connection:
            if _revision(connection) == schema.HEAD:
                return
        with self.write() as connection:
            if not self.is_sqlite:
                lock = sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)
                connection.execute(sa.select(lock))
            # Another process may have migrated while this one waited for the lock.
            if _revision(connection) != schema.HEAD:
                upgrade(connection)


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Runs the migrations up to `revision` inside the connection's transaction."""
    # Loaded only here: a database that is current must not pay for it at every start.
    from alembic import command

    command.upgrade(alembic_config(connection), revision)


def alembic_config(connection: Connection) -> Any:
    """Alembic's configuration for an open connection; there is no alembic.ini."""
    from alembic.config import Config

    config = Config()
    folder = str(Path(__file__).with_name("migrations"))
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def _revision(connection: Connection) -> str | None:
    """The last migration that the database went through; None when it is new."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


def _engine(url: str) -> Engine:
    parsed = sa.make_url(url)
    if parsed.get_backend_name() == "sqlite":
        if not parsed.database or parsed.database == ":memory:":
            raise ValueError("SQLite needs a file, for example sqlite:///companion.sqlite3.")
        engine = sa.create_engine(parsed, pool_size=POOL_SIZE, max_overflow=POOL_OVERFLOW)
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine
    return sa.create_engine(
        parsed, pool_size=POOL_SIZE, max_overflow=POOL_OVERFLOW, pool_pre_ping=True
    )


def _prepare_sqlite(dbapi_connection: Any, _record: object) -> None:
    # The driver must not begin transactions by itself: `_begin_sqlite` does.
    dbapi_connection.isolation_level = None
    cursor = dbapi_connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    _switch_to_wal(cursor)
    # FULL, not WAL's usual NORMAL: what was acknowledged must survive a power cut.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    # Deleted content is overwritten, not only marked as free.
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def _switch_to_wal(cursor: Any) -> None:
    """Switches to the write-ahead log. Retries: SQLite fails while another connection switches."""
    last = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > last:
                raise
            time.sleep(RETRY_SECONDS)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    # A deferred transaction that reads first and writes later fails with "database is locked"
    # when another wrote in between, so a write takes the lock at its beginning.
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
