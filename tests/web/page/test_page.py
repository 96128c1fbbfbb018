"""Common parts of every page: language, errors, headers and cookies; names are only text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from jinja2 import UndefinedError

from companion.core.refusal import Refusal
from companion.core.words import Sentence, Word
from companion.games.catalog import SHEETS
from companion.tables import Tables
from companion.tables.play.lobby import take_seat
from companion.web.net.guard import HEADERS, headers_for
from companion.web.page.errors import SENTENCES
from companion.web.page.language import LANGUAGES, page_language, say
from lab.drawn import AskedWhileDrawn
from lab.games import passes, roll, write
from lab.names import HOSTILE_NAMES
from lab.pages import Page
from lab.phones import WAYS, Phone, refusal_of
from lab.tables import Party, tap_id
from lab.wide import wide

BAD_BODIES = (
    b"", b"{", b"nonsense", b"\xff\xfe\x00", b'{"id": "web-bad-body", }', b"[" * 100_000,
    b'{"a":' * 20_000, b'{"id": ' + b"9" * 5_000 + b"}",
)  # fmt: skip
GOOD = b'{"id": "web-not-json", "action": {"do": "roll", "by": "Tim", "dice": {"yellow": 1}}}'


def test_a_body_that_is_not_json(game: Party) -> None:
    """A form on another site can send other types of body; only JSON is a tap."""
    version, kinds = game.version, ("text/plain", FORM, "multipart/form-data", "")
    for body, kind, status in (
        *((body, "application/json", 400) for body in BAD_BODIES),
        *((GOOD, kind, 415) for kind in kinds),
    ):
        answer = game.host.ask("POST", f"{game.path}taps", data=body, content_type=kind)
        assert refusal_of(answer).status == status, (body[:12], kind)
        assert status == 415 or answer.mimetype == "application/json"
    assert game.version == version


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


@pytest.mark.parametrize("kind", ["multipart/form-data", "application/x-www-form-urlencoded"])
def test_too_many_parts(lobby: Party, kind: str) -> None:
    version = lobby.version
    form = {"game": "qwinto-dice", **{f"option.{number}": "x" for number in range(1_000)}}
    for path in (f"{lobby.path}do/game", "/upload/new"):
        assert refusal_of(lobby.host.post(path, form, content_type=kind)).status == 413
        form.popitem()
        assert lobby.host.post(path, form, content_type=kind).status_code != 413
        form["more"] = "x"
    assert lobby.version == version


FORM = "application/x-www-form-urlencoded"
MULTIPART = "multipart/form-data; boundary=x"
BROKEN_FORMS = (
    (b"--x\r\nbroken", MULTIPART),
    (b"no boundary", "multipart/form-data"),
    (b"--x\r\n" + b"X-Y: z\r\n" * 20_000 + b"\r\n\r\n--x--", MULTIPART),
    (b"%ff=%00&name=%f0%28&color=%00", FORM),
    (b"&&&===", FORM),
    (b'--x\r\nContent-Disposition: form-data; name="record"; filename="a"\r\n\r\n\xff\r\n--x--',
     MULTIPART),
)  # fmt: skip


def test_broken_forms(lobby: Party) -> None:
    version = lobby.version
    verbs = [f"{lobby.path}do/{verb}" for verb in ("add", "take", "order", "game")]
    for body, kind in BROKEN_FORMS:
        for path in (*verbs, "/import", "/join", "/tables", "/language", "/upload/new"):
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


def test_pages_of_errors_lead_on(phone: Phone) -> None:
    """A phone that is not at the table can type its code there; other errors lead home."""
    page = Page(phone.get("/j/no-such-link").text)
    assert page.one("input", name="code")
    assert page.one("form").attrs["action"] == "/join"
    page = Page(phone.get("/nothing").text)
    assert page.one("a", **{"class": "button primary"}).attrs["href"] == "/"


@pytest.mark.parametrize(
    ("header", "cookie", "language"),
    [
        ("", None, "en"),
        ("de-AT,de;q=0.9,en;q=0.8", None, "de"),
        ("fr,es;q=0.5", None, "es"),
        ("*", None, "en"),
        ("de;q=0,es;q=0.1", None, "es"),
        ("de;q=nonsense, ;;;==", None, "en"),
        ("\xff" * 20, None, "en"),
        ("x" * 20_000, None, "en"),
        ("de", "es", "es"),
        ("de", "fr", "de"),
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
def test_sentences_in_each_language(app: Flask, language: str) -> None:
    """Values are never taken for formats, and no sentence is empty in any language."""
    with app.test_request_context(headers={"Cookie": f"language={language}"}):
        assert say(Sentence("%(a)s!", {"a": "100 % %s %(b)s"})) == "100 % %s %(b)s!"
        assert say(Refusal("x", "%(a)s?", {"a": Word("yellow")})).endswith("?")
        listed = say(Sentence("%(a)s", {"a": ("x", "y", "z")}))
        assert listed.startswith("x, y ")
        assert listed.endswith(" z")


def test_refusals_are_in_the_language_of_the_page(app: Flask) -> None:
    """The sentences of tables and rules go through the catalogue of each language."""
    texts = {}
    for language in LANGUAGES:
        headers = {"Cookie": f"language={language}", "HX-Request": "true"}
        texts[language] = app.test_client(use_cookies=False).get("/t/none/", headers=headers).text
    assert "There is no such table." in texts["en"]
    assert len(set(texts.values())) == len(LANGUAGES), "not translated"


def test_each_sheet_to_print_has_a_picture_of_all_its_width(phone: Phone) -> None:
    """Kniffel's boxes stand in one column at the right: alone they were a line of seven pixels."""
    page = phone.get("/pads").text
    shares = []
    for width, drawn in re.findall(r'<svg viewBox="0 0 (\S+) [^>]*>(.*?)</svg>', page, re.S):
        if left := [float(x) for x in re.findall(r'\bx="(\S+?)"', drawn)]:
            shares.append((max(left) - min(left)) / float(width))
    assert len(shares) >= len(SHEETS)
    assert min(shares) > 0.5


