"""Whatever goes wrong is told: as a page, a fragment or JSON, with headers and no traceback."""

from __future__ import annotations

import ast
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask import Flask

import companion
from companion.tables import Tables
from companion.tables.refusals import REFUSALS, Refused, status_of
from companion.web.page.errors import SENTENCES
from companion.web.page.security import HEADERS
from tests.kit.pages import Page, is_sentence
from tests.kit.parties import Party
from tests.kit.phones import WAYS, Phone, refusal_of

BAD_BODIES = (
    b"",
    b"{",
    b"nonsense",
    b"\xff\xfe\x00",
    b'{"id": "web-bad-body", }',
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"id": ' + b"9" * 5_000 + b"}",
)


@pytest.mark.parametrize("body", BAD_BODIES, ids=lambda body: repr(body[:12]))
def test_a_body_that_is_no_json(game: Party, body: bytes) -> None:
    version = game.version
    answer = game.host.ask("POST", f"{game.path}taps", data=body, content_type="application/json")
    assert refusal_of(answer).status == 400
    assert answer.mimetype == "application/json"
    assert game.version == version


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""]
)
def test_a_tap_that_is_not_sent_as_json(game: Party, content_type: str) -> None:
    """A form on another site can send these; nothing but JSON is a tap."""
    version = game.version
    body = b'{"id": "web-not-json", "action": {"do": "roll", "by": "Tim", "dice": {"yellow": 1}}}'
    answer = game.host.ask("POST", f"{game.path}taps", data=body, content_type=content_type)
    assert refusal_of(answer).status == 415
    assert game.version == version


@pytest.mark.parametrize("url", ["http://[", "http://[::1", "//[", "http://[x]/", "\\", "?", "%"])
def test_an_address_that_none_can_parse(game: Party, url: str) -> None:
    for path in ("", "menu", "turns", "nothing"):
        headers = {"HX-Current-URL": url}
        answer = game.host.get(f"{game.path}{path}", way="htmx", headers=headers)
        assert answer.status_code in (200, 404)


@pytest.mark.parametrize("number", [2**31 - 1, 2**31, 2**63 - 1, 2**63, 10**40])
def test_a_photo_with_a_number_that_no_database_takes(over: Party, number: int) -> None:
    (play,) = over.tables.history.all_matches(over.host.device)
    answer = over.host.get(f"/history/{play.id}/photo/{number}.jpg")
    assert refusal_of(answer).status == 404


@pytest.mark.parametrize(
    "name", ["%00", "a%00b", "%ff", "%ed%a0%80", "a" * 65, "%F0%9F%98%80", "."]
)
def test_a_picture_with_a_name_that_no_database_takes(phone: Phone, name: str) -> None:
    form = {"game": "encore", "names": "Ada"}
    review = phone.post("/by-hand", form).location.split("/")[2]
    assert refusal_of(phone.get(f"/review/{review}/{name}.jpg")).status == 404


@pytest.mark.parametrize("way", WAYS)
def test_too_large(game: Party, way: str) -> None:
    version = game.version
    if way == "json":
        more: dict[str, object] = {"json": {"id": "web-too-large", "moment": "x" * 1_100_000}}
        answer = game.host.post(f"{game.path}taps", way=way, **more)
    else:
        form = {"name": "x" * 1_100_000, "color": "red"}
        answer = game.host.post(f"{game.path}do/add", form, way=way)
    assert refusal_of(answer).status == 413
    assert Page(answer.text).is_whole == (way == "page")
    assert game.version == version


