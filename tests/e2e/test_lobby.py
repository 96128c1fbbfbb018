"""From nothing to the first roll: the first page, the lobby, the draw, and phones that join."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from lab.servers.process import Server
from lab.wide import wide
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import CLOSE, Phone, make_table

pytestmark = pytest.mark.e2e

NOTES_VIBRATIONS = """() => {
  globalThis.vibrations = 0;
  navigator.vibrate = () => { globalThis.vibrations += 1; return true; };
}"""
LARGE_TEXT = "() => { document.documentElement.style.fontSize = '150%'; }"
IN_VIEW = """element => {
  const box = element.getBoundingClientRect();
  const middle = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return box.top >= 0 && box.bottom <= innerHeight && element.contains(middle);
}"""


def is_in_view(phone: Phone, selector: str) -> bool:
    """Whether all of it is on the screen and nothing covers it."""
    return bool(phone.see(selector).first.evaluate(IN_VIEW))


def add(phone: Phone, name: str) -> None:
    """Types a name where the cursor is, without a tap."""
    expect(phone.see("#new-name")).to_be_focused()
    phone.page.keyboard.type(name)
    phone.page.keyboard.press("Enter")
    expect(phone.see(".seat .name").filter(has_text=name)).to_be_visible()


@pytest.mark.parametrize("text", ["150 %", wide("100 %")])
def test_from_nothing_to_the_first_roll(open_phone: OpenPhone, text: str) -> None:
    """Three names and five taps; what is needed next is always in view."""
    phone = open_phone(360, 560, locale="de-DE")
    phone.open()
    if text == "150 %":
        phone.page.evaluate(LARGE_TEXT)
    assert is_in_view(phone, "li:first-child > form > button.game")
    phone.tap(phone.see("button.game").first)
    expect(phone.see("#new-name")).to_be_focused()
    if text == "150 %":
        phone.page.evaluate(LARGE_TEXT)
    for name in ("Ada", "Ben", "Cleo"):
        add(phone, name)
        assert is_in_view(phone, "#new-name")
    assert is_in_view(phone, ".go .primary")
    phone.tap(".go .primary")
    phone.tap(phone.die("yellow", 4))
    expect(phone.see(".called strong")).to_have_text("4")
    phone.tap(phone.die("purple", 5))
    expect(phone.see(".called strong")).to_have_text("9")
    assert phone.taps <= 5


def test_phones_join_while_the_code_is_shown(open_phone: OpenPhone) -> None:
    """The dialog says so; a scan brings a seated player back; "back" closes the dialog."""
    host, guest = open_phone(360, 640), open_phone(360, 640, locale="es-ES")
    host.open()
    host.tap(host.see("button.game").first)
    add(host, "Ada")
    dialog = host.dialog("#go-invite")
    link = re.search(r"/j/[\w-]+", dialog.locator(".link").inner_text())
    assert link is not None
    guest.open(link.group())
    guest.see(".sit-down input").fill("Dora")
    guest.tap(".sit-down button")
    expect(guest.see(".seat .tag").filter(has_text="este móvil")).to_be_visible()
    expect(dialog.locator("#guests .here").filter(has_text="Dora")).to_be_visible()
    expect(dialog.locator("#links")).to_contain_text("1 phone")
    guest.open(link.group())
    expect(guest.see("#table")).to_be_visible()
    host.page.go_back()
    expect(dialog).not_to_be_visible()
    expect(host.see(".seat .name").filter(has_text="Dora")).to_be_visible()
    # After a dialog was closed by its button, nothing is in the way.
    host.dialog("#go-invite")
    host.tap(CLOSE)
    host.page.go_back()
    expect(host.see(".games")).to_be_visible()


def test_offline_the_worker_shows_a_page_and_no_old_table(
    chromium: Browser, server: Server
) -> None:
    """Registered by hand, because the app registers it over https alone."""
    context = chromium.new_context(locale="de-DE")
    page = context.new_page()
    page.goto(f"{server.address}/pads")
    assert not page.evaluate(
        "async () => (await navigator.serviceWorker.getRegistrations()).length"
    )
    page.evaluate("navigator.serviceWorker.register('/worker.js')")
    page.evaluate("async () => { await navigator.serviceWorker.ready; }")
    page.goto(f"{server.address}/phone")
    context.set_offline(True)
    page.goto(f"{server.address}/phone")
    expect(page.locator(".offline")).to_be_visible()
    expect(page.locator("h1")).to_have_css("font-family", re.compile("^Fredoka"))
    context.set_offline(False)
    expect(page.locator(".offline")).to_have_count(0)
    context.close()


def test_the_draw_is_shown_on_every_phone(open_phone: OpenPhone) -> None:
    host, guest = open_phone(360, 640), open_phone(360, 640, reduced_motion="reduce")
    host.open()
    host.tap(host.see("button.game").first)
    for name in ("Ada", "Ben", "Cleo"):
        add(host, name)
    path = host.page.url.removeprefix(host.address)
    link = re.search(r"/j/[\w-]+", host.post(f"{path}share").text())
    assert link is not None
    guest.post(link.group())
    guest.open(path)
    expect(guest.see(".seat")).to_have_count(3)
    host.tap(".draw button")
    won = guest.see(".lot .won")
    expect(won).to_be_visible()
    winner = won.inner_text()
    expect(host.see(".lot .won")).to_have_text(winner)
    expect(host.see(".seat .name").first).to_have_text(winner)
    expect(host.see(".lot")).to_have_count(0)


def test_a_turn_that_comes_is_noticed(open_phone: OpenPhone) -> None:
    """Only the active player's phone gives notice; the timer shows the same everywhere."""
    host, guest = open_phone(360, 640), open_phone(360, 640, reduced_motion="reduce")
    table = make_table(host, "Ada", "Ben", start=False)
    table.do("turn_timer", turn_timer="60")
    table.do("start")
    table.do("take", seat="1")
    table.join(guest, "Ben")
    for phone in (host, guest):
        phone.open(table.path)
        expect(phone.see("#timer")).to_have_text("1:00")
        phone.page.evaluate(NOTES_VIBRATIONS)
    table.make_final(table.roll("Ada", yellow=4))
    expect(guest.see(".hint[aria-live]")).to_contain_text("You may write")
    expect(host.see(".hint[aria-live]")).to_contain_text("Your turn")
    for phone in (host, guest):
        expect(phone.see("#timer")).not_to_have_class(re.compile("still"))
    table.passes("Ben")
    table.passes("Ada")
    expect(guest.see(".turn-flash")).to_have_text("Your turn")
    expect(guest.page).to_have_title(re.compile("^●"))
    expect(host.see("#timer")).to_have_text("1:00")
    assert [phone.page.evaluate("vibrations") for phone in (host, guest)] == [0, 1]
