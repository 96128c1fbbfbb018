"""Measures the time from a tap on one phone until another phone shows it."""

from __future__ import annotations

import asyncio
import random
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.report import Seconds, both, heading, line, ms
from benchmarks.servers import server
from benchmarks.servers.phones import Phone, open_all
from benchmarks.servers.play import SeatedTable, seat_tables
from lab.servers.process import Server

TAPS: Final = 300  # taps at the single table, one after the other
PAUSE: Final = 0.03  # seconds between the moment when all phones show a tap and the next tap
CROWD_TABLES: Final = 200
CROWD_PLAYERS: Final = 4  # players at each of the many tables
CROWD_RATE: Final = 50.0
"""Taps per second at all tables together, at random moments (exponential gaps)."""
CROWD_SECONDS: Final = 20.0  # how long the many tables are tapped at
DRAIN: Final = 20.0  # seconds within which the last taps must have arrived


@dataclass
class Latencies:
    """Durations from just before a tap's POST."""

    # Until the tapping phone has the acknowledgement.
    answered: list[Seconds] = field(default_factory=list)
    # Until another phone has all that shows the tap.
    drawn: list[Seconds] = field(default_factory=list)
    lost: int = 0  # taps that a phone did not show when the measurement ended
    fetches: int = 0  # fetches of the page, because the streams had not brought something
    # Bytes that all phones received after their first page, answers to taps not counted.
    received_bytes: int = 0
    phones: int = 0  # phones at each table


@dataclass
class Load:
    """The resources that a run used."""

    seconds: Seconds = 0  # from the first tap until the last one was shown
    server_cpu: Seconds = 0
    own_cpu: Seconds = 0  # processor time of the load generator


def run() -> None:
    """Prints the latencies at one table, and at many."""
    heading(
        "live",
        "a tap on one phone → shown on another, by stream",
        f"table of 6: p50 ≤ 10 ms; {CROWD_TABLES} tables: p50 ≤ 30 ms, p99 ≤ 150 ms, all taps"
        " through, ≤ 4 ms of processor time and ≤ 3 kB a phone for each tap",
    )
    print(f"  {'':<44} {'median':>9} {'p99':>9}")
    _print(f"1 table of 6, {TAPS} taps one by one", *single())
    _print(f"{CROWD_TABLES} tables of {CROWD_PLAYERS}, {CROWD_RATE:.0f} taps a second", *crowd())


def _print(title: str, seen: Latencies, load: Load) -> None:
    print(f"  {title}:")
    line("  the tap is acknowledged", both(seen.answered))
    line("  another phone has drawn it", both(seen.drawn))
    taps = max(len(seen.answered), 1)
    sent = seen.received_bytes / (taps * max(seen.phones, 1))
    line("  taps that came through", f"{taps / load.seconds:.1f} a second")
    line("  server's processor time a tap and its phones", ms(load.server_cpu / taps))
    line("  on the wire for a tap and phone", f"{sent / 1000:.2f} kB")
    line("  requests for what streams had not brought", f"{seen.fetches / taps:.2f} a tap")
    own = load.own_cpu / load.seconds
    line(
        "  one core's share: server, load generator",
        f"{load.server_cpu / load.seconds:.0%}, {own:.0%}"
        + (f"; {seen.lost} not seen within {DRAIN:.0f} s" if seen.lost else ""),
    )


def single() -> tuple[Latencies, Load]:
    """One table of six, tap by tap."""
    with TemporaryDirectory() as folder:
        tables = seat_tables(Path(folder) / "app.db", 10, 6)
        with server.companion(Path(folder) / "app.db") as app:
            return asyncio.run(_one_by_one(app, tables))


def crowd() -> tuple[Latencies, Load]:
    """Many tables at once."""
    server.allow_many_files()
    with TemporaryDirectory() as folder:
        tables = seat_tables(Path(folder) / "app.db", CROWD_TABLES, CROWD_PLAYERS)
        with server.companion(Path(folder) / "app.db") as app:
            return asyncio.run(_at_rate(app, tables))


