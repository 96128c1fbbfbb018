"""Very many finished games of one device or table: how long others wait while all are changed.

    python -m benchmarks.attack.histories [GAMES]

A phone changes another table meanwhile, in the same process. A row of the table says how long the
work took, its transactions and the longest of them, and the waits of that phone.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from sqlalchemy.exc import OperationalError

from benchmarks.games import correctable_game, tapped_game
from companion.limits import USUAL
from companion.tables import Tables
from companion.tables.history.exchange import MOST_MATCHES
from companion.tables.history.people import person_id
from companion.tables.ledger.events import Tap
from companion.tables.ledger.names import SEAT_COLORS
from companion.tables.play import access, lobby
from companion.tables.upkeep.table_deletion import delete_table

PLAYERS = ("Ada", "Ben", "Cleo")
FIRST = datetime(2024, 1, 1, tzinfo=UTC)
GAME, BEGIN = tapped_game()
FIRST_ACTION = correctable_game()[1]
WHO, OTHER = "w" * 43, "o" * 43
SHORT_GAMES = 1000
"""Games at the table that is deleted; each ends after the first entry."""
DEVICES = 100
LIMITS = replace(USUAL, recent_changes_per_member=10**9, recent_changes_per_table=10**9)


def history_file(games: int, first: int = 0) -> bytes:
    """A history with so many games of three, each with its sheets.

    Args:
        first: the number of the first game; files with other numbers have other games.
    """
    played = BEGIN(PLAYERS, random.Random(1))
    while not played.position.over:
        played.tap()
    winners = played.position.winners()
    players = [
        {"name": name, "total": None, "won": name in winners, "sheet": played.position.sheet(name)}
        for name in PLAYERS
    ]
    shared = {"game": GAME.name, "source": "typed", "players": players}
    entries = (
        {**shared, "ended": (FIRST + timedelta(minutes=first + number)).isoformat()}
        for number in range(games)
    )
    return json.dumps({"format": "companion-history/1", "games": list(entries)}).encode()


def crowded_table(tables: Tables) -> str:
    """A table with many short games, at which many devices sit."""
    seats = [(name, SEAT_COLORS[0]) for name in PLAYERS]
    table_id = tables.create(WHO, GAME.name, players=seats)
    tables.change(table_id, WHO, lobby.start)
    for number in range(SHORT_GAMES):
        if number:
            tables.change(table_id, WHO, lobby.again)
        position = tables.look(table_id, WHO).position
        assert position is not None
        action = FIRST_ACTION(position.active, number)
        tables.tap(table_id, WHO, Tap(f"short-{number:06}", action=action))
        tables.change(table_id, WHO, lobby.stop)
    link = tables.change(table_id, WHO, access.join_link).token
    for number in range(DEVICES - 1):
        tables.enter(link, f"{number:043}")
    return table_id


class Others:
    """A phone at another table, and the transactions of the work that it waits for."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.table_id = tables.create(OTHER, GAME.name, players=[("Tim", SEAT_COLORS[0])])
        self.waits: list[float] = []
        self.held: list[float] = []

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Changes the other table meanwhile, and counts the transactions of this thread."""
        self.waits, self.held = [], []
        write, worker = self.tables.database.write, threading.current_thread()
        over = threading.Event()

        @contextmanager
        def timed(*arguments: Any, **more: Any) -> Iterator[Any]:
            with write(*arguments, **more) as connection:
                start = time.thread_time()
                yield connection
            if threading.current_thread() is worker:
                self.held.append(time.thread_time() - start)

        def change() -> None:
            for number in count():
                if over.wait(0.02):
                    return
                start = time.monotonic()
                with suppress(OperationalError):
                    name = f"Tim {number}"
                    self.tables.change(self.table_id, OTHER, lobby.rename_seat, 1, name)
                self.waits.append(time.monotonic() - start)

        self.tables.database.write = timed  # type: ignore[method-assign]
        other = threading.Thread(target=change)
        other.start()
        try:
            yield
        finally:
            over.set()
            other.join()
            self.tables.database.write = write  # type: ignore[method-assign]

    def measure(self, name: str, work: Callable[[], object]) -> None:
        """Does the work until it says that all is done, and prints a row."""
        start, requests = time.process_time(), 1
        with self.waiting():
            while work() is False:
                requests += 1
        waits = sorted(self.waits) or [0.0]
        print(
            f"| {name} | {time.process_time() - start:.1f} s | {requests} | {len(self.held)}"
            f" | {max(self.held, default=0) * 1000:.0f} ms"
            f" | {statistics.median(waits) * 1000:.0f} ms | {waits[-1] * 1000:.0f} ms |",
            flush=True,
        )


def main() -> None:
    """Prints a row for each kind of work."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 2 * MOST_MATCHES
    parts = range(0, games, MOST_MATCHES)
    files = [history_file(min(MOST_MATCHES, games - first), first) for first in parts]
    print(
        "| work | processor | requests | transactions | longest (processor)"
        " | others' median | others' longest |\n|---|---|---|---|---|---|---|"
    )
    with (
        tempfile.TemporaryDirectory(prefix="companion-attack-") as folder,
        closing(Tables(f"sqlite:///{Path(folder) / 'x.sqlite3'}", limits=LIMITS)) as tables,
    ):
        history, others, ada = tables.history, Others(tables), person_id("Ada")
        for raw in files:
            others.measure("take in a file", partial(history.prepare_restore, WHO, raw))
            others.measure("restore it", partial(history.restore, WHO))
        others.measure("preview", partial(history.deletion_preview, WHO, ada))
        others.measure("rename", partial(history.rename_person, WHO, ada, "Zoe"))
        others.measure("delete", partial(history.delete_person, WHO, person_id("Ben")))
        others.measure("delete renamed", partial(history.delete_person, WHO, person_id("Zoe")))
        table_id = crowded_table(tables)
        others.measure("rename at a table", partial(history.rename_person, WHO, ada, "Zoe"))
        others.measure("delete there", partial(history.delete_person, WHO, person_id("Zoe")))
        others.measure("delete the table", partial(delete_table, tables, table_id, WHO))


if __name__ == "__main__":
    main()
