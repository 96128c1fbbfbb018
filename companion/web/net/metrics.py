"""Figures for Prometheus, on an address of their own: `companion serve --metrics`.

Labels are routes, refusal codes and kinds of statements: never names, ids or addresses.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, cast

import sqlalchemy as sa
from sqlalchemy.engine import Engine
from sqlalchemy.pool import QueuePool

from companion import __version__
from companion.core.refusal import Unusable, missing_package
from companion.web.net.guard import NOT_OURS, is_own
from companion.web.net.observing import RequestOutcome

TAPS: Final = "/t/<table_id>/taps"
STREAMS: Final = "/live/<ticket>"
"""Routes of requests that are counted on their own."""
QUICK: Final = (0.002, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 3.0, 10.0)
"""Upper bounds in seconds of the classes of answers and statements."""
SLOW: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 15.0, 45.0)
"""The same for photos."""
STATEMENTS: Final = frozenset({"begin", "select", "insert", "update", "delete", "commit"})


class Metrics:
    """The figures of one process. Prometheus adds up those of several."""

    def __init__(self) -> None:
        """Needs the package `prometheus-client`; raises `Unusable` where it is missing."""
        try:
            import prometheus_client as prometheus
        except ModuleNotFoundError as missing:
            raise missing_package("--metrics", "prometheus_client", "metrics") from missing
        self.registry: Final = prometheus.CollectorRegistry()
        prometheus.ProcessCollector(registry=self.registry)
        prometheus.PlatformCollector(registry=self.registry)
        counter = partial(prometheus.Counter, registry=self.registry)
        gauge = partial(prometheus.Gauge, registry=self.registry)
        histogram = partial(prometheus.Histogram, registry=self.registry)
        program = prometheus.Info("companion", "The program.", registry=self.registry)
        program.info({"version": __version__})
        self._taps: Final = counter("companion_taps", "Taps that were saved, or had been before.")
        self._refusals: Final = counter(
            "companion_refusals", "Requests that were refused.", ["code"]
        )
        self._requests: Final = histogram(
            "companion_request_seconds",
            "Time until an answer's last byte; without live streams.",
            ["method", "route", "status"],
            buckets=QUICK,
        )
        self._statements: Final = histogram(
            "companion_database_seconds",
            "Time until the database has answered a statement.",
            ["statement"],
            buckets=QUICK,
        )
        self._photos: Final = histogram(
            "companion_photo_seconds",
            "Time in which a photo was read, without its time in the queue.",
            ["outcome"],
            buckets=SLOW,
        )
        self._streams: Final = gauge("companion_streams", "Live streams that are open.")
        self._queue: Final = gauge(
            "companion_photos", "Photos that wait for a reader, and that are being read.", ["state"]
        )
        self._readers: Final = gauge("companion_readers", "Readers of photos that could read one.")
        self._connections: Final = gauge(
            "companion_pool", "Connections to the database.", ["state"]
        )
        self._backup: Final = gauge(
            "companion_backup_time_seconds", "Time of the newest backup of its own."
        )

    def backup(self, at: float) -> None:
        """Takes over the time of a new backup."""
        self._backup.set(at)

    def request(self, outcome: RequestOutcome) -> None:
        """Counts a request that has been answered."""
        if outcome.status >= 400:
            self._refusals.labels(outcome.code or f"http-{outcome.status}").inc()
        if outcome.route == STREAMS:
            return
        if outcome.route == TAPS and outcome.status == 200:
            self._taps.inc()
        status = f"{outcome.status // 100}xx"
        self._requests.labels(outcome.known_method, outcome.route, status).observe(outcome.seconds)

    def photo(self, outcome: str, seconds: float) -> None:
        """Counts a photo that has been read, or could not be."""
        self._photos.labels(outcome).observe(seconds)

    def watch_streams(self, count: Callable[[], float]) -> None:
        """Takes over the function that says how many streams are open; a scrape asks it."""
        self._streams.set_function(count)

    def watch_photos(
        self,
        waiting: Callable[[], float],
        reading: Callable[[], float],
        readers: Callable[[], float],
    ) -> None:
        """Takes over functions: how many photos wait and are being read, and who reads."""
        self._readers.set_function(readers)
        self._queue.labels("waiting").set_function(waiting)
        self._queue.labels("reading").set_function(reading)

    def watch_database(self, engine: Engine) -> None:
        """Measures every statement and commit of an engine, and counts its connections."""
        pool = cast(QueuePool, engine.pool)
        self._connections.labels("open").set_function(lambda: pool.checkedin() + pool.checkedout())
        self._connections.labels("used").set_function(pool.checkedout)

        def before(
            _connection: object, _cursor: object, _text: object, _values: object,
            context: Any, _many: object,
        ) -> None:  # fmt: skip
            context.companion_began = time.perf_counter()

        def after(
            _connection: object, _cursor: object, text: str, _values: object,
            context: Any, _many: object,
        ) -> None:  # fmt: skip
            self._statement(text, time.perf_counter() - context.companion_began)

        sa.event.listen(engine, "before_cursor_execute", before)
        sa.event.listen(engine, "after_cursor_execute", after)
        commit = engine.dialect.do_commit

        def timed(connection: Any) -> None:
            began = time.perf_counter()
            commit(connection)
            self._statement("commit", time.perf_counter() - began)

        engine.dialect.do_commit = timed  # type: ignore[method-assign, assignment]

    def _statement(self, text: str, seconds: float) -> None:
        kind = text[:10].lstrip().partition(" ")[0].lower()
        self._statements.labels(kind if kind in STATEMENTS else "other").observe(seconds)

    @contextmanager
    def served(
        self, host: str, port: int, ports: int = 1, names: Collection[str] = ()
    ) -> Iterator[None]:
        """Answers `/metrics` at this address meanwhile; raises `Unusable` when it cannot.

        Args:
            names: the hosts by which it may be asked for, beside all addresses.
            ports: how many ports may be tried, from `port` on: several processes have one each.
        """
        import prometheus_client as prometheus

        for number in range(port, port + ports):
            try:
                server, thread = prometheus.start_http_server(number, host, self.registry)
                break
            except (OSError, OverflowError) as error:
                last = error
        else:
            reason = getattr(last, "strerror", None) or str(last)
            raise Unusable(
                f"Metrics cannot be served at port {port} of {host}: {reason}."
            ) from last
        server.set_app(_guarded(server.get_app(), names))
        try:
            yield
        finally:
            server.shutdown()
            server.server_close()
            thread.join(timeout=2)


def _guarded(app: Any, names: Collection[str]) -> Callable[..., Iterable[bytes]]:
    """A WSGI app that answers under its own hosts alone, as the pages do."""

    def guarded(environ: dict[str, Any], start: Callable[..., object]) -> Iterable[bytes]:
        if is_own(environ.get("HTTP_HOST", ""), names):
            return cast(Iterable[bytes], app(environ, start))
        start("421 Misdirected Request", [("Content-Type", "text/plain; charset=utf-8")])
        return [NOT_OURS.encode()]

    return guarded
