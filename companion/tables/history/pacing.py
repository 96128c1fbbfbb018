"""Changes of many matches: a few in each transaction, so that others write between."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

T = TypeVar("T")

AT_ONCE: Final = 25
"""Matches that are changed in one transaction: a device may have 25,000, and nobody else writes
meanwhile."""
SECONDS: Final = 8.0
"""Time for a change in one request, about 8,000 games; another tap does the rest."""
PAUSE_SECONDS: Final = 0.005
"""Pause between two transactions. Without one the same thread would get the writer's lock again,
before all who wait for it."""


class Pace:
    """Lets others write between transactions, and ends work when a request has taken its time."""

    def __init__(self) -> None:
        self.is_over = False
        """Whether the time was over before the work was done."""

    def pause(self) -> None:
        """Lets others write."""
        time.sleep(PAUSE_SECONDS)

    def parts(self, ids: Sequence[T], at_once: int = 0) -> Iterator[Sequence[T]]:
        """The ids for one transaction after the other, `AT_ONCE` or so many, as time allows."""
        at_once = at_once or AT_ONCE
        last = time.monotonic() + SECONDS
        for start in range(0, len(ids), at_once):
            if start:
                self.pause()
                self.is_over = time.monotonic() > last
            if self.is_over:
                return
            yield ids[start : start + at_once]
