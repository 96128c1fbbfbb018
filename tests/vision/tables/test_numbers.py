"""Numbers in cells of tables: several opinions as one, signs, and slashes."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.sheet import Box
from companion.vision.tables.cells import Ink
from companion.vision.tables.numbers import _pooled, is_slash

Points = list[tuple[int, int]]


def test_a_dash_decides_between_a_number_and_its_negative() -> None:
    opinions = [(1.0, {5: 0.4, -5: 0.4})]
    with_dash = _pooled(opinions, is_negative=True).chances
    without = _pooled(opinions, is_negative=False).chances
    assert with_dash[-5] > with_dash[5]
    assert without[5] > without[-5]


@pytest.mark.parametrize(
    ("points", "expected"),
    [
        ([(10, 45), (40, 12)], True),
        ([(12, 44), (32, 10)], True),
        ([(26, 45), (30, 10)], False),
        ([(20, 20), (28, 10), (28, 45)], False),
        ([(12, 12), (38, 12), (24, 45)], False),
    ],
    ids=["slash", "steep slash", "one", "one with an upstroke", "seven"],
)
def test_a_slash_is_a_straight_stroke_that_leans(points: Points, expected: bool) -> None:
    picture = np.zeros((56, 56), np.float32)
    cv2.polylines(picture, [np.array(points, np.int32)], False, 1.0, 4)
    x, y, width, height = cv2.boundingRect((picture > 0.5).astype(np.uint8))
    assert is_slash(Ink(picture, (Box(x, y, width, height),))) is expected
