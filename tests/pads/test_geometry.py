"""Pads on a page, before anything is drawn: their room, order, fields and markers."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import cv2
import pytest

from companion.core import markers
from companion.core.markers import DICTIONARY
from companion.core.sheet import AnySheetKind, Box
from companion.fitting import width
from companion.games.catalog import SHEETS
from companion.games.tally.layout import NUMBER_WIDTH
from companion.pads import aruco, geometry, lettering, order, padmap
from companion.pads.geometry import Printout
from companion.pads.languages import in_english
from companion.pads.papers import MARGIN, PAPERS
from lab import pdf
from lab.layouts import LEAST, grown
from lab.photos.paper import PX_PER_MM, printed
from lab.sheets import KINDS, inside, overlap

ALL = pytest.mark.parametrize(
    ("sheet", "board", "paper"),
    [(kind.name, board, paper) for kind, board in KINDS for paper in PAPERS],
)


def pages_of_order(
    sheet: str = "qwinto", board: str = "", paper: str = "a4", **more: Any
) -> Printout:
    return geometry.pages_of_order(order.checked_order(sheet, board=board, paper=paper, **more))


def apart(box: Box, other: Box, gap: float) -> bool:
    return not overlap(grown(box, gap), other)


def within(inner: Box, outer: Box, gap: float) -> bool:
    return inside(inner, grown(outer, -gap))


@ALL
def test_pads_lie_on_the_page_beside_each_other(sheet: str, board: str, paper: str) -> None:
    made = pages_of_order(sheet, board, paper)
    page = Box(0, 0, made.page.width, made.page.height)
    (pads,) = made.pages
    for pad in pads:
        assert within(pad.box, page, MARGIN)
    for pad, other in combinations(pads, 2):
        assert apart(pad.box, other.box, 0)
    edge = 6.4 if paper == "letter" else 5
    assert within(made.ruler, page, edge), "printers reach no further"
    assert all(apart(made.ruler, pad.box, 0.4) for pad in pads)
    for x1, y1, x2, y2 in made.cuts:
        mark = Box(min(x1, x2), min(y1, y2), abs(x1 - x2), abs(y1 - y2))
        assert 0.5 - LEAST <= mark.width + mark.height <= geometry.CUT + LEAST
        assert within(mark, page, edge)
        assert apart(mark, made.ruler, 0.4)
        assert all(apart(mark, pad.box, 0) for pad in pads)


@pytest.mark.parametrize(("kind", "board"), KINDS)
def test_the_names_code_has_white_paper_around_it(kind: AnySheetKind, board: str) -> None:
    code = grown(kind.paper(board).code, 0.6)
    pad = pdf.cut_out(printed(kind.name, board).picture, code, PX_PER_MM)
    assert pad.min() > 250


@ALL
def test_markers_stand_in_the_corners(sheet: str, board: str, paper: str) -> None:
    for pad in pages_of_order(sheet, board, paper).pages[0]:
        assert [marker.corner for marker in pad.markers] == list(markers.CORNERS)
        for marker in pad.markers:
            assert marker.box.width == marker.box.height >= 8
            assert within(marker.box, pad.box, markers.QUIET)
            assert (marker.box.center[0] < pad.box.center[0]) == ("left" in marker.corner)
            assert (marker.box.center[1] < pad.box.center[1]) == ("top" in marker.corner)


@ALL
def test_the_map_is_the_sheets_own_description_moved(sheet: str, board: str, paper: str) -> None:
    """One geometry: minus the pad's place, the map is the layout of the screen."""
    made = pages_of_order(sheet, board, paper)
    paper_of_sheet = SHEETS[sheet].paper(board)
    layout = paper_of_sheet.layout
    columns = [(pad, right) for pad in made.pages[0] for right in paper_of_sheet.columns]
    for (pad, right), mapped in zip(columns, padmap.document(made)["pads"], strict=True):
        x, y = pad.box.x + pad.paper.at[0] + right, pad.box.y + pad.paper.at[1]
        assert len(mapped["fields"]) == len(layout.fields)
        for field, there in zip(layout.fields, mapped["fields"], strict=True):
            kind = {"points": "number"}.get(field.kind, field.kind)
            assert (there["id"], there["kind"]) == (field.id, kind)
            expected = [field.box.x + x, field.box.y + y, field.box.width, field.box.height]
            assert there["box_mm"] == pytest.approx(expected, abs=0.002)
            cells = there.get("cells_mm", [])
            assert len(cells) == len(field.cells)
            for cell, mm in zip(field.cells, cells, strict=True):
                assert mm == pytest.approx(
                    [cell.x + x, cell.y + y, cell.width, cell.height], abs=0.002
                )


