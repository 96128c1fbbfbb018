"""The file of a SQLite database while it is open: still the one at its path, with room on its disk.

A file that is deleted or replaced lives on for those who have it open. SQLite does not notice, and
everything that is written into it is lost with the process.
"""

from __future__ import annotations

import logging
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from companion.core.refusal import Unusable
from companion.tables.database.ownership import make_private

CHECKPOINT_TIMEOUT_MS: Final = 2_000
"""Time that a checkpoint waits for the last reader before it leaves the log as it is."""

RESCUED: Final = ".rescued"
"""The suffix of a copy of what was open, where another file stands at the database's path."""

BEFORE: Final = "-before-"
"""The infix of a copy's name between the database's and the migration before which it was made."""
COPIES: Final = 2
"""Such copies that are kept, the last ones."""
NOT_COPIED: Final = (
    "The database has to be migrated, and cannot be copied as {} before: {}. Nothing was changed."
    " Make room there, or start the version before."
)

TABLES: Final = frozenset({"alembic_version", "settings", "tables", "events"})
"""Tables that every version of the companion has made, the first one too."""
LEAST_BYTES: Final = 512
"""SQLite's smallest page; it takes some shorter files for new databases."""
NO_DATABASE: Final = (
    "The file {} is no database, or a damaged one. If it was the companion's, put the last backup"
    " into a new one: companion restore FILE --db sqlite:///new.sqlite3."
)
OF_ANOTHER: Final = (
    "The file {} is another program's database. Nothing was changed. Give the companion one of its"
    " own with --db."
)

LOST: Final = "its file or write-ahead log was deleted or replaced"
NO_ROOM: Final = "its disk is full"

LEAST_FREE_BYTES: Final = 1024 * 1024
"""Room without which SQLite cannot start: its shared memory, its log and a page or two."""

_Identity: TypeAlias = tuple[int, int] | None
"""Device and inode of a file; None where none is."""

_log: Final = logging.getLogger(__name__)


def is_full(folder: Path) -> bool:
    """Whether the folder's disk has no room for a change."""
    return shutil.disk_usage(folder).free < LEAST_FREE_BYTES


def check_owner(path: Path) -> None:
    """Looks into a file before the companion opens it as its database, and leaves no trace.

    Raises:
        Unusable: it is no database, or another program's.
        sqlite3.DatabaseError: it cannot be read.
    """
    file = path.resolve()
    if not file.is_file() or not (size := file.stat().st_size):
        return
    if size < LEAST_BYTES:
        raise Unusable(NO_DATABASE.format(path))
    try:
        names = _table_names(file, "immutable=1")  # makes no files beside it
    except sqlite3.DatabaseError:
        names = set()
    # The tables of a database that was just made are only in its write-ahead log.
    names = names or _table_names(file, "mode=ro")
    if names and not names >= TABLES:
        raise Unusable(OF_ANOTHER.format(path))


def _table_names(file: Path, how: str) -> set[str]:
    with closing(sqlite3.connect(f"{file.as_uri()}?{how}", uri=True)) as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'table'"
        return {name for (name,) in connection.execute(query)}


