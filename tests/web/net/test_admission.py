"""Limits by address, deadlines of connections, and a log that does not fill the disk."""

from __future__ import annotations

import asyncio
import errno
import io
import itertools
import logging
import threading
from types import SimpleNamespace
from typing import Any

import pytest
import uvicorn
from flask import Flask
from uvicorn.server import ServerState

from companion.limiter import REFUSALS, Limiter
from companion.limits import USUAL, Limits
from companion.tables import Tables
from companion.web.net import connections
from companion.web.net.proxies import NO_PROXIES, limited_address, network_of
from companion.web.net.uploads import REFUSED
from companion.web.run.asgi import LiveApp
from companion.web.run.quiet_log import MOST_LINES, PERIOD, REMEMBERED, OncePerPeriod
from companion.web.run.threads import Turns
from tests.kit.asgi import scope_of
from tests.kit.limits import set_limits
from tests.kit.patience import PATIENCE
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
    assert limited_address({"client": None}) == ""


# Connections


PORTS = itertools.count(1)


class Line(asyncio.Transport):
    """A transport that notes how it was closed."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.address = (address, next(PORTS))
        self.closed = False
        self.sent = b""
        self.waiting = 0
        """Bytes that the client has not taken yet."""
        self.takes = 0
        """Bytes that it takes from one look at them to the next."""
        self.looks = 0

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return {"peername": self.address, "sockname": ("127.0.0.1", 80)}.get(name)

    def is_closing(self) -> bool:
        return self.closed

    def close(self) -> None:
        self.closed = True

    abort = close

    def get_write_buffer_size(self) -> int:
        self.looks += 1
        self.waiting -= self.takes
        return self.waiting

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
        self._limiter = Limiter(limits)
        self._config = uvicorn.Config(_silent, lifespan="off", log_config=None)
        self._config.load()
        self._state = ServerState()
        self.open: list[Any] = []

    async def connect(self, address: str, data: bytes = b"") -> Line:
        line = Line(address)
        server = {"config": self._config, "server_state": self._state, "app_state": {}}
        made = connections.Connection(self._limiter, NO_PROXIES, **server)
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


@pytest.mark.parametrize(("busy_count", "idle_count", "phone_count"), [(1, 3, 3), (3, 2, 2)])
def test_a_new_phone_gets_in_when_all_is_taken(
    busy_count: int, idle_count: int, phone_count: int
) -> None:
    """The oldest idle connection is closed, also where another address has more busy ones."""
    request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"

    async def test() -> None:
        door = Door(Limits(connections=7))
        busy = [await door.connect("192.0.2.1", request) for _ in range(busy_count)]
        idle = [await door.connect("192.0.2.9") for _ in range(idle_count)]
        phones = [await door.connect(f"192.0.2.{20 + number}") for number in range(phone_count)]
        assert [line for line in (*busy, *idle, *phones) if line.closed] == idle[:1]
        door.leave()
        await _moment()

    loop.run(test())


@pytest.mark.parametrize("taken", [0, 100])
def test_an_answer_has_to_be_taken(taken: int) -> None:
    """Whoever asks and reads nothing keeps no connection; a slow phone does."""

    async def test() -> None:
        door = Door(Limits(stall_seconds=0.02, stall_bytes=100))
        line = await door.connect("192.0.2.1", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        line.waiting, line.takes = 10_000, taken
        door.open[0].pause_writing()
        while line.looks < 5 and not line.closed:
            await _moment(0.005)
        door.open[0].resume_writing()
        await _moment(0.05)
        assert line.closed is not bool(taken)
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


@pytest.mark.parametrize(("soft", "most"), [(256, 64), (1024, 512), (1_000_000, 4096), (-1, 4096)])
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
        ("/pads/pads.pdf", "GET", "_printing"),
        ("/pads/map.json", "GET", "_slow"),
        ("/history/history.json", "GET", "_slow"),
        ("/history/people/x/chart.svg", "GET", "_slow"),
        ("/history/people/x/delete", "POST", "_slow"),
        ("/history/people/x/rename", "POST", "_slow"),
        ("/history?search=1", "GET", "_slow"),
    ],
)
def test_who_answers_what(app: Flask, tables: Tables, path: str, method: str, threads: str) -> None:
    """Reads never wait for writes, styles and scripts for neither, and nobody for a PDF."""
    live = LiveApp(app, tables)
    assert live._threads_for(request(path, method)) is getattr(live, threads)


class Client:
    """A client of the app: the messages that it sends, and the answer to them."""

    def __init__(self, scope: dict[str, Any], *parts: bytes, ends: bool = True) -> None:
        self.scope = scope
        self.status = 0
        self.headers: dict[str, str] = {}
        self.text = ""
        self.asked = 0
        """How often the app has asked for a part of the body."""
        self._parts, self._ends = parts, ends

    async def receive(self) -> dict[str, Any]:
        self.asked += 1
        await asyncio.sleep(0)  # nothing comes together with the head
        if self.asked > len(self._parts) and not self._ends:
            await asyncio.Event().wait()
        part = self._parts[self.asked - 1] if self.asked <= len(self._parts) else b""
        is_last = self._ends and self.asked >= len(self._parts)
        return {"type": "http.request", "body": part, "more_body": not is_last}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        self.text += message.get("body", b"").decode()

    async def ask(self, live: LiveApp) -> None:
        await live(self.scope, self.receive, self.send)


def half_body(address: str) -> Client:
    return Client(request("/join", "POST", 9) | {"client": (address, 1)}, b"x", ends=False)


def whole_body(address: str) -> Client:
    """Its answer says that there is no such code."""
    scope = request("/join", "POST", 9) | {"client": (address, 1)}
    scope["headers"].append((b"content-type", b"application/x-www-form-urlencoded"))
    return Client(scope, b"code=", b"none")


def test_a_body_has_a_deadline(app: Flask, tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    set_limits(monkeypatch, tables, body_seconds=0.05)
    client = half_body("192.0.2.7")
    loop.run(client.ask(LiveApp(app, tables)))
    assert client.status == 408
    assert not tables.limiter.used("bodies")


@pytest.mark.parametrize(
    "attackers",
    [
        pytest.param([f"192.0.2.{number}" for number in range(10, 30)], id="many addresses"),
        pytest.param(["192.0.2.7"], id="the phone's own address"),
        pytest.param(["127.0.0.1"], id="this computer"),
    ],
)
def test_half_sent_bodies_keep_nobody_out(
    app: Flask, tables: Tables, caplog: pytest.LogCaptureFixture, attackers: list[str]
) -> None:
    """A body that comes in a packet of its own takes the place of the oldest of those."""

    async def test() -> None:
        live = LiveApp(app, tables)
        halves = [half_body(address) for address in attackers for _ in range(USUAL.bodies + 10)]
        asking = [asyncio.create_task(half.ask(live)) for half in halves]
        await asyncio.sleep(0.01)
        phone = whole_body("192.0.2.7")
        await phone.ask(live)
        assert "code" in phone.text
        assert tables.limiter.used("bodies") <= USUAL.bodies
        most = USUAL.bodies if attackers == ["127.0.0.1"] else USUAL.bodies_per_address
        for address in attackers:
            assert tables.limiter.used("bodies", "address", address) <= most
        live.stop()
        await asyncio.gather(*asking)

    loop.run(test())
    assert not tables.limiter.used("bodies")
    assert any("bodies" in line and "ended for others" in line for line in caplog.messages)


@pytest.mark.parametrize("says_so", [True, False])
def test_only_uploads_may_be_large(app: Flask, tables: Tables, says_so: bool) -> None:
    """A larger body is refused with a sentence before it has come, and never parsed."""
    length = 10 * USUAL.body_bytes
    parts = [bytes(USUAL.body_bytes // 4)] * 40
    client = Client(request("/language", "POST", length if says_so else None), *parts)
    loop.run(client.ask(LiveApp(app, tables)))
    assert client.status == 413
    assert "That is too large" in client.text
    assert client.asked <= (0 if says_so else 6)


# Threads


def test_addresses_take_turns() -> None:
    """An address that has much to do waits for others between two requests of its own."""
    done: list[str] = []

    async def test() -> None:
        turns = Turns(2, 1)

        async def work(name: str) -> None:
            async with turns.turn(name[:1].strip("-"), None):
                await _moment()
                done.append(name)

        await asyncio.gather(*(work(name) for name in ("a1", "a2", "a3", "b1", "b2", "-1", "-2")))

    loop.run(test())
    assert done.index("b1") < done.index("a2"), "an address has one of the two places"
    assert max(done.index("-1"), done.index("b1")) < done.index("a3")


def test_a_turn_that_never_comes() -> None:
    async def test() -> None:
        turns = Turns(1, 1)
        async with turns.turn("a", None):
            for address in ("a", "b"):
                with pytest.raises(TimeoutError):
                    async with turns.turn(address, 0.01):
                        pass
        async with turns.turn("b", 0):
            pass

    loop.run(test())


@pytest.mark.parametrize(
    ("path", "kind", "most", "status"),
    [
        ("/history/people", "slow", USUAL.slow_requests_per_address, 200),
        # A phone without the cookie is sent to the form.
        ("/pads/pads.pdf", "printing", USUAL.printing_requests_per_address, 303),
    ],
)
def test_one_address_leaves_slow_threads_to_others(
    app: Flask, tables: Tables, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture,
    path: str, kind: str, most: int, status: int,
) -> None:  # fmt: skip
    """Of two hundred requests at once most are refused, and another phone's is answered."""
    go_on = threading.Event()

    answer = app.wsgi_app

    def slow(environ: Any, start: Any) -> Any:
        if environ["REMOTE_ADDR"] == "192.0.2.66" and REFUSED not in environ["asgi.scope"]:
            go_on.wait(PATIENCE)
        return answer(environ, start)

    monkeypatch.setattr(app, "wsgi_app", slow)

    async def test() -> tuple[list[Client], Client]:
        live = LiveApp(app, tables)
        slow_page = request(path) | {"client": ("192.0.2.66", 1)}
        greedy = [Client(slow_page) for _ in range(200)]
        asking = [asyncio.create_task(client.ask(live)) for client in greedy]
        while not any(client.status for client in greedy):
            await asyncio.sleep(0.01)
        phone = Client(request(path))
        await phone.ask(live)
        go_on.set()
        await asyncio.gather(*asking)
        return greedy, phone

    greedy, phone = loop.run(test())
    assert phone.status == status
    refused = [client for client in greedy if client.status == 429]
    assert len(refused) == 200 - most
    assert "Try again in a moment" in refused[0].text
    assert int(refused[0].headers["retry-after"])
    assert any(kind in line and "192.0.2.66" in line for line in caplog.messages)


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
            raise OSError(f"something {number}")
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


