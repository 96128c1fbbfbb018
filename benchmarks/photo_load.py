"""Measures how long taps take while photos are being read."""

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
import numpy as np

from benchmarks.photos.play import random_sheet
from benchmarks.report import Seconds, both, heading, line
from benchmarks.servers import server
from benchmarks.servers.play import SeatedTable, seat_tables
from benchmarks.servers.server import Server
from benchmarks.servers.wire import HOST, Connection, checked, request
from companion.games.catalog import SHEETS
from tests.kit.photos import paper, taking

TAPS: Final = 600
"""Taps in each of the two runs."""
PAUSE: Final = 0.03
"""Seconds between a tap's answer and the next tap."""
PHOTOS: Final = 4
"""Photos that wait or are being read at any time."""
PLAYERS: Final = 6
TABLES: Final = 40
"""Games in mid-play; each is played to its end before the next one."""
SEED: Final = 5


@dataclass
class SentPhotos:
    """The photos that were sent while taps were measured."""

    seconds: list[Seconds] = field(default_factory=list)
    """From sending a photo until its reading is shown."""
    sheets: int = 0
    failed: int = 0


def run() -> None:
    """Prints the durations of taps with and without photos beside them."""
    heading(
        "photos",
        f"taps of a table of {PLAYERS} while {PHOTOS} photos are being read all the time",
        "p99 under 300 ms",
    )
    photo = two_pads_photo()
    with TemporaryDirectory() as folder:
        tables = seat_tables(Path(folder) / "app.db", TABLES, PLAYERS)
        with server.companion(Path(folder) / "app.db") as app:
            taps = _taps(tables)
            print(f"  {'':<44} {'median':>9} {'p99':>9}")
            line("a tap's request, no photo", both(list(_timed(app, taps))))
            with _photographers(app, photo) as sent:
                while not sent.seconds:
                    time.sleep(0.05)  # until the reading processes have started
                line(f"the same, {PHOTOS} photos", both(list(_timed(app, taps))))
                line("a photo, from sending it to its reading", both(sent.seconds))
                line("photos read, sheets, failed", (len(sent.seconds), sent.sheets, sent.failed))


def two_pads_photo() -> bytes:
    """A JPEG of two filled-in pads of the catalogue's first sheet, with 12 megapixels."""
    kind = next(iter(SHEETS))
    sheets = [random_sheet(kind, np.random.default_rng(SEED + place)) for place in range(2)]
    pads = [
        paper.filled(sheet.sheet.name, sheet.marks, sheet.board, seed)
        for seed, sheet in enumerate(sheets)
    ]
    return taking.jpeg(taking.photo(*pads, size=(4000, 3000), seed=SEED))


def _taps(tables: list[SeatedTable]) -> Iterator[tuple[SeatedTable, bytes]]:
    for table in tables:
        while not table.game.position.over:
            player, document = table.tap()
            yield table, request("POST", f"{table.path}taps", table.cookies[player], document)


def _timed(app: Server, taps: Iterator[tuple[SeatedTable, bytes]]) -> Iterator[Seconds]:
    with Connection(app.port) as connection:
        for _, raw in itertools.islice(taps, TAPS):
            began = time.perf_counter()
            checked(connection.ask(raw))
            yield time.perf_counter() - began
            time.sleep(PAUSE)


@contextmanager
def _photographers(app: Server, photo: bytes) -> Iterator[SentPhotos]:
    """Keeps `PHOTOS` photos on their way while the body of the `with` statement runs."""
    sent, is_over = SentPhotos(), threading.Event()
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


def _photograph(app: Server, photo: bytes, sent: SentPhotos, is_over: threading.Event) -> None:
    """Sends a photo, waits until it has been read, and starts over until `is_over`."""
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
