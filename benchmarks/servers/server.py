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
        return self._kernel_bytes("VmRSS")

    def peak(self) -> int:
        """The largest number of bytes in memory so far."""
        return self._kernel_bytes("VmHWM")

    def cpu(self) -> Seconds:
        """Processor time used so far, in user and system mode, with that of ended children."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / TICKS

    def _kernel_bytes(self, name: str) -> int:
        text = Path(f"/proc/{self.pid}/status").read_text()
        found = re.search(rf"^{name}:\s+(\d+)", text, re.MULTILINE)
        return int(found[1]) * 1024 if found else 0


@contextmanager
def companion(database: Path) -> Iterator[Server]:
    """Runs `companion serve` on loopback with a SQLite file; yields it once it has answered."""
    arguments = ("serve", "--host", HOST, "--db", f"sqlite:///{database}", "--port")
    with running("companion", *arguments) as server:
        yield server


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
def running(module: str, *arguments: str) -> Iterator[Server]:
    """Runs a module that serves on the port after its arguments; see `companion`."""
    port = free_port()
    program = Program(module, [*arguments, str(port)])
    answers: list[Response] = []

    def has_answered() -> bool:
        with suppress(ConnectionRefusedError), Connection(port) as connection:
            answers.append(connection.ask(request("GET", "/")))
        return bool(answers)

    began = time.perf_counter()
    program.start()
    try:
        program.wait_until(has_answered, LOOK_AGAIN)
        yield Server(port, program.pid, answers[0], time.perf_counter() - began)
        program.stop()
    finally:
        program.kill()
