"""Who may use a database: one server on a SQLite file, and its owner alone.

The lock on a file beside the database is dropped by the system with its process. On PostgreSQL
servers share an advisory lock, which a migration takes for itself.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import Unusable

PRIVATE: Final = 0o600  # only the owner may read keys, links and games
SERVING_LOCK: Final = 0x73657276  # shared by PostgreSQL's servers; a migration needs it alone
SERVED: Final = (
    "Another companion is running on the database {}. Stop it first, or give this one a database of"
    " its own with --db."
)


def require_alone(connection: Connection) -> None:
    """Keeps servers away from a PostgreSQL database until the transaction's end.

    Raises:
        Unusable: one is there.
    """
    alone = sa.select(sa.func.pg_try_advisory_xact_lock(SERVING_LOCK))
    if not connection.execute(alone).scalar():
        raise Unusable(SERVED.format(connection.engine.url.database))


@contextmanager
def file_lock(database: Path) -> Iterator[None]:
    """Holds the lock on `<database>.lock`, which stays; `sqlite_file.settle_log` notes in it.

    Raises:
        Unusable: another process holds it.
        OSError: the lock's file cannot be made.
    """
    # The real file: a link to the database is another name for the same one.
    database = database.resolve()
    path = database.with_name(f"{database.name}.lock")
    with os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, PRIVATE)) as file:
        try:
            _lock(file.fileno())
        except OSError as error:
            raise Unusable(SERVED.format(database)) from error
        yield


def _lock(handle: int) -> None:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(handle, 1 << 20, os.SEEK_SET)  # nobody could read the note under the lock
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        # flock, not lockf: it belongs to the open file and is not lost when another part of the
        # process closes the same file.
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def make_private(database: Path) -> None:
    """Makes a missing database an empty file for its owner alone, and restricts an old one."""
    # SQLite gives its `-wal` and `-shm` files the database's mode. A file of somebody else's is
    # left alone, and SQLite says why one cannot be made.
    with suppress(OSError):
        os.close(os.open(database, os.O_RDWR | os.O_CREAT | os.O_EXCL, PRIVATE))
    # Not opened: closing a file drops all locks that SQLite holds on it in this process.
    for suffix in ("", "-wal", "-shm"):
        path = database.with_name(f"{database.name}{suffix}")
        with suppress(OSError):
            if path.is_file() and path.stat().st_mode & 0o077:
                path.chmod(PRIVATE)
