"""The processor time of the requests that cost parsers most, beside that of fixed work."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import closing
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.report import heading, line
from companion.tables.opening import open_tables
from companion.web.app import create_app
from tests.kit.tables import party
from tests.web.test_routes import BODIES, hostile

DEAREST: Final = 3  # routes of each kind that are printed


def run() -> None:
    """Prints the dearest requests of each kind."""
    heading("hostile", "processor time of a request in units of fixed work (20 ms)", "≤ 5")
    usual = min(taken(work) for _ in range(5))
    with TemporaryDirectory() as name, closing(open_tables(f"sqlite:///{name}/app.db")) as tables:
        here = party(create_app(tables), tables, "playing")
        for kind in BODIES:
            costs = [
                (taken(lambda: here.host.ask(method, path, **more)) / usual, path)  # noqa: B023
                for method, path, more in hostile(here, kind)
            ]
            for cost, path in sorted(costs, reverse=True)[:DEAREST]:
                line(f"{kind}: {path.partition('?')[0][:40]}", f"{cost:.2f}")


def work() -> None:
    """Fixed work, about 20 ms of a small computer."""
    for _ in range(2):
        hashlib.sha256(bytes(8_000_000)).digest()
        sum(range(400_000))


def taken(request: Callable[[], object]) -> float:
    """The processor seconds of this thread."""
    started = time.thread_time()
    request()
    return time.thread_time() - started
