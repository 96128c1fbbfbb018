#!/usr/bin/env python
"""Takes the README's picture anew: `.venv/bin/python tools/make-pictures.py`, after `make test`."""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PIL import Image, ImageDraw  # noqa: E402
from playwright.sync_api import Browser  # noqa: E402

from tests.e2e.games import record  # noqa: E402
from tests.e2e.phones import Phone, open_record  # noqa: E402
from tests.kit import browser, play  # noqa: E402
from tests.kit.devices import PLAIN  # noqa: E402
from tests.kit.servers import server  # noqa: E402

PICTURE: Final = ROOT / "docs" / "pictures" / "play.png"
WIDTH, HEIGHT, GAP, ROUND = 432, 792, 22, 24
"""Of a phone in the picture, in pixels; between two; of its corners."""
AROUND: Final = "#d8cec0"
VIEW: Final = {"width": 390, "height": 715}
PLAYERS: Final = ("Ada", "Ben", "Carla")


def main() -> None:
    running = server.started(Path(tempfile.mkdtemp()))
    try:
        with browser.launched() as chromium:
            shown = [
                _qwinto(_phone(chromium, running.address)),
                _encore(_phone(chromium, running.address)),
                _end(_phone(chromium, running.address, "dark")),
            ]
    finally:
        running.stop()
    picture = Image.new("RGB", (3 * WIDTH + 4 * GAP, HEIGHT + 2 * GAP), AROUND)
    mask = Image.new("L", (4 * WIDTH, 4 * HEIGHT))
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, 4 * WIDTH, 4 * HEIGHT), 4 * ROUND, 255)
    for place, raw in enumerate(shown):
        phone = Image.open(io.BytesIO(raw)).convert("RGB").resize((WIDTH, HEIGHT), Image.LANCZOS)
        picture.paste(phone, (GAP + place * (WIDTH + GAP), GAP), mask.resize((WIDTH, HEIGHT)))
    picture.quantize(256, kmeans=4, dither=Image.Dither.NONE).save(PICTURE, optimize=True)


def _phone(chromium: Browser, address: str, scheme: str = "light") -> Phone:
    context = chromium.new_context(
        viewport=VIEW,  # type: ignore[arg-type]
        color_scheme=scheme,  # type: ignore[arg-type]
        locale="en-US",
        device_scale_factor=3,
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
    )
    context.add_init_script("localStorage.setItem('awake-told', 'true')")
    phone = Phone(context, context.new_page(), address)
    phone.open(PLAIN)
    return phone


def _shot(phone: Phone) -> bytes:
    phone.see(".handed").wait_for(state="detached")
    phone.page.evaluate("() => document.fonts.ready")
    return phone.page.screenshot()


def _qwinto(phone: Phone) -> bytes:
    """Ben has rolled; fields that take the sum glow."""
    table = open_record(phone, record(PLAYERS, 5, most=36))
    for player in PLAYERS:
        if table.record["actions"][-1]["do"] != "next":
            table.host.context.request.post(
                f"{phone.address}{table.path}taps",
                data={"id": f"pass-{player}-1", "action": {"do": "pass", "by": player}},
            )
    phone.open(table.path)
    if phone.see(".called.none").count():
        phone.tap(phone.die("yellow", 4))
        phone.tap(phone.die("purple", 5))
        phone.see(".called strong").get_by_text("9").wait_for()
    return _shot(phone)


def _encore(phone: Phone) -> bytes:
    """Ada has rolled; the boxes that any two dice reach are framed."""
    *actions, _ = play.some_game("encore", 6, 61, PLAYERS)
    actions.append({"do": "roll", "by": "Ada", "told": False})
    phone.open(open_record(phone, play.record_of("encore", actions, PLAYERS)).path)
    return _shot(phone)


def _end(phone: Phone) -> bytes:
    """The podium, and below it the winner's sheet and what each row counts."""
    phone.open(open_record(phone, record(PLAYERS, 31)).path)
    return _shot(phone)


if __name__ == "__main__":
    main()
