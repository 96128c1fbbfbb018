"""Finds pale things, such as a white die or a reflection, that lie within a box's outline.

Nothing of them is dark, so to the networks a box under them looks empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.shapes import inset
from companion.core.sheet import Box, Millimetres
from companion.vision.core import FLAT_PX_PER_MM

WITHIN: Final = 0.22
"""The share of a box's width and height, on each side, that may show its outline."""
NEAR: Final[Millimetres] = 28.0
"""Between boxes this close to each other, the light changes evenly, unless there is a shadow."""
FEWEST: Final = 4
"""The number of close boxes from which a box is compared with them."""
PALER: Final = 1.05
"""Least ratio of a covered box's brightness to the light around it."""
EVENLY: Final = 0.03
"""If the light around a box is less even than this share of it, the box may lie between shadows."""


def pale_mask(image: npt.NDArray[np.uint8], boxes: Sequence[Box]) -> npt.NDArray[np.bool_]:
    """Whether each of some empty boxes is brighter than those around it, (boxes,).

    Args:
        image: the flattened pad at `FLAT_PX_PER_MM`, as it was lit.
        boxes: of one kind, without ink.
    """
    levels = _levels(image, boxes)
    centers = np.array([box.center for box in boxes]).reshape(-1, 2)
    pale = np.zeros(len(boxes), bool)
    for place, (center, level) in enumerate(zip(centers, levels, strict=True)):
        apart = centers - center
        near = np.linalg.norm(apart, axis=1) < NEAR
        near[place] = False
        # A box no brighter than the darkest one close to it needs no closer look.
        if np.count_nonzero(near) < FEWEST or level < PALER * levels[near].min():
            continue
        plane = np.column_stack([np.ones(np.count_nonzero(near)), apart[near]])
        light, *_ = np.linalg.lstsq(plane, levels[near], rcond=None)
        unevenness = np.abs(plane @ light - levels[near]).max()
        pale[place] = level > PALER * light[0] and unevenness < EVENLY * level
    return pale


def _levels(image: npt.NDArray[np.uint8], boxes: Sequence[Box]) -> npt.NDArray[np.float64]:
    """The mean brightness well inside each box, (boxes,)."""
    sums = cv2.integral(image)
    height, width = image.shape
    inner = [inset(box, WITHIN * min(box.width, box.height)) for box in boxes]
    edges = np.array([(box.x, box.y, box.x + box.width, box.y + box.height) for box in inner])
    edges = np.clip(
        np.round(edges.reshape(-1, 4) * FLAT_PX_PER_MM).astype(int),
        0,
        [width, height, width, height],
    )
    left, top, right, bottom = edges.T
    areas = np.maximum((right - left) * (bottom - top), 1)
    whole = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
    return np.asarray(whole / areas, np.float64)
