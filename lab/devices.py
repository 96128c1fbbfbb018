"""Phones, tablets and computers in one Chromium, wiped between two tests instead of recreated.

A new browser context costs more than most tests do with it: a process, every script compiled, every
font decoded. So a context that a test has finished with goes to the next one, with no cookie, no
storage, no route and no page of the last test in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin

from playwright.sync_api import Error

from lab.patience import PATIENCE

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, WebError

HANDHELD: Final[dict[str, Any]] = {
    "has_touch": True,
    "is_mobile": True,
    "device_scale_factor": 2,
    "locale": "en-US",
    # Without a graphics card every frame of an animation costs processor time, on each open page.
    "reduced_motion": "reduce",
}
"""A phone of somebody who wants no motion; a test of motion asks for it."""
MOST_IDLE: Final = 6  # contexts kept for the next test; each holds a process
PLAIN: Final = "/static/icon.svg"
"""A page of the server's without a script or a cookie, from which its storage is wiped."""
FORGET: Final = """() => {
  localStorage.clear();
  sessionStorage.clear();
  localStorage.setItem('awake-told', 'true');
}"""
"""Wipes all storage; only the note that the screen stays on has been shown, which would stand for
seconds over what a test looks at."""


@dataclass
class Device:
    """A browser context with one page, and what is written to its console."""

    context: BrowserContext
    page: Page
    options: dict[str, Any]
    is_lasting: bool  # whether another test gets it
    console: list[str] = field(default_factory=list)

    def heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.console.append(f"{message.type}: {message.text} ({message.location.get('url')})")

    def failed(self, error: WebError) -> None:
        self.console.append(f"uncaught: {error.error}")


class Devices:
    """Hands out devices, and takes them back."""

    def __init__(self, browser: Browser) -> None:
        self._browser: Final = browser
        self._idle: Final[list[Device]] = []

    def take(
        self, address: str, width: int, height: int, *, throw_away: bool = False, **more: Any
    ) -> Device:
        """A device that has never been at `address` and shows a plain page of it.

        Further arguments go to the browser context.

        Args:
            throw_away: for what a context cannot forget: `add_init_script`, `expose_function`.
        """
        options = {**HANDHELD, **more}
        device = None if throw_away else self._known(options)
        device = device or self._made(options, not throw_away)
        device.page.set_viewport_size({"width": width, "height": height})
        _wipe(device, address)
        device.console = []
        return device

    def give_back(self, device: Device) -> None:
        """Leaves its page, and keeps the device for the next test where it can be wiped."""
        if not (device.is_lasting and _has_left(device)):
            device.context.close()
            return
        self._idle.append(device)
        while len(self._idle) > MOST_IDLE:
            self._idle.pop(0).context.close()

    def close(self) -> None:
        while self._idle:
            self._idle.pop().context.close()

    def _known(self, options: dict[str, Any]) -> Device | None:
        found = next((known for known in self._idle[::-1] if known.options == options), None)
        if found is not None:
            self._idle.remove(found)
        return found

    def _made(self, options: dict[str, Any], is_lasting: bool) -> Device:
        context = self._browser.new_context(**options)
        context.set_default_timeout(PATIENCE * 1000)
        device = Device(context, context.new_page(), options, is_lasting)
        context.on("console", device.heard)
        context.on("weberror", device.failed)
        return device


def _wipe(device: Device, address: str) -> None:
    motion = device.options["reduced_motion"]
    device.page.emulate_media(media="screen", color_scheme="light", reduced_motion=motion)
    plain = f"{address}{PLAIN}"
    if device.page.url != plain:
        device.page.goto(plain)
    device.page.evaluate(FORGET)
    device.context.clear_cookies()


def _has_left(device: Device) -> bool:
    """Goes to the plain page of the same server; False when that runs no more.

    Any other page, even an empty one, would cost a new process there and another one back here.
    """
    for page in device.context.pages:
        if page != device.page:
            page.close()
    device.context.unroute_all(behavior="ignoreErrors")
    device.page.unroute_all(behavior="ignoreErrors")
    try:
        # What still waits to be sent is forgotten before the device is online again.
        device.page.evaluate(FORGET)
        device.context.set_offline(False)
        device.page.goto(f"{urljoin(device.page.url, '/').rstrip('/')}{PLAIN}")
    except Error:
        return False
    return True