def test_the_page_says_which_games_a_pad_is_for(phone: Phone) -> None:
    page = phone.page("/pads?sheet=tally&mono=1")
    sheets = [radio.attrs["value"] for radio in page.all("input", name="sheet")]
    titles = [label.text.strip() for label in page.all("label") if "(" in label.text][: len(sheets)]
    assert sheets
    assert any("Freaky" in title for title in titles)
    assert any("card" in title for title in titles)
    assert page.one("input", name="sheet", value="tally").attrs.get("checked", "-") != "-"
    assert page.one("input", name="mono").attrs.get("checked", "-") != "-"


Make = Callable[..., Party]
OK, NO = 303, 403
CSP = "Content-Security-Policy"

VERDICTS = [
    # What the browser says → whether a POST is carried out. The app is at http://table.lan:8000.
    ({}, OK),  # no browser at all
    ({"Sec-Fetch-Site": "same-origin"}, OK),
    ({"Sec-Fetch-Site": "none"}, OK),  # typed by hand
    ({"Sec-Fetch-Site": "same-site"}, NO),
    ({"Sec-Fetch-Site": "cross-site"}, NO),
    ({"Sec-Fetch-Site": ""}, NO),
    ({"Origin": "http://table.lan:8000"}, OK),
    ({"Origin": "http://table.lan:8001"}, NO),  # another program on the same machine
    ({"Origin": "http://table.lan:8000.evil.com"}, NO),
    ({"Origin": "null"}, NO),  # a sandboxed frame, a file
    ({"Origin": ""}, NO),
    ({"Origin": "http://["}, NO),  # no address at all
    # A proxy may speak https to the phone and http to the app, so the scheme says nothing here;
    # a browser on https says Sec-Fetch-Site as well, and that decides.
    ({"Origin": "https://table.lan:8000"}, OK),
    ({"Sec-Fetch-Site": "cross-site", "Origin": "https://table.lan:8000"}, NO),
    ({"Sec-Fetch-Site": "same-origin", "Origin": "http://table.lan:8000"}, OK),
    ({"Sec-Fetch-Site": "same-origin", "Origin": "http://public-name.example"}, OK),
    ({"Sec-Fetch-Site": "cross-site", "Origin": "http://table.lan:8000"}, NO),
    ({"Referer": "http://evil.com/"}, OK),  # nobody needs to send it, so it is not asked for
]


