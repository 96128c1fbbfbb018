"""The mark of a program that works on the whole database: one server on a file, and no restoring.

SQLite: a lock on a file beside the database, which the system drops with the process. PostgreSQL:
servers share an advisory lock, which a restore takes for itself.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import Unusable

PRIVATE: Final = 0o600
"""The mode of the database and of its lock: only the owner may read keys, links and games."""

SUFFIX: Final = ".lock"
"""The suffix of the lock's file after the database's name. The file is empty, and stays."""

SERVING_LOCK: Final = 0x73657276
"""The PostgreSQL advisory lock that servers share; a restore needs it alone."""


def is_served(database: str) -> Unusable:
    """The refusal of a database that another program holds."""
    return Unusable(
        f"Another companion is running on the database {database}. Stop it first, or give this"
        " one a database of its own with --db."
    )


def check_alone(connection: Connection) -> None:
    """Keeps servers away from a PostgreSQL database until the transaction's end.

    Raises:
        Unusable: one is there.
    """
    alone = sa.select(sa.func.pg_try_advisory_xact_lock(SERVING_LOCK))
    if not connection.execute(alone).scalar():
        raise is_served(str(connection.engine.url.database))


class FileLock:
    """A lock on `<database>.lock`, held until `release`; it ends with the process in any case."""

    def __init__(self, database: Path) -> None:
        """Takes the lock at once.

        Raises:
            Unusable: another process holds it.
            OSError: the lock's file cannot be made.
        """
        # The real file: a link to the database is another name for the same one.
        database = database.resolve()
        path = database.with_name(database.name + SUFFIX)
        self._handle: int | None = os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE)
        try:
            _lock(self._handle)
        except OSError as error:
            self.release()
            raise is_served(str(database)) from error

    def release(self) -> None:
        """Lets the lock go; harmless when it is gone already."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


if sys.platform == "win32":

    def _lock(handle: int) -> None:
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:

    def _lock(handle: int) -> None:
        import fcntl

        # flock, not lockf: it belongs to the open file and is not lost when another part of the
        # process closes the same file.
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def make_private(database: Path) -> None:
    """Makes a missing database an empty file for its owner alone, and restricts an old one.

    SQLite gives its `-wal` and `-shm` files the database's mode. It is left alone where it belongs
    to somebody else.
    """
    try:
        os.close(os.open(database, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE))
    except FileExistsError:
        # Not opened: closing a file drops all locks that SQLite holds on it in this process.
        for name in (database.name, f"{database.name}-wal", f"{database.name}-shm"):
            _restrict(database.with_name(name))
    except OSError:
        pass  # SQLite says why it cannot be made


def _restrict(path: Path) -> None:
    try:
        if path.is_file() and path.stat().st_mode & 0o077:
            path.chmod(PRIVATE)
    except OSError:
        pass
