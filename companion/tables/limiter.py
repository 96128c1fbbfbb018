"""A limit on wrong codes. It is kept in memory: an attacker gains little by a restart."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final

from companion.tables.refusals import too_many_tries

WINDOW_SECONDS: Final = 600
TRIES_PER_ADDRESS: Final = 10
"""Wrong codes from one address in a window. A household behind one address stays far below."""

TRIES_IN_TOTAL: Final = 300
"""Wrong codes from everywhere in a window, from which on an address has fewer tries."""

TRIES_UNDER_ATTACK: Final = 3
"""Wrong codes from one address in such a window. Everybody is never refused, or a stranger could
keep all right codes out; with 31**6 codes, a hundred of them valid, an attacker needs about 34,000
addresses for an even chance in 10 hours."""

REMEMBERED_ADDRESSES: Final = 10_000


class Limiter:
    """Counts wrong tries in a sliding window. Safe between threads."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock: Final = clock
        self._lock: Final = threading.Lock()
        self._total: Final[deque[float]] = deque()
        self._addresses: Final[OrderedDict[str, deque[float]]] = OrderedDict()

    def count(self, address: str) -> Callable[[], None]:
        """Counts a try before it is made; returns a function that uncounts it, for a success.

        Raises:
            Refused: `too-many-tries`.
        """
        with self._lock:
            now = self._clock()
            tries = self._addresses.setdefault(address, deque())
            self._addresses.move_to_end(address)
            for times in (self._total, tries):
                while times and times[0] <= now - WINDOW_SECONDS:
                    times.popleft()
            is_attack = len(self._total) >= TRIES_IN_TOTAL
            if len(tries) >= (TRIES_UNDER_ATTACK if is_attack else TRIES_PER_ADDRESS):
                raise too_many_tries(WINDOW_SECONDS // 60)
            tries.append(now)
            self._total.append(now)
            if len(self._total) > TRIES_IN_TOTAL:
                self._total.popleft()
            while len(self._addresses) > REMEMBERED_ADDRESSES:
                self._addresses.popitem(last=False)

        def forgive() -> None:
            with self._lock:
                for times in (self._total, tries):
                    if now in times:
                        times.remove(now)

        return forgive
