"""A server in a process of its own, and the processor time that the kernel counts for it."""

from __future__ import annotations

import os
import resource
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from benchmarks.report import Seconds
from lab.servers.process import Server, serving
from lab.servers.program import HOST

TICKS: Final = os.sysconf("SC_CLK_TCK")  # the kernel's clock ticks per second


def companion(database: Path) -> AbstractContextManager[Server]:
    """Runs `companion serve` on loopback with a SQLite file; it is there once it answers."""
    return serving("--host", HOST, "--db", f"sqlite:///{database}")


def cpu(server: Server) -> Seconds:
    """Processor time used so far, in user and system mode, with that of ended children."""
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def allow_many_files() -> None:
    """Raises the limit on open files of this process; servers inherit it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
