"""Periodic backups by the server; the oldest ones are deleted."""

import logging
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from companion.core.refusal import Unusable
from companion.tables.database.engine import Database, sqlite_path
from companion.tables.database.sqlite_file import LOST, copy_database

NAME: Final = "companion-%Y-%m-%dT%H%M%SZ.sqlite3"
USUAL_KEEP: Final = 7
LEAST: Final = timedelta(minutes=10)  # between two backups, and until a failed one's next try


class Schedule(NamedTuple):
    """How often a server writes backups into a folder, and how many of them it keeps."""

    folder: Path
    every: timedelta
    keep: int


def parse_schedule(every: str | None, keep: int | None, folder: str) -> Schedule | None:
    """The schedule that the options of the command line describe; raises `Unusable`."""
    if every is None and not folder and keep is None:
        return None
    found = re.fullmatch(r"(\d{1,4})([mhd])", every or "")
    seconds = int(found[1]) * {"m": 60, "h": 3600, "d": 86_400}[found[2]] if found else 0
    if every is None:
        alone = "--backup-dir" if folder else "--backup-keep"
        raise Unusable(
            f"{alone} alone writes no backups: say how often, such as --backup-every 1d."
        )
    if seconds < LEAST.total_seconds():
        raise Unusable(f"--backup-every takes at least 10m, such as 12h or 1d, not “{every}”.")
    if not folder:
        raise Unusable("--backup-every writes into a folder: name one with --backup-dir.")
    if not Path(folder).is_dir():
        raise Unusable(f"There is no folder {folder} for the backups. Make it first.")
    return Schedule(Path(folder), timedelta(seconds=seconds), keep or USUAL_KEEP)


def backups_in(folder: Path) -> list[datetime]:
    """The times in the names of a folder's backups, the newest first; a copied file is not new."""
    found = []
    for file in folder.glob("companion-*Z.sqlite3"):
        with suppress(ValueError):
            found.append(datetime.strptime(file.name, NAME).replace(tzinfo=UTC))
    return sorted(found, reverse=True)


def _newest_backup(folder: Path) -> Path | None:
    return next((folder / at.strftime(NAME) for at in backups_in(folder)), None)


@contextmanager
def backing_up(database: Database, schedule: Schedule | None) -> Iterator[None]:
    """Writes backups in a thread meanwhile, if there is a schedule."""
    ended = threading.Event()

    def run(schedule: Schedule) -> None:
        pause = timedelta()
        # The system's longest wait is 49 days on Windows.
        while not ended.wait(min(pause.total_seconds(), threading.TIMEOUT_MAX)):
            try:
                newest = write_next(database, schedule, datetime.now(UTC))
                pause = newest + schedule.every - datetime.now(UTC)
            except (OSError, Unusable) as error:
                logging.getLogger(__name__).warning("the backup could not be written: %s", error)
                pause = LEAST

    if schedule:
        database.newest_backup = partial(_newest_backup, schedule.folder)
        threading.Thread(target=run, args=(schedule,), name="companion-backup", daemon=True).start()
    try:
        yield
    finally:
        ended.set()


def write_next(database: Database, schedule: Schedule, now: datetime) -> datetime:
    """Writes a backup if one is due, and deletes the oldest; returns the time of the newest."""
    known = [at for at in backups_in(schedule.folder) if at <= now]  # by the present clock
    if known and now < known[0] + schedule.every:
        return known[0]
    if database.fault() == LOST:
        raise Unusable(f"of the database, {LOST}.")
    copy_database(sqlite_path(database.engine.url), schedule.folder / now.strftime(NAME))
    for other in known[schedule.keep - 1 :]:
        (schedule.folder / other.strftime(NAME)).unlink(missing_ok=True)
    return now
