"""`companion serve` as its users start it: what it says, its bytes on the line, and its end."""

from __future__ import annotations

import http.client
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lab.patience import PATIENCE, until
from lab.photos.standin import picture
from lab.servers.program import HOST, Program
from lab.streams import version_in


class Server(Program):
    """A running `companion serve` on a port that it has chosen; 0 if it did not start.

    It may be killed as a power cut would, and started again: on the same port and database.
    """

    port = 0

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    def start(self) -> None:
        """Returns when it has said where it is, or has ended."""
        said = len(self.output)
        super().start()
        assert until(lambda: "Stop with Ctrl" in self.output[said:] or self.has_ended)
        if found := re.search(r"http://(\S+):(\d+)/", self.output + self.errors):
            self.port = int(found[2])
            self.arguments = [*self.arguments, "--port", found[2]]
            self._opens(found[1].strip("[]"))

    def _opens(self, host: str) -> None:
        """Fails if the printed address does not accept a connection at once."""
        connection = http.client.HTTPConnection(host, self.port, timeout=PATIENCE)
        connection.request("GET", "/static/icon.svg", headers={"Connection": "close"})
        assert connection.getresponse().status == 200
        connection.close()

    def ask(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE)
        connection.request(method, path, body, {"Connection": "close"} | headers)
        answer = connection.getresponse()
        connection.close()
        return answer

    def raw(self, request: bytes) -> bytes:
        """The answer to these very bytes, until the server closes the connection."""
        with socket.create_connection((HOST, self.port), timeout=PATIENCE) as line:
            line.sendall(request)
            answer = b""
            while part := line.recv(65_536):
                answer += part
        return answer

    def is_heavy(self) -> bool:
        """Whether the process has loaded what decodes pictures; its readers do that."""
        maps = Path(f"/proc/{self.pid}/maps").read_text()
        return any(name in maps for name in ("cv2", "numpy", "PIL/"))


@contextmanager
def serving(*arguments: str, module: str = "companion", **environment: str) -> Iterator[Server]:
    """A server for which warnings are errors, started with these arguments."""
    environment["PYTHONWARNINGS"] = "error"
    with TemporaryDirectory() as folder:
        place = ["serve", "--port", "0", *arguments]
        server = Server(module, place, Path(folder), environment)
        try:
            server.start()
            yield server
        finally:
            server.kill()


def new_table(server: Server) -> tuple[str, dict[str, str]]:
    """A table with Tim and Sarah playing, and the cookie of its host."""
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = server.ask("POST", "/tables", "game=qwinto-dice", **form)
    assert answer.status == 303
    path, cookie = answer.headers["Location"], answer.headers["Set-Cookie"].split(";")[0]
    form["Cookie"] = cookie
    for name in ("Tim", "Sarah"):
        server.ask("POST", f"{path}do/add", f"name={name}&color=red", **form)
    server.ask("POST", f"{path}do/start", "", **form)
    return path, {"Cookie": cookie}


def data_of(stream: http.client.HTTPResponse) -> int:
    """The next version that a stream sends."""
    while b'"version"' not in (line := stream.readline()):
        assert line
    return version_in(line.decode())


def send_photo(server: Server, cookie: str, width: int = 220, name: str = "Ada") -> str:
    """Sends a photo, with a name in its form and in its file's; returns the review's address."""
    edge = "photo-edge"
    body = (
        f'--{edge}\r\nContent-Disposition: form-data; name="names"\r\n\r\n{name}\r\n'
        f'--{edge}\r\nContent-Disposition: form-data; name="photo"; filename="{name}.jpg"\r\n'
        "Content-Type: image/jpeg\r\n\r\n"
    ).encode() + picture(width) + f"\r\n--{edge}--\r\n".encode()  # fmt: skip
    kind = f"multipart/form-data; boundary={edge}"
    answer = server.ask("POST", "/upload/new", body, **{"Content-Type": kind, "Cookie": cookie})
    assert answer.status == 303, answer.status
    return str(answer.headers["Location"])
