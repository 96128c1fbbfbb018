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
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import click
import pytest

from companion.cli import companion
from tests.kit.games import roll
from tests.kit.pages import Page
from tests.kit.patience import PATIENCE, until
from tests.kit.photos.standin import picture
from tests.kit.servers import fronts
from tests.kit.servers.process import serving

PREFIX = "/companion"
COMMAND = re.compile(r"^#\s+(companion serve .*)$", re.MULTILINE)


def arguments_of(file: str) -> list[str]:
    """The arguments of the command that a configuration tells to start."""
    [command] = COMMAND.findall((fronts.DEPLOY / file).read_text())
    return shlex.split(command)[2:]


Answer: TypeAlias = tuple[int, http.client.HTTPMessage, bytes]
"""Status, headers and body."""


class Outside(http.client.HTTPSConnection):
    """A connection from the internet to the proxy, which has the name's certificate."""

    def __init__(self, port: int, chain: Path, host: str = "127.0.0.1") -> None:
        super().__init__(fronts.NAME, port, timeout=PATIENCE,
                         context=ssl.create_default_context(cafile=str(chain)))  # fmt: skip
        self.address = host

    def connect(self) -> None:
        plain = socket.create_connection((self.address, self.port), PATIENCE)
        self.sock = self._context.wrap_socket(plain, server_hostname=fronts.NAME)  # type: ignore[attr-defined]


@pytest.fixture(params=["nginx", "caddy"])
def outside(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[int, Path]]:
    """The https port of a proxy in front of a server, and the certificate."""
    if not fronts.is_installed(request.param):
        pytest.skip(f"{request.param} is not installed")
    file = {"nginx": "nginx.conf", "caddy": "Caddyfile"}[request.param]
    arguments = [*arguments_of(file), "--db", f"sqlite:///{tmp_path / 'x.sqlite3'}"]
    with (
        serving(*arguments, module="tests.kit.servers.patient",
                COMPANION_TEST_READER="tests.kit.photos.standin") as server,
        fronts.running(request.param, tmp_path, server.port) as port,
    ):  # fmt: skip
        yield port, tmp_path / "fullchain.pem"
        status, said = server.stop(signal.SIGTERM)
        assert status == 0
        # The test itself has looked whether the app answers.
        assert [line for line in said.splitlines() if "does not say for whom" not in line] == []


def test_a_game_behind_a_real_proxy(outside: tuple[int, Path]) -> None:
    """A table, a stream that is not held back, a large photo, and what a stranger makes up."""
    port, chain = outside
    headers = {
        "Host": f"{fronts.NAME}:{port}",
        "X-Forwarded-For": "127.0.0.1",
        "X-Forwarded-Prefix": "/evil",
        "X-Forwarded-Host": "evil.example",
        "X-Request-ID": "made-up-by-a-stranger",
    }

    def ask(method: str, path: str, body: bytes | str = "", **more: str) -> Answer:
        line = Outside(port, chain)
        line.request(method, path, body or None, headers | more)
        answer = line.getresponse()
        found = answer.status, answer.headers, answer.read()
        line.close()
        return found

    status, answered, body = ask("GET", f"{PREFIX}/")
    assert status == 200, body
    assert answered["Strict-Transport-Security"]
    assert answered["X-Request-ID"] != headers["X-Request-ID"]
    start = Page(body.decode())
    style = next(e.attrs["href"] for e in start.elements if e.attrs.get("rel") == "stylesheet")
    assert ask("GET", str(style))[0] == 200
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    assert ask("POST", f"{PREFIX}/tables", "game=qwinto-dice", **form)[0] == 401
    assert ask("POST", f"{PREFIX}/import", **form)[0] == 401
    word = b64encode(f"club:{fronts.WORD}".encode()).decode()
    status, answered, _ = ask(
        "POST", f"{PREFIX}/tables", "game=qwinto-dice", Authorization=f"Basic {word}", **form
    )
    assert status == 303
    path, cookie = answered["Location"], answered["Set-Cookie"]
    assert path.startswith(f"{PREFIX}/t/")
    assert "; Secure" in cookie
    assert f"; Path={PREFIX};" in f"{cookie};"
    headers["Cookie"] = cookie.split(";")[0]
    for name in ("Tim", "Sarah"):
        ask("POST", f"{path}do/add", f"name={name}&color=red", **form)
    link = f"https://{fronts.NAME}:{port}{PREFIX}/j/"
    assert link.encode() in ask("POST", f"{path}share", **form)[2]
    ask("POST", f"{path}do/start", **form)
    table = Page(ask("GET", path)[2].decode()).one(id="table")
    live = str(table.attrs["data-live"])
    assert live.startswith(f"{PREFIX}/live/")
    line = Outside(port, chain, "::1" if has_ipv6() else "127.0.0.1")
    line.request("GET", live, headers=headers)
    stream = line.getresponse()
    assert stream.status == 200
    before = next_data(stream)
    tap = json.dumps({"id": "deploy-tap", "action": roll("Tim", yellow=4)})
    kind = {"Content-Type": "application/json"}
    assert ask("POST", f"{path}taps", tap, **kind)[0] == 200
    assert next_data(stream) != before, "and not only when the proxy's buffer is full"
    stream.close()
    line.close()
    review = send_photo(ask)
    assert review.startswith(f"{PREFIX}/review/")
    assert until(lambda: b'id="reading"' not in ask("GET", review)[2])
    assert ask("GET", review)[0] == 200


