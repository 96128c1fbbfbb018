"""Steady places: no target moves, is covered or small.

Each step of a turn is measured in several sizes of the window and of the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from lab.wide import first_of, wide
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import REDO, UNDO, Phone, Table, make_table
from tests.e2e.screens import (
    LYING,
    SMALL,
    TABLET,
    UPRIGHT,
    Size,
    measured,
    show,
)

pytestmark = pytest.mark.e2e

Mode = tuple[int, int, str]  # width and height of the window, and the size of the text

BASE: Mode = (*UPRIGHT, "100%")
SIZES = (UPRIGHT, (360, 560), LYING, TABLET)
ALL: tuple[Mode, ...] = tuple((*size, text) for size in SIZES for text in ("100%", "150%"))
USUAL: tuple[Mode, ...] = (BASE, (*LYING, "150%"))
PLAYERS = ("Ada", "Ben", "Cleo")

PRESSED = 1.5  # pixels by which a button gives way under a finger

MEASURE = """
  const faults = [], targets = {};
  const name = (element) => {
    const { part, value, slot, tap, tab, f, send, swap, turn } = element.dataset;
    const around = element.closest('[data-player]')?.dataset.by ?? '';
    const picker = element.closest('[data-picker]')?.id ?? '';
    const own = f ?? tab ?? (value && `${part} ${value}`) ?? slot ?? tap ?? swap ?? turn ?? send;
    return [around, picker, own ?? (element.id || element.className)].join(' ').trim();
  };
  const scrollers = (element) => {
    const found = [];
    for (let up = element.parentElement; up; up = up.parentElement)
      if (getComputedStyle(up).overflowY !== 'visible') found.push(up.getBoundingClientRect());
    return found;
  };
  const lit = [];
  for (const element of document.querySelectorAll('button, a[href], summary, .f.open')) {
    if (element.disabled || !isSeen(element) || element.closest('.skip')) continue;
    const { clipPath, pointerEvents } = getComputedStyle(element);
    const sheet = element.matches('.enlarge') && element.closest('.player');
    const box = (sheet || element.querySelector('.hit') || element).getBoundingClientRect();
    if (!box.width || pointerEvents === 'none' || clipPath !== 'none') continue;
    const which = name(element);
    if (Math.min(box.width, box.height) < least(element) - 0.1)
      faults.push(`${which} is ${box.width.toFixed(1)}×${box.height.toFixed(1)}`);
    const isScrolled = !scrollers(element).every((frame) => isIn(box, frame));
    if (element.matches('.f')) lit.push(isIn(box) && !isScrolled);
    if (isScrolled) continue;
    if (!isIn(box)) {
      faults.push(`${which} is out of view`);
      continue;
    }
    const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    if (!element.contains(top) && !top?.closest('.f.pending, .handed')) {
      const what = top ? `${top.tagName}.${top.getAttribute('class') ?? ''}` : 'nothing';
      faults.push(`${which} is covered by ${what}`);
    }
    targets[which] = [box.x, box.y].map(Math.round);
  }
  const seen = (selector) => [...document.querySelectorAll(selector)]
    .filter(isSeen).map((element) => [name(element), element.getBoundingClientRect()]);
  for (const [failed, low] of seen('.pass.failed'))
    for (const [die, box] of seen('.call [data-part]')) {
      const beside = Math.max(low.left - box.right, box.left - low.right);
      const gap = Math.max(beside, low.top - box.bottom, box.top - low.bottom);
      if (gap < 12) faults.push(`${die} is ${gap.toFixed(1)} from ${failed}`);
    }
  if (lit.length && !lit.includes(true)) faults.push(`none of ${lit.length} lit fields is in view`);
  const wide = document.documentElement.scrollWidth;
  if (wide > innerWidth) faults.push(`the page is ${wide} wide`);
  return { faults, targets };
