"""What every page shares: its language, its errors."""

from __future__ import annotations

import pytest
from flask import Flask

from companion.core.refusal import Refusal
from companion.core.words import Sentence, Word
from companion.tables import Tables
from companion.web.net.guard import HEADERS
from companion.web.page.errors import SENTENCES
from companion.web.page.language import LANGUAGES, page_language, say
from tests.kit.pages import Page, is_sentence
from tests.kit.phones import WAYS, Phone, refusal_of
from tests.kit.tables import Party

BAD_BODIES = (
    b"", b"{", b"nonsense", b"\xff\xfe\x00", b'{"id": "web-bad-body", }', b"[" * 100_000,
    b'{"a":' * 20_000, b'{"id": ' + b"9" * 5_000 + b"}",
)  # fmt: skip
GOOD = b'{"id": "web-not-json", "action": {"do": "roll", "by": "Tim", "dice": {"yellow": 1}}}'


def test_a_body_that_is_no_json(game: Party) -> None:
    """A form on another site can send what is typed otherwise; nothing but JSON is a tap."""
    version, kinds = game.version, ("text/plain", FORM, "multipart/form-data", "")
    for body, kind, status in (
        *((body, "application/json", 400) for body in BAD_BODIES),
        *((GOOD, kind, 415) for kind in kinds),
    ):
        answer = game.host.ask("POST", f"{game.path}taps", data=body, content_type=kind)
        assert refusal_of(answer).status == status, (body[:12], kind)
        assert status == 415 or answer.mimetype == "application/json"
    assert game.version == version


def test_an_address_that_none_can_parse(game: Party) -> None:
    for url in ("http://[", "http://[::1", "//[", "http://[x]/", "\\", "?", "%"):
        for path in ("", "menu", "turns", "nothing"):
            headers = {"HX-Current-URL": url}
            answer = game.host.get(f"{game.path}{path}", way="htmx", headers=headers)
            assert answer.status_code in (200, 404)


def test_numbers_and_names_of_pictures_that_no_database_takes(over: Party) -> None:
    (play,) = over.tables.history.all_matches(over.host.device)
    for number in (2**31 - 1, 2**31, 2**63 - 1, 2**63, 10**40):
        answer = over.host.get(f"/history/{play.id}/photo/{number}.jpg")
        assert refusal_of(answer).status == 404
    form = {"game": "encore", "names": "Ada"}
    review = over.host.post("/by-hand", form).location.split("/")[2]
    for name in ("%00", "a%00b", "%ff", "%ed%a0%80", "a" * 65, "%F0%9F%98%80", "."):
        assert refusal_of(over.host.get(f"/review/{review}/{name}.jpg")).status == 404


@pytest.mark.parametrize("way", WAYS)
def test_too_large(game: Party, way: str) -> None:
    version, long = game.version, "x" * 1_100_000
    if way == "json":
        answer = game.host.post(f"{game.path}taps", way=way, json={"moment": long})
    else:
        answer = game.host.post(f"{game.path}do/add", {"name": long}, way=way)
    assert refusal_of(answer).status == 413
    assert Page(answer.text).is_whole == (way == "page")
    assert game.version == version


def test_too_many_parts(lobby: Party) -> None:
    version = lobby.version
    form = {"game": "qwinto-dice", **{f"option.{number}": "x" for number in range(1_000)}}
    answer = lobby.host.post(f"{lobby.path}do/game", form, content_type="multipart/form-data")
    assert refusal_of(answer).status == 413
    assert lobby.version == version


FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=x"
BROKEN_FORMS = (
    (b"--x\r\nbroken", MULTIPART),
    (b"no boundary", "multipart/form-data"),
    (b"%ff=%00&name=%f0%28&color=%00", FORM),
    (b"&&&===", FORM),
    (b'--x\r\nContent-Disposition: form-data; name="record"; filename="a"\r\n\r\n\xff\r\n--x--',
     MULTIPART),
)  # fmt: skip


def test_broken_forms(lobby: Party) -> None:
    version = lobby.version
    verbs = [f"{lobby.path}do/{verb}" for verb in ("add", "take", "order", "game")]
    for body, kind in BROKEN_FORMS:
        for path in (*verbs, "/import", "/join", "/tables", "/language"):
            for phone in (lobby.stranger, lobby.host):
                refusal_of(phone.ask("POST", path, data=body, content_type=kind))
    assert lobby.version == version


