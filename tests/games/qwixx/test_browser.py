"""Qwixx in a real browser: whole games, both steps of a turn, what glows, locks and corrections."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from companion.games.qwixx import GAME
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import REDO, TURNS, UNDO, Phone, Table, open_record
from tests.e2e.play import Play
from tests.e2e.screens import each_locale
from tests.games.qwixx.actions import NEXT, ROWS, Action, cross, passes, roll
from tests.kit.play import record_of

pytestmark = pytest.mark.e2e

ADA, BEN, CY = "Ada", "Ben", "Cy"
FIRST_ACTIONS = 14
"""Tapped before a long game is left to the rules for a while."""
MOST_TAPS = 300

LYING = ((640, 360), (780, 360), (844, 390), (932, 430))


def five_red() -> list[Action]:
    """Five turns in which Ada crosses the red 2 to 6 with the white dice; it is Ben's turn then."""
    actions: list[Action] = []
    for place, number in enumerate(range(2, 7)):
        active = (ADA, BEN)[place % 2]
        actions += [roll(active, (1, number - 1)), cross(ADA, "red", number), passes(BEN)]
        actions.append(passes(active))
    return actions


def opened(phone: Phone, actions: list[Action], *players: str) -> Table:
    """A table with a game of these actions, and its page on the phone."""
    table = open_record(phone, record_of(players or (ADA, BEN), actions, GAME.name))
    phone.open(table.path)
    return table


def tap_dice(phone: Phone, white: tuple[int, int], *colored: int, picker: str = "#dice") -> None:
    parts = ["white.0", "white.1", *(f"dice.{row}" for row in ROWS)]
    for part, value in zip(parts, (*white, *colored), strict=True):
        phone.tap(f'{picker} [data-part="{part}"][data-value="{value}"]')


def glowing(phone: Phone, player: str) -> set[str]:
    fields = phone.sheet(player).locator(".f.open").all()
    return {str(field.get_attribute("data-f")) for field in fields}


def every_color(number: int) -> set[str]:
    return {f"{row}.{number}" for row in ROWS}


# Whole games


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


# A turn


def test_a_turn_has_a_white_step_and_a_color_step(open_phone: OpenPhone) -> None:
    host, guest = open_phone(), open_phone()
    table = opened(host, [])
    table.do("take", seat=table.seat(ADA))
    table.join(guest, BEN)
    table.do("all_dice", all_dice="on")
    host.open(table.path)
    guest.open(table.path)
    expect(guest.see(".hint .said")).to_have_text("Ada rolls the dice")
    expect(host.see(".hint .said")).to_have_text("Your turn: roll, then tap the dice")
    expect(guest.see("#dice")).to_be_hidden()

    tap_dice(host, (3, 4), 1, 2, 3, 4)
    for phone, player in ((host, ADA), (guest, BEN)):
        expect(phone.see(".called strong")).to_have_text("7")
        expect(phone.see(".called .in")).to_have_text("white dice, for everybody")
        expect(phone.sheet(player).locator(".f.open")).to_have_count(4)
        assert glowing(phone, player) == every_color(7)
        expect(phone.see(".hint .said")).to_contain_text("tap a glowing field or pass")

    host.tap(host.spot(ADA, "red.7"))
    expect(host.spot(ADA, "red.7")).to_have_class(re.compile("written"))
    expect(host.see(".next")).to_contain_text("On to the colored dice")
    guest.tap(guest.sheet(BEN).locator(".pass"))

    # A white and a coloured die: 3 or 4 and 1, 2, 3 or 4.
    expect(host.see(".called.sums .chip")).to_have_count(4)
    expected = {"yellow.5", "yellow.6", "green.6", "green.7", "blue.7", "blue.8"}
    expect(host.sheet(ADA).locator(".f.open")).to_have_count(len(expected))
    assert glowing(host, ADA) == expected, "the red 4 and 5 are left of the cross"
    expect(guest.sheet(BEN).locator(".f.open")).to_have_count(0)
    expect(guest.see(".hint .said")).to_have_text("Waiting for Ada")
    expect(host.sheet(ADA).locator(".pass")).to_have_text("Pass")
    host.tap(host.spot(ADA, "blue.8"))
    expect(guest.see(".hint .said")).to_have_text("Your turn: roll, then tap the dice")
    assert [action["do"] for action in table.actions] == ["roll", "cross", "pass", "cross"]


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
    expect(guest.toast).to_contain_text("No field fitted, so you passed")
    host.tap(host.spot(ADA, "green.6"))
    expect(guest.see(".hint .said")).to_contain_text("Your turn")
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
    """A colored number that is tapped before is held until then, unless it is tapped again."""
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
    assert table.actions == [*white, {**NEXT, "by": ADA}, cross(ADA, "blue", 5)]