def next_data(stream: http.client.HTTPResponse) -> bytes:
    while not (line := stream.readline()).startswith(b"data: "):
        assert line
    return line


def send_photo(ask: Callable[..., Answer]) -> str:
    """Sends a photo of two megabytes, more than pages may be; returns the review's address."""
    edge = "deploy-edge"
    photo = picture(220) + b"\0" * 2_000_000
    head = f'--{edge}\r\nContent-Disposition: form-data; name="photo"; filename="a.jpg"\r\n\r\n'
    body = head.encode() + photo + f"\r\n--{edge}--\r\n".encode()
    kind = {"Content-Type": f"multipart/form-data; boundary={edge}"}
    status, answered, said = ask("POST", f"{PREFIX}/upload/new", body, **kind)
    assert status == 303, said
    return str(answered["Location"])


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


def test_the_composition_starts_what_there_is() -> None:
    """Containers need a registry, so only what they are told to do is checked here."""
    text = (fronts.DEPLOY / "compose.yaml").read_text()
    assert (fronts.DEPLOY.parent / "Dockerfile").is_file()
    commands = [json.loads(found) for found in re.findall(r"command: (\[.*\])", text)]
    assert [parsed(command)[0] for command in commands] == ["serve", "reader"]
    address = re.findall(r"COMPANION_DB: \"(.*)\"", text)
    assert address == ["postgresql+psycopg://companion:${POSTGRES_PASSWORD:?}@db/companion"]
    if shutil.which("caddy") is None:
        pytest.skip("caddy is not installed")
    adapted = subprocess.run(
        ["caddy", "adapt", "--adapter", "caddyfile", "--config", "compose.Caddyfile"],
        cwd=fronts.DEPLOY, env={"PATH": os.environ["PATH"], "COMPANION_NAME": fronts.NAME},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    servers = re.findall(r'"dial":"([\w-]+):8000"', adapted.stdout)
    assert servers == ["server-1", "server-2"]
    assert all(f"\n  {server}: *server" in text for server in servers)


def parsed(words: list[str]) -> tuple[str | None, dict[str, Any]]:
    """The name of a `companion` command, and its options."""
    name, command, rest = companion.resolve_command(click.Context(companion), words)
    assert command is not None
    return name, command.make_context(name, rest).params


UNIT = fronts.DEPLOY / "companion.service"


def test_the_unit_starts_what_there_is() -> None:
    text = UNIT.read_text().replace("\\\n", " ")
    [command] = re.findall(r"^ExecStart=\S+/companion (.*)$", text, re.MULTILINE)
    _, options = parsed(shlex.split(command))
    assert options["behind_proxy"] == ("127.0.0.1",)
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
    assert "companion.service" not in verified.stderr, verified.stderr
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=15", unit],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert rated.returncode == 0, rated.stdout[-300:]
