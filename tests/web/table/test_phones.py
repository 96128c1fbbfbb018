"""Identity of phones: clocks that step, cookies of others, and ways back."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from flask import Flask
from flask.testing import FlaskClient
from itsdangerous import TimestampSigner

from lab.pages import Page
from lab.phones import Phone, refusal_of
from lab.tables import Party

DAY = 24 * 60 * 60
At = Callable[[float], None]


@pytest.fixture
def signed_at(monkeypatch: pytest.MonkeyPatch) -> At:
    """Sets the clock that signs cookies, in seconds from now."""

    def set_clock(seconds: float) -> None:
        moment = int(time.time() + seconds)
        monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _: moment)

    return set_clock


def cookies_of(client: FlaskClient, path: str = "/") -> list[str]:
    return client.get(path).headers.getlist("Set-Cookie")


@pytest.mark.parametrize("seconds", [2, 60, 30 * DAY, 20_000 * DAY, -401 * DAY, -15_000 * DAY])
def test_a_clock_that_steps_makes_nobody_somebody_else(
    game: Party, signed_at: At, seconds: float
) -> None:
    """Seconds back between two servers, decades after a start without a network, day 401."""
    signed_at(seconds)
    phone = game.host
    with phone.client.session_transaction() as session:
        session.modified = True
    for path in ("/", game.path, f"{game.path}version"):
        assert phone.get(path).status_code == 200
    with phone.client.session_transaction() as session:
        assert session["device"] == phone.device


@pytest.mark.parametrize("seconds", [-2 * DAY, 2 * DAY])
def test_a_cookie_that_is_used_is_renewed(app: Flask, signed_at: At, seconds: float) -> None:
    signed_at(seconds)
    client = app.test_client()
    client.get("/")
    signed_at(0)
    assert not cookies_of(client, "/static/app.css"), "what is cached carries no cookie"
    (cookie,) = cookies_of(client)
    assert "Max-Age=34560000" in cookie
    assert not cookies_of(client)


@pytest.fixture
def foreign(app: Flask) -> FlaskClient:
    """A browser with a cookie of the same name that another app has set."""
    client = app.test_client()
    client.set_cookie("companion", "another.apps.cookie")
    return client


def test_a_cookie_of_another_app_is_not_overwritten(foreign: FlaskClient, game: Party) -> None:
    for path in (game.path, "/history", "/nothing-here", "/pads"):
        assert not cookies_of(foreign, path), path
    answer = foreign.get("/")
    assert answer.status_code == 403
    page = Page(answer.text)
    assert page.faults() == []
    assert page.one("form", action="/phone/new").attrs["method"] == "post"
    assert foreign.post("/tables", data={"game": "qwinto-dice"}).status_code == 403
    answer = foreign.post("/phone/new")
    assert answer.status_code == 303
    assert len(answer.headers.getlist("Set-Cookie")) == 1
    assert foreign.get("/").status_code == 200


def test_a_foreign_cookie_may_be_replaced_by_the_owners_link(
    foreign: FlaskClient, game: Party
) -> None:
    address = link_of(game.host)
    assert foreign.get(address).status_code == 200
    assert foreign.post(address).status_code == 303
    assert foreign.get(game.path).status_code == 200


def link_of(phone: Phone) -> str:
    """The path of a new link to another phone of this one's person."""
    shown = phone.post("/phone")
    assert Page(shown.text).faults() == []
    address = re.search(r"/phone/as/[\w.-]+", shown.text)
    assert address is not None
    return address[0]


def sign_out_form(phone: Phone) -> dict[str, str]:
    """The form of the button that signs the others out."""
    page = phone.page("/phone")
    return {"new": str(page.one("button", name="new").attrs["value"])}


def test_a_lost_phone_is_restored_by_another_phone_of_its_owner(app: Flask, game: Party) -> None:
    address = link_of(game.host)
    lost = Phone(app)
    assert refusal_of(lost.get(game.path)).status == 403
    lost.page(address)
    assert refusal_of(lost.get(game.path)).status == 403, "looking changes nothing"
    assert lost.post(address).status_code == 303
    assert lost.get(game.path).status_code == 200
    assert lost.post(f"{game.path}do/hints").status_code == 303, "the host's rights come, too"
    assert game.host.get(game.path).status_code == 200, "both are the same device"


@pytest.mark.parametrize("seconds", [-310, 310, -400 * DAY])
def test_the_link_to_another_phone_is_valid_for_five_minutes(
    game: Party, signed_at: At, seconds: float
) -> None:
    signed_at(seconds)
    address = link_of(game.host)
    for path in (
        address,
        *(f"/phone/as/{ticket}" for ticket in ("x", "a.b.c", "%ff", "A" * 5_000)),
    ):
        for method in ("GET", "POST"):
            assert refusal_of(game.stranger.ask(method, path)).status == 404
    for new in (address.rpartition("/")[2], game.host.device, "", "é"):
        assert refusal_of(game.stranger.post("/phone/others", {"new": new})).status == 404


def test_the_other_phones_become_strangers(game: Party) -> None:
    """A stolen one, for example, even with a link that it made before and kept."""
    tablet, address = Phone(game.app), link_of(game.host)
    assert tablet.post(address).status_code == 303
    form = sign_out_form(tablet)
    answer = tablet.post("/phone/others", form)
    assert "Your other phones are signed out." in answer.text
    assert Page(answer.text).faults() == []
    for phone in (game.host, Phone(game.app)):
        assert phone.post(address).status_code == 303
        assert phone.get("/").status_code == 200, "it begins anew"
        assert refusal_of(phone.get(game.path)).status == 403
    assert tablet.get(game.path).status_code == 200
    assert tablet.post(f"{game.path}do/hints").status_code == 303
    assert game.player.get(game.path).status_code == 200


def test_a_new_identity_belongs_to_one_device(game: Party) -> None:
    """Two members of a table would become one, and the second would lose its place."""
    form = sign_out_form(game.host)
    assert game.host.post("/phone/others", form).status_code == 200
    assert refusal_of(game.player.post("/phone/others", form)).status == 404
    for phone in (game.host, game.player):
        assert phone.get(game.path).status_code == 200


def test_a_lost_answer_loses_nothing(game: Party) -> None:
    """The new cookie was lost, so the person taps once more."""
    form, old = sign_out_form(game.host), game.host.client.get_cookie("companion")
    assert old is not None
    game.host.post("/phone/others", form)
    game.host.client.set_cookie("companion", old.value)
    assert refusal_of(game.host.get(game.path)).status == 403
    game.host.post("/phone/others", form)
    assert game.host.get(game.path).status_code == 200


def test_the_cookie_over_https_belongs_to_this_host_alone(app: Flask, game: Party) -> None:
    """A phone that came over http before stays the same."""
    plain = game.host.client.get_cookie("companion")
    assert plain is not None
    client = app.test_client(use_cookies=False)
    headers = {"Cookie": f"companion={plain.value}"}
    answer = client.get(game.path, base_url="https://localhost", headers=headers)
    assert answer.status_code == 200
    (cookie,) = answer.headers.getlist("Set-Cookie")
    assert cookie.startswith("__Host-companion=")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=Lax"} <= set(cookie.split("; "))
    assert "Domain" not in cookie
