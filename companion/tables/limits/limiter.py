"""A limit on wrong codes: in memory where one process serves, in the database where several do.

An attacker gains little by a restart, and a wrong code must not wait for SQLite's one writer.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import Final, Protocol

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.engine import Database
from companion.tables.limits import counts
from companion.tables.refusals import Refused

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


class Codes(Protocol):
    """A counter of wrong codes."""

    def count(self, address: str) -> Callable[[], None]:
        """Counts a try before it is made; returns a function that uncounts it, for a success.

        Raises:
            Refused: `too-many-tries`.
        """


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
                raise Refused("too-many-tries", minutes=WINDOW_SECONDS // 60)
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


class SharedLimiter:
    """Counts wrong tries for all processes of a PostgreSQL database, by the database's clock."""

    KIND: Final = "codes"

    def __init__(
        self, database: Database, key: Callable[[], str], clock: Callable[[], float] | None = None
    ) -> None:
        """Counts in `address_counts`.

        Args:
            key: the secret with which addresses are hashed.
            clock: seconds, in place of the database's.
        """
        self._database: Final = database
        self._key: Final = key
        self._clock: Final = clock

    def count(self, address: str) -> Callable[[], None]:
        """See `Codes.count`."""
        who = counts.hashed(address, self._key())
        with self._database.write() as connection:
            counts.lock(connection, self.KIND, who)
            now = self._now(connection)
            is_attack = counts.is_at_least(connection, self.KIND, TRIES_IN_TOTAL, now)
            most = TRIES_UNDER_ATTACK if is_attack else TRIES_PER_ADDRESS
            if counts.counted(connection, self.KIND, who, now) >= most:
                raise Refused("too-many-tries", minutes=WINDOW_SECONDS // 60)
            until = now + WINDOW_SECONDS * 1000
            counts.add(connection, self.KIND, who, until)

        def forgive() -> None:
            with self._database.write() as connection:
                counts.add(connection, self.KIND, who, until, -1)

        return forgive

    def _now(self, connection: Connection) -> int:
        if self._clock is not None:
            return int(self._clock() * 1000)
        seconds = sa.select(sa.func.extract("epoch", sa.func.clock_timestamp()))
        return int(connection.execute(seconds).scalar_one() * 1000)
