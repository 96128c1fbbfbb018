"""The processor time of the requests that cost parsers most, and taps beside a stranger's."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.history import measured, print_taps
from benchmarks.report import heading, line
from benchmarks.servers import server
from benchmarks.servers.phones import sending
from benchmarks.servers.play import seat_tables
from companion.games.catalog import GAMES
from companion.tables.opening import open_tables
from companion.tables.play.records import MOST_ACTIONS
from companion.web.app import create_app
from lab.hostile import BODIES, hostile
from lab.play import Action, record_of, some_game
from lab.tables import party

DEAREST: Final = 3  # routes of each kind that are printed
TABLES: Final = 20
PLAYERS: Final = 4
OPENED_AT_ONCE: Final = 4  # saved games that a stranger has opened at a time


def run() -> None:
    """Prints the dearest requests of each kind, and the taps beside saved games."""
    _parsing()
    _opening()


def _parsing() -> None:
    heading("hostile", "processor time of a request in units of fixed work (20 ms)", "≤ 5")
    usual = min(taken(work) for _ in range(5))
    with TemporaryDirectory() as name, closing(open_tables(f"sqlite:///{name}/app.db")) as tables:
        here = party(create_app(tables), tables, "playing")
        for kind in BODIES:
            costs = [
                (taken(lambda: here.host.ask(method, path, **more)) / usual, path)  # noqa: B023
                for method, path, more in hostile(here, kind)
            ]
            for cost, path in sorted(costs, reverse=True)[:DEAREST]:
                line(f"{kind}: {path.partition('?')[0][:40]}", f"{cost:.2f}")


def _opening() -> None:
    heading(
        "hostile",
        f"taps at {TABLES} tables, while a stranger opens {OPENED_AT_ONCE} saved games at a time",
        "no 503; p99 within three times that of the same minute without them",
    )
    with TemporaryDirectory() as folder:
        tables = seat_tables(database := Path(folder) / "app.db", TABLES, PLAYERS)
        game, names, actions = longest_game()
        acts = [_opened(game, names, actions, place) for place in range(OPENED_AT_ONCE)]
        line("actions in a saved game", len(actions), game)
        with server.companion(database) as app:
            print_taps(*asyncio.run(measured(app.port, tables, *acts)))


def longest_game() -> tuple[str, tuple[str, ...], list[Action]]:
    """The game, the players and the actions of the longest of some random games."""
    found = []
    for name, game in GAMES.items():
        players = tuple(f"P{place}" for place in range(min(game.max_players, PLAYERS)))
        found.append((name, players, some_game(name, 1, MOST_ACTIONS, players)))
    return max(found, key=lambda one: len(one[2]))


def _opened(
    game: str, names: tuple[str, ...], actions: list[Action], place: int
) -> Iterator[bytes]:
    """Requests that open a saved game, each a different one: its first player has another name."""
    record = json.dumps(record_of(names, actions, game))
    head = b'--x\r\nContent-Disposition: form-data; name="record"; filename="a.json"\r\n\r\n'
    for number in count():
        named = record.replace(f'"{names[0]}"', f'"Zoe {place} {number}"')
        body = head + named.encode() + b"\r\n--x--\r\n"
        yield sending("/import", "", body, "multipart/form-data; boundary=x")


def work() -> None:
    """Fixed work, about 20 ms of a small computer."""
    for _ in range(2):
        hashlib.sha256(bytes(8_000_000)).digest()
        sum(range(400_000))


def taken(request: Callable[[], object]) -> float:
    """The processor seconds of this thread."""
    started = time.thread_time()
    request()
    return time.thread_time() - started
