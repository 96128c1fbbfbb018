"""A server with few descriptors, and requests to it from several addresses of this machine."""

from __future__ import annotations

import http.client
import json
import re
import resource
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from benchmarks.games import correctable_game
from benchmarks.servers.server import resident
from companion.tables.ledger.names import SEAT_COLORS
from tests.kit.servers.program import Program, free_port

DESCRIPTORS = 1024
HONEST = "127.0.0.2"
ATTACKER = "127.0.0.66"
"""Another address of this machine: limits by address must not hit the honest phone."""
ON_THE_WAY = 0.003
"""Seconds between the head of a request and its body."""
FORM = {"Content_Type": "application/x-www-form-urlencoded"}
GAME, FIRST_ACTION = correctable_game()
TIMEOUT = 40.0


@dataclass
class Target:
    """A running server, with a table at which Tim and Sarah play."""

    port: int
    folder: Path
    program: Program
    path: str = ""
    cookie: str = ""
    stream: str = ""

    def ask(
        self, method: str, path: str, body: str = "", source: str = HONEST, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, str]:
        """The answer to a request; its body goes in a packet of its own, as browsers send it."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=TIMEOUT, source_address=(source, 0)
        )
        try:
            connection.putrequest(method, path)
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            if body:
                connection.putheader("Content-Length", str(len(body)))
            connection.endheaders()
            if body:
                time.sleep(ON_THE_WAY)
                connection.send(body.encode("latin-1"))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode(errors="replace")
        finally:
            connection.close()

    def connect(self, source: str = ATTACKER) -> socket.socket:
        address = ("127.0.0.1", self.port)
        return socket.create_connection(address, TIMEOUT, source_address=(source, 0))

    def set_table(self) -> None:
        _, headers, _ = self.ask("POST", "/tables", f"game={GAME.name}", **FORM)
        self.path, self.cookie = headers["Location"], headers["Set-Cookie"].split(";")[0]
        for name in ("Tim", "Sarah"):
            self.do("add", f"name={name}&color={SEAT_COLORS[0]}")
        self.do("start", "")
        page = self.ask("GET", self.path, Cookie=self.cookie)[2]
        found = re.search(r'data-live="([^"]+)"', page)
        assert found
        self.stream = found[1]

    def do(self, verb: str, form: str) -> None:
        self.ask("POST", f"{self.path}do/{verb}", form, Cookie=self.cookie, **FORM)

    def tap(self, number: int) -> int:
        """A correction of the first action, as often as one likes."""
        action = FIRST_ACTION("Tim", number)
        tap: dict[str, object] = {"id": f"honest-{number:06}", "action": action}
        if number:
            tap["replaces"] = "honest-000000"
        kind = {"Content_Type": "application/json", "Cookie": self.cookie}
        return self.ask("POST", f"{self.path}taps", json.dumps(tap), **kind)[0]

    def open_first_page(self) -> int:
        """The page that a new phone opens first."""
        return self.ask("GET", "/")[0]

    def send_photo(self) -> int:
        """Something as large as a photo, which is taken in."""
        body = '--p\r\nContent-Disposition: form-data; name="photo"; filename="p.jpg"\r\n\r\n'
        body += "x" * 3_000_000 + "\r\n--p--\r\n"
        kind = "multipart/form-data; boundary=p"
        return self.ask("POST", "/upload/new", body, Content_Type=kind)[0]

    def open_slow_page(self) -> int:
        """A page, an export and a PDF, each of which takes longer than others."""
        pages = ("/history/people", "/history/history.json", "/pads/pads.pdf")
        return max(self.ask("GET", page, Cookie=self.cookie)[0] for page in pages)

    def result(self) -> tuple[str, str]:
        """The path of a finished game, and the cookie with which it can be seen."""
        form = f"game={GAME.name}&name=Tim&total=1&name=Sarah&total=2"
        _, headers, _ = self.ask("POST", "/totals", form, source=ATTACKER, **FORM)
        return headers["Location"], headers["Set-Cookie"].split(";")[0]

    @property
    def megabytes(self) -> float:
        return resident(self.program.pid) / 2**20

    @property
    def log_bytes(self) -> int:
        return sum((self.folder / "log" / name).stat().st_size for name in ("out", "err"))


@contextmanager
def target() -> Iterator[Target]:
    """A server with `DESCRIPTORS`, ended afterwards."""
    with tempfile.TemporaryDirectory(prefix="companion-attack-") as name:
        folder, port = Path(name), free_port()
        serve = ["serve", "--host", "127.0.0.1", "--port", str(port)]
        serve += ["--db", f"sqlite:///{folder / 'x.sqlite3'}"]
        program = Program("companion", serve, folder / "log")
        found = Target(port, folder, program)

        def has_answered() -> bool:
            # Before it listens, a free port may connect to itself.
            with suppress(OSError, http.client.HTTPException):
                return found.ask("GET", "/")[0] == 200
            return False

        try:
            program.start()
            resource.prlimit(program.pid, resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
            program.wait_until(has_answered)
            found.set_table()
            yield found
        finally:
            program.kill()
