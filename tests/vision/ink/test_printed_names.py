"""The code of the names on a pad: drawn, printed, photographed and read, or nobody's."""

from __future__ import annotations

import numpy as np
import pytest

from companion.pads import geometry
from companion.pads import pdf as printing
from companion.pads.name_code import name_code
from companion.pads.order import checked_order
from companion.vision.reading import read
from tests.kit.photos import paper
from tests.kit.photos.taking import jpeg, photo
from training import pdf


def named(sheet: str, *players: str) -> paper.Pad:
    """A pad that was printed with names."""
    printout = geometry.pages_of_order(checked_order(sheet, players=players))
    scale = paper.PX_PER_MM
    page = pdf.pixels(printing.pdf(printout), scale / pdf.POINTS_PER_MM)
    pad = paper.printed(sheet)
    pad.picture = np.ascontiguousarray(pdf.cut_out(page, printout.pages[0][0].box, scale))
    return pad


def names_in(*pads: paper.Pad) -> list[dict[int, str]]:
    """The names on pads that lie below each other in a photo."""
    return [dict(sheet.names) for sheet in read(jpeg(photo(*pads, size=(1800, 2000)))).sheets]


@pytest.mark.skipif(not printing.is_possible(), reason="no program to make PDFs")
def test_names_are_read_where_they_were_printed() -> None:
    names = {
        "qwinto": ["Zoë van der Berg-Müller 🎲"],
        "tally": ["Tim", "Maximiliane", "Jörg", "Bartholomäus", "Lina", "Anna-Lena"],
    }
    pads = [named(sheet, *players) for sheet, players in names.items()]
    assert names_in(*pads) == [dict(enumerate(players)) for players in names.values()]


def test_an_empty_line_and_handwriting_are_nobody() -> None:
    empty, written = paper.printed("qwinto"), paper.printed("qwinto")
    for x in range(121, 131, 3):
        paper.draw(written.picture, [(x, 5), (x + 2, 11), (x + 2.5, 5)])
    assert names_in(empty, written) == [{}, {}]


def test_a_name_that_is_too_long_for_the_place_has_no_code() -> None:
    pads = geometry.pages_of_order(checked_order("encore", players=["ü" * 16, "ü" * 17])).pages[0]
    assert [name_code(pad) is None for pad in pads] == [False, True]
