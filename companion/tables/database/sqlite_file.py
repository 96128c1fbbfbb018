"""The file of a SQLite database: whose it is, copies of it, and whether it is in its place."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import sqlite3
import struct
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Engine

from companion.core.refusal import Unusable
from companion.tables.database.ownership import file_lock, give_to_owner

COPIES: Final = 2  # the last ones that were made before migrations
TABLES: Final = frozenset({"alembic_version", "settings", "tables", "events"})  # of all versions
LEAST_BYTES: Final = 512  # a page; SQLite takes some shorter files for new databases
MAGIC: Final = b"SQLite format 3\0"
HEADER: Final = struct.Struct(">24xI32xI")  # of a SQLite file: its changes and `user_version`
NO_MARK: Final = -1
LEAST_FREE_BYTES: Final = 1024 * 1024  # for SQLite's shared memory, its log and a page or two

NO_DATABASE: Final = (
    "The file {} is not a database, or it is damaged. Nothing was changed. If it was the"
    " companion's, restore the newest complete backup into a new file: companion restore FILE --db"
    " sqlite:///new.sqlite3."
)
OF_ANOTHER: Final = (
    "The file {} is another program's database. Nothing was changed. Give the companion one of its"
    " own with --db."
)
MOVED: Final = (
    "the file {} or its -wal was deleted, replaced or overwritten while the companion runs, so no"
    " change is saved. Move it back, or restart the companion with the file that is there"
)
LOST: Final = "its file or write-ahead log was deleted, replaced or overwritten"
LINKED: Final = (
    "The file {0} has another name, too (a hard link), by which a companion has it open or had it"
    " last. Nothing was changed. Open it by that name, or stop that companion and make a file of"
    " its own: cp {0} NEW && mv NEW {0}."
)
NO_ROOM: Final = "its disk is full"
DAMAGED: Final = (
    "the database %s is damaged. Stop the companion, and restore the newest backup:"
    " companion restore %s --replace --db %s"
)
NOT_ITS_LOG: Final = (
    "the write-ahead log beside %s belonged to the previous file; it was kept as %s"
)

_log: Final = logging.getLogger(__name__)


def is_damage(error: BaseException) -> bool:
    """Whether the error means that the file is not a SQLite database, or a damaged one."""
    code = getattr(getattr(error, "orig", None) or error, "sqlite_errorcode", None)
    return code is not None and code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_full(folder: Path) -> bool:
    """Whether the folder's disk has no room for a change."""
    disk = shutil.disk_usage(folder)
    return disk.total > 0 and disk.free < LEAST_FREE_BYTES  # /proc has no size


def require_ours(path: Path) -> None:
    """Looks into a file before the companion opens it as its database, and leaves no trace.

    Raises:
        Unusable: it is not a database, or another program's, or not a plain file.
        sqlite3.DatabaseError: it cannot be read.
    """
    file = path.resolve()
    require_plain(file)
    if not (size := size_of(file)):
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
    with opened(file, how) as connection:
        return {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}


@contextmanager
def opened(path: Path, how: str = "mode=rw") -> Iterator[sqlite3.Connection]:
    """An existing database; it is never made, and a server may have it open."""
    uri = f"{path.resolve().as_uri()}?{how}"
    with closing(sqlite3.connect(uri, uri=True)) as connection:
        yield connection


def beside(path: Path, suffix: str) -> Path:
    """The file beside a database, or beside the one that a link names, such as its `-wal`."""
    file = path.resolve()
    return file.with_name(file.name + suffix)


def put_aside(path: Path, *suffixes: str) -> Path:
    """Renames a database's files, and returns the place of the database among them."""
    aside = beside(path, f"-{datetime.now(UTC):%Y-%m-%dT%H%M%S%fZ}")
    for suffix in suffixes:
        with suppress(FileNotFoundError):
            beside(path, suffix).rename(beside(aside, suffix))
    return aside


