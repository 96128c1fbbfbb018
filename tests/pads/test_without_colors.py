"""Pads for printers without colours: patterns distinguish colours, and the reader reads them."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from companion.core import sheet_style
from companion.core.refusal import Unusable
from companion.core.sheet import Field
from companion.games.catalog import SHEETS
from companion.pads import geometry, pdf, typst
from companion.pads.languages import in_language, languages
from companion.pads.order import checked_order
from companion.pads.page_svg import svg
from companion.vision.reading import read
from lab.pdf import POINTS_PER_MM, cut_out, pixels
from lab.photos import paper, taking
from lab.photos.paper import PX_PER_MM, Pad
from lab.sheets import written
from lab.wide import wide

FULL = {
    field.color: field
    for kind in SHEETS.values()
    for field in kind.paper(kind.usual_board).fields
    if sheet_style.is_full(field)
}
"""Colour → a field that is full of it."""
LEAST = 25  # least difference of two grays that a printer keeps apart


@pytest.mark.every_game
def test_two_colors_differ_in_gray_or_in_their_pattern() -> None:
    def kind(field: Field) -> tuple[object, ...]:
        found = sheet_style.pattern_layer(field)
        return (found[1].stroke, found[1].dashes) if found else ()

    for one, other in combinations(FULL.values(), 2):
        gray = abs(
            sheet_style.gray(sheet_style.COLORS[one.color])
            - sheet_style.gray(sheet_style.COLORS[other.color])
        )
        assert kind(one) != kind(other) or gray >= LEAST, (one.color, other.color)


def test_patterns_are_there_when_they_are_asked_for() -> None:
    plain = geometry.pages_of_order(checked_order("encore"))
    mono = geometry.pages_of_order(checked_order("encore", mono=True))
    assert "stroke-dasharray" not in svg(plain)[0]
    assert "stroke-dasharray" in svg(mono)[0]
    assert "without-colors" not in svg(mono)[0]
    # A browser knows only when it prints whether there are colours.
    assert 'class="without-colors"' in svg(plain, on_screen=True)[0]


def gray_pad(sheet: str, **order: Any) -> Pad:
    """The first pad of an order, printed without colours."""
    printout = geometry.pages_of_order(checked_order(sheet, **order))
    made = pdf.pdf(printout, engine=typst.NAME)
    page = pixels(made, PX_PER_MM / POINTS_PER_MM)
    gray = cut_out(page, printout.pages[0][0].box, PX_PER_MM) @ np.array([0.114, 0.587, 0.299])
    picture = np.repeat(gray.astype(np.uint8)[:, :, np.newaxis], 3, axis=2)
    kind = SHEETS[sheet]
    fields = {field.id: field for field in kind.paper(kind.usual_board).fields}
    return Pad(sheet, kind.usual_board, picture, fields)


@pytest.mark.parametrize("sheet", ["encore", wide("qwixx")])
def test_a_gray_pad_with_patterns_is_read(sheet: str) -> None:
    pad, kind = gray_pad(sheet, mono=True), SHEETS[sheet]
    marks = kind.filled(written(kind, kind.usual_board)).marks
    blanks = kind.paper(kind.usual_board).blanks
    paper.write(pad, marks, blanks, {}, random.Random(1))
    [found] = read(taking.jpeg(taking.photo(pad))).sheets
    expected = paper.expected(pad)
    assert {name: field.value for name, field in found.fields.items()} == expected


def test_numbers_that_were_printed_with_a_pad_are_read() -> None:
    columns = {"Ada": [12, 30, 7, 108, 45, 66, 9], "Ben": [8, 91, 24, 100, 3, 57, 80]}
    pad = gray_pad("tally", players=columns, numbers=columns)
    [found] = read(taking.jpeg(taking.photo(pad))).sheets
    for place, numbers in enumerate(columns.values(), start=1):
        at = [found.fields[f"round.{line}.player.{place}"] for line in range(1, 9)]
        assert [field.value for field in at] == [*numbers, None]


def test_a_pad_in_another_language() -> None:
    assert set(languages()) == {"en", "de", "es"}
    printout = geometry.pages_of_order(checked_order("tally"))
    assert "Bei 100" not in svg(printout)[0]
    assert "Bei 100" in svg(printout, in_language("de"))[0]
    with pytest.raises(Unusable, match="There are: en, de, es"):
        in_language("xx")
