"""Fields of points are read as numbers, strokes that mean 0, or nothing."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import cv2
import numpy as np
import pytest

from companion.core.sheet import Box, Field
from companion.games import catalog
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.ink.opinions import second_opinions, with_strokes
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
ELEVEN = (((0.4, 0.03), (0.385, 0.97)), ((0.53, 0.03), (0.54, 0.97)))
"""Two ones that touch the outline, likewise."""


TALLY = Kind(catalog.SHEETS["tally"], "")


def on_picture(box: Box, x: float, y: float) -> tuple[int, int]:
    """The pixel of a point that is given in shares of a box."""
    at = box.x + x * box.width, box.y + y * box.height
    return round(at[0] * FLAT_PX_PER_MM), round(at[1] * FLAT_PX_PER_MM)


def draw(
    seen: np.ndarray,
    field: Field,
    what: Sequence[tuple[tuple[float, float], tuple[float, float]]],
    ink: float,
    width: int,
) -> None:
    for ends in what:
        first, last = (on_picture(field.box, *end) for end in ends)
        cv2.line(seen, first, last, 1 - ink, width, cv2.LINE_AA)


@pytest.mark.parametrize("what", [*STROKES])
@pytest.mark.parametrize(("ink", "width"), [(0.8, 3), (0.35, 2)])
def test_a_stroke_in_a_field_that_is_struck_out_is_0(what: str, ink: float, width: int) -> None:
    seen = even(KNIFFEL)
    struck, *others = KNIFFEL.paper.fields[:6]
    draw(seen, struck, STROKES[what], ink, width)
    flat = SimpleNamespace(paper=KNIFFEL.paper, even=seen)
    read = point_chances(cast("Flat", flat))
    assert read[struck.id].get(0, 0.0) > 0.9
    assert all(read[field.id] == {None: 1.0} for field in others)


@pytest.mark.parametrize(("ink", "width"), [(0.8, 2), (0.5, 3)])
def test_each_stroke_as_high_as_a_digit_counts(ink: float, width: int) -> None:
    seen = even(KNIFFEL)
    field = next(field for field in KNIFFEL.paper.fields if field.id == "chance")
    draw(seen, field, ELEVEN, ink, width)
    read = point_chances(cast("Flat", SimpleNamespace(paper=KNIFFEL.paper, even=seen)))
    assert read[field.id][11] > 0.6


def test_a_dash_on_the_outline_is_asked_about() -> None:
    seen = even(KNIFFEL)
    first, second, *_ = KNIFFEL.paper.fields
    draw(seen, first, [((0.3, 0.83), (0.72, 0.86))], 0.8, 3)
    flat = cast("Flat", SimpleNamespace(paper=KNIFFEL.paper, even=seen))
    read = point_chances(flat)
    assert 0.5 < read[first.id][0] < 0.7
    # In several fields it is their outline.
    draw(seen, second, [((0.3, 0.83), (0.72, 0.86))], 0.8, 3)
    assert point_chances(flat)[first.id][None] > 0.9


def test_no_number_of_fewer_digits_is_likely_beside_strokes() -> None:
    read = with_strokes({None: 0.5, 1: 0.3, 11: 0.1}, 2)
    assert read[11] > 0.4
    assert read[None] < 0.01
    assert sum(read.values()) < 1


def test_a_zero_with_a_bar_is_not_only_a_digit_that_is_struck_out() -> None:
    seen, field = even(TALLY), TALLY.paper.fields[0]
    *_, last = field.cells
    size = round(0.25 * last.width * FLAT_PX_PER_MM), round(0.33 * last.height * FLAT_PX_PER_MM)
    cv2.ellipse(seen, on_picture(last, 0.5, 0.5), size, 10, 0, 360, 0.4, 2, cv2.LINE_AA)
    ends = on_picture(last, 0.1, 0.5), on_picture(last, 0.9, 0.45)
    cv2.line(seen, *ends, 0.4, 2, cv2.LINE_AA)
    read = second_opinions(seen, [field], {field.id: {None: 0.94, 0: 0.02}})
    assert read[field.id][0] > 0.2
