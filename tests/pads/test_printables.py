"""The ready-made PDFs are all there, and as new as what they are made from."""

from __future__ import annotations

import json

import pytest

from companion.folders import PRINTABLES
from companion.games.catalog import SHEETS
from companion.pads import geometry, printables, weasyprint
from companion.pads.papers import PAPERS
from tests.kit import pdf as kit

MOST_BYTES = 100_000
"""Of one file; all of them come with every copy of the repository."""
ORDERS = {printables.file_name(order): order for order in printables.orders()}


def test_they_are_as_new_as_their_source() -> None:
    had = json.loads(printables.SOURCE.read_text(encoding="utf-8"))
    assert had == printables.hashes(), "older than the drawing: make printables"


def test_the_page_around_the_drawing_counts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    before = printables.hashes()
    whole = weasyprint.html
    monkeypatch.setattr(weasyprint, "html", lambda *given: whole(*given) + "<!-- new -->")
    after = printables.hashes()
    assert all(after[name] != before[name] for name in ORDERS)


def test_there_is_one_for_every_pad_and_paper_and_no_other() -> None:
    pads = sum(len(sheet.every_board) for sheet in SHEETS.values())
    assert len(ORDERS) == pads * len(PAPERS)
    assert {path.name for path in PRINTABLES.glob("*.pdf")} == set(ORDERS)


@pytest.mark.parametrize("name", ORDERS)
def test_each_is_a_small_whole_pdf_of_one_page(name: str) -> None:
    raw = (PRINTABLES / name).read_bytes()
    assert len(raw) <= MOST_BYTES
    page = geometry.pages_of_order(ORDERS[name]).page
    assert kit.page_sizes(raw) == [pytest.approx((page.width, page.height), abs=0.3)]
    assert not kit.has_pictures(raw)
    assert all(kit.fonts(raw).values())
