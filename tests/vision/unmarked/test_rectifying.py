"""Sheets seen from above, a little off their places, and what tells where fields are."""

from __future__ import annotations

import numpy as np
import pytest

from companion.core.edition import Edition
from companion.games.editions import editions
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.mapping.plane import mapped
from companion.vision.unmarked.blobs import find_blobs
from companion.vision.unmarked.placing import Placing
from companion.vision.unmarked.rectifying import edges, is_placed_mask, rectify
from tests.kit.wide import first_of
from tests.vision.unmarked.scenes import flat, sheet_picture


@pytest.mark.parametrize(
    "made",
    first_of(editions(), editions()[0], editions()[-1]),
    ids=lambda made: f"{made.sheet.name}-{made.name}",
)
def test_a_sheet_that_is_placed_a_little_off_is_laid_on_its_outlines(made: Edition) -> None:
    board = made.sheet.usual_board
    picture = flat(sheet_picture(made, board))
    exact = np.array([[FLAT_PX_PER_MM, 0, -0.5], [0, FLAT_PX_PER_MM, -0.5], [0, 0, 1]])
    aside = exact @ np.array([[1.005, 0, 0.5], [0, 1, -0.4], [0, 0, 1]])
    rectified = rectify(picture, find_blobs(picture), Placing(made, board, aside, 1.0, 1.0))
    centers = np.array([field.box.center for field in made.paper(board).fields])
    off = rectified.surface.to_photo(centers) - mapped(exact, centers)
    assert np.abs(off).max() < 0.35 * FLAT_PX_PER_MM
    assert np.abs(np.subtract(rectified.image.shape, picture.shape)).max() <= 1  # both are rounded
    assert rectified.fit.everywhere > 0.9


def test_fields_are_placed_where_enough_of_their_neighbours_are_found() -> None:
    """A fifth of those within two pitches and a bit, itself among them."""
    row = np.array([(x, 0.0) for x in range(8)])
    assert is_placed_mask(row, row[[2]], 1.0).tolist() == [True] * 5 + [False] * 3
    assert not is_placed_mask(row, row[[2]] + (0, 0.3), 1.0).any()
    assert not is_placed_mask(row, np.empty((0, 2)), 1.0).any()


def test_edges_of_pale_boxes_count_as_much_as_strong_ones() -> None:
    picture = np.full((120, 260, 3), 200, np.uint8)
    picture[40:80, 40:80] = (20, 20, 20)
    picture[40:80, 180:220] = (200, 185, 200)
    near = edges(picture)
    strong, pale = (near[45:75, x - 1 : x + 1].min() for x in (40, 180))
    assert strong == pytest.approx(pale, abs=0.2)
    assert near[:, 115:145].max() == 0
