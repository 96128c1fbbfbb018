"""Opening the database that a command names, or the default one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from companion.core.refusal import Unusable, missing_package
from companion.limits import USUAL, Limits
from companion.tables.database.engine import Database, Older, sqlite_path
from companion.tables.database.ownership import SUFFIX
from companion.tables.database.sqlite_file import NO_DATABASE, is_full
from companion.tables.service import Tables

EMPTY: Final = (
    "The address of the database in {0} is empty. Give one, or leave {0} out for the default"
    " database."
)
MISSING: Final = (
    "There is no database {}, and this command makes none. Look at its address, in --db or"
    " COMPANION_DB."
)
ADDRESSES: Final = (
    " --db takes an address such as sqlite:////srv/companion.sqlite3 or"
    " postgresql+psycopg://user@host/name."
)
OF_ADDRESSES: Final = (sa.exc.ArgumentError, ModuleNotFoundError, ValueError, OSError)
"""Errors whose cause is the address; SQLite's and PostgreSQL's own have many."""


def database_url(given: str | None = None) -> str:
    """The address of the database: the given one, or the default.

    That is `COMPANION_DB`, or else a SQLite file in the user's data folder, which is made if
    missing.

    Raises:
        Unusable: the address is empty, or the folder cannot be made.
    """
    url = os.environ.get("COMPANION_DB") if given is None else given
    if url is not None:
        if not url.strip():
            raise Unusable(EMPTY.format("COMPANION_DB" if given is None else "--db"))
        return url
    return f"sqlite:///{_data_folder() / 'companion.sqlite3'}"


def file_beside(url: str, suffix: str) -> Path:
    """A file beside the SQLite database, or in the user's data folder, with its name's end."""
    file = sqlite_file(url) or _data_folder() / "companion"
    return file.with_name(f"{file.stem}{suffix}")


def _data_folder() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    folder = Path(base) / "companion"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unusable(
            f"The folder {folder} cannot be made: {error.strerror}. --db takes another place, such"
            " as --db sqlite:///companion.sqlite3."
        ) from error
    return folder


def open_tables(
    url: str,
    *,
    serving: bool = False,
    existing: bool = False,
    older: Older = "refuse",
    limits: Limits = USUAL,
) -> Tables:
    """The tables of the database at `url`.

    Args:
        serving: whether a server opens it: only one at a time may on a SQLite file.
        existing: whether to refuse a SQLite file that is not there, instead of making it.
        older: the treatment of a database of an earlier version.

    Raises:
        Unusable: it cannot be opened; the sentence hides the address's password.
    """
    with _refusing(url, existing):
        tables = Tables(url, serving=serving, older=older, limits=limits)
        try:
            tables.secret_key()  # the first start writes it, for which a full disk has no room
        except BaseException:
            tables.close()
            raise
        return tables


def open_database(url: str, *, existing: bool) -> Database:
    """The database at `url` as it is, of whatever version, for copies of it.

    Args:
        existing: as for `open_tables`.

    Raises:
        Unusable: it cannot be opened.
    """
    with _refusing(url, existing):
        return Database(url, older="keep")


@contextmanager
def database_for_restore(url: str, *, existing: bool) -> Iterator[Database]:
    """As `open_database`; a SQLite file that is made for it goes again when anything is raised."""
    file = sqlite_file(url)
    is_new = file is not None and not file.exists()
    try:
        with closing(open_database(url, existing=existing)) as database:
            yield database
    except BaseException:
        if file and is_new:
            for suffix in ("", "-wal", "-shm", SUFFIX):
                file.with_name(file.name + suffix).unlink(missing_ok=True)
        raise


@contextmanager
def _refusing(url: str, existing: bool) -> Iterator[None]:
    if existing and (file := sqlite_file(url)) and not file.is_file():
        raise Unusable(MISSING.format(file))
    try:
        yield
    except Unusable:
        raise
    except (SQLAlchemyError, sqlite3.Error, ModuleNotFoundError, ValueError, OSError) as error:
        raise _refusal(url, error) from error


def _refusal(url: str, error: Exception) -> Unusable:
    """The refusal of a database that cannot be opened, with advice for its reason."""
    if isinstance(error, ModuleNotFoundError) and error.name == "psycopg":
        return missing_package("A PostgreSQL database", "psycopg", "postgres")
    cause = getattr(error, "orig", None) or error
    code = getattr(cause, "sqlite_errorcode", None)
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return Unusable(NO_DATABASE.format(sqlite_file(url)))
    shown = url.rsplit("@", maxsplit=1)[-1]  # nobody should read a password over a shoulder
    if folder := _full_folder(url):
        return Unusable(
            f"The database {shown} cannot be opened, because the disk is full: {folder} has"
            " no room left. Nothing is lost; it opens again when there is some."
        )
    reason = (str(cause).strip() or "no reason given").splitlines()[0].removesuffix(".")
    is_address = isinstance(error, OF_ADDRESSES) or code == sqlite3.SQLITE_CANTOPEN
    return Unusable(
        f"The database {shown} cannot be opened: {reason}.{ADDRESSES if is_address else ''}"
    )


def sqlite_file(url: str) -> Path | None:
    """The file that an address of SQLite names; None where it names none."""
    try:
        parsed = sa.make_url(url)
        if parsed.get_backend_name() == "sqlite" and parsed.database:
            return sqlite_path(parsed)
    except (SQLAlchemyError, ValueError):
        pass
    return None


def _full_folder(url: str) -> Path | None:
    """The folder of a SQLite file on a disk without room; None if that is not what is wrong."""
    file = sqlite_file(url)
    try:
        return file.parent if file and is_full(file.parent) else None
    except OSError:
        return None
