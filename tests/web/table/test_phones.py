"""No phone forgets who it is: clocks that step, cookies of others, and ways back."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
import sqlalchemy as sa
from flask import Flask
from flask.testing import FlaskClient
from itsdangerous import TimestampSigner

from companion.tables import Tables
from companion.tables.database.schema import phone_links
from tests.kit.pages import Page
from tests.kit.parties import Party
from tests.kit.phones import Phone, refusal_of

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


@pytest.mark.parametrize("seconds", [-2 * DAY, -401 * DAY, 2 * DAY])
def test_a_cookie_that_is_used_is_renewed(app: Flask, signed_at: At, seconds: float) -> None:
    signed_at(seconds)
    client = app.test_client()
    client.get("/")
    signed_at(0)
    assert not cookies_of(client, "/static/app.css"), "what is cached carries no cookie"
    (cookie,) = cookies_of(client)
    assert "Max-Age=34560000" in cookie
    assert not cookies_of(client)


def test_a_cookie_of_another_app_is_not_overwritten(app: Flask, game: Party) -> None:
    client = app.test_client()
    client.set_cookie("companion", "another.apps.cookie")
    for path in ("/", game.path, "/history", "/nothing-here", "/pads"):
        answer = client.get(path)
        assert not answer.headers.getlist("Set-Cookie"), path
    answer = client.get("/")
    assert answer.status_code == 403
    page = Page(answer.text)
    assert page.faults() == []
    (form,) = (form for form in page.all("form") if form.attrs.get("action") == "/phone/new")
    assert form.attrs["method"] == "post"
    assert client.post("/tables", data={"game": "qwinto-dice"}).status_code == 403
    answer = client.post("/phone/new")
    assert answer.status_code == 303
    assert len(answer.headers.getlist("Set-Cookie")) == 1
    assert client.get("/").status_code == 200


ANDROID = {"User-Agent": "Mozilla/5.0 (Linux; Android 15) Chrome/140"}


def link_of(phone: Phone) -> str:
    """The path of a new link to another phone of this one's person."""
    shown = phone.post("/phone")
    assert Page(shown.text).faults() == []
    address = re.search(r"/phone/as/[\w.-]+", shown.text)
    assert address is not None
    return address[0]


def added_to(phone: Phone) -> Phone:
    """Another phone that has become the same device."""
    other = Phone(phone.app)
    assert other.post(link_of(phone), headers=ANDROID).status_code == 303
    return other


def key_in(page: Page) -> str:
    """The one phone in the list that can be forgotten."""
    (button,) = (one for one in page.all("button") if one.attrs.get("name") == "phone")
    return str(button.attrs["value"])


def test_a_lost_phone_comes_back_by_another_phone_of_the_same_person(
    app: Flask, game: Party
) -> None:
    address = link_of(game.host)
    lost = Phone(app)
    assert refusal_of(lost.get(game.path)).status == 403
    page = lost.page(address)
    assert page.faults() == []
    assert refusal_of(lost.get(game.path)).status == 403, "looking changes nothing"
    assert lost.post(address).status_code == 303
    assert lost.get(game.path).status_code == 200
    assert lost.post(f"{game.path}do/hints").status_code == 303, "the host's rights come, too"
    assert game.host.get(game.path).status_code == 200, "both are the same device"


def test_ones_own_link_is_for_one_phone(game: Party) -> None:
    first, address = link_of(game.host), link_of(game.host)
    assert refusal_of(game.stranger.post(first)).status == 404, "a newer one replaces it"
    assert added_to(game.host).get(game.path).status_code == 200
    assert refusal_of(game.stranger.post(address)).status == 404
    address = link_of(game.host)
    assert Phone(game.app).post(address).status_code == 303
    for method in ("GET", "POST"):
        assert refusal_of(game.stranger.ask(method, address)).status == 404


def test_no_link_and_no_database_tells_the_token(game: Party, tables: Tables) -> None:
    """Proxies write paths into their logs; and who copies the database opens no table."""
    address = link_of(game.host)
    with tables.database.read() as connection:
        rows = connection.execute(sa.select(phone_links)).all()
    for text in (address, str(rows)):
        assert game.host.device not in text
        assert game.host.device.encode().hex() not in text
    assert address.rpartition("/")[2] not in str(rows)


