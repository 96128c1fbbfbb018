"""The database: connections, transactions and migrations, for SQLite and PostgreSQL alike.

It knows neither games nor matches. Writing transactions run one at a time.
"""

from __future__ import annotations

import logging
import shlex
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from companion import __version__
from companion.core.refusal import Unusable
from companion.tables.database import postgres, schema
from companion.tables.database.ownership import file_lock, make_private, require_alone
from companion.tables.database.sqlite_file import (
    DAMAGED,
    LOST,
    SqliteFile,
    copy_before,
    is_damage,
    require_ours,
    settle_log,
    write_note,
)

BUSY_TIMEOUT_MS: Final = 3_000  # that a write waits for other processes with the same SQLite file
QUEUE_SECONDS: Final = 3.0  # that it waits for other threads of this process
POOL_SIZE: Final = 8
POOL_OVERFLOW: Final = 24  # while many threads write at once
MIGRATION_LOCK: Final = 0x636F6D70  # PostgreSQL's advisory one: one process migrates, others wait
QUEUE_LOCK: Final = 0x71756575  # another one, beside the hash of what is queued for

Older: TypeAlias = Literal["migrate", "refuse"]

NOT_MIGRATED: Final = (
    "This database is at migration {}, and this version ({}) needs {}. Nothing was changed."
    " companion serve migrates it: a SQLite file after a copy, and a PostgreSQL database with"
    " --migrate, after you copied it with pg_dump. There is no other way back."
)
TOO_OLD: Final = (
    "This {} is at migration {}, and this version ({}) needs at least {}. Nothing was changed."
    " Open it once with version 1.0.0, then with this one."
)
TOO_NEW: Final = (
    "This {} needs a newer version of the companion: it is at migration {}, and this version ({})"
    " knows at most {}. Nothing was changed."
)

_log: Final = logging.getLogger(__name__)

_WRITES: Final = "companion_writes"  # the execution option of a transaction that writes


class Database:
    """A database with the newest schema."""

    def __init__(self, url: str, *, serving: bool = False, older: Older = "migrate") -> None:
        """Opens the database, and makes its tables where there are none.

        Args:
            serving: whether to keep other servers and restores away from a SQLite file until
                `close`. On PostgreSQL the connection that listens does so; see `bus`.
            older: the treatment of a database of an earlier version.

        Raises:
            Unusable: another process serves it, or it needs another version.
        """
        self.engine: Final = _engine(url)
        self.is_sqlite: Final = self.engine.dialect.name == "sqlite"
        # Finds the newest backup, for the operator of a damaged database
        self.newest_backup: Callable[[], Path | None] = lambda: None
        self._is_damaged = False
        sa.event.listen(self.engine, "handle_error", self._note_error)
        self._open: Final = ExitStack()
        self._file: SqliteFile | None = None
        # SQLite lets one connection write at a time and makes the others sleep and ask again.
        # Threads of one process queue here instead, which is fairer and wakes them at once.
        self._writer: Final = threading.Lock()
        self._writing: Final = self.engine.execution_options(**{_WRITES: True})
        try:
            if self.is_sqlite and serving:
                path = sqlite_path(self.engine.url)
                self._open.callback(settle_log, path)
                self._open.enter_context(file_lock(path))
                write_note(path)
            self._open.callback(self.engine.dispose)
            if self.is_sqlite:
                self._file = SqliteFile(sqlite_path(self.engine.url), self.engine)
                self._open.callback(self._file.close)
            self._migrate(older)
            if self._file and serving:
                self._file.mark()
        except BaseException:
            self.close()
            raise

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that changes nothing."""
        with self.engine.connect() as connection:
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

    def queue(self, connection: Connection, what: str) -> None:
        """Waits for the other writing transactions that have queued for the same text.

        This is for requests of which the second one needs what the first one makes. SQLite's
        writers always run one after the other.
        """
        if not self.is_sqlite:
            lock = sa.func.pg_advisory_xact_lock(QUEUE_LOCK, sa.func.hashtext(what))
            connection.execute(sa.select(lock))

    @contextmanager
    def _queued(self) -> Iterator[None]:
        """Waits until no other thread writes to SQLite, and checks that its file is in place.

        Raises:
            OperationalError: it takes too long, because the thread that writes waits itself; or
                the file is not at its path, before or after the change.
        """
        if self._file is None:
            yield
            return
        if not self._writer.acquire(timeout=QUEUE_SECONDS):
            busy = sqlite3.OperationalError("too many wait to write")
            raise sa.exc.OperationalError("BEGIN IMMEDIATE", {}, busy)
        try:
            self._file.require_in_place()
            yield
            self._file.require_in_place()
        finally:
            self._writer.release()

    def fault(self) -> str | None:
        """Why no change can be saved now, as far as this machine can tell; None if it can."""
        if self._is_damaged:
            newest = self.newest_backup()
            return f"is damaged; the newest backup is {newest.name if newest else 'not known'}"
        return self._file.fault() if self._file else None

    def look_for_damage(self) -> None:
        """Looks through the pages of a SQLite file, at about 150 MB a second."""
        with suppress(sa.exc.DatabaseError), self.read() as connection:
            if connection.exec_driver_sql("PRAGMA quick_check(1)").scalar() != "ok":
                self._note_damage()

    def _note_error(self, context: sa.engine.ExceptionContext) -> None:
        if is_damage(context.original_exception):
            self._note_damage()

    def _note_damage(self) -> None:
        if self._file and self._file.fault() == LOST:
            return  # its pages are another file's
        if not self._is_damaged:
            self._is_damaged = True
            url = self.engine.url
            words = (str(self.newest_backup() or "FILE"), url.render_as_string())
            _log.error(DAMAGED, url.database, *map(shlex.quote, words))

    def is_current(self) -> bool:
        """Whether the database answers, and has the newest schema."""
        with self.engine.connect() as connection:
            return revision_of(connection) == schema.HEAD

    def close(self) -> None:
        """Closes the unused connections: SQLite then moves its log into its one file."""
        self._open.close()

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
            found = revision_of(connection)
            if found and self.is_sqlite:
                copy = copy_before(sqlite_path(self.engine.url), schema.HEAD)
                _log.warning("before the migration the database was copied as %s", copy)
            elif found:
                require_alone(connection)
            _make_or_upgrade(connection, found)
        if found:
            _log.warning("the database was migrated from %s to %s", found, schema.HEAD)


def _make_or_upgrade(connection: Connection, found: str | None) -> None:
    """Makes a new database's tables, or runs the migrations after the one that was found."""
    # Loaded only here: a database that is current must not pay for it at every start.
    from alembic import command

    if found is None:
        schema.metadata.create_all(connection, checkfirst=False)
        command.stamp(alembic_config(connection), "head")
    else:
        command.upgrade(alembic_config(connection), "head")


