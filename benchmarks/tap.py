"""Compares the duration of a tap's request with that of a bare view with one committed insert."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, TypeAlias

from benchmarks.report import Seconds, heading, line, median, ms, p99
from benchmarks.servers import bare, server
from benchmarks.servers.play import MID_PLAY, Document, SeatedTable, seat_tables
from benchmarks.servers.wire import Connection, checked, request
from companion.tables import Tables, Tap
from companion.web import create_app

TAPS: Final = 1500
WARM_UP: Final = 100
"""Taps before those that are measured."""
PLAYERS: Final = 6
TABLES: Final = 40
"""Games in mid-play; each is played to its end before the next one."""

Pair: TypeAlias = tuple[Callable[[], object], Callable[[], object]]
"""A request to the app, and one with the same body to the bare view."""

Times: TypeAlias = tuple[list[Seconds], list[Seconds]]
"""Durations of the app and of the bare view."""


def run() -> None:
    """Prints the durations and their ratio over HTTP, in Flask's test client, and without Flask."""
    heading(
        "tap",
        "a tap's request, as a ratio to a bare Flask view with one committed insert",
        "≤ 1.4× (over HTTP)",
    )
    print(f"  {'':<34} {'tap':>9} {'bare':>9} {'ratio':>7}")
    for label, measured in (
        ("over HTTP", over_http),
        ("Flask test client, no server", in_process),
        ("Tables.tap / the insert alone", without_web),
    ):
        with TemporaryDirectory() as folder:
            taps, inserts = measured(Path(folder))
        for name, share in (("median", median), ("p99", p99)):
            tap, insert = share(taps), share(inserts)
            text = f"{ms(tap):>9} {ms(insert):>9} {tap / insert:>6.2f}×"
            print(f"  {label + ', ' + name:<34} {text}", flush=True)
    line("taps of each kind", TAPS, f"games of {PLAYERS} from turn {MID_PLAY} on")


def over_http(folder: Path) -> Times:
    """Both as servers in processes of their own, on one persistent connection each."""
    tables = seat_tables(folder / "app.db", TABLES, PLAYERS)
    with (
        server.companion(folder / "app.db") as app,
        server.bare(folder / "bare.db") as simple,
        Connection(app.port) as to_app,
        Connection(simple.port) as to_bare,
    ):

        def pair(table: SeatedTable, player: str, document: Document) -> Pair:
            cookie = table.cookies[player]
            tap = request("POST", f"{table.path}taps", cookie, document)
            insert = request("POST", "/", cookie, document)
            return lambda: checked(to_app.ask(tap)), lambda: checked(to_bare.ask(insert))

        return _interleaved(tables, pair)


def in_process(folder: Path) -> Times:
    """Both through Flask's test client."""
    tables = seat_tables(folder / "app.db", TABLES, PLAYERS)
    simple = bare.create_bare(folder / "bare.db").test_client(use_cookies=False)
    with closing(Tables(f"sqlite:///{folder / 'app.db'}")) as store:
        app = create_app(store).test_client(use_cookies=False)

        def pair(table: SeatedTable, player: str, document: Document) -> Pair:
            headers = {"Cookie": table.cookies[player]}
            path = f"{table.path}taps"
            return (
                lambda: _ok(app.post(path, json=document, headers=headers).status_code),
                lambda: _ok(simple.post("/", json=document, headers=headers).status_code),
            )

        return _interleaved(tables, pair)


def without_web(folder: Path) -> Times:
    """`Tables.tap` and the insert alone."""
    tables = seat_tables(folder / "app.db", TABLES, PLAYERS)
    with (
        closing(Tables(f"sqlite:///{folder / 'app.db'}")) as store,
        closing(bare.open_database(folder / "bare.db")) as connection,
    ):

        def pair(table: SeatedTable, player: str, document: Document) -> Pair:
            device = table.devices[player]
            return (
                lambda: store.tap(table.id, device, Tap.parse(document)),
                lambda: bare.insert(connection, document),
            )

        return _interleaved(tables, pair)


def _taps(tables: list[SeatedTable]) -> Iterator[tuple[SeatedTable, str, Document]]:
    """Every tap of every game until it is over."""
    for table in tables:
        while not table.game.position.over:
            player, document = table.tap()
            yield table, player, document


def _interleaved(
    tables: list[SeatedTable], pair: Callable[[SeatedTable, str, Document], Pair]
) -> Times:
    """Times both requests of each pair, in alternating order, so that they share all noise."""
    times: Times = ([], [])
    taps = _taps(tables)
    for number in range(-WARM_UP, TAPS):
        requests = pair(*next(taps))
        for which in (0, 1) if number % 2 else (1, 0):
            began = time.perf_counter()
            requests[which]()
            took = time.perf_counter() - began
            if number >= 0:
                times[which].append(took)
    return times


def _ok(status: int) -> None:
    assert status == 200, status
