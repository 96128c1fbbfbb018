"""Kniffel in a real browser: a whole game, points that are typed, dice that are rolled again."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from companion.games.kniffel import GAME
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import UNDO, make_table
from tests.e2e.play import Play

pytestmark = pytest.mark.e2e

ADA, BEN = "Ada", "Ben"
FIRST_ACTIONS = 4  # tapped before a long game is left to the rules for a while
MOST_TAPS = 200


def test_a_whole_game_on_one_phone(open_phone: OpenPhone) -> None:
    play = Play(open_phone(), GAME.name, (ADA, BEN))
    for number in range(MOST_TAPS):
        if play.is_over:
            break
        if number == FIRST_ACTIONS:
            play.leave_the_middle_out()
        elif play.see("#dice").count():
            play.after(lambda: _any_dice(play))
        else:
            glowing = ".player.selected .f.open"
            costly = ".player.selected .f.costs"
            play.after(lambda: play.tap(glowing if play.see(glowing).count() else costly))  # noqa: B023
    play.check_end()
    expect(play.see(".podium .hint").filter(has_text="Every sheet is full")).to_be_visible()


def _any_dice(play: Play) -> None:
    """Five taps, whichever die each of them is."""
    for tapped in range(1, 6):
        play.pick("#dice [data-part]")
        if tapped < 5:
            expect(play.see("#dice .slot.full")).to_have_count(tapped)


def test_points_are_chosen_beside_the_field(open_phone: OpenPhone) -> None:
    """Two taps; the second one is taken back by one undo."""
    phone = open_phone()
    table = make_table(phone, ADA, BEN, game=GAME.name)
    phone.open(table.path)
    phone.tap(phone.spot(ADA, "fives"))
    values = phone.see(".toast .value")
    expect(values).to_have_text(["0", "5", "10", "15", "20", "25"])
    phone.tap(phone.spot(ADA, "kniffel"))
    expect(values).to_have_text(["0", "50"])
    phone.tap(values.nth(1))
    expect(values).to_have_count(0)
    expect(phone.spot(ADA, "kniffel")).to_have_attribute("aria-label", "Kniffel: 50")
    phone.has_saved_all()
    assert table.actions == [{"do": "write", "by": ADA, "field": "kniffel", "points": 50}]
    phone.tap(UNDO)
    phone.has_saved_all()
    assert table.actions == []


def test_typed_points_can_be_corrected(open_phone: OpenPhone) -> None:
    phone = open_phone()
    table = make_table(phone, ADA, BEN, game=GAME.name)
    typed = {"do": "write", "by": ADA, "field": "fives", "points": 10}
    entry = table.send(typed)
    phone.open(table.path)
    phone.edits(entry)
    phone.tap(phone.see('.editor [data-f="fives"]'))
    phone.tap(phone.see(".toast .value").filter(has_text="15"))
    phone.tap(phone.see("#preview [data-send]"))
    phone.has_saved_all()
    assert table.actions == [{**typed, "points": 15}]


def test_dice_are_corrected_in_a_row_above_the_row_of_faces(open_phone: OpenPhone) -> None:
    """Upright, too, where the pad beside the sheet has columns."""
    phone = open_phone(390, 844)
    table = make_table(phone, ADA, BEN, game=GAME.name)
    entry = table.send({"do": "roll", "by": ADA, "dice": [1, 2, 2, 5, 6]})
    phone.open(table.path)
    phone.edits(entry)
    for row in (".editor .slot", ".editor .die[data-part]"):
        expect(phone.see(row).first).to_be_visible()
        boxes = phone.see(row).evaluate_all("all => all.map(one => one.getBoundingClientRect())")
        assert len({box["top"] for box in boxes}) == 1
        assert max(box["width"] for box in boxes) - min(box["width"] for box in boxes) < 1


@pytest.mark.wide
def test_some_dice_are_rolled_again_by_the_app(open_phone: OpenPhone) -> None:
    phone = open_phone()
    table = make_table(phone, ADA, BEN, game=GAME.name)
    table.do("roller", roller="on")
    phone.open(table.path)
    phone.tap("#roller .roll")
    dice = phone.see(".called .hold")
    expect(dice).to_have_count(5)
    for place in range(3):
        phone.tap(dice.nth(place))
    with phone.page.expect_response("**/t/*/"):
        phone.page.evaluate("htmx.trigger('#table', 'refresh')")
    expect(dice.locator(":checked")).to_have_count(3)
    expect(phone.see("#roller .roll")).to_contain_text("2")
    phone.tap("#roller .roll")
    expect(phone.see("#roller .roll")).to_contain_text("1")
    expect(dice.locator(":checked")).to_have_count(3)
    phone.tap(dice.nth(3))
    phone.tap("#roller .roll")
    expect(phone.see("#roller")).to_have_count(0)
    first, second, third = table.actions
    assert {action["rolled"] for action in table.actions} == {"app"}
    assert first["dice"][:3] == second["dice"][:3] == third["dice"][:3]
    assert second["dice"][3] == third["dice"][3]
