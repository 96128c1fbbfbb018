"""Measures 1, 2 and 4 processes on one PostgreSQL: the taps a second that they take."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from benchmarks.live import (
    CROWD_PLAYERS,
    CROWD_TABLES,
    P99_AIM,
    STEP_SECONDS,
    Latencies,
    Load,
    _at_rate,
    holds,
)
from benchmarks.report import Seconds, both, heading, line, mb, ms
from benchmarks.servers import server
from benchmarks.servers.play import seat_tables
from benchmarks.servers.server import Server, cpu_of, resident
from tests.kit.servers import postgres
from tests.kit.servers.program import children

WORKERS: Final = (1, 2, 4)
FIRST_RATE: Final = 15.0
"""Taps a second of the first step; a slow machine has a limit, too."""
STEP: Final = 1.3
"""Factor by which each step raises the taps a second."""
MOST_RATE: Final = 1500.0
DURABLE: Final = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
"""PostgreSQL as it runs for people, other than in the tests."""


@dataclass(frozen=True, slots=True)
class Group(Server):
    """A server with all processes that it has started."""

    def resident(self) -> int:
        return sum(map(resident, self.pids()))

    def cpu(self) -> Seconds:
        return sum(map(cpu_of, self.pids()))

    def pids(self) -> list[int]:
        return [self.pid, *children(self.pid)]


def run() -> None:
    """Prints the taps a second of each number of processes until p99 passes the aim."""
    heading(
        "processes",
        f"{CROWD_TABLES} tables of {CROWD_PLAYERS} phones on one PostgreSQL, more taps a second"
        f" until p99 passes {ms(P99_AIM)}",
        "none set; the machine's cores are shared with PostgreSQL and the phones",
    )
    server.allow_many_files()
    with _cluster() as cluster:
        for workers in WORKERS:
            print(f"  processes: {workers}")
            for rate, seen, load, database in _steps(cluster, workers):
                _print(rate, seen, load, database)


def _print(rate: float, seen: Latencies, load: Load, database: Seconds) -> None:
    taps = max(len(seen.answered), 1)
    note = (
        f"{taps / load.seconds:.1f} came through; a tap: server {ms(load.server_cpu / taps)},"
        f" PostgreSQL {ms(database / taps)}, phones {ms(load.own_cpu / taps)};"
        f" {mb(load.resident_idle)} with all pages open"
    )
    line(f"  {rate:.0f} taps a second: drawn", both(seen.drawn), note)


def _steps(
    cluster: postgres.Cluster, workers: int
) -> Iterator[tuple[float, Latencies, Load, Seconds]]:
    rate = FIRST_RATE
    while rate <= MOST_RATE:
        name = cluster.create_database()
        url = cluster.url(name)
        tables = seat_tables(url, CROWD_TABLES, CROWD_PLAYERS)
        more = ("--readers", "0", "--workers", str(workers))
        with server.companion(url, "/", *more) as app:
            group = Group(app.port, app.pid, app.first, app.started_in)
            before = _database_cpu(cluster)
            seen, load = asyncio.run(_at_rate(group, tables, rate, STEP_SECONDS))
            yield rate, seen, load, _database_cpu(cluster) - before
        cluster.drop_database(name)
        if not holds(seen):
            return
        rate *= STEP


@contextmanager
def _cluster() -> Iterator[postgres.Cluster]:
    postgres.SETTINGS.update(DURABLE | {"max_connections": "300"})
    cluster = postgres.Cluster.start()
    try:
        yield cluster
    finally:
        cluster.stop()


def _database_cpu(cluster: postgres.Cluster) -> Seconds:
    """Processor time of PostgreSQL; backends that have ended count in the first process."""
    first = int((cluster.data / "postmaster.pid").read_text().split()[0])
    return sum(map(cpu_of, [first, *children(first)]))
