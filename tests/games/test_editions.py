"""The publishers' editions: every field has its place, and nothing covers anything else."""

from __future__ import annotations

from itertools import combinations

import pytest

from companion.core.edition import OWN, Edition
from companion.core.sheet import Box
from companion.games.catalog import SHEETS
from companion.games.editions import editions, find_edition, paper_of
from tests.kit.sheets import overlap

EDITIONS = [pytest.param(made, id=f"{made.sheet.name}-{made.name}") for made in editions()]


@pytest.mark.parametrize("made", EDITIONS)
def test_every_field_of_every_board_has_a_place_on_the_paper(made: Edition) -> None:
    for board in made.sheet.every_board:
        paper, own = made.paper(board), made.sheet.paper(board)
        assert [field.id for field in paper.fields] == [field.id for field in own.fields]
        for box in (*(f.box for f in paper.fields), *(b.box for b in paper.blanks)):
            assert min(box.x, box.y) >= 0
            assert box.x + box.width <= paper.width
            assert box.y + box.height <= paper.height


@pytest.mark.parametrize("made", EDITIONS)
def test_nothing_covers_anything_else(made: Edition) -> None:
    """And no two targets of fingers overlap by more than anybody feels."""
    paper = made.paper(made.sheet.usual_board)
    boxes = [field.box for field in paper.fields] + [blank.box for blank in paper.blanks]
    assert not [pair for pair in combinations(boxes, 2) if overlap(*pair, 0.01)]
    targets = [
        Box(
            field.box.x - field.touch_margin / 2,
            field.box.y - field.touch_margin / 2,
            field.box.width + field.touch_margin,
            field.box.height + field.touch_margin,
        )
        for field in paper.fields
    ]
    assert not [pair for pair in combinations(targets, 2) if overlap(*pair, 0.5)]


@pytest.mark.parametrize("made", EDITIONS)
def test_everything_printed_is_described_for_every_board(made: Edition) -> None:
    for board in made.sheet.every_board:
        paper = made.paper(board)
        names = {field.id for field in paper.fields} | {blank.id for blank in paper.blanks}
        assert made.prints[board].keys() == names
        assert board in made.grounds
        assert set(made.landmarks) <= names


def test_an_edition_is_found_by_its_name_and_our_own_pads_are_one_too() -> None:
    for made in editions():
        assert find_edition(made.sheet.name, made.name) is made
    for sheet in SHEETS.values():
        assert paper_of(sheet, sheet.usual_board, OWN) is sheet.paper(sheet.usual_board)
