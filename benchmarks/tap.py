"""Compares the duration of a tap's request with that of a bare view with one committed insert."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from benchmarks.report import Seconds, heading, line, median, ms, p99
from benchmarks.servers import server
from benchmarks.servers.play import MID_PLAY, Document, SeatedTable, seat_tables
from benchmarks.servers.wire import Connection, checked, request

TAPS: Final = 1500
WARM_UP: Final = 100
"""Taps before those that are measured."""
PLAYERS: Final = 6
TABLES: Final = 40
"""Games in mid-play; each is played to its end before the next one."""

Times: TypeAlias = tuple[list[Seconds], list[Seconds]]
"""Durations of the app and of the bare view."""


def run() -> None:
    """Prints the durations and their ratio."""
    heading(
        "tap",
        "a tap's request, as a ratio to a bare Flask view with one committed insert",
        "≤ 1.4×",
    )
    with TemporaryDirectory() as folder:
        taps, inserts = _measured(Path(folder))
    for name, share in (("median", median), ("p99", p99)):
        tap, insert = share(taps), share(inserts)
        line(f"{name}: ratio (tap, bare)", f"{tap / insert:.2f}× ({ms(tap)}, {ms(insert)})")
    line("taps of each kind", TAPS, f"games of {PLAYERS} from turn {MID_PLAY} on")


def _measured(folder: Path) -> Times:
    """Both as servers in processes of their own, on one persistent connection each.

    Both requests of a tap are timed in alternating order, so that they share all noise.
    """
    taps = _taps(seat_tables(folder / "app.db", TABLES, PLAYERS))
    times: Times = ([], [])
    with (
        server.companion(folder / "app.db") as app,
        server.bare(folder / "bare.db") as simple,
        Connection(app.port) as to_app,
        Connection(simple.port) as to_bare,
    ):
        for number in range(-WARM_UP, TAPS):
            table, player, document = next(taps)
            cookie = table.cookies[player]
            asks = (
                (to_app, request("POST", f"{table.path}taps", cookie, document)),
                (to_bare, request("POST", "/", cookie, document)),
            )
            for which in (0, 1) if number % 2 else (1, 0):
                connection, raw = asks[which]
                began = time.perf_counter()
                checked(connection.ask(raw))
                took = time.perf_counter() - began
                if number >= 0:
                    times[which].append(took)
    return times


def _taps(tables: list[SeatedTable]) -> Iterator[tuple[SeatedTable, str, Document]]:
    """Every tap of every game until it is over."""
    for table in tables:
        while not table.game.position.over:
            yield table, *table.tap()
