"""Checks before a page: host name, body and address; endpoints for machines."""

from __future__ import annotations

import asyncio
import errno
import json
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
import sqlalchemy as sa
from flask import Flask
from werkzeug.exceptions import (
    RequestEntityTooLarge,
    RequestTimeout,
    ServiceUnavailable,
    TooManyRequests,
)

from companion import __version__
from companion.limits import Limits
from companion.tables import Tables
from companion.tables.database.sqlite_file import LOST
from companion.web.net import bodies
from companion.web.net.bodies import Bodies, ClientGone
from companion.web.net.guard import headers_for, network_of, own_names
from companion.web.page.security import HOST_NAMES
from companion.web.run.asgi import LiveApp
from lab.asgi import asked, scope_of
from lab.phones import Phone
from lab.servers import loop
from lab.tables import set_limits, spoil

PATHS = ("/", "/static/app.css", "/history", "/nothing-here", "/t/x/version")


@pytest.fixture
def live(app: Flask, tables: Tables, monkeypatch: pytest.MonkeyPatch) -> LiveApp:
    monkeypatch.setitem(app.config, HOST_NAMES, own_names("studio.lan", ["games.example.org"]))
    return LiveApp(app, tables)


OWN_HOSTS = (
    "localhost", "LocalHost:8000", "127.0.0.1:8000", "[::1]:8000", "studio.lan:8000",
    "192.0.2.1:8000", "games.example.org", "games.example.org.:443",
)  # fmt: skip
OTHER_HOSTS = (
    "evil.example", "evil.example:8000", "studio.lan.evil.example", "localhost.evil.example",
    "games.example.org@evil.example", "127.0.0.1:8350@evil.example", "localhost:1/..//evil",
    "[::1]evil.example", "[::1]:8000@evil.example", "localhost:8000:8000", "localhost:²",
    "localhost#", "localhost\\@evil.example", "", "]", "[", "[]", "a b",
)  # fmt: skip


def test_own_hosts(live: LiveApp) -> None:
    for host in OWN_HOSTS:
        for path in ("/", "/static/app.css"):
            assert asked(live, path, ("Host", host))[0] == 200, host


