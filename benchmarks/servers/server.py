"""Runs a server in a process of its own, and asks the kernel what it uses."""

from __future__ import annotations

import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.report import Seconds
from benchmarks.servers.wire import HOST, Connection, Response, UnexpectedResponse, request

START_LIMIT: Final = 30.0
"""Seconds within which a server must answer its first request."""
LOOK_AGAIN: Final = 0.002
"""Seconds between two attempts to connect."""
TICKS: Final = os.sysconf("SC_CLK_TCK")
"""The kernel's clock ticks per second."""


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    port: int
    pid: int
    first: Response
    """The response to its first request."""
    started_in: Seconds
    """From the start of the process to that response."""

    def resident(self) -> int:
        """Bytes in memory now (VmRSS)."""
        return self._status("VmRSS")

    def peak(self) -> int:
        """The largest number of bytes in memory so far (VmHWM)."""
        return self._status("VmHWM")

    def cpu(self) -> Seconds:
        """Processor time used so far, in user and system mode."""
        return cpu_of(self.pid)

    def _status(self, name: str) -> int:
        for text in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if text.startswith(f"{name}:"):
                return int(text.split()[1]) * 1024
        raise LookupError(f"the kernel does not report {name}")


def database_url(database: Path | str) -> str:
    """The URL of a SQLite file, or the one that is given."""
    return database if isinstance(database, str) else f"sqlite:///{database}"


@contextmanager
def companion(database: Path | str, path: str = "/", *more: str) -> Iterator[Server]:
    """Runs `companion serve` on loopback; yields it once it has answered `path`.

    Args:
        more: further arguments.
    """
    url = database_url(database)
    command = ["companion", "serve", *more, "--host", HOST, "--db", url, "--port"]
    with _running(command, path) as server:
        yield server


def cpu_of(pid: int) -> Seconds:
    """Processor time of a process and of its ended children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def children(pid: int) -> list[int]:
    """The processes that a process has started and that run."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(text) for task in tasks for text in (task / "children").read_text().split()]


@contextmanager
def bare(database: Path) -> Iterator[Server]:
    """Runs the Flask view of `bare.py`, behind the same server, for comparison."""
    with _running(["benchmarks.servers.bare", str(database)], "/") as server:
        yield server


def allow_many_files() -> None:
    """Raises the limit on open files of this process; servers inherit it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextmanager
def _running(module: Sequence[str], path: str) -> Iterator[Server]:
    port = free_port()
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", *module, str(port)], stdout=subprocess.DEVNULL
    )
    try:
        first = first_answer(process, port, path)
        yield Server(port, process.pid, first, time.perf_counter() - began)
    finally:
        process.terminate()
        process.wait(timeout=10)


def first_answer(process: subprocess.Popen[bytes], port: int, path: str) -> Response:
    limit = time.monotonic() + START_LIMIT
    while time.monotonic() < limit and process.poll() is None:
        try:
            with Connection(port) as connection:
                return connection.ask(request("GET", path))
        except ConnectionRefusedError:
            time.sleep(LOOK_AGAIN)
    raise UnexpectedResponse("the server did not start")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
