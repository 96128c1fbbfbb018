"""The whole SQLite database in a file, and back. PostgreSQL has commands of its own for it.

A backup holds every group's matches and the key that signs the cookies, so only the server's owner
may have it.
"""

from __future__ import annotations

import shlex
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from companion.core.refusal import Unusable
from companion.tables.database.engine import require_revision, sqlite_path
from companion.tables.database.ownership import file_lock
from companion.tables.database.sqlite_file import (
    beside,
    copy_database,
    opened,
    put_aside,
    require_ours,
    settle_log,
    size_of,
)

NO_BACKUP: Final = (
    "{} is not a backup of the companion, or it is damaged. Nothing was changed. Backups of version"
    " 1 are restored by version 1; a database that it has restored can be opened with this one."
)
IN_USE: Final = (
    "The database {} already has games. With --replace it is kept, under another name, beside"
    " the restored one."
)
BY_POSTGRES: Final = (
    "PostgreSQL has its own command for this, which asks for the password if it needs one: {}."
)


def backup(url: str, target: Path) -> None:
    """Copies the database into a checked file only for its owner; a server may run meanwhile.

    Raises:
        Unusable: it is PostgreSQL's or damaged, or the file cannot be written.
    """
    file = require_sqlite(url, "pg_dump", "--format=custom", f"--file={target}")
    require_ours(file)
    settle_log(file)
    target = target.resolve()  # a link stays, and what it leads to is written
    for own in (beside(file, suffix) for suffix in ("", "-wal", "-shm", ".lock")):
        if target == own or (target.exists() and own.exists() and target.samefile(own)):
            raise Unusable(f"{target} belongs to the database. Give its backup another name.")
    copy_database(file, target)


def restore(url: str, source: Path, *, replace: bool = False) -> Path | None:
    """Puts a checked backup into the database's place; returns where the old database is now.

    Args:
        replace: whether to put a database with matches aside.

    Raises:
        Unusable: the database is PostgreSQL's, has matches, is served or another program's; or the
            file is not a complete backup that this version can open. Nothing has been changed then.
    """
    file = require_sqlite(url, "pg_restore", "--clean", "--if-exists", str(source))
    file = file.resolve()
    _require_backup(source)
    require_ours(file)
    settle_log(file)
    if not replace and size_of(file) and _has_games(file):
        raise Unusable(IN_USE.format(file))
    part = file.with_name(f".{file.name}.restored")
    copy_database(source, part, file)
    try:
        with file_lock(file):
            is_there = file.exists()
            # With its log, which SQLite would take for the next one's.
            aside = put_aside(file, "", "-wal", "-shm")
            part.replace(file)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return aside if is_there else None


def require_sqlite(url: str, *command: str) -> Path:
    """The file of a SQLite database.

    Raises:
        Unusable: it is PostgreSQL's; the sentence has the command for it, without the password.
    """
    parsed = sa.make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return sqlite_path(parsed)
    address = parsed.set(drivername="postgresql")._replace(password=None)
    shown = address.difference_update_query(["password"]).render_as_string()
    program, *options = command
    raise Unusable(BY_POSTGRES.format(shlex.join([program, f"--dbname={shown}", *options])))


def _require_backup(source: Path) -> None:
    try:
        source.open("rb").close()
        require_ours(source)
        with opened(source) as connection:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
        revision = str(row[0])
    except OSError as error:
        raise Unusable(f"{source} cannot be read: {error.strerror}.") from error
    except (Unusable, sqlite3.Error, ValueError, TypeError) as error:
        raise Unusable(NO_BACKUP.format(source)) from error
    require_revision("backup", revision)


def _has_games(file: Path) -> bool:
    with suppress(sqlite3.Error), opened(file) as connection:
        query = "SELECT EXISTS (SELECT 1 FROM tables) OR EXISTS (SELECT 1 FROM plays)"
        return bool(connection.execute(query).fetchone()[0])
    return True  # a damaged one, as far as anybody can tell
