"""Measures taps while a device with many finished games changes all of them over and over."""

from __future__ import annotations

import asyncio
import copy
import json
import re
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple
from urllib.parse import urlencode

import sqlalchemy as sa

from benchmarks.report import Seconds, both, heading, line, quantile
from benchmarks.servers import server
from benchmarks.servers.phones import Line, exchanged, sending
from benchmarks.servers.play import NAMES, SeatedTable, seat_tables, signed_cookies
from companion.tables import Tables
from companion.tables.database.columns import new_id
from companion.tables.database.schema import finished_matches as rows
from companion.tables.history.people import person_id
from lab.history import paper
from lab.servers.program import HOST

GAMES: Final = 5_000
SPARE: Final = 500  # games that the device does not have yet, so that it can save some
TABLES: Final = 40
PLAYERS: Final = 4
RATE: Final = 15.0  # taps per second at all tables together, at even distances
SECONDS: Final = 10.0
"""How long is tapped without the changes, and then with them, at least a whole change."""
RETRY: Final = 0.2  # seconds after which a tap that was not saved is sent again

Acts = Iterator[bytes]  # the requests of a device, one after the other


@dataclass
class Taps:
    """The results of one phase's taps."""

    # From when each was due until it was saved.
    took: list[Seconds] = field(default_factory=list)
    unsaved: int = 0  # answers 503


def run() -> None:
    """Prints the taps' times with and without each kind of change."""
    heading(
        "history",
        f"taps at other tables, alone and while a device with {GAMES:,} games of six changes them",
        "no 503; p99 within three times that of the same minute without the changes",
    )
    with TemporaryDirectory() as folder:
        made = Path(folder) / "made.db"
        tables = seat_tables(made, TABLES, PLAYERS)
        stranger = _fill(made)
        print(f"  {'':<44} {'median':>9} {'p99':>9}")
        for acts in (_saving, _renaming, _deleting, _restoring):
            database = Path(folder) / f"{acts.__name__}.db"
            shutil.copyfile(made, database)
            with server.companion(database) as app:
                seated = copy.deepcopy(tables)
                print(f"  {acts.__doc__}")
                print_taps(*asyncio.run(measured(app.port, seated, acts(stranger))))


class Stranger(NamedTuple):
    """The device with many games."""

    cookie: str
    game: str
    totals: tuple[str, ...]  # those of all its games, in the order of `NAMES`
    backup: bytes


def _fill(database: Path) -> Stranger:
    """Gives a device its games, all with the same sheets of the same people."""
    with closing(Tables(f"sqlite:///{database}")) as tables:
        device = secrets.token_urlsafe(16)
        first = tables.history.match(device, paper(tables, device, *NAMES))
        with tables.database.write() as connection:
            query = sa.select(rows).where(rows.c.id == first.id)
            row = connection.execute(query).one()._asdict()
            new = [
                {"id": new_id(), "identity": new_id(), "ended_at": row["ended_at"] - number}
                for number in range(1, GAMES - SPARE)
            ]
            connection.execute(rows.insert(), [row | one for one in new])
        backup = tables.history.export_json(device)
        totals = tuple(str(player.total) for player in first.players)
        return Stranger(signed_cookies(tables)(device), first.game.name, totals, backup)


def _saving(who: Stranger) -> Acts:
    """Saving just the totals, and the same again."""
    for number in count():
        names = [*NAMES[:-1], f"Guest {number // 2}"]
        form = [("id", new_id()), ("game", who.game)]
        for name, total in zip(names, who.totals, strict=True):
            form += [("name", name), ("total", total)]
        yield _posted("/totals", who.cookie, form)


def _renaming(who: Stranger) -> Acts:
    """Renaming a person."""
    for number in count():
        old, new = (NAMES[0], "Tom") if number % 2 == 0 else ("Tom", NAMES[0])
        path = f"/history/people/{person_id(old)}/rename"
        yield _posted(path, who.cookie, [("name", new), ("sure", "1")])


def _deleting(who: Stranger) -> Acts:
    """Deleting a person."""
    for name in NAMES:
        yield _posted(f"/history/people/{person_id(name)}/delete", who.cookie, [])


def _restoring(who: Stranger) -> Acts:
    """Restoring a backup, the games of which are others each time, on a phone that has none."""
    while True:
        games = re.sub(rb'"id":"[^"]*"', lambda _: b'"id":"%s"' % new_id().encode(), who.backup)
        head = b'--x\r\nContent-Disposition: form-data; name="history"; filename="a.json"\r\n\r\n'
        body = head + games + b"\r\n--x--\r\n"
        yield sending("/history/import", "", body, "multipart/form-data; boundary=x")


def _posted(path: str, cookie: str, form: list[tuple[str, str]]) -> bytes:
    return sending(path, cookie, urlencode(form).encode(), "application/x-www-form-urlencoded")


async def measured(
    port: int, tables: list[SeatedTable], *acts: Acts
) -> tuple[Taps, Taps, Counter[int], list[Seconds]]:
    """The taps alone and beside all the acts; the acts' statuses, and how long each took."""
    lines = [await asyncio.open_connection(HOST, port) for _ in tables]
    alone = await _tapped(tables, lines, lambda: False)
    statuses: Counter[int] = Counter()
    times: list[Seconds] = []
    acting = asyncio.gather(*(_act(port, one, statuses, times) for one in acts))
    beside = await _tapped(tables, lines, lambda: not acting.done() and len(times) < 2)
    acting.cancel()
    with suppress(asyncio.CancelledError):
        await acting
    for _, writer in lines:
        writer.close()
    return alone, beside, statuses, times


async def _act(port: int, acts: Acts, statuses: Counter[int], times: list[Seconds]) -> None:
    line = await asyncio.open_connection(HOST, port)
    for raw in acts:
        began = time.perf_counter()
        status, _ = await exchanged(raw, *line)
        statuses[status] += 1
        times.append(time.perf_counter() - began)


async def _tapped(
    tables: list[SeatedTable], lines: list[Line], goes_on: Callable[[], bool]
) -> Taps:
    """Taps at one table after the other, whether the server keeps up or not."""
    seen = Taps()
    free = [asyncio.Lock() for _ in tables]

    async def tap(place: int, due: Seconds) -> None:
        async with free[place]:
            player, document = tables[place].tap()
            cookie, body = tables[place].cookies[player], json.dumps(document).encode()
            raw = sending(f"{tables[place].path}taps", cookie, body)
            while (answer := await exchanged(raw, *lines[place]))[0] == 503:
                seen.unsaved += 1
                await asyncio.sleep(RETRY)
            assert answer[0] == 200, (answer, document)
        seen.took.append(time.perf_counter() - due)

    due = began = time.perf_counter()
    waiting = []
    places = (place for _ in count() for place in range(len(tables)))
    while due < began + SECONDS or (goes_on() and due < began + 6 * SECONDS):
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        place = next(place for place in places if not tables[place].game.position.over)
        waiting.append(asyncio.create_task(tap(place, due)))
        due += 1 / RATE
    await asyncio.gather(*waiting)
    return seen


def print_taps(alone: Taps, beside: Taps, statuses: Counter[int], times: list[Seconds]) -> None:
    line("  taps alone", both(alone.took), f"{alone.unsaved} × 503")
    worse = quantile(beside.took, 0.99) / quantile(alone.took, 0.99)
    line("  taps meanwhile", both(beside.took), f"{beside.unsaved} × 503, p99 × {worse:.1f}")
    told = ", ".join(f"{number} × {status}" for status, number in sorted(statuses.items()))
    line("  each change", both(times), told)
