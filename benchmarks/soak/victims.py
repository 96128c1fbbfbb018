"""The programs that a soak kills and starts again, and what the kernel says of their memory."""

from __future__ import annotations

import os
import re
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.servers.server import kernel_bytes, resident
from benchmarks.servers.wire import Connection, UnexpectedResponse, request
from tests.kit.patience import until
from tests.kit.servers.postgres import Cluster
from tests.kit.servers.program import Program, children

DATABASE_GONE: Final = 2.0
"""Seconds until a database that crashed is started again."""
_STAMP: Final = re.compile(r"^\d{4}-\d\d-\d\d [\d:,]+ ")
_NUMBER: Final = re.compile(r"\b\d+\b|0x[0-9a-f]+")


@dataclass
class Victims:
    """The server with its processes, the reader, and the database."""

    cluster: Cluster
    server: Program
    reader: Program
    port: int
    born: dict[int, float] = field(default_factory=dict)
    """Process → the time at which it was first seen."""

    def start(self) -> None:
        """Starts all but the database; returns when the server answers."""
        self.server.start()
        self.wait_for_server()
        self.reader.start()

    def stop(self) -> None:
        for program in (self.server, self.reader):
            if not program.has_ended:
                program.stop()

    def wait_for_server(self) -> None:
        def answers() -> bool:
            try:
                with Connection(self.port) as connection:
                    return connection.ask(request("GET", "/health/live")).status == 200
            except (OSError, UnexpectedResponse):
                return False

        self.server.wait_until(answers)

    def workers(self) -> list[int]:
        """The processes that answer, the oldest first."""
        found = self.server.workers()
        for pid in found:
            self.born.setdefault(pid, time.monotonic())
        return sorted(found, key=lambda pid: self.born[pid])

    def kill_worker(self) -> None:
        """The oldest of the processes that answer; returns when the server has replaced it."""
        before = self.workers()
        os.kill(before[0], signal.SIGKILL)
        _wait(lambda: len(set(self.workers()) - {before[0]}) == len(before))

    def kill_reader(self) -> None:
        _kill(self.reader)
        self.reader.start()

    def kill_database(self) -> None:
        self.cluster.crash()
        time.sleep(DATABASE_GONE)
        self.cluster.go_on()

    def kill_server(self) -> None:
        _kill(self.server)
        self.server.start()
        self.wait_for_server()

    @property
    def kills(self) -> list[tuple[str, Callable[[], None]]]:
        """The victims, in turn."""
        return [
            ("a server process", self.kill_worker),
            ("the reader", self.kill_reader),
            ("the database", self.kill_database),
            ("the whole server", self.kill_server),
        ]

    def memory(self) -> dict[str, int]:
        """Bytes in memory: resident ones of ours, the fair share of PostgreSQL's."""
        found = {"supervisor": resident(self.server.pid)}
        for name, pid in zip(("older", "younger"), self.workers(), strict=False):
            found[f"{name} process"] = resident(pid)
        found["reader"] = resident(self.reader.pid)
        found["its eyes"] = sum(map(resident, _descendants(self.reader.pid)))
        first = int((self.cluster.data / "postmaster.pid").read_text().split()[0])
        found["PostgreSQL"] = sum(map(_share, [first, *children(first)]))
        return found

    def logged(self) -> Counter[str]:
        """The lines of both logs that begin a message, without times and numbers."""
        lines: Counter[str] = Counter()
        for program in (self.server, self.reader):
            for text in program.errors.splitlines():
                if _STAMP.match(text):
                    words = _NUMBER.sub("N", _STAMP.sub("", text))
                    lines[f"{program.arguments[0]}: {words}"[:150]] += 1
        return lines


def _kill(program: Program) -> None:
    """Kills it and all that it has started; returns when none of them runs any more."""
    pids = children(program.pid)
    program.kill()
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    _wait(lambda: not any(map(runs, pids)))


def runs(pid: int) -> bool:
    """Whether there is such a process, other than one that has ended."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def _share(pid: int) -> int:
    """Bytes of a process; those that several share are divided among them."""
    return kernel_bytes(pid, "smaps_rollup", "Pss")


def _descendants(pid: int) -> list[int]:
    try:
        own = children(pid)
    except OSError:
        return []
    return [*own, *(other for child in own for other in _descendants(child))]


def _wait(is_so: Callable[[], bool]) -> None:
    if not until(is_so):
        raise UnexpectedResponse("a program did not start or end")
