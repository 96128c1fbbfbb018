"""The real app as its own process: started, killed as a power cut would, and started again."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.kit.patience import LOOK, PATIENCE

HOST = "127.0.0.1"
REPOSITORY = Path(__file__).resolve().parents[3]


class DidNotStart(Exception):
    """The server ended before it answered, or never did; says what it printed."""


MANY_TABLES: Final = (
    "--set",
    "recent_tables_per_address=100000",
    "--set",
    "tables_per_address=100000",
)
"""Settings of a server that all tests of a process share, from one address."""


@dataclass
class Server:
    """`companion serve` on one port and one SQLite file in `folder`, or another database."""

    folder: Path
    port: int
    reader: str = ""
    """The module that reads its photos; its own one where there is no name."""
    database: str = ""
    """The database's URL, where it is not the file in `folder`."""
    more: tuple[str, ...] = ()
    """Further arguments."""
    shown: str = ""
    """The address in its links, where it is not its own."""
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def printed(self) -> str:
        """All that the server has written, over every start."""
        return self._log.read_text() if self._log.exists() else ""

    @property
    def _log(self) -> Path:
        return self.folder / "server.log"

    def start(self) -> None:
        """Returns when it answers. After `kill` it is the same port and database again."""
        if self.process is not None:
            raise RuntimeError("it is running already")
        command = [sys.executable, "-m", "tests.kit.servers.patient", "serve", "--host", HOST]
        database = self.database or f"sqlite:///{self.folder / 'e2e.sqlite3'}"
        command += ["--port", str(self.port), "--db", database, *MANY_TABLES, *self.more]
        environment = dict(os.environ, PYTHONWARNINGS="error")
        if self.reader:
            environment["COMPANION_TEST_READER"] = self.reader
        if self.shown:
            environment["COMPANION_TEST_ADDRESS"] = self.shown
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                cwd=REPOSITORY,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            if self._has_ended() or time.monotonic() > deadline:
                self.kill()
                raise DidNotStart(self.printed)

    def kill(self) -> None:
        """Ends it as kill -9 does: it can save nothing any more."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def stop(self) -> None:
        """Ends it as the system does, and fails when it does not end by itself."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(timeout=PATIENCE)
        finally:
            self.kill()

    def _answers(self) -> bool:
        try:
            with socket.create_connection((HOST, self.port), timeout=PATIENCE) as line:
                line.sendall(b"HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return line.recv(5) == b"HTTP/"
        except OSError:
            return False

    def _has_ended(self) -> bool:
        """Looks for an end for a moment."""
        assert self.process is not None
        try:
            self.process.wait(timeout=LOOK)
        except subprocess.TimeoutExpired:
            return False
        return True


def answers(host: str, port: int) -> bool:
    """Whether anybody listens there."""
    try:
        socket.create_connection((host, port), timeout=PATIENCE).close()
    except OSError:
        return False
    return True


def started(folder: Path, reader: str = "") -> Server:
    """A server that answers, on a port that was free."""
    server = Server(folder, free_port(), reader)
    server.start()
    return server


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