@pytest.mark.parametrize("host", OTHER_HOSTS)
def test_dns_rebinding_is_refused(live: LiveApp, host: str) -> None:
    """DNS rebinding: another site's page reads the answers as its own."""
    for path in PATHS:
        status, headers, body = asked(live, path, ("Host", host))
        assert status == 421, path
        assert b"--name" in body
        assert "set-cookie" not in headers
    assert asked(live, "/upload/new", ("Host", host), method="POST")[0] == 421


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_every_answer_has_the_usual_headers(
    live: LiveApp, tables: Tables, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uploads without room and refused hosts, too."""
    set_limits(monkeypatch, tables, uploading_bytes=-1)
    live = LiveApp(live.app, tables)
    for method, path in (*(("GET", path) for path in PATHS), ("POST", "/upload/new")):
        for host in ("localhost", "evil.example"):
            status, headers, _ = asked(live, path, ("Host", host), method=method, scheme=scheme)
            assert status == 429 or method == "GET" or host != "localhost"
            for name, value in headers_for(headers.get("content-type", "")).items():
                assert headers[name.lower()] == value, (path, host)
            assert ("strict-transport-security" in headers) == (scheme == "https")
            assert "cache-control" in headers


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("unix", "unix", True),
    ],
)
def test_addresses_that_count_as_one_client(one: str, other: str, same: bool) -> None:
    assert (network_of(one) == network_of(other)) is same


SMALL = Limits(uploading_bytes=64 * 1024**2)


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "BODY_BYTES", 10)
    monkeypatch.setattr(bodies, "UPLOAD_BYTES", 100)


class Client:
    """A client that sends parts, and then ends, goes or falls asleep."""

    def __init__(self, *parts: bytes, part: bytes = b"x" * 7, then: str = "end") -> None:
        self._parts = list(parts)
        self._part = part
        self._then = then
        self.asked = 0

    async def receive(self) -> dict[str, Any]:
        self.asked += 1
        if self._parts:
            more = len(self._parts) > 1 or self._then != "end"
            return {"type": "http.request", "body": self._parts.pop(0), "more_body": more}
        if self._then == "sleep":
            await asyncio.Event().wait()
        if self._then == "endless":
            return {"type": "http.request", "body": self._part, "more_body": True}
        return {"type": "http.disconnect"}


def sent(path: str, length: int | None = None) -> dict[str, Any]:
    headers = [] if length is None else [("Content-Length", str(length))]
    return scope_of(path, *headers, method="POST")


def received(scope: dict[str, Any], client: Client, limits: Limits = SMALL) -> bytes:
    async def ask() -> bytes:
        async with Bodies(limits).received(scope, client.receive) as body:
            return body.read()

    return loop.run(ask())


LARGE_OR_NOT = pytest.mark.parametrize(
    ("path", "most"),
    [("/join", 10), ("/importx", 10), ("/upload/a/b", 10), ("/upload/new", 100),
     ("/import", 512 * 1024), ("/history/import", 32 * 1024**2 + 4096)],
)  # fmt: skip


@LARGE_OR_NOT
@pytest.mark.usefixtures("_small")
def test_a_body_comes_in_pieces_or_is_refused(path: str, most: int) -> None:
    """A claim before anything is read, and what never ends as soon as it is too large."""
    for length in (None, 9):
        client = Client(b"code=", b"", b"nine")
        assert received(sent(path, length), client) == b"code=nine"
    assert received(sent(path), Client(b"x" * most)) == b"x" * most
    for length, parts in ((most + 1, 0), (None, 12), (5, 12)):
        client = Client(part=b"x" * (most // 10), then="endless")
        with pytest.raises(RequestEntityTooLarge):
            received(sent(path, length), client)
        assert client.asked <= parts


@LARGE_OR_NOT
@pytest.mark.usefixtures("_small")
def test_a_sleeping_client_is_not_waited_for(
    path: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies.asyncio, "timeout", lambda _seconds: asyncio.timeout_at(0))
    with pytest.raises(RequestTimeout):
        received(sent(path, 9), Client(b"x", then="sleep"))


def test_a_client_that_leaves() -> None:
    with pytest.raises(ClientGone):
        received(sent("/join", 9), Client(b"x", then="go"))


@pytest.mark.usefixtures("_small")
def test_uploads_share_the_room_on_the_disk() -> None:
    """Received bytes take room until the upload ends in any way; an announced length takes none."""

    async def test() -> None:
        here = Bodies(replace(SMALL, uploading_bytes=150))

        async def upload(*parts: bytes, claimed: int | None = None, then: str = "end") -> None:
            client = Client(*parts, then=then)
            async with here.received(sent("/upload/new", claimed), client.receive):
                pass

        silent = asyncio.create_task(upload(b"x" * 60, claimed=100, then="sleep"))
        await asyncio.sleep(0)
        await upload(b"x" * 90)
        for refused in (upload(b"x" * 90, b"x"), upload(claimed=91)):
            with pytest.raises(TooManyRequests) as busy:
                await refused
            assert busy.value.retry_after
        with pytest.raises(RequestEntityTooLarge):
            await upload(b"x" * 80, b"x" * 80)
        async with here.received(sent("/join", 9), Client(b"x" * 9).receive):
            pass
        silent.cancel()
        with pytest.raises(asyncio.CancelledError):
            await silent
        await upload(b"x" * 100)

    loop.run(test())


def test_a_full_disk_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """No room for a file, or for all of it."""
    full, file = OSError(errno.ENOSPC, "No space left on device"), MagicMock()
    file.__enter__.return_value.write.side_effect = (10, full)
    file.__exit__.return_value = False
    for opened in (full, [file]):
        monkeypatch.setattr(bodies.tempfile, "TemporaryFile", MagicMock(side_effect=opened))
        with pytest.raises(ServiceUnavailable):
            received(sent("/upload/new", 50), Client(b"x" * 50))


def ready(app: Flask) -> tuple[int, str]:
    """Whether the server is ready, and what it says of its database."""
    answer = app.test_client().get("/health/ready")
    document = json.loads(answer.text)
    assert document["ready"] == (answer.status_code == 200)
    assert document["version"] == __version__
    return answer.status_code, document["database"]


@pytest.mark.parametrize("host", ["games.example.org", "10.1.2.3:8000", "pool-7.internal"])
def test_a_load_balancer_asks_by_any_name(
    app: Flask, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    """It gets no cookie, and pages are still refused under such a name."""
    monkeypatch.setitem(app.config, HOST_NAMES, {"games.example.org"})
    for path in ("/health/live", "/health/ready"):
        answer = app.test_client().get(path, headers={"Host": host})
        assert answer.status_code == 200
        assert "Set-Cookie" not in answer.headers
        assert answer.headers["Cache-Control"] == "no-store"
    page = app.test_client().get("/", headers={"Host": host})
    assert (page.status_code == 421) == (host == "pool-7.internal")


def test_not_ready_with_another_schema(own_app: Flask) -> None:
    tables: Tables = own_app.extensions["tables"]
    assert ready(own_app) == (200, "ok")
    with tables.database.engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '0001'"))
    assert ready(own_app) == (503, "was migrated by another version")
    with tables.database.engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE alembic_version"))
        connection.execute(sa.text("CREATE TABLE alembic_version (x)"))
    assert ready(own_app) == (503, "does not answer")
    assert own_app.test_client().get("/health/live").status_code == 200


def test_not_ready_without_its_file(own_app: Flask, tmp_path: Path) -> None:
    phone = Phone(own_app)
    away = (tmp_path / "own.sqlite3").rename(tmp_path / "away")
    assert phone.client.post("/tables", data={"game": "qwinto-dice"}).status_code == 503
    assert ready(own_app) == (503, LOST)
    away.rename(tmp_path / "own.sqlite3")
    assert ready(own_app) == (200, "ok")
    assert phone.post("/tables", {"game": "qwinto-dice"}).status_code == 303


def test_not_ready_on_a_full_disk(own_app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=8192, free=4096))
    assert ready(own_app) == (503, "its disk is full")


def test_not_ready_with_damaged_pages(
    own_app: Flask, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The request that meets them says so once; phones keep their taps."""
    tables: Tables = own_app.extensions["tables"]
    tables.database.newest_backup = lambda: tmp_path / "companion-x.sqlite3"
    spoil(tmp_path / "own.sqlite3", "tables")
    assert ready(own_app) == (200, "ok")
    for _ in range(2):
        answer = Phone(own_app).client.post("/tables", data={"game": "qwinto-dice"})
        assert answer.status_code == 503
    assert ready(own_app) == (503, "is damaged; the newest backup is companion-x.sqlite3")
    command = f"companion restore {tmp_path}/companion-x.sqlite3 --replace"
    assert caplog.text.count(f"{command} --db sqlite:///{tmp_path}/own.sqlite3") == 1
