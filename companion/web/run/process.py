"""A process that serves, whether it is the only one or one of several: settings, start and end."""

from __future__ import annotations

import gc
import os
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from companion.limits import Limits
from companion.tables import Tables
from companion.vision.worker.pool import AT_ONCE
from companion.web.app import create_app
from companion.web.net.connections import Connection, capacity
from companion.web.run.asgi import LiveApp
from companion.web.run.operation import USUAL, Operation

KEEP_ALIVE: Final = 30
"""Seconds for which a phone's idle connection stays open between two taps."""
SHUTDOWN_SECONDS: Final = 3
"""Seconds that running requests get to be answered when the server stops."""
BACKLOG: Final = 128
"""Limit of the connections that wait to be accepted, and of those that are accepted at once.

A new one needs its descriptor before another can be closed for it; see `spare_descriptors`.
"""
THREAD_SECONDS: Final = 0.5
"""Seconds in which threads have to end."""
YOUNG_OBJECTS: Final = 10_000
"""New objects after which the garbage collector looks through them; a tap leaves about 300."""


@dataclass(frozen=True)
class Serving:
    """The settings, which are handed to other processes and so are plain values only."""

    url: str
    """The database's address."""
    address: str
    """The app's own address, as phones open it."""
    names: frozenset[str]
    """The hosts by which browsers may ask for the app; see `guard.own_names`."""
    workers: int = 1
    """Processes that serve on this machine. They share its disk."""
    readers: int = AT_ONCE
    """Photos that are read at a time, where the app reads them itself."""

    operation: Operation = USUAL
    """Proxies, log, metrics, tidying and limits."""

    def app(self, tables: Tables) -> LiveApp:
        """The app for open tables; the caller closes both."""
        app = create_app(tables)
        app.config["LAN_ADDRESS"] = self.address
        app.config["READERS"] = self.readers
        return LiveApp(app, tables, self.names, https_only=self.operation.https is None)

    def config(self) -> dict[str, Any]:
        """Uvicorn's settings, except for the app and its protocol."""
        return {
            "backlog": BACKLOG,
            "log_config": None,
            "log_level": "warning",
            "access_log": False,
            "timeout_keep_alive": KEEP_ALIVE,
            "timeout_graceful_shutdown": SHUTDOWN_SECONDS,
            "server_header": False,
            "proxy_headers": False,  # `proxies` believes those that the operator names
        }

    def protocol(self, tables: Tables) -> Any:
        """The connections of a process; called as uvicorn calls a class."""
        return partial(Connection, tables.limiter, self.operation.proxies)

    @property
    def limits(self) -> Limits:
        """The operator's limits, as far as this process and its share of the machine allow."""
        limits = self.operation.limits
        most = capacity(limits)
        return replace(
            limits,
            connections=most,
            streams=min(limits.streams, most * 3 // 4),
            uploading_bytes=limits.uploading_bytes // self.workers,
        )


def spare_loaded() -> None:
    """Exempts from garbage collection what was loaded before the first request.

    Otherwise a full collection looks through 200,000 objects, for which all taps wait 0.15 s, and
    collections take a tenth of the processor time of a tap.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])


def allow_many_connections() -> None:
    """Raises the soft limit of open files to the hard one, where the system has limits."""
    try:
        import resource
    except ImportError:  # Windows
        return
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def end_soon() -> None:
    """Ends the process soon, where a thread is still busy with a PDF or a silent database.

    Python would wait for it. Its client has had an answer, and the database is closed.
    """
    timer = threading.Timer(THREAD_SECONDS, _end)
    timer.daemon = True  # it ends with the process, if that is sooner
    timer.start()


def _end() -> None:
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, OSError, ValueError):
            stream.flush()
    os._exit(0)
