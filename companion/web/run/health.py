"""`/health/live` and `/health/ready`, for whatever starts this process or sends it requests.

They need no session and no particular host name, because they say nothing about anybody.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from companion.tables import Tables
from companion.vision.core import missing_module
from companion.web.net.asgi_types import Scope, Send
from companion.web.net.observing import note_route

PATH: Final = "/health/"
LIVE: Final = "/health/live"
READY: Final = "/health/ready"
DEADLINE_SECONDS: Final = 2.0
"""Limit of the database's answer time; a slower process gets no more requests."""
FRESH_SECONDS: Final = 1.0
"""Time for which an answer of the database is good, so that strangers' questions cost nothing."""

OK: Final = "ok"

_log: Final = logging.getLogger(__name__)


class Health:
    """Answers whether this process is alive, and whether it can do its work."""

    def __init__(self, tables: Tables) -> None:
        self._tables: Final = tables
        self._thread: Final = ThreadPoolExecutor(1, "companion-health")
        self._asked: asyncio.Future[str] | None = None
        self._asked_at = float("-inf")
        self._is_stopping = False

    def stop(self) -> None:
        """Makes the process not ready from now on; may be called from a signal handler."""
        self._is_stopping = True

    async def __call__(self, scope: Scope, send: Send) -> None:
        path: str = scope["path"]
        if path == LIVE:
            note_route(LIVE)
            await _send(send, 200, {"live": True})
        elif path == READY:
            note_route(READY)
            found = {
                "server": "stopping" if self._is_stopping else OK,
                "database": await self._database(),
                "photos": "no reader is installed" if missing_module() else OK,
            }
            is_ready = found["server"] == found["database"] == OK
            await _send(send, 200 if is_ready else 503, {"ready": is_ready, **found})
        else:
            await _send(send, 404, {})

    async def _database(self) -> str:
        """The database's answer within the deadline; questions at one time share an answer."""
        now = time.monotonic()
        if self._asked is None or (self._asked.done() and now > self._asked_at + FRESH_SECONDS):
            loop = asyncio.get_running_loop()
            self._asked_at = now
            self._asked = loop.run_in_executor(self._thread, self._look)
        try:
            async with asyncio.timeout(DEADLINE_SECONDS):
                return await asyncio.shield(self._asked)
        except TimeoutError:
            return "does not answer"

    def _look(self) -> str:
        try:
            database = self._tables.database
            if not database.is_current():
                return "was migrated by another version"
            return database.fault() or OK
        except Exception as error:
            _log.warning("the database is not ready: %s", type(error).__name__)
            return "does not answer"


async def _send(send: Send, status: int, document: object) -> None:
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(document).encode() + b"\n"})
