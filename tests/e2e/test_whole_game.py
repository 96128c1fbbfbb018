"""Three people play a whole game on three phones, from the first page to the winner."""

from __future__ import annotations

from itertools import accumulate

import pytest
from playwright.sync_api import expect

from companion.games.qwinto_dice import GAME
from companion.games.record import parse, replay
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import OPEN_FIELD, SHARE, Phone, Table
from tests.kit.devices import PLAIN
from tests.kit.play import after, some_game

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

    positions = [*accumulate(ACTIONS, after, initial=GAME.start(PLAYERS, {}))]
    last = positions[-2].turn
    version = host.version
    table = Table(host.see("#table").get_attribute("data-table") or "", host, PLAYERS)
    are_away = False
    for position, action in zip(positions, ACTIONS, strict=False):
        if ROUND < position.turn < last:
            if not are_away:
                # The phones look elsewhere meanwhile: three of them draw every turn three times.
                for phone in phones:
                    phone.open(PLAIN)
                are_away = True
            table.send(action)
            version += 1
            continue
        if are_away:
            for phone in phones:
                phone.open(table.path)
            are_away = False
        phone = of[action["by"]]
        before = phone.taps
        phone.shows_version(version)
        if action["do"] == "roll":
            for count, (color, value) in enumerate(action["dice"].items(), start=1):
                phone.tap(phone.die(color, value))
                phone.shows_version(version + count)
            version += len(action["dice"])
            assert phone.taps - before == len(action["dice"]), "one tap a die"
        else:
            fields = open_fields(phone)
            assert fields == {f"{c}.{f}" for c, f in position.open_fields(action["by"])}
            chosen = f'[data-f="{action["row"]}.{action["field"]}"]' if "row" in action else ".pass"
            phone.tap(phone.see(".player.selected").locator(chosen))
            version += 1
            assert phone.taps - before == 1, "one tap to write or pass"
            phone.shows_version(version)

    replayed = replay(parse(table.record)).document()
    assert replayed["over"]
    for phone in phones:
        phone.shows_version(version)
        expect(phone.see("main.end")).to_be_visible()
        for player, score in replayed["scores"].items():
            total = phone.see(".ranking li").filter(has_text=player).locator(".total")
            expect(total).to_have_text(str(score["total"]).replace("-", "−"))
        assert phone.see(".ranking .winner bdi").all_inner_texts() == replayed["winners"] == [ADA]
    assert table.actions == ACTIONS

    steps = host.see(".podium-step")
    assert steps.count() == 3
    assert steps.first.locator("bdi").all_inner_texts() == [ADA]
    by_link.tap(".asks summary")
    expect(by_link.see(".asks p")).to_contain_text("A new game begins on all phones")
    by_link.tap('.asks [action$="/do/again"] button')
    for phone in phones:
        expect(phone.see("main.play .call")).to_have_attribute("data-by", BEN)
    assert by_link.see(".die").first.is_visible()


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


def open_fields(phone: Phone) -> set[str]:
    """The framed fields of the sheet that the phone shows."""
    fields = phone.see(f".player.selected {OPEN_FIELD}").evaluate_all(
        "fields => fields.map(field => field.dataset.f)"
    )
    return set(fields)
