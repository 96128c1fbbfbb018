"""Access rights: every route, with every kind of sender and request; and hostile requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from companion.tables import Tables
from companion.tables.database.schema import events, metadata
from lab.games import roll
from lab.hostile import BODIES, HEADER, HEADERS, MARKS, SIZE, hostile
from lab.pages import Page
from lab.phones import WAYS, Phone, refusal_of
from lab.routes import ASKS, Ask, places
from lab.tables import Party, party, tap_id
from lab.wide import first_of

WHO = ("stranger", "viewer", "player", "host")
Make = Callable[..., Party]

OF_A_REVIEW = (
    "photo.send", "photo.send_more",
    "review.show", "review.progress", "review.picture",
    "review.field", "review.correct", "review.do", "review.name_sheet", "review.choose_game",
    "review.save", "review.play_on", "review.ask_discard", "review.discard",
    "review.discard_all", "review.kept_photo",
)  # fmt: skip
OTHERWISE = {
    **dict.fromkeys(
        ("phones.arrive", "phones.take_over", "phones.sign_out"), "test_phones.py has the tickets"
    ),
    "start.open_record": "a file is sent: test_start.py",
    "results.look": "a link: test_history.py",
    "files.take_in": "a file is sent: test_history.py",
    "play.tap": "JSON in and out: test_play.py",
    **dict.fromkeys(OF_A_REVIEW, "a review is its device's or table's: test_photo.py"),
}
"""Routes that other tests cover, and why."""


def test_every_route_is_asked_for(app: Flask) -> None:
    """A new route needs a line in `lab/routes.py`."""
    adapter = app.url_map.bind("localhost")
    names = ("table", "entry", "join", "view", "code", "play", "person")
    samples = dict.fromkeys(names, "x")
    asked = {adapter.match(ask.path.format(**samples), method=ask.method)[0] for ask in ASKS}
    assert {rule.endpoint for rule in app.url_map.iter_rules()} == asked | set(OTHERWISE)


@pytest.mark.parametrize("ask", ASKS, ids=str)
def test_who_may_use_a_route(make: Make, ask: Ask) -> None:
    """The listed status; a refusal comes in every kind of answer, and changes nothing."""
    party, is_changed = make(ask.phase), False
    filled = places(party)
    for who, status in sorted(zip(WHO, ask.statuses, strict=True), key=lambda pair: -pair[1]):
        if is_changed:
            party = make(ask.phase)
            filled = places(party)
        path = ask.path.format(**filled)
        form = {key: value.format(**filled) for key, value in ask.form.items()}
        version = party.version
        assert_answered(ask, getattr(party, who), path, form, status)
        is_changed = ask.method == "POST" and status < 400
        assert is_changed or party.version == version, who


def assert_answered(ask: Ask, phone: Phone, path: str, form: dict[str, str], status: int) -> None:
    """The answer has this status, and is sound, as is the page to which it leads."""
    if status >= 400:
        for way in WAYS:
            answer = phone.ask(ask.method, path, data=form, way=way)
            # JSON carries no form, so the seat may be missed before the rights are asked for.
            assert answer.status_code in {status, *({400, 422} if way == "json" and form else ())}
            assert_refused(answer, way)
        return
    answer = phone.ask(ask.method, path, data=form)
    assert answer.status_code == status, refusal_of(answer)
    if ask.method == "GET" and answer.mimetype != "application/pdf":  # which takes so long
        phone.get(path, way="htmx")
        phone.ask("HEAD", path)
    if status == 303:
        answer = phone.get(answer.location)
        assert answer.status_code == 200
    if answer.mimetype == "text/html":
        assert Page(answer.text).faults() == []


def assert_refused(answer: Any, way: str) -> None:
    """JSON for JSON, a part for htmx, a whole page otherwise: each with the sentence."""
    refusal_of(answer)
    if way == "json":
        assert answer.mimetype == "application/json"
        return
    assert answer.mimetype == "text/html"
    assert Page(answer.text).is_whole == (way == "page")


DONE = [ask for ask in ASKS if "/do/" in ask.path and ask.statuses[-1] < 400]


@pytest.mark.parametrize("ask", first_of(DONE, DONE[0], DONE[-1]), ids=str)
def test_a_verb_answers_htmx_with_the_fresh_table(make: Make, ask: Ask) -> None:
    party = make(ask.phase)
    answer = party.host.post(ask.path.format(**places(party)), ask.form, way="htmx")
    assert answer.status_code == 200
    page = Page(answer.text)
    assert not page.is_whole
    assert page.faults() == []
    assert page.one(id="table").attrs["data-version"] == str(party.version)


def test_a_request_sent_again_has_no_further_effect(make: Make) -> None:
    """A double tap, or a request whose answer was lost; entries in a log are not counted."""
    grown = {}
    for ask in (ask for ask in ASKS if ask.method == "POST"):
        party = make(ask.phase)
        filled = places(party)
        form = {key: value.format(**filled) for key, value in ask.form.items()}
        counts = []
        for _ in range(2):
            party.host.post(ask.path.format(**filled), form)
            counts.append(rows_in(party.tables))
        if counts[0] != counts[1]:
            grown[str(ask)] = counts
    assert grown == {}


def rows_in(tables: Tables) -> dict[str, int]:
    """How many rows each table of the database has, but for the logs."""
    counts = {}
    with tables.database.read() as connection:
        for name, table in metadata.tables.items():
            if table is not events:
                count = sa.select(sa.func.count()).select_from(table)
                counts[name] = connection.execute(count).scalar_one()
    return counts


def test_requests_that_change_something_are_not_get(game: Party) -> None:
    filled = places(game)
    version = game.version
    looks = {ask.path for ask in ASKS if ask.method == "GET"}
    for path in {ask.path for ask in ASKS if ask.method == "POST"} - looks:
        assert refusal_of(game.host.get(path.format(**filled))).status == 405, path
    assert game.version == version


def test_other_methods(lobby: Party) -> None:
    version = lobby.version
    for method in ("PUT", "DELETE", "PATCH", "TRACE"):
        for path in ("/", lobby.path, f"{lobby.path}taps", f"{lobby.path}do/start"):
            assert refusal_of(lobby.host.ask(method, path)).status == 405
    assert lobby.version == version


NOWHERE = (
    "/nothing-here", "/t/", "/t/no-such-table/", "/t/no-such-table/version",
    "/t/no such table!/turns", f"/t/{'A' * 64}/menu", f"/t/{'A' * 5000}/menu", "/t/%00/",
    "/t/%ff%fe/", "/j/no-such-link", "/j/%F0%9F%98%80", "/static/nothing.css",
    "/static/../pyproject.toml", "/static/%2e%2e/pyproject.toml",
)  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_nothing_there(phone: Phone, way: str) -> None:
    for path in (*NOWHERE, "/tables"):
        answer = phone.get(path, way=way)
        assert refusal_of(answer).status == (405 if path == "/tables" else 404), path
        assert_refused(answer, way)


def test_nothing_to_change(phone: Phone) -> None:
    tables = ("do/start", "do/nonsense", "share", "links/view", "links/x/revoke", "turns/x")
    for path in ("/j/no-such-link", *(f"/t/no-such-table/{path}" for path in tables)):
        assert refusal_of(phone.post(path, way="json")).status == 404
    tap = {"id": tap_id(), "action": {"do": "next"}}
    answer = phone.post("/t/no-such-table/taps", way="json", json=tap)
    assert refusal_of(answer).code == "no-such-table"


def test_the_statuses_of_refusals(game: Party) -> None:
    """Unknown is 404, forbidden 403, late 409, and what the rules refuse 422."""
    assert refusal_of(game.host.post(f"{game.path}do/start")).status == 409
    assert refusal_of(game.tap(action={"do": "next"})).status == 422
    assert refusal_of(game.tap(moment="99.9.", action={"do": "next"})).status == 409
    bad = refusal_of(game.tap(action=roll("Tim", yellow=1), what=1))
    assert (bad.status, bad.code) == (400, "bad-tap")
    again = game.host.post(f"{game.path}do/again", way="htmx")
    assert refusal_of(again).code == "not-over"


def test_an_address_without_its_last_slash_is_led_on(game: Party) -> None:
    answer = game.host.get(game.path[:-1])
    assert answer.status_code in (301, 308)
    assert answer.location.endswith(game.path)


@pytest.mark.parametrize("kind", BODIES)
def test_every_route(app: Flask, tables: Tables, kind: str) -> None:
    """`Phone.ask` fails for a status of 500 or above."""
    here = party(app, tables, "playing")
    for method, path, more in hostile(here, kind):
        answer = here.host.ask(method, path, **more)
        if answer.mimetype == "text/html" and answer.status_code not in (301, 302, 303, 308):
            assert Page(answer.text).faults() == [], path


@pytest.mark.parametrize("header", HEADERS)
def test_headers(lobby: Party, header: str) -> None:
    for path in ("/", lobby.path, "/static/app.css", "/nothing-here"):
        for method in ("GET", "POST"):
            headers = {header: HEADERS[header], "HX-Request": "true"}
            lobby.host.ask(method, path, headers=headers)


def test_a_review(app: Flask) -> None:
    """Each change of a review that takes a text gets a hostile one."""
    phone = Phone(app)
    form = {"game": "encore", "names": "\n".join(f"N{n}" for n in range(6))}
    review = phone.post("/by-hand", form).location.split("/")[2]
    long = MARKS[: SIZE // 5]
    for verb in (
        "name",
        "nameless",
        "move",
        "keep",
        "not_twice",
        "widen",
        "game",
        "add",
        "misread",
    ):
        fields = {"on": "1", "place": long, "name": long, "to": long, "kind": long, "game": long}
        phone.ask("POST", f"/review/{review}/do/{verb}", data=fields)
    phone.ask("POST", f"/review/{review}/2/A1", data={"value": long})
    for query in ("whose=", "sheet=", "version="):
        phone.get(f"/review/{review}/?{query}{'9' * HEADER}")
