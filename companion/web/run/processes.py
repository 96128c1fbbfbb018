"""Several processes that serve one address, on PostgreSQL: uvicorn's supervisor with our app.

The first process listens, starts the others, and replaces whichever ends; it answers nothing
itself. Each of the others opens the database on its own.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from types import FrameType
from typing import Any, Final

import uvicorn
from uvicorn.supervisors import Multiprocess

from companion.children.launch import end_with
from companion.core.refusal import Unusable
from companion.tables import Tables
from companion.tables.opening import open_tables
from companion.web.net.asgi_types import Receive, Scope, Send
from companion.web.review.readers import close_readers
from companion.web.run.asgi import LiveApp
from companion.web.run.operation import front, watching
from companion.web.run.process import Serving, allow_many_connections, end_soon, spare_loaded
from companion.web.run.quiet_log import quiet_log

_log: Final = logging.getLogger(__name__)

START_SECONDS: Final = 60.0
"""The longest that a process may take until it answers, or waits for a lost database."""
DATABASE_PAUSE: Final = 1.0
"""Pause between two attempts to open the database."""
HEALTH_SECONDS: Final = 10
"""Time without a sign of life after which a process is killed and replaced."""


def run(serving: Serving, listening: socket.socket, announce: Callable[[], object]) -> None:
    """Serves with `serving.workers` processes until it is told to stop."""
    config = _Config(serving, os.getpid())
    _Supervisor(config, [listening], announce).run()


class _Supervisor(Multiprocess):
    """Announces the app once all processes answer; a hang-up ends it as Ctrl+C does."""

    def __init__(
        self, config: uvicorn.Config, sockets: list[socket.socket], announce: Callable[[], object]
    ) -> None:
        super().__init__(config, sockets)
        self._announce: Final = announce

    def init_processes(self) -> None:
        super().init_processes()
        if all(process.wait_until_ready(START_SECONDS) for process in self.processes):
            self._announce()

    def handle_hup(self) -> None:
        self.should_exit.set()


class _Config(uvicorn.Config):
    """The settings of a process, which are sent to it; `load` makes the rest there."""

    def __init__(self, serving: Serving, parent: int) -> None:
        super().__init__(
            "companion",
            lifespan="on",
            workers=serving.workers,
            timeout_worker_healthcheck=HEALTH_SECONDS,
            **serving.config(),
        )
        self._serving: Final = serving
        self._parent: Final = parent

    def load(self) -> None:
        """Opens the database and makes the app; called in the process that serves."""
        end_with(self._parent, signal.SIGTERM)
        allow_many_connections()
        stack = ExitStack()
        operation = self._serving.operation
        stack.enter_context(quiet_log(operation.log))
        tables = stack.enter_context(_opened(self._serving))
        tables.keep_tidy(operation.keep_days)
        live = self._serving.app(tables)
        workers, names = self._serving.workers, self._serving.names
        metrics = stack.enter_context(watching(operation, tables, workers, names))
        served = front(live, operation, metrics)
        stack.callback(live.close)
        stack.callback(close_readers, live.app)
        _stop_streams_first(live)

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            await served(scope, receive, send)
            if scope["type"] == "lifespan":
                stack.close()
                end_soon()

        self.app = app
        self.http = self._serving.protocol(tables)
        super().load()
        spare_loaded()


def _opened(serving: Serving) -> closing[Tables]:
    """The tables, as a context; waits for a database that is not there at the moment."""
    before = signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a stop does not wait for it
    last = time.monotonic() + START_SECONDS
    try:
        while True:
            try:
                return closing(open_tables(serving.url, serving=True, limits=serving.limits))
            except Unusable as unusable:
                if time.monotonic() > last:
                    _log.error(unusable)
                    sys.exit(1)
                time.sleep(DATABASE_PAUSE)
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop_streams_first(live: LiveApp) -> None:
    """Ends the open streams when this process is told to stop; uvicorn would wait for them."""
    for number in (signal.SIGINT, signal.SIGTERM):
        before: Any = signal.getsignal(number)

        def stop(signal_: int, frame: FrameType | None, before: Any = before) -> None:
            live.stop()
            before(signal_, frame)

        signal.signal(number, stop)
