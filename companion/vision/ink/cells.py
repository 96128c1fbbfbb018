"""Cuts a flattened pad into the small pictures that the networks classify."""

from __future__ import annotations

from collections.abc import Mapping
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
"""Kind of field → the margin around a box that is cut out with it, because pens do not stop at its
edge. Digit boxes are close together, so their margin includes little of the next digit."""

NUMBERS: Final[frozenset[Kind]] = frozenset({"number", "digits"})
"""The kinds of fields that are white inside, and empty unless a number is written in them."""
WITHIN: Final[Millimetres] = 0.9
"""Farther than this inside a box's edge there is no printed line, unless the flattening is off."""
BARE: Final = 0.05
"""Variation of ink, 0 to 1, below which it is grain; the faintest legible pencil has twice that."""
DARK: Final = 0.15
"""Ink, 0 to 1, that bare paper never exceeds."""


def boxes(field: Field) -> tuple[Box, ...]:
    """The boxes of a field that are read one by one: one for each digit, or the whole field."""
    return field.cells or (field.box,)


def cut(even: npt.NDArray[np.float32], box: Box, margin: Millimetres) -> npt.NDArray[np.float32]:
    """The ink in and around a box.

    Args:
        even: the pad as `light.evened` returns it, (height, width).
        box: in millimetres from the pad's top left corner.
        margin: how much is included around the box.

    Returns:
        float32 of shape (SIDE, SIDE): 0 is white paper, 1 black ink. A box that is not square is
        centred and padded with white; its aspect ratio is kept.

    Raises:
        ValueError: the box lies outside the pad.
    """
    left, top = (round((at - margin) * FLAT_PX_PER_MM) for at in (box.x, box.y))
    right, bottom = (
        round((at + margin) * FLAT_PX_PER_MM) for at in (box.x + box.width, box.y + box.height)
    )
    rows, columns = even.shape
    part = even[max(top, 0) : min(bottom, rows), max(left, 0) : min(right, columns)]
    if not part.size:
        raise ValueError(f"{box} lies outside the pad")
    if left < 0 or top < 0 or right > columns or bottom > rows:
        beyond = ((max(-top, 0), max(bottom - rows, 0)), (max(-left, 0), max(right - columns, 0)))
        part = np.pad(part, beyond, constant_values=1.0)
    scale = SIDE / max(part.shape)
    height, width = (max(round(side * scale), 1) for side in part.shape)
    small = cv2.resize(part, (width, height), interpolation=cv2.INTER_AREA)
    ink = np.zeros((SIDE, SIDE), np.float32)
    down, across = (SIDE - height) // 2, (SIDE - width) // 2
    ink[down : down + height, across : across + width] = np.clip(1.0 - small, 0.0, 1.0)
    return ink


def is_bare(picture: npt.NDArray[np.float32], kind: Kind, box: Box) -> bool:
    """Whether a number box is blank, without even a shadow, so that no network has to read it.

    False for other kinds.

    Args:
        picture: of shape (SIDE, SIDE), cut with the kind's margin.
    """
    if kind not in NUMBERS:
        return False
    ink = picture[_inside(kind, box.width, box.height)]
    return bool(np.ptp(ink) < BARE and ink.max() < DARK)


@cache
def _inside(kind: Kind, width: Millimetres, height: Millimetres) -> npt.NDArray[np.bool_]:
    """The pixels of a box's picture that are well inside the box, (SIDE, SIDE).

    For number fields this is an ellipse, because their outlines are round.
    """
    scale = (max(width, height) + 2 * MARGINS[kind]) / SIDE
    y, x = (np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2) * scale
    wide, tall = width / 2 - WITHIN, height / 2 - WITHIN
    if kind == "number":
        return np.asarray((x / wide) ** 2 + (y / tall) ** 2 < 1)
    return np.asarray((np.abs(x) < wide) & (np.abs(y) < tall))