@pytest.mark.parametrize("way", WAYS)
def test_a_bug_shows_no_traceback(
    app: Flask, game: Party, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """A 500 is a sentence too, with the headers, and what happened goes to the log alone."""

    def broken(*_arguments: object) -> None:
        raise RuntimeError("the secret of the engine room")

    monkeypatch.setattr(Tables, "read", broken)
    monkeypatch.setattr(app.logger, "disabled", True)
    headers = {"HX-Request": "true"} if way == "htmx" else {}
    kind = {"content_type": "application/json"} if way == "json" else {}
    answer = game.host.client.get(game.path, headers=headers, buffered=True, **kind)
    assert answer.status_code == 500
    assert "engine room" not in answer.text
    assert "Traceback" not in answer.text
    assert SENTENCES[500] in answer.text
    assert answer.headers["Content-Security-Policy"] == HEADERS["Content-Security-Policy"]
    assert (answer.mimetype == "application/json") == (way == "json")


def test_sentences() -> None:
    assert all(is_sentence(one) and one.endswith(".") for one in SENTENCES.values())


def test_pages_of_errors_lead_on(phone: Phone) -> None:
    """Whoever is not at the table can type its code right there; from nowhere it is home."""
    page = Page(phone.get("/j/no-such-link").text)
    assert page.one("input", name="code")
    assert page.one("form").attrs["action"] == "/join"
    page = Page(phone.get("/nothing").text)
    assert page.one("a", **{"class": "button primary"}).attrs["href"] == "/"


@pytest.mark.parametrize(
    ("header", "cookie", "language"),
    [
        ("", None, "en"),
        ("de", None, "de"),
        ("de-AT,de;q=0.9,en;q=0.8", None, "de"),
        ("es-MX", None, "es"),
        ("fr,es;q=0.5", None, "es"),
        ("fr-FR", None, "en"),
        ("*", None, "en"),
        ("en-GB,de;q=0.9", None, "en"),
        ("de;q=0,es;q=0.1", None, "es"),
        ("de;q=nonsense, ;;;==", None, "en"),
        ("\xff" * 20, None, "en"),
        ("x" * 20_000, None, "en"),
        ("de", "es", "es"),
        ("de", "fr", "de"),
        ("de", "", "de"),
        ("", "../../etc", "en"),
    ],
)
def test_choosing(app: Flask, header: str, cookie: str | None, language: str) -> None:
    headers = {"Accept-Language": header}
    if cookie is not None:
        headers["Cookie"] = f"language={cookie}"
    with app.test_request_context(headers=headers):
        assert page_language() == language
    answer = app.test_client(use_cookies=False).get("/", headers=headers)
    assert f'lang="{language}"' in answer.text


@pytest.mark.parametrize("language", LANGUAGES)
def test_saying(app: Flask, language: str) -> None:
    """Values are never taken for formats, and no sentence is empty in any language."""
    with app.test_request_context(headers={"Cookie": f"language={language}"}):
        assert say(Sentence("%(a)s!", {"a": "100 % %s %(b)s"})) == "100 % %s %(b)s!"
        assert say(Refusal("x", "%(a)s?", {"a": Word("yellow")})).endswith("?")
        listed = say(Sentence("%(a)s", {"a": ("x", "y", "z")}))
        assert listed.startswith("x, y ")
        assert listed.endswith(" z")


def test_refusals_are_told_in_the_language_of_the_page(app: Flask) -> None:
    """The sentences of tables and rules go through the catalogue of each language."""
    told = {}
    for language in LANGUAGES:
        headers = {"Cookie": f"language={language}", "HX-Request": "true"}
        told[language] = app.test_client(use_cookies=False).get("/t/none/", headers=headers).text
    assert "There is no such table." in told["en"]
    assert len(set(told.values())) == len(LANGUAGES), "not translated"


def test_the_page_says_which_games_a_pad_is_for(phone: Phone) -> None:
    page = phone.page("/pads?sheet=tally&mono=1")
    assert page.faults() == []
    titles = {one.attrs["value"]: one.text.strip() for one in page.all("option")}
    assert "Freaky" in titles["tally"]
    assert "card" in titles["qwinto"].lower()
    assert page.one("input", name="mono").attrs.get("checked", "-") != "-"