@pytest.mark.parametrize(("headers", "status"), VERDICTS)
def test_cross_site(app: Flask, headers: dict[str, str], status: int) -> None:
    phone = Phone(app, base_url="http://table.lan:8000")
    answer = phone.post("/tables", {"game": "qwinto-dice"}, headers=headers)
    assert answer.status_code == status
    tables = app.extensions["tables"].at_tables(phone.device)
    assert len(tables) == (status == OK)


def test_cross_site_links_can_be_opened(game: Party) -> None:
    """A link in a chat leads to the table: only looking is allowed, and everything else refused."""
    headers = {"Sec-Fetch-Site": "cross-site", "Origin": "http://evil.com"}
    assert game.host.get(game.path, headers=headers).status_code == 200
    version = game.version
    for way in WAYS:
        answer = game.host.post(f"{game.path}taps", way=way, headers=headers, json={})
        assert refusal_of(answer).status == 403
    assert game.version == version


ANSWERS = (
    ("GET", "/", 200), ("HEAD", "/", 200), ("OPTIONS", "/", 200), ("GET", "/nothing", 404),
    ("GET", "/tables", 405), ("POST", "/tables", 422), ("POST", "/language", 400),
    ("GET", "/static/app.css", 200), ("GET", "/static/js/table.js", 200),
    ("GET", "/static/fonts/fredoka.woff2", 200), ("GET", "/static/js/none.js", 404),
    ("GET", "/favicon.ico", 200), ("GET", "{table}", 200), ("GET", "{table}version", 200),
    ("GET", "{table}record.json", 200), ("GET", "{table}menu", 200),
    ("POST", "{table}do/start", 409), ("GET", "/t/none/", 404),
)  # fmt: skip


def test_headers(game: Party) -> None:
    for method, path, status in ANSWERS:
        answer = game.host.ask(method, path.format(table=game.path))
        assert answer.status_code == status, (method, path)
        for name, value in headers_for(answer.content_type or "").items():
            assert answer.headers.getlist(name) == [value], (method, path)
        if not path.startswith(("/static/", "/favicon")):
            assert answer.headers["Cache-Control"] == "no-store", (method, path)


def test_responses_other_than_documents_have_no_document_policies(phone: Phone) -> None:
    """A worker's script has some, because a worker is bound by the policies of its own script."""
    for path in ("/static/app.css", "/static/js/table.js", "/static/fonts/fredoka.woff2"):
        headers = phone.get(path).headers
        assert CSP not in headers
        assert headers["X-Content-Type-Options"] == "nosniff"
    assert phone.get("/worker.js").headers[CSP] == HEADERS[CSP]


def test_no_answer_is_for_search_engines(phone: Phone) -> None:
    """Addresses of links and results are secrets: whoever finds one may sit down or look."""
    for path in ("/", "/j/unknown", "/g/unknown", "/phone"):
        assert phone.get(path).headers["X-Robots-Tag"] == "noindex"


def test_the_policy_allows_our_own_files_and_nothing_else() -> None:
    directives = [one.strip() for one in HEADERS[CSP].split(";") if one]
    policy = dict(directive.split(" ", 1) for directive in directives)
    for name in ("default-src", "frame-ancestors", "base-uri"):
        assert policy[name] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
    assert not [word for word in ("unsafe", "http:", "*") if word in HEADERS[CSP]]


# Cookies


def test_the_session_cookie(app: Flask) -> None:
    client = app.test_client()
    answer = client.get("/")
    (cookie,) = answer.headers.getlist("Set-Cookie")
    parts = cookie.split("; ")
    assert parts[0].startswith("companion=")
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(parts)
    assert "Secure" not in parts
    assert any(part.startswith("Expires=") for part in parts)
    assert not client.get("/").headers.getlist("Set-Cookie"), "it is not signed anew every time"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_language_cookie(app: Flask, scheme: str) -> None:
    phone = Phone(app, base_url=f"{scheme}://table.lan")
    answer = phone.post("/language", {"language": "de"})
    (cookie,) = answer.headers.getlist("Set-Cookie")
    assert "SameSite=Lax" in cookie
    assert ("Secure" in cookie) == (scheme == "https")


