"""The streams of a table: after each change, its page is drawn for all of their phones at once."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import Executor
from typing import Final

from flask import Flask
from sqlalchemy.exc import OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from companion.tables import Refused, Tables
from companion.tables.ledger.rights import Audience
from companion.tables.play.views import table_seen_by
from companion.web.page.language import speaking
from companion.web.table.page_parts import Snapshot, drawings

RETRY_SECONDS: Final = 2.0  # Pause of a table's streams while the database does not answer

# Exceptions while the database does not answer
NO_DATABASE: Final = (OperationalError, PoolTimeout)

_log: Final = logging.getLogger(__name__)


class NoLongerMember(Exception):
    """A device is not at the table any more, or was signed out."""


class Listener(asyncio.Event):
    """An open stream, with the newest page for its phone. It rings when there is news to send."""

    def __init__(self, device: str, language: str) -> None:
        super().__init__()
        self.device: Final = device  # the hash of the device's token
        self.language: Final = language
        self.latest: Snapshot | None = None
        self.error: BaseException | None = None  # why the stream ends

    def ring(self, _: object = None) -> None:
        """Rings; called in the event loop."""
        self.set()

    def end(self, error: BaseException) -> None:
        """Ends the stream; called in the event loop."""
        self.error = error
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


class TableStreams:
    """The streams of one table in this process, whose pages are drawn together."""

    def __init__(self, app: Flask, tables: Tables, table_id: str, threads: Executor) -> None:
        self._app: Final = app
        self._tables: Final = tables
        self._table_id: Final = table_id
        self._threads: Final = threads
        self._listeners: Final[dict[Listener, None]] = {}
        self._audience: Audience | None = None  # the state and members at the last refresh
        self._announced = 0  # the newest version that came over the bus
        self._is_wanted = False
        self._refreshing: asyncio.Task[None] | None = None
        self._loop: Final = asyncio.get_running_loop()
        self._unsubscribe: Final = tables.bus.subscribe(table_id, self._changed)

    def enter(self, listener: Listener) -> None:
        """Adds a stream, and draws the page that it begins with."""
        self._listeners[listener] = None
        self.refresh()

    def leave(self, listener: Listener) -> bool:
        """Removes a stream; returns whether none is left: then this must not be used any more."""
        del self._listeners[listener]
        if self._listeners:
            return False
        self._unsubscribe()
        if self._refreshing is not None:
            self._refreshing.cancel()
        return True

    def _changed(self, version: int) -> None:
        self._loop.call_soon_threadsafe(self._refresh_for, version)

    def _refresh_for(self, version: int) -> None:
        self._announced = max(self._announced, version)
        self.refresh()

    def refresh(self) -> None:
        """Redraws all pages, once for all requests that come before the drawing begins."""
        self._is_wanted = True
        if self._refreshing is None:
            self._refreshing = asyncio.create_task(self._refresh_until_done())

    async def _refresh_until_done(self) -> None:
        try:
            while self._is_wanted and self._listeners:
                self._is_wanted = False
                listeners = tuple(self._listeners)
                try:
                    await self._loop.run_in_executor(self._threads, self._draw, listeners)
                except NO_DATABASE as error:
                    # Those that have just come are notified; the others wait.
                    for listener in listeners:
                        if listener.latest is None:
                            listener.end(error)
                    await asyncio.sleep(RETRY_SECONDS)
                    self._is_wanted = True
                except Exception as error:
                    if not isinstance(error, Refused):
                        _log.exception("a table cannot be drawn for its streams")
                    for listener in listeners:
                        listener.end(error)
                else:
                    for listener in listeners:
                        listener.ring()
        finally:
            self._refreshing = None

    def _draw(self, listeners: tuple[Listener, ...]) -> None:
        """Gives each listener what its phone should show; runs in a thread."""
        # The device of a new stream may have joined through another process a moment ago.
        known = None if any(phone.latest is None for phone in listeners) else self._audience
        audience = self._audience = self._tables.audience(self._table_id, known, self._announced)
        for language in {listener.language for listener in listeners}:
            with speaking(self._app, language):
                for listener in listeners:
                    if listener.language == language:
                        self._draw_for(listener, audience)

    def _draw_for(self, listener: Listener, audience: Audience) -> None:
        table = table_seen_by(audience, listener.device, self._tables.now())
        if table is None:
            listener.error = NoLongerMember()
            return
        self._tables.presence.mark_online(listener.device)
        if listener.latest is None or listener.latest.version <= table.version:
            listener.latest = drawings().snapshot(table, listener.latest)
