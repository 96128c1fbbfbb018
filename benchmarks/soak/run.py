"""Plays many tables for half an hour while something is killed every minute; says what was lost."""

from __future__ import annotations

import asyncio
import random
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.processes import DURABLE
from benchmarks.report import Seconds, heading
from benchmarks.servers import server
from benchmarks.servers.play import SeatedTable, seat_tables
from benchmarks.soak import verdict
from benchmarks.soak.ledger import Differences, Ledger, read_log
from benchmarks.soak.phones import Answers, PatientPhone
from benchmarks.soak.photos import Photographer, pad_photo
from benchmarks.soak.victims import Victims
from tests.kit.servers import postgres
from tests.kit.servers.program import HOST, Program, free_port

TABLES: Final = 200
PLAYERS: Final = 4
RATE: Final = 10.0
"""Taps a second at all tables together, at random moments (exponential gaps)."""
FIRST_TURN: Final = 2
"""The turn with which the games begin, so that they last."""
WORKERS: Final = 2
MINUTE: Final = 60.0
SETTLING: Final = 90.0
"""The longest wait for the phones and photos after the last tap."""


@dataclass
class Minute:
    """The figures of a minute."""

    killed: str
    back: Seconds
    """From the kill until what was killed has been started again and, but for the reader, answers;
    a process of the server's is replaced by the server meanwhile."""
    acknowledged: list[Seconds]
    """Durations from the moment a tap was due until it was acknowledged."""
    retries: int
    unanswered: int
    errors: dict[int, int]
    """Status from 500 on → answers."""
    lost: int
    """Acknowledged taps that the log lacked at its end."""
    wrong: int
    """Tables whose log was wrong otherwise."""
    photos: int
    memory: dict[str, int]


@dataclass
class Soak:
    """A run: its tables, phones and taps."""

    victims: Victims
    url: str
    tables: list[SeatedTable]
    groups: list[list[PatientPhone]]
    answers: Answers
    photographer: Photographer
    ledger: Ledger
    taps: list[tuple[int, int, str, Seconds]] = field(default_factory=list)
    """(number of the table, its version, player, when the tap was due) of acknowledged taps."""
    took: list[Seconds] = field(default_factory=list)
    """Durations until each of them was acknowledged."""
    minutes: list[Minute] = field(default_factory=list)

    async def tap_until(self, end: float) -> None:
        """Taps at random moments; a table's next tap waits for its last one."""
        locks = [asyncio.Lock() for _ in self.tables]
        chance = random.Random(1)
        order: list[int] = []
        waiting = []
        due = time.perf_counter()
        while due < end:
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            if not order:
                order = chance.sample(range(len(self.tables)), len(self.tables))
            waiting.append(asyncio.create_task(self._tap(order.pop(), due, locks)))
            due += chance.expovariate(RATE)
        await asyncio.gather(*waiting)

    async def _tap(self, place: int, due: Seconds, locks: list[asyncio.Lock]) -> None:
        async with locks[place]:
            table = self.tables[place]
            if table.game.position.over:
                return
            player, document = table.tap()
            version = table.version
            self.ledger.send(table.id, document["id"])
            phone = next(phone for phone in self.groups[place] if phone.player == player)
            await phone.tap(document)
            self.ledger.acknowledge(table.id)
            self.taps.append((place, version, player, due))
            self.took.append(time.perf_counter() - due)

    async def kill_each_minute(self, minutes: int) -> None:
        """Kills in turn; prints a line at each minute's end, with what the log then lacks."""
        began = time.perf_counter()
        for number, (name, kill) in zip(range(1, minutes + 1), cycle(self.victims.kills)):
            before = self._counts()
            killed_at = time.perf_counter()
            await asyncio.to_thread(kill)
            back = time.perf_counter() - killed_at
            await asyncio.sleep(max(0.0, began + number * MINUTE - time.perf_counter()))
            self.minutes.append(await self._minute(name, back, *before))
            verdict.print_minute(number, self.minutes[-1])

    def _counts(self) -> tuple[int, int, int, dict[int, int], int]:
        answers, photos = self.answers, self.photographer.seen
        errors = {code: times for code, times in self.errors().items() if code >= 500}
        return (
            len(self.took), answers.retries, answers.silences.total(), errors, len(photos.seconds)
        )  # fmt: skip

    async def _minute(
        self,
        name: str,
        back: Seconds,
        taps: int,
        retries: int,
        unanswered: int,
        errors: dict[int, int],
        read: int,
    ) -> Minute:
        log = await self.differences()
        now = self._counts()
        return Minute(
            killed=name,
            back=back,
            acknowledged=self.took[taps:],
            retries=now[1] - retries,
            unanswered=now[2] - unanswered,
            errors={
                code: times - errors.get(code, 0)
                for code, times in now[3].items()
                if times > errors.get(code, 0)
            },
            lost=log.lost,
            wrong=log.wrong,
            photos=now[4] - read,
            memory=await asyncio.to_thread(self.victims.memory),
        )

    def errors(self) -> dict[int, int]:
        """Status other than 2xx and 3xx → how often phones and photographers had it."""
        found = self.answers.statuses + self.photographer.seen.statuses
        return {code: times for code, times in sorted(found.items()) if code >= 400}

    async def differences(self) -> Differences:
        """The differences between the database's log and the ledger now."""
        acknowledged = self.ledger.acknowledged()
        logged = await asyncio.to_thread(read_log, self.url)
        return self.ledger.differences(logged, acknowledged)

    async def settle(self) -> None:
        """Waits until every phone shows its table's version, or for `SETTLING`."""
        last = time.perf_counter() + SETTLING
        while time.perf_counter() < last:
            if all(phone.version >= phone.table.version for phone in self.phones()):
                return
            await asyncio.sleep(0.2)

    def phones(self) -> Iterator[PatientPhone]:
        for group in self.groups:
            yield from group

    def seen(self) -> tuple[list[Seconds], int]:
        """(from when a tap was due until other phones had drawn it, how often one never did)."""
        took, never = [], 0
        for place, version, player, due in self.taps:
            for phone in self.groups[place]:
                if phone.player == player:
                    continue
                found = bisect_left(phone.drawn, version, key=lambda pair: pair[0])
                if found < len(phone.drawn):
                    took.append(phone.drawn[found][1] - due)
                else:
                    never += 1
        return took, never


