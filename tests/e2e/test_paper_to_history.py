"""From a printed pad, a pen and a photo to the winner in the history, with nothing left out.

The photo is read by the app's own reader; `test_photo` has the pages with a stand-in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from playwright.sync_api import expect

from companion.core.values import Document
from companion.games.catalog import SHEETS
from tests.e2e.conftest import OpenPhone
from tests.e2e.phones import Phone
from tests.kit import paper

pytestmark = pytest.mark.e2e

QWINTO: Document = {
    "sheet": "qwinto",
    "orange": [None, 5, None, None, 10, 13, None, 17, None],
    "yellow": [2, 3, 7, 8, 10, 11, 12, 15, 16],
    "purple": [2, 4, None, 6, 7, None, 9, 11, None],
    "failed": 2,
}
ENCORE: Document = {
    "sheet": "encore",
    "board": "blue",
    "crossed": ["H1", "H2", "H3", "H4", "H5", "H6", "H7", "G4", "F4"],
    "jokers_used": 2,
    "columns": {"H": "first"},
    "colors": {},
}
TALLY: Document = {
    "sheet": "tally",
    "players": ["1", "2"],
    "rounds": [[12, 30], [7, 4]],
}


def less(document: Document) -> Document:
    """Another player's sheet, which is worth less."""
    if document["sheet"] == "qwinto":
        return {**document, "yellow": [None, *document["yellow"][1:]]}
    return {**document, "crossed": ["H4"], "columns": {}}


def photographed(*documents: Document) -> bytes:
    pads = [
        paper.filled(
            document["sheet"],
            SHEETS[document["sheet"]].filled(document).marks,
            document.get("board", ""),
            seed,
        )
        for seed, document in enumerate(documents)
    ]
    return paper.jpeg(paper.photo(*pads, turn=8, tilt=0.2, size=(2400, 2000), blur=1.0))


def read(phone: Phone, raw: bytes) -> None:
    phone.open()
    phone.tap(".by-photo")
    file: Mapping[str, object] = {"name": "a.jpg", "mimeType": "image/jpeg", "buffer": raw}
    phone.page.locator("[data-photo][capture]").first.set_input_files(file)  # type: ignore[arg-type]
    expect(phone.see("#review")).to_be_visible()
    expect(phone.see("#reading")).to_have_count(0)
    expect(phone.page.locator(".trouble")).to_have_count(0)


def show(phone: Phone, sheet: int) -> None:
    tab = phone.see(f"#tab-{sheet}")
    if tab.get_attribute("aria-current") != "true":
        phone.tap(tab)
    expect(tab).to_have_attribute("aria-current", "true")


def named(phone: Phone, *names: str) -> None:
    for sheet, name in enumerate(names, start=1):
        show(phone, sheet)
        field = phone.see(f"#name-{sheet}-0")
        field.fill(name)
        field.press("Enter")
        expect(phone.see(f"#tab-{sheet}")).to_contain_text(name)


def looked_at(phone: Phone) -> None:
    """Whatever the reader is unsure of is as it says."""
    cards = phone.page.locator(".check-card")
    for left in range(cards.count(), 0, -1):
        phone.tap(cards.first.locator("button").first)
        expect(cards).to_have_count(left - 1)


def saved(phone: Phone, winner: str, total: str) -> None:
    expect(phone.see("#totals-title")).to_have_text(re.compile(f"{winner} wins"))
    phone.tap(".finish .primary")
    expect(phone.see(".podium h2")).to_have_text(f"{winner} wins")
    expect(phone.see(".ranking .winner .total")).to_have_text(total)


def test_qwinto(open_phone: OpenPhone) -> None:
    phone = open_phone(360, 640)
    read(phone, photographed(QWINTO, less(QWINTO)))
    named(phone, "Ada", "Ben")
    phone.tap(phone.see(".which").get_by_role("button", name="Qwinto", exact=True))
    show(phone, 1)
    expect(phone.see(".review-terms .sum b")).to_have_text("43")
    phone.tap(phone.see('.reading a[data-field="yellow.9"]'))
    phone.tap(phone.see("#dialog .pad-number").get_by_role("button", name="18"))
    expect(phone.see("#dialog")).to_be_hidden()
    looked_at(phone)
    saved(phone, "Ada", "45")


def test_encore(open_phone: OpenPhone) -> None:
    phone = open_phone(768, 1024)
    read(phone, photographed(ENCORE, less(ENCORE)))
    named(phone, "Ada", "Ben")
    total = SHEETS["encore"].filled(ENCORE).score["total"]
    show(phone, 1)
    expect(phone.see(".review-terms .sum b")).to_have_text(str(total).replace("-", "−"))
    phone.tap(phone.see('.reading a[data-field="joker.3"]'))
    expect(phone.see(".review-terms .sum b")).to_have_text(str(total - 1).replace("-", "−"))
    looked_at(phone)
    saved(phone, "Ada", str(total - 1).replace("-", "−"))


def test_tally(open_phone: OpenPhone) -> None:
    phone = open_phone(360, 640)
    read(phone, photographed(TALLY))
    for place, name in enumerate(("Ada", "Ben")):
        field = phone.see(f"#name-1-{place}")
        field.fill(name)
        field.press("Enter")
        expect(phone.see(".ranking")).to_contain_text(name)
    phone.tap(phone.see('.reading a[data-field="round.2.player.2"]'))
    for digit in ("back", "5"):
        phone.tap(f"#dialog [data-digit='{digit}']")
    phone.tap("#dialog .digit-pad .primary")
    expect(phone.see("#dialog")).to_be_hidden()
    looked_at(phone)
    saved(phone, "Ben", "35")
