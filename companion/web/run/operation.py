"""An operator's choices: proxies, log, metrics, tidying and limits."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.core.refusal import Unusable
from companion.limits import USUAL as LIMITS
from companion.limits import Limits
from companion.tables import Tables
from companion.tables.upkeep.schedule import Schedule
from companion.tables.upkeep.tidying import USUAL_KEEP_DAYS
from companion.web.net.asgi_types import AsgiApp
from companion.web.net.metrics import Metrics
from companion.web.net.observing import Observed, Observer, log_request
from companion.web.net.proxies import NO_PROXIES, BehindProxies, Proxies
from companion.web.review.readers import observe_photos
from companion.web.run.asgi import LiveApp
from companion.web.run.quiet_log import JSON, TEXT


@dataclass(frozen=True, slots=True)
class Https:
    """The choices for https of the app's own, beside its http."""

    port: int
    chain: Path | None = None
    """The file of the user's own certificate; with None one is made for the home network."""
    key: Path | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """The options of `companion serve` beyond its address and database."""

    proxies: Proxies = NO_PROXIES
    log: str = TEXT
    metrics: tuple[str, int] | None = None
    """The address for Prometheus, if there is one. Further processes take the ports after it."""
    keep_days: int = USUAL_KEEP_DAYS
    """Days after which unused things are deleted; 0 keeps everything."""
    may_migrate: bool = False
    """Whether an older PostgreSQL database is migrated; a SQLite one always is, after a copy."""
    limits: Limits = LIMITS
    https: Https | None = None
    backups: Schedule | None = None


USUAL: Final = Operation()


def front(live: LiveApp, operation: Operation, metrics: Metrics | None = None) -> AsgiApp:
    """The app as uvicorn serves it: observed, and behind the operator's proxies."""
    observers: list[Observer] = [log_request] if operation.log == JSON else []
    if metrics is not None:
        observers.append(metrics.request)
        observe_photos(live.app, metrics)
        metrics.watch_streams(lambda: live.streams.open_count)
    return Observed(BehindProxies(live, operation.proxies), operation.proxies, observers)


@contextmanager
def watching(
    operation: Operation, tables: Tables, workers: int, names: Collection[str]
) -> Iterator[Metrics | None]:
    """Serves a process's metrics meanwhile, where they are asked for.

    Args:
        names: the app's own hosts; see `guard.own_names`.
        workers: processes that serve; each takes a port, and so does the one that starts them.
    """
    if operation.metrics is None:
        yield None
        return
    metrics = Metrics()
    metrics.watch_database(tables.database.engine)
    host, port = operation.metrics
    with metrics.served(host, port, workers + 1 if workers > 1 else 1, names):
        yield metrics


def parse_address(text: str) -> tuple[str, int]:
    """A port, or an address and a port, as `9100` or `[::1]:9100`; this computer if not said."""
    host, _, port = text.rpartition(":")
    if not port.isascii() or not port.isdigit() or not 0 < int(port) <= 65535:
        raise Unusable(f"“{text}” is no address for metrics; one looks like 9100 or 10.0.0.5:9100.")
    return host.strip("[]") or "127.0.0.1", int(port)
