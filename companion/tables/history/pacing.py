"""Changes of many matches: a few in each transaction, so that others write between."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

from companion.limiter import Full
from companion.tables.database.columns import device_hash
from companion.tables.ledger.store import Store
from companion.tables.refusals import Refused

T = TypeVar("T")

AT_ONCE: Final = 25
"""Matches that are changed in one transaction: a device may have 25,000, and nobody else writes
meanwhile."""
PAUSE_SECONDS: Final = 0.005
"""Pause between two transactions. Without one the same thread would get the writer's lock again,
before all who wait for it."""


class Pace:
    """Lets others write between transactions, and ends work when a request has taken its time."""

    def __init__(self, seconds: float) -> None:
        self._seconds: Final = seconds
        self.is_over = False
        """Whether the time was over before the work was done."""

    def pause(self) -> None:
        """Lets others write."""
        time.sleep(PAUSE_SECONDS)

    def parts(self, ids: Sequence[T], at_once: int = 0) -> Iterator[Sequence[T]]:
        """The ids for one transaction after the other, `AT_ONCE` or so many, as time allows."""
        at_once = at_once or AT_ONCE
        last = time.monotonic() + self._seconds
        for start in range(0, len(ids), at_once):
            if start:
                self.pause()
                self.is_over = time.monotonic() > last
            if self.is_over:
                return
            yield ids[start : start + at_once]


@contextmanager
def paced(store: Store, device: str, matches: int) -> Iterator[Pace]:
    """The pace of a device's change of so many matches, of which there is one large one at a time.

    A change that fits into one transaction is not large: nobody can keep others from it.

    Raises:
        Refused: `too-many-at-once`; the device makes one already, or others make too many.
    """
    pace = Pace(store.limits.large_change_seconds)
    if matches <= AT_ONCE:
        yield pace
        return
    try:
        with store.limiter.room("large-changes", device=device_hash(device)):
            yield pace
    except Full as full:
        raise Refused("too-many-at-once") from full
