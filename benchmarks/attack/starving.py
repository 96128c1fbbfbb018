"""Small requests that take what all share: sockets, threads, memory, the disk, the log.

    python -m benchmarks.attack.starving [NAME …]

Each attack runs against a fresh server with 1,024 descriptors, while an honest phone taps and a
new phone opens the first page. The table says how long those took, and what the server used.
"""

from __future__ import annotations

import http.client
import json
import re
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from benchmarks.games import correctable_game
from companion.tables import SEAT_COLORS

DESCRIPTORS = 1024
HONEST = "127.0.0.1"
ATTACKER = "127.0.0.66"
"""Another address of this machine: limits by address must not hit the honest phone."""
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
GAME, FIRST_ACTION = correctable_game()
TIMEOUT = 40.0


@dataclass
class Target:
    """A running server, with a table at which Tim and Sarah play."""

    port: int
    folder: Path
    process: subprocess.Popen[bytes]
    path: str = ""
    cookie: str = ""
    stream: str = ""

    def ask(
        self, method: str, path: str, body: str = "", source: str = HONEST, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, str]:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=TIMEOUT, source_address=(source, 0)
        )
        try:
            connection.request(method, path, body or None, headers)
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
        kind = {"Content-Type": "application/json", "Cookie": self.cookie}
        return self.ask("POST", f"{self.path}taps", json.dumps(tap), **kind)[0]

    @property
    def megabytes(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+)", status)
        return int(found[1]) / 1024 if found else 0.0

    @property
    def log_bytes(self) -> int:
        return (self.folder / "log").stat().st_size


@contextmanager
def target(descriptors: int = DESCRIPTORS) -> Iterator[Target]:
    """A server with so many descriptors, ended afterwards."""
    with tempfile.TemporaryDirectory(prefix="companion-attack-") as name, ExitStack() as stack:
        folder = Path(name)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        command = f'ulimit -n {descriptors}; exec "$@"'
        serve = [sys.executable, "-m", "companion", "serve", "--host", "127.0.0.1"]
        serve += ["--port", str(port), "--db", f"sqlite:///{folder / 'x.sqlite3'}"]
        log = stack.enter_context((folder / "log").open("wb"))
        process = subprocess.Popen(["/bin/sh", "-c", command, "sh", *serve], stdout=log, stderr=log)
        try:
            found = Target(port, folder, process)
            for _ in range(400):
                # Before it listens, a free port may connect to itself.
                with suppress(OSError, http.client.HTTPException):
                    found.ask("GET", "/")
                    break
                time.sleep(0.05)
            found.set_table()
            yield found
        finally:
            process.kill()
            process.wait()


@dataclass
class Honest:
    """The answer times of an honest phone and of a new one, in seconds."""

    taps: list[float] = field(default_factory=list)
    pages: list[float] = field(default_factory=list)
    failures: int = 0

    def watch(self, server: Target, seconds: float) -> None:
        """Taps, and meanwhile opens the first page anew, for so long."""
        last = time.monotonic() + seconds

        def open_pages() -> None:
            while time.monotonic() < last:
                self._time(self.pages, lambda: server.ask("GET", "/")[0])
                time.sleep(0.02)

        opening = threading.Thread(target=open_pages)
        opening.start()
        number = 0
        while time.monotonic() < last:
            self._time(self.taps, partial(server.tap, number))
            number += 1
            time.sleep(0.02)
        opening.join()

    def _time(self, times: list[float], ask: Callable[[], int]) -> None:
        start = time.monotonic()
        try:
            good = ask() == 200
        except OSError:
            good = False
        times.append(time.monotonic() - start)
        self.failures += not good

    @staticmethod
    def high(times: list[float]) -> float:
        """The 99th percentile."""
        ordered = sorted(times)
        return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]


# The attacks. Each begins, and stays as it is until its stack is closed.


