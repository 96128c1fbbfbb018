"""Taps and corrections of one phone reach the others without reloading, by stream or polling."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from lab.wide import wide
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import MENU, NO_NETWORK, Phone, Table, make_table

pytestmark = pytest.mark.e2e

ONE_SIGN = """
globalThis.setInterval = () => 0;
addEventListener('online', (event) => {
  if (globalThis.isDeaf) event.stopImmediatePropagation();
});
"""
"""Keeps the page from polling, and from network events while it is deaf."""
SIGNS = {
    "visibilitychange": ("4", "document.dispatchEvent(new Event('visibilitychange'))"),
    "online": ("9", "null"),  # the browser itself says so
    "pageshow": ("15", "dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))"),
}
"""Sign that a phone is awake → the sum that it missed, and the script that gives the sign."""
DICE = {"4": ("yellow", 4), "9": ("purple", 5), "15": ("orange", 6)}
"""The sum of a roll → the die that makes it, tapped in this order."""


@pytest.fixture
def table(open_phone: OpenPhone) -> Table:
    """Ada, Ben and Carla play; Ada's phone is the host's."""
    host = open_phone()
    table = make_table(host, "Ada", "Ben", "Carla")
    table.do("take", seat=table.seat("Ada"))
    host.open(table.path)
    return table


@pytest.fixture
def ben(table: Table, open_phone: OpenPhone) -> Phone:
    phone = open_phone()
    table.join(phone, "Ben")
    return phone


def stays_the_same_page(phone: Phone) -> None:
    """Marks the page; a reload would wipe the mark away."""
    phone.page.evaluate("() => { globalThis.marked = true; }")


def was_not_reloaded(phone: Phone) -> bool:
    return bool(phone.page.evaluate("() => globalThis.marked === true"))


def test_a_roll_is_seen_and_the_others_write_once_it_is_final(table: Table, ben: Phone) -> None:
    """A quick player would write the sum of half a roll, or of the first of two."""
    ada = table.host
    ben.open(table.path)
    stays_the_same_page(ben)
    ben.tap(ben.spot("Ben", "yellow.3"))
    expect(ben.toast.filter(has_text="Ada rolls the dice")).to_be_visible()
    asked: list[str] = []
    ben.page.on("request", lambda request: asked.append(request.url))
    ada.tap(ada.die("yellow", 4))
    expect(ben.see(".called strong")).to_have_text("4")
    ada.tap(ada.die("purple", 5))
    expect(ben.see(".hint.says")).to_have_text("Ada is rolling … 9?")
    expect(ben.see(".f.open, .pass[data-tap]")).to_have_count(0)
    ada.tap(".reroll")
    expect(ada.see(".called strong")).to_be_hidden()
    expect(ben.see(".hint.says")).to_have_text("Ada rolls again")
    ada.tap(ada.die("yellow", 1, "#reroll"))
    ada.tap(ada.die("purple", 2, "#reroll"))
    expect(ben.see(".hint.says")).to_have_text("Ada is rolling … 3?")
    ada.tap(".final")
    expect(ben.spot("Ben", "yellow.5")).to_have_attribute("role", "button")
    expect(ada.die("yellow", 1)).to_be_hidden()
    ada.tap("[data-unfold]")
    ada.tap(ada.die("yellow", 2))
    expect(ben.see(".hint.says")).to_have_text("Ada is rolling … 4?")
    ada.tap(ada.spot("Ada", "yellow.2"))
    expect(ben.spot("Ben", "yellow.5")).to_have_attribute("role", "button")
    assert not asked, "the stream brings what has changed"
    ben.tap(ben.spot("Ben", "yellow.5"))
    expect(ada.see(f"#tab-{table.seat('Ben')} .done")).to_be_visible()
    assert was_not_reloaded(ben)


@pytest.mark.parametrize("game", ["qwixx", wide("kniffel")])
def test_the_others_see_dice_while_they_are_tapped(open_phone: OpenPhone, game: str) -> None:
    """The roll itself is sent with its last die."""
    ada, ben = open_phone(), open_phone(390, 844)
    table = make_table(ada, "Ada", "Ben", game=game)
    table.do("take", seat=table.seat("Ada"))
    table.join(ben, "Ben")
    ada.open(table.path)
    ben.open(table.path)
    ada.tap(ada.see("#dice [data-part][data-value='4']").first)
    expect(ben.see(".acts .active .sign")).to_have_text("4")
    assert table.actions == []


def test_an_updated_server_reloads_the_page_once(table: Table, ben: Phone) -> None:
    """Its script would be older than the table that it draws."""
    ben.open(table.path)
    stays_the_same_page(ben)
    with ben.page.expect_event("load"):
        ben.context.route(re.compile("/t/[^/]+/$"), _updated, times=1)
        # The updated server draws pages of another shape. Who is there is news, too, so it may
        # reach the page before the roll does.
        ben.page.evaluate("() => { document.querySelector('#table').dataset.shape = 'before'; }")
        table.roll("Ada", yellow=4)
    expect(ben.see(".called strong")).to_have_text("4")
    assert not was_not_reloaded(ben)
    stays_the_same_page(ben)
    table.write("Ben", "yellow", 5)
    expect(ben.see(f"#tab-{table.seat('Ben')} .done")).to_be_visible()
    assert was_not_reloaded(ben)


def _updated(route: Route) -> None:
    """The answer of a server with another script."""
    answer = route.fetch()
    text = re.sub('data-build="[^"]*"', 'data-build="after"', answer.text())
    route.fulfill(response=answer, body=text)


def test_a_phone_that_slept_shows_the_current_state(table: Table, open_phone: OpenPhone) -> None:
    """Each of three signs is enough, without the others and without polling."""
    ben = open_phone(throw_away=True)
    table.join(ben, "Ben")
    ben.expected.append(NO_NETWORK)
    ben.context.add_init_script(ONE_SIGN)
    # A stream that is open would live on: the browser only refuses new connections.
    ben.context.route("**/live/**", lambda route: route.abort())
    ben.open(table.path)
    for sign, (call, script) in SIGNS.items():
        ben.page.evaluate("isDeaf => { globalThis.isDeaf = isDeaf; }", sign != "online")
        ben.context.set_offline(True)
        shown = ben.version
        table.host.tap(table.host.die(*DICE[call]))
        expect(table.host.see(".called strong")).to_have_text(call)
        table.host.has_saved_all()
        assert ben.version == shown
        with ben.page.expect_request("**/version"):
            ben.context.set_offline(False)
            ben.page.evaluate(script)
        expect(ben.see(".called strong")).to_have_text(call)


def test_an_answer_that_comes_after_its_button_has_gone(table: Table, ben: Phone) -> None:
    """The dialog is closed while a request runs."""
    ada = table.host
    menu = ada.dialog(MENU)

    def slowly(route: Route) -> None:
        answer = route.fetch()
        ada.page.evaluate("() => document.querySelector('#dialog').close()")
        expect(ada.see("#dialog-content > *")).to_have_count(0)
        route.fulfill(response=answer)

    ada.page.route("**/do/release", slowly)
    with ada.page.expect_response("**/do/release"):
        ada.tap(menu.locator("summary").first)
        ada.tap(menu.locator('[action$="/do/release"] button').first)
    ada.shows_version(table.version)
    expect(ada.see("#table")).to_have_count(1)


def test_a_dialog_after_another_begins_at_its_top(open_phone: OpenPhone) -> None:
    """The head of a QR code is not cut off; a setting that is chosen leaves the menu open."""
    phone = open_phone(360, 640)
    phone.open(make_table(phone, "Ada", "Ben").path)
    menu = phone.dialog(MENU)
    expect(phone.see(".htmx-settling, .htmx-added")).to_have_count(0)
    menu.locator("[name=turn_timer]").select_option("60")
    expect(phone.see("#table")).to_have_attribute("data-timer", "60")
    expect(menu.locator("[name=turn_timer]")).to_be_visible()
    phone.tap(menu.get_by_role("button", name="Link for watching"))
    expect(menu.get_by_role("heading", name="Watch the game")).to_be_visible()
    assert menu.evaluate("dialog => dialog.scrollTop") == 0
    assert menu.evaluate("dialog => dialog.contains(document.activeElement)")


def test_an_earlier_roll_is_corrected(table: Table, ben: Phone) -> None:
    phone = table.host
    roll = table.roll("Ada", yellow=4, purple=5)
    table.write("Ada", "yellow", 5)
    table.write("Ben", "yellow", 5)
    table.passes("Carla")
    table.roll("Ben", yellow=5, orange=5)
    table.write("Ada", "yellow", 6)
    table.passes("Ben")
    ben.open(table.path)
    before = table.record
    phone.edits(roll)
    die = phone.die("yellow", 4, "#edit-picker")
    place = die.bounding_box()
    phone.tap(phone.die("purple", 6, "#edit-picker"))
    unfit = phone.see("#changed .unfit")
    expect(unfit).to_have_count(1)
    assert die.bounding_box() == place, "what the answer shows moves no die under the finger"
    expect(unfit).to_contain_text("Ada")
    expect(unfit.locator(".hint")).to_contain_text("10")
    assert table.record == before, "nothing is changed before it is confirmed"
    expect(unfit.locator(".replacement")).to_contain_text("Ada passed")
    expect(phone.see("#changed .f.new").first).to_contain_text("10")
    phone.tap("#preview [data-send]")
    expect(phone.see("#dialog")).to_be_hidden()
    phone.has_saved_all()
    phone.shows_version(table.version)
    assert table.actions[0]["dice"] == {"yellow": 4, "purple": 6}
    assert table.actions[5] == {"do": "pass", "by": "Ada"}
    ben.shows_version(table.version)
    expect(ben.spot("Ben", "yellow.5")).to_contain_text("10")


def test_a_written_number_moves_and_is_taken_back(table: Table) -> None:
    """The old number stays, crossed out, and the new one is shown beside it before it is saved."""
    phone = table.host
    table.roll("Ada", yellow=4)
    entry = table.write("Ada", "yellow", 5)
    for tapped, spot, shown in (
        ("[data-editor] [data-f='yellow.3']", "yellow.3", "written"),
        ("[data-editor] form button", "yellow.5", "open"),
    ):
        phone.edits(entry)
        expect(phone.see(".editor .f.gone")).to_contain_text("4")
        phone.tap(tapped)
        phone.tap("#preview [data-send]")
        expect(phone.spot("Ada", spot)).to_have_class(re.compile(shown))
    assert len(table.actions) == 1


def test_help_at_the_table(table: Table) -> None:
    """The hint says what to do until it is switched off; a refused field shows why."""
    phone = table.host
    phone.expected.append("status of 422")
    table.roll("Ada", yellow=6)
    expect(phone.see(".says .how")).to_contain_text("Numbers increase along a row")
    phone.tap(phone.spot("Ada", "purple.4"))
    expect(phone.see(".toast.beside")).to_contain_text("colors: yellow")
    phone.dialog(MENU).locator("[data-guide]").uncheck()
    phone.page.reload()
    expect(phone.see(".says .said")).to_be_visible()
    expect(phone.see(".says .how")).to_be_hidden()
