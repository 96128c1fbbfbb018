"""Wrong fields, undo and redo, re-rolls, and entries that are corrected later."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import CLOSE, REDO, TURNS, UNDO, Phone, Table, make_table
from tests.e2e.screens import LYING, UPRIGHT, Size
from tests.e2e.test_steady import MEASURE
from tests.e2e.test_whole_sheets import CALLS
from tests.kit.wide import wide

pytestmark = pytest.mark.e2e

REFUSED = r"the server responded with a status of 4"


@pytest.fixture
def phone(open_phone: OpenPhone) -> Phone:
    """The host's phone, on Ada's seat."""
    return open_phone()


@pytest.fixture
def table(phone: Phone) -> Table:
    table = make_table(phone, "Ada", "Ben")
    table.do("take", seat=table.seat("Ada"))
    return table


WRONG = {
    "orange.5": "row",  # was not called
    "yellow.3": "grow",  # right of a greater number
    "yellow.2": "already",  # is taken
    "purple.4": "column",  # has the number already
}
"""Field → a word of why it may not be written in."""


def test_a_wrong_field_says_why(phone: Phone, table: Table) -> None:
    phone.expected.append(REFUSED)
    table.roll("Ada", orange=6, purple=3)
    table.write("Ada", "orange", 2)
    table.passes("Ben")
    table.roll("Ben", yellow=6, orange=4)
    table.write("Ada", "yellow", 2)
    table.passes("Ben")
    table.roll("Ada", yellow=5, purple=4)
    phone.open(table.path)
    before, version = table.record, table.version
    for spot, word in WRONG.items():
        expect(phone.spot("Ada", spot)).to_have_class(re.compile("closed|written"))
        phone.tap(phone.spot("Ada", spot))
        expect(phone.toast).to_contain_text(word)
        expect(phone.spot("Ada", spot)).not_to_have_class(re.compile("pending"))
    assert (table.record, table.version) == (before, version)


def test_a_dialogs_head_covers_what_scrolls_below_it(phone: Phone, table: Table) -> None:
    """The sheet is wider than the dialog's texts."""
    table.roll("Ada", yellow=4, purple=5)
    entry = table.write("Ada", "yellow", 4)
    phone.open(table.path)
    phone.dialog(TURNS)
    phone.tap(f"[hx-get$='/turns/{entry}']")
    board = phone.see(".dialog-sheet .board").bounding_box()
    head = phone.see(".dialog-head").bounding_box()
    assert board
    assert head
    assert head["x"] <= board["x"]
    assert head["x"] + head["width"] >= board["x"] + board["width"]


def test_undo_and_redo(phone: Phone, table: Table) -> None:
    table.roll("Ada", yellow=4, purple=5)
    phone.open(table.path)
    phone.tap(phone.spot("Ada", "yellow.5"))
    expect(phone.spot("Ada", "yellow.5")).to_have_class(re.compile("written"))
    phone.tap(UNDO)
    expect(phone.spot("Ada", "yellow.5")).to_have_class(re.compile("open"))
    assert len(table.actions) == 1
    phone.tap(REDO)
    expect(phone.spot("Ada", "yellow.5")).to_have_class(re.compile("written"))
    assert len(table.actions) == 2
    expect(phone.see(REDO)).to_have_count(0)
    phone.tap(UNDO)
    expect(phone.see(REDO)).to_be_visible()
    phone.tap(UNDO)
    expect(phone.see(".called.none")).to_be_visible()
    assert table.actions == []


@pytest.mark.parametrize("size", [LYING, wide(UPRIGHT), wide((820, 1180))], ids=str)
def test_undo_and_redo_keep_their_places(open_phone: OpenPhone, size: Size) -> None:
    """Two quick taps undo twice; the timer pushes no button below the tabs."""
    phone = open_phone(*size)
    table = make_table(phone, "Ada", "Ben", "Cleo", "Dora", "Eva", game="qwixx")
    table.do("turn_timer", turn_timer="60")
    table.send(CALLS["qwixx"])
    for player in ("Ada", "Ben", "Cleo"):
        table.passes(player)
    phone.open(table.path)
    expect(phone.see("#timer")).to_be_visible()
    left = "button => button.getBoundingClientRect().left"
    undo = phone.see(UNDO).evaluate(left)
    for _ in range(2):
        phone.tap(UNDO)
        expect(phone.see(REDO)).to_be_visible()
        assert phone.see(UNDO).evaluate(left) == undo
        faults = phone.page.evaluate(MEASURE)["faults"]
        assert [fault for fault in faults if "bar-" in fault or "tab" in fault] == []
    expect(phone.see(UNDO)).to_have_count(1)
    phone.has_saved_all()
    assert [action["do"] for action in table.actions] == ["roll", "pass"]
    redo = phone.see(REDO).evaluate(left)
    for _ in range(2):
        phone.tap(UNDO)
        phone.has_saved_all()
        phone.shows_version(table.version)
    expect(phone.see(UNDO)).to_have_count(0)
    assert phone.see(REDO).evaluate(left) == redo


