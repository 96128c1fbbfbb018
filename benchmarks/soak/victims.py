"""The programs that a soak kills and starts again, and what the kernel says of their memory."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from benchmarks.servers.server import children
from benchmarks.servers.wire import HOST, Connection, UnexpectedResponse, request
from tests.kit.servers.postgres import Cluster

PATIENCE: Final = 120.0
"""The longest wait for a program on a busy machine."""
LOOK_AGAIN: Final = 0.05
"""Seconds between two looks at a process."""
DATABASE_GONE: Final = 2.0
"""Seconds until a database that crashed is started again."""
_STAMP: Final = re.compile(r"^\d{4}-\d\d-\d\d [\d:,]+ ")
_NUMBER: Final = re.compile(r"\b\d+\b|0x[0-9a-f]+")


@dataclass
class Program:
    """A `companion` command that runs, is killed, and runs again; its output goes to a file."""

    arguments: list[str]
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "companion", *self.arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    @property
    def pid(self) -> int:
        assert self.process is not None, "it was not started"
        return self.process.pid

    def kill(self) -> None:
        """Kills it and all that it has started; returns when none of them runs any more."""
        assert self.process is not None, "it was not started"
        pids = [self.pid, *children(self.pid)]
        for pid in pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        _wait(lambda: not any(map(runs, pids)))

    def stop(self) -> None:
        """Ends it as a system does that shuts down."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.kill()


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
        self.server.stop()
        self.reader.stop()

    def wait_for_server(self) -> None:
        def answers() -> bool:
            try:
                with Connection(self.port) as connection:
                    return connection.ask(request("GET", "/health/live")).status == 200
            except (OSError, UnexpectedResponse):
                return False

        _wait(answers)

    def workers(self) -> list[int]:
        """The processes that answer, the oldest first."""
        found = [pid for pid in children(self.server.pid) if "spawn_main" in _command(pid)]
        for pid in found:
            self.born.setdefault(pid, time.monotonic())
        return sorted(found, key=lambda pid: self.born[pid])

    def kill_worker(self) -> None:
        """The oldest of the processes that answer; returns when the server has replaced it."""
        before = self.workers()
        os.kill(before[0], signal.SIGKILL)
        _wait(lambda: len(set(self.workers()) - {before[0]}) == len(before))

    def kill_reader(self) -> None:
        self.reader.kill()
        self.reader.start()

    def kill_database(self) -> None:
        self.cluster.crash()
        time.sleep(DATABASE_GONE)
        self.cluster.go_on()

    def kill_server(self) -> None:
        self.server.kill()
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
            for text in program.log.read_text(errors="replace").splitlines():
                if _STAMP.match(text):
                    words = _NUMBER.sub("N", _STAMP.sub("", text))
                    lines[f"{program.arguments[0]}: {words}"[:150]] += 1
        return lines


def resident(pid: int) -> int:
    """Resident bytes of a process; 0 when it is gone."""
    return _kilobytes(Path(f"/proc/{pid}/status"), "VmRSS")


def runs(pid: int) -> bool:
    """Whether there is such a process, other than one that has ended."""
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def _share(pid: int) -> int:
    """Bytes of a process; those that several share are divided among them."""
    return _kilobytes(Path(f"/proc/{pid}/smaps_rollup"), "Pss")


def _kilobytes(file: Path, name: str) -> int:
    try:
        found = re.search(rf"^{name}:\s+(\d+)", file.read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def _descendants(pid: int) -> list[int]:
    try:
        own = children(pid)
    except OSError:
        return []
    return [*own, *(other for child in own for other in _descendants(child))]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def _wait(is_so: Callable[[], bool]) -> None:
    last = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > last:
            raise UnexpectedResponse("a program did not start or end")
        time.sleep(LOOK_AGAIN)


def address(port: int) -> list[str]:
    """The arguments that make a server listen there."""
    return ["--host", HOST, "--port", str(port)]