class SqliteFile:
    """The open file and its write-ahead log, which a connection of its own keeps there."""

    def __init__(self, path: Path, engine: Engine) -> None:
        self._path: Final = path
        self._file: Final = path.resolve()  # the log is beside it, also where the path is a link
        self._wal: Final = self._file.with_name(f"{self._file.name}-wal")
        # While a connection is open, SQLite itself never deletes the log.
        self._connection: Final = engine.connect()
        raw: Any = self._connection.connection.driver_connection
        self._connection.detach()
        raw.execute(f"PRAGMA busy_timeout = {CHECKPOINT_TIMEOUT_MS}")
        raw.execute("SELECT count(*) FROM sqlite_master").fetchall()  # opens the log
        self._raw: Final[sqlite3.Connection] = raw
        self._expected: Final = self._found()
        self._without_log: Final = (self._expected[0], None)
        self._seen = self._expected
        """The result of the last check."""
        sa.event.listen(engine, "do_connect", self._before_connecting)

    def _found(self) -> tuple[_Identity, _Identity]:
        return _identity(self._path), _identity(self._wal)

    def fault(self) -> str | None:
        """The reason for which changes cannot be saved now, or not for long; None without one."""
        if self._found() != self._expected:
            return LOST
        return NO_ROOM if is_full(self._path.parent) else None

    def check(self) -> None:
        """Looks whether the files are still those at their paths; called by one thread at a time.

        Where only the log is gone, all that is in it is written into the database.

        Raises:
            OperationalError: they are not, so nothing that is written would be kept.
        """
        before, self._seen = self._seen, self._found()
        if self._seen == self._expected:
            if before != self._expected:
                _log.warning("the file %s is back: changes are saved again", self._path)
        elif self._seen == self._without_log and self._checkpoint():
            if before != self._without_log:
                _log.warning(
                    "the write-ahead log of %s was deleted. Nothing is lost, but restart the"
                    " companion soon: not all phones can be answered without it",
                    self._path,
                )
        else:
            raise self._refusal()

    def copy_before(self, revision: str) -> Path:
        """Copies the database beside itself before it is migrated; returns the copy's path.

        Raises:
            Unusable: there is no room for it.
        """
        start = f"{self._file.name}{BEFORE}"
        target = self._file.with_name(f"{start}{revision}")
        part = self._file.with_name(f".{target.name}")
        try:
            part.unlink(missing_ok=True)
            self._copy(part)
            part.replace(target)
            copies = (path for path in target.parent.iterdir() if path.name.startswith(start))
            for old in sorted(copies)[:-COPIES]:
                old.unlink()
        except (OSError, sqlite3.Error) as error:
            part.unlink(missing_ok=True)
            raise Unusable(NOT_COPIED.format(target, error)) from error
        return target

    def _copy(self, target: Path) -> None:
        """Writes all that is open into a new file, onto the disk."""
        make_private(target)
        self._raw.execute("VACUUM INTO ?", (str(target),))
        with target.open("rb") as file:
            os.fsync(file.fileno())

    def _before_connecting(self, *_: object) -> None:
        """Refuses a connection that would make new files beside those that are open."""
        if self._found() != self._expected:
            raise self._refusal()

    def _refusal(self) -> sa.exc.OperationalError:
        reason = sqlite3.OperationalError(
            f"the file {self._path} or its -wal was deleted or replaced while the companion runs,"
            " so no change is saved. Move it back, or restart the companion: when it stops, it"
            f" saves what it has at that path, or as {self._path.name}{RESCUED} if another file"
            " stands there"
        )
        return sa.exc.OperationalError("COMMIT", {}, reason)

    def close(self) -> None:
        """Moves the write-ahead log into the file, so that a copy of it is whole.

        SQLite does so itself when the last connection is closed, but at a stop a thread may still
        hold one. If it cannot be done now, the next start does it. A file that is not at its path
        any more is written there, or beside another one.
        """
        self._checkpoint()
        if self._found() not in (self._expected, self._without_log):
            self._rescue()
        self._connection.close()

    def _checkpoint(self) -> bool:
        """Whether all of the log has been moved into the file."""
        try:
            busy, _, _ = self._raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except sqlite3.Error:
            return False  # such as on a full disk
        return not busy

    def _rescue(self) -> None:
        target = self._path
        if target.exists():
            target = target.with_name(target.name + RESCUED)
        try:
            self._copy(target)
        except (OSError, sqlite3.Error) as error:
            _log.error("what was open cannot be saved as %s: %s", target, error)
        else:
            _log.warning("%s was not at its path; it is saved as %s", self._path, target)


def _identity(path: Path) -> _Identity:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