def run(minutes: int) -> None:
    """Prints a line a minute, and what was lost in the end."""
    heading(
        "soak",
        f"{TABLES} tables of {PLAYERS} phones, {RATE:.0f} taps a second and photos; each of"
        f" {minutes} minutes a process, the reader, the database or the whole server is killed",
        "no acknowledged tap lost, no 500, phones up to date, no photo left behind, flat memory",
    )
    server.allow_many_files()
    with _started() as (victims, url, tables):
        asyncio.run(_soak(victims, url, tables, minutes))


@contextmanager
def _started() -> Iterator[tuple[Victims, str, list[SeatedTable]]]:
    postgres.SETTINGS.update(DURABLE)
    cluster = postgres.Cluster.start()
    try:
        url = cluster.url(cluster.create_database())
        tables = seat_tables(url, TABLES, PLAYERS, turn=FIRST_TURN)
        port = free_port()
        with TemporaryDirectory() as folder:
            more = ["--db", url, "--workers", str(WORKERS), "--readers", "0"]
            more += ["--host", HOST, "--port", str(port)]
            serve = Program("companion", ["serve", *more], Path(folder) / "server")
            more = ["--db", url, "--readers", "1"]
            read = Program("companion", ["reader", *more], Path(folder) / "reader")
            victims = Victims(cluster, serve, read, port)
            try:
                victims.start()
                yield victims, url, tables
            finally:
                victims.stop()
    finally:
        cluster.stop()


async def _soak(victims: Victims, url: str, tables: list[SeatedTable], minutes: int) -> None:
    answers = Answers()
    groups = [
        [PatientPhone(table, name, victims.port, answers=answers) for name in table.cookies]
        for table in tables
    ]
    photographer = Photographer(victims.port, await asyncio.to_thread(pad_photo))
    ledger = Ledger(await asyncio.to_thread(read_log, url))
    soak = Soak(victims, url, tables, groups, answers, photographer, ledger)
    for phone in soak.phones():
        phone.stay()
        await asyncio.sleep(0.01)
    while not all(phone.is_listening for phone in soak.phones()):
        await asyncio.sleep(0.2)
    photographing = asyncio.create_task(photographer.work())
    end = time.perf_counter() + minutes * MINUTE
    await asyncio.gather(soak.tap_until(end), soak.kill_each_minute(minutes))
    photographing.cancel()
    with suppress(asyncio.CancelledError):
        await photographing
    await photographer.finish(SETTLING)
    await soak.settle()
    await verdict.print_verdict(soak)
    for phone in soak.phones():
        phone.close()