def test_the_cookie_says_nothing_to_others(game: Party) -> None:
    """A page never shows the device's token, and the database keeps its hash only."""
    for path in (game.path, f"{game.path}menu", f"{game.path}turns", f"{game.path}record.json"):
        assert game.host.device not in game.host.get(path).text


def test_a_tampered_cookie_is_nobodys(game: Party) -> None:
    client = game.host.client
    cookie = client.get_cookie("companion")
    assert cookie is not None
    value = cookie.value
    # Not the very last letter: not all of its bits belong to the signature.
    changed = [value[:at] + ("A" if value[at] != "A" else "B") + value[at + 1 :] for at in (5, -9)]
    forged = (
        "A" + value,
        value.split(".")[0],
        "",
        "eyJkZXZpY2UiOiJ4In0.aaaaaa.bbbbbb",
        "x" * 3_000,
    )
    for spoilt in (*changed, *forged):
        client.set_cookie("companion", spoilt)
        assert refusal_of(game.host.get(game.path)).status == 403
    client.set_cookie("companion", value)
    assert game.host.get(game.path).status_code == 200


def test_a_session_of_another_shape(app: Flask, game: Party) -> None:
    for device in (None, 1, ["x"], {"a": 1}, ""):
        phone = Phone(app)
        with phone.client.session_transaction() as session:
            session["device"] = device
        assert refusal_of(phone.get(game.path)).status == 403
        assert phone.get("/").status_code == 200


# Pages


def pages_of(party: Party) -> Iterator[tuple[str, Page]]:
    """Every page and part with names, as the host and others see it."""
    host, path = party.host, party.path
    for address in ("/", path, f"{path}menu", f"{path}turns", f"/j/{party.links['join']}"):
        yield address, host.page(address)
    yield "share", Page(host.post(f"{path}share").text)
    for entry in [entry for entry in party.read().entries if entry.by][:4]:
        address = f"{path}turns/{entry.id}"
        yield address, host.page(address)
        yield address, Page(host.post(address, {"action": json.dumps(dict(entry.action))}).text)
    yield "watching", party.viewer.page(path)


def plain_marks(page: Page) -> list[tuple[str, str | None]]:
    """The page without its words: what a name must never change."""
    return [(element.tag, element.attrs.get("class")) for element in page.elements]


# What a name does to a page has little to do with its language, but for what sentences fill in.
NAMES_TO_SHOW = [(name, "playing", "en") for name in HOSTILE_NAMES]
NAMES_TO_SHOW += [(HOSTILE_NAMES[0], phase, "en") for phase in ("lobby", "over")]
NAMES_TO_SHOW += [wide(name, phase, "en") for name in HOSTILE_NAMES for phase in ("lobby", "over")]
NAMES_TO_SHOW += [
    wide(name, "playing", language) for name in HOSTILE_NAMES[:8:5] for language in ("de", "es")
]


@pytest.mark.parametrize(("name", "phase", "language"), NAMES_TO_SHOW)
def test_names_are_text(make: Make, name: str, phase: str, language: str) -> None:
    """With a hostile name a page has the same elements as with a harmless one."""
    if (phase, language) not in _harmless:
        pages = pages_of(evening(make, phase, "Tim", language))
        _harmless[phase, language] = [plain_marks(page) for _, page in pages]
    party = evening(make, phase, name, language)
    clean = party.read().seats[0].name
    for (address, page), marks in zip(pages_of(party), _harmless[phase, language], strict=True):
        assert page.faults() == [], address
        assert plain_marks(page) == marks, address
        if page.is_whole:
            assert clean in page.one("body").text, address


_harmless: dict[tuple[str, str], list[list[tuple[str, str | None]]]] = {}


