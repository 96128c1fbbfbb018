"""Where things stand on phones: whole sheets without scrolling, and notes that hide no target."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import Phone, Table
from tests.e2e.screens import SMALL, each_locale
from tests.e2e.test_steady import MEASURE, SHOW, USUAL, table_of
from tests.kit.wide import first_of

pytestmark = pytest.mark.e2e

UPRIGHT = (360, 640)
LYING = (640, 360)
LARGE = "150%"
"""The size of the text."""
BOX = 35.0
"""CSS pixels of a box of Encore! on a lying phone; a clump is tapped by one stroke."""
LOW_BOX = 19.0
"""CSS pixels of its height on an upright one, with large text, too."""
SMALLEST_BOX = 15.0
"""Beside large text on the smallest phone, all columns are worth more than high boxes."""
FINGER = 44.0

CARDS = {"tl": "o4", "tr": "y3", "bl": "p1", "br": "g-2"}
CALLS: dict[str, dict[str, Any]] = {
    "qwinto-dice": {"do": "roll", "by": "Ada", "dice": {"orange": 4, "yellow": 5}},
    "qwinto-cards": {"do": "deal", "grid": CARDS},
    "encore": {"do": "roll", "by": "Ada", "colors": ["blue"] * 3, "numbers": [1, 2, 3]},
    "qwixx": {"do": "roll", "by": "Ada", "white": [3, 4]},
}
CALLS["qwixx"]["dice"] = dict.fromkeys(("red", "yellow", "green", "blue"), 1)

OUT_OF_VIEW = """(mayScroll) => {
  const sizes = [], out = [];
  for (const field of document.querySelectorAll('.player.selected .f:has(.hit)')) {
    if (field.dataset.f.startsWith('joker')) continue;
    if (mayScroll) field.scrollIntoView({block: 'nearest'});
    const box = field.querySelector('.hit').getBoundingClientRect();
    if (!field.dataset.f.startsWith('failed')) sizes.push(box.width, box.height);
    if (box.top < -1 || box.left < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1)
      out.push(field.dataset.f);
  }
  for (const shown of document.querySelectorAll('.says, .player.selected .pass')) {
    const box = shown.getBoundingClientRect();
    if (shown.scrollHeight > shown.clientHeight + 1 || box.bottom > innerHeight + 1)
      out.push(shown.className);
  }
  return [out, Math.min(...sizes)];
}"""


@pytest.mark.parametrize(
    ("game", "size", "least"),
    [
        ("qwinto-dice", UPRIGHT, FINGER),
        ("qwinto-cards", UPRIGHT, FINGER),
        ("qwixx", UPRIGHT, FINGER),
        ("encore", UPRIGHT, LOW_BOX),
        ("encore", SMALL, SMALLEST_BOX),
        ("encore", LYING, BOX),
        ("encore", (844, 390), BOX),
    ],
    ids=str,
)
@each_locale
def test_the_whole_sheet_is_in_view(
    open_phone: OpenPhone, game: str, size: tuple[int, int], least: float, locale: str
) -> None:
    phone = open_phone(*size, locale=locale)
    table = table_of(game, phone, open_phone())
    table.send(CALLS[game])
    phone.open(table.path)
    expect(phone.see(".player.selected .f").first).to_have_css("touch-action", "manipulation")
    phone.page.evaluate("() => document.fonts.ready")
    for text in ("100%", LARGE):
        phone.page.evaluate(SHOW, [text, []])
        # Large words and buttons stand whole below a slim sheet, which scrolls.
        may_scroll = text == LARGE and least == FINGER
        out, found = phone.page.evaluate(OUT_OF_VIEW, may_scroll)
        phone.picture(f"whole-{game}-{size[0]}-{locale[:2]}-{text}")
        assert out == [], text
        assert found >= least - 0.05, text


IN_VIEW = """() => {
  const { top, bottom } = document.querySelector('.player.selected .paper').getBoundingClientRect();
  const boxes = [...document.querySelectorAll('.player.selected [data-f^="red."] .hit')]
    .map((hit) => hit.getBoundingClientRect());
  return boxes.filter((box) => box.top >= top - 1 && box.bottom <= bottom + 1).length;
}"""
OUTSIDE = """() => [...document.querySelectorAll('.circle')].filter((circle) => {
  const [own, card] = [circle, circle.parentElement].map((part) => part.getBoundingClientRect());
  return own.width && (own.height > card.height || own.width > card.width);
}).length"""


def test_large_text_leaves_the_smallest_phone_its_sheet(open_phone: OpenPhone) -> None:
    """Of Qwixx at least nine numbers of a row, and circles that are smaller than their cards."""
    phone = open_phone(*SMALL, locale="de-DE")
    table = table_of("qwixx", phone, open_phone())
    table.send(CALLS["qwixx"])
    phone.open(table.path)
    phone.page.evaluate(SHOW, [LARGE, []])
    assert phone.page.evaluate(IN_VIEW) >= 9
    phone.open(table_of("freaky", phone, open_phone()).path)
    phone.page.evaluate(SHOW, [LARGE, []])
    phone.tap(".backgrounds .pick >> nth=0")
    expect(phone.see(".deck .circle").first).to_be_visible()
    assert phone.page.evaluate(OUTSIDE) == 0


NOTED: dict[str, tuple[dict[str, Any], ...]] = {
    "qwinto-dice": (
        {"do": "write", "by": "Ben", "row": "yellow", "field": 4},
        {"do": "pass", "by": "Ada"},
        {"do": "pass", "by": "Cleo"},
    ),
    "qwixx": (
        {"do": "cross", "by": "Ben", "row": "red", "number": 7},
        {"do": "pass", "by": "Ada"},
        {"do": "pass", "by": "Cleo"},
        {"do": "pass", "by": "Ada"},
    ),
    "encore": (
        {"do": "pass", "by": "Ben"},
        {"do": "pass", "by": "Ada"},
        {"do": "pass", "by": "Cleo"},
    ),
}


COVERED = """() => {
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true });
  const seen = [...document.querySelectorAll('#toasts .toast, .called')].filter(isSeen);
  const boxes = seen.map((element) => element.getBoundingClientRect());
  const isOver = (one, other) => one.left < other.right - 1 && other.left < one.right - 1 &&
    one.top < other.bottom - 1 && other.top < one.bottom - 1;
  return boxes.flatMap((one, place) => boxes.slice(place + 1)
    .flatMap((other, more) => isOver(one, other)
      ? [`${seen[place].className} lies over ${seen[place + 1 + more].className}`] : []));
}"""


@pytest.mark.parametrize("game", first_of(NOTED, "qwinto-dice"))
def test_a_note_that_stays_hides_no_target(open_phone: OpenPhone, game: str) -> None:
    """Others entered two things for Ben, whose turn it is now: the dice to tap are free."""
    host, phone = open_phone(), open_phone(*UPRIGHT, locale="de-DE", has_touch=True)
    table = table_of(game, host, phone)
    phone.open(table.path)
    table.send(CALLS[game])
    for action in NOTED[game]:
        table.send(action)
    phone.shows_version(table.version)
    expect(phone.see("#toasts .told .noted")).to_contain_text("Ada für dich")
    faults = {}
    for width, height, text in (*USUAL, (1024, 768, "100%")):
        phone.page.set_viewport_size({"width": width, "height": height})
        phone.page.evaluate(SHOW, [text, []])
        phone.picture(f"note-{game}-{width}x{height}-{text}")
        faults[width, height, text] = phone.page.evaluate(MEASURE)["faults"]
        faults[width, height, text] += phone.page.evaluate(COVERED)
    assert {mode: found for mode, found in faults.items() if found} == {}
    phone.understands()
    expect(phone.see("#toasts .told")).to_have_count(0)


def test_notes_of_several_lines_are_read_by_a_tap(open_phone: OpenPhone) -> None:
    host, phone = open_phone(), open_phone(*UPRIGHT)
    table = table_of("qwinto-dice", host, phone)
    phone.open(table.path)
    _enter_for_ben(table, phone, 2, 3)
    _enter_for_ben(table, phone, 6, 6)
    lines = phone.see("#toasts .noted :is(p, li)")
    expect(lines).to_have_count(2)
    expect(lines.first).to_contain_text("wrote 12")
    phone.tap("#toasts .unfold")
    expect(lines.last).to_be_in_viewport(ratio=1)
    phone.tap("#toasts .understood")
    expect(phone.toast).to_have_count(0)


def _enter_for_ben(table: Table, phone: Phone, *dice: int) -> None:
    active = table.host.get(f"{table.path}record.json").json()["actions"]
    by = "Ben" if active else "Ada"
    table.roll(by, orange=dice[0], yellow=dice[1])
    table.write("Ben", "yellow", sum(dice) // 2)
    for player in ("Ada", "Cleo"):
        table.passes(player)
    phone.shows_version(table.version)
