"""Checks before any page: the host, the framing, and the headers of every answer."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from flask import Flask

from companion.tables import Tables
from companion.web.net.guard import headers_for, host_of, own_names
from companion.web.net.proxies import network_of
from companion.web.run.asgi import LiveApp
from companion.web.run.quiet_log import OncePerPeriod
from tests.kit.asgi import asked
from tests.kit.limits import set_limits
from tests.kit.parties import Party
from tests.kit.phones import Phone, refusal_of

PATHS = ("/", "/static/app.css", "/live/x", "/history", "/nothing-here", "/t/x/version")


@pytest.fixture
def live(app: Flask, tables: Tables) -> LiveApp:
    return LiveApp(app, tables, own_names("192.168.1.5", ["games.example.org"]))


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8000",
        "LocalHost:8000",
        "127.0.0.1:8000",
        "[::1]:8000",
        "192.168.1.5:8000",
        "192.0.2.1:8000",
        "games.example.org",
        "games.example.org.:443",
    ],
)
def test_own_hosts(live: LiveApp, host: str) -> None:
    for path in ("/", "/static/app.css"):
        assert asked(live, path, ("Host", host))[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "192.168.1.5.evil.example",
        "localhost.evil.example",
        "192.168.1.6",
        "[::2]",
        "games.example.org.evil.example",
        "games.example.org@evil.example",
        "127.0.0.1:8350@evil.example",
        "localhost:1/..//evil",
        "[::1]evil.example",
        "[::1]:8000@evil.example",
        "[::1]:8000.evil.example",
        "localhost:8000:8000",
        "localhost:²",
        "localhost/evil",
        "localhost#",
        "localhost\\@evil.example",
        "",
        "]",
        "[",
        "[]",
        "a b",
    ],
)
@pytest.mark.parametrize("path", PATHS)
def test_a_name_that_was_made_to_point_here(live: LiveApp, host: str, path: str) -> None:
    """DNS rebinding: another site's page reads the answers as its own."""
    status, headers, body = asked(live, path, ("Host", host))
    assert status == 421
    assert b"--name" in body
    assert "set-cookie" not in headers
    assert asked(live, "/upload/new", ("Host", host), method="POST")[0] == 421


@pytest.mark.parametrize("path", PATHS)
def test_a_length_and_chunks_together(live: LiveApp, path: str) -> None:
    """Two servers in a row may take different ends of such a request for its end (smuggling)."""
    both = (("Content-Length", "4"), ("Transfer-Encoding", "chunked"))
    status, headers, _ = asked(live, path, ("Host", "localhost"), *both, method="POST")
    assert status == 400
    assert headers["connection"] == "close"


@pytest.mark.parametrize("path", [*PATHS, "/upload/new"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_every_answer_has_the_usual_headers(
    live: LiveApp, tables: Tables, path: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streams, uploads without room and refused hosts, too."""
    set_limits(monkeypatch, tables, uploading_bytes=-1)
    method = "POST" if path.startswith("/upload") else "GET"
    for host in ("localhost", "evil.example"):
        status, headers, _ = asked(live, path, ("Host", host), method=method, scheme=scheme)
        assert status == 503 or method == "GET" or host != "localhost"
        for name, value in headers_for(headers.get("content-type", "")).items():
            assert headers[name.lower()] == value, (path, host)
        assert ("strict-transport-security" in headers) == (scheme == "https")
        assert "cache-control" in headers


def test_hosts_are_compared_without_their_ports() -> None:
    assert host_of("A.Example:80") == "a.example"
    assert host_of("[2001:DB8::1]:80") == host_of("2001:db8::1") == "2001:db8::1"
    assert "localhost" in own_names("10.0.0.1", [])
    assert "" not in own_names("", [""])


def test_pictures_do_not_outlive_their_review_in_a_browser(app: Flask, tmp_path: Path) -> None:
    """A picture that was thrown away must not be found in a browser's cache."""
    from companion.web.review import pages as review_pages

    with app.test_request_context("/review/x/y.jpg"):
        answer = app.process_response(review_pages._jpeg(b"\xff\xd8"))
    assert answer.headers["Cache-Control"] == "no-store"


# The log


def test_refused_strangers_are_logged_without_names_and_tokens(
    game: Party, caplog: pytest.LogCaptureFixture
) -> None:
    stranger = Phone(game.app)
    with caplog.at_level(logging.WARNING), caplog.filtering(OncePerPeriod()):
        stranger.get(f"{game.path}?name=Tim")
        stranger.get("/j/no-such-token")
        stranger.get("/nothing/Tim")
        for _ in range(12):
            stranger.post("/join", {"code": "AAAAAA"})
    lines = [record.getMessage() for record in caplog.records]
    assert f"refused with 403 (not-a-member): GET /t/<table_id>/ from {stranger.address}" in lines
    assert f"refused with 404 (no-such-link): GET /j/<token> from {stranger.address}" in lines
    assert f"refused with 404 (http-404): no such route from {stranger.address}" in lines
    network = network_of(stranger.address)
    assert f"refused with 429 (codes): no room for address from {network}" in lines
    assert len(lines) == 5, "the same refusal has one line a minute"
    for secret in ("Tim", "AAAAAA", "no-such-token", game.id, stranger.device):
        assert secret not in "".join(lines)
    assert refusal_of(stranger.get(game.path)).status == 403
