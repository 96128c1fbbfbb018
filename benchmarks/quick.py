"""Fingers that are faster than the page, in a real Chromium: how much of what they tap arrives."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.fingers import WAITING, Phone
from benchmarks.games import quick_fingers
from benchmarks.report import heading, line
from benchmarks.servers import server
from companion.core.game import Game
from companion.tables.ledger.names import SEAT_COLORS
from lab import browser as chromium

NAMES: Final = ("Ada", "Benjamin", "Charlotte")
SIZES: Final = ((320, 568), (390, 844), (640, 304), (1024, 768))


def run() -> None:
    """Prints how many of the entries are in the record as they were tapped, for each window."""
    heading("quick", "one phone for three players, a touch every 0.2 s", "all of them")
    try:
        with (
            TemporaryDirectory() as folder,
            server.companion(Path(folder) / "app.db") as app,
            chromium.launched() as browser,
        ):
            for game, fingers in quick_fingers():
                for size in SIZES:
                    phone = Phone.made(browser, app.address, size)
                    right = made = 0
                    chance = random.Random(sum(size))
                    while made < fingers.count:
                        path = _table(phone, game)
                        tapped = fingers.tap(phone, chance)
                        entered = fingers.entered(_actions(phone, path))
                        right += sum(
                            want == got for want, got in zip(tapped, entered, strict=False)
                        )
                        made += len(tapped)
                    line(
                        f"{game.title}: {fingers.what}", f"{right} of {made}", "{}×{}".format(*size)
                    )
                    phone.context.close()
    except chromium.NoBrowser as reason:
        print(f"  left out: {reason}")


def _table(phone: Phone, game: Game) -> str:
    """A game that has begun, with all players on one phone; returns the table's address."""
    request = phone.context.request
    path = request.post("/tables", form={"game": game.name}).url
    for name, color in zip(NAMES, SEAT_COLORS, strict=False):
        request.post(f"{path}do/add", form={"name": name, "color": color})
    request.post(f"{path}do/start")
    phone.context.add_init_script("localStorage.setItem('awake-told', 'true')")
    phone.page.goto(path)
    phone.page.locator("main.play").wait_for()
    phone.page.locator("body.guarded").wait_for(state="detached")
    return path


def _actions(phone: Phone, path: str) -> list[dict[str, Any]]:
    phone.page.wait_for_function(f"() => !({WAITING})")
    record: dict[str, Any] = phone.context.request.get(f"{path}record.json").json()
    return list(record["actions"])
