"""Measures how soon the server answers after its start, and how much memory it uses."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks import live
from benchmarks.report import Seconds, heading, line, mb, median, ms
from benchmarks.servers import server
from benchmarks.servers.play import SeatedTable, seat_tables
from benchmarks.servers.server import Server
from benchmarks.servers.wire import Connection, checked, request

STARTS: Final = 5
"""How often the server is started, with a new database and with an old one."""
PLAYERS: Final = 6


def run() -> None:
    """Prints start times and resident memory."""
    heading(
        "memory",
        "from the process's start to its first page, and resident memory",
        "start under 1.5 s; under 90 MB until the first photo",
    )
    with TemporaryDirectory() as folder:
        fresh = [_start(Path(folder) / f"{number}.db") for number in range(STARTS)]
        again = [_start(Path(folder) / "0.db") for _ in range(STARTS)]
        line("first page, database made at this start", ms(median(fresh)), _range(fresh))
        line("first page, database there already", ms(median(again)), _range(again))
    with TemporaryDirectory() as folder:
        database = Path(folder) / "app.db"
        (table,) = seat_tables(database, 1, PLAYERS, turn=1)
        with server.companion(database) as app:
            first = app.resident()
            line("resident after the first page", mb(first))
            taps = _play_whole(app, table)
            line(f"after a whole game of {PLAYERS}", mb(app.resident()), f"{taps} taps")
    _, load = live.crowd()
    phones = live.CROWD_TABLES * live.CROWD_PLAYERS
    above = mb(load.resident_idle - first)
    line(f"with {phones} pages and streams open", mb(load.resident_idle), f"{above} more (≤ 90 MB)")
    line(
        f"after {live.CROWD_SECONDS:.0f} s of taps there",
        mb(load.resident),
        f"peak {mb(load.peak)}",
    )


def _start(database: Path) -> Seconds:
    """How long the server takes from its start to the first page."""
    with server.companion(database) as app:
        checked(app.first)
        return app.started_in


def _range(values: list[Seconds]) -> str:
    return f"median of {len(values)}, {ms(min(values))} to {ms(max(values))}"


def _play_whole(app: Server, table: SeatedTable) -> int:
    """Plays a game to its end; every phone fetches every tap. Returns the number of taps."""
    taps = 0
    with Connection(app.port) as connection:
        while not table.game.position.over:
            player, document = table.tap()
            path = f"{table.path}taps"
            checked(connection.ask(request("POST", path, table.cookies[player], document)))
            taps += 1
            for cookie in table.cookies.values():
                checked(connection.ask(request("GET", f"{table.path}parts", cookie)))
    return taps
