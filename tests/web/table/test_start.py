"""The first page, coming to a table and being sent away, and games that are only counted."""

from __future__ import annotations

import io
import json
import re
from typing import Any

import pytest
from flask import Flask

from companion.games.catalog import GAMES
from companion.games.record import parse, replay
from companion.limits import USUAL
from companion.tables import Tables
from companion.tables.play.access import CODE_LENGTH, join_link
from companion.tables.play.lobby import start
from companion.web.page import links
from companion.web.page.language import LANGUAGES
from companion.web.table.demo import demo
from lab import play
from lab.games import passes, roll, write
from lab.history import take_in
from lab.pages import Page
from lab.phones import WAYS, Phone, refusal_of
from lab.tables import Party, party
from tests.web.table.test_games import opened, some_game


def test_a_new_table_is_listed_on_its_device_alone(app: Flask, phone: Phone) -> None:
    answer = phone.post("/tables", {"game": "qwinto-dice"})
    assert answer.status_code == 303
    (card,) = phone.page("/").all("a", **{"class": "card"})
    assert card.attrs["href"] == answer.location
    assert "Nobody has sat down yet" in card.text
    assert not Phone(app).page("/").all("a", **{"class": "card"})
    phone.post(f"{answer.location}do/add", {"name": "Zoë & <Jo>", "color": "red"})
    assert "Zoë & <Jo>" in phone.page("/").one("a", **{"class": "card"}).text


@pytest.mark.every_game
def test_running_tables_come_before_others_and_joining_after_the_games(phone: Phone) -> None:
    """A table that is being set up was changed later than the one that runs."""
    running = opened(phone, "qwixx", some_game("qwixx", seed=1, steps=4))
    over = opened(phone, "qwixx", some_game("qwixx", seed=1, steps=3000))
    new = phone.post("/tables", {"game": "encore"}).location
    page = phone.page("/")
    cards = [card.attrs["href"] for card in page.all("a", **{"class": "card"})]
    assert cards == [running, new, over]
    sections = [section.attrs["aria-labelledby"] for section in page.all("section")]
    assert sections == ["open-tables", "new-game", "join", "paper"]
    assert [field.attrs["value"] for field in page.all("input", name="game")] == list(GAMES)


def test_no_such_game_and_no_such_language(phone: Phone) -> None:
    for game in (None, "", "chess", "qwinto-dice\n", "QWINTO-DICE", "x" * 9_999):
        form = {} if game is None else {"game": game}
        assert refusal_of(phone.post("/tables", form, way="htmx")).code == "no-such-game"
    assert not phone.page("/").all("a", **{"class": "card"})
    for language in (None, "", "fr", "EN", "../en", "en\x00", "x" * 9_999):
        answer = phone.post("/language", {} if language is None else {"language": language})
        assert refusal_of(answer).status == 400
        assert "Set-Cookie" not in answer.headers


def test_choosing_a_language(phone: Phone) -> None:
    for language, title in LANGUAGES.items():
        answer = phone.post("/language", {"language": language, "back": "/"})
        assert (answer.status_code, answer.location) == (303, "/")
        page = phone.page("/", headers={"Accept-Language": "en"})
        assert page.one("html").attrs["lang"] == language
        button = page.one("button", **{"aria-pressed": "true"})
        assert (button.attrs["value"], button.attrs["aria-label"]) == (language, title)


# Saved games


def record_of(**changes: Any) -> dict[str, Any]:
    actions = [roll("Tim", yellow=4), write("Tim", "yellow", 3)]
    return play.record_of(("Tim", "Sarah"), actions) | changes


