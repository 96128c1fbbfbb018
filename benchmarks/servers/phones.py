"""Simulated phones that behave as the page's script: they listen to a stream, and fetch the page.

Each phone has two connections: one on which it listens, and one for everything else. They speak a
minimal HTTP, so that the phones cost almost nothing.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import re
import time
import zlib
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from benchmarks.report import Seconds
from benchmarks.servers.play import SeatedTable
from lab.servers.program import HOST

GRACE: Final = 0.4
"""Seconds that a stream has to bring the phone's own tap, as in `static/js/table/redraw.js`."""
HEAD_END: Final = b"\r\n\r\n"
_LIVE: Final = re.compile(rb'data-live="([^"]+)"')
_VERSION: Final = re.compile(rb'data-version="(\d+)"')
_SHAPE: Final = re.compile(rb'data-shape="([^"]+)"')

Line: TypeAlias = tuple[asyncio.StreamReader, asyncio.StreamWriter]


def fetching(path: str, cookie: str, *more: str) -> bytes:
    """A request as a phone's browser or htmx sends it, without the headers that the app ignores."""
    return _lines(f"GET {path} HTTP/1.1", cookie, *more)


def sending(path: str, cookie: str, body: bytes, kind: str = "application/json") -> bytes:
    """A request with a body; see `fetching`."""
    more = [f"Content-Type: {kind}", f"Content-Length: {len(body)}", "Sec-Fetch-Site: same-origin"]
    return _lines(f"POST {path} HTTP/1.1", cookie, *more) + body


def _lines(first: str, cookie: str, *more: str) -> bytes:
    usual = ("Accept-Encoding: gzip, deflate", "Accept-Language: en")
    return "\r\n".join(
        [first, f"Host: {HOST}", f"Cookie: {cookie}", *usual, *more, "", ""]
    ).encode()


async def head(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The status of the next response, and its head in lower case."""
    found = (await reader.readuntil(HEAD_END)).lower()
    return int(found.split(b" ")[1]), found


async def exchanged(
    raw: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> tuple[int, bytes]:
    """Sends a request; the status of its answer, and the body as transferred."""
    writer.write(raw)
    status, found = await head(reader)
    length = re.search(rb"content-length: (\d+)", found)
    return status, await reader.readexactly(int(length[1]) if length else 0)


@dataclass
class Phone:
    """One player's phone. Times are those of `time.perf_counter`."""

    table: SeatedTable
    player: str
    port: int
    drawn: list[tuple[int, Seconds]] = field(default_factory=list)
    """(version, when all that shows it had arrived)."""
    fetches: int = 0
    """Pages that it fetched after its first one."""
    received_bytes: int = 0
    """Bytes of events and of fetched pages as transferred, after the first page."""
    _known: int = 0
    _shape: str = ""
    _fetching: bool = False
    _line: Line | None = None
    _ear: asyncio.StreamWriter | None = None
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _free: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def _cookie(self) -> str:
        return self.table.cookies[self.player]

    @property
    def version(self) -> int:
        """The version that the phone shows; 0 before the first."""
        return self.drawn[-1][0] if self.drawn else 0

    async def open(self) -> None:
        """Loads the table's page and begins to listen."""
        live = _LIVE.search(await self._load())
        assert live is not None, "the page names no stream"
        reader, self._ear = await asyncio.open_connection(HOST, self.port)
        self._ear.write(fetching(live[1].decode(), self._cookie))
        status, found = await head(reader)
        assert status == 200, found
        self._start(self._listen(reader, b"content-encoding: gzip" in found))

    async def tap(self, document: dict[str, Any]) -> None:
        """Sends a tap and waits for the acknowledgement; then its stream brings the change."""
        tap = json.dumps(document).encode()
        answer = await self._ask(sending(f"{self.table.path}taps", self._cookie, tap))
        self._known = max(self._known, int(json.loads(answer)["version"]))
        if self.version < self._known:
            asyncio.get_running_loop().call_later(GRACE, self._want, self._known)

    def close(self) -> None:
        """Cancels everything and closes both connections."""
        for task in self._tasks:
            task.cancel()
        for writer in (self._ear, self._line and self._line[1]):
            if writer:
                writer.close()

    # The page's script

    async def _listen(self, reader: asyncio.StreamReader, is_packed: bool) -> None:
        inflate = zlib.decompressobj(16 + zlib.MAX_WBITS)
        rest = b""
        while size := int(await reader.readline() or b"0", 16):
            chunk = await reader.readexactly(size)
            await reader.readexactly(2)
            came = time.perf_counter()
            self.received_bytes += size
            rest += inflate.decompress(chunk) if is_packed else chunk
            *events, rest = rest.split(b"\n\n")
            for event in events:
                self._hear(event.split(b"\n"), came)

    def _hear(self, lines: list[bytes], came: Seconds) -> None:
        values = [json.loads(line[6:]) for line in lines if line.startswith(b"data: ")]
        if b"event: parts" in lines:
            self._show(values, came)
        else:
            self._want(values[0])

    def _show(self, values: list[dict[str, Any]], came: Seconds) -> None:
        """Shows an update; fetches the page where it has missed something."""
        header = next(value for value in values if "facts" in value)
        version = int(header["facts"]["version"])
        self._known = max(self._known, version)
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
        more = ["HX-Request: true"] if htmx else []
        page = await self._ask(fetching(self.table.path, self._cookie, *more))
        came = time.perf_counter()
        if htmx:
            self.fetches += 1
            self.received_bytes += len(page)
        page = gzip.decompress(page) if page[:2] == b"\x1f\x8b" else page
        version, shape = _VERSION.search(page), _SHAPE.search(page)
        assert version is not None and shape is not None, "the page has no version or no shape"
        self._shape = shape[1].decode()
        self.drawn.append((int(version[1]), came))
        return page

    async def _ask(self, raw: bytes) -> bytes:
        """The body of the answer.

        The server may close an idle connection just then; browsers send the request again.
        """
        async with self._free:
            answer = None
            if self._line is not None:
                try:
                    answer = await exchanged(raw, *self._line)
                except (ConnectionError, asyncio.IncompleteReadError):
                    self._line[1].close()
            if answer is None:
                self._line = await asyncio.open_connection(HOST, self.port)
                answer = await exchanged(raw, *self._line)
        assert answer[0] == 200, answer
        return answer[1]

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()):
            raise error


async def open_all(tables: list[SeatedTable], port: int) -> list[list[Phone]]:
    """Opens a phone for every player; returns them by table, in the order of the tables."""
    groups = [[Phone(table, player, port) for player in table.cookies] for table in tables]
    at_once = asyncio.Semaphore(32)

    async def opened(phone: Phone) -> None:
        async with at_once:
            await phone.open()

    await asyncio.gather(*(opened(phone) for phones in groups for phone in phones))
    return groups