def test_too_many_parts(lobby: Party) -> None:
    version = lobby.version
    form = {f"option.{number}": "x" for number in range(1_000)}
    answer = lobby.host.post(
        f"{lobby.path}do/game", form | {"game": "qwinto-dice"}, content_type="multipart/form-data"
    )
    assert refusal_of(answer).status == 413
    assert lobby.version == version


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (b"--x\r\nbroken", "multipart/form-data; boundary=x"),
        (b"no boundary", "multipart/form-data"),
        (b"%ff=%00&name=%f0%28&color=%00", "application/x-www-form-urlencoded"),
        (b"&&&===", "application/x-www-form-urlencoded"),
        (
            b'--x\r\nContent-Disposition: form-data; name="record"; filename="a"\r\n\r\n\xff'
            b"\r\n--x--",
            "multipart/form-data; boundary=x",
        ),
    ],
)
@pytest.mark.parametrize(
    "path", ["do/add", "do/take", "do/order", "do/game", "/import", "/join", "/tables", "/language"]
)
def test_broken_forms(lobby: Party, path: str, body: bytes, content_type: str) -> None:
    version = lobby.version
    address = path if path.startswith("/") else lobby.path + path
    answer = lobby.stranger.ask("POST", address, data=body, content_type=content_type)
    refusal_of(answer)
    answer = lobby.host.ask("POST", address, data=body, content_type=content_type)
    refusal_of(answer)
    assert lobby.version == version


@pytest.mark.parametrize("way", WAYS)
def test_a_bug_shows_no_traceback(
    app: Flask, game: Party, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """A 500 is a sentence too, with the headers, and what happened goes to the log alone."""

    def broken(*_arguments: object) -> None:
        raise RuntimeError("the secret of the engine room")

    monkeypatch.setattr(Tables, "look", broken)
    headers = {"HX-Request": "true"} if way == "htmx" else {}
    kind = {"content_type": "application/json"} if way == "json" else {}
    app.logger.addFilter(silent)
    try:
        answer = game.host.client.get(game.path, headers=headers, buffered=True, **kind)
    finally:
        app.logger.removeFilter(silent)
    assert answer.status_code == 500
    assert "engine room" not in answer.text
    assert "Traceback" not in answer.text
    assert SENTENCES[500] in answer.text
    assert answer.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
    assert (answer.mimetype == "application/json") == (way == "json")


def silent(record: logging.LogRecord) -> bool:
    return False


KNOWN = {code: text for group in REFUSALS.values() for code, text in group.items()}
PLACE = re.compile(r"%\((\w+)\)s")


def raised() -> Iterator[tuple[str, frozenset[str]]]:
    """The code and the values' names of each `Refused("code", …)` in the program."""
    for path in Path(companion.__file__).parent.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match call:
                case ast.Call(ast.Name("Refused"), [ast.Constant(str(code))], keywords):
                    names = {keyword.arg or "" for keyword in keywords}
                    yield code, frozenset(names - {"cause", "index"})


@pytest.mark.parametrize("code", KNOWN)
def test_every_refusal_of_a_table_is_a_sentence(code: str) -> None:
    values = dict.fromkeys(PLACE.findall(KNOWN[code]), "Tim") | {"reason": "It is late."}
    refused = Refused(code, **values)
    assert is_sentence(refused.refusal.message)
    assert refused.code == code


def test_every_code_is_raised_with_the_values_of_its_sentence() -> None:
    assert set(raised()) == {(code, frozenset(PLACE.findall(text))) for code, text in KNOWN.items()}


def test_statuses() -> None:
    """The rules' codes have no status of their own: they are a 422."""
    assert sum(map(len, REFUSALS.values())) == len(KNOWN)
    assert status_of("stale") == 409
    assert status_of("field-taken") == 422


@pytest.mark.parametrize("sentence", SENTENCES.values())
def test_sentences(sentence: str) -> None:
    assert is_sentence(sentence)
    assert sentence.endswith(".")


def test_the_page_of_a_lost_link_offers_the_code(phone: Phone) -> None:
    """Whoever is not at the table can type its code right there."""
    for path in ("/j/no-such-link",):
        page = Page(phone.get(path).text)
        assert page.one("input", name="code")
        assert page.one("form").attrs["action"] == "/join"


def test_the_page_of_a_missing_address_leads_home(phone: Phone) -> None:
    page = Page(phone.get("/nothing").text)
    assert page.one("a", **{"class": "button primary"}).attrs["href"] == "/"
