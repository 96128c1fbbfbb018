"""Health, metrics and logs, as whoever runs a server sees them."""

from __future__ import annotations

import asyncio
import http.client
import json
import logging
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from companion import __version__
from companion.core.refusal import Unusable
from companion.tables import Tables
from companion.tables.database import schema
from companion.tables.database.engine import WORKS_WITH
from companion.vision.worker.pool import AT_ONCE
from companion.web.net.metrics import Metrics
from companion.web.net.observing import NO_ROUTE, Observed, RequestOutcome
from companion.web.net.proxies import Proxies, parse_networks
from companion.web.run.asgi import LiveApp
from companion.web.run.operation import Operation, front
from companion.web.run.quiet_log import JsonLines
from tests.kit.asgi import asked
from tests.kit.games import roll
from tests.kit.pages import Page
from tests.kit.patience import PATIENCE, until
from tests.kit.phones import Phone
from tests.kit.servers import loop
from tests.kit.servers.process import Server, data_of, send_photo, serving
from tests.kit.servers.program import free_port

# Health


@pytest.fixture
def live(own_app: Flask) -> LiveApp:
    return LiveApp(own_app, own_app.extensions["tables"], {"games.example.org"})


@pytest.mark.parametrize("host", ["games.example.org", "10.1.2.3:8000", "pool-7.internal", ""])
def test_a_load_balancer_asks_by_any_name(live: LiveApp, host: str) -> None:
    """It gets no cookie, and pages are still refused under such a name."""
    for path in ("/health/live", "/health/ready"):
        status, headers, body = asked(live, path, ("Host", host))
        assert status == 200, body
        assert "set-cookie" not in headers
        assert headers["cache-control"] == "no-store"
        assert headers["content-security-policy"]
    if "example" not in host:
        assert asked(live, "/", ("Host", host))[0] == 421
    assert asked(live, "/health/nothing", ("Host", host))[0] == 404


Ready = Callable[[], tuple[int, str]]


@pytest.fixture
def ready(live: LiveApp) -> Ready:
    """Asks again whether the server is ready, and what it says of its database."""

    def ask() -> tuple[int, str]:
        live.health._asked = None
        status, _, body = asked(live, "/health/ready")
        document = json.loads(body)
        assert document["ready"] == (status == 200)
        return status, document["database"]

    return ask


def test_not_ready_while_it_stops_or_has_another_schema(
    live: LiveApp, ready: Ready, own_app: Flask
) -> None:
    tables: Tables = own_app.extensions["tables"]
    assert ready() == (200, "ok")
    newest = sa.text("UPDATE alembic_version SET version_num = :number")
    for revision, works_with in (("0001", schema.HEAD), ("9999", "9999")):
        with tables.database.engine.begin() as connection:
            connection.execute(newest, {"number": revision})
            noted = schema.settings.update().where(schema.settings.c.name == WORKS_WITH)
            connection.execute(noted.values(value=works_with))
        assert ready() == (503, "was migrated by another version")
    with tables.database.engine.begin() as connection:
        connection.execute(sa.text("DROP TABLE alembic_version"))
        connection.execute(sa.text("CREATE TABLE alembic_version (x)"))
    assert ready() == (503, "does not answer")
    assert asked(live, "/health/live")[0] == 200
    live.stop()
    assert json.loads(asked(live, "/health/ready")[2])["server"] == "stopping"


def test_not_ready_without_its_file(
    ready: Ready, own_app: Flask, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    phone = Phone(own_app)
    away = (tmp_path / "own.sqlite3").rename(tmp_path / "away")
    assert phone.client.post("/tables", data={"game": "qwinto-dice"}).status_code == 503
    assert "deleted or replaced" in caplog.text
    assert ready() == (503, "its file or write-ahead log was deleted or replaced")
    away.rename(tmp_path / "own.sqlite3")
    assert ready() == (200, "ok")
    assert phone.post("/tables", {"game": "qwinto-dice"}).status_code == 303


def test_not_ready_on_a_full_disk(ready: Ready, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=4096))
    assert ready() == (503, "its disk is full")


