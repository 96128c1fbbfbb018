"""Access rights: every route, with every kind of sender and request; and hostile requests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import pytest
import sqlalchemy as sa
from flask import Flask

from companion.tables import Tables
from companion.tables.database.schema import events, metadata
from companion.web.net.bodies import BODY_BYTES
from lab.games import passes, roll
from lab.history import people
from lab.pages import Page
from lab.phones import WAYS, Phone, refusal_of
from lab.tables import Party, party, tap_id
from lab.wide import first_of

WHO = ("stranger", "viewer", "player", "host")
Make = Callable[..., Party]


@dataclass(frozen=True)
class Ask:
    """A request that is in order, and the statuses of (stranger, viewer, player, host)."""

    method: str
    path: str  # `{…}` are filled in from `places`
    statuses: tuple[int, int, int, int]
    form: dict[str, str] = field(default_factory=dict)
    phase: str = "playing"

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.phase}"


def verb(what: str, /, *statuses: int, phase: str = "lobby", **form: str) -> Ask:
    stranger, viewer, player, host = statuses
    return Ask("POST", f"/t/{{table}}/do/{what}", (stranger, viewer, player, host), form, phase)


ANYBODY = (200, 200, 200, 200)
GOES_ON = (303, 303, 303, 303)
MEMBERS = (403, 200, 200, 200)
PLAYERS = (403, 403, 200, 200)
HOST = (403, 403, 403, 200)
PLAYERS_GO_ON = (403, 403, 303, 303)
HOST_GOES_ON = (403, 403, 403, 303)
SEEN = (404, 200, 200, 200)
CHANGED = (404, 403, 303, 303)
CORRECTION = {"action": '{{"do": "roll", "by": "Tim", "dice": {{"yellow": 4}}}}'}
TOTALS = {"game": "qwinto-cards", "name": "Ada", "total": "40"}

PHASES = ("lobby", "playing", "over")


def looks(statuses: tuple[int, int, int, int], *paths: str, phase: str = "playing") -> list[Ask]:
    return [Ask("GET", path, statuses, phase=phase) for path in paths]


ASKS = (
    *looks(
        ANYBODY, "/", "/favicon.ico", "/app.webmanifest", "/worker.js", "/health/live",
        "/health/ready", "/offline/de", "/static/app.css", "/static/games/encore.css",
        "/static/js/table.js", "/static/vendor/htmx.min.js", "/static/icon.svg", "/pads",
        "/pads/pads.pdf", "/pads/map.json", "/photo", "/totals", "/phone", "/rules/encore",
        "/history", "/history/history.json", "/history/history.csv", "/history/people",
    ),
    *(ask for one in PHASES for ask in looks(
        MEMBERS, "/t/{table}/", "/t/{table}/turns", "/t/{table}/rules", phase=one,
    )),
    *looks(
        MEMBERS, "/t/{table}/version", "/t/{table}/turns/{entry}", "/t/{table}/menu",
        "/t/{table}/record.json", "/t/{table}/why/1", "/t/{table}/share", "/t/{table}/guests",
        "/t/{table}/timer", "/t/{table}/links",
    ),
    # Nothing of this table's game changes while it is played: games/rounds/test_tables.py.
    *looks((403, 404, 404, 404), "/t/{table}/changes"),
    *looks(MEMBERS, "/t/{table}/menu", "/t/{table}/why/1", "/t/{table}/timer", phase="lobby"),
    *(ask for one in PHASES for ask in looks(HOST, "/t/{table}/delete", phase=one)),
    Ask("POST", "/totals", GOES_ON, TOTALS),
    Ask("POST", "/phone", ANYBODY),
    Ask("POST", "/phone/new", GOES_ON),
    Ask("POST", "/by-hand", GOES_ON, {"game": "encore", "names": "Ada"}),
    Ask("POST", "/by-hand", PLAYERS_GO_ON, {"game": "encore", "table": "{table}"}),
    Ask("POST", "/tables", GOES_ON, {"game": "qwinto-dice"}),
    Ask("POST", "/language", GOES_ON, {"language": "en", "back": "/"}),
    Ask("POST", "/join", GOES_ON, {"code": "{code}"}),
    # A device that is at the table is there again, without a question.
    Ask("GET", "/j/{join}", ANYBODY),
    Ask("GET", "/j/{view}", (200, 303, 303, 303)),
    Ask("POST", "/j/{join}", GOES_ON),
    Ask("POST", "/j/{view}", GOES_ON),
    Ask("POST", "/t/{table}/turns/{entry}", PLAYERS, CORRECTION),
    Ask("POST", "/t/{table}/delete", HOST_GOES_ON),
    Ask("POST", "/t/{table}/share", PLAYERS),
    Ask("POST", "/t/{table}/links/view", HOST),
    Ask("POST", "/t/{table}/links/{view}/revoke", HOST_GOES_ON),
    Ask("GET", "/history/of/{table}/1", (404, 303, 303, 303), phase="over"),
    Ask("GET", "/history/of/{table}/1", (404, 404, 404, 404)),
    Ask("GET", "/history/of/{table}/99999999999999999999", (404, 404, 404, 404)),
    *looks(
        SEEN, "/history/{play}", "/history/{play}/record.json", "/history/{play}/result.svg",
        "/history/{play}/feats", "/history/people/{person}",
        phase="over",
    ),
    *looks(
        (404, 403, 200, 200), "/history/{play}/edit", "/history/{play}/delete",
        "/history/people/{person}/delete", phase="over",
    ),
    Ask("POST", "/history/{play}/note", CHANGED, {"place": "x", "notes": "y"}, phase="over"),
    Ask("POST", "/history/{play}/delete", CHANGED, phase="over"),
    Ask("POST", "/history/{play}/edit", CHANGED, {"place": "x"}, phase="over"),
    Ask("POST", "/history/{play}/sheets", CHANGED, phase="over"),
    Ask("POST", "/history/people/{person}/rename", CHANGED, {"name": "Zoë"}, phase="over"),
    Ask("POST", "/history/{play}/settle", CHANGED, phase="over"),
    Ask("POST", "/history/{play}/link", CHANGED, phase="over"),
    Ask("POST", "/history/{play}/unlink", CHANGED, phase="over"),
    Ask("POST", "/history/people/{person}/delete", CHANGED, phase="over"),
    verb("game", *HOST_GOES_ON, game="qwinto-dice"),
    verb("add", *PLAYERS_GO_ON, name="Zoë", color="green"),
    verb("rename", *HOST_GOES_ON, seat="1", name="Tom", color="pink"),
    verb("remove", *HOST_GOES_ON, seat="1"),
    verb("order", *HOST_GOES_ON, order="2,3,1"),
    verb("first", *HOST_GOES_ON, seat="2"),
    verb("draw", *HOST_GOES_ON),
    verb("start", *HOST_GOES_ON),
    verb("take", *PLAYERS_GO_ON, seat="1"),
    verb("take", *PLAYERS_GO_ON, seat="1", phase="playing"),
    verb("release", *PLAYERS_GO_ON, seat="1"),
    verb("shared_entry", *HOST_GOES_ON),
    verb("shared_entry", *HOST_GOES_ON, phase="playing"),
    verb("hints", *HOST_GOES_ON),
    verb("scores", *HOST_GOES_ON),
    verb("turn_timer", *HOST_GOES_ON, phase="playing", turn_timer="60"),
    verb("hints", *HOST_GOES_ON, phase="playing"),
    verb("scores", *HOST_GOES_ON, phase="playing"),
    verb("again", *HOST_GOES_ON, phase="over"),
    verb("stop", *HOST_GOES_ON, phase="playing"),
    verb("roller", *HOST_GOES_ON, phase="playing", roller="on"),
    # Nobody has switched it on at this table: test_games.py.
    verb("roll", 403, 403, 422, 422, phase="playing", dice="orange", moment=""),
    # The host of this table has just been heard; tables/play/test_phones.py has one that is silent.
    verb("host", 403, 403, 409, 303, phase="playing"),
    verb("take_over", *PLAYERS_GO_ON, phase="playing", seat="1"),
    verb("lobby", *HOST_GOES_ON, phase="over"),
)  # fmt: skip

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


def places(party: Party) -> dict[str, str]:
    """The values that addresses need; a table that plays gets its first entry."""
    entry = "none-yet"
    if party.tables.read(party.id, party.host.device).phase == "playing":
        entry, _ = party.do(roll("Tim", yellow=3), passes("Tim"))
    return {
        "table": party.id,
        "entry": entry,
        "join": party.links["join"],
        "view": party.links["view"],
        "code": party.links["code"],
        "play": _first(party.tables.history.all_matches(party.host.device)),
        "person": _first(people(party.tables, party.host.device)),
    }


def _first(found: Sequence[Any]) -> str:
    return str(found[0].id) if found else "none-yet"


def test_every_route_is_asked_for(app: Flask) -> None:
    """A new route needs a line in the table above."""
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
            assert_told(answer, way)
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


def assert_told(answer: Any, way: str) -> None:
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
        assert_told(answer, way)


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


SIZE: Final = BODY_BYTES - 2_000  # bytes of a hostile body
HEADER: Final = 50_000
"""Characters of a hostile address or header; the server takes 64 kB for all of them."""
MARKS: Final = "a" + "\u0301" * (SIZE // 5) + "\u0323" * (SIZE // 5)
"""NFC must sort these marks; the time that it takes grows with the square of their number."""
FORM: Final = "application/x-www-form-urlencoded"
PARTS: Final = "multipart/form-data; boundary=part"
HEAD: Final = '--part\r\nContent-Disposition: form-data; name="{}"\r\n\r\n'
NAMES: Final = ("name", "names", "notes", "dice", "order", "game", "seat", "action", "code", "back")
"""Fields of forms in which people type, or which are parsed."""
BODIES: Final = {
    "marks": (PARTS, "".join(HEAD.format(name) + f"{MARKS}\r\n" for name in NAMES) + "--part--"),
    "fields": (FORM, "&".join(f"{NAMES[n % 10]}=a{n:0{SIZE // 1_000 - 12}}" for n in range(1_000))),
    "parts": (PARTS, (HEAD.format("code") + "\r\n") * (SIZE // 60)),
    "nested": ("application/json", '{"id": "cost-0001", "action": ' + "[" * (SIZE - 40)),
}
"""Kind → content type and text."""
HEADERS: Final = {
    "Accept-Language": "a," * (HEADER // 2),
    "Accept-Encoding": "a," * (HEADER // 2),
    "Cookie": 'companion="' + "\\377" * (HEADER // 4) + '"',
    "HX-Current-URL": "http://[" + "a/" * (HEADER // 2),
    "If-None-Match": '"a",' * (HEADER // 4),
    "Range": "bytes=" + "0-0," * (HEADER // 4),
    "Origin": "http://" + "a" * HEADER,
    "Content-Type": "multipart/form-data; " + 'a="b";' * (HEADER // 6),
}


ENDS: Final = ("/phone/new", "/t/{table}/delete")
"""Routes that take the table away from the phone that asks for the others."""


def hostile(here: Party, kind: str) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Requests to every route of a table with a body of this kind, or a query of its bytes."""
    content_type, text = BODIES[kind]
    raw = text.encode()[:SIZE]
    filled = places(here)
    for ask in ASKS:
        if ask.path in ENDS and ask.method == "POST":
            continue
        path = ask.path.format(**filled)
        if ask.method == "POST":
            yield "POST", path, {"data": raw, "content_type": content_type}
        elif path != "/pads/pads.pdf":  # the engine is a process with limits of its own
            yield "GET", f"{path}?players={text[:3_000]}&page={'9' * 3_000}", {}
    yield "POST", f"{here.path}taps", {"data": raw, "content_type": "application/json"}


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
