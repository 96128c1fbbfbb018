"""Phones and tablets around a table, and the table itself, as the tests handle them."""

from __future__ import annotations

import json
import re
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Locator, Page, expect

if TYPE_CHECKING:
    from playwright.sync_api import APIResponse, BrowserContext

NO_NETWORK = r"net::ERR_|^error: htmx:(sendError|afterRequest)"
"""What Chromium and htmx write to the console when a request has no answer."""


@dataclass
class Phone:
    """One browser context with its own cookies, and the page that is open in it."""

    context: BrowserContext
    page: Page
    address: str
    # Patterns of console lines that the test provokes.
    expected: list[str] = field(default_factory=list)
    console: list[str] = field(default_factory=list)
    taps: int = 0  # how often a finger has touched the screen

    # Requests without the page, to set things up

    def get(self, path: str) -> APIResponse:
        return self.context.request.get(f"{self.address}{path}")

    def post(self, path: str, **form: str) -> APIResponse:
        response = self.context.request.post(f"{self.address}{path}", form=form)
        assert response.ok, f"{path}: {response.status} {response.text()[:300]}"
        return response

    # The page

    def open(self, path: str = "/") -> None:
        self.page.goto(f"{self.address}{path}")

    def resize(self, width: int, height: int) -> None:
        self.page.set_viewport_size({"width": width, "height": height})

    def tap(self, target: str | Locator) -> None:
        """One touch of a finger, on what takes taps; on a screen without touch, one click."""
        place = self.page.locator(target) if isinstance(target, str) else target
        self.takes_taps()
        self.taps += 1
        if self.page.evaluate("() => navigator.maxTouchPoints > 0"):
            place.tap()
        else:
            place.click()

    def takes_taps(self) -> None:
        """Waits until the guard lets taps through to what has just come there."""
        expect(self.see("body.guarded")).to_have_count(0)

    def enlarges(self, player: str) -> None:
        """On a tablet: taps the player's small sheet."""
        self.tap(self.sheet(player).locator(".enlarge"))

    def see(self, selector: str) -> Locator:
        return self.page.locator(selector)

    def sheet(self, player: str) -> Locator:
        return self.page.locator(f'.player[data-by="{player}"]')

    def spot(self, player: str, name: str) -> Locator:
        return self.sheet(player).locator(f'[data-f="{name}"]')

    def die(self, color: str, value: int, picker: str = "#dice") -> Locator:
        return self.page.locator(f'{picker} [data-part="dice.{color}"][data-value="{value}"]')

    @property
    def toast(self) -> Locator:
        return self.page.locator("#toasts .toast")

    def understands(self) -> None:
        """Taps away the note that stays; one that is cut off is read first."""
        if self.see("#toasts .unfold").count():
            self.tap("#toasts .unfold")
        self.tap("#toasts .understood")

    @property
    def version(self) -> int:
        return int(self.page.locator("#table").get_attribute("data-version") or "0")

    def shows_version(self, version: int) -> None:
        expect(self.see("#table")).to_have_attribute("data-version", str(version))

    def has_saved_all(self) -> None:
        """Waits until nothing waits on this phone any more."""
        self.page.wait_for_function(
            "() => !Object.entries(localStorage)"
            ".some(([key, taps]) => key.startsWith('taps:') && taps !== '[]')"
        )

    def settles(self, table: Table) -> None:
        """Waits until the page shows all that has happened, and what it taps by itself then."""
        while (self.version, self.waiting()) != (table.version, []):
            self.has_saved_all()
            self.page.wait_for_function(
                "least => Number(document.querySelector('#table').dataset.version) >= least",
                arg=table.version,
            )

    def waiting(self) -> list[dict[str, Any]]:
        """The taps that are kept on this phone until they are saved, as they will be sent."""
        kept = self.page.evaluate(
            "() => Object.entries(localStorage).filter(([key]) => key.startsWith('taps:'))"
            ".flatMap(([, taps]) => JSON.parse(taps))"
        )
        return [item["tap"] for item in kept]

    def dialog(self, opener: str) -> Locator:
        """Opens a dialog by its button, and returns it."""
        self.tap(opener)
        dialog = self.page.locator("#dialog")
        expect(dialog).to_be_visible()
        return dialog

    def edits(self, entry: str) -> None:
        """Opens the correction of an entry, by the row of its turn."""
        turn = (
            self.dialog(TURNS).locator(".turn").filter(has=self.see(f"[hx-get$='/turns/{entry}']"))
        )
        if turn.get_attribute("open") is None:
            self.tap(turn.locator("summary"))
        self.tap(turn.locator(f"[hx-get$='/turns/{entry}']"))

    def undisturbed(self) -> list[str]:
        """The unexpected lines in the console."""
        return [
            line
            for line in self.console
            if not any(re.search(pattern, line) for pattern in self.expected)
        ]


