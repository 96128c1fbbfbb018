"""The names that are printed on a pad: of those that are known, the right one or none."""

from __future__ import annotations

import numpy as np
import pytest

from companion.games.catalog import SHEETS
from companion.pads import geometry
from companion.pads import pdf as printing
from companion.pads.order import checked_order
from companion.vision.reading import read
from tests.kit.photos import paper
from tests.kit.photos.taking import jpeg, photo
from tests.kit.wide import wide
from training import pdf

KNOWN = ("Ada", "Adam", "Lena", "Lina", "Jörg", "Tim", "Tom", "Maximiliane")


def named(sheet: str, *players: str) -> paper.Pad:
    """A pad that was printed with names."""
    board = SHEETS[sheet].usual_board
    order = checked_order(sheet, board=board or None, players=players)
    sheaf = geometry.sheaf(order)
    scale = paper.PX_PER_MM
    page = pdf.pixels(printing.pdf(sheaf), scale / pdf.POINTS_PER_MM)
    pad = paper.printed(sheet, board)
    pad.picture = np.ascontiguousarray(pdf.cut_out(page, sheaf.pages[0][0].box, scale))
    return pad


def names_in(taken: bytes, *known: str) -> dict[int, str]:
    (sheet,) = read(taken, names=known).sheets
    return dict(sheet.names)


@pytest.mark.skipif(not printing.is_possible(), reason="no program to make PDFs")
@pytest.mark.parametrize("name", ["Lena", wide("Jörg")])
def test_a_printed_name_is_known(name: str) -> None:
    pad = named("qwinto", name)
    taken = jpeg(photo(pad))
    assert names_in(taken, *KNOWN) == {0: name}
    # Nobody is meant whose name is but like it.
    others = [other for other in KNOWN if other != name]
    assert names_in(taken, *others, "Lene", "Lenz", "Jorg", "Jörn") == {}
    # Whoever strikes a name out does not play on the pad.
    paper.draw(pad.picture, [(66, 9), (82, 8)])
    assert names_in(jpeg(photo(pad)), *KNOWN) == {}


@pytest.mark.skipif(not printing.is_possible(), reason="no program to make PDFs")
def test_names_over_the_columns_of_a_shared_pad_are_known() -> None:
    assert names_in(jpeg(photo(named("tally", "Tim", "Lina"))), *KNOWN) == {0: "Tim", 1: "Lina"}


def test_an_empty_line_and_handwriting_are_nobody() -> None:
    pad = paper.printed("qwinto")
    assert names_in(jpeg(photo(pad)), *KNOWN) == {}
    for x in (69, 72, 75):
        paper.draw(pad.picture, [(x, 6), (x + 2, 10), (x + 2.5, 6)])
    assert names_in(jpeg(photo(pad)), *KNOWN) == {}
