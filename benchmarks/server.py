"""A server in a process of its own, and what the kernel says that it uses."""

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
from benchmarks.wire import HOST, Answer, Connection, Failed, request

START_LIMIT: Final = 30.0
"""Seconds until a server must have answered."""
LOOK_AGAIN: Final = 0.002
TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Server:
    port: int
    pid: int
    first: Answer
    """The first page that it answered."""
    started_in: Seconds
    """From the process's start to that answer."""

    def resident(self) -> int:
        """Bytes in memory now (VmRSS)."""
        return self._status("VmRSS")

    def peak(self) -> int:
        """The most bytes that were ever in memory (VmHWM)."""
        return self._status("VmHWM")

    def cpu(self) -> Seconds:
        """Processor time used so far, in user and system mode."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def _status(self, name: str) -> int:
        for text in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if text.startswith(f"{name}:"):
                return int(text.split()[1]) * 1024
        raise Failed(f"the kernel does not say {name}")


@contextmanager
def companion(database: Path, path: str = "/") -> Iterator[Server]:
    """`companion serve` on loopback; up once it has answered `path`."""
    url = f"sqlite:///{database}"
    with _running(["companion", "serve", "--host", HOST, "--db", url, "--port"], path) as server:
        yield server


@contextmanager
def bare(database: Path) -> Iterator[Server]:
    """The view to compare with, behind the same server; see `bare.py`."""
    with _running(["benchmarks.bare", str(database)], "/") as server:
        yield server


def allow_many_files() -> None:
    """Raises this process's limit of open files; servers inherit it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


@contextmanager
def _running(module: Sequence[str], path: str) -> Iterator[Server]:
    port = _free_port()
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", *module, str(port)], stdout=subprocess.DEVNULL
    )
    try:
        first = _first_answer(process, port, path)
        yield Server(port, process.pid, first, time.perf_counter() - began)
    finally:
        process.terminate()
        process.wait(timeout=10)


def _first_answer(process: subprocess.Popen[bytes], port: int, path: str) -> Answer:
    limit = time.monotonic() + START_LIMIT
    while time.monotonic() < limit and process.poll() is None:
        try:
            with Connection(port) as connection:
                return connection.ask(request("GET", path))
        except ConnectionRefusedError:
            time.sleep(LOOK_AGAIN)
    raise Failed("the server did not start")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