def settle_log(path: Path) -> None:
    """Puts a write-ahead log aside that a server wrote for another file than this one.

    SQLite replays any log that lies beside a file, and so destroys a database that was put there
    by hand. `SqliteFile.mark` notes whose log it is. Without such a note the log counts.

    Raises:
        Unusable: that server still runs, or one has opened the file by its other name.
    """
    log, noted = beside(path, "-wal"), _noted(path)
    if not path.is_file():
        return
    # SQLite cannot read a file without its log if only a part of that was moved into it.
    with path.open("rb") as raw:
        _changes, found = _header(raw)
    mark, file, log_file = noted or (0, "", "")
    if found not in (0, mark) and path.stat().st_nlink > 1:
        raise Unusable(LINKED.format(path))
    is_its_log = found == mark and (_inode(log) != log_file or _inode(path) == file)
    if not noted or is_its_log:
        return
    with file_lock(path):
        write_note(path)
        if size_of(log):
            aside = put_aside(path, "-wal", "-shm")
            _log.warning(NOT_ITS_LOG, path, beside(aside, "-wal"))


def _header(raw: IO[bytes]) -> tuple[int, int]:
    """The changes and the mark in the header of a SQLite file; 0 in any other file."""
    raw.seek(0)
    header = raw.read(HEADER.size)
    is_one = header.startswith(MAGIC) and len(header) == HEADER.size
    changes, mark = HEADER.unpack(header) if is_one else (0, 0)
    return changes, mark


def _noted(path: Path) -> tuple[int, str, str] | None:
    """The note of `write_note`: the mark, the file and its log; None without one."""
    with suppress(OSError, ValueError):  # also a file of somebody else's that cannot be read
        mark, file, log = beside(path, ".lock").read_text(encoding="ascii").split()
        return int(mark), file, log
    return None


def write_note(path: Path, *words: object) -> None:
    """Notes whose the log beside a database is; without words, that any log counts."""
    with beside(path, ".lock").open("w", encoding="ascii") as note:
        note.write(" ".join(map(str, words)))
        note.flush()
        os.fsync(note.fileno())


def _inode(path: Path) -> str:
    with suppress(OSError):
        found = path.stat()
        return f"{found.st_dev}:{found.st_ino}"
    return ""


def size_of(path: Path) -> int:
    """The bytes of a file; 0 where there is none."""
    return path.stat().st_size if path.is_file() else 0


def require_plain(path: Path) -> None:
    """Raises `Unusable` for a device, a folder or the like, which no file must replace."""
    if path.exists() and not path.is_file():
        raise Unusable(f"The file {path} cannot be used: it is a folder, a device or the like.")


def copy_database(path: Path, target: Path, database: Path | None = None) -> None:
    """Writes the database as it is at one moment into one file, only for its owner.

    The copy is checked, and takes its place at the end: there is never half of one.

    Args:
        database: the database whose owner the copy gets, where root makes it.

    Raises:
        Unusable: the database is damaged or cannot be read, or the file cannot be written.
    """
    require_plain(target)
    blamed = f"{path} cannot be read"
    try:
        with opened(path, _mode(path)) as source:
            source.execute("PRAGMA schema_version")
            blamed = f"{target} cannot be written"
            with _replacing(target, database) as part, closing(sqlite3.connect(part)) as copy:
                source.backup(copy)
                copy.execute("PRAGMA user_version = 0")  # the source's log is not the copy's
                copy.execute("PRAGMA journal_mode = DELETE")  # no log beside it
                if copy.execute("PRAGMA integrity_check(1)").fetchone() != ("ok",):
                    raise Unusable(NO_DATABASE.format(path))
    except (OSError, sqlite3.Error) as error:
        if is_damage(error):
            raise Unusable(NO_DATABASE.format(path)) from error
        raise Unusable(f"{blamed}: {getattr(error, 'strerror', None) or error}.") from error


def _mode(path: Path) -> str:
    """The journal mode for copying a database: on a read-only disk SQLite can make no log."""
    has_log = size_of(beside(path, "-wal"))
    return "mode=rw" if has_log or os.access(path.parent, os.W_OK) else "immutable=1"


