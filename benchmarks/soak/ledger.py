"""A ledger of the taps that were sent and acknowledged, to compare with the database's log."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

TapLog: TypeAlias = Mapping[str, Sequence[str]]
"""Table → the ids of all taps in its log, in their order."""
AGAIN_SECONDS: Final = 1.0
"""Pause before a lost database is asked again."""
_TAPS: Final = sa.text(
    "SELECT table_id, tap_id FROM events WHERE tap_id IS NOT NULL ORDER BY table_id, seq"
)


@dataclass(frozen=True, slots=True)
class Differences:
    """The faults of the log."""

    lost: int
    """Acknowledged taps that the log lacks."""
    wrong: int
    """Tables whose taps are doubled, strange, or in another order than they were sent."""


@dataclass
class Ledger:
    """The taps of a run. A table's next tap is sent when its last one has been acknowledged."""

    before: TapLog
    """The taps in the log before the run."""
    _sent: dict[str, list[str]] = field(default_factory=dict)
    _acknowledged: dict[str, int] = field(default_factory=dict)

    @property
    def sent(self) -> int:
        """The number of taps that were sent."""
        return sum(map(len, self._sent.values()))

    def send(self, table: str, tap: str) -> None:
        """Notes a tap before it is sent."""
        self._sent.setdefault(table, []).append(tap)

    def acknowledge(self, table: str) -> None:
        """Notes that the table has acknowledged its last tap."""
        self._acknowledged[table] = len(self._sent[table])

    def acknowledged(self) -> dict[str, int]:
        """Table → how many of its taps are acknowledged now."""
        return dict(self._acknowledged)

    def differences(self, logged: TapLog, acknowledged: Mapping[str, int]) -> Differences:
        """Compares with a log that was read after so many taps were acknowledged.

        A tap that waits for its answer may be in the log or not.
        """
        lost = wrong = 0
        for table, sent in self._sent.items():
            found = logged.get(table, [])[len(self.before.get(table, [])) :]
            must = sent[: acknowledged.get(table, 0)]
            lost += len(set(must) - set(found))
            wrong += list(found) != sent[: max(len(found), len(must))]
        return Differences(lost, wrong)


def read_log(url: str) -> TapLog:
    """The taps in a database's log; waits for a database that does not answer."""
    engine = sa.create_engine(url, poolclass=sa.NullPool)
    while True:
        found: dict[str, list[str]] = {}
        try:
            with engine.connect() as connection:
                for table, tap in connection.execute(_TAPS):
                    found.setdefault(table, []).append(tap)
            return found
        except OperationalError:
            time.sleep(AGAIN_SECONDS)
