"""Runs a server in a process of its own, and asks the kernel for its processor time."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Final

from benchmarks.report import Seconds
from benchmarks.servers.wire import HOST
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

    def cpu(self) -> Seconds:
        """Processor time used so far, in user and system mode, with that of ended children."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / TICKS


def allow_many_files() -> None:
    """Raises the limit on open files of this process; servers inherit it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextmanager
def companion(database: Path) -> Iterator[Server]:
    """Runs `companion serve` on loopback with a SQLite file; yields it once it has answered."""
    port = free_port()
    where = ["--host", HOST, "--port", str(port), "--db", f"sqlite:///{database}"]
    program = Program("companion", ["serve", *where])

    def has_answered() -> bool:
        with suppress(ConnectionRefusedError), closing(HTTPConnection(HOST, port)) as connection:
            connection.request("GET", "/")
            return connection.getresponse().status == 200
        return False

    program.start()
    try:
        program.wait_until(has_answered, LOOK_AGAIN)
        yield Server(port, program.pid)
        program.stop()
    finally:
        program.kill()
