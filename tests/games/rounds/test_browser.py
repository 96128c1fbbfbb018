"""Rounds in a real browser: a whole game on two phones, one phone for all, a number corrected."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

from companion.games.rounds import GAME
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import UNDO, Phone, make_table
from tests.e2e.play import check_end
from tests.e2e.screens import each_locale

pytestmark = pytest.mark.e2e

ADA, BEN, CLEO = "Ada", "Ben", "Cleo"
PAD = ".player.selected .keys"


def types(phone: Phone, number: int) -> None:
    """Taps a number key by key, and the tick."""
    for key in str(abs(number)):
        phone.tap(f"{PAD} [data-key='{key}']")
    if number < 0:
        phone.tap(f"{PAD} [data-key='±']")
    expect(phone.see(f"{PAD} output")).to_have_text(str(number).replace("-", "−"))
    phone.tap(f"{PAD} [data-enter]")


def shows(phone: Phone, player: str, total: int, round_: str = "") -> None:
    line = phone.see(".standing").filter(has_text=player)
    expect(line.locator("b")).to_have_text(str(total).replace("-", "−"))
    expect(line.locator("i")).to_have_text(round_)


@each_locale
def test_a_whole_game_on_two_phones(open_phone: OpenPhone, locale: str) -> None:
    ada, ben = open_phone(390, 844, locale=locale), open_phone(360, 640, locale=locale)
    table = make_table(ada, ADA, BEN, start=False, game=GAME.name)
    ada.open(table.path)
    # One after the other, without waiting for the table.
    ada.see("#option-title").fill("Old Maid")
    ada.see("#option-title").press("Enter")
    ada.see("#option-to").fill("30")
    ada.see("#option-to").press("Enter")
    ada.tap("#choose-lowest summary")
    ada.tap("#choose-lowest .choice-card:has([value='True'])")
    expect(ada.see("#choose-lowest .chosen strong")).to_have_text(
        re.compile("lowest|wenigsten|menos", re.I)
    )
    expect(ada.see("#option-title")).to_have_attribute("value", "Old Maid")
    expect(ada.see("#option-to")).to_have_attribute("value", "30")
    ada.tap(".go-buttons .primary")
    expect(ada.see("#table")).to_have_attribute("data-phase", "playing")
    table.do("take", seat=table.seat(ADA))
    table.join(ben, BEN)
    ada.open(table.path)
    ben.open(table.path)
    expect(ben.see(".bar h1")).to_have_text("Old Maid")

    types(ada, 12)
    expect(ada.see(PAD)).to_have_count(0)
    shows(ben, ADA, 12, "+12")
    ben.tap(f"{PAD} [data-key='8']")
    expect(ben.see(f"{PAD} output")).to_have_text("8")
    # Ada corrects hers by a tap on her line, and Ben goes on where he was.
    ada.tap(".standing:has-text('Ada') button")
    ada.tap("#dialog [data-key='2']")
    ada.tap("#dialog [data-key='0']")
    ada.tap("#dialog .answer .primary:not([disabled])")
    shows(ben, ADA, 20, "+20")
    expect(ben.see(f"{PAD} output")).to_have_text("8")
    ben.tap(f"{PAD} [data-key='±']")
    ben.tap(f"{PAD} [data-enter]")
    for phone in (ada, ben):
        shows(phone, BEN, -8)
        expect(phone.see(".standing.leads bdi")).to_have_text(BEN)

    types(ben, 5)
    shows(ben, BEN, -3, "+5")
    ben.settles(table)
    ben.tap(UNDO)
    expect(ben.see(PAD)).to_have_count(1)
    types(ben, 9)
    shows(ada, BEN, 1, "+9")
    types(ada, 10)
    for phone in (ada, ben):
        expect(phone.see("#table")).to_have_attribute("data-phase", "over")
    replay = check_end(table, ada, ben)
    assert (replay["winners"], replay["scores"][ADA]["total"]) == ([BEN], 30)
    ada.open("/history")
    expect(ada.see(".which").first).to_contain_text("Old Maid")


def test_one_phone_asks_for_one_player_after_the_other(open_phone: OpenPhone) -> None:
    phone = open_phone(640, 360)
    table = make_table(phone, ADA, BEN, CLEO, game=GAME.name)
    phone.open(table.path)
    for player, number in ((ADA, 7), (BEN, 130), (CLEO, 130)):
        expect(phone.see(f"{PAD} bdi")).to_have_text(player)
        at = phone.version
        types(phone, number)
        expect(phone.see("#table")).not_to_have_attribute("data-version", str(at))
        phone.settles(table)
    expect(phone.see(".round")).to_contain_text("2")
    # The button that ends the game asks first. Then somebody may say who has won the tie.
    phone.tap(".round [data-ask]")
    phone.tap(".round .answers [data-tap]")
    expect(phone.see("#table")).to_have_attribute("data-phase", "over")
    choices = phone.see(".podium [data-tap]")
    expect(choices).to_have_text([BEN, CLEO])
    phone.tap(choices.nth(1))
    expect(choices).to_have_count(0)
    assert check_end(table, phone)["winners"] == [CLEO]


def test_a_keyboard_types_the_number(open_phone: OpenPhone) -> None:
    """Numbers out of range are not typed, and nothing but a number can be entered."""
    phone = open_phone(1280, 800)
    table = make_table(phone, ADA, BEN, game=GAME.name)
    phone.open(table.path)
    shown, enter = phone.see(f"{PAD} output"), phone.see(f"{PAD} [data-enter]")
    expect(enter).to_be_disabled()
    phone.page.keyboard.type("-")
    expect(shown).to_have_text("−")
    expect(enter).to_be_disabled()
    phone.page.keyboard.type("100000")
    expect(shown).to_have_text("−10000")
    expect(phone.see("#toasts .toast")).to_have_text("A number from −99,999 to 99,999")
    for _ in range(3):
        phone.page.keyboard.press("Backspace")
    phone.page.keyboard.press("Enter")
    shows(phone, ADA, -10, "−10")
    phone.open(table.path)
    expect(phone.see(f"{PAD} bdi")).to_have_text(BEN)
    expect(phone.see(".standing").filter(has_text=re.compile(BEN)).locator("i")).to_have_text("")


@pytest.mark.parametrize(("wide", "high"), [(390, 844), (320, 568), (640, 304)])
def test_keys_are_as_large_with_large_text_and_the_window_is_filled_while_others_type(
    open_phone: OpenPhone, wide: int, high: int
) -> None:
    phone = open_phone(wide, high)
    table = make_table(phone, ADA, BEN, game=GAME.name)
    table.do("take", seat=table.seat(ADA))
    table.join(open_phone(360, 640), BEN)
    phone.open(table.path)

    def heights(selector: str) -> list[float]:
        boxes = "(all) => all.map((one) => one.getBoundingClientRect().height)"
        return phone.page.eval_on_selector_all(selector, boxes)

    usual = heights(f"{PAD} button")
    for text in (150, 200):
        phone.page.evaluate(f"document.documentElement.style.fontSize = '{text}%'")
        assert min(heights(f"{PAD} button")) >= min(usual) - 0.5, f"{text} %"
    phone.page.evaluate("document.documentElement.style.fontSize = ''")
    for number in (12, 5):
        for name in (ADA, BEN):
            table.send({"do": "points", "by": name, "points": number})
    phone.open(table.path)
    types(phone, 30)
    expect(phone.see(PAD)).to_have_count(0)
    expect(phone.see(".chart .last")).to_have_text("Round 3")
    # The lines and the chart, below or beside each other, are as high as bar and hint leave room.
    (standings,) = heights(".standings")
    assert standings > 0.7 * high
    filled = heights(".lines, .chart")
    assert (sum(filled) if wide < high else min(filled)) > 0.5 * high


def test_numbers_typed_one_after_another_lose_no_digit(open_phone: OpenPhone) -> None:
    """Fingers wait neither for the server's answer nor for the next player's pad to settle."""
    phone = open_phone(390, 844, has_touch=True)
    table = make_table(phone, ADA, BEN, CLEO, game=GAME.name)
    phone.open(table.path)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    phone.page.route("**/taps", hold)
    for player, number, following in ((ADA, "28", "8"), (BEN, "83", "1"), (CLEO, "19", "")):
        expect(phone.see(f"{PAD} bdi")).to_have_text(player)
        for key in number[1:] if held else number:
            phone.see(f"{PAD} [data-key='{key}']").tap()
        before = len(held)
        phone.see(f"{PAD} [data-enter]").tap()
        while len(held) == before:
            phone.page.evaluate("null")  # until the request is out
        for key in following:
            phone.see(f"{PAD} [data-key='{key}']").tap()
        held[-1].continue_()
    phone.has_saved_all()
    assert [action["points"] for action in table.actions] == [28, 83, 19]


def test_the_winner_changes_and_somebody_joins_in_a_running_game(open_phone: OpenPhone) -> None:
    """The dialog shows the new order before it is confirmed, and closes by itself."""
    phone = open_phone(390, 844, has_touch=True)
    table = make_table(phone, ADA, BEN, game=GAME.name)
    phone.open(table.path)
    for player, number in ((ADA, 7), (BEN, 130)):
        expect(phone.see(f"{PAD} bdi")).to_have_text(player)
        types(phone, number)
        phone.settles(table)
    names = phone.see(".standing bdi")
    expect(names).to_have_text([BEN, ADA])

    def opens() -> None:
        phone.tap("#bar-menu")
        phone.tap("#dialog [hx-get$='/changes']")

    opens()
    phone.tap("#dialog .choice-card:has([value='True'])")
    expect(phone.see("#changed-to bdi")).to_have_text([ADA, BEN])
    phone.tap("#changed-to [data-send]")
    expect(names).to_have_text([ADA, BEN])
    expect(phone.see("#dialog")).not_to_be_visible()
    opens()
    name = phone.see("#dialog [name='name']")
    expect(name).to_be_visible()
    expect(phone.see("#dialog .htmx-added")).to_have_count(0)  # only then does htmx hear of it
    name.fill(CLEO)
    phone.tap("#joins [data-send*='mean']")
    expect(names).to_have_text([ADA, CLEO, BEN])
    phone.settles(table)
    assert table.actions[-2:] == [
        {"do": "set", "lowest": True},
        {"do": "join", "player": CLEO, "points": "mean"},
    ]