def half_sent_heads(server: Target, stack: ExitStack, count: int = 1100) -> None:
    for _ in range(count):
        with suppress(OSError):
            line = stack.enter_context(server.connect())
            line.sendall(b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ")


def half_sent_bodies(server: Target, stack: ExitStack, count: int = 400) -> None:
    head = b"POST /join HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
    for _ in range(count):
        with suppress(OSError):
            line = stack.enter_context(server.connect())
            line.settimeout(1)
            line.sendall(head + b"x" * 950_000)


def slow_uploads(server: Target, stack: ExitStack, count: int = 40) -> None:
    head = b"POST /upload/x HTTP/1.1\r\nHost: x\r\nContent-Length: 160000000\r\n\r\nx"
    for _ in range(count):
        with suppress(OSError):
            stack.enter_context(server.connect()).sendall(head)


def many_streams(server: Target, stack: ExitStack, count: int = 2000) -> None:
    for _ in range(count):
        with suppress(OSError):
            line = stack.enter_context(server.connect())
            line.sendall(f"GET {server.stream} HTTP/1.1\r\nHost: x\r\n\r\n".encode())


def write_lock(server: Target, stack: ExitStack) -> None:
    """Another program's transaction, and phones that try to write meanwhile."""
    other = sqlite3.connect(
        server.folder / "x.sqlite3", isolation_level=None, check_same_thread=False
    )
    stack.callback(other.close)
    other.execute("BEGIN IMMEDIATE")
    for _ in range(32):
        line = stack.enter_context(server.connect())
        body = f"game={GAME.name}"
        form = "Content-Type: application/x-www-form-urlencoded\r\n"
        head = f"POST /tables HTTP/1.1\r\nHost: x\r\n{form}Content-Length: {len(body)}\r\n\r\n"
        line.sendall((head + body).encode())


def wide_histories(server: Target, stack: ExitStack, count: int = 3) -> None:
    inner = b'{"format":"companion-history/1","games":[' + b'{"":{}},' * (32 * 2**20 // 8 - 40)
    body = b'--p\r\nContent-Disposition: form-data; name="history"; filename="h"\r\n\r\n'
    body += inner + b"{}]}\r\n--p--\r\n"
    head = f"POST /history/import HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
    kind = "Content-Type: multipart/form-data; boundary=p\r\nCookie: " + server.cookie

    def send() -> None:
        with suppress(OSError):
            line = stack.enter_context(server.connect())
            line.sendall((head + kind + "\r\n\r\n").encode() + body)

    for _ in range(count):
        threading.Thread(target=send, daemon=True).start()


ATTACKS: dict[str, Callable[[Target, ExitStack], None]] = {
    "nothing": lambda _server, _stack: None,
    "half-sent-heads": half_sent_heads,
    "half-sent-bodies": half_sent_bodies,
    "slow-uploads": slow_uploads,
    "many-streams": many_streams,
    "write-lock": write_lock,
    "wide-histories": wide_histories,
}


def run(name: str, seconds: float = 12.0) -> tuple[Honest, float, int]:
    """The times of honest phones, the server's greatest memory in MB, and its log in bytes."""
    honest = Honest()
    most = 0.0
    with target() as server, ExitStack() as stack:
        server.tap(0)
        attack = threading.Thread(target=ATTACKS[name], args=(server, stack), daemon=True)
        attack.start()
        watching = threading.Thread(target=honest.watch, args=(server, seconds), daemon=True)
        watching.start()
        while watching.is_alive():
            most = max(most, server.megabytes)
            time.sleep(0.05)
        written = server.log_bytes
        # The attack may still be opening connections, which the stack is to close.
        server.process.kill()
        attack.join()
        return honest, most, written


def main() -> None:
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    print("| attack | taps p99 | first page p99 | failures | MB | log |")
    print("|---|---|---|---|---|---|")
    for name in sys.argv[1:] or ATTACKS:
        honest, most, log = run(name)
        asked = len(honest.taps) + len(honest.pages)
        print(
            f"| {name} | {honest.high(honest.taps) * 1000:.0f} ms"
            f" | {honest.high(honest.pages) * 1000:.0f} ms"
            f" | {honest.failures} of {asked} | {most:.0f} | {log:,} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