def test_a_flood_of_refusals_writes_few_lines() -> None:
    """And hides no error of another logger."""
    now = 0.0
    once = OncePerPeriod(lambda: now)
    lines = [f"from 10.0.0.{number % 250}" for number in range(5_000)]

    def passes(text: str, logger: str = REFUSALS) -> logging.LogRecord | None:
        record = logging.LogRecord(logger, logging.WARNING, "", 0, text, None, None)
        return record if once.filter(record) else None

    assert len(list(filter(None, map(passes, lines)))) == MOST_LINES
    assert passes("the disk is full", "companion.tables")
    now = PERIOD
    assert (again := passes(lines[0])) and "19 times more" in again.getMessage()
    for number in range(5_000):
        passes(f"error {number}", f"logger {number}")
    assert len(once._seen) <= REMEMBERED


def test_want_of_descriptors_takes_a_line_and_no_traceback() -> None:
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.addFilter(OncePerPeriod())
    log = logging.Logger("asyncio")
    log.addHandler(handler)
    for number in range(3):
        try:
            raise OSError(errno.EMFILE, "Too many open files")
        except OSError:
            log.exception("socket.accept() out of system resource\nsocket: %s", number)
    assert "ulimit -n" in out.getvalue()
    assert out.getvalue().count("\n") == 1
