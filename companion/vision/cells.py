"""Cuts a flattened pad into the small pictures that the networks look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Field, Kind, Millimetres
from companion.vision.core import FLAT_PX_PER_MM

SIDE: Final = 40
"""Pixels across and down a cell's picture."""

MARGINS: Final[Mapping[Kind, Millimetres]] = {
    "number": 1.0,
    "digits": 0.7,
    "cross": 1.6,
    "value": 1.6,
}
"""Kind → how much around a field's box is looked at: pens do not stop at its edge. The boxes of a
number's digits are close together, so little of the next digit is let in."""


WITHIN: Final[Millimetres] = 0.9
"""Farther than this inside a box's edge is no printed line, unless the flattening is off."""
BARE: Final = 0.05
"""Ink paler than this, 0 to 1, is grain: the faintest pencil that a person can read has twice as
much."""
DARK: Final = 0.15
"""Paper is never darker than this."""
EVENLY: Final = 0.08
"""What differs by less from all pixels around it is even: no pen's stroke is so broad."""
COVERED: Final = 0.3
"""Of a box's inside; if more is evenly dark, something lies on it. One scribble in two hundred has
as much, and no number."""


def boxes(field: Field) -> tuple[Box, ...]:
    """What is looked at one by one: a box for each digit, or the whole field."""
    return field.cells or (field.box,)


def cut(even: npt.NDArray[np.float32], box: Box, margin: Millimetres) -> npt.NDArray[np.float32]:
    """The ink in and around a box.

    Args:
        even: a pad as `light.evened` returns it.
        box: on the pad, from its top left corner.
        margin: around the box.

    Returns:
        float32 of shape (SIDE, SIDE): 0 is white paper, 1 black ink. A box that is not square
        stands in the middle, at the same scale across and down, with white beside it.
    """
    left, top = (round((at - margin) * FLAT_PX_PER_MM) for at in (box.x, box.y))
    right, bottom = (
        round((at + margin) * FLAT_PX_PER_MM) for at in (box.x + box.width, box.y + box.height)
    )
    rows, columns = even.shape
    part = even[max(top, 0) : min(bottom, rows), max(left, 0) : min(right, columns)]
    if not part.size:
        raise ValueError(f"{box} lies outside the pad")
    beyond = ((max(-top, 0), max(bottom - rows, 0)), (max(-left, 0), max(right - columns, 0)))
    part = np.pad(part, beyond, constant_values=1.0)
    scale = SIDE / max(part.shape)
    height, width = (max(round(side * scale), 1) for side in part.shape)
    small = cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA)
    ink = np.zeros((SIDE, SIDE), np.float32)
    down, across = (SIDE - height) // 2, (SIDE - width) // 2
    ink[down : down + height, across : across + width] = np.clip(1.0 - small, 0.0, 1.0)
    return ink


def pictures(
    even: npt.NDArray[np.float32], boxes: Iterable[Box], margin: Millimetres
) -> npt.NDArray[np.float32]:
    """What stands in and around some boxes, in order, of shape (boxes, 1, SIDE, SIDE)."""
    return np.stack([cut(even, box, margin) for box in boxes])[:, np.newaxis]


def bare(
    pictures: npt.NDArray[np.float32], kind: Kind, boxes: Sequence[Box]
) -> npt.NDArray[np.bool_]:
    """Which boxes for numbers have nothing in them, not even a shadow: no network need look there.

    Args:
        pictures: of shape (boxes, 1, SIDE, SIDE), cut with the kind's margin.
    """
    if kind not in ("number", "digits"):
        return np.zeros(len(boxes), bool)
    insides = [
        picture[0][_inside(kind, box.width, box.height)]
        for picture, box in zip(pictures, boxes, strict=True)
    ]
    return np.array([np.ptp(ink) < BARE and ink.max() < DARK for ink in insides])


def is_covered(picture: npt.NDArray[np.float32], kind: Kind, box: Box) -> bool:
    """Whether something lies on a box for a number: a die, a pen.

    Args:
        picture: of shape (SIDE, SIDE), cut with the kind's margin.
    """
    if kind not in ("number", "digits"):
        return False
    darkest, palest = cv2.dilate(picture, _AROUND), cv2.erode(picture, _AROUND)
    even = (palest > DARK) & (darkest - palest < EVENLY)
    return float(even[_inside(kind, box.width, box.height)].mean()) > COVERED


_AROUND: Final = np.ones((3, 3), np.uint8)


@cache
def _inside(kind: Kind, width: Millimetres, height: Millimetres) -> npt.NDArray[np.bool_]:
    """The pixels of a box's picture that are well inside it; a number stands in a round one."""
    scale = (max(width, height) + 2 * MARGINS[kind]) / SIDE
    y, x = (np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2) * scale
    wide, tall = width / 2 - WITHIN, height / 2 - WITHIN
    if kind == "number":
        return np.asarray((x / wide) ** 2 + (y / tall) ** 2 < 1)
    return np.asarray((np.abs(x) < wide) & (np.abs(y) < tall))
