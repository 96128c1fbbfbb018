"""Every page on every screen: nothing to scroll sideways, room for fingers, no axe faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from companion.games.catalog import GAMES
from tests.e2e.fixtures import OpenPhone
from tests.e2e.games import LONG_NAMES, record
from tests.e2e.phones import MENU, TURNS, Phone, Table, make_table, open_record
from tests.kit import random_games

pytestmark = pytest.mark.e2e

SIZES = ((360, 640), (390, 844), (640, 360), (768, 1024), (1024, 768), (1280, 800))
LOCALES = ("en-US", "es-ES", "de-DE")
SCHEMES = ("light", "dark")
TARGET = 44
"""CSS pixels, each way."""
SEED = 31
IN_THE_MIDDLE = 53
"""Actions of the six-player game after which three of them have still to write."""
NAMES = ("Ada", "Ben")
ACTIONS = 25
"""Actions of a random game before it is looked at."""
NO_PAGE = r"the server responded with a status of 404"

Opener = Callable[[Phone], Table | None]


def start_page(phone: Phone) -> None:
    make_table(phone, *LONG_NAMES)
    phone.open()
    phone.tap("details summary")


def lobby(phone: Phone) -> None:
    phone.open(make_table(phone, *LONG_NAMES, start=False).path)


def lobby_with_room(phone: Phone) -> None:
    phone.open(make_table(phone, *LONG_NAMES[:5], start=False).path)


def before_the_roll(phone: Phone) -> None:
    phone.open(make_table(phone, *LONG_NAMES).path)
    expect(phone.see(".die").first).to_be_visible()


def after_the_roll(phone: Phone) -> None:
    table = make_table(phone, *LONG_NAMES)
    table.roll(LONG_NAMES[0], orange=2, yellow=6, purple=5)
    phone.open(table.path)
    expect(phone.see(".f.open:visible").first).to_be_visible()


def in_the_middle(phone: Phone) -> Table:
    table = open_record(phone, record(LONG_NAMES, SEED, most=IN_THE_MIDDLE))
    phone.open(table.path)
    expect(phone.see(".f.open:visible").first).to_be_visible()
    return table


def turns_dialog(phone: Phone) -> None:
    in_the_middle(phone)
    phone.dialog(TURNS).locator("details summary").click()


def edit_roll_dialog(phone: Phone) -> None:
    in_the_middle(phone)
    phone.dialog(TURNS)
    phone.tap(phone.see("#dialog [hx-get*='/turns/']").filter(visible=True).last)
    expect(phone.see("#edit-picker, .dialog-sheet .board").first).to_be_visible()
    phone.tap("[data-editor] form button")
    expect(phone.see("#preview form")).to_be_visible()


def edit_field_dialog(phone: Phone) -> None:
    table = make_table(phone, *LONG_NAMES)
    table.roll(LONG_NAMES[0], yellow=6, purple=5)
    entry = table.write(LONG_NAMES[0], "yellow", 5)
    phone.open(table.path)
    phone.dialog(TURNS)
    phone.tap(f"[hx-get$='/turns/{entry}']")
    expect(phone.see(".dialog-sheet .board")).to_be_visible()


def share_dialog(phone: Phone) -> None:
    """On a phone the menu has its button while a game is played."""
    menu(phone)
    phone.tap("#dialog [hx-post$='/share']")
    expect(phone.see("#dialog svg.qr")).to_be_visible()


def menu(phone: Phone) -> None:
    in_the_middle(phone)
    expect(phone.dialog(MENU).locator(".menu-seats")).to_be_visible()


def end(phone: Phone) -> None:
    phone.open(open_record(phone, record(LONG_NAMES, SEED)).path)
    phone.tap(phone.see(".term").first)


def join(phone: Phone) -> None:
    table = make_table(phone, *LONG_NAMES, start=False)
    table.do("take", seat="1")
    phone.open(table.link())


def error(phone: Phone) -> None:
    phone.expected.append(NO_PAGE)
    phone.open(f"/j/{'x' * 22}")


def toasts(phone: Phone) -> None:
    """A conflict stands over the page, and taps wait for the network."""
    phone.expected.append("net::ERR_|htmx:|status of 4")
    table = make_table(phone, *LONG_NAMES)
    table.roll(LONG_NAMES[0], yellow=6, purple=5)
    phone.open(table.path)
    phone.context.set_offline(True)
    phone.tap(phone.spot(LONG_NAMES[0], "yellow.5"))
    table.passes(LONG_NAMES[0])
    phone.context.set_offline(False)
    expect(phone.toast).to_be_visible()


def pads(phone: Phone) -> None:
    phone.open("/pads?sheet=encore&board=blue&copies=3&players=Ada")


def pads_refused(phone: Phone) -> None:
    phone.open("/pads?sheet=qwinto&copies=0")


PAGES: dict[str, Callable[[Phone], Any]] = {
    opener.__name__: opener
    for opener in (
        start_page,
        lobby,
        lobby_with_room,
        before_the_roll,
        after_the_roll,
        in_the_middle,
        turns_dialog,
        edit_roll_dialog,
        edit_field_dialog,
        share_dialog,
        menu,
        end,
        join,
        error,
        pads,
        pads_refused,
        toasts,
    )
}

FAULTS = """([width, target]) => {
  const faults = [];
  const root = document.documentElement;
  if (root.scrollWidth > width) faults.push(`the page is ${root.scrollWidth} wide`);
  const dialog = document.querySelector('dialog[open]');
  if (dialog && dialog.scrollWidth > dialog.clientWidth)
    faults.push(`the dialog is ${dialog.scrollWidth} wide in ${dialog.clientWidth}`);
  const scrolls = (element) => {
    while ((element = element.parentElement))
      if (['auto', 'scroll'].includes(getComputedStyle(element).overflowX)) return true;
    return false;
  };
  const name = (element) => {
    const own = element.getAttribute('aria-label') ?? element.textContent.trim().slice(0, 30);
    return `${element.tagName.toLowerCase()}.${element.getAttribute('class') ?? ''} "${own}"`;
  };
  // A small sheet takes no taps at its fields: as a whole it is the button that makes it large.
  const isSmall = (field) => {
    const enlarge = field.closest('.player')?.querySelector('.enlarge');
    if (!enlarge || getComputedStyle(field).pointerEvents !== 'none') return false;
    const cover = getComputedStyle(enlarge, '::after');
    return cover.position === 'absolute' && cover.inset === '0px' && cover.content === '""';
  };
  const seen = new Set();
  for (const element of document.querySelectorAll(
    'button, a[href], input:not([type=hidden]), select, textarea, summary, [data-tap]'
  )) {
    if (dialog && !dialog.contains(element)) continue;
    if (element.closest('.visually-hidden, .skip') || element.matches('.skip')) continue;
    // What lies inside a label is as large as the label.
    let target_ = element.closest('label') ?? element;
    target_ = target_.querySelector?.('.hit') ?? target_;
    if (seen.has(target_) || isSmall(target_)) continue;
    seen.add(target_);
    if (!target_.checkVisibility({visibilityProperty: true, opacityProperty: false})) continue;
    const box = target_.getBoundingClientRect();
    const clip = getComputedStyle(element).clipPath;
    if (!box.width || !box.height || clip !== 'none') continue;
    const size = `${box.width.toFixed(1)}×${box.height.toFixed(1)}`;
    if (box.width < target - 0.05 || box.height < target - 0.05)
      faults.push(`${name(element)} is ${size}`);
    if ((box.left < -0.5 || box.right > width + 0.5) && !scrolls(target_))
      faults.push(`${name(element)} reaches from ${box.left.toFixed()} to ${box.right.toFixed()}`);
  }
  // Neighbours must leave each other the room: a field that lies half under another is no target.
  for (const sheet of document.querySelectorAll('svg.sheet')) {
    const hits = [...sheet.querySelectorAll('[data-tap] .hit')]
      .filter((hit) => !isSmall(hit))
      .map((hit) => hit.getBoundingClientRect()).filter((box) => box.width);
    let nearest = Infinity;
    for (const [place, one] of hits.entries())
      for (const other of hits.slice(place + 1))
        nearest = Math.min(nearest, Math.max(
          Math.abs(one.x + one.width / 2 - other.x - other.width / 2),
          Math.abs(one.y + one.height / 2 - other.y - other.height / 2)));
    if (nearest < target - 0.5) faults.push(`fields stand ${nearest.toFixed(1)} apart`);
  }
  return [...new Set(faults)];
}"""


OF_COLOR = ("color-contrast", "link-in-text-block")


def axe_faults(phone: Phone, scheme: str) -> dict[str, tuple[list[Any], int, str]]:
    """What axe finds: where, how often, and why. In the dark only colours differ."""
    options: dict[str, Any] = {"resultTypes": ["violations"]}
    if scheme != SCHEMES[0]:
        options["runOnly"] = {"type": "rule", "values": OF_COLOR}
    found = {}
    for fault in Axe().run(phone.page, options=options).response["violations"]:
        where = [node["target"][0] for node in fault["nodes"]]
        why = fault["nodes"][0]["failureSummary"]
        found[f"{fault['id']} {scheme}"] = (where[:5], len(where), why)
    return found


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("locale", LOCALES)
def test_every_screen(open_phone: OpenPhone, page: str, locale: str) -> None:
    phone = open_phone(*SIZES[0], locale=locale)
    PAGES[page](phone)
    phone.page.evaluate("() => document.fonts.ready")
    faults = {}
    for width, height in SIZES:
        phone.page.set_viewport_size({"width": width, "height": height})
        phone.picture(f"{page}-{width}x{height}-{locale[:2]}")
        faults[f"{width}×{height}"] = phone.page.evaluate(FAULTS, [width, TARGET])
    assert {size: found for size, found in faults.items() if found} == {}


@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing(open_phone: OpenPhone, page: str) -> None:
    phone = open_phone(*SIZES[0])
    PAGES[page](phone)
    found = {}
    for width, height in (SIZES[0], SIZES[4]):
        phone.page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES:
            phone.page.emulate_media(color_scheme=scheme)
            phone.picture(f"{page}-{width}x{height}-{scheme}")
            found |= {f"{width} {fault}": why for fault, why in axe_faults(phone, scheme).items()}
    assert found == {}


@pytest.mark.parametrize("game", sorted(set(GAMES) - {"qwinto-dice"}))
def test_axe_finds_nothing_in_other_games(open_phone: OpenPhone, game: str) -> None:
    """In the middle of a game, where some dice or cards lead nowhere."""
    phone = open_phone(*SIZES[0])
    actions = random_games.some_game(game, SEED, ACTIONS, NAMES)
    table = open_record(phone, random_games.record_of(game, actions, NAMES))
    phone.open(table.path)
    found = {}
    for width, height in (SIZES[2], SIZES[4]):
        phone.page.set_viewport_size({"width": width, "height": height})
        found |= {f"{width} {fault}": why for fault, why in axe_faults(phone, "light").items()}
    assert found == {}
