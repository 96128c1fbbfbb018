"""The messages to the phones at a table: one look per change, and each text made once for all.

A message says which parts of a page changed, what they are now, and the hashes of all parts, by
which the page sees whether it has missed anything. `static/js/table/parts.js` applies it.
"""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import Iterable, Set
from concurrent.futures import Executor
from typing import Final, TypeAlias

from flask import Flask
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from companion.tables import Refused, Tables
from companion.tables.ledger.rights import Audience
from companion.tables.play.views import table_seen_by
from companion.web.page.language import speaking
from companion.web.table.parts import Drawings, Part, Snapshot

RETRY_SECONDS: Final = 2.0
"""Pause of a table's streams while the database does not answer."""
LEVEL: Final = 5
"""The level at which messages are deflated."""
WINDOW_BITS: Final = 12
"""The window of 4 kB in which deflate looks for repetitions. Preparing the usual 32 kB takes four
times as long as deflating a usual block, and saves nothing."""
MEMORY_LEVEL: Final = 5
"""zlib's memory for deflating that goes with the window."""

NO_DATABASE: Final = (OperationalError, PoolTimeout)
"""Exceptions while the database does not answer."""

_log: Final = logging.getLogger(__name__)


class Block:
    """A piece of a stream's text, deflated once for all streams that send it."""

    __slots__ = ("_packed", "text")

    def __init__(self, text: str) -> None:
        self.text: Final = text.encode()
        self._packed: bytes | None = None

    @property
    def packed(self) -> bytes:
        """The text as raw deflate that refers to nothing before it, so that it fits anywhere."""
        if self._packed is None:
            deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -WINDOW_BITS, MEMORY_LEVEL)
            self._packed = deflate.compress(self.text) + deflate.flush(zlib.Z_FULL_FLUSH)
        return self._packed


Message: TypeAlias = tuple[Block, ...]
_Made: TypeAlias = tuple[Snapshot, Snapshot, Message]
"""A message, after what a phone shows before and after it."""


class Bell(asyncio.Event):
    """Rings when a stream has to look again."""

    def ring(self, _: object = None) -> None:
        """Rings; called in the event loop."""
        self.set()

    def end(self) -> None:
        """Rings for the last time; called in the event loop."""
        self.set()

    async def rings(self, seconds: float) -> bool:
        """Whether it rings within `seconds`, or has rung since it was asked last."""
        try:
            async with asyncio.timeout(seconds):
                return await self.wait()
        except TimeoutError:
            return False
        finally:
            self.clear()


class Listener(Bell):
    """An open stream, with the page that its phone shows by now, and the newest one."""

    def __init__(self, device: str, language: str) -> None:
        super().__init__()
        self.device: Final = device
        """The hash of the device's token."""
        self.language: Final = language
        self.shown: Snapshot | None = None
        """The snapshot that was sent last."""
        self.latest: Snapshot | None = None
        self.error: BaseException | None = None
        """The reason for which the stream ends."""

    def end(self) -> None:
        """Ends the stream; called in the event loop."""
        self.error = Gone()
        super().end()


