"""Opening the database that a command names, or the default one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from companion.core.refusal import Unusable, missing_package
from companion.limits import USUAL, Limits
from companion.tables.database.engine import Older, sqlite_path
from companion.tables.database.ownership import forbidden, whose
from companion.tables.database.sqlite_file import NO_DATABASE, is_damage, is_full
from companion.tables.service import Tables

EMPTY: Final = (
    "The address of the database in --db is empty. Give one, or leave --db out for the default"
    " database."
)
MISSING: Final = (
    "There is no database {}, and this command does not make one. Check its address, in --db or"
    " COMPANION_DB."
)
NO_FOLDER: Final = ", because SQLite keeps its log beside it and the folder cannot be written"
ANOTHER_PLACE: Final = " --db takes another place, such as --db sqlite:///companion.sqlite3."
NO_HOME: Final = (
    "The system names no home directory of this user, where the database would be." + ANOTHER_PLACE
)
ADDRESSES: Final = (
    " --db takes an address such as sqlite:////srv/companion.sqlite3 or"
    " postgresql+psycopg://user@host/name."
)
# Errors whose cause is the address; SQLite's and PostgreSQL's own have many
OF_ADDRESSES: Final = (sa.exc.ArgumentError, ModuleNotFoundError, ValueError)


def database_url(given: str | None = None) -> str:
    """The address of the database: the given one, or the default.

    The default is a SQLite file in the user's data folder, which is made if missing.

    Raises:
        Unusable: the address is empty, or the folder cannot be made.
    """
    if given is not None:
        if not given.strip():
            raise Unusable(EMPTY)
        return given
    return f"sqlite:///{_data_folder() / 'companion.sqlite3'}"


def _data_folder() -> Path:
    # LOCALAPPDATA is Windows's own
    base = os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        folder = (Path(base) if base else Path.home() / ".local" / "share") / "companion"
        folder.mkdir(parents=True, exist_ok=True)
    except RuntimeError as error:
        raise Unusable(NO_HOME) from error
    except OSError as error:
        reason = f"The folder {folder} cannot be made: {error.strerror}."
        raise Unusable(reason + ANOTHER_PLACE) from error
    return folder


def open_tables(
    url: str,
    *,
    serving: bool = False,
    older: Older = "refuse",
    limits: Limits = USUAL,
) -> Tables:
    """The tables of the database at `url`.

    Args:
        serving: whether a server opens it: only one at a time may on a SQLite file.
        older: the treatment of a database of an earlier version.

    Raises:
        Unusable: it cannot be opened; the sentence hides the address's password.
    """
    with refusing(url, existing=False):
        tables = Tables(url, serving=serving, older=older, limits=limits)
        try:
            tables.secret_key()  # the first start writes it; a full disk has no room
        except BaseException:
            tables.close()
            raise
        return tables


@contextmanager
def refusing(url: str, *, existing: bool = True) -> Iterator[None]:
    """Turns what the database raises inside, such as for damaged pages, into a sentence.

    Args:
        existing: whether to refuse a SQLite file that is not there.

    Raises:
        Unusable: something else than an `Unusable` was raised; the sentence hides the password.
    """
    try:
        if file := sqlite_file(url):
            real = Path(os.path.realpath(file))  # which takes a link that leads to itself
            if real.is_symlink():
                raise Unusable(f"The database {file} is a link that leads to itself.")
            if not real.parent.is_dir():
                raise Unusable(
                    f"There is no folder {real.parent}. Make it, or give the database another"
                    " place." + ADDRESSES
                )
            if existing and not (file.is_file() and file.stat().st_size):
                raise Unusable(MISSING.format(file))
        yield
    except Unusable:
        raise
    except (SQLAlchemyError, sqlite3.Error, ModuleNotFoundError, ValueError, OSError) as error:
        raise _refusal(url, error) from error


def _refusal(url: str, error: Exception) -> Unusable:
    """The refusal of a database that cannot be opened, with advice for its reason."""
    if isinstance(error, ModuleNotFoundError) and error.name == "psycopg":
        return missing_package("A PostgreSQL database", "psycopg", "postgres")
    file = sqlite_file(url)
    if is_damage(error):
        return Unusable(NO_DATABASE.format(file))
    shown = url.rsplit("@", maxsplit=1)[-1]  # nobody should read a password over a shoulder
    if file and is_full(file.parent):
        return Unusable(
            f"The database {shown} cannot be opened, because the disk is full: {file.parent} has no"
            " space left. Nothing is lost; it opens again when there is space."
        )
    if file and (barrier := forbidden(file.resolve())):
        is_read_only = barrier.is_dir() and os.access(barrier, os.X_OK)
        why = NO_FOLDER if is_read_only else ""
        return Unusable(f"The database {file} cannot be opened{why}: {whose(barrier)}")
    if file and not file.exists() and not isinstance(error, OF_ADDRESSES):
        return Unusable(f"The database {file} cannot be made: {file.parent} does not accept it.")
    cause = getattr(error, "orig", None) or error
    reason = (str(cause).strip() or "no reason given").splitlines()[0].removesuffix(".")
    advice = ADDRESSES if isinstance(error, OF_ADDRESSES) else ""
    return Unusable(f"The database {shown} cannot be opened: {reason}.{advice}")


def sqlite_file(url: str) -> Path | None:
    """The file that an address of SQLite names; None where it names none."""
    with suppress(SQLAlchemyError, ValueError):
        parsed = sa.make_url(url)
        if parsed.get_backend_name() == "sqlite" and parsed.database:
            return sqlite_path(parsed)
    return None
