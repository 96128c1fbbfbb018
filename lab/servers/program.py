"""A program as a process of its own: how tests and benchmarks start, kill and end servers."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from lab.patience import PATIENCE

HOST: Final = "127.0.0.1"
REPOSITORY: Final = Path(__file__).resolve().parents[2]
PATIENT: Final = "lab.servers.patient"
"""The module that runs the companion with a test's patience."""


@dataclass
class Program:
    """A Python module that runs with arguments; it may be killed, and started again."""

    module: str
    arguments: Sequence[str]
    folder: Path | None = None
    """The folder for its output, over every start; without one, its errors go to the terminal."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables added to the environment of this process."""
    process: subprocess.Popen[bytes] | None = None
    python: str = sys.executable
    place: Path = REPOSITORY

    @property
    def output(self) -> str:
        """Everything that it has written to standard output."""
        return self._written("out")

    @property
    def errors(self) -> str:
        """Everything that it has written to standard error."""
        return self._written("err")

    @property
    def program(self) -> list[str]:
        """The command that starts it, without arguments."""
        return [self.python, "-m", self.module]

    @property
    def pid(self) -> int:
        assert self.process is not None, "it was not started"
        return self.process.pid

    @property
    def has_ended(self) -> bool:
        return self.process is None or self.process.poll() is not None

    def start(self) -> None:
        if self.process is not None:
            raise RuntimeError("it is running already")
        with ExitStack() as stack:
            files: list[int | None] = [subprocess.DEVNULL, None]
            if self.folder is not None:
                self.folder.mkdir(exist_ok=True)
                names = (self.folder / name for name in ("out", "err"))
                files = [stack.enter_context(name.open("ab")).fileno() for name in names]
            self.process = subprocess.Popen(
                [*self.program, *self.arguments],
                cwd=self.place,
                env={**os.environ, **self.environment},
                stdin=subprocess.DEVNULL,
                stdout=files[0],
                stderr=files[1],
            )

    def kill(self) -> None:
        """Kills it as kill -9 does, so that it can save nothing."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self, how: signal.Signals = signal.SIGTERM) -> tuple[int, str]:
        """Ends it as the system does; the exit status and all errors that it has written."""
        assert self.process is not None, "it was not started"
        self.process.send_signal(how)
        return self.end()

    def end(self) -> tuple[int, str]:
        """Waits for its end, and fails if it does not end; returns what `stop` does."""
        assert self.process is not None, "it was not started"
        try:
            return self.process.wait(PATIENCE), self.errors
        finally:
            self.kill()

    def _written(self, name: str) -> str:
        path = (self.folder or Path()) / name
        return path.read_text("utf-8", "replace") if self.folder and path.exists() else ""


def children(pid: int) -> list[int]:
    """The processes that a process has started and that run; on Linux."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(text) for task in tasks for text in (task / "children").read_text().split()]


def command(pid: int) -> str:
    """The command line of a process; empty if it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