class TableStreams:
    """The streams of one table in this process, which share each look at it."""

    def __init__(
        self, app: Flask, tables: Tables, drawings: Drawings, table_id: str, threads: Executor
    ) -> None:
        self._app: Final = app
        self._tables: Final = tables
        self._drawings: Final = drawings
        self._table_id: Final = table_id
        self._threads: Final = threads
        self._listeners: Final[dict[Listener, None]] = {}
        self._messages: tuple[_Made, ...] = ()
        self._audience: Audience | None = None
        """The answer of the last look."""
        self._announced = 0
        """The newest version that came over the bus."""
        self._is_wanted = False
        self._looking: asyncio.Task[None] | None = None
        self._loop: Final = asyncio.get_running_loop()
        self._unsubscribe: Final = tables.bus.subscribe(table_id, self._changed)

    def enter(self, listener: Listener) -> None:
        """Adds a stream, and looks at the table so that it gets a first message."""
        self._listeners[listener] = None
        self.look()

    def leave(self, listener: Listener) -> bool:
        """Removes a stream; returns whether none is left, and this must not be used any more."""
        del self._listeners[listener]
        if self._listeners:
            return False
        self._unsubscribe()
        if self._looking is not None:
            self._looking.cancel()
        return True

    def message(self, before: Snapshot, after: Snapshot) -> Message:
        """The message for a phone that shows `before`."""
        for was, will_be, message in self._messages:
            if was is before and will_be is after:
                return message
        return _message(before, after, set(), {})

    def _changed(self, version: int) -> None:
        self._loop.call_soon_threadsafe(self._look_for, version)

    def _look_for(self, version: int) -> None:
        self._announced = max(self._announced, version)
        self.look()

    def look(self) -> None:
        """Looks at the table, once for all that is asked until the look begins."""
        self._is_wanted = True
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_until_done())

    async def _look_until_done(self) -> None:
        try:
            while self._is_wanted and self._listeners:
                self._is_wanted = False
                listeners = tuple(self._listeners)
                try:
                    await self._loop.run_in_executor(self._threads, self._look, listeners)
                except NO_DATABASE as error:
                    # Those that have just come hear of it; the others wait.
                    _end((phone for phone in listeners if phone.shown is None), error)
                    await asyncio.sleep(RETRY_SECONDS)
                    self._is_wanted = True
                except Refused as refused:
                    _end(listeners, refused)
                except Exception as error:
                    _log.exception("a table cannot be drawn for its streams")
                    _end(listeners, error)
                else:
                    for listener in listeners:
                        listener.ring()
        finally:
            self._looking = None

    def _look(self, listeners: tuple[Listener, ...]) -> None:
        """Gives each listener what its phone should show; runs in a thread."""
        # The device of a new stream may have come through another process, and nobody has told yet.
        known = None if any(phone.latest is None for phone in listeners) else self._audience
        audience = self._audience = self._tables.audience(self._table_id, known, self._announced)
        blocks: dict[object, Block] = {}
        messages: list[_Made] = []
        for language in {listener.language for listener in listeners}:
            speakers = [phone for phone in listeners if phone.language == language]
            snapshots: list[tuple[Listener, Snapshot]] = []
            with speaking(self._app, language):
                for listener in speakers:
                    table = table_seen_by(audience, listener.device)
                    if table is None:
                        listener.error = Gone()
                    else:
                        snapshots.append((listener, self._drawings.snapshot(table)))
            seen = [{part.entry for part in after.parts.values()} for _, after in snapshots]
            common = set[str]().union(*seen[:1]).intersection(*seen)
            for listener, after in snapshots:
                before = listener.latest
                if before is not None and before.version != after.version:
                    messages.append((before, after, _message(before, after, common, blocks)))
                if before is None or before.version <= after.version:
                    listener.latest = after
        self._messages = tuple(messages)


class Gone(Exception):
    """A device is not at the table any more, or was signed out."""


def _end(listeners: Iterable[Listener], error: BaseException) -> None:
    for listener in listeners:
        listener.error = error
        listener.ring()


def opening(snapshot: Snapshot, retry: int) -> Message:
    """The first message of a stream, by whose hashes a phone sees whether it is up to date."""
    text = f"retry: {retry}\ndata: {snapshot.version}\n\n"
    return (Block(f"{text}event: parts\ndata: {snapshot.header()}\n\n"),)


def sign_of_life(snapshot: Snapshot) -> Message:
    """The version, for a phone that has missed it."""
    return (Block(f"data: {snapshot.version}\n\n"),)


_Blocks: TypeAlias = dict[object, Block]
"""The blocks made for one look, by what stands in them."""


def _message(before: Snapshot, after: Snapshot, common: Set[str], blocks: _Blocks) -> Message:
    """The changes as blocks: what all phones are sent, and what this one is sent besides.

    Args:
        common: the entries of the parts that all phones see.
    """
    changes = after.changes(before) if before.shape == after.shape else []
    shared = [pair for pair in changes if pair[1].entry in common]
    own = [pair for pair in changes if pair[1].entry not in common]
    return (
        _block("event: parts\n", shared, "", blocks),
        _block("", own, f"data: {after.header()}\n\n", blocks),
    )


def _block(start: str, changes: list[tuple[Part | None, Part]], end: str, blocks: _Blocks) -> Block:
    hashes = tuple((before and before.hash, after.hash) for before, after in changes)
    key = (start, end, hashes)
    if key not in blocks:
        lines = "".join(f"data: {after.change(before)}\n" for before, after in changes)
        blocks[key] = Block(f"{start}{lines}{end}")
    return blocks[key]


class Writer:
    """Writes a stream's blocks, packed where the phone takes gzip."""

    HEAD: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
    """The header of a gzip file without a name or a time."""
    END: Final = b"\x03\x00"
    """An empty last block of deflate."""

    def __init__(self, is_packed: bool) -> None:
        self.is_packed: Final = is_packed
        self._began = False
        self._sum = 0
        self._size = 0

    def write(self, message: Message) -> bytes:
        """The bytes of a message."""
        if not self.is_packed:
            return b"".join(block.text for block in message)
        for block in message:
            self._sum = zlib.crc32(block.text, self._sum)
            self._size += len(block.text)
        packed = b"".join(block.packed for block in message)
        if not self._began:
            self._began = True
            packed = self.HEAD + packed
        return packed

    def end(self) -> bytes:
        """The bytes that make the stream a whole gzip file."""
        if not self.is_packed:
            return b""
        head = b"" if self._began else self.HEAD
        size = (self._size & 0xFFFFFFFF).to_bytes(4, "little")
        return head + self.END + self._sum.to_bytes(4, "little") + size