def test_a_die_tapped_twice_is_taken_away(phone: Phone, table: Table) -> None:
    phone.open(table.path)
    phone.tap(phone.die("yellow", 4))
    expect(phone.see(".called strong")).to_have_text("4")
    phone.tap(phone.die("purple", 5))
    expect(phone.see(".called strong")).to_have_text("9")
    phone.tap(phone.die("yellow", 4))
    expect(phone.see(".called strong")).to_have_text("5")
    expect(phone.die("yellow", 4)).to_have_attribute("aria-pressed", "false")
    phone.has_saved_all()
    assert table.actions == [{"do": "roll", "by": "Ada", "dice": {"purple": 5}}]


def test_roll_again_takes_the_same_dice(phone: Phone, table: Table) -> None:
    phone.open(table.path)
    phone.tap(phone.die("yellow", 4))
    phone.tap(phone.die("purple", 5))
    expect(phone.see(".called strong")).to_have_text("9")
    phone.tap("[data-swap]")
    expect(phone.see("#reroll .dice-row")).to_have_count(2)
    expect(phone.see(".says .again")).to_have_text("Ada rolls the dice")
    expect(phone.see(".says .said")).to_be_hidden()
    expect(phone.see(".f.open .m:visible")).to_have_count(0)
    phone.tap(phone.die("yellow", 1, "#reroll"))
    phone.tap(phone.die("purple", 6, "#reroll"))
    expect(phone.see(".called strong")).to_have_text("7")
    expect(phone.see("[data-swap]")).to_have_count(0)
    phone.has_saved_all()
    assert [action["dice"] for action in table.actions] == [
        {"yellow": 4, "purple": 5},
        {"yellow": 1, "purple": 6},
    ]
    # The second roll was entered wrongly: it is corrected as the first could have been.
    phone.tap(phone.die("purple", 3))
    expect(phone.see(".called strong")).to_have_text("4")
    assert len(table.actions) == 2


def test_a_tap_that_comes_too_early_says_so(
    phone: Phone, table: Table, open_phone: OpenPhone
) -> None:
    ben = open_phone()
    table.join(ben, "Ben")
    phone.open(table.path)
    ben.open(table.path)
    ben.tap(ben.spot("Ben", "yellow.3"))
    expect(ben.toast.filter(has_text="Ada rolls the dice")).to_be_visible()
    phone.tap(phone.die("yellow", 4))
    expect(ben.see(".says .said")).to_contain_text("4?")
    ben.tap(ben.spot("Ben", "yellow.3"))
    expect(ben.toast.filter(has_text="Ada is rolling … 4?")).to_be_visible()


def test_an_earlier_roll_is_corrected(phone: Phone, table: Table, open_phone: OpenPhone) -> None:
    roll = table.roll("Ada", yellow=4, purple=5)
    table.write("Ada", "yellow", 5)
    table.write("Ben", "yellow", 5)
    table.roll("Ben", yellow=5, orange=5)
    table.write("Ada", "yellow", 6)
    table.passes("Ben")
    ben = open_phone()
    table.join(ben, "Ben")
    ben.open(table.path)
    phone.open(table.path)
    before = table.record

    phone.dialog(TURNS)
    phone.tap(f"[hx-get$='/turns/{roll}']")
    phone.tap(phone.die("purple", 6, "#edit-picker"))
    unfit = phone.see("#preview .unfit")
    expect(unfit).to_have_count(1)
    expect(unfit).to_contain_text("Ada")
    expect(unfit.locator(".hint")).to_contain_text("10")
    assert table.record == before, "nothing is changed before it is confirmed"

    expect(unfit.locator(".replacement")).to_contain_text("Ada passed")
    phone.tap("#preview [data-send]")
    expect(phone.see("#dialog")).to_be_hidden()
    phone.has_saved_all()
    phone.shows_version(table.version)
    assert table.actions[0]["dice"] == {"yellow": 4, "purple": 6}
    assert table.actions[4] == {"do": "pass", "by": "Ada"}

    ben.shows_version(table.version)
    expect(ben.spot("Ben", "yellow.5")).to_contain_text("10")
    ben.dialog(TURNS)
    expect(ben.see(".turn-list .tag").first).to_be_visible()
    ben.tap("#dialog details summary")
    line = ben.see("#dialog details li").filter(has_text="→")
    expect(line).to_have_count(1)
    expect(line.locator("b")).not_to_be_empty()
    ben.tap(CLOSE)


def test_a_written_number_moves_and_is_taken_back(phone: Phone, table: Table) -> None:
    table.roll("Ada", yellow=4)
    entry = table.write("Ada", "yellow", 5)
    phone.open(table.path)
    for tapped, spot, shown in (
        ("[data-editor] [data-f='yellow.3']", "yellow.3", "written"),
        ("[data-editor] form button", "yellow.5", "open"),
    ):
        phone.dialog(TURNS)
        phone.tap(f"[hx-get$='/turns/{entry}']")
        phone.tap(tapped)
        phone.tap("#preview [data-send]")
        expect(phone.spot("Ada", spot)).to_have_class(re.compile(shown))
    assert len(table.actions) == 1
