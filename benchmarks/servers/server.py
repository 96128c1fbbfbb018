"""Runs a server in a process of its own, and asks the kernel what it uses."""

from __future__ import annotations

import os
import re
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.report import Seconds
from benchmarks.servers.wire import HOST, Connection, Response, request
from tests.kit.servers.program import Program, free_port

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
        """Bytes in memory now."""
        return resident(self.pid)

    def peak(self) -> int:
        """The largest number of bytes in memory so far."""
        return kernel_bytes(self.pid, "status", "VmHWM")

    def cpu(self) -> Seconds:
        """Processor time used so far, in user and system mode."""
        return cpu_of(self.pid)


def resident(pid: int) -> int:
    """Resident bytes of a process; 0 when it is gone."""
    return kernel_bytes(pid, "status", "VmRSS")


def kernel_bytes(pid: int, file: str, name: str) -> int:
    """A figure in kilobytes from one of the kernel's files about a process, in bytes."""
    try:
        text = Path(f"/proc/{pid}/{file}").read_text()
    except OSError:
        return 0
    found = re.search(rf"^{name}:\s+(\d+)", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


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
    arguments = ("serve", *more, "--host", HOST, "--db", url, "--port")
    with running("companion", *arguments, path=path) as server:
        yield server


def cpu_of(pid: int) -> Seconds:
    """Processor time of a process and of its ended children."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


@contextmanager
def bare(database: Path) -> Iterator[Server]:
    """Runs the Flask view of `bare.py`, behind the same server, for comparison."""
    with running("benchmarks.servers.bare", str(database)) as server:
        yield server


def allow_many_files() -> None:
    """Raises the limit on open files of this process; servers inherit it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextmanager
def running(module: str, *arguments: str, path: str = "/") -> Iterator[Server]:
    """Runs a module that serves on the port after its arguments; see `companion`."""
    port = free_port()
    program = Program(module, [*arguments, str(port)])
    answers: list[Response] = []

    def has_answered() -> bool:
        with suppress(ConnectionRefusedError), Connection(port) as connection:
            answers.append(connection.ask(request("GET", path)))
        return bool(answers)

    began = time.perf_counter()
    program.start()
    try:
        program.wait_until(has_answered, LOOK_AGAIN)
        yield Server(port, program.pid, answers[0], time.perf_counter() - began)
        program.stop()
    finally:
        program.kill()