def test_many_questions_ask_the_database_once(
    live: LiveApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked_for: list[int] = []
    monkeypatch.setattr(live.health, "_look", lambda: asked_for.append(1) or "ok")

    async def crowd() -> None:
        await asyncio.gather(*(live.health._database() for _ in range(50)))

    loop.run(crowd())
    assert len(asked_for) == 1


# Requests


def seen_at(
    path: str, *headers: tuple[str, str], peer: str, proxies: Proxies
) -> tuple[RequestOutcome, str]:
    """The observer's note about a request, and the id in the answer."""
    found: list[RequestOutcome] = []

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"four"})

    observed = Observed(app, proxies, [found.append])
    _, answered, _ = asked(observed, path, *headers, peer=peer)
    return found[0], answered["x-request-id"]


def test_a_request_has_an_id() -> None:
    """The trusted proxy's, or one of its own; a stranger's text never gets into the log."""
    proxies = Proxies(parse_networks("10.0.0.7"))
    given = ("X-Request-ID", "0123456789abcdef")
    seen, sent = seen_at("/", given, peer="10.0.0.7", proxies=proxies)
    assert seen.id == sent == given[1]
    assert (seen.status, seen.sent) == (200, 4)
    for header, peer in (
        (given, "192.0.2.7"),
        (("X-Request-ID", 'Tim"\n{"level":"x"}'), "10.0.0.7"),
        (("X-Request-ID", "short"), "10.0.0.7"),
        (("X-Other", "0123456789abcdef"), "10.0.0.7"),
    ):
        seen, sent = seen_at("/", header, peer=peer, proxies=proxies)
        assert seen.id == sent
        assert re.fullmatch("[0-9a-f]{16}", sent)


def test_a_failure_is_logged_with_the_route_and_not_the_token(
    own_app: Flask, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(token: str) -> str:
        raise RuntimeError("something that nobody thought of")

    own_app.view_functions["share.arrive"] = fail
    tables = own_app.extensions["tables"]
    app = front(LiveApp(own_app, tables), Operation(log="json"))
    caplog.handler.setFormatter(JsonLines())
    with caplog.at_level(logging.INFO):
        assert asked(app, "/j/S3CR3T-t0k3n")[0] == 500
    failed, request = map(json.loads, caplog.text.splitlines())
    assert "S3CR3T" not in caplog.text
    assert failed["message"] == "GET /j/<token> failed"
    assert failed["traceback"].endswith("RuntimeError: something that nobody thought of")
    assert request["route"] == "/j/<token>"
    assert request["status"] == 500
    assert request["request"] == failed["request"], "they belong together"


# Metrics


def test_metrics_need_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    with pytest.raises(Unusable, match="metrics"):
        Metrics()


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:9100", 200),
        ("10.0.0.5:9100", 200),
        ("[::1]:9100", 200),
        ("games.example.org:9100", 200),
        ("evil.example:9100", 421),
        ("127.0.0.1:9100@evil.example", 421),
        ("", 421),
    ],
)
def test_metrics_answer_under_own_names_alone(host: str, status: int) -> None:
    """Another site's name that was made to point here reads nothing."""
    port = free_port()
    with Metrics().served("127.0.0.1", port, names={"games.example.org"}):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("GET", "/metrics", headers={"Host": host})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
    assert answer.status == status
    assert (b"companion_taps" in text) is (status == 200)


def test_made_up_methods_count_as_one() -> None:
    """Each would have a dozen series of its own, which stay in memory."""
    metrics = Metrics()
    for number in range(3):
        metrics.request(RequestOutcome("x", f"GET{number}", NO_ROUTE, 405))
    metrics.request(RequestOutcome("x", "GET", NO_ROUTE, 404))
    counted = {
        sample.labels["method"]: sample.value
        for family in metrics.registry.collect()
        for sample in family.samples
        if sample.name == "companion_request_seconds_count"
    }
    assert counted == {"other": 3, "GET": 1}


