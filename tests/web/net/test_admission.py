"""Limits by address, deadlines of connections, and a log that does not fill the disk."""

from __future__ import annotations

import asyncio
import io
import itertools
import logging
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from flask import Flask
from uvicorn.server import ServerState

from companion.limits import USUAL, Limits
from companion.tables import Tables
from companion.web.net import connections
from companion.web.net.admission import client_address, network_of
from companion.web.run.asgi import LiveApp
from companion.web.run.quiet_log import OncePerPeriod
from tests.kit.asgi import scope_of
from tests.kit.limits import set_limits
from tests.kit.servers import loop


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


def test_a_request_without_an_address() -> None:
    assert client_address({"client": None}) == ""


# Connections


PORTS = itertools.count(1)


class Line(asyncio.Transport):
    """A transport that notes how it was closed."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = (address, next(PORTS))
        self.closed = False
        self.sent = b""

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return {"peername": self.address, "sockname": ("127.0.0.1", 80)}.get(name)

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    abort = close

    def write(self, data: bytes) -> None:
        self.sent += data

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


async def _silent(_scope: Any, receive: Any, _send: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Door:
    """Connections to one server whose app never answers."""

    def __init__(self, limits: Limits) -> None:
        self._connections = connections.Connections(limits)
        silent = self._connections.app(_silent)
        self._config = uvicorn.Config(silent, lifespan="off", log_config=None)
        self._config.load()
        self._state = ServerState()
        self.open: list[Any] = []

    async def connect(self, address: str, data: bytes = b"") -> Line:
        line = Line(address)
        server = {"config": self._config, "server_state": self._state, "app_state": {}}
        made = self._connections.protocol(**server)
        self.open.append(made)
        made.connection_made(line)
        if data:
            made.data_received(data)
            await _moment()
        return line

    def leave(self) -> None:
        for made in self.open:
            made.connection_lost(None)


async def _moment(seconds: float = 0.0) -> None:
    await asyncio.sleep(seconds)


def test_headers_have_a_deadline() -> None:
    async def test() -> None:
        door = Door(Limits(head_seconds=0.1))
        silent = await door.connect("192.0.2.1")
        half = await door.connect("192.0.2.1", b"GET / HTTP/1.1\r\nHost:")
        whole = await door.connect("192.0.2.1", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await _moment(0.05)
        door.open[1].data_received(b" ")  # a byte now and then does not buy time
        await _moment(0.1)
        assert [line.closed for line in (silent, half, whole)] == [True, True, False]
        door.leave()
        await _moment()

    loop.run(test())


def test_a_new_phone_gets_in_when_all_is_taken() -> None:
    async def test() -> None:
        door = Door(Limits(connections=3))
        asking = await door.connect("192.0.2.1", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        idle = [await door.connect("192.0.2.9") for _ in range(2)]
        phone = await door.connect("192.0.2.2")
        assert [line.closed for line in (asking, *idle, phone)] == [False, True, False, False]
        door.leave()
        await _moment()

    loop.run(test())


def test_an_address_has_a_share_of_the_connections() -> None:
    async def test() -> None:
        door = Door(Limits(connections_per_address=2))
        request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
        lines = [await door.connect("192.0.2.9", request) for _ in range(3)]
        assert [line.closed for line in lines] == [False, False, True]
        proxied = [await door.connect("127.0.0.1", request) for _ in range(3)]
        assert not any(line.closed for line in proxied), "a proxy stands for many"
        door.leave()
        await _moment()

    loop.run(test())


@pytest.mark.parametrize(("soft", "most"), [(256, 64), (1024, 704), (1_000_000, 4096), (-1, 4096)])
def test_descriptors_are_kept_in_reserve(
    monkeypatch: pytest.MonkeyPatch, soft: int, most: int
) -> None:
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _which: (soft, soft))
    assert connections.capacity(USUAL) == most


# Requests


def request(path: str, method: str = "GET", length: int | None = None) -> dict[str, Any]:
    headers = [("Host", "localhost")]
    if length is not None:
        headers.append(("Content-Length", str(length)))
    return scope_of(path, *headers, method=method)


@pytest.mark.parametrize(
    ("path", "method", "threads"),
    [
        ("/", "GET", "_reading"),
        ("/t/x/", "HEAD", "_reading"),
        ("/history", "GET", "_reading"),
        ("/pads", "GET", "_reading"),
        ("/t/x/taps", "POST", "_writing"),
        ("/tables", "POST", "_writing"),
        ("/static/js/table.js", "GET", "_static"),
        ("/pads/pads.pdf", "GET", "_slow"),
        ("/history/history.json", "GET", "_slow"),
        ("/history/people/x/chart.svg", "GET", "_slow"),
        ("/history?search=1", "GET", "_slow"),
    ],
)
def test_who_answers_what(app: Flask, tables: Tables, path: str, method: str, threads: str) -> None:
    """Reads never wait for writes, and styles and scripts for neither."""
    live = LiveApp(app, tables)
    assert live._threads_for(request(path, method)) is getattr(live, threads)


def test_bodies_have_a_deadline_and_an_address_a_share(
    app: Flask, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limits(monkeypatch, tables, body_seconds=0.3)

    async def test() -> list[int]:
        live = LiveApp(app, tables)
        statuses: list[int] = []

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        async def half() -> dict[str, Any]:
            await asyncio.sleep(0.1)
            return {"type": "http.request", "body": b"x", "more_body": True}

        asks = [
            live(request("/join", "POST", 1000), half, send)
            for _ in range(USUAL.bodies_per_address + 3)
        ]
        await asyncio.gather(*asks)
        assert not tables.limiter.used("bodies")
        return statuses

    assert sorted(loop.run(test())) == [408] * USUAL.bodies_per_address + [429] * 3


# The log


def test_a_repeated_error_is_logged_once_a_minute() -> None:
    now = SimpleNamespace(time=0.0)
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.addFilter(OncePerPeriod(lambda: now.time))
    log = logging.Logger("test")
    log.addHandler(handler)

    def fail(number: int) -> None:
        try:
            raise OSError(24, f"too many open files {number}")
        except OSError:
            log.exception("accept failed")

    for number in range(1000):
        fail(number)
    log.error("another one")
    assert out.getvalue().count("accept failed") == 1
    assert out.getvalue().count("another one") == 1
    now.time = 61.0
    fail(0)
    assert "999 times more" in out.getvalue()
