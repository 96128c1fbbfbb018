"""A server's housekeeping: notes which devices were here, and tidies up once a day."""

from __future__ import annotations

import logging
import threading
import time
from typing import Final

import sqlalchemy as sa

from companion.tables.database.schema import settings
from companion.tables.ledger.store import PUT_SETTING, Store
from companion.tables.quotas import DAY_MS
from companion.tables.upkeep.tidying import ROWS_AT_ONCE, note_devices, tidy

MOST_SEEN: Final = 10_000  # devices in memory until they are noted
NOTE_SECONDS: Final = 60.0
TIDY_SECONDS: Final = 24 * 60 * 60.0
STOP_SECONDS: Final = 2.0  # that closing waits for the keeper
PAUSE_MS: Final = 30 * DAY_MS  # time without a server, or jump of its clock, that begins a wait
WAIT_MS: Final = 7 * DAY_MS  # time before anything is deleted then
TIDYING: Final = "tidying"  # a setting: the first tidying since a pause, and the last one

_log: Final = logging.getLogger(__name__)


class SeenDevices:
    """The devices that were here, until they are noted in the database. Safe between threads."""

    def __init__(self) -> None:
        self._lock: Final = threading.Lock()
        self._seen: Final[dict[str, int]] = {}

    def add(self, key: str, now: int) -> None:
        """Remembers the hash of a device or of its phone until the next note."""
        with self._lock:
            if len(self._seen) < MOST_SEEN:
                self._seen[key] = now

    def note(self, store: Store) -> None:
        """Notes them in the database: those that have something there."""
        with self._lock:
            seen = list(self._seen.items())
            self._seen.clear()
        for start in range(0, len(seen), ROWS_AT_ONCE):
            with store.database.write() as connection:
                note_devices(connection, seen[start : start + ROWS_AT_ONCE])


class Keeper:
    """A thread that notes the devices that were here, and tidies up once a day."""

    def __init__(self, store: Store, seen: SeenDevices, keep_days: int) -> None:
        self._store: Final = store
        self._seen: Final = seen
        self._keep_days: Final = keep_days
        self._ended: Final = threading.Event()
        self._thread: Final = threading.Thread(target=self._run, name="companion-keeper")
        self._thread.start()

    def close(self) -> None:
        """Notes the devices of the last minute, and ends."""
        self._ended.set()
        self._thread.join(timeout=STOP_SECONDS)

    def _run(self) -> None:
        next_tidying = time.monotonic() + NOTE_SECONDS
        has_ended = False
        while not has_ended:
            has_ended = self._ended.wait(NOTE_SECONDS)
            try:
                self._seen.note(self._store)
                if not has_ended and time.monotonic() >= next_tidying:
                    next_tidying = time.monotonic() + TIDY_SECONDS
                    keep_days = self._keep_days if record_uptime(self._store) else 0
                    tidy(self._store, keep_days, may_go_on=lambda: not self._ended.is_set())
            except sa.exc.SQLAlchemyError as error:
                _log.warning("the database could not be tidied up: %s", type(error).__name__)


def record_uptime(store: Store) -> bool:
    """Records that a server runs now; returns whether one has for a week."""
    # After a long pause people come back first; and a clock that is a year ahead for an hour must
    # not delete anything. So a jump of the clock restarts the week.
    now = store.now()
    with store.database.write() as connection:
        here = settings.c.name == TIDYING
        connection.execute(PUT_SETTING, {"name": TIDYING, "value": "0 0"})
        times = connection.execute(sa.select(settings.c.value).where(here)).scalar_one()
        first, last = map(int, times.split())
        if not last <= now < last + PAUSE_MS:
            first = now
        connection.execute(settings.update().where(here).values(value=f"{first} {now}"))
    return now - first >= WAIT_MS
