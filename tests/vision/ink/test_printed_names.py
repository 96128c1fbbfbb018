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


def names_in(pad: paper.Pad) -> dict[int, str]:
    (sheet,) = read(jpeg(photo(pad))).sheets
    return dict(sheet.names)


@pytest.mark.skipif(not printing.is_possible(), reason="no program to make PDFs")
@pytest.mark.parametrize(
    ("sheet", "names"),
    [
        ("qwinto", ["Zoë van der Berg-Müller 🎲"]),
        ("tally", ["Tim", "Maximiliane", "Jörg", "Bartholomäus", "Lina", "Anna-Lena"]),
    ],
)
def test_names_are_read_where_they_were_printed(sheet: str, names: list[str]) -> None:
    assert names_in(named(sheet, *names)) == dict(enumerate(names))


def test_an_empty_line_and_handwriting_are_nobody() -> None:
    pad = paper.printed("qwinto")
    assert names_in(pad) == {}
    for x in range(121, 131, 3):
        paper.draw(pad.picture, [(x, 5), (x + 2, 11), (x + 2.5, 5)])
    assert names_in(pad) == {}


def test_a_name_that_is_too_long_for_the_place_has_no_code() -> None:
    pads = geometry.pages_of_order(checked_order("encore", players=["ü" * 16, "ü" * 17])).pages[0]
    assert [name_code(pad) is None for pad in pads] == [False, True]
