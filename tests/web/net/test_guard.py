"""Checks before any page: the host, the headers of every answer, and who counts as one."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from companion.tables import Tables
from companion.web.net.guard import headers_for, host_of, network_of, own_names
from companion.web.page.security import HOST_NAMES
from companion.web.run.asgi import LiveApp
from tests.kit.asgi import asked
from tests.kit.limits import set_limits

PATHS = ("/", "/static/app.css", "/history", "/nothing-here", "/t/x/version")


@pytest.fixture
def live(app: Flask, tables: Tables, monkeypatch: pytest.MonkeyPatch) -> LiveApp:
    monkeypatch.setitem(app.config, HOST_NAMES, own_names("studio.lan", ["games.example.org"]))
    return LiveApp(app, tables)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:8000",
        "LocalHost:8000",
        "127.0.0.1:8000",
        "[::1]:8000",
        "studio.lan:8000",
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
        "studio.lan.evil.example",
        "localhost.evil.example",
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


@pytest.mark.parametrize("path", [*PATHS, "/upload/new"])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_every_answer_has_the_usual_headers(
    app: Flask, tables: Tables, path: str, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Uploads without room and refused hosts, too."""
    set_limits(monkeypatch, tables, uploading_bytes=-1)
    monkeypatch.setitem(app.config, HOST_NAMES, own_names("studio.lan", []))
    live = LiveApp(app, tables)
    method = "POST" if path.startswith("/upload") else "GET"
    for host in ("localhost", "evil.example"):
        status, headers, _ = asked(live, path, ("Host", host), method=method, scheme=scheme)
        assert status == 429 or method == "GET" or host != "localhost"
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
def test_who_counts_as_one(one: str, other: str, same: bool) -> None:
    assert (network_of(one) == network_of(other)) is same
