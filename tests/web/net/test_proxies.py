"""Trusted proxies, path prefixes and IPv6: whose headers are believed, and what follows."""

from __future__ import annotations

import logging
import re
from typing import Any

import pytest
from flask import Flask

from companion.core.refusal import Unusable
from companion.tables import Tables
from companion.web.net.asgi_types import AsgiApp
from companion.web.net.guard import own_names
from companion.web.net.proxies import BehindProxies, Proxies, parse_networks, parse_prefix
from companion.web.page.security import COOKIE, PREFIXED_COOKIE, SECURE_COOKIE
from companion.web.run.asgi import LiveApp
from companion.web.run.operation import Operation, front, parse_address
from tests.kit.asgi import body_of, exchanged, scope_of
from tests.kit.pages import ADDRESSES, Page
from tests.kit.servers import loop

PROXY = "10.0.0.7"
CLIENT = "203.0.113.9"


def handed_on(proxies: Proxies, *headers: tuple[str, str], peer: str, path: str = "/") -> Any:
    """The request as the app sees it."""
    seen: list[Any] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        seen.append(scope)

    async def nothing(*_arguments: Any) -> Any:
        return None

    scope = scope_of(path, *headers, peer=peer)
    loop.run(BehindProxies(app, proxies)(scope, nothing, nothing))
    return seen[0]


def header(scope: Any, name: bytes) -> list[bytes]:
    return [value for sent, value in scope["headers"] if sent == name]


EVERYTHING = (
    ("Host", "inside:8000"),
    ("X-Forwarded-For", CLIENT),
    ("X-Forwarded-Proto", "https"),
    ("X-Forwarded-Host", "games.example.org"),
    ("X-Forwarded-Prefix", "/companion/"),
)


@pytest.mark.parametrize("peer", ["10.0.0.7", "::ffff:10.0.0.7", "10.255.0.1", "fd00::5"])
def test_a_trusted_proxy_is_believed(peer: str) -> None:
    seen = handed_on(Proxies(parse_networks("10.0.0.0/8, fd00::/8")), *EVERYTHING, peer=peer)
    assert seen["client"][0] == CLIENT
    assert seen["scheme"] == "https"
    assert header(seen, b"host") == [b"games.example.org"]
    assert seen["root_path"] == "/companion"


@pytest.mark.parametrize("peer", ["192.0.2.66", "11.0.0.1", "127.0.0.1", "::1", "fe80::1%eth0"])
def test_nobody_else_is_believed(peer: str) -> None:
    for networks in ((), parse_networks("10.0.0.0/8")):
        seen = handed_on(Proxies(networks), *EVERYTHING, peer=peer)
        assert seen["client"][0] == peer
        assert seen["scheme"] == "http"
        assert header(seen, b"host") == [b"inside:8000"]
        assert seen["root_path"] == ""


@pytest.mark.parametrize(
    ("said", "client"),
    [
        ("1.2.3.4, 203.0.113.9", CLIENT),  # the client made the first one up
        ("127.0.0.1, 203.0.113.9", CLIENT),
        ("203.0.113.9, 10.0.0.3", CLIENT),  # two proxies of ours
        ("2001:db8::5", "2001:db8::5"),
        ("", PROXY),
    ],
)
def test_the_nearest_address_that_is_no_proxy(said: str, client: str) -> None:
    proxies = Proxies(parse_networks("10.0.0.0/8"))
    assert handed_on(proxies, ("X-Forwarded-For", said), peer=PROXY)["client"][0] == client


@pytest.mark.parametrize("said", ["companion", "//evil", "/a/../b", "/a b", "/é", "/" + "a" * 200])
def test_a_prefix_that_is_none(said: str) -> None:
    proxies = Proxies(parse_networks(PROXY))
    sent = (b"x-forwarded-prefix", said.encode("latin-1"))
    scope = scope_of("/", peer=PROXY)
    scope["headers"].append(sent)
    assert handed_on(proxies, peer=PROXY)["root_path"] == ""
    if not said.startswith(("/a b", "/é")):
        seen = handed_on(proxies, ("X-Forwarded-Prefix", said), peer=PROXY)
        assert seen["root_path"] == ""
    with pytest.raises(Unusable):
        parse_prefix(said)