def test_a_lock_closes_the_row_for_everybody(open_phone: OpenPhone) -> None:
    phone = open_phone()
    table = opened(phone, [*five_red(), roll(BEN, (6, 6)), passes(BEN)])
    table.do("all_dice", all_dice="on")
    phone.open(table.path)
    phone.tap(phone.see("[role=tab]").first)
    phone.tap(phone.spot(ADA, "red.12"))
    expect(phone.spot(ADA, "red.lock")).to_have_class(re.compile("written"))
    expect(phone.see(".call .out")).to_contain_text("red")
    for field in ("red.2", "red.12", "red.lock"):
        expect(phone.spot(BEN, field)).to_have_class(re.compile("barred"))
    expect(phone.spot(BEN, "yellow.2")).not_to_have_class(re.compile("barred"))
    expect(phone.see(".called.sums .chip")).to_have_count(3)
    phone.tap(phone.sheet(BEN).locator(".pass"))
    # The red die is out.
    expect(phone.see("#dice .dice-row")).to_have_count(5)
    expect(phone.see("#dice .dice-row.red")).to_have_count(0)
    assert table.actions[-1] == passes(BEN)


def test_a_roll_without_a_cross_fails(open_phone: OpenPhone) -> None:
    phone = open_phone()
    opened(phone, [roll(ADA, (3, 4)), passes(ADA), passes(BEN)])
    button = phone.sheet(ADA).locator(".pass")
    expect(button).to_have_text("Failed roll −5")
    expect(button).to_have_class(re.compile("failed"))
    box = phone.spot(ADA, "failed.1")
    for tapped in (button, box):
        expect(box).to_have_class(re.compile("costs$"))
        phone.tap(tapped)
        expect(box).to_have_class(re.compile("written"))
        phone.tap(UNDO)
    expect(button).to_be_visible()
    phone.tap(REDO)
    expect(box).to_have_class(re.compile("written"))
    expect(phone.sheet(ADA).locator(".costs")).to_have_count(0)


# Corrections


def test_a_die_is_put_right_at_once_and_later(open_phone: OpenPhone) -> None:
    phone = open_phone()
    table = opened(phone, [roll(ADA, (3, 4), red=1, yellow=2, green=3, blue=4)])
    phone.tap(".second summary")
    phone.tap('#dice-again [data-part="white.1"][data-value="5"]')
    expect(phone.see(".called strong")).to_have_text("8")
    phone.tap(phone.spot(ADA, "red.8"))
    expect(phone.spot(ADA, "red.8")).to_have_class(re.compile("written"))
    phone.has_saved_all()

    phone.dialog(TURNS)
    phone.tap(phone.see("#dialog [hx-get*='/turns/']").filter(visible=True).first)
    phone.tap('#edit-picker [data-part="white.0"][data-value="2"]')
    preview = phone.see("#preview")
    expect(preview).to_contain_text("Ada crossed the 8 in red")
    expect(preview).to_contain_text("The white dice make 7")
    expect(preview.locator(".replacement")).to_contain_text("Ada passed")
    phone.tap("#preview [data-send]")
    expect(phone.see(".called strong")).to_have_text("7")
    assert table.actions == [
        roll(ADA, (2, 5), red=1, yellow=2, green=3, blue=4),
        passes(ADA),
    ]