UNDO = "[data-send^='{\"undo\"']"
REDO = "[data-send^='{\"redo\"']"
TURNS = ".bar [hx-get$='/turns']"
SHARE = ".bar [hx-post$='/share']"
MENU = ".bar [hx-get$='/menu']"
OPEN_FIELD = ".f.open"
CLOSE = "#dialog [data-close]"


@dataclass
class Table:
    """A table that was set up without a browser page."""

    id: str
    host: Phone
    players: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"/t/{self.id}/"

    @property
    def version(self) -> int:
        return int(self.host.get(f"{self.path}version").json()["version"])

    @property
    def record(self) -> dict[str, Any]:
        document: dict[str, Any] = self.host.get(f"{self.path}record.json").json()
        return document

    @property
    def actions(self) -> list[dict[str, Any]]:
        actions: list[dict[str, Any]] = self.record["actions"]
        return actions

    def do(self, verb: str, **form: str) -> None:
        self.host.post(f"{self.path}do/{verb}", **form)

    def seat(self, player: str) -> str:
        """The seat's number. Seats are numbered as they were made."""
        return str(self.players.index(player) + 1)

    def tap_without_page(self, **tap: Any) -> str:
        """A tap of the host; returns its id."""
        tap["id"] = uuid.uuid4().hex
        answer = self.host.context.request.post(f"{self.host.address}{self.path}taps", data=tap)
        assert answer.ok, answer.text()
        return str(tap["id"])

    def send(self, action: dict[str, Any]) -> str:
        return self.tap_without_page(action=action)

    def roll(self, player: str, **dice: int) -> str:
        return self.send({"do": "roll", "by": player, "dice": dice})

    def make_final(self, entry: str) -> None:
        """The host says that a call is final."""
        self.tap_without_page(final=entry)

    def write(self, player: str, row: str, place: int) -> str:
        return self.send({"do": "write", "by": player, "row": row, "field": place})

    def passes(self, player: str) -> str:
        return self.send({"do": "pass", "by": player})

    def link(self) -> str:
        """The path of the join link."""
        text = self.host.post(f"{self.path}share").text()
        found = re.search(r"/j/[\w-]+", text)
        assert found, text
        return found.group()

    def join(self, phone: Phone, player: str) -> None:
        """Brings a phone to the table, on a player's seat."""
        phone.post(self.link(), seat=self.seat(player))


def make_table(host: Phone, *players: str, start: bool = True, game: str = "qwinto-dice") -> Table:
    """A table whose seats nobody holds yet; the host's device may write everywhere."""
    answer = host.post("/tables", game=game)
    table = Table(answer.url.rstrip("/").rsplit("/", 1)[-1], host, players)
    colors = ("red", "blue", "green", "yellow", "purple", "orange")
    for player, color in zip(players, colors, strict=False):
        table.do("add", name=player, color=color)
    if start:
        table.do("start")
    return table


def open_record(host: Phone, record: dict[str, Any]) -> Table:
    """A table from a game record, at which this device is the host."""
    raw = json.dumps(record).encode()
    file = {"name": "game.json", "mimeType": "application/json", "buffer": raw}
    answer = host.context.request.post(f"{host.address}/import", multipart={"record": file})
    assert answer.ok, answer.text()
    table_id = answer.url.rstrip("/").rsplit("/", 1)[-1]
    return Table(table_id, host, tuple(record["players"]))