@pytest.mark.parametrize(
    ("path", "own"),
    [("/companion/t/x/", "/t/x/"), ("/companion", "/"), ("/t/x/", "/t/x/"), ("/companions", None)],
)
def test_the_proxy_takes_the_prefix_off_or_not(path: str, own: str | None) -> None:
    """The operator's prefix goes before the proxy's."""
    proxies = Proxies(parse_networks(PROXY), parse_prefix("/companion/"))
    for peer in (PROXY, "192.0.2.66"):
        seen = handed_on(proxies, ("X-Forwarded-Prefix", "/evil"), peer=peer, path=path)
        assert seen["path"] == (own or path)
        assert seen["root_path"] == "/companion"


def test_what_the_operator_is_told(caplog: pytest.LogCaptureFixture) -> None:
    """Once each: a proxy that is not believed, and one that does not name its clients."""

    async def app(*_arguments: Any) -> None:
        pass

    async def ask(proxies: Proxies, *headers: tuple[str, str], peer: str, path: str = "/") -> None:
        behind = BehindProxies(app, proxies)
        for _ in range(2):
            await behind(scope_of(path, *headers, peer=peer), app, app)  # type: ignore[arg-type]

    trusted = Proxies(parse_networks(PROXY))
    with caplog.at_level(logging.WARNING):
        loop.run(ask(Proxies(), ("X-Forwarded-For", CLIENT), peer="127.0.0.1"))
        loop.run(ask(trusted, peer=PROXY))
        loop.run(ask(trusted, peer=PROXY, path="/health/ready"))
        loop.run(ask(Proxies(), ("X-Forwarded-For", CLIENT), peer="192.0.2.66"))
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert "--behind-proxy" in said[0]
    assert PROXY in said[1]


@pytest.mark.parametrize("text", ["", "x", "10.0.0.0/33", "10.0.0.1/8", "localhost", "10.0.0.1,"])
def test_a_list_of_proxies_that_is_none(text: str) -> None:
    with pytest.raises(Unusable):
        parse_networks(text)


def test_metrics_are_for_this_computer_unless_told_otherwise() -> None:
    assert parse_address("9100") == ("127.0.0.1", 9100)
    assert parse_address("10.0.0.5:9100") == ("10.0.0.5", 9100)
    assert parse_address("[::1]:9100") == ("::1", 9100)
    for wrong in ("x", "0", "70000", "10.0.0.5:", "-1"):
        with pytest.raises(Unusable):
            parse_address(wrong)


# The whole app behind a proxy


class Visitor:
    """A browser that reaches the app by a proxy, with the cookies that it was given."""

    def __init__(self, app: AsgiApp, *, scheme: str = "https", prefix: str = "") -> None:
        self.app = app
        self.prefix = prefix
        self.headers = [
            ("Host", "inside:8000"),
            ("X-Forwarded-For", CLIENT),
            ("X-Forwarded-Proto", scheme),
            ("X-Forwarded-Host", "games.example.org"),
            *([("X-Forwarded-Prefix", prefix)] if prefix else []),
        ]
        self.cookies: dict[str, str] = {}
        self.set_cookies: list[str] = []

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> Any:
        """Status, headers and body. The proxy takes the prefix off."""
        assert path.startswith(f"{self.prefix}/"), path
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        more = [("Cookie", cookie)] if cookie else []
        if body or method == "POST":
            form = "application/x-www-form-urlencoded"
            more += [("Content-Length", str(len(body))), ("Content-Type", kind or form)]
        path = path[len(self.prefix) :]
        scope = scope_of(path, *self.headers, *more, peer=PROXY, method=method)
        sent = exchanged(self.app, scope, body)
        headers: dict[str, str] = {}
        for name, value in sent[0]["headers"]:
            headers[name.decode().lower()] = value.decode()
            if name.lower() == b"set-cookie":
                self.set_cookies.append(value.decode())
                key, _, rest = value.decode().partition("=")
                self.cookies[key] = rest.partition(";")[0]
        return sent[0]["status"], headers, body_of(sent)


