"""Something pale on an empty box is noticed; lamps and shadows are none."""

from __future__ import annotations

import numpy as np
import pytest

from companion.core.sheet import Box
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.ink.covers import pale_mask

BOXES = [Box(5 + 12 * place, y, 10, 10) for y in (5, 17) for place in range(8)]


def _pad(light: np.ndarray | float = 200.0) -> np.ndarray:
    """White paper under a lamp; `light` is the brightness of each column, or of all."""
    picture = np.ones((round(32 * FLAT_PX_PER_MM), round(105 * FLAT_PX_PER_MM))) * light
    return picture.astype(np.uint8)


def _lay(picture: np.ndarray, box: Box, level: int) -> None:
    x, y = (round(at * FLAT_PX_PER_MM) for at in box.center)
    picture[y - 20 : y + 20, x - 20 : x + 20] = level


@pytest.mark.parametrize("place", [0, 3, 7, 12])
def test_a_pale_thing_on_a_box(place: int) -> None:
    picture = _pad()
    _lay(picture, BOXES[place], 225)
    assert pale_mask(picture, BOXES).tolist() == [other == place for other in range(16)]


def test_a_lamp_and_a_shadow_are_no_pale_things() -> None:
    columns = np.linspace(0, 1, round(105 * FLAT_PX_PER_MM))
    assert not pale_mask(_pad(150 + 90 * columns), BOXES).any()
    assert not pale_mask(_pad(np.where(columns < 0.15, 210, 120)), BOXES).any()


def test_few_boxes_are_compared_with_none() -> None:
    picture = _pad()
    _lay(picture, BOXES[0], 240)
    assert not pale_mask(picture, BOXES[:3]).any()
    assert pale_mask(picture, []).tolist() == []
