"""The PDF's colours are recognized by how light they are, whatever is written over them."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.flat import tints
from tests.vision.flat.warps import ENCORE, QWINTO, Kind, even


def _printed(board: str) -> np.ndarray:
    return even(Kind(ENCORE.sheet, board))


@pytest.mark.parametrize("board", ENCORE.sheet.boards)
def test_each_board_is_itself_and_no_other(board: str) -> None:
    seen = _printed(board)
    assert tints.agreement(seen, ENCORE.sheet.paper(board)) > 0.95
    for other in ENCORE.sheet.boards:
        assert tints.matches_board(seen, ENCORE.sheet, other) == (other == board)


def test_colours_that_hardly_differ() -> None:
    """A printer and a lamp can make two colours equally light; the board is still the likeliest."""
    board = ENCORE.sheet.usual_board
    seen = _printed(board)
    grain = np.random.default_rng(1).normal(0, 0.05, seen.shape)
    dull = np.asarray(0.7 + 0.02 * seen + grain, np.float32)
    assert tints.agreement(dull, ENCORE.sheet.paper(board)) < tints.CLEAR_AGREEMENT
    assert tints.matches_board(dull, ENCORE.sheet, board)


def test_all_boxes_shaded_with_a_thick_pen() -> None:
    board = ENCORE.sheet.usual_board
    paper = ENCORE.sheet.paper(board)
    seen = _printed(board)
    for field in paper.fields:
        x, y, reach = *field.box.center, field.box.width * 0.45
        for shift in (-2.0, 0.0, 2.0):
            ends = ((x - reach, y + reach / 2 + shift), (x + reach, y - reach / 2 + shift))
            places = [tuple(round(at * FLAT_PX_PER_MM) for at in end) for end in ends]
            cv2.line(seen, *places, 0.1, 7)
    assert tints.matches_board(seen, ENCORE.sheet, board)


def test_a_sheet_without_coloured_boxes_says_nothing() -> None:
    assert tints.agreement(np.ones((1, 1), np.float32), QWINTO.paper) == 1.0


def test_a_blank_picture_agrees_with_nothing() -> None:
    paper = ENCORE.paper
    shape = round(paper.height * FLAT_PX_PER_MM), round(paper.width * FLAT_PX_PER_MM)
    assert tints.agreement(np.ones(shape, np.float32), paper) == 0
