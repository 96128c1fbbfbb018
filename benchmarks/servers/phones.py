"""Simulated phones that behave as the page's script: they listen to a stream, and fetch the page.

Each phone has two connections: one on which it listens, and one for everything else.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import time
import zlib
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.report import Seconds
from benchmarks.servers.play import SeatedTable
from benchmarks.servers.wire import HEAD_END, AsyncConnection, checked, request

GRACE: Final = 0.4
"""Seconds that a stream has to bring the phone's own tap, as in `static/js/table/redraw.js`."""
_LIVE: Final = re.compile(rb'data-live="([^"]+)"')
_VERSION: Final = re.compile(rb'data-version="(\d+)"')
_SHAPE: Final = re.compile(rb'data-shape="([^"]+)"')


@dataclass
class Phone:
    """One player's phone. Times are those of `time.perf_counter`."""

    table: SeatedTable
    player: str
    port: int
    heard: list[tuple[int, Seconds]] = field(default_factory=list)
    """(version, when the stream reported it)."""
    drawn: list[tuple[int, Seconds]] = field(default_factory=list)
    """(version, when all that shows it had arrived)."""
    fetches: int = 0
    """Pages that it fetched after its first one."""
    received_bytes: int = 0
    """Bytes of events and of fetched pages as transferred, after the first page."""
    _known: int = 0
    _shape: str = ""
    _fetching: bool = False
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

    async def open(self) -> None:
        """Loads the table's page and begins to listen."""
        page = await self._load()
        live = _LIVE.search(page)
        assert live is not None, "the page names no stream"
        reader = await self._ear.send(request("GET", live[1].decode(), self._cookie))
        head = await reader.readuntil(HEAD_END)
        assert b" 200 " in head.split(b"\r\n")[0], head
        self._start(self._listen(reader, b"content-encoding: gzip" in head.lower()))

    async def tap(self, document: dict[str, Any]) -> None:
        """Sends a tap and waits for the acknowledgement; then its stream brings the change."""
        answer = await self._ask(request("POST", f"{self.table.path}taps", self._cookie, document))
        self._known = max(self._known, int(json.loads(answer)["version"]))
        if self.version < self._known:
            asyncio.get_running_loop().call_later(GRACE, self._want, self._known)

    def close(self) -> None:
        """Cancels everything and closes both connections."""
        for task in self._tasks:
            task.cancel()
        self._line.close()
        self._ear.close()

    # The page's script

    async def _listen(self, reader: asyncio.StreamReader, is_packed: bool) -> None:
        inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
        rest = b""
        while size := int(await reader.readline() or b"0", 16):
            chunk = await reader.readexactly(size)
            await reader.readexactly(2)
            came = time.perf_counter()
            self.received_bytes += size
            *events, rest = (rest + (inflate.decompress(chunk) if is_packed else chunk)).split(
                b"\n\n"
            )
            for event in events:
                self._hear(event.split(b"\n"), came)

    def _hear(self, lines: list[bytes], came: Seconds) -> None:
        values = [json.loads(line[6:]) for line in lines if line.startswith(b"data: ")]
        if b"event: parts" in lines:
            self._show(values, came)
        else:
            self.heard.append((values[0], came))
            self._want(values[0])

    def _show(self, values: list[dict[str, Any]], came: Seconds) -> None:
        """Shows an update; fetches the page where it has missed something."""
        header = next(value for value in values if "facts" in value)
        version = int(header["facts"]["version"])
        self._known = max(self._known, version)
        self.heard.append((version, came))
        if version < self.version:
            return
        is_gap = version > self.version and header["from"] != self.version
        if header["shape"] != self._shape or is_gap:
            self._fetch()
        elif version > self.version:
            self.drawn.append((version, came))

    def _want(self, version: int) -> None:
        self._known = max(self._known, version)
        if self.version < self._known:
            self._fetch()

    def _fetch(self) -> None:
        if not self._fetching:
            self._fetching = True
            self._start(self._load_again())

    async def _load_again(self) -> None:
        try:
            await self._load(htmx=True)
        finally:
            self._fetching = False
        self._want(0)

    async def _load(self, htmx: bool = False) -> bytes:
        """Loads the whole page."""
        body = await self._ask(request("GET", self.table.path, self._cookie, htmx=htmx))
        came = time.perf_counter()
        page = _unpacked(body)
        version, shape = _VERSION.search(page), _SHAPE.search(page)
        assert version is not None, "the page names no version"
        assert shape is not None, "the page has no shape"
        self._shape = shape[1].decode()
        self.drawn.append((int(version[1]), came))
        if htmx:
            self.fetches += 1
            self.received_bytes += len(body)
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


def _unpacked(body: bytes) -> bytes:
    return gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body


async def open_all(tables: list[SeatedTable], port: int) -> list[list[Phone]]:
    """Opens a phone for every player; returns them by table, in the order of the tables."""
    at_once = asyncio.Semaphore(32)

    async def opened(table: SeatedTable, player: str) -> Phone:
        async with at_once:
            phone = Phone(table, player, port)
            await phone.open()
            return phone

    wanted = [opened(table, player) for table in tables for player in table.cookies]
    phones = iter(await asyncio.gather(*wanted))
    return [[next(phones) for _ in table.cookies] for table in tables]