def alembic_config(connection: Connection) -> Any:
    """Alembic's configuration for an open connection; there is no alembic.ini."""
    from alembic.config import Config

    config = Config()
    folder = str(Path(__file__).with_name("migrations"))
    config.set_main_option("script_location", folder.replace("%", "%%"))
    config.attributes["connection"] = connection
    return config


def require_revision(what: str, found: str) -> None:
    """Raises `Unusable` for a database or backup that another version has to open."""
    if found < schema.BASELINE:
        raise Unusable(TOO_OLD.format(what, found, __version__, schema.BASELINE))
    if found > schema.HEAD:
        raise Unusable(TOO_NEW.format(what, found, __version__, schema.HEAD))


def revision_of(connection: Connection) -> str | None:
    """The last migration that the database went through; None when it is new."""
    if not sa.inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(sa.text("SELECT version_num FROM alembic_version")).scalar()


def _is_to_migrate(connection: Connection, older: Older) -> bool:
    """Whether migrations have to run; raises `Unusable` if the database cannot be used."""
    found = revision_of(connection)
    if found is None or found == schema.HEAD:
        return found is None
    require_revision("database", found)
    if older == "refuse":
        raise Unusable(NOT_MIGRATED.format(found, __version__, schema.HEAD))
    return True


def _engine(url: str) -> Engine:
    parsed = sa.make_url(url)
    more: dict[str, Any] = {}
    is_sqlite = parsed.get_backend_name() == "sqlite"
    if is_sqlite:
        if not parsed.database or parsed.database == ":memory:":
            raise ValueError("SQLite needs a file, for example sqlite:///companion.sqlite3.")
        require_ours(sqlite_path(parsed))
        make_private(sqlite_path(parsed))
        settle_log(sqlite_path(parsed))
    else:
        more = {
            "pool_timeout": postgres.POOL_SECONDS,
            "pool_pre_ping": True,
            "connect_args": postgres.arguments(parsed),
        }
    # Exceptions are logged, so they must not have the values, which are names.
    engine = sa.create_engine(
        parsed, pool_size=POOL_SIZE, max_overflow=POOL_OVERFLOW, hide_parameters=True, **more
    )
    if is_sqlite:
        sa.event.listen(engine, "connect", _prepare_sqlite)
        sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def sqlite_path(url: sa.URL) -> Path:
    """The file of a SQLite database, which an address may also name as a `file:` URI."""
    return Path((url.database or "").removeprefix("file:")).absolute()


def _prepare_sqlite(dbapi_connection: Any, _record: object) -> None:
    # The driver must not begin transactions by itself: `_begin_sqlite` does.
    dbapi_connection.isolation_level = None
    cursor = dbapi_connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    _write_ahead(cursor)
    # FULL, not WAL's usual NORMAL: what was acknowledged must survive a power cut.
    cursor.execute("PRAGMA synchronous = FULL")
    cursor.execute("PRAGMA foreign_keys = ON")
    # Deleted content is overwritten, not only marked as free.
    cursor.execute("PRAGMA secure_delete = ON")
    cursor.close()


def _write_ahead(cursor: sqlite3.Cursor) -> None:
    # SQLite does not wait for a lock while a new file gets its write-ahead log: of several
    # processes that open the file together, all but one fail.
    last = time.monotonic() + BUSY_TIMEOUT_MS / 1_000
    while True:
        try:
            cursor.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            # The low byte is the kind of the fault; the bytes above it are its reason.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > last:
                raise
            time.sleep(0.01)


def _begin_sqlite(connection: Connection) -> None:
    # A deferred transaction that reads first and writes later fails with "database is locked"
    # when another wrote in between, so a write takes the lock at its beginning.
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