@contextmanager
def _replacing(target: Path, database: Path | None) -> Iterator[Path]:
    """A private file beside the target, whose place it takes at the end unless anything fails."""
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)  # Windows neither renames nor deletes a file that is open
    part = Path(name)
    try:
        yield part
        with part.open("rb+") as written:
            if database:
                give_to_owner(written.fileno(), database)
            os.fsync(written.fileno())
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def copy_before(path: Path, revision: str) -> Path:
    """Copies the database beside itself before it is migrated; returns the copy's path.

    Raises:
        Unusable: it cannot be copied.
    """
    path = path.resolve()
    start = f"{path.name}-before-"
    target = path.with_name(start + revision)
    try:
        copy_database(path, target)
    except Unusable as error:
        raise Unusable(f"The database has to be copied before it is migrated. {error}") from error
    copies = (file for file in path.parent.iterdir() if file.name.startswith(start))
    for old in sorted(copies)[:-COPIES]:
        old.unlink()
    return target


class SqliteFile:
    """The open file and its write-ahead log, as long as both are still at their paths.

    A file that is deleted or replaced lives on for those who have it open. SQLite does not notice,
    and everything that is written into it is lost with the process. Nor does it notice that another
    database was copied into the file: its log would be replayed into that one.
    """

    def __init__(self, path: Path, engine: Engine) -> None:
        self._path: Final = path
        self._log_path: Final = beside(path, "-wal")
        self._engine: Final = engine
        self._lock: Final = threading.Lock()
        # The number in the header by which this server knows the file; None where it has given none
        self._mark: int | None = None
        self._changes = 0  # of the file's first page, as SQLite counts them in the header
        self._is_overwritten = False
        self._is_reported = False
        # While a connection is open, SQLite itself never deletes the log.
        self._connection: Final = engine.connect()
        self._connection.detach()
        self._connection.exec_driver_sql("SELECT count(*) FROM sqlite_master")  # opens the log
        self._connection.commit()
        self._expected: Final = self._inodes()
        # Closed after all connections, because that drops the locks that SQLite has on the file.
        self._raw: Final = path.open("rb", buffering=0)
        # A new connection would make new files beside those that are open.
        sa.event.listen(engine, "do_connect", self.require_in_place)

    def _is_in_place(self) -> bool:
        return self._inodes() == self._expected and not self._check_overwritten()

    def _inodes(self) -> tuple[str, str]:
        return _inode(self._path), _inode(self._log_path)

    def _check_overwritten(self) -> bool:
        """Whether another database, or an earlier state of this one, was copied into the file."""
        # Each write asks twice, and SQLite would have to reopen the file to look.
        with self._lock:
            if self._mark is None or self._is_overwritten:
                return self._is_overwritten
            changes, mark = _header(self._raw)
            self._is_overwritten = mark != self._mark or changes < self._changes
            self._changes = changes
            if self._is_overwritten:
                with suppress(OSError):
                    write_note(self._path, NO_MARK, *self._expected)  # so the log is put aside
            return self._is_overwritten

    def mark(self) -> None:
        """Gives the file a new number, and notes beside it that its log is this file's."""
        # The number must be in the file itself before anything else is in the log. If that fails
        # because somebody still reads or the disk is full, there is no note.
        driver: Any = self._connection.connection.dbapi_connection
        mark = secrets.randbelow(2**31)
        with suppress(OSError, sqlite3.OperationalError):
            driver.execute(f"PRAGMA user_version = {mark}")
            [is_busy, *_] = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if not is_busy:
                write_note(self._path, mark, *self._expected)
                self._mark = mark

    def fault(self) -> str | None:
        """Why changes cannot be saved now, or soon will not be; None if they can."""
        if not self._is_in_place():
            if not self._is_reported:
                self._is_reported = True
                _log.error(MOVED.format(self._path))
            return LOST
        return NO_ROOM if is_full(self._path.parent) else None

    def require_in_place(self, *_: object) -> None:
        """Raises `OperationalError` if what is written now would not be kept."""
        if not self._is_in_place():
            reason = sqlite3.OperationalError(MOVED.format(self._path))
            raise sa.exc.OperationalError("COMMIT", {}, reason)

    def close(self) -> None:
        """Closes all connections; SQLite then moves the log into the file that it belongs to."""
        with ExitStack() as last:
            last.callback(self._raw.close)
            if self._check_overwritten():
                # The connection that is closed last would move the log; this one cannot write.
                with suppress(sqlite3.DatabaseError):
                    reader = last.enter_context(opened(self._path, "mode=ro"))
                    reader.execute("SELECT count(*) FROM sqlite_master")  # opens the log
            self._connection.close()
            self._engine.dispose()
