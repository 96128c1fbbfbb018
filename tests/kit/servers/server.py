"""The real app as its own process: started, killed as a power cut would, and started again."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Final

from tests.kit.patience import PATIENCE
from tests.kit.servers.program import HOST, PATIENT, Program, free_port

MANY_TABLES: Final = ("--set", "tables_per_device=100000")
"""The setting of a server that all tests of a process share."""


class Server(Program):
    """`companion serve` on one port and one SQLite file in `folder`, or another database.

    Args:
        reader: the module that reads its photos; its own one where there is no name.
    """

    def __init__(
        self,
        folder: Path,
        port: int,
        reader: str = "",
        database: str = "",
        more: tuple[str, ...] = (),
    ) -> None:
        database = database or f"sqlite:///{folder / 'e2e.sqlite3'}"
        place = ("--host", HOST, "--port", str(port), "--db", database)
        self.port = port
        self.variables = {"PYTHONWARNINGS": "error"}
        if reader:
            self.variables["COMPANION_TEST_READER"] = reader
        super().__init__(PATIENT, ["serve", *place, *MANY_TABLES, *more], folder, self.variables)

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def printed(self) -> str:
        """All that the server has written, over every start."""
        return self.output + self.errors

    def start(self) -> None:
        """Returns when it answers. After `kill` it is the same port and database again."""
        super().start()
        self.wait_until(self._answers)

    def _answers(self) -> bool:
        try:
            with socket.create_connection((HOST, self.port), timeout=PATIENCE) as line:
                line.sendall(b"HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                return line.recv(5) == b"HTTP/"
        except OSError:
            return False


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
