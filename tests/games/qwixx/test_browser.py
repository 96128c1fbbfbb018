"""Qwixx in a real browser: a whole game, both steps of a turn, what glows and where it stands."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from companion.games.qwixx import GAME
from lab.play import NEXT, passes, record_of
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import UNDO, Phone, Table, open_record
from tests.e2e.play import Play
from tests.e2e.screens import each_locale
from tests.games.qwixx.actions import Action, cross, roll

pytestmark = pytest.mark.e2e

ADA, BEN, CY = "Ada", "Ben", "Cy"
FIRST_ACTIONS = 14  # tapped before a long game is left to the rules for a while
MOST_TAPS = 300

LYING = ((640, 360), (780, 360), (844, 390), (932, 430))
LARGER = ((600, 960), (768, 1024), (1024, 768))


def opened(phone: Phone, actions: list[Action], *players: str) -> Table:
    """A table with a game of these actions, and its page on the phone."""
    table = open_record(phone, record_of(players or (ADA, BEN), actions, GAME.name))
    phone.open(table.path)
    return table


def glowing(phone: Phone, player: str) -> set[str]:
    fields = phone.sheet(player).locator(".f.open").all()
    return {str(field.get_attribute("data-f")) for field in fields}


def test_a_whole_game_on_one_phone(open_phone: OpenPhone) -> None:
    play = Play(open_phone(), GAME.name, (ADA, BEN, CY))
    for number in range(MOST_TAPS):
        if play.is_over:
            break
        if number == FIRST_ACTIONS:
            play.leave_the_middle_out()
        elif play.see("#dice").count():
            play.after(lambda: _any_dice(play))
        elif play.see(".player.selected .f.open").count():
            play.after(lambda: play.tap(".player.selected .f.open"))
        else:
            play.after(lambda: play.tap(".player.selected .pass"))
    play.check_end()
    expect(play.see(".term")).to_have_count(3 * 5)
    why = re.compile("Closed rows|Four failed rolls")
    expect(play.see(".podium .hint").filter(has_text=why)).to_be_visible()
    counted = play.see(".term:not(.plain)").filter(has_not_text=re.compile(r"\b0$")).first
    play.phone.tap(counted)
    expect(play.see(".f.lit .x").first).to_have_css("stroke", "rgb(255, 255, 255)")


def _any_dice(play: Play) -> None:
    play.phone.takes_taps()
    for row in play.see("#dice .dice-row").all():
        faces = row.locator(".die")
        faces.nth(play.chance.randrange(faces.count())).dispatch_event("click")


def test_the_white_dice_are_enough(open_phone: OpenPhone) -> None:
    """Four taps, none by a player whom the white sum does not fit; undo opens the step again."""
    host, guest = open_phone(), open_phone()
    sevens = [roll(ADA, (3, 4)), cross(BEN, "red", 7), cross(ADA, "green", 7), passes(ADA)]
    sevens += [roll(BEN, (3, 4)), cross(BEN, "yellow", 7), cross(ADA, "blue", 7), passes(BEN)]
    table = opened(host, sevens)
    table.do("take", seat=table.seat(ADA))
    table.join(guest, BEN)
    host.open(table.path)
    guest.open(table.path)
    expect(host.see(".hint .said")).to_have_text("Your turn: roll, then tap the two white dice")
    before = host.taps
    for part in ("white.0", "white.1"):
        host.tap(f'#dice [data-part="{part}"][data-value="1"]')
    expect(guest.see(".hint .said")).to_contain_text("Nothing for you")
    host.tap(host.spot(ADA, "red.2"))
    expect(host.see(".called.sums")).to_be_visible()
    # One die of 1 to 6 with a white 1: 2 to 7, right of Ada's crosses.
    expected = {f"red.{number}" for number in range(3, 8)}
    expected |= {f"yellow.{number}" for number in range(2, 8)}
    expected |= {f"{row}.{number}" for row in ("green", "blue") for number in range(3, 7)}
    assert glowing(host, ADA) == expected
    expect(guest.sheet(BEN).locator(".f.open")).to_have_count(0)
    expect(guest.see(".hint .passed")).to_contain_text("passed for you")
    expect(guest.toast).to_have_count(0)
    host.tap(host.spot(ADA, "green.6"))
    expect(guest.see(".hint .said")).to_contain_text("Your turn")
    expect(host.spot(ADA, "green.8")).to_have_class(re.compile("barred"))
    expect(host.spot(ADA, "green.5")).not_to_have_class(re.compile("barred"))
    assert (host.taps - before, guest.taps) == (4, 0)
    quick = {"do": "roll", "by": ADA, "white": [1, 1]}
    entered = [quick, cross(ADA, "red", 2), {**NEXT, "by": ADA}, cross(ADA, "green", 6)]
    host.has_saved_all()
    assert table.actions == [*sevens, *entered]
    for left in (3, 2, 1):
        host.tap(UNDO)
        host.has_saved_all()
        assert table.actions == [*sevens, *entered[:left]]


def test_the_white_step_can_be_ended_for_the_others(open_phone: OpenPhone) -> None:
    """A colored number that is tapped too early is held until then, unless it is tapped again.

    Without it the roll fails, which the box takes as well as the button.
    """
    phone = open_phone()
    white = [roll(ADA, (3, 4)), passes(ADA)]
    table = opened(phone, white)
    phone.tap(phone.see("[role=tab]").first)
    for field, is_held in (("red.5", True), ("red.5", False), ("blue.5", True)):
        spot = phone.spot(ADA, field)
        phone.tap(spot)
        expect(spot).to_have_class(re.compile("pending" if is_held else "early$"))
    phone.open(table.path)
    assert table.actions == white
    phone.tap(".next [data-ask]")
    phone.tap(".next [data-tap]")
    expect(phone.spot(ADA, "blue.5")).to_have_class(re.compile("written"))
    phone.has_saved_all()
    colored = [*white, {**NEXT, "by": ADA}]
    assert table.actions == [*colored, cross(ADA, "blue", 5)]
    phone.tap(UNDO)
    button, box = phone.sheet(ADA).locator(".pass"), phone.spot(ADA, "failed.1")
    expect(button).to_have_class(re.compile("failed"))
    expect(box).to_have_class(re.compile("costs$"))
    phone.tap(box)
    expect(box).to_have_class(re.compile("written"))
    phone.has_saved_all()
    assert table.actions == [*colored, passes(ADA)]


# Where things stand


CUT_OFF = """wanted => wanted.filter(selector => {
  const boxes = [...document.querySelectorAll(selector)]
    .map(shown => shown.getBoundingClientRect());
  return !boxes.length || boxes.some(box => box.width === 0 || box.left < -0.5 || box.top < -0.5
    || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5);
})"""
"""The selectors with an element that is missing or not fully in view."""
COVERED = """() => {
  const targets = ['.pass', '[data-f="failed.4"] .p', '[data-f="blue.2"] .p']
    .map(target => `.player.selected ${target}`);
  const boxes = ['.next', ...targets]
    .map(target => [target, document.querySelector(target).getBoundingClientRect()]);
  return boxes.flatMap(([name, one], place) => boxes.slice(place + 1)
    .filter(([, other]) => one.left < other.right && other.left < one.right
      && one.top < other.bottom && other.top < one.bottom)
    .map(([other]) => `${name} and ${other}`));
}"""
"""The buttons, and fields beside them, that overlap."""


@each_locale
def test_a_lying_phone_shows_the_whole_sheet(open_phone: OpenPhone, locale: str) -> None:
    """The buttons beside the failed rolls, in the sheet's empty corner, cover nothing."""
    phone = open_phone(*LYING[0], locale=locale)
    names = ("red.2", "red.lock", "blue.12", "blue.lock", "failed.1", "failed.4")
    fields = [f'.player.selected [data-f="{name}"]' for name in names]
    sheet = [*fields, ".called", ".hint[aria-live]", ".player.selected .pass"]
    white = [roll(ADA, (3, 4)), passes(ADA)]
    for actions, wanted in (([], ["#dice .die"]), (white, sheet), ([*white, NEXT], sheet)):
        opened(phone, actions, ADA, BEN, CY)
        faults = {}
        for width, height in (*LYING, *LARGER) if actions == white else LYING:
            phone.page.set_viewport_size({"width": width, "height": height})
            cut_off = phone.page.evaluate(CUT_OFF, wanted if (width, height) in LYING else [])
            covered = phone.page.evaluate(COVERED) if actions == white else []
            faults[width, height] = cut_off + covered
        assert {size: found for size, found in faults.items() if found} == {}, actions
