"""The shipped configurations: real proxies in front of the real app, and the systemd unit."""

from __future__ import annotations

import http.client
import json
import os
import re
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
from base64 import b64encode
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import click
import pytest

from companion.cli import companion
from companion.web.net.bodies import most_bytes
from lab.games import roll
from lab.pages import Page
from lab.patience import PATIENCE, until
from lab.photos.standin import picture
from lab.servers import fronts, missing
from lab.servers.process import Server, serving
from lab.servers.program import HOST

PREFIX = "/companion"
COMMAND = re.compile(r"^#\s+(companion serve .*)$", re.MULTILINE)
FILES = {"nginx": "nginx.conf", "caddy": "Caddyfile", "home": "home.Caddyfile"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON = {"Content-Type": "application/json"}

Answer: TypeAlias = tuple[int, http.client.HTTPMessage, bytes]  # status, headers and body
Body: TypeAlias = bytes | str | Iterator[bytes]

both = pytest.mark.parametrize("name", ["nginx", "caddy"])


@dataclass(frozen=True)
class Site:
    """A server behind a proxy."""

    server: Server
    port: int  # the proxy's, for https
    tls: ssl.SSLContext  # with which its certificate is checked

    def connect(self, here: str = HOST, there: str = HOST) -> socket.socket:
        """A connection to the proxy at an address, from another one of this computer."""
        return socket.create_connection((there, self.port), PATIENCE, (here, 0))

    def secure(self, plain: socket.socket) -> ssl.SSLSocket:
        """The connection after its handshake, in which the proxy shows its certificate."""
        return self.tls.wrap_socket(plain, server_hostname=fronts.NAME)


@contextmanager
def standing(name: str, folder: Path, changes: Mapping[str, str] | None = None) -> Iterator[Site]:
    """A server set up for a proxy's configuration, and that proxy, with optional changes."""
    missing.need("nginx" if name == "nginx" else "caddy", "openssl")
    [command] = COMMAND.findall((fronts.DEPLOY / FILES[name]).read_text())
    database = f"sqlite:///{folder / 'x.sqlite3'}"
    with (
        serving(*shlex.split(command)[2:], "--host", HOST, "--db", database,
                module="lab.servers.patient",
                COMPANION_TEST_READER="lab.photos.standin") as server,
        fronts.running(name, folder, server.port, changes) as port,
    ):  # fmt: skip
        context = ssl.create_default_context()
        if name != "home":
            context.load_verify_locations(folder / fronts.CHAIN)
        yield Site(server, port, context)


class Guest:
    """A browser somewhere, whose user makes up headers and knows the password."""

    def __init__(self, site: Site, here: str = HOST) -> None:
        self.site = site
        self.here = here
        self.headers = {
            "Host": f"{fronts.NAME}:{site.port}",
            "X-Forwarded-For": "127.0.0.1",
            "X-Forwarded-Prefix": "/evil",
            "X-Forwarded-Host": "evil.example",
        }
        word = b64encode(f"club:{fronts.WORD}".encode()).decode()
        self.word = {"Authorization": f"Basic {word}"}

    @contextmanager
    def asking(
        self, method: str, path: str, body: Body = "", there: str = HOST, **more: str
    ) -> Iterator[http.client.HTTPResponse]:
        """The beginning of an answer, which may never end."""
        line = http.client.HTTPConnection(there, self.site.port)
        here = self.here if there == HOST else there
        line.sock = self.site.secure(self.site.connect(here, there))
        line.request(method, path, body or None, self.headers | more)
        with closing(line), line.getresponse() as answer:
            yield answer

    def ask(self, method: str, path: str, body: Body = "", **more: str) -> Answer:
        with self.asking(method, path, body, **more) as answer:
            return answer.status, answer.headers, answer.read()

    def start(self) -> str:
        """Starts a game of Tim and Sarah; returns the table's path."""
        table = self.ask("POST", f"{PREFIX}/tables", "game=qwinto-dice", **self.word, **FORM)
        assert table[0] == 303
        path, cookie = table[1]["Location"], table[1]["Set-Cookie"]
        assert path.startswith(f"{PREFIX}/t/")
        assert "; Secure" in cookie
        assert f"; Path={PREFIX};" in f"{cookie};"
        self.headers["Cookie"] = cookie.split(";")[0]
        for player in ("Tim", "Sarah"):
            self.ask("POST", f"{path}do/add", f"name={player}&color=red", **FORM)
        self.ask("POST", f"{path}do/start", **FORM)
        return str(path)

    def plays(self, path: str) -> bool:
        """Whether the table's page comes, and a tap is taken."""
        tap = json.dumps({"id": "deploy-tap", "action": roll("Tim", yellow=4)})
        answers = self.ask("GET", path), self.ask("POST", f"{path}taps", tap, **JSON)
        return [status for status, _, _ in answers] == [200, 200]


@both
def test_a_game_behind_a_real_proxy(name: str, tmp_path: Path) -> None:
    """A table, a stream that is not held back, a large photo, and what a stranger makes up."""
    with standing(name, tmp_path) as site:
        guest = Guest(site)
        assert guest.ask("GET", "/")[1]["Location"].endswith(f"{PREFIX}/")
        status, answered, body = guest.ask("GET", f"{PREFIX}/")
        assert status == 200, body
        assert answered["Strict-Transport-Security"]
        elements = Page(body.decode()).elements
        style = next(e.attrs["href"] for e in elements if e.attrs.get("rel") == "stylesheet")
        assert guest.ask("GET", str(style))[0] == 200
        assert guest.ask("POST", f"{PREFIX}/tables", "game=qwinto-dice", **FORM)[0] == 401
        assert guest.ask("POST", f"{PREFIX}/import", **FORM)[0] == 401
        path = guest.start()
        link = f"https://{fronts.NAME}:{site.port}{PREFIX}/j/"
        assert link.encode() in guest.ask("POST", f"{path}share", **FORM)[2]
        live = str(Page(guest.ask("GET", path)[2].decode()).one(id="table").attrs["data-live"])
        assert live.startswith(f"{PREFIX}/live/")
        with guest.asking("GET", live, there="::1") as stream:
            assert stream.status == 200
            before = next_data(stream)
            assert guest.plays(path)
            assert next_data(stream) != before, "and not only when the proxy's buffer is full"
        review = send_photo(guest)
        assert review.startswith(f"{PREFIX}/review/")
        assert until(lambda: b'id="reading"' not in guest.ask("GET", review)[2])
        assert guest.ask("GET", review)[0] == 200
        assert not site.server.is_heavy()
        assert site.server.stop(signal.SIGTERM) == (0, "")
        assert guest.ask("GET", f"{PREFIX}/j/a-secret")[0] == 502
    logs = "".join(file.read_text() for file in tmp_path.glob("*.log"))
    if name == "nginx":
        assert f" POST {PREFIX}/tables 303 " in logs
        assert f" GET {PREFIX}/j/... 502 " in logs
    assert not [secret for secret in (live, path, review, "a-secret") if secret in logs]


HALF = (
    f"POST {PREFIX}/join HTTP/1.1\r\nHost: {fronts.NAME}\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 12\r\n\r\ncode=2"
).encode()
"""A request whose body does not come to its end."""
ATTACKER, NEIGHBOUR = "127.0.0.2", "127.0.0.3"
SOON = {
    "nginx": {"client_header_timeout 15s": "client_header_timeout 2s",
              "client_body_timeout 30s": "client_body_timeout 2s"},
    "caddy": {"read_header 15s": "read_header 2s", "read_body 5m": "read_body 2s"},
}  # fmt: skip
LATE = {
    "client_header_timeout 15s": "client_header_timeout 5m",
    "client_body_timeout 30s": "client_body_timeout 5m",
}
"""A slow computer takes longer to fill an address's share than an attacker has."""


@both
def test_a_stalled_sender_is_cut_off(name: str, tmp_path: Path) -> None:
    """400 silent connections, half a head and half a body disturb nobody meanwhile."""
    with standing(name, tmp_path, SOON[name]) as site:
        neighbour = Guest(site, NEIGHBOUR)
        path = neighbour.start()
        silent = [site.connect(ATTACKER) for _ in range(400)]
        slow = [site.secure(site.connect(ATTACKER)) for _ in range(2)]
        for line, sent in zip(slow, (HALF[:40], HALF), strict=True):
            line.sendall(sent)
        assert neighbour.plays(path)
        for cut in (*silent, *slow):
            wait_for_end(cut)
    if name == "nginx":  # which holds a body back until it is whole
        log = (tmp_path / fronts.LOG).read_text()
        found = re.findall(f" {ATTACKER} POST {PREFIX}/join 408 .* app: (.*)\n", log)
        assert found == ["- - -s"] * 2


def wait_for_end(line: socket.socket) -> None:
    """Returns when the proxy has closed the connection."""
    with line:
        try:
            while line.recv(65_536):
                pass
        except (ConnectionResetError, ssl.SSLError):
            pass


def test_an_address_has_its_share_of_nginx(tmp_path: Path) -> None:
    """Limits a flood of half-sent bodies; Caddy has no limit, and passes on all."""
    with standing("nginx", tmp_path, LATE) as site, ExitStack() as lines:
        neighbour = Guest(site, NEIGHBOUR)
        path = neighbour.start()
        flood = []
        for _ in range(400):
            flood.append(lines.enter_context(site.secure(site.connect(ATTACKER))))
            flood[-1].sendall(HALF)
        assert neighbour.plays(path)
        assert {line.recv(12) for line in flood[256:]} == {b"HTTP/1.1 429"}


def test_open_pages_take_no_requests_of_their_address(tmp_path: Path) -> None:
    few = {
        "companion_open 256;": "companion_open 1;",
        "companion_streams 256": "companion_streams 2",
    }
    with standing("nginx", tmp_path, few) as site, ExitStack() as streams:
        guest = Guest(site)
        path = guest.start()
        live = str(Page(guest.ask("GET", path)[2].decode()).one(id="table").attrs["data-live"])
        for _ in range(2):
            assert streams.enter_context(guest.asking("GET", live)).status == 200
        assert guest.ask("GET", live)[0] == 429
        assert guest.plays(path)


FILES_OF_GAMES = ("/history/import", "/import")
MOST = {path: most_bytes("POST", path) for path in (*FILES_OF_GAMES, "/upload/new", "/join")}


@both
def test_a_proxy_takes_what_the_app_takes(name: str, tmp_path: Path) -> None:
    with standing(name, tmp_path) as site:
        guest = Guest(site)
        for path in FILES_OF_GAMES:
            status, _, said = guest.ask("POST", PREFIX + path, b"x" * MOST[path], **guest.word)
            assert status == 422, said
        for path, most in MOST.items():
            announced = {"Content-Length": str(most + 1), **guest.word}
            # Caddy waits for the rest of a small body.
            body = "" if name == "nginx" or most > 1_000_000 else b"x" * (most + 1)
            assert guest.ask("POST", PREFIX + path, body, **announced)[0] == 413, path
        pieces = iter([b"x" * 10_000] * 20)  # which do not say how many they are
        assert guest.ask("POST", f"{PREFIX}/join", pieces, **guest.word)[0] == 413
    if name == "nginx":  # it has written its last line when it has ended
        log = (tmp_path / fronts.LOG).read_text()
        assert len(re.findall(" 413 .* app: - - -s\n", log)) == len(MOST) + 1


@pytest.mark.parametrize("file", ["Caddyfile", "compose.Caddyfile"])
def test_caddy_takes_no_more(file: str) -> None:
    """Refused by what it says, and cut off where it says nothing."""
    found = re.findall(r'"max_size":(\d+)', adapted(file))
    assert sorted(map(int, found)) == sorted(MOST.values())
    text = (fronts.DEPLOY / file).read_text()
    refused = re.findall(r"^\t+\S+ (\d+)$", text, re.MULTILINE)
    assert sorted(map(int, refused)) == sorted(MOST.values())


def test_nginx_limits_requests(tmp_path: Path) -> None:
    few = {"rate=30r/s": "rate=1r/m", "burst=600": "burst=3"}
    with standing("nginx", tmp_path, few) as site:

        def statuses(here: str, number: int) -> list[int]:
            return [Guest(site, here).ask("GET", f"{PREFIX}/")[0] for _ in range(number)]

        assert statuses(ATTACKER, 5) == [200] * 4 + [429]
        assert statuses(NEIGHBOUR, 1) == [200]


def test_https_at_home(tmp_path: Path) -> None:
    """A phone that trusts Caddy's root accepts the certificate of an address."""
    root = tmp_path / "pki/authorities/local/root.crt"
    with standing("home", tmp_path) as site:

        def answered() -> bool:
            context = ssl.create_default_context(cafile=str(root))
            line = http.client.HTTPSConnection(HOST, site.port, timeout=PATIENCE, context=context)
            try:
                line.request("GET", "/", headers={"Connection": "close"})
            except ssl.SSLError:  # its certificate is being made
                return False
            with closing(line), line.getresponse() as answer:
                return answer.status == 200 and "Strict-Transport-Security" in answer.headers

        assert until(root.exists)
        assert until(answered)


def next_data(stream: http.client.HTTPResponse) -> bytes:
    while not (line := stream.readline()).startswith(b"data: "):
        assert line
    return line


def send_photo(guest: Guest) -> str:
    """Sends a photo of two megabytes, more than pages may be; returns the review's address."""
    edge = "deploy-edge"
    photo = picture(220) + b"\0" * 2_000_000
    head = f'--{edge}\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
    body = head.encode() + photo + f"\r\n--{edge}--\r\n".encode()
    kind = {"Content-Type": f"multipart/form-data; boundary={edge}"}
    status, answered, said = guest.ask("POST", f"{PREFIX}/upload/new", body, **kind)
    assert status == 303, said
    return str(answered["Location"])


@pytest.mark.parametrize(
    ("name", "started"), [("compose", ["serve", "reader"]), ("compose.sqlite", ["serve"])]
)
def test_a_composition_starts_existing_commands(name: str, started: list[str]) -> None:
    """Containers need a registry, so only their commands are checked here."""
    text = (fronts.DEPLOY / f"{name}.yaml").read_text()
    assert (fronts.DEPLOY.parent / "Dockerfile").is_file()
    commands = re.findall(r"command: (\[.*?\])", text, re.DOTALL)
    programs, options = zip(*(parsed(json.loads(command)) for command in commands), strict=True)
    assert list(programs) == started
    assert text.count('TZ: "${TZ:-UTC}"') == 1, "a container is in UTC otherwise"
    assert options[0]["proxies"] == tuple(re.findall(r"subnet: (\S+)\}", text))
    # All replicas of a service have its name.
    proxied = re.findall(r'"name":"(\w+)","port":"(\d+)"', adapted("compose.Caddyfile"))
    assert proxied == [("server", "8000")]
    address = re.findall(r"COMPANION_DB: \"(.*)\"", text)
    if name == "compose":
        assert address == ["postgresql+psycopg://companion:${POSTGRES_PASSWORD:?}@db/companion"]
        assert re.search(r"\n  server:\n(    .*\n)*    deploy: \{replicas: \d\}\n", text)
    else:  # the image has a database in its volume, for one server
        assert (address, "replicas" in text) == ([], False)
        assert 'volumes: ["games:/data"]' in text


def adapted(file: str) -> str:
    """A Caddyfile as Caddy understands it, in JSON."""
    missing.need("caddy")
    return subprocess.run(
        ["caddy", "adapt", "--adapter", "caddyfile", "--config", file],
        cwd=fronts.DEPLOY, env={"PATH": os.environ["PATH"], "COMPANION_NAME": fronts.NAME},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


def parsed(words: list[str]) -> tuple[str | None, dict[str, Any]]:
    """The name of a `companion` command, and its options."""
    name, command, rest = companion.resolve_command(click.Context(companion), words)
    assert command is not None
    return name, command.make_context(name, rest).params


UNIT = fronts.DEPLOY / "companion@.service"


def test_the_unit_starts_an_existing_command() -> None:
    text = UNIT.read_text().replace("\\\n", " ").replace("%i", "01")
    [command] = re.findall(r"^ExecStart=\S+/companion (.*)$", text, re.MULTILINE)
    _, options = parsed(shlex.split(command))
    assert options["port"] == 8001
    assert options["proxies"] == ("127.0.0.1",)
    folders = re.findall(r"^StateDirectory=(.*)$", text, re.MULTILINE)[0].split()
    assert options["backup_dir"] in [f"/var/lib/{folder}" for folder in folders]


def test_the_unit_is_hardened(tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd is not installed")
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text().replace("/opt/companion/bin/companion", "/bin/true"))
    verified = subprocess.run(
        ["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False
    )
    assert UNIT.name not in verified.stderr, verified.stderr
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=15", unit],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert rated.returncode == 0, rated.stdout[-300:]
