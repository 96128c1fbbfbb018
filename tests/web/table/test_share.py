"""Coming to a table and being sent away: links, codes, QR codes, seats."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask

from companion.limits import USUAL
from companion.tables.play.access import CODE_LENGTH
from companion.tables.play.lobby import take_seat
from companion.web.table import share
from tests.kit.games import roll
from tests.kit.pages import Page
from tests.kit.phones import Phone, refusal_of
from tests.kit.tables import Party, party

Make = Callable[..., Party]


def code_on(page: Page) -> str:
    return page.one("p", **{"class": "share-code"}).text


def link_on(page: Page) -> str:
    return page.one("p", **{"class": "link"}).text


def test_the_code_and_the_link_lead_to_the_same_choice(game: Party) -> None:
    page = Page(game.player.post(f"{game.path}share").text)
    assert page.faults() == []
    code, link = code_on(page), link_on(page)
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
    """Drawn without a style, an id or a size of its own; the address is on it as text beside."""
    page = Page(game.host.post(f"{game.path}share").text)
    code = page.one("svg", **{"class": "qr"})
    assert "width" not in code.attrs
    assert (code.attrs.get("viewbox") or code.attrs.get("viewBox") or "").startswith("0 0 ")
    assert share.qr_code("http://a.b/j/x") != share.qr_code("http://a.b/j/y")
    longest = share.qr_code("http://" + "a" * 250 + ".example:65535/j/" + "x" * 22)
    assert Page(str(longest)).faults() == []


@pytest.mark.parametrize(
    ("opened_as", "handed_out"),
    [
        ("http://localhost:8000", "http://192.0.2.7:8000"),
        ("http://127.0.0.1:8000", "http://192.0.2.7:8000"),
        ("http://[::1]:8000", "http://192.0.2.7:8000"),
        ("http://192.0.2.9:8000", "http://192.0.2.9:8000"),
        ("https://games.example", "https://games.example"),
    ],
)
def test_a_phone_is_given_an_address_that_it_can_open(
    own_app: Flask, opened_as: str, handed_out: str
) -> None:
    own_app.config["LAN_ADDRESS"] = "http://192.0.2.7:8000"
    host = Phone(own_app, base_url=opened_as)
    path = host.post("/tables", {"game": "qwinto-dice"}).location
    assert link_on(Page(host.post(f"{path}share").text)).startswith(f"{handed_out}/j/")


# Entering


def test_opening_a_link_changes_nothing(game: Party) -> None:
    version = game.version
    for kind in ("join", "view"):
        assert game.stranger.get(f"/j/{game.links[kind]}").status_code == 200
    assert game.version == version
    assert refusal_of(game.stranger.get(game.path)).status == 403


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
    """A join link is no question for who has a seat."""
    join, view = (f"/j/{game.links[kind]}" for kind in ("join", "view"))
    assert game.player.get(join).status_code == 200, "a player without a seat may want one"
    game.player.post(join, {"seat": "2"})
    assert game.player.get(join).location == game.path
    assert game.viewer.get(view).location == game.path
    assert game.viewer.get(join).status_code == 200


def test_what_names_no_seat_and_no_link(game: Party, phone: Phone) -> None:
    """It is refused, and nobody has come to the table."""
    version, join = game.version, f"/j/{game.links['join']}"
    for seat in ("x", "-1", "0", "99", "\u00b2", "9" * 5_000, "1.0", "1 OR 1=1"):
        answer = game.stranger.post(join, {"seat": seat}, way="htmx")
        assert refusal_of(answer).code == "no-such-seat"
    assert refusal_of(game.stranger.post(join, {"name": "Zoë"}, way="htmx")).status == 409
    assert refusal_of(game.stranger.get(game.path)).status == 403
    for link in ("x", "none", "%00", "\u00e9", "x" * 3_000):
        answer = game.host.post(f"{game.path}links/{link}/revoke", way="htmx")
        assert refusal_of(answer).code == "no-such-link"
    for code in (None, "", "ABC", "ABC%%%", "x" * 100_000, "\u0410BCDEF", "'--"):
        answer = phone.post("/join", {} if code is None else {"code": code}, way="htmx")
        assert (refusal_of(answer).code, answer.status_code) == ("no-such-link", 404)
    assert game.version == version


# Links and their end


def test_revoking_ends_what_came_with_the_link(game: Party) -> None:
    game.tables.change(game.id, game.player.device, take_seat, 2)
    for kind, phone in (("view", game.viewer), ("join", game.player)):
        assert phone.get(game.path).status_code == 200
        answer = game.host.post(f"{game.path}links/{game.links[kind]}/revoke")
        assert answer.status_code == 303
        for path in ("", "version", "turns", "menu", "record.json"):
            assert refusal_of(phone.get(game.path + path)).status == 403
        tap = game.tap(phone, action=roll("Tim", yellow=1))
        assert refusal_of(tap).code == "not-a-member"
        assert refusal_of(game.stranger.get(f"/j/{game.links[kind]}")).status == 404
        assert refusal_of(game.stranger.post(f"/j/{game.links[kind]}")).status == 404
    seats = game.tables.read(game.id, game.host.device).seats
    assert not any(seat.held for seat in seats)
    assert refusal_of(game.stranger.post("/join", {"code": game.links["code"]})).status == 404


def test_after_revoking_the_other_links_are_there(game: Party) -> None:
    """The dialog goes on to show what is still valid."""
    answer = game.host.post(f"{game.path}links/{game.links['view']}/revoke")
    page = game.host.page(answer.location, way="htmx")
    lines = page.one("ul", **{"class": "lines"}).text
    assert "Join" in lines
    assert "Watch" not in lines


# Short codes


def test_guessing_codes_is_stopped(own_app: Flask) -> None:
    """After so many wrong ones also the right one is refused, for this address alone."""
    made = party(own_app, own_app.extensions["tables"], "lobby")
    code = {"code": made.links["code"]}
    for _ in range(USUAL.recent_codes_per_address):
        assert made.stranger.post("/join", code).status_code == 303
    for _ in range(USUAL.recent_codes_per_address):
        assert refusal_of(made.stranger.post("/join", {"code": "AAAAAA"})).status == 404
    for way in ("page", "htmx", "json"):
        answer = made.stranger.post("/join", code, way=way)
        assert refusal_of(answer).status == 429
    assert re.search(r"Wait \d+ minutes", refusal_of(answer).message)
    other = {"REMOTE_ADDR": "192.0.2.55"}
    assert made.stranger.post("/join", code, environ_base=other).status_code == 303


def test_a_forwarded_address_is_not_believed(own_app: Flask) -> None:
    """Or everybody could have as many tries as they like."""
    phone = Phone(own_app)
    for number in range(USUAL.recent_codes_per_address):
        headers = {"X-Forwarded-For": f"192.0.2.{number}", "Forwarded": f"for=192.0.2.{number}"}
        phone.post("/join", {"code": "AAAAAA"}, headers=headers)
    answer = phone.post("/join", {"code": "AAAAAA"}, headers={"X-Forwarded-For": "192.0.2.200"})
    assert refusal_of(answer).status == 429