def test_a_row_that_a_correction_closes_takes_its_die_out_of_later_rolls(
    open_phone: OpenPhone,
) -> None:
    """Nothing else of the later turns is lost."""
    phone = open_phone()
    later = [roll(ADA, (1, 1), red=5), cross(ADA, "yellow", 2), passes(BEN), passes(ADA)]
    table = opened(
        phone, [*five_red(), roll(BEN, (6, 6)), passes(BEN), passes(ADA), passes(BEN), *later]
    )
    phone.dialog(TURNS)
    turn = phone.see("#dialog .turn-list > li").filter(has_text="Turn 6")
    phone.tap(turn.locator(".lines > li").filter(has_text="Ada passed").locator("button"))
    phone.tap(phone.see('.dialog-sheet [data-f="red.12"]'))
    preview = phone.see("#preview")
    expect(preview).to_contain_text("and the lock")
    phone.tap("#preview [data-send]")
    expect(phone.spot(ADA, "red.lock")).to_have_class(re.compile("written"))
    without_red = roll(ADA, (1, 1), red=None)
    assert table.actions[-4:] == [without_red, *later[1:]]


# Where things stand


CUT_OFF = """wanted => wanted.filter(selector => {
  const boxes = [...document.querySelectorAll(selector)]
    .map(shown => shown.getBoundingClientRect());
  return !boxes.length || boxes.some(box => box.width === 0 || box.left < -0.5 || box.top < -0.5
    || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5);
})"""
"""The selectors of which something is missing or not wholly in view."""


@each_locale
def test_a_lying_phone_shows_the_whole_sheet(open_phone: OpenPhone, locale: str) -> None:
    phone = open_phone(*LYING[0], locale=locale)
    names = ("red.2", "red.lock", "blue.12", "blue.lock", "failed.1", "failed.4")
    fields = [f'.player.selected [data-f="{name}"]' for name in names]
    sheet = [*fields, ".called", ".hint[aria-live]", ".player.selected .pass"]
    white = [roll(ADA, (3, 4)), passes(ADA)]
    for actions, wanted in (([], ["#dice .die"]), (white, sheet), ([*white, NEXT], sheet)):
        opened(phone, actions, ADA, BEN, CY)
        cut_off = {}
        for width, height in LYING:
            phone.page.set_viewport_size({"width": width, "height": height})
            cut_off[width, height] = phone.page.evaluate(CUT_OFF, wanted)
        assert {size: found for size, found in cut_off.items() if found} == {}, actions


@each_locale
def test_the_buttons_beside_the_failed_rolls_cover_nothing(
    open_phone: OpenPhone, locale: str
) -> None:
    """Where the sheet lies they stand in its empty corner."""
    phone = open_phone(*LYING[0], locale=locale)
    opened(phone, [roll(ADA, (3, 4)), passes(ADA)])
    for size in (*LYING, (600, 960), (768, 1024), (1024, 768)):
        phone.page.set_viewport_size({"width": size[0], "height": size[1]})
        boxes = [
            phone.see(target).bounding_box()
            for target in (
                ".player.selected .pass",
                ".next",
                '.player.selected [data-f="failed.4"] .p',
                '.player.selected [data-f="blue.2"] .p',
            )
        ]
        for place, box in enumerate(boxes):
            for other in boxes[place + 1 :]:
                assert not overlap(box, other), size


def overlap(one: Any, other: Any) -> bool:
    return bool(
        one["x"] < other["x"] + other["width"]
        and other["x"] < one["x"] + one["width"]
        and one["y"] < other["y"] + other["height"]
        and other["y"] < one["y"] + one["height"]
    )
