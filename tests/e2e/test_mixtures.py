"""One tablet for all, a phone for each, both, viewers, and what people do with their browsers."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from companion.games.catalog import GAMES
from lab.wide import wide
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import MENU, NO_NETWORK, Phone, Table, make_table

pytestmark = pytest.mark.e2e

PLAYERS = ("Ada", "Ben", "Carla")
REFUSED = r"the server responded with a status of 4"


@pytest.fixture
def host(open_phone: OpenPhone) -> Phone:
    return open_phone()


@pytest.fixture
def table(host: Phone) -> Table:
    return make_table(host, *PLAYERS)


UNDER_THE_FINGER = """([player, selector, x, y]) => new Promise((answer) => {
  const sheet = document.querySelector(`.player[data-by="${player}"]`);
  new MutationObserver(() => {
    if (sheet.matches('.selected')) {
      const under = document.elementFromPoint(x, y);
      under.dispatchEvent(new MouseEvent('click', { bubbles: true }));
      // The name is shown in the same task, and goes after a second.
      const named = document.querySelector('.handed strong')?.textContent;
      answer([under.closest('.player')?.dataset.by, named]);
    }
  }).observe(sheet, { attributeFilter: ['class'] });
  document.querySelector(selector).dispatchEvent(new MouseEvent('click', { bubbles: true }));
})"""
"""Taps an element, then a point as soon as the phone shows the player's sheet; returns whose sheet
is there, and whom the page names."""


def middle(target: Locator) -> list[float]:
    """The point of the window in the middle of an element."""
    box = target.bounding_box()
    assert box
    return [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2]


def test_a_phone_passed_round_names_the_next_player(host: Phone, table: Table) -> None:
    """A double tap's second tap hits nobody's sheet; on request a page waits between players."""
    host.open(table.path)
    table.roll("Ada", yellow=4)
    host.shows_version(table.version)
    field = host.spot("Ada", "yellow.5")
    name = ".player[data-by=Ada] [data-f='yellow.5']"
    assert host.page.evaluate(UNDER_THE_FINGER, ["Ben", name, *middle(field)]) == ["Ben", "Ben"]
    expect(host.see(".handed")).to_have_count(0)
    host.tap("#tab-3")
    expect(host.sheet("Carla")).to_have_class(re.compile("selected"))
    host.tap("#tab-2")
    expect(host.see(".handed")).to_have_count(0)
    table.do("handing", handing="on")
    host.shows_version(table.version)
    host.tap(host.spot("Ben", "yellow.5"))
    expect(host.see(".handed.page strong")).to_have_text("Give the phone to Carla")
    host.tap(".handed button")
    host.tap(host.spot("Carla", "yellow.5"))
    host.has_saved_all()
    assert [action["by"] for action in table.actions] == ["Ada", *PLAYERS]


SIX = ("Maximiliane", "Ben", "Carla", "Bartholomäus", "Emma-Louise", "Franziskus")


@pytest.mark.parametrize("locale", ["en-US", wide("de-DE")])
def test_one_phone_for_six_speaks_of_the_player_whose_sheet_it_shows(
    open_phone: OpenPhone, locale: str
) -> None:
    phone = open_phone(locale=locale)
    table = make_table(phone, *SIX)
    table.roll(SIX[0], yellow=4, purple=5)
    phone.open(table.path)
    hint = phone.see(".hint.says")
    for shown in (0, 3):
        if shown:
            phone.tap(f"#tab-{shown + 1}")
        expect(hint.locator(".said")).to_contain_text(f"{SIX[shown]}:")
        text = hint.inner_text()
        assert min((name for name in SIX if name in text), key=text.index) == SIX[shown]
        assert hint.evaluate("hint => hint.scrollHeight <= hint.clientHeight + 1")
    expect(hint.locator(".then")).to_contain_text("Maximiliane")


def test_a_tablet_brings_the_next_sheet_under_nobodys_finger(open_phone: OpenPhone) -> None:
    """The tap that brings the other sheet taps nothing on it."""
    tablet = open_phone(1024, 768)
    table = make_table(tablet, "Ada", "Ben", game="encore")
    tablet.open(table.path)
    table.send({"do": "roll", "by": "Ada", "told": False})
    tablet.shows_version(table.version)
    passing = ".player[data-by=Ada] .pass"
    under = tablet.page.evaluate(UNDER_THE_FINGER, ["Ben", passing, *middle(tablet.see(passing))])
    assert under == ["Ben", "Ben"]
    tablet.has_saved_all()
    assert [action["do"] for action in table.actions] == ["roll", "pass"]
    assert tablet.sheet("Ben").locator(".f.open").count()
    for box in tablet.sheet("Ben").locator(".f.open .hit").all():
        expect(box).to_be_in_viewport(ratio=1)


def test_no_finger_writes_on_an_enlarged_sheet(open_phone: OpenPhone) -> None:
    """Ada's finger comes down when Dora's sheet has taken the place of hers."""
    tablet = open_phone(1024, 768)
    table = make_table(tablet, *PLAYERS, "Dora")
    table.roll("Ada", yellow=4, purple=5)
    tablet.open(table.path)
    expect(tablet.sheet("Ada")).to_have_class(re.compile("selected"))
    place = middle(tablet.spot("Ada", "yellow.5"))
    enlarge = "[data-by=Dora] .enlarge"
    assert tablet.page.evaluate(UNDER_THE_FINGER, ["Dora", enlarge, *place]) == ["Dora", None]
    tablet.tap(tablet.spot("Dora", "yellow.6"))
    tablet.has_saved_all()
    assert [action.get("field") for action in table.actions] == [None, 6]


SHEETS = """() => [...document.querySelectorAll('.others > .player')]
  .map((player) => {
    const box = player.getBoundingClientRect();
    return [player.dataset.by, [box.left, box.top, box.right, box.bottom].map(Math.round)];
  })"""

TAP_AGAIN = """([x, y]) => {
  globalThis.isTappedAgain = false;
  addEventListener('click', () => requestAnimationFrame(() => {
    const second = new MouseEvent('click', { bubbles: true, detail: 2 });
    document.elementFromPoint(x, y).dispatchEvent(second);
    isTappedAgain = true;
  }), { once: true });
}"""
"""Makes the second of two quick taps, even if a slow machine sends the first one."""


@pytest.mark.parametrize("game", ["encore", "qwixx", wide("qwinto-dice")])
def test_a_small_sheet_grows_where_it_is_tapped_and_moves_no_other(
    open_phone: OpenPhone, game: str
) -> None:
    """The large one takes its place, and takes no second tap there."""
    tablet = open_phone(820, 1180, is_mobile=False)
    names = ("Ada", "Ben", "Carla", "Dora", "Eva", "Finn")[: GAMES[game].max_players]
    tablet.open(make_table(tablet, *names, game=game).path)
    before = dict(tablet.page.evaluate(SHEETS))
    for player in names[1:]:
        left, top, right, bottom = before[player]
        x, y = (left + right) / 2, (top + bottom) / 2
        # A finger rests on the sheet until its style shows that it is pressed.
        tablet.page.mouse.move(x, y)
        tablet.page.mouse.down()
        expect(tablet.sheet(player).locator(".enlarge:active")).to_have_count(1)
        tablet.page.evaluate(TAP_AGAIN, [x, y])
        tablet.page.mouse.up()
        tablet.page.wait_for_function("() => isTappedAgain")
        expect(tablet.sheet(player)).to_have_class(re.compile("selected"))
        tablet.takes_taps()
        after = dict(tablet.page.evaluate(SHEETS))
        (large,) = after.keys() - before.keys()
        expected = {**before, large: before[player]}
        del expected[player]
        assert after == expected
        before = after


def test_a_revoked_link_sends_its_phone_to_a_clear_page(
    host: Phone, table: Table, open_phone: OpenPhone
) -> None:
    guest = open_phone()
    guest.expected.append(REFUSED)
    guest.expected.append(r"^error: htmx:|Response Status Error Code 4")
    table.join(guest, "Ben")
    guest.open(table.path)
    host.open(table.path)
    host.dialog(MENU)
    host.tap("#dialog [hx-post$='/share']")
    host.tap("#dialog [hx-post$='/revoke']")
    expect(guest.see("#table")).to_have_count(0)
    expect(guest.see("main .lead")).not_to_be_empty()
    expect(guest.see("main a.button[href='/']")).to_be_visible()


def test_a_second_tab_is_the_same_phone(host: Phone, table: Table) -> None:
    host.expected.append(NO_NETWORK)
    table.roll("Ada", yellow=4, purple=5)
    host.open(table.path)
    second = Phone(host.context, host.context.new_page(), host.address)
    second.page.set_viewport_size({"width": 360, "height": 640})
    second.open(table.path)
    host.tap(host.spot("Ada", "yellow.5"))
    expect(second.spot("Ada", "yellow.5")).to_have_class(re.compile("written"))
    version = table.version
    # Both tabs hold the same queue and both send it: still one entry a tap.
    host.context.set_offline(True)
    second.tap(second.see("#tab-2"))
    second.tap(second.spot("Ben", "purple.6"))
    host.tap(host.see("#tab-3"))
    host.tap(host.sheet("Carla").locator(".pass"))
    host.context.set_offline(False)
    for tab in (host, second):
        tab.shows_version(version + 2)
        expect(tab.toast).to_have_count(0)
        expect(tab.see("#connection")).to_be_hidden()
    assert table.version == version + 2


def test_a_sheet_is_turned_towards_its_player(open_phone: OpenPhone) -> None:
    tablet = open_phone(1024, 768)
    table = make_table(tablet, *PLAYERS)
    table.roll("Ada", yellow=4, purple=5)
    tablet.open(table.path)
    tablet.enlarges("Ben")
    for turned in ("180", "90", "270"):
        tablet.tap(tablet.sheet("Ben").locator("[data-turn]"))
        expect(tablet.sheet("Ben")).to_have_attribute("data-turned", turned)
    tablet.page.reload()
    expect(tablet.sheet("Ben")).to_have_attribute("data-turned", "270")
    tablet.tap(tablet.spot("Ben", "yellow.5"))
    expect(tablet.spot("Ben", "yellow.5")).to_have_class(re.compile("written"))
