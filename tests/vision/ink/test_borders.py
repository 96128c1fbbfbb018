"""Ink that leaves a number's box, and numbers that are clear although it does."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import cv2
import numpy as np
import pytest

from companion.core.sheet import Field, moved
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.ink import pad_ink
from companion.vision.ink.borders import crossings
from lab.photos import paper
from tests.vision.flat.warps import TALLY, even, gray

if TYPE_CHECKING:
    from companion.vision.flat.flattening import Flat


def flat_of(seen: np.ndarray) -> Flat:
    """A flattened pad that shows this, nothing of which is lost or covered."""
    fit = SimpleNamespace(is_lost=lambda at: False, around=lambda at: 1.0)
    flat = SimpleNamespace(
        paper=TALLY.paper, sheet=TALLY.sheet, board="", even=seen, fit=fit, unseen=()
    )
    return cast("Flat", flat)


def field_of(name: str) -> Field:
    return next(field for field in TALLY.paper.fields if field.id == name)


def test_the_shadow_of_a_finger_crosses_no_box() -> None:
    seen = even(TALLY)
    across = np.arange(seen.shape[1]) / FLAT_PX_PER_MM
    shadow = sum(np.exp(-(((across - at) / 5) ** 2)) for at in (45, 72, 99))
    assert crossings(flat_of(np.float32(seen - 0.25 * shadow))) == {}


def test_a_stroke_crosses_a_box_in_the_shadow_of_a_finger() -> None:
    seen = even(TALLY)
    box = field_of("round.2.player.2").cells[1]
    across = np.arange(seen.shape[1]) / FLAT_PX_PER_MM
    seen = np.float32(seen - 0.25 * np.exp(-(((across - box.x - box.width) / 5) ** 2)))
    ends = (box.center, (box.x + box.width + 3, box.y + 2))
    first, last = (tuple(round(at * FLAT_PX_PER_MM) for at in end) for end in ends)
    cv2.line(seen, first, last, 0.2, 4, cv2.LINE_AA)
    assert crossings(flat_of(seen))[box]


@pytest.mark.parametrize(("aside", "is_sure"), [(1.2, True), (-3.6, False)])
def test_a_number_that_leaves_its_box_is_asked_for_if_it_may_be_another(
    aside: float, is_sure: bool
) -> None:
    """A digit on the line between two boxes may be read as nothing, or as one in each of them."""
    field = field_of("round.2.player.2")
    pad = paper.printed("tally")
    last = field.cells[-1]
    x, y = moved(last, aside, 0).center
    turns = [at * math.tau / 24 for at in range(25)]
    zero = [(x + 4 * math.sin(turn), y - 3.6 * math.cos(turn)) for turn in turns]
    paper.draw(pad.picture, zero)
    size = even(TALLY).shape[::-1]
    seen = cv2.resize(gray(pad.picture), size, interpolation=cv2.INTER_AREA)
    flat = flat_of(np.float32(seen / 255))
    (read,) = pad_ink.chances([flat])
    assert crossings(flat)[last]
    assert (max(read[field.id].values()) > 0.99) == is_sure
    assert max(read[field.id], key=lambda mark: read[field.id][mark]) == 0
