"""wkhtmltopdf's factor is right to a hundredth of a millimetre, as its own PDF shows."""

from __future__ import annotations

import pypdfium2
import pytest

from companion.games.catalog import SHEETS
from companion.pads import geometry, order, pdf, wkhtmltopdf
from companion.pads.papers import PAPERS
from tests.kit.pdf import MM_PER_INCH

LINE = 0.2
"""The width of a cut mark's line, in millimetres, by which PDFium takes a path to be wider."""


def cut_marks(raw: bytes) -> list[float]:
    """The left, lower, right and upper edge of the first path beside the page's white ground."""
    with pypdfium2.PdfDocument(raw) as document:
        paths = (path.get_bounds() for path in document[0].get_objects())
        return [edge / 72 * MM_PER_INCH for edge in next(box for box in paths if box[0] > 1)]


@pytest.mark.skipif(wkhtmltopdf.executable() is None, reason="no wkhtmltopdf here")
@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("sheet", SHEETS)
def test_the_factor_is_right(sheet: str, paper: str) -> None:
    printout = geometry.pages_of_order(order.checked_order(sheet, paper=paper))
    left, lower, right, upper = cut_marks(pdf.pdf(printout, engine=wkhtmltopdf.NAME))
    xs = [x for x1, _, x2, _ in printout.cuts for x in (x1, x2)]
    ys = [y for _, y1, _, y2 in printout.cuts for y in (y1, y2)]
    assert (left + LINE, right - LINE) == pytest.approx((min(xs), max(xs)), abs=0.01)
    assert upper - lower - 2 * LINE == pytest.approx(max(ys) - min(ys), abs=0.01)