"""


def away(one: list[float], other: list[float]) -> float:
    return max(abs(here - there) for here, there in zip(one, other, strict=True))


SCROLLED = (
    "() => [...document.querySelectorAll('.paper, .players, .call, #rows')].map(e => e.scrollTop)"
)


class Steady:
    """A phone on which each step is measured and compared with the step before.

    Each size of window and text keeps its own place of what scrolls, as if it were played there.
    """

    def __init__(self, phone: Phone, table: Table, modes: tuple[Mode, ...]) -> None:
        self.phone = phone
        self.table = table
        self.modes = (*(mode for mode in modes if mode != BASE), BASE)
        """The turn is played in the last one, which stays until the tap."""
        self.faults: dict[tuple[str, Mode], list[str]] = {}
        self.targets: dict[Mode, dict[str, list[float]]] = {}
        self.places: dict[Mode, list[float]] = {}

    def measure(self, step: str) -> None:
        self.phone.settles(self.table)
        self.places[BASE] = self.phone.page.evaluate(SCROLLED)
        for mode in self.modes:
            width, height, text = mode
            show(self.phone, (width, height), text, self.places.get(mode, ()))
            found: dict[str, Any] = measured(self.phone, MEASURE)
            before = self.targets.get(mode, {})
            moved = [
                f"{name} moves from {before[name]} to {place}"
                for name, place in found["targets"].items()
                if name in before and away(before[name], place) > PRESSED
            ]
            if faults := found["faults"] + moved:
                self.faults[step, mode] = faults[:6]
            self.targets[mode] = found["targets"]
            self.places[mode] = self.phone.page.evaluate(SCROLLED)


def table_of(game: str, host: Phone, other: Phone) -> Table:
    """A table whose first and third player are at the host's phone, the second at another one."""
    table = make_table(host, *PLAYERS, game=game, start=False)
    table.do("take", seat="1")
    table.join(other, "Ben")
    table.do("start")
    return table


Step = tuple[str, str]  # the name of a step, and the selector of the element that is tapped


def dice(**values: int) -> Iterator[Step]:
    for part, value in values.items():
        yield part, f'#dice [data-part="dice.{part}"][data-value="{value}"]'


def a_turn_of_dice() -> Iterator[Step]:
    yield from dice(orange=4, yellow=5)
    yield "again", ".reroll"
    yield "second orange", '#reroll [data-part="dice.orange"][data-value="1"]'
    yield "second yellow", '#reroll [data-part="dice.yellow"][data-value="6"]'
    yield "final", ".final"
    yield "wrong row", '.player.selected [data-f="purple.3"]'
    yield "write", ".player.selected .f.open >> nth=4"
    yield "Cleo passes", ".player.selected .pass"


def a_turn_of_cards() -> Iterator[Step]:
    for card in ("o4", "y3", "p1"):
        yield f"deal {card}", f'#deal [data-value="{card}"]'
    yield "twice", '#deal [data-value="p1"]'
    yield "deal g-2", '#deal [data-value="g-2"]'
    yield "place", '#lay .place[data-value="tl"]'
    yield "lay", '#lay [data-value="o5"]'
    yield "second place", '#second .place[data-value="tr"]'
    yield "second", '#second [data-value="y5"]'
    yield "second back", ".laid"
    yield "back", ".laid"
    yield "place again", '#lay .place[data-value="tl"]'
    yield "lay again", '#lay [data-value="o5"]'
    yield "final", ".final"
    yield "write", ".player.selected .f.open >> nth=2"
    yield "Cleo passes", ".player.selected .pass"


def a_turn_of_boxes() -> Iterator[Step]:
    for part, values in (("colors", ("red", "red", "joker")), ("numbers", (1, 3, "joker"))):
        for number, value in enumerate(values):
            yield f"{part} {number}", f'#dice [data-part="{part}.+"][data-value="{value}"]'
    choice = ".player.selected .encore-picker"
    yield "joker", f'{choice} [data-part="color_die"][data-value="joker"]'
    yield "any", f'{choice} [data-part="number_die"][data-value="joker"]'
    yield "box", ".player.selected .f.open >> nth=0"
    yield "next box", ".player.selected .f.open >> nth=0"
    yield "Cleo passes", ".player.selected .pass"


def a_turn_of_crosses() -> Iterator[Step]:
    for part in ("white.0", "white.1"):
        yield part, f'#dice [data-part="{part}"][data-value="3"]'
    yield "cross", ".player.selected .f.open >> nth=0"
    yield "Cleo passes", ".player.selected .pass"
    yield "colored", ".next"


def a_turn_of_lines() -> Iterator[Step]:
    for number, face in enumerate((2, 2, 3, 3, 6)):
        yield f"die {number}", f'#dice [data-value="{face}"]'
    yield "line", ".player.selected .f.open >> nth=0"


def card_of(name: str) -> Iterator[Step]:
    background = name.partition("/")[0]
    yield f"{background}", f'.backgrounds [data-value="{background}"]'
    yield name.replace("/", " "), f'.deck [data-value="{name}"]'


def a_turn_of_rows() -> Iterator[Step]:
    for card in ("red/red/3", "blue/blue/3", "red/green/3"):
        yield from card_of(card)
    for card in ("red/purple/4", "red/purple/5", "red/purple/6"):
        yield from card_of(card)
        yield f"{card[-1]} row", '#play [data-part="row"][data-value="1"]'
    yield "take", "#rows .take >> nth=0"
    yield "draw", ".does .primary"