async def _one_by_one(app: Server, tables: list[SeatedTable]) -> tuple[Latencies, Load]:
    """Plays one table after the other until there are `TAPS` taps."""
    seen, load = Latencies(), Load()
    groups = iter(tables)
    while len(seen.answered) < TAPS:
        table = next(groups)
        (phones,) = await open_all([table], app.port)
        taps = []
        with _counted(app, load):
            while not table.game.position.over and len(seen.answered) < TAPS:
                taps.append(await _tap(phones, table, seen, time.perf_counter()))
                await _all_drawn([phones], DRAIN)
                await asyncio.sleep(PAUSE)
        _collect(seen, phones, taps)
    return seen, load


async def _at_rate(app: Server, tables: list[SeatedTable]) -> tuple[Latencies, Load]:
    """Taps at random moments, whether the server keeps up or not.

    The latency of a tap that waits for the previous tap at its table counts from when it was due.
    """
    seen, load = Latencies(), Load()
    groups = await open_all(tables, app.port)
    chance = random.Random(1)
    taps: list[list[SentTap]] = [[] for _ in tables]
    locks = [asyncio.Lock() for _ in tables]

    async def tap(place: int, due: Seconds) -> None:
        async with locks[place]:
            if not tables[place].game.position.over:
                taps[place].append(await _tap(groups[place], tables[place], seen, due))

    with _counted(app, load):
        due = began = time.perf_counter()
        waiting = []
        order: list[int] = []
        while due < began + CROWD_SECONDS:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            if not order:
                order = chance.sample(range(len(tables)), len(tables))
            waiting.append(asyncio.create_task(tap(order.pop(), due)))
            due += chance.expovariate(CROWD_RATE)
        await asyncio.gather(*waiting)
        await _all_drawn(groups, DRAIN)
    for phones, made in zip(groups, taps, strict=True):
        _collect(seen, phones, made)
    return seen, load


@dataclass(frozen=True, slots=True)
class SentTap:
    """A tap that was acknowledged."""

    version: int  # the table's version after it
    player: str
    began: Seconds


async def _tap(phones: list[Phone], table: SeatedTable, seen: Latencies, began: Seconds) -> SentTap:
    player, document = table.tap()
    version = table.version
    phone = next(phone for phone in phones if phone.player == player)
    await phone.tap(document)
    seen.answered.append(time.perf_counter() - began)
    return SentTap(version, player, began)


async def _all_drawn(groups: list[list[Phone]], limit: Seconds) -> None:
    until = time.perf_counter() + limit
    while time.perf_counter() < until:
        if all(phone.version >= phone.table.version for phones in groups for phone in phones):
            return
        await asyncio.sleep(0.002 if len(groups) == 1 else 0.05)


def _collect(seen: Latencies, phones: list[Phone], taps: list[SentTap]) -> None:
    """Adds the latencies of these taps on the other phones, and closes the phones."""
    for tap in taps:
        others = [phone for phone in phones if phone.player != tap.player]
        drawn = [_since(phone.drawn, tap) for phone in others]
        came = [took for took in drawn if took is not None]
        seen.drawn += came
        seen.lost += len(others) - len(came)
    seen.phones = len(phones)
    for phone in phones:
        seen.fetches += phone.fetches
        seen.received_bytes += phone.received_bytes
        phone.close()


def _since(times: list[tuple[int, Seconds]], tap: SentTap) -> Seconds | None:
    """From the tap until a phone had its version or a later one; None if it never had."""
    place = bisect_left(times, tap.version, key=lambda pair: pair[0])
    return times[place][1] - tap.began if place < len(times) else None


@contextmanager
def _counted(app: Server, load: Load) -> Iterator[None]:
    began, cpu, own = time.perf_counter(), server.cpu(app), time.process_time()
    yield
    load.seconds += time.perf_counter() - began
    load.server_cpu += server.cpu(app) - cpu
    load.own_cpu += time.process_time() - own