def test_a_foreign_cookie_may_be_replaced_by_ones_own_link(app: Flask, game: Party) -> None:
    address = link_of(game.host)
    client = app.test_client()
    client.set_cookie("companion", "another.apps.cookie")
    assert client.get(address).status_code == 200
    assert client.post(address).status_code == 303
    assert client.get(game.path).status_code == 200


@pytest.mark.parametrize("seconds", [-3_700, 3_700, -400 * DAY])
def test_ones_own_link_is_valid_for_an_hour(
    game: Party, tables: Tables, monkeypatch: pytest.MonkeyPatch, seconds: float
) -> None:
    address = link_of(game.host)
    monkeypatch.setattr(tables, "clock", lambda: time.time() + seconds)
    for method in ("GET", "POST"):
        assert refusal_of(game.stranger.ask(method, address)).status == 404


def test_phones_are_listed_with_what_they_are(game: Party) -> None:
    assert "Android" not in game.host.page("/phone").source
    tablet = added_to(game.host)
    for phone in (game.host, tablet):
        page = phone.page("/phone")
        assert page.faults() == []
        assert "Android phone or tablet" in page.source
        assert page.source.count("this phone") == 1
    assert key_in(game.host.page("/phone")) != key_in(tablet.page("/phone"))


@pytest.mark.parametrize("is_first", [False, True])
def test_a_forgotten_phone_is_a_stranger(game: Party, is_first: bool) -> None:
    """Also the first one, such as a phone that was stolen, by the tablet that was added."""
    tablet = added_to(game.host)
    gone, left = (game.host, tablet) if is_first else (tablet, game.host)
    assert left.post("/phone/forget", {"phone": key_in(left.page("/phone"))}).status_code == 303
    for path in ("/", game.path, f"{game.path}version", "/history", "/phone"):
        assert refusal_of(gone.get(path)).status == 403, path
    refused = gone.get("/")
    assert "forgotten-phone" in gone.get("/", way="json").text
    assert "removed on another phone" in refused.text
    assert Page(refused.text).faults() == []
    assert left.get(game.path).status_code == 200
    assert game.stranger.get(f"/j/{game.links['join-token']}").status_code == 200, "links stay"
    assert "Forget" not in left.page("/phone").source
    assert gone.post(link_of(left)).status_code == 303, "a new link brings it back"
    assert gone.get(game.path).status_code == 200
    assert gone.post("/phone/forget", {"phone": key_in(gone.page("/phone"))}).status_code == 303
    assert refusal_of(left.get(game.path)).status == 403
    assert left.post("/phone/new").status_code == 303
    assert left.get("/").status_code == 200, "or it begins anew"
    assert refusal_of(left.get(game.path)).status == 403


def test_nobody_forgets_the_phones_of_others(game: Party) -> None:
    tablet = added_to(game.host)
    key = key_in(game.host.page("/phone"))
    assert game.stranger.post("/phone/forget", {"phone": key}).status_code == 303
    assert tablet.get(game.path).status_code == 200


@pytest.mark.parametrize("ticket", ["x", "a.b.c", "%ff", "A" * 5_000])
def test_no_link_to_a_phone(phone: Phone, ticket: str) -> None:
    for method in ("GET", "POST"):
        assert refusal_of(phone.ask(method, f"/phone/as/{ticket}")).status == 404


def test_the_cookie_over_https_is_this_hosts_alone(app: Flask) -> None:
    client = app.test_client()
    (cookie,) = client.get("/", base_url="https://table.lan").headers.getlist("Set-Cookie")
    assert cookie.startswith("__Host-companion=")
    assert {"Secure", "HttpOnly", "Path=/", "SameSite=Lax"} <= set(cookie.split("; "))
    assert "Domain" not in cookie


def test_a_phone_that_came_over_https_before_stays_the_same(app: Flask, game: Party) -> None:
    plain = game.host.client.get_cookie("companion")
    assert plain is not None
    client = app.test_client(use_cookies=False)
    headers = {"Cookie": f"companion={plain.value}"}
    answer = client.get(game.path, base_url="https://localhost", headers=headers)
    assert answer.status_code == 200
    (cookie,) = answer.headers.getlist("Set-Cookie")
    assert cookie.startswith("__Host-companion=")
