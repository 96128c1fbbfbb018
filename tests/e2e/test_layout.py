"""Every page on every screen: nothing to scroll sideways, room for fingers, no axe faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from companion.games.catalog import GAMES
from lab import play
from lab.names import LONG_NAMES
from lab.wide import first_of
from tests.e2e import screens
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import MENU, TURNS, Phone, Table, make_table, open_record
from tests.e2e.screens import SIZES, Look

pytestmark = pytest.mark.e2e

SEED = 31
IN_THE_MIDDLE = 53  # actions of the six-player game after which three of them have still to write
MOMENTS = (0, 1, 2, 4, 26)  # actions of a random game after which its page is looked at
TOO_HIGH = """() => {
  const high = (element) => element.getBoundingClientRect().height;
  return [...document.querySelectorAll('.end .board')]
    .map((board) => [high(board), Math.max(...[...board.querySelectorAll('.spacer')].map(high))])
    .filter(([board, spacer]) => Math.abs(board - spacer) > 6);
}"""
"""(height of a board, that of the spacer that gives it its shape), where they differ."""
NO_PAGE = r"the server responded with a status of 404"


def start_page(phone: Phone) -> None:
    make_table(phone, *LONG_NAMES)
    phone.open()
    phone.tap("details summary")


def lobby(phone: Phone) -> None:
    phone.open(make_table(phone, *LONG_NAMES[:5], start=False).path)


def in_the_middle(phone: Phone) -> Table:
    table = open_record(phone, play.some_record(LONG_NAMES, SEED, IN_THE_MIDDLE))
    phone.open(table.path)
    expect(phone.see(".f.open:visible").first).to_be_visible()
    return table


def turns_dialog(phone: Phone) -> None:
    in_the_middle(phone)
    phone.dialog(TURNS).locator("summary").last.click()


def edit_roll_dialog(phone: Phone) -> None:
    in_the_middle(phone)
    phone.dialog(TURNS)
    phone.tap(phone.see("#dialog .turn summary").last)
    phone.tap(phone.see("#dialog .entry[hx-get]").last)
    expect(phone.see("#edit-picker, .dialog-sheet .board").first).to_be_visible()
    phone.tap("[data-editor] button[data-tap]")
    expect(phone.see("#preview [data-send]")).to_be_visible()


def edit_field_dialog(phone: Phone) -> None:
    table = make_table(phone, *LONG_NAMES)
    table.roll(LONG_NAMES[0], yellow=6, purple=5)
    entry = table.write(LONG_NAMES[0], "yellow", 5)
    phone.open(table.path)
    phone.edits(entry)
    expect(phone.see(".dialog-sheet .board")).to_be_visible()


def share_dialog(phone: Phone) -> None:
    """On a phone the menu has its button while a game is played."""
    menu(phone)
    phone.tap("#dialog [hx-post$='/share']")
    expect(phone.see("#dialog svg.qr")).to_be_visible()


def menu(phone: Phone) -> None:
    in_the_middle(phone)
    expect(phone.dialog(MENU).locator(".menu-seats")).to_be_visible()


def end(phone: Phone) -> None:
    phone.open(open_record(phone, play.some_record(LONG_NAMES, SEED)).path)
    assert phone.page.evaluate(TOO_HIGH) == [], "a sheet is cut that is higher than its shape"
    phone.tap(phone.see(".term").first)


def join(phone: Phone) -> None:
    table = make_table(phone, *LONG_NAMES, start=False)
    table.do("take", seat="1")
    phone.open(table.link())


def toasts(phone: Phone) -> None:
    """A conflict is shown over the page, and taps wait for the network."""
    phone.expected.append("net::ERR_|htmx:|status of 4")
    table = make_table(phone, *LONG_NAMES)
    table.roll(LONG_NAMES[0], yellow=6, purple=5)
    phone.open(table.path)
    phone.context.set_offline(True)
    phone.tap(phone.spot(LONG_NAMES[0], "yellow.5"))
    table.passes(LONG_NAMES[0])
    phone.context.set_offline(False)
    expect(phone.toast).to_be_visible()


def history(phone: Phone) -> None:
    """Games of a known kind and of another one, with filters."""
    phone.open()
    for game, title in (("qwixx", ""), ("qwixx", ""), ("", "Minigolf am Wannsee"), ("freaky", "")):
        rows = {
            "name": list(LONG_NAMES[:2]),
            "total": ["87", "63"],
            "wins": "highest",
            "again": "1",
        }
        answer = phone.context.request.post(
            f"{phone.address}/totals",
            data=urlencode({"game": game, "title": title, **rows}, doseq=True),
            headers={"Content-Type": "application/x-www-form-urlencoded"},
        )
        assert answer.ok
    phone.open("/history")


def person(phone: Phone) -> None:
    history(phone)
    phone.open("/history/people")
    phone.open(phone.see(".cards a").first.get_attribute("href") or "")
    expect(phone.see(".chart")).to_be_visible()


PAGES: dict[str, Callable[[Phone], Any]] = {
    "first_page": lambda phone: phone.open(),
    "pads": lambda phone: phone.open("/pads?sheet=encore&board=blue&copies=3&players=Ada"),
    "pads_refused": lambda phone: phone.open("/pads?sheet=qwinto&copies=0"),
    "error": lambda phone: phone.open(f"/j/{'x' * 22}"),
    **{page.__name__: page for page in (start_page, lobby, join, toasts, menu, share_dialog)},
    **{page.__name__: page for page in (turns_dialog, edit_roll_dialog, edit_field_dialog)},
    **{page.__name__: page for page in (end, history, person)},
}


@screens.each_look
@pytest.mark.parametrize("page", PAGES)
def test_every_screen(open_phone: OpenPhone, page: str, look: Look) -> None:
    phone = open_phone(*look.sizes[0], locale=look.locale)
    phone.expected += [NO_PAGE] if page == "error" else []
    PAGES[page](phone)
    assert look.faults(phone) == {}


@screens.each_look
@pytest.mark.parametrize("game", first_of(GAMES, "encore", "freaky"))
def test_every_game(open_phone: OpenPhone, game: str, look: Look) -> None:
    """At any time of a game of as many people as play it, with long names."""
    names = LONG_NAMES[: GAMES[game].max_players]
    phone = open_phone(*look.sizes[0], locale=look.locale)
    actions = play.some_game(game, SEED, MOMENTS[-1], names)
    # `test_steady` goes through the steps of a turn, too.
    moments = MOMENTS if look.sizes == SIZES else MOMENTS[1::3]
    for count in moments:
        record_ = play.record_of(names, actions[:count], game)
        phone.open(open_record(phone, record_).path)
        here = look if count == MOMENTS[-1] else look._replace(axe=())
        assert here.faults(phone) == {}, count
