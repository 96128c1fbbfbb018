"""The end of a server in the middle of everything: soon, and with nothing acknowledged lost."""

from __future__ import annotations

import http.client
import json
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

from tests.kit.games import roll
from tests.kit.pages import Page
from tests.kit.patience import PATIENCE, until
from tests.kit.photos.standin import SLOW
from tests.kit.servers.process import Server, data_of, new_table, send_photo, serving
from tests.kit.wide import wide

HALF = (
    b"POST /upload/new HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500000\r\n"
    b"Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n"
)


def connected(server: Server, sent: bytes) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    line.sendall(sent)
    return line


def is_being_read(server: Server, review: str, cookie: str) -> bool:
    return "is being read" in server.ask("GET", review, Cookie=cookie).read().decode()


@pytest.mark.parametrize("how", [signal.SIGTERM, wide(signal.SIGINT), wide(signal.SIGHUP)])
def test_a_stop_in_the_middle_of_everything(tmp_path: Path, how: signal.Signals) -> None:
    """Streams are open, a photo is half sent and another half read, a body has not come."""
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    options = ("--host", "127.0.0.1", "--db", url)
    reader = {"COMPANION_TEST_READER": "tests.kit.photos.standin"}
    with serving(*options, module="tests.kit.servers.patient", **reader) as server:
        path, host = new_table(server)
        cookie = host["Cookie"]
        page = Page(server.ask("GET", path, Cookie=cookie).read().decode())
        streams = []
        for _ in range(10):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
            connection.request("GET", str(page.one(id="table").attrs["data-live"]))
            streams.append((connection, connection.getresponse()))
            assert data_of(streams[-1][1])
        review = send_photo(server, cookie, SLOW)
        assert until(lambda: is_being_read(server, review, cookie))
        sent = "Cookie: " + cookie
        lines = [
            connected(server, HALF.replace(b"\r\n\r\n", f"\r\n{sent}\r\n\r\n".encode(), 1)),
            connected(
                server, b"POST /join HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
            ),
            connected(server, b"GET / HTT"),
        ]
        kind = {"Content-Type": "application/json", "Cookie": cookie}
        tap = json.dumps({"id": "stopping-tap", "action": roll("Tim", yellow=4)})
        assert server.ask("POST", f"{path}taps", tap, **kind).status == 200
        began = time.monotonic()
        status, said = server.stop(how)
        print(f"It ended after {time.monotonic() - began:.1f} s.")
        for line in lines:
            answer = line.recv(100_000)
            assert not answer or answer.startswith(b"HTTP/1.1 503"), "the phone says so"
            line.close()
        for connection, stream in streams:
            stream.read()  # to its proper end, so that the browser opens it anew
            connection.close()
    assert status == 0
    assert "Traceback" not in said
    assert "Exception" not in said
    copy = shutil.copy(tmp_path / "x.sqlite3", tmp_path / "copy.sqlite3")
    with closing(sqlite3.connect(copy)) as database:
        taps = database.execute("SELECT tap_id FROM events WHERE tap_id IS NOT NULL").fetchall()
    assert taps == [("stopping-tap",)], "the one file has everything after a stop"
    with serving(*options, module="tests.kit.servers.patient", **reader) as again:
        table = Page(again.ask("GET", path, Cookie=cookie).read().decode()).one(id="table")
        assert table.attrs["data-moment"] == "1.1.y4"
        connection = http.client.HTTPConnection("127.0.0.1", again.port, timeout=PATIENCE)
        connection.request("GET", str(table.attrs["data-live"]))
        assert connection.getresponse().status == 200
        connection.close()
        assert again.ask("GET", review, Cookie=cookie).status == 200


def test_a_thread_that_is_still_busy_is_not_waited_for() -> None:
    """Such as one with a PDF; its client has had an answer."""
    program = (
        "import threading; from companion.web.run import serve;"
        "threading.Thread(target=threading.Event().wait).start(); print('here');"
        "serve._end_soon()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, b"here")
