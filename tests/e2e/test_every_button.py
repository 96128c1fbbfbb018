"""Every button that is seen is the one under the finger, and does what it says and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from companion.games.catalog import GAMES
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import CLOSE, Phone, Table, open_record
from tests.e2e.screens import LYING, TABLET, UPRIGHT, Size
from tests.kit import play
from tests.kit.wide import wide

pytestmark = pytest.mark.e2e

SEED = 31
PLAYERS = ("Ada", "Ben", "Cleo")
SEEN = "'.bar button, .play button, .play summary, .f:is(.open, .early, .costs)[data-tap]'"
BUTTONS = (
    "() => {"
    f"const all = [...document.querySelectorAll({SEEN})];"
    """
  const seen = new Set();
  const json = (text) => JSON.parse(text ?? 'null');
  return all.map((element, place) => ({ element, place })).filter(({ element }) => {
    const box = (element.querySelector('.hit') ?? element).getBoundingClientRect();
    if (element.disabled || !element.checkVisibility({ visibilityProperty: true })) return false;
    const { clipPath, pointerEvents } = getComputedStyle(element);
    // A small sheet is one button as a whole.
    if (!box.width || clipPath !== 'none' || pointerEvents === 'none') return false;
    // Of faces and fields that differ in their value alone, one is as good as another.
    const field = element.matches('.costs') ? 'costs' : element.dataset.f && 'field';
    const kind = element.dataset.part ?? field;
    const key = `${element.closest('[data-player], [data-picker]')?.id} ${kind}`;
    if (kind && seen.has(key)) return false;
    seen.add(key);
    return true;
  }).map(({ element, place }) => [place, {
    text: (element.getAttribute('aria-label') ?? element.textContent).trim(),
    asks: element.matches('[hx-get], [hx-post]'),
    picks: element.dataset.part ? json(element.closest('[data-picker]')?.dataset.action) : null,
    tap: element.matches('.early') ? null : json(element.dataset.tap),
    send: json(element.dataset.send),
  }]);
}"""
)
UNDER_THE_FINGER = (
    "(place) => {"
    f"const element = document.querySelectorAll({SEEN})[place];"
    """
  element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const box = (element.querySelector('.hit') ?? element).getBoundingClientRect();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const top = document.elementFromPoint(x, y);
  return [x, y, element.contains(top) ? '' : `${top?.tagName} "${top?.textContent.trim()}"`];
}"""
)


@pytest.mark.parametrize("size", [LYING, wide(UPRIGHT), wide(TABLET)], ids=str)
@pytest.mark.parametrize("count", [5, wide(1)])
@pytest.mark.parametrize("game", GAMES)
def test_every_button_does_what_it_says(
    open_phone: OpenPhone, game: str, count: int, size: Size
) -> None:
    phone = open_phone(*size, has_touch=True)
    phone.expected.append("status of 4")
    names = PLAYERS[: GAMES[game].max_players]
    record = play.some_record(names, SEED, count, game)
    faults = []
    table = _opened(phone, record)
    for place, button in phone.page.evaluate(BUTTONS):
        x, y, cover = phone.page.evaluate(UNDER_THE_FINGER, place)
        if cover:
            faults.append(f"over {button['text']!r} lies {cover}")
            continue
        version = table.version
        phone.takes_taps()
        phone.page.touchscreen.tap(x, y)
        if button["asks"]:
            expect(phone.see("#dialog")).to_be_visible()
            phone.tap(CLOSE)
        phone.has_saved_all()
        refused = table.version == version and phone.toast.count() > 0
        if not (refused or _is_as_said(button, record["actions"], table.actions)):
            faults.append(f"{button['text']!r} made {table.actions[count - 1 :]}")
        if table.version != version or not button["asks"]:
            table = _opened(phone, record)
    assert faults == []


def _opened(phone: Phone, record: dict[str, Any]) -> Table:
    table = open_record(phone, record)
    phone.open(table.path)
    return table


def _is_as_said(
    button: dict[str, Any], before: list[dict[str, Any]], after: list[dict[str, Any]]
) -> bool:
    """Whether the game went on as the button says: by its own action, or not at all."""
    if button["send"] is not None:
        changed = [button["send"]["action"]] if button["send"].get("action") else []
        return after == [*before[:-1], *changed]
    said = button["tap"] or button["picks"]
    if said is None:
        return after == before
    made = after[len(before) :] or after[-1:]
    if button["tap"]:
        return [*before, *made] == after and [action["do"] for action in made] == [said["do"]]
    return after == before or [action["do"] for action in made] == [said["do"]]
