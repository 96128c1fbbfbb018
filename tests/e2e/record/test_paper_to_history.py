"""From a printed pad, a pen and a photo to the winner in the history, with nothing left out.

The photo is read by the app's own reader; `test_photo` has the pages with a stand-in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
from playwright.sync_api import expect

from companion.core.sheet import AnySheetKind, FilledSheet, Mark
from companion.core.values import Document
from companion.games.catalog import GAMES, SHEETS
from lab import sheets
from lab.photos import paper, taking
from lab.wide import first_of
from tests.e2e.fixtures import OpenPhone
from tests.e2e.phones import Phone

pytestmark = pytest.mark.e2e


def photographed(*documents: Document) -> bytes:
    pads = []
    for seed, document in enumerate(documents):
        filled = SHEETS[document["sheet"]].filled(document)
        pads.append(paper.filled(filled.kind.name, filled.marks, filled.board, seed))
    return taking.jpeg(taking.photo(*pads, turn=8, tilt=12, size=(2400, 2000), blur=1.2))


def read(phone: Phone, raw: bytes) -> None:
    phone.open()
    phone.tap(".by-photo")
    # The page is there with its scripts, which send what is chosen.
    phone.page.locator("[data-photo]").first.wait_for(state="attached")
    phone.page.wait_for_load_state()
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
    """Types the names of all sheets or columns, one after the other."""
    for place, name in enumerate(names):
        expect(phone.see(".name-card.asked")).to_contain_text(str(place + 1))
        field = phone.see("#new-name")
        field.fill(name)
        field.press("Enter")
        expect(phone.see(".ranking")).to_contain_text(name)


def looked_at(phone: Phone) -> None:
    """Every mark that the reader is unsure of is confirmed as read."""
    cards = phone.page.locator(".check-card")
    while cards.count():
        card = phone.page.locator(f"[id='{cards.first.get_attribute('id')}']")
        phone.tap(card.locator("button").first)
        expect(card).to_have_count(0)


def saved(phone: Phone, winner: str, total: str) -> None:
    expect(phone.see("#totals-title")).to_have_text(re.compile(f"{winner} wins"))
    phone.tap(".finish .primary")
    expect(phone.see(".podium h2")).to_have_text(f"{winner} wins")
    expect(phone.see(".ranking .winner .total")).to_have_text(total)


def change(phone: Phone, kind: AnySheetKind, field: str, mark: Mark) -> None:
    """Puts a mark into a field of the sheet that is shown, by hand."""
    phone.tap(phone.see(f'.reading a[data-field="{field}"]'))
    what = next(f.kind for f in kind.paper(kind.usual_board).fields if f.id == field)
    if what == "number":
        phone.tap(phone.see("#dialog .pad-number").get_by_role("button", name=str(mark)))
    if what in ("digits", "points"):
        for digit in ("back", *str(mark)):
            phone.tap(f"#dialog [data-digit='{digit}']")
        phone.tap("#dialog .digit-pad .primary")
    expect(phone.see("#dialog")).to_be_hidden()


@pytest.mark.parametrize("sheet", first_of(SHEETS, "tally"))
def test_every_sheet(open_phone: OpenPhone, sheet: str) -> None:
    kind, papers = SHEETS[sheet], sheets.papers_of(SHEETS[sheet])
    board = kind.every_board[-1]
    best = sheets.written(kind, board)
    phone = open_phone(360, 640)
    if kind.sharing:
        read(phone, photographed(best))
        players = [player for player, _ in kind.filled(best).by_player]
        names = ["Ada", "Ben", "Cleo"][: len(players)]
        named(phone, *names)
        phone.tap(phone.see(".sheet-card").first)
    else:
        read(phone, photographed(best, papers.less(best)))
        names = ["Ada", "Ben"]
        named(phone, *names)
        phone.tap(phone.see(".sheet-card").last)
        show(phone, 1)
        expect(phone.see(".review-terms .sum b")).to_have_text(shown(kind.filled(best)))
    games = [game for game in GAMES.values() if game.sheet is kind]
    if any(game.stands_for_any for game in games):
        phone.tap(phone.see(".game-asked .choice").filter(has_text=games[0].title).first)
        phone.tap(".game-asked form button")
        expect(phone.see("#game-asked-settled")).to_contain_text(games[0].title)
    elif len(games) > 1:
        phone.tap(phone.see(".which").get_by_role("button", name=games[0].title, exact=True))
    field_name, mark = papers.CHANGE
    change(phone, kind, field_name, mark)
    changed = kind.marked(board, {**kind.filled(best).marks, field_name: mark})
    if kind.sharing:
        parts = [part for _, part in changed.named(names).by_player]
    else:
        expect(phone.see(".review-terms .sum b")).to_have_text(shown(changed))
        parts = [changed, kind.filled(papers.less(best))]
    looked_at(phone)
    winner = max(range(len(names)), key=lambda place: parts[place].score["total"])
    saved(phone, names[winner], shown(parts[winner]))


def shown(sheet: FilledSheet) -> str:
    """The total as pages show it."""
    return str(sheet.score["total"]).replace("-", "−")