def test_as_many_as_fit_are_printed_on_a_page() -> None:
    for paper, qwinto, others in (("a4", 3, 2), ("letter", 3, 2), ("a5", 1, 1)):
        assert len(pages_of_order("qwinto", paper=paper).pages[0]) == qwinto
        assert len(pages_of_order("encore", "black", paper).pages[0]) == others
        assert len(pages_of_order("tally", paper=paper).pages[0]) == others


def test_each_player_has_a_pad_and_each_copy_has_all_players() -> None:
    made = pages_of_order("qwinto", players=["Ada", "Ben"], copies=2)
    names = [pad.names for pads in made.pages for pad in pads]
    assert names == [("Ada",), ("Ben",), ("Ada",), ("Ben",), (), ()]
    made = pages_of_order("tally", players=list("ABCDEFGH"))
    assert [pad.names for pad in made.pages[0]] == [tuple("ABCDEF"), ("G", "H")], "they share one"


def test_numbers_so_far_stand_below_their_names_and_continue_on_the_next_pad() -> None:
    numbers = {"Ada": [*range(1, 9), -12], "Ben": [-99_999], "Nobody": [5]}
    made = pages_of_order("tally", players=("Ada", "Ben"), numbers=numbers)
    first, second = [pad for page in made.pages for pad in page if pad.names]
    printed = {field.id: number for field, number in first.numbers}
    ada = {f"round.{number}.player.1": number for number in range(1, 9)}
    assert printed == {**ada, "round.1.player.2": -99_999}
    assert [(field.id, number) for field, number in second.numbers] == [("round.1.player.1", -12)]
    (minus, one, two) = lettering.numbers(second)
    assert (minus.content, one.content, two.content) == ("−", "1", "2")
    assert minus.x < one.x < two.x, "a digit a box"
    (wide,) = [text for text in lettering.numbers(first) if text.content == "−99999"]
    assert width(wide.content, wide.size) <= NUMBER_WIDTH, "all of it in one box"
    full = pages_of_order("tally", players=("Ada",), numbers={"Ada": [0] * 8})
    assert len([pad for page in full.pages for pad in page if pad.names]) == 2, "a line is free"


def test_names_that_do_not_fit_are_reported() -> None:
    name = "WWW" + "Я" * 57
    code = f"Too long for the printed code that says whose pad it is: {name}."
    for sheet, fitting, long, told in (
        ("qwinto", ["Ada", "Zoë", "李", "Ada  Lovelace"], ["Ada", name], [code]),
        ("tally", ["Bartholomäus-Maximilian", "Ben"], ["W" * 60, "\u2605"], []),
    ):
        assert not list(lettering.warnings(pages_of_order(sheet, players=fitting)))
        warning, *rest = map(in_english, lettering.warnings(pages_of_order(sheet, players=long)))
        assert rest == told
        assert warning.startswith("Shortened to fit on the pad: WWW")
        assert warning.endswith("Look at the PDF before you print it.")


# Markers


def test_an_id_says_sheet_board_and_corner() -> None:
    """There is room for seven sheets of eight boards."""
    assert (markers.SHEETS, markers.BOARDS) == (7, 8)
    places = list(product(range(markers.SHEETS), range(markers.BOARDS), markers.CORNERS))
    numbers = [markers.marker_id(*place) for place in places]
    assert sorted(numbers) == list(range(224))
    assert [markers.meaning(number) for number in numbers] == places
    assert markers.marker_id(4, 0, "top-left") == 128
    for number in (-1, 224):
        assert markers.meaning(number) is None
    for sheet, board in ((7, 0), (0, 8)):
        with pytest.raises(ValueError, match="no marker"):
            markers.marker_id(sheet, board, "top-left")


def test_the_table_is_opencvs() -> None:
    """So any two differ in at least six cells, however they are turned."""
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, DICTIONARY))
    assert len(dictionary.bytesList) == len(aruco.BITS)
    for number in range(len(aruco.BITS)):
        picture = cv2.aruco.generateImageMarker(dictionary, number, markers.CELLS, borderBits=1)
        for row in range(markers.CELLS):
            for column in range(markers.CELLS):
                assert (picture[row, column] == 0) == aruco.is_black(number, row, column)
