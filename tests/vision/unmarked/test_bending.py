"""Placings by bars on bowed paper, seen from above."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition
from companion.games.editions import editions
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.mapping.plane import inverse, mapped
from companion.vision.unmarked.bending import fitted
from companion.vision.unmarked.placing import Placing
from companion.vision.unmarked.signature import Colors
from tests.vision.unmarked.scenes import flat, sheet_picture

each = pytest.mark.parametrize(
    "made", [made for made in editions() if made.bars], ids=lambda made: made.name
)
FLAT = np.array([[FLAT_PX_PER_MM, 0, -0.5], [0, FLAT_PX_PER_MM, -0.5], [0, 0, 1]])
"""From millimetres to pixels of a flattened sheet."""


def placed(made: Edition) -> Placing:
    return Placing(made, made.sheet.usual_board, FLAT, 0.0, 0.0)


@pytest.mark.parametrize("bow", [4.0, -3.0])
@each
def test_bends_are_those_of_the_paper(made: Edition, bow: float) -> None:
    """By their colours places are known to about a millimetre."""
    width = made.paper(made.sheet.usual_board).width

    def down(x: np.ndarray) -> np.ndarray:
        """How far the paper lies too far down, in millimetres."""
        return bow * ((2 * x / width - 1) ** 2 - 0.5)

    picture = flat(sheet_picture(made, made.sheet.usual_board))
    y, x = np.indices(picture.shape[:2], np.float32)
    higher = (y - down(x / FLAT_PX_PER_MM) * FLAT_PX_PER_MM).astype(np.float32)
    bowed = cv2.remap(picture, x, higher, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    found = fitted(placed(made), Colors(bowed))
    assert found.bends is not None
    at, by = found.bends
    seen = mapped(inverse(FLAT), mapped(found.homography, at + by))
    wanted = at + np.c_[np.zeros(len(at)), down(at[:, 0])]
    assert np.abs(seen - wanted).max() < 1.1
    assert found.score > 0.9


@each
def test_bars_in_other_colors_are_no_sheet(made: Edition) -> None:
    picture = flat(sheet_picture(made, made.sheet.usual_board))
    assert fitted(placed(made), Colors(picture[..., ::-1].copy())).score == 0
