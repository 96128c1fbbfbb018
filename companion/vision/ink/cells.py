"""Cuts a flattened pad into the small pictures that the networks classify."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import NUMBERS, Box, Field, Kind, Millimetres
from companion.vision.core import FLAT_PX_PER_MM, flat_area

Floats: TypeAlias = npt.NDArray[np.float32]

SIDE: Final = 40  # Pixels across and down a cell's picture

# Kind of field → the margin around a box that is cut out with it, because pens do not stop at its
# edge. Digit boxes are close together, so their margin includes little of the next digit.
MARGINS: Final[Mapping[Kind, Millimetres]] = {
    "number": 1.0,
    "digits": 0.7,
    "points": 0.7,
    "cross": 1.6,
    "value": 1.6,
}

# Farther than this inside a box's edge there is no printed line, unless the flattening is off
WITHIN: Final[Millimetres] = 0.9
# Variation of ink, 0 to 1, below which it is grain; the faintest legible pencil has twice that
BARE: Final = 0.05
FLAT: Final = 2.0  # How many times wider than high a minus sign is, at least
DARK: Final = 0.15  # Ink, 0 to 1, that bare paper never exceeds

# What of a wide box lies inside its outline's ends, and inside its upper and lower line
ENDS: Final[Millimetres] = 1.2
LINES: Final[Millimetres] = 0.65
# The ink of a stroke, as a share of the box's strongest; its height, as a share of the box's inside
STROKE, HIGH = 0.5, 0.55
# The share of a part's width that lies below another one, from which both are one stroke
ABOVE: Final = 0.35
# The length and the ink of a stroke that is surely one
LONG: Final[Millimetres] = 2.5
CLEAR_INK: Final = 0.12


def boxes(field: Field) -> tuple[Box, ...]:
    """The boxes of a field that are read one by one: one for each digit, or the whole field."""
    return field.cells or (field.box,)


def cut(even: Floats, box: Box, margin: Millimetres) -> Floats:
    """The ink in and around a box, (SIDE, SIDE), as `in_middle` returns it.

    Args:
        even: the pad as `light.evened` returns it, (height, width).
        box: in millimetres from the pad's top left corner.
        margin: how much is included around the box.
    """
    return in_middle(even[flat_area(box, margin)], 1.0, SIDE, SIDE)


def in_middle(part: npt.NDArray[Any], paper: float, height: int, width: int) -> Floats:
    """The ink on a part of a sheet, scaled to fit into the middle of a picture, (height, width).

    Args:
        part: its brightness.
        paper: the brightness of its paper.

    Returns:
        0 is paper, as all around it, 1 black ink. The aspect ratio is kept.
    """
    scale = min(height / part.shape[0], width / part.shape[1])
    tall, wide = (max(round(side * scale), 1) for side in part.shape)
    small = cv2.resize(part, (wide, tall), interpolation=cv2.INTER_AREA)
    ink = np.zeros((height, width), np.float32)
    down, across = (height - tall) // 2, (width - wide) // 2
    ink[down : down + tall, across : across + wide] = np.clip(1 - small / paper, 0, 1)
    return ink


def is_bare(picture: Floats, kind: Kind, box: Box) -> bool:
    """Whether a number box is blank, so that no network has to read it. False for other kinds.

    Args:
        picture: of shape (SIDE, SIDE), cut with the kind's margin.
    """
    size, is_round = (box.height, box.width), kind == "number"
    return kind in NUMBERS and is_blank(
        picture[well_inside(size, MARGINS[kind], WITHIN, picture.shape, is_round)]
    )


def is_blank(ink: Floats) -> bool:
    """Whether there is no ink, not even a shadow."""
    return bool(np.ptp(ink) < BARE and ink.max() < DARK)


def is_dash(picture: Floats, box: Box) -> bool:
    """Whether a digit's box, which is not blank, has a flat stroke in it and nothing else.

    Args:
        picture: of shape (SIDE, SIDE), cut with the margin of digits.
    """
    size = (box.height, box.width)
    inside = well_inside(size, MARGINS["digits"], WITHIN, picture.shape, is_round=False)
    paper, most = np.median(picture[inside]), picture[inside].max()
    down, across = np.nonzero(inside & (picture > (paper + most) / 2))
    return bool(np.ptp(across) + 1 >= FLAT * (np.ptp(down) + 1))


def high_strokes(even: Floats, box: Box) -> int:
    """How many strokes as high as digits stand beside each other in a wide box.

    Args:
        even, box: as for `cut`.
    """
    ink = _inside(even, box)
    mask = ink > max(STROKE * float(np.percentile(ink, 98.5)), BARE)
    whole = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 1), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(whole)
    strokes: list[tuple[int, int, int, int]] = []  # left, top, right and bottom
    for x, y, width, height, _ in sorted(stats[1:].tolist()):
        part = (x, y, x + width, y + height)
        if strokes:
            left, top, right, bottom = strokes[-1]
            common = min(right, part[2]) - part[0]
            if common > ABOVE * min(right - left, width):
                part = (left, min(top, y), max(right, part[2]), max(bottom, part[3]))
                strokes.pop()
        strokes.append(part)
    return sum(bottom - top >= HIGH * len(ink) for _, top, _, bottom in strokes)


def has_long_stroke(even: Floats, box: Box) -> bool:
    """Whether a wide box has a stroke as long as a digit; arguments as for `cut`."""
    ink = _inside(even, box)
    mask = ink > max(STROKE * float(np.percentile(ink, 99.5)), CLEAR_INK)
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    longest = stats[1:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(initial=0)
    return bool(longest > LONG * FLAT_PX_PER_MM)


def _inside(even: Floats, box: Box) -> Floats:
    """The ink inside a wide box's outline."""
    (down, _), (_, across) = flat_area(box, -LINES), flat_area(box, -ENDS)
    ink = 1 - even[down, across]
    return np.asarray(ink - np.median(ink), np.float32)


@cache
def well_inside(
    size: tuple[Millimetres, Millimetres],
    margin: Millimetres,
    within: Millimetres,
    shape: tuple[int, ...],
    is_round: bool = True,
) -> npt.NDArray[np.bool_]:
    """The pixels of a box's picture that are well inside the box.

    Args:
        size: height and width of the box.
        margin: what is included around it.
        within: the distance from its edge; in a narrow box less, so that its middle is left.
        shape: rows and columns of the picture.
        is_round: whether it is an ellipse, as many outlines are round; else a rectangle.
    """
    pitch = max((side + 2 * margin) / pixels for side, pixels in zip(size, shape, strict=True))

    def from_middle(side: Millimetres, pixels: int) -> Floats:
        """Each pixel's distance from the middle; 1 is the end of what is well inside."""
        distances = np.abs(np.arange(pixels) - (pixels - 1) / 2) * pitch
        return np.asarray(distances / max(side / 2 - within, side / 6, pitch))

    down, across = map(from_middle, size, shape)
    away = np.hypot.outer(down, across) if is_round else np.maximum.outer(down, across)
    return np.asarray(away < 1)
