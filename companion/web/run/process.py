"""The settings of a serving process, whether it is the only one or one of several."""

from __future__ import annotations

import gc
from dataclasses import dataclass
from typing import Any, Final

from companion.tables import Tables
from companion.vision.worker.pool import AT_ONCE
from companion.web.app import create_app
from companion.web.net.connections import capacity, protocol
from companion.web.net.uploads import MAX_UPLOADING_BYTES
from companion.web.run.asgi import LiveApp
from companion.web.run.operation import USUAL, Operation

KEEP_ALIVE: Final = 30
"""Seconds for which a phone's idle connection stays open between two taps."""
SHUTDOWN_SECONDS: Final = 3
"""Seconds that running requests get to be answered when the server stops."""
BACKLOG: Final = 128
"""Limit of the connections that wait to be accepted."""
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
    """Proxies, log, metrics and tidying."""

    def app(self, tables: Tables) -> LiveApp:
        """The app for open tables; the caller closes both."""
        app = create_app(tables)
        app.config["LAN_ADDRESS"] = self.address
        app.config["READERS"] = self.readers
        return LiveApp(
            app,
            tables,
            self.names,
            most_streams=capacity() * 3 // 4,
            most_uploading_bytes=MAX_UPLOADING_BYTES // self.workers,
        )

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

    def protocol(self) -> Any:
        """The class of a process's connections."""
        return protocol(capacity(), self.operation.proxies)


def spare_loaded() -> None:
    """Exempts from garbage collection what was loaded before the first request.

    Otherwise a full collection looks through 200,000 objects, for which all taps wait 0.15 s, and
    collections take a tenth of the processor time of a tap.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])
