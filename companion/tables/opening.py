"""Opening the database that a command names, or the default one."""

from __future__ import annotations

import os
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from companion.core.refusal import Unusable
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


def open_tables(url: str) -> Tables:
    """The tables of the database at `url`, migrated to the newest schema.

    Raises:
        Unusable: it cannot be opened; the sentence hides the address's password.
    """
    try:
        return Tables(url)
    except (SQLAlchemyError, ModuleNotFoundError, ValueError, OSError) as error:
        reason = (
            str(getattr(error, "orig", None) or error).strip() or "no reason given"
        ).splitlines()[0]
        shown = url.rsplit("@", maxsplit=1)[-1]  # nobody should read a password over a shoulder
        raise Unusable(
            f"The database {shown} cannot be opened: {reason}. --db takes an address such as"
            " sqlite:////srv/companion.sqlite3 or postgresql+psycopg://user@host/name."
        ) from error
