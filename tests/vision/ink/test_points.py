"""Fields of points are read as numbers, strokes that mean 0, or nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import cv2
import numpy as np
import pytest

from companion.core.sheet import Field
from companion.games import catalog
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.ink.pad_ink import point_chances
from tests.vision.flat.warps import Kind, even

if TYPE_CHECKING:
    from companion.vision.flat.flattening import Flat

KNIFFEL = Kind(catalog.SHEETS["kniffel"], "kniffel")
STROKES = {
    "slash": [((0.35, 0.85), (0.65, 0.15))],
    "dash": [((0.3, 0.5), (0.7, 0.52))],
    "cross": [((0.38, 0.2), (0.62, 0.8)), ((0.62, 0.2), (0.38, 0.8))],
}
"""Strokes of a field, in shares of its width and height."""


def draw(seen: np.ndarray, field: Field, what: str, ink: float, width: int) -> None:
    box = field.box
    for ends in STROKES[what]:
        first, last = (
            (
                round((box.x + x * box.width) * FLAT_PX_PER_MM),
                round((box.y + y * box.height) * FLAT_PX_PER_MM),
            )
            for x, y in ends
        )
        cv2.line(seen, first, last, 1 - ink, width, cv2.LINE_AA)


@pytest.mark.parametrize("what", [*STROKES])
@pytest.mark.parametrize(("ink", "width"), [(0.8, 3), (0.35, 2)])
def test_a_stroke_in_a_field_that_is_struck_out_is_0(what: str, ink: float, width: int) -> None:
    seen = even(KNIFFEL)
    struck, *others = KNIFFEL.paper.fields[:6]
    draw(seen, struck, what, ink, width)
    flat = SimpleNamespace(paper=KNIFFEL.paper, even=seen)
    read = point_chances(cast("Flat", flat))
    assert read[struck.id].get(0, 0.0) > 0.9
    assert all(read[field.id] == {None: 1.0} for field in others)
