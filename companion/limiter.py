"""How often each sender did something lately, in one process's memory.

A restart forgets it: waiting for one gains little, and nothing here waits for a database.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from typing import Final

# The sliding window
RECENT_SECONDS: Final = 600.0
# Limit of the senders that are remembered; those who did nothing for longest are forgotten
REMEMBERED: Final = 10_000


class TooMany(Exception):
    """A sender did something too often lately."""


class RateLimiter:
    """Counts acts in a sliding window. Safe between threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Counts from nothing.

        Args:
            clock: seconds from any start.
        """
        self._clock: Final = clock
        self._lock: Final = threading.Lock()
        self._recent: Final[OrderedDict[str, deque[float]]] = OrderedDict()

    def count(self, most: Mapping[str, int]) -> Callable[[], None]:
        """Counts one act for each sender, and returns a function that takes it back.

        Args:
            most: sender → how many acts it may have in `RECENT_SECONDS`.

        Raises:
            TooMany: one of them has as many already; nothing was counted.
        """
        with self._lock:
            now = self._clock()
            if any(self._used(sender, now) >= limit for sender, limit in most.items()):
                raise TooMany
            for sender in most:
                self._recent.setdefault(sender, deque()).append(now)
                self._recent.move_to_end(sender)
            while len(self._recent) > REMEMBERED:
                self._recent.popitem(last=False)

        def take_back() -> None:
            with self._lock:
                for sender in most:
                    times = self._recent.get(sender, deque())
                    if now in times:
                        times.remove(now)

        return take_back

    def _used(self, sender: str, now: float) -> int:
        times = self._recent.get(sender, deque())
        while times and times[0] <= now - RECENT_SECONDS:
            times.popleft()
        return len(times)
