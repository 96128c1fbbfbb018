"""The database: connections, transactions and migrations, for SQLite and PostgreSQL alike.

It knows neither games nor matches. Writing transactions run one at a time.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from companion import __version__
from companion.core.refusal import Unusable
from companion.tables.database import postgres, schema
from companion.tables.database.ownership import FileLock, check_alone, make_private
from companion.tables.database.sqlite_file import SqliteFile, check_owner

BUSY_TIMEOUT_MS: Final = 3_000
"""How long a write waits for another process that is writing to the same SQLite file."""

QUEUE_SECONDS: Final = 3.0
"""Limit of the time that a write waits for the other writes of this process."""

RETRY_SECONDS: Final = 0.02
"""Pause between attempts to switch SQLite to its write-ahead log."""

POOL_SIZE: Final = 8
POOL_OVERFLOW: Final = 24
"""Connections beyond the pool, for moments in which many threads write at once."""

MIGRATION_LOCK: Final = 0x636F6D70
"""The PostgreSQL advisory lock under which one process migrates and the others wait."""

NEEDED: Final = "needed-version"
"""The setting with the version of the program that migrated the database last."""
WORKS_WITH: Final = "works-with"
"""The setting with the oldest migration whose program can work with the database, too."""

Older: TypeAlias = Literal["migrate", "refuse", "keep"]
"""The treatment of an older database. What is kept can be copied, and nothing else."""

TOO_OLD: Final = (
    "This database is at migration {}, and this version ({}) needs {}. Nothing was changed."
    " Migrating it takes the way back to an earlier version: first make a backup with companion"
    " backup FILE, then start companion serve --migrate."
)
TOO_NEW: Final = (
    "This {} needs {} of the companion: it is at migration {}, and this version ({}) knows {} as"
    " the last. Nothing was changed."
)
INSTALL: Final = " Install score_sheet_companion-{}-py3-none-any.whl, or a later one."

_log: Final = logging.getLogger(__name__)

_WRITES: Final = "companion_writes"
"""The execution option that marks a transaction which writes."""


class Database:
    """A database with the newest schema, unless an older one is kept."""

    def __init__(self, url: str, *, serving: bool = False, older: Older = "migrate") -> None:
        """Opens the database, and makes its tables where there are none.

        Args:
            serving: whether to keep other servers and restores away until `close`.
            older: the treatment of a database of an earlier version.

        Raises:
            Unusable: another process serves it, or it needs another version.
        """
        self.engine: Final = _engine(url)
        self.is_sqlite: Final = self.engine.dialect.name == "sqlite"
        self._lock: FileLock | None = None
        self._file: SqliteFile | None = None
        # SQLite lets one connection write at a time and makes the others sleep and ask again.
        # Threads of one process queue here instead, which is fairer and wakes them at once.
        self._writer: Final = threading.Lock()
        self._writing: Final = self.engine.execution_options(**{_WRITES: True})
        try:
            if serving:
                self.hold()
            if self.is_sqlite:
                self._file = SqliteFile(sqlite_path(self.engine.url), self.engine)
            self._migrate(older)
        except BaseException:
            self.close()
            raise

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
        with engine.connect() as connection, postgres.patient(connection):
            yield connection

    @contextmanager
    def write(self, exclusive_table: sa.Table | None = None) -> Iterator[Connection]:
        """A transaction that is committed at the end, or rolled back when anything is raised.

        Args:
            exclusive_table: a table into which nobody else may write meanwhile. SQLite has only
                one writer at a time anyway.

        Raises:
            OperationalError: the database cannot be written, or SQLite's file is no longer at its
                path after the commit, so that nothing may be acknowledged.
        """
        with self._queued(), self._writing.begin() as connection:
            if exclusive_table is not None and not self.is_sqlite:
                lock = f"LOCK TABLE {exclusive_table.name} IN SHARE ROW EXCLUSIVE MODE"
                connection.execute(sa.text(lock))
            yield connection

    @contextmanager
    def _queued(self) -> Iterator[None]:
        """Waits until no other thread writes to SQLite, and looks after its file.

        Raises:
            OperationalError: it takes too long, because the one that writes waits itself; or the
                file is not at its path, before or after the change.
        """
        if self._file is None:
            yield
            return
        if not self._writer.acquire(timeout=QUEUE_SECONDS):
            busy = sqlite3.OperationalError("too many wait to write")
            raise sa.exc.OperationalError("BEGIN IMMEDIATE", {}, busy)
        try:
            self._file.check()
            yield
            self._file.check()
        finally:
            self._writer.release()

    def fault(self) -> str | None:
        """The reason for which no change can be saved now, as far as this machine can tell."""
        return self._file.fault() if self._file else None

    def is_current(self) -> bool:
        """Whether the database answers, soon, and has a schema that this program works with."""
        with postgres.within(postgres.PING_SECONDS), self.engine.connect() as connection:
            found = revision_of(connection)
            return found == schema.HEAD or _is_made_for_earlier(connection, found)

    def hold(self) -> None:
        """Keeps other servers and restores away from a SQLite file until `close`.

        Servers on PostgreSQL hold its lock with the connection that listens; see `bus`.

        Raises:
            Unusable: another process holds it.
        """
        if self.is_sqlite and self._lock is None:
            self._lock = FileLock(sqlite_path(self.engine.url))

    def close(self) -> None:
        """Writes everything into the one file of SQLite, and closes the unused connections."""
        try:
            if self._file is not None:
                self._file.close()
                self._file = None
        finally:
            self.engine.dispose()
            if self._lock is not None:
                self._lock.release()

    def _migrate(self, older: Older) -> None:
        with self.engine.connect() as connection:
            if not _is_to_migrate(connection, older):
                return
        with self.write() as connection, postgres.patient(connection):
            if not self.is_sqlite:
                lock = sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)
                connection.execute(sa.select(lock))
            # Another process may have migrated while this one waited for the lock.
            if not _is_to_migrate(connection, older):
                return
            if found := revision_of(connection):
                self._keep_way_back(connection, found)
            upgrade(connection)
        if found:
            _log.warning("the database was migrated from %s to %s", found, schema.HEAD)

    def _keep_way_back(self, connection: Connection, found: str) -> None:
        """Copies SQLite's file; on PostgreSQL keeps away servers that could not go on."""
        if self._file is not None:
            copy = self._file.copy_before(schema.HEAD)
            _log.warning("before the migration the database was copied as %s", copy)
        elif _oldest_beside(connection) > found:
            check_alone(connection)


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Runs the migrations up to `revision` inside the connection's transaction.

    The newest one notes the program's version, so that an older program can say what is needed.
    """
    # Loaded only here: a database that is current must not pay for it at every start.
    from alembic import command

    command.upgrade(alembic_config(connection), revision)
    if revision == "head":
        noted = {NEEDED: __version__, WORKS_WITH: _oldest_beside(connection)}
        connection.execute(schema.settings.delete().where(schema.settings.c.name.in_(noted)))
        rows = [{"name": name, "value": value} for name, value in noted.items()]
        connection.execute(schema.settings.insert(), rows)


def alembic_config(connection: Connection) -> Any:
    """Alembic's configuration for an open connection; there is no alembic.ini."""
    from alembic.config import Config

    config = Config()
    folder = str(Path(__file__).with_name("migrations"))
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def is_known(connection: Connection, revision: str) -> bool:
    """Whether this program has the migration that a database or backup went through last."""
    from alembic.script import ScriptDirectory
    from alembic.util import CommandError

    try:
        script = ScriptDirectory.from_config(alembic_config(connection)).get_revision(revision)
    except CommandError:
        return False
    return script.revision == revision  # and not the beginning of one


