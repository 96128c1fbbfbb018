"""Keyboard use: keys alone, focus that stays, dialogs, and reduced motion."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from lab.wide import wide
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import MENU, SHARE, TURNS, Phone, Table, make_table

pytestmark = pytest.mark.e2e

MOST_TABS = 150


@pytest.fixture
def desk(open_phone: OpenPhone) -> Phone:
    """A computer without a touch screen."""
    return open_phone(1280, 800, has_touch=False, is_mobile=False)


@pytest.fixture
def table(desk: Phone) -> Table:
    table = make_table(desk, "Ada", "Ben")
    desk.open(table.path)
    return table


def tab_to(phone: Phone, selector: str) -> None:
    """Presses Tab until the element has the focus."""
    for _ in range(MOST_TABS):
        phone.page.keyboard.press("Tab")
        if phone.page.evaluate("what => document.activeElement.matches(what)", selector):
            return
    pytest.fail(f"{selector} cannot be reached with Tab")


def focused(phone: Phone) -> str:
    return str(
        phone.page.evaluate(
            "() => document.activeElement === document.body ? ''"
            " : (document.activeElement.closest('main, dialog')?.tagName ?? 'elsewhere')"
        )
    )


def test_a_turn_with_the_keyboard_alone(desk: Phone, table: Table) -> None:
    keys = desk.page.keyboard
    tab_to(desk, ".die[data-part='dice.yellow'][data-value='4']")
    keys.press("Enter")
    expect(desk.see(".called strong")).to_have_text("4")
    expect(desk.see("#dice .die[data-part='dice.yellow'][data-value='4']")).to_be_focused()
    tab_to(desk, ".die[data-part='dice.purple'][data-value='5']")
    keys.press("Space")
    expect(desk.see(".called strong")).to_have_text("9")
    tab_to(desk, f"[data-player='{table.seat('Ada')}'] [data-f='yellow.5']")
    keys.press("Enter")
    expect(desk.spot("Ada", "yellow.5")).to_have_class(re.compile("written"))
    assert focused(desk) == "MAIN"
    desk.takes_taps()
    tab_to(desk, f"[data-player='{table.seat('Ben')}'] .pass")
    keys.press("Space")
    expect(desk.see(".call")).to_have_attribute("data-by", "Ben")
    # A second key of two rolls no die for the next player.
    expect(desk.see(".hint.says")).to_be_focused()
    keys.press("Space")
    keys.press("Enter")
    desk.settles(table)
    assert [action["do"] for action in table.actions] == ["roll", "write", "pass"]


@pytest.mark.parametrize("opener", [TURNS, wide(SHARE), wide(MENU)])
def test_a_dialog_closes_with_escape_and_gives_the_focus_back(
    desk: Phone, table: Table, opener: str
) -> None:
    tab_to(desk, opener)
    desk.page.keyboard.press("Enter")
    expect(desk.see("#dialog")).to_be_visible()
    assert focused(desk) == "DIALOG"
    # The page behind is redrawn meanwhile.
    table.roll("Ada", yellow=4)
    desk.shows_version(table.version)
    assert focused(desk) == "DIALOG"
    desk.page.keyboard.press("Escape")
    expect(desk.see("#dialog")).to_be_hidden()
    expect(desk.see(opener)).to_be_focused()


def test_arrows_choose_a_sheet(open_phone: OpenPhone) -> None:
    phone = open_phone(360, 640)
    table = make_table(phone, "Ada", "Ben", "Carla")
    phone.open(table.path)
    tab_to(phone, "[role=tab]")
    phone.page.keyboard.press("ArrowRight")
    expect(phone.see("#tab-2")).to_be_focused()
    expect(phone.see("#tab-2")).to_have_attribute("aria-selected", "true")
    expect(phone.sheet("Ben").locator("svg.sheet")).to_be_visible()


LIT_AGAIN = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  const field = document.querySelector('.f.open');
  for (const isOpen of [false, true]) {
    field.classList.toggle('open', isOpen);
    for (let passed = 0; passed < 3; passed += 1) await frame();
  }
}"""
"""Lights a field up later than the others."""
IN_STEP = """(clocks) => {
  const glowing = document.getAnimations().filter(
    (one) => one.effect.getTiming().iterations === Infinity);
  return new Set(glowing.map((one) => one.startTime)).size === clocks;
}"""
"""Whether all that glows follows this number of clocks."""


@pytest.mark.parametrize(("motion", "moves"), [("reduce", False), ("no-preference", True)])
def test_nothing_moves_with_reduced_motion(open_phone: OpenPhone, motion: str, moves: bool) -> None:
    phone = open_phone(reduced_motion=motion)
    table = make_table(phone, "Ada", "Ben")
    table.roll("Ada", yellow=4)
    phone.open(table.path)
    expect(phone.see(".f.open").first).to_be_visible()
    running = phone.page.evaluate(
        "() => document.getAnimations().filter(one => one.playState === 'running').length"
    )
    assert bool(running) == moves
    phone.page.evaluate(LIT_AGAIN)
    phone.page.wait_for_function(IN_STEP, arg=int(moves))
    phone.tap(phone.spot("Ada", "yellow.5"))
    expect(phone.spot("Ada", "yellow.5")).to_have_class(re.compile("written"))


def test_seats_are_dragged_into_order(open_phone: OpenPhone) -> None:
    desk = open_phone(1280, 800, has_touch=False, is_mobile=False, reduced_motion="no-preference")
    table = make_table(desk, "Ada", "Ben", "Carla", start=False)
    desk.open(table.path)
    expect(desk.see(".handle").first).to_be_visible()
    start = desk.see("#seat-3 .handle").bounding_box()
    goal = desk.see("#seat-1 .handle").bounding_box()
    assert start
    assert goal
    mouse = desk.page.mouse
    mouse.move(start["x"] + 5, start["y"] + 10)
    mouse.down()
    mouse.move(goal["x"] + 5, goal["y"] + 2, steps=12)
    mouse.up()
    expect(desk.see(".seat .name")).to_have_text(["Carla", "Ada", "Ben"])
    desk.page.reload()
    expect(desk.see(".seat .name")).to_have_text(["Carla", "Ada", "Ben"])
