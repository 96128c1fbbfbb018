"""A build of wkhtmltopdf that prints in another size is noticed, and corrected where it can be."""

from __future__ import annotations

import pytest

from companion.core.sheet import Box
from companion.games.catalog import SHEETS
from companion.pads import geometry, order, pdf, weasyprint, wkhtmltopdf
from companion.pads.check import first_line_box, largest_offset
from companion.pads.engines import WrongSize
from companion.pads.page_svg import svg
from companion.pads.papers import PAPERS
from tests.kit import pdf as kit
from tests.kit.wide import first_of

PROGRAM = wkhtmltopdf.executable() or ""
pytestmark = pytest.mark.skipif(not PROGRAM, reason="no wkhtmltopdf here")


@pytest.fixture(autouse=True)
def _forget() -> None:
    wkhtmltopdf.measured_factors.clear()


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("sheet", SHEETS)
def test_the_known_factor_is_right(sheet: str, paper: str) -> None:
    """To a hundredth of a millimetre, read from the drawing commands themselves."""
    sheaf = geometry.sheaf(order.checked_order(sheet, paper=paper))
    found = first_line_box(pdf.pdf(sheaf, engine=wkhtmltopdf.NAME))
    assert found is not None
    assert largest_offset(found, sheaf.frame) < 0.01
    assert wkhtmltopdf.measured_factors == {}


@pytest.mark.parametrize("wrong", [0.768, 0.99, 1.003])
def test_another_factor_is_measured(monkeypatch: pytest.MonkeyPatch, wrong: float) -> None:
    sheaf = geometry.sheaf(order.checked_order("qwinto"))
    right = wkhtmltopdf.factor(sheaf.page)
    monkeypatch.setattr(wkhtmltopdf, "factor", lambda page: right * wrong)
    found = first_line_box(pdf.pdf(sheaf, engine=wkhtmltopdf.NAME))
    assert found is not None
    assert largest_offset(found, sheaf.frame) < 0.02
    assert list(wkhtmltopdf.measured_factors.values()) == [pytest.approx(right, rel=2e-4)]


def test_a_build_that_prints_elsewhere_is_refused() -> None:
    sheaf = geometry.sheaf(order.checked_order("qwinto"))
    frame = Box(sheaf.frame.x + 1, sheaf.frame.y, sheaf.frame.width, sheaf.frame.height)
    with pytest.raises(WrongSize, match="true size"):
        wkhtmltopdf.pdf(svg(sheaf), sheaf.page, PROGRAM, frame)


UNREADABLE = [None, Box(0, 0, 0, 9), Box(0, 0, 0.1, 9), Box(0, 0, 9000, 9)]


@pytest.mark.parametrize("found", first_of(UNREADABLE, UNREADABLE[0]), ids=str)
def test_a_first_line_that_is_not_found_or_no_line_is_refused(
    monkeypatch: pytest.MonkeyPatch, found: Box | None
) -> None:
    monkeypatch.setattr(wkhtmltopdf, "first_line_box", lambda raw: found)
    sheaf = geometry.sheaf(order.checked_order("tally"))
    with pytest.raises(WrongSize, match="true size"):
        pdf.pdf(sheaf, engine=wkhtmltopdf.NAME)
    if weasyprint.is_installed():
        assert b"WeasyPrint" in kit.inside(pdf.pdf(sheaf))
    monkeypatch.setattr(weasyprint, "is_installed", lambda: False)
    with pytest.raises(WrongSize, match="true size"):
        pdf.pdf(sheaf)


def test_then_the_other_engine_steps_in(monkeypatch: pytest.MonkeyPatch) -> None:
    if not weasyprint.is_installed():
        pytest.skip("no WeasyPrint here")
    monkeypatch.setattr(wkhtmltopdf, "TOLERANCE", -1.0)
    sheaf = geometry.sheaf(order.checked_order("tally"))
    assert b"WeasyPrint" in kit.inside(pdf.pdf(sheaf))
    with pytest.raises(WrongSize):
        pdf.pdf(sheaf, engine=wkhtmltopdf.NAME)
