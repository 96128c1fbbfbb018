"""The processor time of a tap and the phones at its table, in one thread and without a network.

The same taps are played several times, and the least time of each counts. So the figures can be
compared with each other on a machine that others use; elapsed times cannot.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

from benchmarks.report import Seconds, heading, line, ms
from benchmarks.servers.play import SeatedTable, seat_tables
from companion.core.game import Game
from companion.games.catalog import GAMES
from companion.tables import Tables
from companion.tables.database.columns import device_hash
from companion.web import create_app
from companion.web.table.framing import Writer, message
from companion.web.table.page_parts import Snapshot
from companion.web.table.push import Listener, TableStreams

TABLES: Final = 8
PLAYERS: Final = 4
TAPS: Final = 120
WARM_UP: Final = 40  # taps before those that are measured
REPETITIONS: Final = 5

STAGES: Final = ("the request", "drawing", "packing")

Times: TypeAlias = dict[str, list[Seconds]]  # stage → the processor time of each tap


def run() -> None:
    """Prints the processor time of each stage, and their sum, for each game of the catalogue."""
    heading(
        "cost",
        f"processor time of a tap with {PLAYERS} phones, without server and network",
        "≤ 4 ms with them",
    )
    line("", "".join(f"{stage:>13}" for stage in (*STAGES, "together")))
    for game in GAMES.values():
        means = least_means(game)
        line(game.name, "".join(f"{ms(mean):>13}" for mean in (*means, sum(means))))


def least_means(game: Game) -> list[Seconds]:
    """Stage by stage the mean over all taps, of each of which the least time counts."""
    runs = [_played(game) for _ in range(REPETITIONS)]
    means = []
    for stage in STAGES:
        least = map(min, zip(*(times[stage] for times in runs), strict=True))
        means.append(sum(least) / TAPS)
    return means


def _played(game: Game) -> Times:
    with TemporaryDirectory() as folder:
        database = Path(folder) / "app.db"
        seated = seat_tables(database, TABLES, PLAYERS, game)
        with closing(Tables(f"sqlite:///{database}")) as tables:
            return asyncio.run(_taps(tables, seated))


async def _taps(tables: Tables, seated: list[SeatedTable]) -> Times:
    app = create_app(tables)
    client = app.test_client(use_cookies=False)
    streams = {table.id: PhonesOfTable(app, tables, table) for table in seated}
    for opened in streams.values():
        await opened.reach(0)
    times: Times = defaultdict(list)
    chance = random.Random(1)
    for number in range(-WARM_UP, TAPS):
        table = chance.choice([table for table in seated if not table.game.position.over])
        player, document = table.tap()
        headers = {"Cookie": table.cookies[player]}
        began = time.thread_time()
        answer = client.post(f"{table.path}taps", json=document, headers=headers)
        tapped = time.thread_time()
        assert answer.status_code == 200, answer.get_data(as_text=True)
        drawing = time.thread_time()
        await streams[table.id].reach(answer.get_json()["version"])
        drawn = time.thread_time()
        streams[table.id].send()
        sent = time.thread_time()
        if number >= 0:
            times["the request"].append(tapped - began)
            times["drawing"].append(drawn - drawing)
            times["packing"].append(sent - drawn)
    for opened in streams.values():
        opened.close()
    return times


class PhonesOfTable:
    """The streams of all phones at a table, which send nothing."""

    def __init__(self, app: Any, tables: Tables, table: SeatedTable) -> None:
        self._streams: Final = TableStreams(app, tables, table.id, _Inline())
        self._phones: Final = {
            Listener(device_hash(device), "en"): Writer(is_packed=True)
            for device in table.devices.values()
        }
        self._shown: Final[dict[Listener, Snapshot | None]] = dict.fromkeys(self._phones)
        for phone in self._phones:
            self._streams.enter(phone)

    async def reach(self, version: int) -> None:
        """Waits until all phones have this version."""
        while any(phone.latest is None or phone.latest.version < version for phone in self._phones):
            assert all(phone.error is None for phone in self._phones)
            await asyncio.sleep(0)

    def send(self) -> None:
        for phone, writer in self._phones.items():
            shown = self._shown[phone]
            if shown is not None and phone.latest is not None:
                writer.write(message(shown, phone.latest))
            self._shown[phone] = phone.latest

    def close(self) -> None:
        for phone in self._phones:
            self._streams.leave(phone)


class _Inline(Executor):
    """Runs everything in the thread that asks, whose processor time is counted."""

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*args, **kwargs))
        return future
