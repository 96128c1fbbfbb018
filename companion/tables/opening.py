"""Opening the database that a command names, or the default one."""

from __future__ import annotations

import os
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from companion.core.refusal import Unusable
from companion.limits import USUAL, Limits
from companion.tables.database.sqlite_file import is_full
from companion.tables.service import Tables


def default_url() -> str:
    """The address of the database when none is given.

    It is `COMPANION_DB`, or else a SQLite file in the user's data folder, which is made if missing.

    Raises:
        Unusable: the folder cannot be made.
    """
    if url := os.environ.get("COMPANION_DB"):
        return url
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    folder = Path(base) / "companion"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unusable(
            f"The folder {folder} cannot be made: {error.strerror}. --db takes another place, such"
            " as --db sqlite:///companion.sqlite3."
        ) from error
    return f"sqlite:///{folder / 'companion.sqlite3'}"


def open_tables(url: str, *, serving: bool = False, limits: Limits = USUAL) -> Tables:
    """The tables of the database at `url`, migrated to the newest schema.

    Args:
        serving: whether a server opens it: only one at a time may on a SQLite file.

    Raises:
        Unusable: it cannot be opened; the sentence hides the address's password.
    """
    try:
        tables = Tables(url, serving=serving, limits=limits)
        try:
            tables.secret_key()  # the first start writes it, for which a full disk has no room
        except BaseException:
            tables.close()
            raise
        return tables
    except Unusable:
        raise
    except (SQLAlchemyError, ModuleNotFoundError, ValueError, OSError) as error:
        reason = (
            str(getattr(error, "orig", None) or error).strip() or "no reason given"
        ).splitlines()[0]
        shown = url.rsplit("@", maxsplit=1)[-1]  # nobody should read a password over a shoulder
        if folder := _full_folder(url):
            raise Unusable(
                f"The database {shown} cannot be opened, because the disk is full: {folder} has"
                " no room left. Nothing is lost; it opens again when there is some."
            ) from error
        raise Unusable(
            f"The database {shown} cannot be opened: {reason}. --db takes an address such as"
            " sqlite:////srv/companion.sqlite3 or postgresql+psycopg://user@host/name."
        ) from error


def _full_folder(url: str) -> str | None:
    """The folder of a SQLite file on a disk without room; None if that is not what is wrong."""
    try:
        parsed = sa.make_url(url)
        if parsed.get_backend_name() != "sqlite" or not parsed.database:
            return None
        folder = Path(parsed.database).absolute().parent
        return str(folder) if is_full(folder) else None
    except (SQLAlchemyError, ValueError, OSError):
        return None
