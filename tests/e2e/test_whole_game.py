"""Three people play a whole game on three phones, from the first page to the winner."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Any

import pytest
from playwright.sync_api import expect

from companion.games.qwinto_dice import GAME
from lab.devices import PLAIN
from lab.play import Action, after, some_game
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import NO_NETWORK, OPEN_FIELD, SHARE, Phone, Table, make_table
from tests.e2e.play import check_end

pytestmark = pytest.mark.e2e

ADA, BEN, CARLA = PLAYERS = ("Ada", "Ben", "Carla")
ROUND = len(PLAYERS)
ACTIONS = some_game("qwinto-dice", 738, 3000, PLAYERS)
"""21 turns with two bonuses and failed attempts, won by Ada; what is tapped has no second roll."""


def test_from_set_up_to_winner(open_phone: OpenPhone) -> None:
    """A round and the last turn are tapped; the other turns are sent to the phones."""
    host, by_link, by_code = phones = open_phone(), open_phone(), open_phone()
    set_up(host, by_link, by_code)
    of = dict(zip(PLAYERS, phones, strict=True))
    for phone in phones:
        expect(phone.see("main.play")).to_be_visible()

    table = Table(host.see("#table").get_attribute("data-table") or "", host, PLAYERS)
    positions = [*accumulate(ACTIONS, after, initial=GAME.start(PLAYERS, {}))]
    last = positions[-2].turn
    steps = [*zip(positions, ACTIONS, strict=False)]
    for position, action in steps:
        if position.turn <= ROUND:
            taps(of[action["by"]], table, position, action)
    # The phones look elsewhere meanwhile: three of them draw every turn three times.
    for phone in phones:
        phone.open(PLAIN)
    for position, action in steps:
        if ROUND < position.turn < last:
            table.send(action)
    for phone in phones:
        phone.open(table.path)
    for position, action in steps:
        if position.turn == last:
            taps(of[action["by"]], table, position, action)

    for phone in phones:
        expect(phone.see("main.end")).to_be_visible()
    assert check_end(table, *phones)["winners"] == [ADA]
    assert table.actions == ACTIONS

    steps_up = host.see(".podium-step")
    expect(steps_up).to_have_count(3)
    assert steps_up.first.locator("bdi").all_inner_texts() == [ADA]
    by_link.tap(".asks summary")
    expect(by_link.see(".asks p")).to_contain_text("A new game starts on all phones")
    by_link.tap('.asks [action$="/do/again"] button')
    for phone in phones:
        expect(phone.see("main.play .call")).to_have_attribute("data-by", BEN)
    assert by_link.see(".die").first.is_visible()


NO_STORAGE = """
for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(globalThis, name, {
    get() { throw new DOMException("denied", "SecurityError"); },
  });
"""


def test_a_turn_is_played_on_a_phone_that_cannot_store_anything(open_phone: OpenPhone) -> None:
    """It says so once; a roll, a field and a pass reach the table, also those tapped offline."""
    phone = open_phone(throw_away=True)
    phone.expected.append(NO_NETWORK)
    phone.context.add_init_script(NO_STORAGE)
    table = make_table(phone, ADA, BEN)
    phone.open(table.path)
    phone.tap(phone.die("yellow", 4))
    expect(phone.toast).to_have_text(re.compile("This phone cannot keep taps while it is offline"))
    phone.understands()
    phone.tap(phone.die("purple", 5))
    expect(phone.spot(ADA, "yellow.3")).to_have_attribute("role", "button")
    phone.context.set_offline(True)
    phone.tap(phone.spot(ADA, "yellow.3"))
    expect(phone.see("#connection")).to_have_text(re.compile("Leave this page open"))
    expect(phone.toast).to_have_count(0)
    phone.context.set_offline(False)
    expect(phone.see("#connection")).to_be_hidden()
    expect(phone.see(".player.selected")).to_have_attribute("data-by", BEN)
    phone.tap(phone.sheet(BEN).locator(".pass"))
    expect(phone.see(".play .call")).to_have_attribute("data-by", BEN)
    assert [action["do"] for action in table.actions] == ["roll", "write", "pass"]


def taps(phone: Phone, table: Table, position: Any, action: Action) -> None:
    """One tap a die, one to write or pass; exactly the fields that the rules allow are framed."""
    phone.settles(table)
    if action["do"] == "roll":
        for color, value in action["dice"].items():
            phone.tap(phone.die(color, value))
    else:
        fields = phone.see(f".player.selected {OPEN_FIELD}").evaluate_all(
            "fields => fields.map(field => field.dataset.f)"
        )
        assert {*fields} == {f"{c}.{f}" for c, f in position.open_fields(action["by"])}
        chosen = f'[data-f="{action["row"]}.{action["field"]}"]' if "row" in action else ".pass"
        phone.tap(phone.see(".player.selected").locator(chosen))
    phone.has_saved_all()


def set_up(host: Phone, by_link: Phone, by_code: Phone) -> None:
    """The host makes the table; the others come, one by the link and one by the code."""
    host.open()
    host.tap("form:has([value=qwinto-dice]) button.game")
    expect(host.see("main.lobby")).to_be_visible()
    for player in (ADA, BEN):
        host.see("#new-name").fill(player)
        host.tap(".add-seat button.primary")
        expect(host.see(".seat .name").filter(has_text=player)).to_be_visible()

    dialog = host.dialog(SHARE)
    link = dialog.locator(".link").inner_text()
    code = dialog.locator(".share-code").inner_text()
    expect(dialog.locator("svg.qr")).to_be_visible()
    host.tap("#dialog [data-close]")

    by_link.page.goto(link)
    by_link.tap(by_link.see("button.seat-button").filter(has_text=BEN))
    by_code.open()
    by_code.see("[name=code]").fill(code.lower())
    by_code.tap('[action="/join"] button')
    by_code.see("[name=name]").fill(CARLA)
    by_code.tap("form:has([name=name]) button")

    expect(host.see(".seat .name")).to_have_text(list(PLAYERS))
    host.tap('[action$="/do/start"] button')
