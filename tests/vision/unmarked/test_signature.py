"""The colours of flat sheets: their own, another board's, another sheet's, and covered ones."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition
from companion.games.editions import editions
from companion.vision.core import FLAT_PX_PER_MM, flat_area
from companion.vision.unmarked.signature import (
    SAME_HUES,
    Colors,
    agreement,
    covered,
    explained,
    likeness,
    quick_agreement,
    quick_likeness,
    signature,
)
from tests.vision.unmarked.scenes import LAMPS, flat, sheet_picture

each = pytest.mark.parametrize(
    "made", editions(), ids=lambda made: f"{made.sheet.name}-{made.name}"
)
ENOUGH = 0.9
"""The least agreement, and likeness of hues, of a sheet with its own signature."""


def usual(made: Edition) -> np.ndarray:
    return flat(sheet_picture(made, made.sheet.usual_board))


def compared(picture: np.ndarray, made: Edition, board: str | None = None) -> tuple[float, float]:
    """The agreement of the parts with their kinds, and the likeness of hues."""
    mine = signature(made, made.sheet.usual_board if board is None else board)
    seen = Colors(picture).at(mine.points * FLAT_PX_PER_MM - 0.5)
    return agreement(*seen, mine), likeness(*seen, mine)


@each
def test_a_sheet_agrees_with_its_signature_in_coloured_light_that_falls_off(
    made: Edition,
) -> None:
    picture = usual(made)
    less = np.linspace(1, 0.4, picture.shape[1])[:, np.newaxis]
    for lamp in ("bulb", "tube"):
        lit = (picture * less * LAMPS[lamp]).astype(np.uint8)
        assert min(compared(lit, made)) > ENOUGH


@each
def test_other_boards_and_other_hues_do_not(made: Edition) -> None:
    picture = usual(made)
    assert compared(picture[..., ::-1].copy(), made)[1] < SAME_HUES
    for board in made.sheet.every_board:
        if board != made.sheet.usual_board:
            assert max(compared(picture, made, board)) < ENOUGH


@each
def test_quick_values_of_several_placings_are_like_thorough_ones(made: Edition) -> None:
    """In even light, where means are medians; a placing outside the picture has none."""
    mine = signature(made, made.sheet.usual_board)
    picture = usual(made)
    points = mine.points * FLAT_PX_PER_MM - 0.5
    ways = np.stack([points, points + 25, points + 5000])
    colors, inside = Colors(picture).all_at(ways.transpose(3, 2, 0, 1))
    agreements = quick_agreement(colors, inside, mine.kinds)
    likenesses = quick_likeness(colors, inside, mine.kinds, mine.printed)
    mine_agrees, mine_is_like = compared(picture, made)
    assert agreements[0] == pytest.approx(mine_agrees, abs=0.03)
    assert likenesses[0] == pytest.approx(mine_is_like, abs=0.03)
    assert agreements[1] < 0.8 * agreements[0]
    assert agreements[2] == 0


@each
def test_what_is_covered_is_known_by_nearly_all_of_its_points(made: Edition) -> None:
    """A ring along a field's edge does not cover it, and whatever lies on it does."""
    mine = signature(made, made.sheet.usual_board)
    under, ringed, free = made.paper(made.sheet.usual_board).fields[3:6]
    picture = usual(made)
    picture[flat_area(under.box, 1.0)] = (200, 40, 200)
    x, y = (round(at * FLAT_PX_PER_MM) for at in ringed.box.center)
    radius = round(0.43 * ringed.box.height * FLAT_PX_PER_MM)
    cv2.circle(picture, (x, y), radius, (60, 30, 160), 4, cv2.LINE_AA)
    points = mine.points * FLAT_PX_PER_MM - 0.5
    colors = Colors(picture)
    inner = (points + points.mean(axis=1, keepdims=True)) / 2
    are = covered(colors.each_at(np.stack([points, inner])), *colors.at(points), mine)
    names = {name for name, is_covered in zip(mine.names, are, strict=False) if is_covered}
    assert under.id in names
    assert not {ringed.id, free.id} & names


def test_kinds_explain_all_differences_or_none() -> None:
    two = np.array([[0, 0, 0], [20, 0, 0]], np.float32)
    kinds = np.array([0, 1, 0, 1])
    assert explained(np.tile(two, (2, 1)), kinds) == 1
    assert explained(np.repeat(two, 2, axis=0), kinds) == 0
    assert explained(np.zeros((4, 3), np.float32), kinds) == 0
