"""Simulated phones that behave as the page's script: they stream or poll, and refetch the page.

Each phone has two connections: one on which it listens, and one for everything else.
"""

from __future__ import annotations

import asyncio
import gzip
import random
import re
import time
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.play import SeatedTable
from benchmarks.report import Seconds
from benchmarks.wire import AsyncConnection, checked, request

POLL: Final = 2.0
"""Seconds between two polls without a stream, as in `static/js/table.js`."""
_LIVE: Final = re.compile(rb'data-live="([^"]+)"')
_VERSION: Final = re.compile(rb'data-version="(\d+)"')


@dataclass
class Phone:
    """One player's phone. Times are those of `time.perf_counter`."""

    table: SeatedTable
    player: str
    port: int
    heard: list[tuple[int, Seconds]] = field(default_factory=list)
    """(version, when the stream or a poll reported it)."""
    drawn: list[tuple[int, Seconds]] = field(default_factory=list)
    """(version, when the fragment that shows it had arrived completely)."""
    fetches: int = 0
    fetched_bytes: int = 0
    """Bytes of fragments as transferred."""
    _fetching: bool = False
    _again: bool = False
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._line = AsyncConnection(self.port)
        self._ear = AsyncConnection(self.port)
        self._free = asyncio.Lock()
        self._cookie = self.table.cookies[self.player]

    @property
    def version(self) -> int:
        """The version that the phone shows; 0 before the first."""
        return self.drawn[-1][0] if self.drawn else 0

    async def open(self, streams: bool = True) -> None:
        """Loads the table's page and begins to listen, by stream or by polling."""
        page = await self._get(self.table.path)
        live = _LIVE.search(page)
        assert live is not None, "the page names no stream"
        if not streams:
            self._start(self._poll())
            return
        reader = await self._ear.send(request("GET", live[1].decode(), self._cookie))
        self._start(self._listen(reader))

    async def tap(self, document: dict[str, Any]) -> None:
        """Sends a tap, waits for the acknowledgement and refetches the page as a phone does."""
        await self._ask(request("POST", f"{self.table.path}taps", self._cookie, document))
        self.refresh()

    def refresh(self) -> None:
        """Fetches the fragment; meanwhile at most one more request waits (htmx: `queue last`)."""
        if self._fetching:
            self._again = True
        else:
            self._fetching = True
            self._start(self._fetch())

    def close(self) -> None:
        """Cancels everything and closes both connections."""
        for task in self._tasks:
            task.cancel()
        self._line.close()
        self._ear.close()

    async def _fetch(self) -> None:
        try:
            await self._get(self.table.path, htmx=True)
            while self._again:
                self._again = False
                await self._get(self.table.path, htmx=True)
        finally:
            self._fetching = False

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        while text := await reader.readline():
            if text.startswith(b"data: "):
                self._hear(int(text[6:]))

    async def _poll(self) -> None:
        await asyncio.sleep(random.uniform(0, POLL))
        while True:
            body = await self._ask(request("GET", f"{self.table.path}version", self._cookie))
            self._hear(int(re.findall(rb"\d+", body)[0]))
            await asyncio.sleep(POLL)

    def _hear(self, version: int) -> None:
        self.heard.append((version, time.perf_counter()))
        if version != self.version:
            self.refresh()

    async def _get(self, path: str, htmx: bool = False) -> bytes:
        body = await self._ask(request("GET", path, self._cookie, htmx=htmx))
        came = time.perf_counter()
        page = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
        version = _VERSION.search(page)
        assert version is not None, "the page names no version"
        self.drawn.append((int(version[1]), came))
        if htmx:
            self.fetches += 1
            self.fetched_bytes += len(body)
        return page

    async def _ask(self, raw: bytes) -> bytes:
        async with self._free:
            return checked(await self._line.ask(raw)).body

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            raise error


async def open_all(tables: list[SeatedTable], port: int, streams: bool = True) -> list[list[Phone]]:
    """Opens a phone for every player; returns them by table, in the order of the tables."""
    at_once = asyncio.Semaphore(32)

    async def opened(table: SeatedTable, player: str) -> Phone:
        async with at_once:
            phone = Phone(table, player, port)
            await phone.open(streams)
            return phone

    wanted = [opened(table, player) for table in tables for player in table.cookies]
    phones = iter(await asyncio.gather(*wanted))
    return [[next(phones) for _ in table.cookies] for table in tables]
