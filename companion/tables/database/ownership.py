"""The right to use a database: one server at a time on a SQLite file, and only its owner.

The lock on a file beside the database is dropped by the system with its process. On PostgreSQL
servers share an advisory lock, which a migration takes for itself.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import Unusable

PRIVATE: Final = 0o600  # only the owner may read keys, links and matches
SERVING_LOCK: Final = 0x73657276  # shared by PostgreSQL's servers; a migration needs it for itself
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
    how = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    with os.fdopen(os.open(path, how, PRIVATE), "rb") as file:
        give_to_owner(file.fileno(), database)
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


def give_to_owner(handle: int, database: Path) -> None:
    """Gives an open file that root has made to the owner of the database, or of its folder."""
    # Otherwise the service, which runs as another user, could not start after root's restore.
    if sys.platform != "win32" and os.geteuid() == 0:
        like = (database if database.exists() else database.parent).stat()
        now = os.fstat(handle)
        if (now.st_uid, now.st_gid) != (like.st_uid, like.st_gid):
            os.fchown(handle, like.st_uid, like.st_gid)


def whose(path: Path) -> str:
    """A sentence about the owner and the permissions of a file or folder, and about this user."""
    said = f"this user cannot open {path}."
    if sys.platform != "win32":
        found = path.stat()
        owner, user = _user(found.st_uid), _user(os.geteuid())
        mode = stat.S_IMODE(found.st_mode)
        said = f"{path} belongs to {owner} (permissions {mode:04o}), and this runs as {user}."
        if owner != user:
            said += f" Run this as {owner}, or give it to {user} (chown)."
    return said


def _user(number: int) -> str:
    if sys.platform != "win32":
        import pwd

        with suppress(KeyError):
            return pwd.getpwuid(number).pw_name
    return f"user {number}"


def forbidden(database: Path) -> Path | None:
    """The folder or file that keeps this user from opening a database; None if there is none."""
    for folder in reversed(database.parents):
        if not os.access(folder, os.X_OK):
            return folder
    for suffix in ("", "-wal", "-shm", ".lock"):
        path = database.with_name(f"{database.name}{suffix}")
        if path.exists() and not os.access(path, os.R_OK | os.W_OK):
            return path
    return None if os.access(database.parent, os.W_OK) else database.parent


def make_private(database: Path) -> None:
    """Makes a missing database an empty file only for its owner, and restricts an old one."""
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