def evening(make: Make, phase: str, first: str, language: str) -> Party:
    """A table at which the first player's name occurs in all kinds of sentences."""
    party = make(phase, (first, "Sarah"))
    party.host.client.set_cookie("language", language)
    if phase == "playing":
        party.do(roll(first, yellow=3), write(first, "yellow", 2), passes("Sarah"))
        party.do(roll("Sarah", orange=1))
        party.tap(id=tap_id(), undo=party.do(passes(first))[0])
    return party


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_names_stand_in_refusals(make: Make, name: str) -> None:
    """Sentences that hold a name: as JSON, as a part and as a page."""
    party = make("playing", (name, "Sarah"))
    clean = party.read().seats[0].name
    answer = party.tap(action=roll("Sarah", yellow=1))
    refusal = answer.get_json()["refused"]
    assert refusal["code"] == "not-your-turn"
    assert clean in refusal["message"]
    party.tables.change(party.id, party.player.device, take_seat, 1)
    for way in ("htmx", "page"):
        answer = party.host.post(f"{party.path}do/take", {"seat": "1"}, way=way)
        page = Page(answer.text)
        assert page.faults() == []
        assert clean in page.one("p", **{"class": "fault" if way == "htmx" else "lead"}).text


def test_a_name_from_right_to_left_turns_no_line_around_it(make: Make) -> None:
    name = "\u05e2\u05d1\u05e8\u05d9\u05ea"
    party = make("playing", (name, "Sarah"))
    assert name in [one.text for one in party.host.page(party.path).all("bdi")]


# Templates


def test_no_template_asks_a_database(app: Flask, tables: Tables) -> None:
    """The tests of the pages hold it; this one shows that they would notice."""
    template = app.jinja_env.from_string("{{ ask() }}")
    with pytest.raises(AskedWhileDrawn):
        template.render(ask=lambda: tables.at_tables("nobody"))


def test_an_unknown_name_in_a_template_is_an_error(app: Flask) -> None:
    """Totals were silently empty once."""
    with pytest.raises(UndefinedError):
        app.jinja_env.from_string("{{ player.totl }}").render(player={"total": 3})


# Redirects


ELSEWHERE = (
    "https://evil.com/", "//evil.com/", "///evil.com/", "/\\evil.com/", "\\\\evil.com",
    "/\t/evil.com/", "/\t\\evil.com/", "\t//evil.com/", " //evil.com/", "/\n/evil.com/",
    "/\r\n/evil.com/", "/ok\r\nSet-Cookie: a=b", "/\x00/evil.com", "javascript:alert(1)",
    "evil.com", "", "http:/evil.com", "/\u2028/evil.com",
)  # fmt: skip


def test_choosing_a_language_leads_to_no_other_site(phone: Phone) -> None:
    for back in ELSEWHERE:
        answer = phone.post("/language", {"language": "de", "back": back})
        assert answer.status_code in (303, 400)
        if answer.status_code == 303:
            # What browsers make of it: tabs and line breaks are dropped, a backslash is a slash.
            address = re.sub(r"[\t\r\n]", "", answer.location).replace("\\", "/")
            assert re.fullmatch(r"/([^/].*)?", address), back
            assert "Set-Cookie: a" not in str(answer.headers)


def test_light_or_dark_is_chosen_like_a_language(phone: Phone) -> None:
    """A page follows the phone until its owner chooses: then it is always dark, or never."""
    dark = "@media (prefers-color-scheme:dark){"
    for scheme, media in (("", dark), ("light", "@media not all{"), ("dark", "@media all{")):
        phone.post("/language", {"scheme": scheme})
        page = phone.page("/")
        style = phone.get(page.one("link", rel="stylesheet").attrs["href"] or "").text
        assert [media in style, dark in style] == [True, not scheme]
        shown = page.one("meta", name="color-scheme").attrs["content"]
        assert shown == (scheme or "light dark")
    assert phone.post("/language", {"scheme": "pink"}).status_code == 400


def test_back_to_where_the_language_was_chosen(game: Party) -> None:
    backs = game.host.page(f"{game.path}menu").all("input", name="back")
    assert {back.attrs["value"] for back in backs} <= {f"{game.path}menu"}
    answer = game.host.post("/language", {"language": "es", "back": game.path})
    assert answer.location == game.path


def test_a_host_header_that_is_none(game: Party) -> None:
    """Without a valid host no link can be made, so there is only a sentence."""
    for host in ("a..b", "[", "a b", "", "evil.com/x", "[::1", "x" * 3_000, "é", "a@b"):
        for method, path in (("GET", "/"), ("POST", f"{game.path}share")):
            answer = game.host.ask(method, path, headers={"Host": host, "Origin": "http://x"})
            assert Page(answer.text).faults() == [], host
