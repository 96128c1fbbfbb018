"""A limit on wrong codes: in memory where one process serves, in the database where several do.

An attacker gains little by a restart, and a wrong code must not wait for SQLite's one writer.
Nobody but the address that tries is ever refused, or a stranger could keep all right codes out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.limiter import Full, Limiter
from companion.limits import RECENT_SECONDS
from companion.tables.database.engine import Database
from companion.tables.limits import counts
from companion.tables.refusals import Refused


class OwnCodes:
    """Counts wrong tries in this process, in a sliding window."""

    def __init__(self, limiter: Limiter) -> None:
        self._limiter: Final = limiter

    def count(self, address: str) -> Callable[[], None]:
        """Counts a try before it is made; returns a function that uncounts it, for a success.

        Raises:
            Refused: `too-many-tries`.
        """
        limiter, limits = self._limiter, self._limiter.limits
        in_attack = limiter.used("codes") >= limits.recent_codes
        try:
            if in_attack and limiter.used("codes", "address", address) >= (
                limits.recent_codes_in_attack
            ):
                raise limiter.refusal("codes", "address", address)
            return limiter.take("codes", address=address)
        except Full as full:
            raise _too_many() from full


class SharedCodes:
    """Counts wrong tries for all processes of a PostgreSQL database, by the database's clock."""

    KIND: Final = "codes"

    def __init__(
        self,
        database: Database,
        limiter: Limiter,
        key: Callable[[], str],
        clock: Callable[[], float] | None = None,
    ) -> None:
        """Counts in `address_counts`.

        Args:
            key: the secret with which addresses are hashed.
            clock: seconds, in place of the database's.
        """
        self._database: Final = database
        self._limiter: Final = limiter
        self._key: Final = key
        self._clock: Final = clock

    def count(self, address: str) -> Callable[[], None]:
        """See `OwnCodes.count`."""
        limits = self._limiter.limits
        who = counts.hashed(address, self._key())
        with self._database.write() as connection:
            counts.lock(connection, self.KIND, who)
            now = self._now(connection)
            is_attack = counts.is_at_least(connection, self.KIND, limits.recent_codes, now)
            most = limits.recent_codes_in_attack if is_attack else limits.recent_codes_per_address
            if counts.counted(connection, self.KIND, who, now) >= most:
                raise _too_many() from self._limiter.refusal("codes", "address", address)
            until = now + int(RECENT_SECONDS * 1000)
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


def _too_many() -> Refused:
    return Refused("too-many-tries", minutes=int(RECENT_SECONDS // 60))
