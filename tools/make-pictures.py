#!/usr/bin/env python
"""Takes the README's pictures: `.venv/bin/python tools/make-pictures.py`, after `make test`."""

from __future__ import annotations

import io
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PIL import Image, ImageDraw  # noqa: E402
from playwright.sync_api import Browser  # noqa: E402

from benchmarks.photos.tables import simulate  # noqa: E402
from lab import browser, play  # noqa: E402
from lab.devices import PLAIN  # noqa: E402
from lab.games import SARAH, document  # noqa: E402
from tests.e2e.fixtures import served  # noqa: E402
from tests.e2e.phones import Phone, open_record  # noqa: E402
from tests.e2e.record import test_paper_to_history as on_paper  # noqa: E402

PICTURES: Final = ROOT / "docs" / "pictures"
PHOTO: Final = (948, 790)
"""The size of the photo of the sheets in its picture, in pixels: the picture itself can be read."""
WIDTH, HEIGHT, GAP, ROUND = 432, 792, 22, 24
"""Of a phone in the picture, in pixels; between two; of its corners."""
TABLE: Final = 12  # seed of the photographed table
KNIFFEL_TURNS: Final = (
    ([6, 6, 6, 2, 1], "sixes"),
    ([1, 2, 3, 4, 6], "small-straight"),
    ([4, 4, 4, 1, 6], "fours"),
    ([2, 2, 5, 6, 6], "chance"),
    ([1, 1, 1, 3, 5], "ones"),
    ([2, 3, 4, 5, 6], "large-straight"),
    ([2, 3, 4, 6, 6], "kniffel"),
)
AROUND: Final = "#d8cec0"
VIEW: Final = {"width": 390, "height": 715}
PLAYERS: Final = ("Ada", "Ben", "Carla")
OTHER: Final = document(
    orange=[3, None, 6, None, 9, 12, None, None, 18],
    yellow=[None, 4, None, 7, 9, None, 13, 14, None],
    purple=[1, None, 5, 8, None, 10, 11, None, 16],
    failed=1,
)


def main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as running,
        browser.launched() as chromium,
    ):
        play = [
            _qwinto(_phone(chromium, running.address)),
            _encore(_phone(chromium, running.address)),
            _end(_phone(chromium, running.address, "dark")),
        ]
        others = [
            _kniffel(_phone(chromium, running.address)),
            _rounds(_phone(chromium, running.address)),
        ]
        sheets = on_paper.photographed(SARAH, OTHER)
        review = _review(_phone(chromium, running.address), sheets)
        ruled = simulate(TABLE).jpeg
        table = _table(_phone(chromium, running.address), ruled)
    _save_small(play, "play.png")
    _save_small(others, "games.png")
    _beside([(sheets, PHOTO), (review, (WIDTH, HEIGHT))]).save(PICTURES / "photo.jpg", quality=88)
    _beside([(ruled, _within(ruled)), (table, (WIDTH, HEIGHT))]).save(
        PICTURES / "table.jpg", quality=88
    )


def _save_small(shots: Sequence[bytes], name: str) -> None:
    """Phones beside each other, in 256 colours."""
    shown = _beside([(raw, (WIDTH, HEIGHT)) for raw in shots])
    few = shown.quantize(256, kmeans=4, dither=Image.Dither.NONE)
    few.save(PICTURES / name, optimize=True)


def _within(raw: bytes) -> tuple[int, int]:
    """The size of a photo in the place of `PHOTO`."""
    width, height = Image.open(io.BytesIO(raw)).size
    scale = min(PHOTO[0] / width, PHOTO[1] / height)
    return round(width * scale), round(height * scale)


def _beside(shown: Sequence[tuple[bytes, tuple[int, int]]]) -> Image.Image:
    """Pictures in their sizes beside each other, with round corners."""
    wide = GAP + sum(size[0] + GAP for _, size in shown)
    picture, x = Image.new("RGB", (wide, HEIGHT + 2 * GAP), AROUND), GAP
    for raw, (width, height) in shown:
        mask = Image.new("L", (4 * width, 4 * height))
        ImageDraw.Draw(mask).rounded_rectangle((0, 0, *mask.size), 4 * ROUND, 255)
        part = Image.open(io.BytesIO(raw)).convert("RGB").resize((width, height), Image.LANCZOS)
        picture.paste(part, (x, GAP + (HEIGHT - height) // 2), mask.resize((width, height)))
        x += width + GAP
    return picture


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
    table = open_record(phone, play.some_record(PLAYERS, 236, 36))
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
    phone.open(open_record(phone, play.record_of(PLAYERS, actions, "encore")).path)
    return _shot(phone)


def _kniffel(phone: Phone) -> bytes:
    """Ada has rolled; each open line shows the points of the dice."""
    actions: list[dict[str, object]] = []
    for dice, field in KNIFFEL_TURNS:
        for player in PLAYERS:
            actions.append({"do": "roll", "by": player, "dice": dice})
            actions.append({"do": "write", "by": player, "field": field})
    actions.append({"do": "roll", "by": PLAYERS[0], "dice": [3, 3, 5, 5, 5]})
    phone.open(open_record(phone, play.record_of(PLAYERS, actions, "kniffel")).path)
    return _shot(phone)


def _rounds(phone: Phone) -> bytes:
    """Four rounds of a game by its title; Ben's points are typed."""
    rounds = ((12, 7, 0), (4, 21, 9), (-2, 5, 33), (18, 11, 6), (5,))
    actions = [
        {"do": "points", "by": player, "points": points}
        for points_of_round in rounds
        for player, points in zip(PLAYERS, points_of_round, strict=False)
    ]
    record = play.record_of(PLAYERS, actions, "rounds")
    record["options"] |= {"title": "Skyjo", "lowest": True, "to": 100}
    phone.open(open_record(phone, record).path)
    for key in "12":
        phone.tap(f".player.selected .keys [data-key='{key}']")
    return _shot(phone)


def _table(phone: Phone, photo: bytes) -> bytes:
    """The table of a photo, read, with its players: it asks for a number."""
    on_paper.read(phone, photo)
    on_paper.named(phone, *PLAYERS)
    phone.page.evaluate("() => document.fonts.ready")
    return phone.page.screenshot()


def _end(phone: Phone) -> bytes:
    """The podium, and below it the winner's sheet and what each row counts."""
    phone.open(open_record(phone, play.some_record(PLAYERS, 924)).path)
    return _shot(phone)


def _review(phone: Phone, sheets: bytes) -> bytes:
    """The sheets of a photo, read and named: who has won, and a card for each."""
    on_paper.read(phone, sheets)
    on_paper.named(phone, "Ada", "Ben")
    on_paper.looked_at(phone)
    phone.page.get_by_role("button", name="Qwinto", exact=True).tap()
    phone.see("#totals-title").scroll_into_view_if_needed()
    phone.page.evaluate("() => document.fonts.ready")
    return phone.page.screenshot()


if __name__ == "__main__":
    main()
