"""`companion serve` as a real process: what it says, what it refuses, and its end."""

from __future__ import annotations

import errno
import gc
import http.client
import json
import re
import select
import shutil
import signal
import socket
import sqlite3
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias
from unittest.mock import MagicMock

import pytest
import uvicorn

from companion import cli
from companion.cli.operating import EVERY_ADDRESS
from companion.limits import USUAL
from companion.tables.opening import database_url
from companion.tables.upkeep import schedule
from companion.web.run import announcement
from companion.web.run import serve as serve_module
from companion.web.run.asgi import READING_THREADS
from lab.games import roll
from lab.pages import Page, is_sentence
from lab.patience import PATIENCE, until
from lab.photos.standin import SLOW
from lab.servers import missing
from lab.servers.fronts import certificate
from lab.servers.process import Server, data_of, new_table, send_photo, serving
from lab.tables import spoil
from lab.wide import wide


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One process for all tests that only send requests."""
    url = f"sqlite:///{tmp_path_factory.mktemp('serve') / 'x.sqlite3'}"
    with serving("--host", "127.0.0.1", "--db", url) as running:
        yield running


def test_it_prints_its_address_and_answers(server: Server) -> None:
    assert f"http://127.0.0.1:{server.port}/" in server.output
    answer = server.ask("GET", "/")
    assert answer.status == 200
    assert answer.headers["Content-Security-Policy"]
    assert answer.headers["Server"] is None, "nobody needs to know what it runs on"


MOST_KB = 90_000 if sys.version_info < (3, 14) else 103_000
"""Python 3.14 takes 14 % more memory for the same modules: 95 MB and not 83 MB."""


def test_it_is_light(server: Server) -> None:
    """Little memory is used after pages have been served, and OpenCV and pdfkit are not mapped."""
    path, cookie = new_table(server)
    for part in ("", "menu", "turns"):
        assert server.ask("GET", path + part, **cookie).status == 200
    (kilobytes,) = re.findall(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{server.pid}/status").read_text())
    assert int(kilobytes) < MOST_KB
    assert not server.is_heavy()


ODD_REQUESTS = (
    b"GET /?x=\xff\xfe HTTP/1.1", b"GET /\xff HTTP/1.1", b"GET /%ff%fe HTTP/1.1",
    b"GET /\xc3\xa9?\xc3\xa9 HTTP/1.1", b"GET http://other.example/ HTTP/1.1",
    b"GET //evil.com/%2e%2e HTTP/1.1", b"OPTIONS * HTTP/1.1", b"GET /live/ HTTP/1.1",
    b"GET /live/%ff HTTP/1.1", b"GET / HTTP/9.9", b"nonsense",
)  # fmt: skip
ODD_HEADERS = (
    b"GET / HTTP/1.1\r\nHost: \xff", b"GET / HTTP/1.1\r\nHost: [",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: companion=\xff",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nAccept-Language: \xff",
    b"GET /live/x HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade"
    b"\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    b"POST /join HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1",
    b"POST /join HTTP/1.1\r\nHost: localhost\r\nContent-Length: x",
)  # fmt: skip


def test_requests_that_no_browser_sends(server: Server) -> None:
    """Each gets an answer, and so does the next request."""
    for head in (*(line + b"\r\nHost: localhost" for line in ODD_REQUESTS), *ODD_HEADERS):
        answer = server.raw(head + b"\r\nConnection: close\r\n\r\n")
        assert int(answer.split()[1]) < 500, (head, answer[:300])
        assert server.ask("GET", "/").status == 200


def connected(server: Server, sent: str) -> socket.socket:
    line = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)
    line.sendall(sent.encode())
    return line


@pytest.mark.parametrize(
    ("path", "claimed", "sent"), [("/join", 10, 2), ("/history/import", 20_000_000, 1_100_000)]
)
def test_slow_bodies_hold_up_nobody_else(
    server: Server, path: str, claimed: int, sent: int
) -> None:
    """Phones that fall asleep in the middle of sending must not take all the threads."""
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {claimed}\r\n\r\n"
    with ExitStack() as lines:
        sending = [connected(server, head + "x" * sent) for _ in range(READING_THREADS)]
        asleep = [lines.enter_context(line) for line in sending]
        # A first one may still overtake them, a second one finds every thread taken.
        for _ in range(2):
            assert server.ask("GET", "/").status == 200
        # Nobody was thrown out for it.
        assert select.select(asleep, [], [], 0)[0] == []


def test_an_ascii_terminal(tmp_path: Path) -> None:
    """The address is said even where no QR code can be drawn; an interrupt is no failure."""
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    with serving("--host", "127.0.0.1", "--db", url, PYTHONIOENCODING="ascii") as server:
        assert server.port, server.end()
        assert server.ask("GET", "/").status == 200
        assert server.stop(signal.SIGINT) == (0, "")


def test_ipv6_takes_ipv4_too() -> None:
    """Under any setting of the system."""
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    with serve_module._listen("::", 0) as listening:
        for host in ("127.0.0.1", "::1"):
            socket.create_connection((host, listening.getsockname()[1]), PATIENCE).close()


@pytest.mark.parametrize(
    ("soft", "connections", "streams"),
    [(256, 64, 48), (1024, 512, 384), (1_000_000, 4096, 2000), (-1, 4096, 2000)],
)
def test_descriptors_are_kept_in_reserve(
    monkeypatch: pytest.MonkeyPatch, soft: int, connections: int, streams: int
) -> None:
    """With all streams open there is still room for pages."""
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (soft, soft))
    monkeypatch.setattr(resource, "setrlimit", lambda _which, _limits: None)
    possible = serve_module._possible(USUAL)
    assert (possible.connections, possible.streams) == (connections, streams)


# What cannot start. In this process: it must end before anything is served.


Refused: TypeAlias = Callable[..., str]


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Refused:
    """Gives the sentence on standard error with which a server does not start."""

    def refused(*arguments: str) -> str:
        try:
            status = cli.main(["serve", "--port", "0", *arguments])
        except SystemExit as exit_:
            status = int(exit_.code or 0)
        gc.collect()  # what was left open is complained about here, and not in another test
        out, err = capsys.readouterr()
        assert (status, out) == (2, "")
        assert err.strip() and "Traceback" not in err
        return err.strip()

    monkeypatch.setattr(uvicorn.Server, "run", lambda *_, **_more: pytest.fail("it is served"))
    return refused


def test_a_port_that_is_taken(refused: Refused, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
        said = refused("--host", "127.0.0.1", "--port", str(port), "--db", url)
    assert is_sentence(said)
    assert f"--port {port + 1}" in said
    assert not (tmp_path / "x.sqlite3").exists()


HOSTS = ("192.0.2.1", "no-such-host.invalid", "[::1]", "::zz", "a b", "x" * 70, "é" * 70)
NAMES = ("", "http://games.example.org", "games.example.org/x", "a b")
PROXIES = ("", "nginx", "10.0.0.0/99", "127.0.0.1,x")
PREFIXES = ("companion", "/a b", "/..", "/a//b", "/a?b", "/ü")
WRONG_OPTIONS = [
    *((("--port", port), "Invalid value for '--port'") for port in ("-1", "65536", "x", "")),
    *((("--host", host), host) for host in HOSTS),
    *((("--name", name), "--name takes a host name") for name in NAMES),
    *((("--behind-proxy", text), text.rpartition(",")[2]) for text in PROXIES),
    *((("--prefix", text), text) for text in PREFIXES),
    (("--cert", "missing.pem", "--key", "missing.pem"), "missing.pem"),
    (("--readers", "0"), "PostgreSQL"),
]
"""Options, and what is said of them."""


@pytest.mark.parametrize(("options", "says"), WRONG_OPTIONS)
def test_an_option_that_cannot_be_used(
    refused: Refused, tmp_path: Path, options: tuple[str, ...], says: str
) -> None:
    """Before a database is made."""
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    said = refused("--db", url, *options)
    assert says in said
    assert is_sentence(said.splitlines()[-1]) or "--name" in options
    assert not (tmp_path / "x.sqlite3").exists()


def test_an_option_that_cannot_be_used_is_refused_before_anything_is_loaded() -> None:
    program = (
        "import sys; from companion.cli import main;"
        "wrong = ['--name=a b'], ['--behind-proxy=x'], ['--prefix=x'], ['--cert=x', '--key=x'];"
        "assert [main(['serve', *options]) for options in wrong] == [2] * 4;"
        "print({'flask', 'sqlalchemy', 'uvicorn'} & {*sys.modules})"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (ran.returncode, ran.stdout.strip()) == (0, b"set()"), ran.stderr


NO_DATABASES = (
    "nonsense", "sqlite:///", "sqlite://", "sqlite:///:memory:", "games.sqlite3",
    "sqlite:////no/such/folder/x.sqlite3", "sqlite:////proc/x.sqlite3",
    "nosuchdatabase://localhost/x", "mysql://localhost/x", "postgresql+nosuchdriver://localhost/x",
    "postgresql+psycopg://tim:tops3cret@127.0.0.1:1/x", "postgresql+psycopg://localhost:port/x",
    "sqlite:///{folder}", "sqlite:///{folder}/not-a-database", "/var/lib/companion.sqlite3",
)  # fmt: skip


@pytest.mark.parametrize("url", NO_DATABASES)
def test_a_database_that_cannot_be_used(refused: Refused, tmp_path: Path, url: str) -> None:
    (tmp_path / "not-a-database").write_bytes(b"This is a diary and no database. " * 100)
    address = url.format(folder=tmp_path)
    said = refused("--host", "127.0.0.1", "--db", address)
    assert is_sentence(said.splitlines()[0])
    is_address = url.startswith(("sqlite:///{", "sqlite:////proc")) or "127.0.0.1" in url
    assert ("--db takes an address" in said) != is_address
    assert "tops3cret" not in said


def test_a_data_folder_that_cannot_be_made(
    refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COMPANION_DB", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", "/dev/null")
    said = refused()
    assert is_sentence(said)
    assert "--db" in said


def test_a_user_without_a_home_directory(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container with an unknown user id."""

    def home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("COMPANION_DB", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", home)
    said = refused()
    assert is_sentence(said)
    assert "--db" in said


@pytest.mark.parametrize(
    ("number", "port", "advice"),
    [
        (errno.EADDRINUSE, 8000, "--port 8001"),
        (errno.EACCES, 80, "--port 8000"),
        (errno.EACCES, 8000, "--port 8001"),  # reserved by Windows, as for its virtual machines
    ],
)
def test_advice_for_a_port_that_cannot_be_used(number: int, port: int, advice: str) -> None:
    assert advice in serve_module._advice(OSError(number, "no"), port)


def test_postgresql_without_its_driver(refused: Refused, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    url = "postgresql+psycopg://localhost/x"
    assert '".[postgres]"' in refused("--host", "127.0.0.1", "--db", url)


@pytest.mark.parametrize("is_here", [True, False])
def test_a_server_says_at_its_start_that_it_reads_no_photos(
    caplog: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_here: bool
) -> None:
    for name in ("_serve", "_end_soon"):
        monkeypatch.setattr(serve_module, name, lambda *_: None)
    if not is_here:
        monkeypatch.setitem(sys.modules, "cv2", None)
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    assert cli.main(["serve", "--host", "127.0.0.1", "--port", "0", "--db", url]) == 0
    assert ('".[photo]"' in caplog.text) != is_here


def test_a_server_says_at_its_start_that_its_database_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even in pages that nobody may read soon."""
    said = []
    monkeypatch.setattr(
        serve_module, "_serve", lambda _options, tables, *_: said.append(tables.database.fault())
    )
    monkeypatch.setattr(serve_module, "_end_soon", lambda: None)
    monkeypatch.setattr(serve_module, "CHECK_SECONDS", PATIENCE)
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    newest = tmp_path / datetime.now(UTC).strftime(schedule.NAME)
    newest.touch()  # so that none is due
    command = ["serve", "--host", "127.0.0.1", "--port", "0", "--db", url]
    command += ["--backup-every", "9999d", "--backup-dir", str(tmp_path)]  # none is written now
    assert cli.main(command) == 0
    spoil(tmp_path / "x.sqlite3", "reviews")
    assert cli.main(command) == 0
    assert said == [None, f"is damaged; the newest backup is {newest.name}"]


def test_a_certificate_of_the_operator(tmp_path: Path) -> None:
    missing.need("openssl")
    chain, key = certificate(tmp_path, "localhost")
    place = ("--host", "127.0.0.1", "--db", f"sqlite:///{tmp_path / 'x.sqlite3'}")
    with serving(*place, "--cert", str(chain), "--key", str(key), "--name", "localhost") as server:
        address = re.search(r"https://localhost:(\d+)/", server.output)
        assert address
        trusted = ssl.create_default_context(cafile=chain)
        line = http.client.HTTPSConnection("localhost", int(address[1]), context=trusted)
        line.request("GET", "/", headers={"Connection": "close"})
        with closing(line), line.getresponse() as answer:
            assert answer.status == 200
            assert answer.headers["Set-Cookie"].startswith("__Host-companion=")
            assert answer.headers["Strict-Transport-Security"]
        with closing(
            http.client.HTTPSConnection("localhost", int(address[1]), context=trusted)
        ) as idle:
            idle.request("GET", "/")
            assert idle.getresponse().read()
            assert server.stop() == (0, ""), "a browser that keeps its connection is not waited for"


def test_photos_of_sqlite_are_read_by_its_server_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["reader", "--db", "sqlite:///x.sqlite3"]) == 2
    assert is_sentence(capsys.readouterr().err.strip())


def test_where_the_database_is_by_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert database_url() == f"sqlite:///{tmp_path / 'data' / 'companion' / 'companion.sqlite3'}"
    assert (tmp_path / "data" / "companion").is_dir()
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "Local"))  # Windows
    assert database_url() == f"sqlite:///{tmp_path / 'Local' / 'companion' / 'companion.sqlite3'}"
    monkeypatch.delenv("LOCALAPPDATA")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    folder = tmp_path / ".local" / "share" / "companion"
    assert database_url() == f"sqlite:///{folder / 'companion.sqlite3'}"


def test_the_address_for_phones(monkeypatch: pytest.MonkeyPatch) -> None:
    """The way out of this machine; without a network the machine itself."""
    assert announcement.address_for_phones("192.0.2.7") == "192.0.2.7"
    assert announcement.address_for_phones("fe80::1") == "[fe80::1]"
    assert announcement.address_for_phones(EVERY_ADDRESS).count(".") == 3

    probe, sockets = MagicMock(), MagicMock()
    probe.__enter__.return_value.getsockname.return_value = ("2001:db8::7", 9, 0, 0)
    monkeypatch.setattr(announcement.socket, "socket", sockets)
    sockets.side_effect = [OSError, probe]
    assert announcement.address_for_phones("::") == "[2001:db8::7]"
    sockets.side_effect = OSError
    assert announcement.address_for_phones(EVERY_ADDRESS) == "127.0.0.1"
    said = announcement.announcement("http://127.0.0.1:8000", EVERY_ADDRESS, proxied=False)
    assert "not on a network" in said


@pytest.mark.parametrize(
    ("host", "proxied", "words"),
    [
        ("192.0.2.7", False, "Phones must be on the same network"),
        ("127.0.0.1", True, "Phones open the proxy's address"),
        ("::1", False, "No phone can open it, because it listens on ::1"),
        ("localhost", False, "No phone can open it"),
    ],
)
def test_a_code_is_for_phones(host: str, proxied: bool, words: str) -> None:
    said = announcement.announcement("http://games:8000", host, proxied=proxied)
    assert "http://games:8000/" in said
    assert words in said
    is_code = bool(re.search("[\u2580\u2584\u2588]", said))
    assert is_code == ("Scan the code" in said) == (host == "192.0.2.7")


HALF = (
    "POST /upload/new HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500000\r\nCookie: {}\r\n"
    "Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\n"
)
NO_BODY = "POST /join HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"


@pytest.mark.parametrize("how", [signal.SIGTERM, wide(signal.SIGINT), wide(signal.SIGHUP)])
def test_a_stop_in_the_middle_of_everything(tmp_path: Path, how: signal.Signals) -> None:
    """Streams are open, a photo is half sent and another half read, a body has not come."""
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    options = ("--host", "127.0.0.1", "--db", url)
    reader = {"COMPANION_TEST_READER": "lab.photos.standin"}
    with serving(*options, module="lab.servers.patient", **reader) as server:
        path, host = new_table(server)
        cookie = host["Cookie"]
        table = Page(server.ask("GET", path, Cookie=cookie).read().decode()).one(id="table")
        streams = []
        for _ in range(10):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
            connection.request("GET", str(table.attrs["data-live"]))
            streams.append((connection, connection.getresponse()))
            assert data_of(streams[-1][1])
        review = send_photo(server, cookie, SLOW)
        reading = b"is being read"
        assert until(lambda: reading in server.ask("GET", review, Cookie=cookie).read())
        assert not server.is_heavy(), "the reader is another process"
        lines = [connected(server, sent) for sent in (HALF.format(cookie), NO_BODY, "GET / HTT")]
        kind = {"Content-Type": "application/json", "Cookie": cookie}
        tap = json.dumps({"id": "stopping-tap", "action": roll("Tim", yellow=4)})
        assert server.ask("POST", f"{path}taps", tap, **kind).status == 200
        status, said = server.stop(how)
        for line in lines:
            answer = line.recv(100_000)
            assert not answer or answer.startswith(b"HTTP/1.1 503"), "the phone says so"
            line.close()
        for connection, stream in streams:
            stream.read()  # to its proper end, so that the browser opens it anew
            connection.close()
    assert status == 0
    assert "Traceback" not in said and "Exception" not in said
    copy = shutil.copy(tmp_path / "x.sqlite3", tmp_path / "copy.sqlite3")
    with closing(sqlite3.connect(copy)) as database:
        taps = database.execute("SELECT tap_id FROM events WHERE kind = 'action'").fetchall()
    assert taps == [("stopping-tap",)], "the one file has everything after a stop"
    with serving(*options, module="lab.servers.patient", **reader) as again:
        table = Page(again.ask("GET", path, Cookie=cookie).read().decode()).one(id="table")
        assert table.attrs["data-moment"] == "1:1.1.y4"
        assert again.ask("GET", review, Cookie=cookie).status == 200


def test_a_thread_that_is_still_busy_is_not_waited_for() -> None:
    """Such a thread makes a PDF, for example; its client has had an answer."""
    program = (
        "import threading; from companion.web.run import serve;"
        "threading.Thread(target=threading.Event().wait).start(); print('here');"
        "serve._end_soon()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, b"here")
