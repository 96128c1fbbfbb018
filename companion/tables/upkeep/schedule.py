"""Backups that a server writes by itself, every so often, the oldest of which go."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from companion.core.refusal import Unusable
from companion.tables.database.engine import Database
from companion.tables.upkeep.backup import backup

NAME: Final = "companion-{:%Y-%m-%dT%H%M%SZ}.backup"
FILES: Final = "companion-*Z.backup"
"""The files of a folder that count as backups of a server, and of which the oldest go."""
UNITS: Final = {"m": 60, "h": 3600, "d": 86_400}
LEAST_SECONDS: Final = 600
RETRY_SECONDS: Final = 600.0
"""Time after which a backup is tried again that could not be written."""
STOP_SECONDS: Final = 2.0
"""Time that the end waits for a backup under way; half of one leaves no file."""

WRONG_TIME: Final = (
    "--backup-every takes a number of minutes, hours or days from 10m on, such as 12h or 1d, and"
    " not “{}”."
)
NO_FOLDER: Final = "--backup-every writes into a folder: name one that is there with --backup-dir."

LOG: Final = __name__
_log: Final = logging.getLogger(LOG)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The choices for backups of a server's own."""

    folder: Path
    seconds: int
    keep: int


def parse_schedule(every: str, keep: int, folder: str) -> Schedule:
    """The schedule that the options of the command line describe; raises `Unusable`."""
    found = re.fullmatch(r"(\d{1,4})([mhd])", every)
    seconds = int(found[1]) * UNITS[found[2]] if found else 0
    if seconds < LEAST_SECONDS:
        raise Unusable(WRONG_TIME.format(every))
    if not folder or not Path(folder).is_dir():
        raise Unusable(NO_FOLDER)
    return Schedule(Path(folder), seconds, keep)


def backups_in(folder: Path) -> list[tuple[Path, float]]:
    """The backups of a folder with the times at which they were written, the newest first."""
    found = [(file, file.stat().st_mtime) for file in folder.glob(FILES)]
    return sorted(found, key=lambda pair: pair[1], reverse=True)


@contextmanager
def backing_up(
    database: Database,
    schedule: Schedule | None,
    written: Callable[[float], object] | None = None,
    now: Callable[[], float] = time.time,
) -> Iterator[None]:
    """Writes backups meanwhile in a thread, where they are asked for.

    Args:
        written: told the time of each new backup, and of the newest one at the start.
    """
    if schedule is None:
        yield
        return
    known = backups_in(schedule.folder)
    age = now() - known[0][1] if known else float("inf")
    if known and written:
        written(known[0][1])
    wait = min(max(0.0, schedule.seconds - age), schedule.seconds)
    ended = threading.Event()

    def run() -> None:
        pause = wait
        while not ended.wait(pause):
            pause = float(schedule.seconds)
            try:
                written_at = write_next(database, schedule, now())
            except (OSError, sa.exc.SQLAlchemyError) as error:
                _log.warning("the backup could not be written: %s", error)
                pause = min(pause, RETRY_SECONDS)
            else:
                if written:
                    written(written_at)

    thread = threading.Thread(target=run, name="companion-backup", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(timeout=STOP_SECONDS)


def write_next(database: Database, schedule: Schedule, now: float) -> float:
    """Writes a backup, and deletes the oldest ones above the number; returns its time."""
    file = schedule.folder / NAME.format(datetime.fromtimestamp(now, UTC))
    rows = backup(database, file).total()
    kept = [file, *(other for other, _ in backups_in(schedule.folder) if other != file)]
    for other in kept[schedule.keep :]:
        other.unlink(missing_ok=True)
    _log.info("wrote the backup %s with %s rows", file, rows)
    return file.stat().st_mtime
