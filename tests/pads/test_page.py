"""The page in the app: choosing, previewing, downloading, and printing from the browser."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from flask import Flask
from flask.testing import FlaskClient

from companion.folders import PRINTABLES
from companion.games.catalog import SHEETS
from companion.pads import padmap, pdf
from companion.tables import Tables
from companion.web import create_app
from lab import pdf as kit
from lab.wide import wide
from tests.pads.test_geometry import pages_of_order
from tests.pads.test_places import DPI, misplaced

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route


@pytest.fixture(scope="module")
def pads_app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    tables = Tables(f"sqlite:///{tmp_path_factory.mktemp('pads') / 'pads.sqlite3'}")
    yield create_app(tables)
    tables.close()


@pytest.fixture
def client(pads_app: Flask) -> FlaskClient:
    """A phone that has been on a page, and so has the cookie."""
    client = pads_app.test_client()
    client.get("/pads")
    return client


def test_it_shows_every_page_that_will_be_printed(client: FlaskClient) -> None:
    assert 'href="/pads"' in client.get("/").text
    for asked, count in (("", 1), ("copies=7&players=Ada", 3)):
        shown = client.get(f"/pads?{asked}").text
        assert shown.count('class="pad-page"') == count
        assert (">Ada</text>" in shown) == ("Ada" in asked)
        assert 'formaction="/pads/pads.pdf"' in shown


@pytest.mark.every_game
def test_every_language_has_its_page(client: FlaskClient) -> None:
    for language, sheet in product(("en", "es", "de"), SHEETS):
        headers = {"Accept-Language": language}
        shown = client.get(f"/pads?sheet={sheet}&board=red", headers=headers).text
        assert f'<html lang="{language}">' in shown
        assert "%(" not in shown
        assert ('name="board"' in shown) == bool(SHEETS[sheet].boards)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ("sheet=chess", ""),
        ("copies=", "number of copies is missing"),
        ("copies=²", "From 1 to 120 copies"),
        ("copies=121", "From 1 to 120 copies"),
        ("copies=" + "9" * 3000, ""),
        ("players=" + "x%0A" * 101, "Too many names: at most 100"),
        ("players=a%E2%80%AEb", ""),
        *(
            (f"sheet=tally&players=a&numbers={bad}", "A number cannot")
            for bad in ("x", "[]", '{"a": 1}', '{"a": [true]}', '{"a": [100000]}')
        ),
    ],
)
def test_unprintable_orders_are_refused_with_a_reason(
    client: FlaskClient, wrong: str, says: str
) -> None:
    shown = client.get(f"/pads?{wrong}")
    assert shown.status_code == 200
    assert 'role="alert"' in shown.text
    assert says in shown.text
    assert "pad-page" not in shown.text
    for path in ("pads.pdf", "map.json"):
        refused = client.get(f"/pads/{path}?{wrong}")
        assert refused.status_code == 422
        assert b"%PDF" not in refused.data


def test_the_pdf_is_a_download(client: FlaskClient) -> None:
    answer = client.get("/pads/pads.pdf?sheet=encore&board=blue&paper=a5&players=Zo%C3%AB")
    assert answer.status_code == 200
    assert answer.mimetype == "application/pdf"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="encore-blue-a5.pdf"'
    assert "Zoë" in "".join(kit.texts(answer.data))


def test_another_sites_picture_starts_no_engine(
    pads_app: Flask, client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "is_possible", lambda: True)
    monkeypatch.setattr(pdf, "pdf", lambda *_, **__: pytest.fail("an engine was started"))
    wanted = "/pads/pads.pdf?sheet=tally&players=Zo%C3%AB"
    # Over http a browser says nothing, but sends no cookie either; over https it says where from.
    answer = pads_app.test_client().get(wanted)
    assert (answer.status_code, answer.location) == (303, "/pads?sheet=tally&players=Zo%C3%AB")
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert client.get(wanted, headers=headers).status_code == 303
    monkeypatch.setattr(pdf, "pdf", lambda *_, **__: b"%PDF")
    for site, mode in (("same-origin", "navigate"), ("none", "navigate"), ("same-origin", "cors")):
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
        assert client.get(wanted, headers=headers).status_code == 200


def test_the_map_is_the_commands(client: FlaskClient) -> None:
    printout = pages_of_order("tally", paper="letter")
    assert client.get("/pads/map.json?sheet=tally&paper=letter").json == padmap.document(printout)


def test_without_an_engine_the_ready_made_ones_are_there(
    client: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf, "is_possible", lambda: False)
    assert "No program to make PDFs" in client.get("/pads").text
    ready = client.get("/pads/pads.pdf?sheet=tally&paper=letter")
    assert ready.data == (PRINTABLES / "tally-letter.pdf").read_bytes()
    for more in ("players=Ada", "copies=20"):
        refused = client.get(f"/pads/pads.pdf?{more}")
        assert refused.status_code == 503
        assert "wkhtmltopdf" in refused.text


@pytest.fixture
def opened(pads_app: Flask, chromium: Browser) -> Iterator[Any]:
    """Opens an address of the app in a browser; its requests are answered without a network."""
    client = pads_app.test_client()
    context = chromium.new_context()

    def answer(route: Route) -> None:
        got = client.get(route.request.url.removeprefix("http://localhost"))
        route.fulfill(status=got.status_code, headers=dict(got.headers), body=got.data)
        got.close()

    def open_page(**asked: object) -> Any:
        shown = context.new_page()
        complaints: list[str] = []
        shown.on("console", lambda message: complaints.append(message.text))
        shown.route("**/*", answer)
        shown.goto(f"http://localhost/pads?{urlencode(asked)}")
        assert complaints == []
        return shown

    yield open_page
    context.close()


@pytest.mark.e2e
@pytest.mark.parametrize(
    ("sheet", "board", "paper"),
    [("encore", "green", "letter"), wide("qwinto", "", "a4"), wide("tally", "", "a5")],
)
def test_printing_from_the_browser_is_exact(
    opened: Any, sheet: str, board: str, paper: str
) -> None:
    printout = pages_of_order(sheet, board, paper, copies=4)
    shown = opened(sheet=sheet, board=board, paper=paper, copies=4)
    raw = shown.pdf(prefer_css_page_size=True, print_background=True)
    sizes = kit.page_sizes(raw)
    assert len(sizes) == len(printout.pages)
    assert sizes[0] == pytest.approx((printout.page.width, printout.page.height), abs=0.3)
    assert misplaced(padmap.document(printout), kit.pictures(raw, DPI)[0])


@pytest.mark.e2e
def test_words_are_as_wide_on_a_narrow_screen_as_on_a_wide_one(opened: Any) -> None:
    """Small letters in the places of whole pixels made "O range" and "Fullcolumn of three:the"."""
    shown = opened(sheet="qwinto")
    lengths = []
    for width in (360, 3600):
        shown.set_viewport_size({"width": width, "height": 800})
        lengths.append(
            shown.evaluate(
                "() => [...document.querySelectorAll('.pad-page text')]"
                ".map(text => [text.textContent, text.getComputedTextLength()])"
            )
        )
    for (content, narrow), (_, wide_one) in zip(*lengths, strict=True):
        assert narrow == pytest.approx(wide_one, rel=0.01), content


@pytest.mark.e2e
def test_another_sheet_is_shown_and_what_is_typed_is_downloaded(opened: Any) -> None:
    shown = opened(sheet="encore", board="red", players="Ada")
    assert shown.locator("text=red board").count() > 0
    shown.click("label:has(input[name=sheet][value=tally])")
    shown.wait_for_selector("select[name=board]", state="detached")
    assert shown.locator(".pad-page").count() == 1
    assert "sheet=tally" in shown.url
    shown.fill("textarea[name=players]", "Ben")
    with shown.expect_request("**/pads/pads.pdf?*") as asked:
        shown.click("button.primary")
    assert "players=Ben" in asked.value.url