def test_export_import_export(phone: Phone, game: Party) -> None:
    """A saved game that is opened and saved again has the same bytes, under any file name."""
    game.do(roll("Tim", yellow=4, purple=5), write("Tim", "yellow", 6), passes("Sarah"))
    game.do(passes("Linus"), roll("Sarah", orange=1), roll("Sarah", orange=6))
    first = game.host.get(f"{game.path}record.json").data
    for name in ("../../etc/passwd", "x" * 5_000, "<b>.json", "é\u202e.json"):
        saved = phone.get(f"{phone.bring(first, name).location}record.json")
        assert saved.data == first
    assert "attachment" in saved.headers["Content-Disposition"]
    assert replay(parse(json.loads(first))).refusal is None
    # Windows' editors put a byte order mark in.
    assert phone.bring(b"\xef\xbb\xbf" + first).status_code == 303


def test_a_table_is_made_again_when_it_was_used(phone: Phone, tables: Tables) -> None:
    """Until then another tap, or the same file, leads to the table that is there."""
    asks = {
        "a game": lambda: phone.post("/tables", {"game": "qwinto-dice"}).location,
        "a file": lambda: phone.bring(record_of()).location,
    }
    for name, ask in asks.items():
        first = ask()
        assert ask() == first, name
        tables.change(first.split("/")[-2], phone.device, join_link)
        assert ask() != first, name


def test_players_keep_their_colors(phone: Phone, tables: Tables) -> None:
    """Anything but a list of such colors is ignored."""
    colors = ["teal", "pink"]
    players = list(zip(("Tim", "Sarah"), colors, strict=True))
    table = tables.create(phone.device, "qwinto-dice", players=players)
    tables.change(table, phone.device, start)
    first = phone.get(f"/t/{table}/record.json")
    assert first.get_json()["colors"] == colors
    path = phone.bring(first.data).location
    dots = [str(dot.attrs.get("class")) for dot in phone.page(path).all("span")]
    assert [dot.split()[1] for dot in dots if dot.startswith("dot ")][:2] == colors
    assert phone.get(f"{path}record.json").data == first.data
    for wrong in ("teal", ["teal"], ["beige", "red"], [["red"], "blue"], [None, None]):
        path = phone.bring(record_of(colors=wrong)).location
        assert "colors" not in phone.get(f"{path}record.json").get_json()


BAD_RECORDS: dict[str, object] = {
    "a picture": b"\x89PNG\r\n\x1a\n\x00\x00",
    "UTF-16": json.dumps(record_of()).encode("utf-16"),
    "deep lists": b"[" * 500_000,
    "another format": record_of(format="companion-score/1"),
    "too many actions": record_of(actions=[{"do": "next"}] * 2_001),
    "an illegal action": record_of(actions=[roll("Sarah", yellow=1)]),
}


@pytest.mark.parametrize("record", BAD_RECORDS.values(), ids=BAD_RECORDS)
def test_a_record_that_is_refused_makes_no_table(phone: Phone, record: object) -> None:
    for way in ("page", "htmx"):
        assert refusal_of(phone.bring(record, way=way)).status == 422
    assert not phone.page("/").all("a", **{"class": "card"})


def test_no_file(phone: Phone) -> None:
    for form in (
        {}, {"record": "text, no file"}, {"record": (io.BytesIO(b"{}"), "")},
        {"other": (io.BytesIO(b"{}"), "game.json")},
    ):  # fmt: skip
        assert refusal_of(phone.post("/import", form)).status == 422


# Links and codes


def link_on(page: Page) -> str:
    return page.one("p", **{"class": "link"}).text


def test_the_code_and_the_link_lead_to_the_same_choice(game: Party) -> None:
    page = Page(game.player.post(f"{game.path}share").text)
    assert page.faults() == []
    code, link = page.one("p", **{"class": "share-code"}).text, link_on(page)
    assert len(code.replace(" ", "")) == CODE_LENGTH
    assert link.startswith("http://localhost/j/")
    assert len(link.removeprefix("http://localhost/j/")) >= 22, "128 bits"
    choice = game.stranger.page(link.removeprefix("http://localhost")).one("main").text
    assert "Tim" in choice
    for typed in (code, code.lower(), f" {code[:3]}-{code[4:]} ", code.replace(" ", "")):
        answer = game.stranger.post("/join", {"code": typed})
        assert answer.status_code == 303
        assert game.stranger.page(answer.location).one("main").text == choice


