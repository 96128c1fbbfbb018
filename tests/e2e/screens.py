"""Checks of every page: nothing to scroll sideways, room for fingers, no axe faults."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe

from lab.wide import wide
from tests.e2e.phones import Phone

Size = tuple[int, int]

UPRIGHT: Size = (360, 640)
LYING: Size = (640, 360)
TABLET: Size = (1024, 768)
SMALL: Size = (320, 568)
SIZES: tuple[Size, ...] = (
    SMALL,
    UPRIGHT,
    (360, 560),
    (390, 844),
    LYING,
    (768, 1024),
    TABLET,
    (1280, 800),
)
SCHEMES = ("light", "dark")
TARGET = 44  # CSS pixels, each way

each_locale = pytest.mark.parametrize("locale", ["de-DE", wide("en-US"), wide("es-ES")])
"""German, with the longest words, always; the others with `--wide`."""

PRELUDE = f"""
  const box = (selector, root = document) => root.querySelector(selector)?.getBoundingClientRect();
  const boxes = (selector, root = document) =>
    [...root.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
  const screen = {{ top: 0, left: 0, right: innerWidth, bottom: innerHeight }};
  const isIn = (one, frame = screen) => one.top >= frame.top - 1.5 && one.left >= frame.left - 1.5
    && one.bottom <= frame.bottom + 1.5 && one.right <= frame.right + 1.5;
  const isOver = (one, other) => one.left < other.right - 1 && other.left < one.right - 1 &&
    one.top < other.bottom - 1 && other.top < one.bottom - 1;
  const isSeen = (element) => element.checkVisibility({{ visibilityProperty: true }});
  // As `stage.js` has them.
  const least = (element) => {{
    if (element.closest('.f.costs')) return 22;
    if (element.closest('.f')) return element.closest('.encore') ? 22 : 26;
    const text = document.documentElement.style.fontSize || '100%';
    const isUpright = innerWidth < 600 && innerHeight > innerWidth && innerWidth >= 360;
    return isUpright && text === '100%' ? {TARGET} : 32;
  }};
"""
"""Helpers for scripts that measure: boxes of elements, and the least size of targets."""


def measured(phone: Phone, script: str, given: object = None) -> Any:
    """The result of a script that has `PRELUDE` before it, and a value as `given`."""
    return phone.page.evaluate(f"async (given) => {{ {PRELUDE} {script} }}", given)


def show(phone: Phone, size: Size, text: str = "100%", places: Sequence[float] = ()) -> None:
    """Sets the sizes of window and text, and scrolls a table's boxes to these places."""
    phone.resize(*size)
    phone.page.evaluate(SHOW, [text, places])


SHOW = """([text, places]) => {
  document.documentElement.style.fontSize = text;
  const scrollers = document.querySelectorAll('.paper, .players, .call, #rows');
  for (const [at, scroller] of scrollers.entries()) scroller.scrollTop = places[at] ?? 0;
  dispatchEvent(new Event('resize'));
}"""

CUT = """
  // Words and numbers that their own box cuts off. A name may be longer than any tab.
  for (const one of document.querySelectorAll('.play :is(button, .called, .face, .chip, .tag)')) {
    if (!isSeen(one) || one.matches('.enlarge')) continue;
    const [wide, below] = [one.scrollWidth - one.clientWidth, one.scrollHeight - one.clientHeight];
    // What is centered in too low a box leaves it at the top, too, where nothing scrolls to it.
    const tops = [...one.children]
      .filter((inner) => inner.checkVisibility() && getComputedStyle(inner).clipPath === 'none')
      .map((inner) => one.getBoundingClientRect().top - inner.getBoundingClientRect().top);
    const high = Math.max(below, ...tops);
    if (one.clientWidth && Math.max(wide, high) > 2)
      faults.push(`${one.className} "${one.textContent.trim()}" is cut by ${wide}×${high}`);
  }
"""
"""Adds to `faults` what is cut off at a table."""

FAULTS = (
    "const faults = [], width = given;"
    + CUT
    + """
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
  const isCover = (enlarge) => {
    const cover = getComputedStyle(enlarge, '::after');
    return cover.position === 'absolute' && cover.inset === '0px' && cover.content === '""';
  };
  const isSmall = (field) => {
    const enlarge = field.closest('.player')?.querySelector('.enlarge');
    return enlarge && getComputedStyle(field).pointerEvents === 'none' && isCover(enlarge);
  };
  const seen = new Set();
  for (const element of document.querySelectorAll(
    'button, a[href], input:not([type=hidden]), select, textarea, summary, [data-tap]'
  )) {
    if (dialog && !dialog.contains(element)) continue;
    if (element.closest('.visually-hidden, .skip') || element.matches('.skip')) continue;
    // What lies inside a label is as large as the label.
    let target_ = element.closest('label') ?? element;
    if (element.matches('.enlarge') && isCover(element)) target_ = element.closest('.player');
    target_ = target_.querySelector?.('.hit') ?? target_;
    if (seen.has(target_) || isSmall(target_)) continue;
    seen.add(target_);
    if (!isSeen(target_) || getComputedStyle(element).clipPath !== 'none') continue;
    const { left, right, width: wide, height: high } = target_.getBoundingClientRect();
    if (!wide || !high) continue;
    if (Math.min(wide, high) < least(element) - 0.05)
      faults.push(`${name(element)} is ${wide.toFixed(1)}×${high.toFixed(1)}`);
    if ((left < -0.5 || right > width + 0.5) && !scrolls(target_))
      faults.push(`${name(element)} reaches from ${left.toFixed()} to ${right.toFixed()}`);
  }
  // Neighbours must leave each other the room: a field that lies half under another is no target.
  for (const sheet of document.querySelectorAll('svg.sheet')) {
    const hit = '[data-tap]:not(.costs) .hit';
    const targets = [...sheet.querySelectorAll(hit)].filter((hit) => !isSmall(hit));
    const hits = targets.map((hit) => hit.getBoundingClientRect()).filter((box) => box.width);
    let nearest = Infinity;
    for (const [place, one] of hits.entries())
      for (const other of hits.slice(place + 1))
        nearest = Math.min(nearest, Math.max(
          Math.abs(one.x + one.width / 2 - other.x - other.width / 2),
          Math.abs(one.y + one.height / 2 - other.y - other.height / 2)));
    if (nearest < Math.min(...targets.map(least)) - 0.5)
      faults.push(`fields stand ${nearest.toFixed(1)} apart`);
  }
  return [...new Set(faults)];
"""
)


AXE = Axe().axe_script
NAMES = "label-content-name-mismatch"
"""A rule that axe checks on request only: people who use voice control say a button's text."""
OF_COLOR = ("color-contrast", "link-in-text-block")


def axe_options(scheme: str) -> dict[str, Any]:
    """The options for axe. Only colours differ in the dark."""
    options: dict[str, Any] = {"resultTypes": ["violations"], "rules": {NAMES: {"enabled": True}}}
    if scheme != SCHEMES[0]:
        options["runOnly"] = {"type": "rule", "values": OF_COLOR}
    return options


def axe_faults(phone: Phone, scheme: str) -> dict[str, tuple[list[Any], int, str]]:
    """Axe's findings: where, how often, and why."""
    options = axe_options(scheme)
    if not phone.page.evaluate("() => 'axe' in globalThis"):
        phone.page.evaluate(AXE)
    found = {}
    for fault in phone.page.evaluate("options => axe.run(options)", options)["violations"]:
        where = [node["target"][0] for node in fault["nodes"]]
        why = fault["nodes"][0]["failureSummary"]
        found[f"{fault['id']} {scheme}"] = (where[:5], len(where), why)
    return found


def faults_at(phone: Phone, *sizes: Size) -> dict[str, list[str]]:
    """Size of the window → what is too small, cut off or too near to another target there."""
    found = {}
    for width, height in sizes:
        phone.resize(width, height)
        found[f"{width}×{height}"] = measured(phone, FAULTS, width)
    return {where: faults for where, faults in found.items() if faults}


class Look(NamedTuple):
    """A language, and the sizes of the window in which a page is measured and axe looks at it."""

    locale: str
    sizes: tuple[Size, ...]
    axe: tuple[Size, ...]
    schemes: tuple[str, ...] = SCHEMES

    def faults(self, phone: Phone) -> dict[str, Any]:
        """Size of the window → what is wrong with the page that the phone shows."""
        phone.page.evaluate("() => document.fonts.ready")
        found: dict[str, Any] = faults_at(phone, *self.sizes)
        for width, height in self.axe:
            phone.resize(width, height)
            for scheme in self.schemes:
                phone.page.emulate_media(color_scheme=scheme)
                found[f"axe {width}×{height} {scheme}"] = axe_faults(phone, scheme)
        return {where: faults for where, faults in found.items() if faults}


each_look = pytest.mark.parametrize(
    "look",
    [
        Look("de-DE", (SMALL, LYING), axe=(UPRIGHT,), schemes=SCHEMES[:1]),
        wide(Look("en-US", SIZES, axe=(UPRIGHT, TABLET))),
        wide(Look("es-ES", SIZES, axe=(UPRIGHT,))),
        wide(Look("de-DE", SIZES, axe=())),
    ],
    ids=["de", "en-all", "es-all", "de-all"],
)