@pytest.fixture
def behind(own_app: Flask) -> AsgiApp:
    tables: Tables = own_app.extensions["tables"]
    own_app.config["LAN_ADDRESS"] = "http://192.168.1.5:8000"
    live = LiveApp(own_app, tables, own_names("192.168.1.5", ["games.example.org"]))
    return front(live, Operation(Proxies(parse_networks(PROXY))))


def addresses(page: Page) -> list[str]:
    found = [element.attrs.get(name) or "" for element in page.elements for name in ADDRESSES]
    return [address for address in found if address and not address.startswith(("data:", "#"))]


@pytest.mark.parametrize("prefix", ["", "/companion"])
def test_a_game_behind_a_proxy(behind: AsgiApp, prefix: str) -> None:
    """Links, files, cookies and the QR code have the outer scheme, host and path."""
    phone = Visitor(behind, prefix=prefix)
    status, headers, body = phone.ask("GET", f"{prefix}/")
    assert status == 200
    assert headers["strict-transport-security"]
    start = Page(body.decode())
    for address in addresses(start):
        assert address.startswith(f"{prefix}/"), address
        if "/static/" in address:
            assert phone.ask("GET", address)[0] == 200, address
    status, headers, _ = phone.ask("POST", f"{prefix}/tables", b"game=qwinto-dice")
    assert status == 303
    path = headers["location"]
    assert path.startswith(f"{prefix}/t/")
    name = PREFIXED_COOKIE if prefix else SECURE_COOKIE
    [cookie] = phone.set_cookies
    assert cookie.startswith(f"{name}=")
    assert "; Secure" in cookie
    assert re.search(rf"; Path={prefix or '/'}(;|$)", cookie)
    for player in (b"name=Tim&color=red", b"name=Sarah&color=blue"):
        assert phone.ask("POST", f"{path}do/add", player)[0] == 303
    _, _, shared = phone.ask("POST", f"{path}share")
    assert f"https://games.example.org{prefix}/j/".encode() in shared
    assert phone.ask("POST", f"{path}do/start")[0] == 303
    page = Page(phone.ask("GET", path)[2].decode())
    for address in addresses(page):
        assert address.startswith((f"{prefix}/", "?")), address
    status, headers, _ = phone.ask("POST", f"{prefix}/language", b"language=de")
    assert headers["location"] == f"{prefix}/"
    assert re.search(rf"; Path={prefix or '/'}(;|$)", phone.set_cookies[-1])
    tap = b'{"id": "tap-behind", "action": {"do": "roll", "by": "Tim", "dice": {"yellow": 4}}}'
    assert phone.ask("POST", f"{path}taps", tap, "application/json")[0] == 200


def test_over_http_the_cookie_is_plain(behind: AsgiApp) -> None:
    phone = Visitor(behind, scheme="http")
    phone.ask("POST", "/tables", b"game=qwinto-dice")
    [cookie] = phone.set_cookies
    assert cookie.startswith(f"{COOKIE}=")
    assert "Secure" not in cookie


def test_a_name_that_was_not_allowed(behind: AsgiApp) -> None:
    """A proxy passes on whatever host it was asked for."""
    phone = Visitor(behind)
    phone.headers[3] = ("X-Forwarded-Host", "evil.example")
    assert phone.ask("GET", "/")[0] == 421


def test_limits_count_the_client_and_not_the_proxy(behind: AsgiApp) -> None:
    first, other = Visitor(behind), Visitor(behind)
    other.headers[1] = ("X-Forwarded-For", "2001:db8::1")
    for _ in range(10):
        assert first.ask("POST", "/join", b"code=AAAAAA")[0] == 404
    assert first.ask("POST", "/join", b"code=AAAAAA")[0] == 429
    assert other.ask("POST", "/join", b"code=AAAAAA")[0] == 404
    # The same household of IPv6: its /64 network.
    for last in range(9):
        other.headers[1] = ("X-Forwarded-For", f"2001:db8::1:{last}")
        other.ask("POST", "/join", b"code=AAAAAA")
    assert other.ask("POST", "/join", b"code=AAAAAA")[0] == 429