def test_a_port_that_is_taken() -> None:
    port = free_port()
    with (
        Metrics().served("127.0.0.1", port),
        pytest.raises(Unusable, match=str(port)),
        Metrics().served("127.0.0.1", port),
    ):
        pass


# A whole evening in a real process

NAMES = ("Zacharias", "Wilhelmine")
TAPS = 21
"""Taps until a player has failed four times."""
LATE = 4
"""Taps after the end of that game, which are refused."""


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, int, set[str]]]:
    """A server on which a game, its history and a photo have been; its secrets."""
    folder = tmp_path_factory.mktemp("operation")
    port = free_port()
    arguments = ["--host", "127.0.0.1", "--db", f"sqlite:///{folder / 'x.sqlite3'}"]
    arguments += ["--log", "json", "--metrics", str(port)]
    arguments += ["--backup-every", "1d", "--backup-dir", str(folder)]
    with serving(*arguments, module="tests.kit.servers.patient",
                 COMPANION_TEST_READER="tests.kit.photos.standin") as server:  # fmt: skip
        yield server, port, play(server)


def play(server: Server) -> set[str]:
    """Plays, joins, looks into the history and sends photos; returns what no log may have."""
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    made = server.ask("POST", "/tables", "game=qwinto-dice", **form)
    path = made.headers["Location"]
    cookie = made.headers["Set-Cookie"].split(";")[0]
    form["Cookie"] = cookie
    table = path.split("/")[2]
    for name in NAMES:
        server.ask("POST", f"{path}do/add", f"name={name}&color=red", **form)
    shared = server.ask("POST", f"{path}share", "", **form).read().decode()
    [token] = set(re.findall(r"/j/([\w-]+)", shared))
    [code] = set(re.findall(r"\b[A-Z2-9]{3}[ \u2009\u202f-]?[A-Z2-9]{3}\b", Page(shared).source))
    guest = server.ask("GET", f"/j/{token}").headers["Set-Cookie"].split(";")[0]
    server.ask("POST", "/join", f"code={code}", **form | {"Cookie": guest})
    server.ask("POST", f"/j/{token}", "seat=1", **form | {"Cookie": guest})
    server.ask("POST", f"{path}do/start", "", **form)
    page = Page(server.ask("GET", path, Cookie=cookie).read().decode())
    ticket = str(page.one(id="table").attrs["data-live"])
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    connection.request("GET", ticket)
    stream = connection.getresponse()
    assert data_of(stream)
    kind = {"Content-Type": "application/json", "Cookie": cookie}
    for number, action in enumerate(
        action
        for _ in range(4)
        for name, other in (NAMES, NAMES[::-1])
        for action in (
            roll(name, yellow=4), {"do": "pass", "by": name}, {"do": "pass", "by": other}
        )
    ):  # fmt: skip
        tap = json.dumps({"id": f"operation-{number}", "action": action})
        server.ask("POST", f"{path}taps", tap, **kind)
    late = json.dumps({"id": "operation-late", "action": roll(NAMES[0], yellow=4)})
    assert server.ask("POST", f"{path}taps", late, **kind).status == 422
    for look in ("/history", "/history/people", f"{path}turns", "/nothing/Zacharias", "/history/x"):
        server.ask("GET", f"{look}?name={NAMES[0]}", Cookie=cookie)
    review = send_photo(server, cookie, name=NAMES[1])
    assert until(
        lambda: 'id="reading"' not in server.ask("GET", review, Cookie=cookie).read().decode()
    )
    stream.close()
    connection.close()
    return {
        *NAMES, table, token, code, code.replace(" ", ""),
        ticket.split("/")[2], review.split("/")[2],
        *(part.partition("=")[2] for part in (cookie, guest)),
    }  # fmt: skip


