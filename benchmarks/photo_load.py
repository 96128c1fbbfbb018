"""How long taps take while photos are being read."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import httpx

from benchmarks import server
from benchmarks.play import Table, seat_tables
from benchmarks.report import Seconds, both, heading, line
from benchmarks.server import Server
from benchmarks.wire import HOST, Connection, checked, request
from tests.kit import paper

TAPS: Final = 600
"""In each of the two runs."""
PAUSE: Final = 0.03
"""Seconds between a tap's answer and the next tap."""
PHOTOS: Final = 4
"""That wait or are being read at any time."""
PLAYERS: Final = 6
TABLES: Final = 40
"""Games in mid-play, one after the other until each is over."""
SEED: Final = 5


@dataclass
class Sent:
    """Photos, and how long each took from sending it to its reading."""

    seconds: list[Seconds] = field(default_factory=list)
    sheets: int = 0
    failed: int = 0


def run() -> None:
    heading(
        "photos",
        f"taps of a table of {PLAYERS} while {PHOTOS} photos are being read all the time",
        "p99 under 300 ms",
    )
    photo = a_photo()
    with TemporaryDirectory() as folder:
        tables = seat_tables(Path(folder) / "app.db", TABLES, PLAYERS)
        with server.companion(Path(folder) / "app.db") as app:
            taps = _taps(tables)
            print(f"  {'':<44} {'median':>9} {'p99':>9}")
            line("a tap's request, no photo", both(list(_timed(app, taps))))
            with _photographers(app, photo) as sent:
                while not sent.seconds:
                    time.sleep(0.05)  # the processes have started
                line(f"the same, {PHOTOS} photos", both(list(_timed(app, taps))))
                line("a photo, from sending it to its reading", both(sent.seconds))
                line("photos read, sheets, failed", (len(sent.seconds), sent.sheets, sent.failed))


def a_photo() -> bytes:
    """Two filled-in pads, photographed with 12 megapixels."""
    marks = {f"{row}.{at}": 2 * at for row in ("orange", "yellow") for at in (2, 3, 5, 6)}
    pads = [paper.filled("qwinto", marks, seed=seed) for seed in range(2)]
    return paper.jpeg(paper.photo(*pads, size=(4000, 3000), seed=SEED))


def _taps(tables: list[Table]) -> Iterator[tuple[Table, bytes]]:
    for table in tables:
        while not table.game.position.over:
            player, document = table.tap()
            yield table, request("POST", f"{table.path}taps", table.cookies[player], document)


def _timed(app: Server, taps: Iterator[tuple[Table, bytes]]) -> Iterator[Seconds]:
    with Connection(app.port) as connection:
        for _, raw in itertools.islice(taps, TAPS):
            began = time.perf_counter()
            checked(connection.ask(raw))
            yield time.perf_counter() - began
            time.sleep(PAUSE)


@contextmanager
def _photographers(app: Server, photo: bytes) -> Iterator[Sent]:
    sent, is_over = Sent(), threading.Event()
    threads = [
        threading.Thread(target=_photograph, args=(app, photo, sent, is_over))
        for _ in range(PHOTOS)
    ]
    for thread in threads:
        thread.start()
    try:
        yield sent
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def _photograph(app: Server, photo: bytes, sent: Sent, is_over: threading.Event) -> None:
    """Somebody who sends the next photo as soon as the last one has been read."""
    with httpx.Client(base_url=f"http://{HOST}:{app.port}", timeout=60) as client:
        client.get("/photo")
        while not is_over.is_set():
            began = time.perf_counter()
            answer = client.post("/upload/new", files={"photo": ("a.jpg", photo)})
            path = answer.headers["location"]
            while 'id="reading"' in (page := client.get(path).text):
                time.sleep(0.2)
            sent.seconds.append(time.perf_counter() - began)
            sent.sheets += page.count('class="sheet-tab"')
            sent.failed += "could not be read" in page
            client.post(f"{path}discard")
