"""Phones in a real Chromium, tapped by a finger: taps are counted, changes of screens are timed.

A script in each page notes the moment at which the finger is lifted, and the first frame after the
page's elements have changed. Pages of one browser share a clock, so the time until another phone
has changed is the difference of two such moments.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from benchmarks.report import Seconds

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

SIZE: Final = (360, 640)  # the window of the smallest phone, in CSS pixels
WAIT_MS: Final = 15_000  # limit of the wait for a screen to change
SENDING_MS: Final = 300  # limit of the wait for a tap to be kept for sending

WATCH: Final = """(() => {
  const seen = window.screenChanges = { lifted: 0, own: 0, versions: [] };
  addEventListener('pointerup', (event) => {
    seen.lifted = performance.timeOrigin + event.timeStamp;
    seen.own = 0;
  }, true);
  const version = () => Number(document.querySelector('#table')?.dataset.version ?? 0);
  new MutationObserver(() => {
    const { lifted } = seen;
    requestAnimationFrame(() => {
      const at = performance.timeOrigin + performance.now();
      if (lifted === seen.lifted && !seen.own) seen.own = at;
      if (seen.versions.at(-1)?.[0] !== version()) seen.versions.push([version(), at]);
    });
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
})()"""

WAITING: Final = """Object.entries(localStorage)
  .some(([key, taps]) => key.startsWith('taps:') && taps !== '[]')"""
IS_SENT: Final = f"""(before) => {WAITING}
  || Number(document.querySelector('#table').dataset.version) > before"""
SHOWS: Final = """(newest) =>
  window.screenChanges.versions.some(([known]) => known >= newest)"""
SHOWN_AT: Final = """(before) =>
  window.screenChanges.versions.find(([known]) => known > before)[1]"""


@dataclass
class Phone:
    """A phone with its page, and what a person has done on it."""

    context: BrowserContext
    page: Page
    taps: int = 0
    keys: int = 0

    @classmethod
    def made(cls, browser: Browser, address: str, size: tuple[int, int] = SIZE) -> Phone:
        """A phone that has never seen the app."""
        from lab.devices import HANDHELD

        window = {"width": size[0], "height": size[1]}
        context = browser.new_context(base_url=address, viewport=window, **HANDHELD)
        context.add_init_script(WATCH)
        context.set_default_timeout(WAIT_MS)
        return cls(context, context.new_page())

    def tap(self, selector: str, index: int = 0) -> None:
        self.taps += 1
        self.page.locator("body.guarded").wait_for(state="detached")
        self.page.locator(selector).nth(index).tap()

    def touches(self, places: Iterable[tuple[float, float]], pause: Seconds) -> None:
        """Touches one place after the other in a fixed rhythm, whatever the page shows."""
        finger = self.context.new_cdp_session(self.page)
        at = time.monotonic()
        for x, y in places:
            at += pause
            time.sleep(max(0.0, at - time.monotonic()))
            for kind, points in (("touchStart", [{"x": x, "y": y}]), ("touchEnd", [])):
                finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def place(self, selector: str) -> tuple[float, float]:
        """The middle of an element, in CSS pixels of the window."""
        box = self.page.locator(selector).first.bounding_box()
        assert box is not None, selector
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def stroke(self, selectors: Iterable[str]) -> None:
        """Draws a finger over elements, looking up each first, and lifts it: one touch."""
        self.taps += 1
        finger = self.context.new_cdp_session(self.page)
        kind = "touchStart"
        for selector in selectors:
            x, y = self.place(selector)
            finger.send(
                "Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]}
            )
            kind = "touchMove"
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def type(self, text: str) -> None:
        """Types into the field that has the focus, and confirms with the keyboard's own key."""
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")
        self.keys += len(text) + 1

    @property
    def version(self) -> int:
        return int(self.page.locator("#table").get_attribute("data-version") or "0")


@dataclass
class Hands:
    """Everybody at a table, each with a phone; taps them and measures the screens."""

    phones: Mapping[str, Phone]
    """Player → the phone, in the order of the seats."""
    chance: random.Random
    own: list[Seconds] = field(default_factory=list)
    """From a lifted finger until the phone's own screen changes."""
    others: list[Seconds] = field(default_factory=list)
    """From a lifted finger until another phone's screen has changed."""

    def tap(self, player: str, selector: str, index: int = 0) -> None:
        """Taps, and waits until all screens show it."""
        self._touch(player, lambda phone: phone.tap(selector, index))

    def stroke(self, player: str, selectors: Iterable[str]) -> None:
        """Draws a finger over elements, and waits until all screens show it."""
        self._touch(player, lambda phone: phone.stroke(selectors))

    def _touch(self, player: str, touch: Callable[[Phone], None]) -> None:
        phone = self.phones[player]
        before = phone.version
        touch(phone)
        phone.page.wait_for_function("() => window.screenChanges.own > 0")
        lifted, own = phone.page.evaluate("() => [screenChanges.lifted, screenChanges.own]")
        self.own.append((own - lifted) / 1000)
        if not self._is_sent(phone, before):
            return
        # One touch may be two taps, such as a roll and its first crossing.
        phone.page.wait_for_function(f"() => !({WAITING})")
        newest = phone.context.request.get(f"{phone.page.url}version").json()["version"]
        for other in self.phones.values():
            other.page.wait_for_function(SHOWS, arg=newest)
            if other is not phone:
                self.others.append((other.page.evaluate(SHOWN_AT, before) - lifted) / 1000)

    def _is_sent(self, phone: Phone, before: int) -> bool:
        """Whether the last tap goes to the server; some only choose what a later one sends."""
        from playwright.sync_api import TimeoutError as NotSent

        try:
            phone.page.wait_for_function(IS_SENT, arg=before, timeout=SENDING_MS)
        except NotSent:
            return False
        return True

    def tap_any(self, player: str, selector: str) -> None:
        self.tap(player, selector, self.chance.randrange(self.count(player, selector)))

    def count(self, player: str, selector: str) -> int:
        return self.phones[player].page.locator(selector).count()

    def value(self, player: str, selector: str, script: str) -> Any:
        return self.phones[player].page.locator(selector).evaluate(script)

    def taps(self, player: str = "") -> int:
        return sum(one.taps for name, one in self.phones.items() if player in ("", name))

    @property
    def active(self) -> str:
        """The active player; "" when the game is over."""
        page = next(iter(self.phones.values())).page
        if page.locator("#table").get_attribute("data-phase") == "over":
            return ""
        return page.locator(".player.active").first.get_attribute("data-by") or ""


# A turn of a game, tapped

FIELD: Final = ".player.selected .f.open"
PASS: Final = ".player.selected .pass:visible"
PASSES: Final = 0.2  # the share of choices in which a player who could write passes


def may_write_or_pass(hands: Hands, player: str) -> bool:
    """Whether the player's page offers a field or a button for passing."""
    return bool(hands.count(player, FIELD) or hands.count(player, PASS))


def write_or_pass(hands: Hands, player: str) -> None:
    """Taps one of the lit fields, or passes."""
    passes = hands.count(player, PASS)
    if not hands.count(player, FIELD) or (passes and hands.chance.random() < PASSES):
        hands.tap(player, PASS)
    else:
        hands.tap_any(player, FIELD)


@dataclass(frozen=True)
class TappedTurn:
    """How a turn of a game is tapped."""

    roll: Callable[[Hands, str], None]  # taps the dice on the active player's phone
    aim: str
    counted: str = "of a turn"
    # Whether the active player's taps count, with the others' beside them.
    is_of_active: bool = False
    switched: tuple[str, ...] = ()  # the table's settings that are switched on
    size: tuple[int, int] = SIZE  # width and height of the phones' windows, in CSS pixels
    # Whether a player has something to do.
    may_act: Callable[[Hands, str], bool] = may_write_or_pass
    act: Callable[[Hands, str], None] = write_or_pass


@dataclass(frozen=True)
class QuickFingers:
    """Taps on one phone for all, faster than the page is redrawn."""

    what: str
    tap: Callable[[Phone, random.Random], list[object]]  # on a new table; returns what was meant
    entered: Callable[[list[dict[str, Any]]], list[object]]  # the same from the record's actions
    count: int = 40  # how often at least, on as many tables as it takes