def too_new(what: str, revision: str, version: str | None) -> Unusable:
    """The refusal of a newer program's database or backup, with the version that takes it."""
    # Builds between two releases have one number.
    is_named = version not in (None, __version__)
    needed = f"version {version}" if is_named else "a newer version"
    sentence = TOO_NEW.format(what, needed, revision, __version__, schema.HEAD)
    return Unusable(sentence + (INSTALL.format(version) if is_named else ""))


def revision_of(connection: Connection) -> str | None:
    """The last migration that the database went through; None when it is new."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


def _is_to_migrate(connection: Connection, older: Older) -> bool:
    """Whether migrations are to be run; raises `Unusable` if the database cannot be used."""
    found = revision_of(connection)
    if found is None or found == schema.HEAD:
        return found is None
    if not is_known(connection, found):
        if older != "keep" and _is_made_for_earlier(connection, found):
            return False
        raise too_new("database", found, _noted(connection, NEEDED))
    if older == "refuse":
        raise Unusable(TOO_OLD.format(found, __version__, schema.HEAD))
    return older == "migrate"


def _is_made_for_earlier(connection: Connection, found: str | None) -> bool:
    """Whether a newer program migrated the database so that this one can go on."""
    if found is None or found < schema.HEAD:
        return False
    oldest = _noted(connection, WORKS_WITH)
    return oldest is not None and oldest <= schema.HEAD


def _oldest_beside(connection: Connection) -> str:
    """The oldest migration whose program works with the newest schema, too.

    A migration that only expands the schema names in `works_with` the one whose program goes on.
    """
    from alembic.script import ScriptDirectory

    scripts = ScriptDirectory.from_config(alembic_config(connection)).walk_revisions()
    return max(getattr(script.module, "works_with", script.revision) for script in scripts)


def _noted(connection: Connection, name: str) -> str | None:
    """A setting of a database of any version."""
    query = sa.select(schema.settings.c.value).where(schema.settings.c.name == name)
    return connection.execute(query).scalar()


def _engine(url: str) -> Engine:
    parsed = sa.make_url(url)
    if parsed.get_backend_name() == "sqlite":
        if not parsed.database or parsed.database == ":memory:":
            raise ValueError("SQLite needs a file, for example sqlite:///companion.sqlite3.")
        check_owner(sqlite_path(parsed))
        make_private(sqlite_path(parsed))
        # No values in exceptions: they are names, and end in logs.
        engine = sa.create_engine(
            parsed, pool_size=POOL_SIZE, max_overflow=POOL_OVERFLOW, hide_parameters=True
        )
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
        return engine
    engine = sa.create_engine(
        parsed,
        pool_size=POOL_SIZE,
        max_overflow=POOL_OVERFLOW,
        pool_timeout=postgres.POOL_SECONDS,
        connect_args=postgres.arguments(parsed),
        hide_parameters=True,
    )
    postgres.give_up_in_time(engine)
    return engine


def sqlite_path(url: sa.URL) -> Path:
    """The file of a SQLite database, which an address may also name as a `file:` URI."""
    return Path((url.database or "").removeprefix("file:")).absolute()


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