def scraped(port: int) -> dict[str, float]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/metrics", headers={"Connection": "close"})
    text = connection.getresponse().read().decode()
    connection.close()
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return {line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines}


def test_the_figures_of_an_evening(evening: tuple[Server, int, set[str]]) -> None:
    server, port, secrets = evening
    assert server.ask("GET", "/metrics").status == 404, "not on the public port"
    found = scraped(port)
    assert found["companion_taps_total"] == TAPS
    assert found['companion_refusals_total{code="game-over"}'] == LATE
    assert found['companion_refusals_total{code="http-404"}'] >= 1
    taps = 'method="POST",route="/t/<table_id>/taps",status="2xx"'
    assert found[f"companion_request_seconds_count{{{taps}}}"] == TAPS
    assert found['companion_photo_seconds_count{outcome="read"}'] == 1
    assert found['companion_photos{state="waiting"}'] == 0
    assert found['companion_database_seconds_count{statement="commit"}'] > TAPS
    assert found['companion_database_seconds_count{statement="select"}'] > TAPS
    assert "companion_streams" in found
    assert found[f'companion_info{{version="{__version__}"}}'] == 1
    assert found["companion_readers"] == AT_ONCE
    assert found['companion_pool{state="open"}'] >= found['companion_pool{state="used"}'] >= 0
    assert until(lambda: scraped(port)["companion_backup_time_seconds"] > 0)
    assert not any(secret in line for secret in secrets for line in found)


def test_the_log_of_an_evening(evening: tuple[Server, int, set[str]]) -> None:
    """A line of JSON for each request, and nothing in it that anybody could use."""
    server, _, secrets = evening
    _, said = server.stop(signal.SIGTERM)
    lines = [json.loads(line) for line in said.splitlines()]
    assert server.output == ""
    [start] = [line for line in lines if line["message"] == "serving"]
    assert start["address"] == f"http://127.0.0.1:{server.port}/"
    assert [secret for secret in secrets if secret in said] == []
    assert "operation-" not in said, "nor what was tapped"
    requests = [line for line in lines if "route" in line]
    assert len({line["request"] for line in requests}) == len(requests)
    for line in requests:
        assert set(line) - {"code"} == {
            "time", "level", "message", "request", "method", "route", "status", "ms", "bytes"
        }  # fmt: skip
    routes = {line["route"] for line in requests}
    assert {"/", "-", "/j/<token>", "/t/<table_id>/taps", "/t/<table_id>/do/<verb>",
            "/live/<ticket>", "/upload/new", "/review/<review_id>/"} <= routes | {"/"}  # fmt: skip
    refused = [line for line in requests if line.get("code") == "game-over"]
    assert [line["status"] for line in refused] == [422] * LATE


@pytest.mark.postgres
def test_several_processes_have_a_port_each(postgres_database: str) -> None:
    """Prometheus adds up what they count; whichever of them answers, nothing is missing."""
    port = free_port()
    arguments = ["--host", "127.0.0.1", "--db", postgres_database, "--workers", "2"]
    arguments += ["--log", "json", "--metrics", str(port)]
    with serving(*arguments) as server:
        answers = [server.ask("GET", "/health/ready") for _ in range(20)]
        assert {answer.status for answer in answers} == {200}
        found = [scraped(port + number) for number in range(3)]
        asked = 'companion_request_seconds_count{method="GET",route="/health/ready",status="2xx"}'
        assert sum(figures.get(asked, 0) for figures in found) == 20
        assert all('companion_photos{state="waiting"}' in f for f in found if asked in f)
        status, said = server.stop(signal.SIGTERM)
    assert status == 0
    lines = [json.loads(line) for line in said.splitlines()]
    assert {answer.headers["X-Request-ID"] for answer in answers} <= {
        line.get("request") for line in lines
    }