def test_the_qr_code_holds_the_link(game: Party) -> None:
    """Drawn without a style, an id or a size of its own; the address is beside it as text."""
    code = Page(game.host.post(f"{game.path}share").text).one("svg", **{"class": "qr"})
    assert "width" not in code.attrs
    assert str(code.attrs["viewbox"]).startswith("0 0 ")
    assert links.qr_code("http://a.b/j/x") != links.qr_code("http://a.b/j/y")
    longest = links.qr_code("http://" + "a" * 250 + ".example:65535/j/" + "x" * 22)
    assert Page(str(longest)).faults() == []


HERE, ELSEWHERE = "127.0.0.1", "198.51.100.7"
LAN = "http://192.168.1.7:8000"


@pytest.mark.parametrize(
    ("opened_as", "sender", "handed_out"),
    [
        ("http://localhost:8000", HERE, LAN),
        ("http://127.0.0.1:8000", HERE, LAN),
        ("http://[::1]:8000", "::1", LAN),
        ("http://192.168.1.9:8000", ELSEWHERE, "http://192.168.1.9:8000"),
        ("https://games.example", ELSEWHERE, "https://games.example"),
        ("https://localhost", ELSEWHERE, "https://localhost"),
    ],
)
def test_a_phone_is_given_an_address_that_it_can_open(
    own_app: Flask, opened_as: str, sender: str, handed_out: str
) -> None:
    """The address in the network is for this computer's own browsers, not for others' names."""
    own_app.config["LAN_ADDRESS"] = LAN
    host = Phone(own_app, base_url=opened_as)
    host.address = sender
    path = host.post("/tables", {"game": "qwinto-dice"}).location
    assert link_on(Page(host.post(f"{path}share").text)).startswith(f"{handed_out}/j/")
    page = host.page("/")
    shown = [link.text for link in page.all("span", **{"class": "link"})]
    is_local = "localhost" in handed_out
    assert shown == ([] if is_local else [f"{handed_out}/"])
    assert ("only works on this computer" in page.source) == is_local
    assert ("on the same network" in page.source) == ("192.168" in handed_out)
    assert len(page.all("svg", **{"class": "qr"})) == len(shown)


def test_the_first_page_plays_a_turn(app: Flask) -> None:
    """Every phone writes once, where its rules allow it, and its points rise."""
    phone = Phone(app)
    with app.test_request_context():
        shown = demo()
    assert len(shown.phones) == 3
    for one in shown.phones:
        assert one.after > one.before
        (taken,) = re.findall(r'<g class="f taken fits[^>]*aria-label="([^"]*)"', one.sheet)
        assert taken.endswith(f": {shown.call}")
        assert one.sheet.count('class="f fits') > 3
    assert phone.page("/").all("div", **{"class": "demo"})
    phone.post("/tables", {"game": "qwinto-dice"})
    assert not phone.page("/").all("div", **{"class": "demo"}), "who has a table knows it"


# Entering


def test_taking_a_seat_in_the_middle_of_a_game(game: Party) -> None:
    game.do(roll("Tim", yellow=4))
    page = game.stranger.page(f"/j/{game.links['join']}")
    assert [button.text for button in page.all("button", name="seat")] == ["Tim", "Sarah", "Linus"]
    assert not page.all("input", name="name"), "new seats are made in the lobby only"
    answer = game.stranger.post(f"/j/{game.links['join']}", {"seat": "2"})
    assert (answer.status_code, answer.location) == (303, game.path)
    table = game.stranger.page(game.path)
    assert table.one(id="table").attrs["data-focus"] == "2"
    other = Phone(game.app)
    held = other.page(f"/j/{game.links['join']}")
    assert [button.text for button in held.all("button", name="seat")] == ["Tim", "Linus"]
    answer = other.post(f"/j/{game.links['join']}", {"seat": "2"}, way="htmx")
    assert refusal_of(answer).code == "seat-taken"
    assert refusal_of(other.get(game.path)).status == 403, "not even a member"


