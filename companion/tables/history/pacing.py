"""Work on all matches of a person: a few in each transaction, so that others write between."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from companion.limiter import Full
from companion.tables.database.columns import device_hash
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

AT_ONCE: Final = 50
"""Matches that are changed in one transaction: a device may have 25,000, and nobody else writes
meanwhile."""
PAUSE_SECONDS: Final = 0.005
"""Pause between two transactions. Without one the same thread would get the writer's lock again,
before all who wait for it."""


class Pace:
    """Divides work into transactions, and ends it when the time of a request is over."""

    def __init__(self, seconds: float) -> None:
        self._last: Final = time.monotonic() + seconds
        self.is_over = False
        """Whether the time was over before the work was done."""

    def goes_on(self) -> bool:
        """Lets others write; returns whether there is time for another transaction."""
        time.sleep(PAUSE_SECONDS)
        self.is_over = time.monotonic() > self._last
        return not self.is_over

    def parts(self, ids: Sequence[str]) -> Iterator[Sequence[str]]:
        """The ids for one transaction after the other, while there is time."""
        for start in range(0, len(ids), AT_ONCE):
            if start and not self.goes_on():
                return
            yield ids[start : start + AT_ONCE]


@contextmanager
def paced(store: Store, device: str) -> Iterator[Pace]:
    """The pace of a device's work, of which there is one at a time.

    Raises:
        Refused: `too-many-at-once`; the device has such work already, or others have too much.
    """
    try:
        with store.limiter.room("people", device=device_hash(device)):
            yield Pace(store.limits.people_seconds)
    except Full as full:
        raise Refused("too-many-at-once") from full
