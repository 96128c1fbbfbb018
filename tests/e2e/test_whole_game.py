"""Three people play a whole game on three phones, from the first page to the winner."""

from __future__ import annotations

import json
import subprocess
import sys
import uuid
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from companion.games.qwinto_dice import GAME
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import OPEN_FIELD, SHARE, Phone, open_record
from tests.kit.devices import PLAIN
from tests.kit.play import after, record_of, some_game

pytestmark = pytest.mark.e2e

ADA, BEN, CARLA = PLAYERS = ("Ada", "Ben", "Carla")
ROUND = len(PLAYERS)
ACTIONS = some_game("qwinto-dice", 738, 3000, PLAYERS)
"""21 turns with two bonuses and failed attempts, won by Ada; what is tapped has no second roll."""


def test_from_set_up_to_winner(open_phone: OpenPhone, tmp_path: Path, tapped: int = ROUND) -> None:
    """So many turns at the start and the last one are tapped; the others are sent to the phones."""
    host, by_link, by_code = phones = open_phone(), open_phone(), open_phone()
    set_up(host, by_link, by_code)
    of = dict(zip(PLAYERS, phones, strict=True))
    for phone in phones:
        expect(phone.see("main.play")).to_be_visible()

    positions = [*accumulate(ACTIONS, after, initial=GAME.start(PLAYERS, {}))]
    last = positions[-2].turn
    version = host.version
    path = path_of(host)
    are_away = False
    for position, action in zip(positions, ACTIONS, strict=False):
        if tapped < position.turn < last:
            if not are_away:
                # The phones look elsewhere meanwhile: three of them draw every turn three times.
                for phone in phones:
                    phone.open(PLAIN)
                are_away = True
            send(host, path, action)
            version += 1
            continue
        if are_away:
            for phone in phones:
                phone.open(path)
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

    for phone in phones:
        phone.shows_version(version)
        expect(phone.see("main.end")).to_be_visible()
    shown = {player: final_page(phone) for player, phone in of.items()}
    assert shown[ADA] == shown[BEN] == shown[CARLA]

    exported = host.get(f"{path_of(host)}record.json").body()
    (tmp_path / "game.json").write_bytes(exported)
    replayed = replay(tmp_path / "game.json")
    assert replayed["over"]
    assert shown[ADA]["totals"] == {
        player: score["total"] for player, score in replayed["scores"].items()
    }
    assert shown[ADA]["winners"] == replayed["winners"] == [ADA]
    assert json.loads(exported)["actions"] == ACTIONS

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


def send(phone: Phone, path: str, action: dict[str, Any]) -> None:
    """An action for the table at `path` that nobody tapped on a phone."""
    tap = {"id": uuid.uuid4().hex, "action": action}
    answer = phone.context.request.post(f"{phone.address}{path}taps", data=tap)
    assert answer.ok, answer.text()


def path_of(phone: Phone) -> str:
    return f"/t/{phone.see('#table').get_attribute('data-table')}/"


def open_fields(phone: Phone) -> set[str]:
    """The framed fields of the sheet that the phone shows."""
    fields = phone.see(f".player.selected {OPEN_FIELD}").evaluate_all(
        "fields => fields.map(field => field.dataset.f)"
    )
    return set(fields)


def final_page(phone: Phone) -> dict[str, Any]:
    """What the final page says; every total must be the sum of its parts."""
    totals = {}
    for sheet in phone.see(".player.final").all():
        name = sheet.locator("h3").inner_text()
        total = number(sheet.locator(".player-head .total").inner_text())
        points = sheet.locator(".term b").all_inner_texts()
        assert sum(map(number, points)) == total
        assert number(sheet.locator(".sum b").inner_text()) == total
        totals[name] = total
    ranking = phone.see(".ranking li")
    names = ranking.locator("bdi").all_inner_texts()
    points = [number(text) for text in ranking.locator(".total").all_inner_texts()]
    assert points == sorted(points, reverse=True)
    assert dict(zip(names, points, strict=True)) == totals
    winners = phone.see(".ranking .winner bdi").all_inner_texts()
    for winner in winners:
        expect(phone.see(".podium h2")).to_contain_text(winner)
    return {"totals": totals, "winners": winners}


def number(text: str) -> int:
    return int(text.replace("−", "-"))


def replay(file: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "companion", "replay", "--json", str(file)],
        capture_output=True,
        check=True,
    )
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def test_a_tapped_term_lights_its_fields(open_phone: OpenPhone) -> None:
    host = open_phone()
    table = open_record(host, record_of(PLAYERS, ACTIONS))
    host.open(table.path)
    ada = host.see(".player.final").filter(has_text=ADA)
    terms = ada.locator(".term[data-lights]:not([data-lights=''])")
    assert terms.count() >= 5, "three rows and two bonuses at least"
    for term in terms.all():
        host.tap(term)
        expect(term).to_have_attribute("aria-pressed", "true")
        lit = ada.locator(".f.lit").evaluate_all("fields => fields.map(f => f.dataset.f)")
        assert sorted(lit) == sorted((term.get_attribute("data-lights") or "").split())
        assert ada.locator(".term[aria-pressed=true]").count() == 1
    host.tap(terms.last)
    expect(ada.locator(".f.lit")).to_have_count(0)