def test_a_phone_that_scans_again_is_back_in_its_own_seat(game: Party) -> None:
    """A player with a seat is not asked again."""
    join, view = (f"/j/{game.links[kind]}" for kind in ("join", "view"))
    assert game.player.get(join).status_code == 200, "a player without a seat may want one"
    game.player.post(join, {"seat": "2"})
    assert game.player.get(join).location == game.path
    assert game.viewer.get(view).location == game.path
    assert game.viewer.get(join).status_code == 200


# Links and their end


def test_revoking_a_link_keeps_the_others(game: Party) -> None:
    """The dialog goes on to show what is still valid."""
    answer = game.host.post(f"{game.path}links/{game.links['view']}/revoke")
    page = game.host.page(answer.location, way="htmx")
    lines = page.one("ul", **{"class": "lines"}).text
    assert "Join" in lines
    assert "Watch" not in lines


# Short codes


def test_guessing_codes_is_stopped(own_app: Flask) -> None:
    """After too many wrong ones the right one is refused, too, for this address alone.

    A forwarded address is not believed: everybody could have as many tries as they like.
    """
    made = party(own_app, own_app.extensions["tables"], "lobby")
    code = {"code": made.links["code"]}
    for _ in range(USUAL.recent_codes_per_address):
        assert made.stranger.post("/join", code).status_code == 303
    for number in range(USUAL.recent_codes_per_address):
        address = f"192.0.2.{number}"
        headers = {"X-Forwarded-For": address, "Forwarded": f"for={address}"}
        answer = made.stranger.post("/join", {"code": "AAAAAA"}, headers=headers)
        assert refusal_of(answer).status == 404
    for way in WAYS:
        answer = made.stranger.post("/join", code, way=way)
        assert refusal_of(answer).status == 429
    assert re.search(r"Wait \d+ minutes", refusal_of(answer).message)
    other = {"REMOTE_ADDR": "192.0.2.55"}
    assert made.stranger.post("/join", code, environ_base=other).status_code == 303


# Games that are only counted


def of_two(host: Phone, tables: Tables, game: str = "freaky") -> str:
    names = [("Ada", "red"), ("Ben", "blue")]
    return tables.create(host.device, game, players=names)


def test_a_counted_game_is_in_everybodys_history(app: Flask, tables: Tables) -> None:
    """By the form for totals, which knows the game and the names."""
    host, guest = Phone(app), Phone(app)
    table = of_two(host, tables)
    tables.enter(tables.change(table, host.device, join_link).id, guest.device)
    path = f"/totals?table={table}"
    assert host.page(f"/t/{table}/").all("a", href=path)
    form = host.page(path)
    assert form.one("input", name="table").attrs["value"] == table
    filled = {"game": "freaky", "name": ["Ada", "Ben"], "total": ["31", " 40 "], "table": table}
    answer = host.post("/totals", filled)
    assert "Ben wins" in host.page(answer.location).source
    for phone in (host, guest):
        [match] = tables.history.all_matches(phone.device)
        players = [(one.name, one.total, one.won) for one in match.players]
        assert players == [("Ada", 31, False), ("Ben", 40, True)]
        assert (match.source, match.record, match.may_change) == ("typed", None, True)
    assert take_in(tables, guest.device, tables.history.export_json(host.device)) == 0
    assert tables.read(table, host.device).phase == "lobby"


def test_other_games_are_not_counted(app: Flask, tables: Tables) -> None:
    host = Phone(app)
    table = of_two(host, tables, "encore")
    assert not host.page(f"/t/{table}/").all("a", href=f"/totals?table={table}")


def test_a_new_table_says_how_many_are_needed(phone: Phone, tables: Tables) -> None:
    for game, least in (("encore", "1 player."), ("qwixx", "2 players.")):
        source = phone.page(f"/t/{tables.create(phone.device, game)}/").source
        assert f"needs at least {least}" in source