TURNS: dict[str, Callable[[], Iterator[Step]]] = {
    "qwinto-dice": a_turn_of_dice,
    "qwinto-cards": a_turn_of_cards,
    "encore": a_turn_of_boxes,
    "qwixx": a_turn_of_crosses,
    "freaky": a_turn_of_rows,
    "kniffel": a_turn_of_lines,
}


@pytest.mark.parametrize("game", first_of(TURNS, "qwinto-dice", "encore"))
@pytest.mark.parametrize(
    ("locale", "modes"),
    [("de-DE", USUAL), *(wide(locale, ALL) for locale in ("de-DE", "en-US", "es-ES"))],
    ids=["de", "de-all", "en-all", "es-all"],
)
def test_a_turn_stands_still(
    open_phone: OpenPhone, game: str, locale: str, modes: tuple[Mode, ...]
) -> None:
    phone = open_phone(*BASE[:2], locale=locale, has_touch=True)
    phone.expected.append("status of 422")
    table = table_of(game, phone, open_phone())
    if game == "encore":
        table.do("all_dice", all_dice="on")
    phone.open(table.path)
    steady = Steady(phone, table, modes)
    steady.measure("start")
    for step, target in TURNS[game]():
        # While a name lies over the sheet, the driver would scroll to get at a field.
        expect(phone.page.locator(".handed:visible")).to_have_count(0)
        phone.tap(target)
        steady.measure(step)
    assert steady.faults == {}
    expect(phone.see(".hint.says")).to_be_visible()


CARDS = {"tl": "o4", "tr": "y3", "bl": "p1", "br": "g-2"}
CALLS: dict[str, dict[str, Any]] = {
    "qwinto-dice": {"do": "roll", "by": "Ada", "dice": {"orange": 4, "yellow": 5}},
    "qwinto-cards": {"do": "deal", "grid": CARDS},
    "encore": {"do": "roll", "by": "Ada", "colors": ["blue"] * 3, "numbers": [1, 2, 3]},
    "qwixx": {"do": "roll", "by": "Ada", "white": [3, 4]},
}
CALLS["qwixx"]["dice"] = dict.fromkeys(("red", "yellow", "green", "blue"), 1)

NOTED = (
    {"do": "write", "by": "Ben", "row": "yellow", "field": 4},
    {"do": "pass", "by": "Ada"},
    {"do": "pass", "by": "Cleo"},
)


COVERED = """
  const seen = [...document.querySelectorAll('#toasts .toast, .called')].filter(isSeen);
  const pairs = seen.flatMap((one, at) => seen.slice(at + 1).map((other) => [one, other]));
  const bleeding = [...document.querySelectorAll('#toasts .toast')]
    .filter((note) => !isIn(box('.noted', note), note.getBoundingClientRect()));
  return pairs.filter((pair) => isOver(...pair.map((one) => one.getBoundingClientRect())))
    .map(([one, other]) => `${one.className} lies over ${other.className}`)
    .concat(bleeding.map((note) => `the words of ${note.className} leave it`));
"""


def test_a_note_that_stays_hides_no_target(open_phone: OpenPhone) -> None:
    """Others entered two things for Ben, whose turn it is now: the dice to tap are free."""
    host, phone = open_phone(), open_phone(*UPRIGHT, locale="de-DE", has_touch=True)
    table = table_of("qwinto-dice", host, phone)
    phone.open(table.path)
    for action in (CALLS["qwinto-dice"], *NOTED):
        table.send(action)
    phone.shows_version(table.version)
    expect(phone.see("#toasts .by-others .noted")).to_contain_text("Ada für dich")
    faults = {}
    for width, height, text in (*USUAL, (360, 560, "150%"), (*TABLET, "100%")):
        show(phone, (width, height), text)
        found = measured(phone, MEASURE)["faults"] + measured(phone, COVERED)
        faults[width, height, text] = found
    phone.page.evaluate(
        "document.querySelector('#toasts .by-others p').textContent = 'Donnerstag '.repeat(20)"
    )
    for size in (SMALL, (360, 560)):
        show(phone, size)
        faults[*size, "a long note"] = measured(phone, COVERED)
    assert {mode: found for mode, found in faults.items() if found} == {}
    phone.understands()
    expect(phone.see("#toasts .by-others")).to_have_count(0)


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
        faults = measured(phone, MEASURE)["faults"]
        assert [fault for fault in faults if "bar-" in fault or "tab" in fault] == []
    expect(phone.see(UNDO)).to_have_count(1)
    phone.has_saved_all()
    assert [action["do"] for action in table.actions] == ["roll", "pass"]
