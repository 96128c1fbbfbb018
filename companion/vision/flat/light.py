"""Divides the illumination out of a flattened pad, so that white paper is 1 under any lamp."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Millimetres
from companion.vision.core import FLAT_PX_PER_MM

COARSE_PX_PER_MM: Final = 2.0  # The resolution at which the illumination is estimated
# Dark areas narrower than this, such as coloured boxes, are not mistaken for shade
WIDEST_INK: Final[Millimetres] = 11.0
# Standard deviation of the blur that smooths the estimate. It is small, so that the edge of a hard
# shadow stays where it is: with twice as much, the remains of an edge look like faint pencil.
SOFTNESS: Final[Millimetres] = 0.7
DARKEST: Final = 8.0  # The smallest illumination, of 255, to divide by


def evened(flat: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """The brightness of each pixel of a flattened pad as if it were evenly lit.

    The pad is divided by a morphological closing of itself. The closing removes print and ink and
    keeps the edges of large dark areas (shadows), which a blur or a percentile filter would smear.

    Args:
        flat: gray values of shape (height, width), at `FLAT_PX_PER_MM`.

    Returns:
        float32 of the same shape: 1 is white paper, 0 black ink; reflections exceed 1 slightly.
    """
    height, width = flat.shape
    scale = COARSE_PX_PER_MM / FLAT_PX_PER_MM
    coarse = cv2.resize(
        flat, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA
    )
    coarse = cv2.medianBlur(coarse, 3)
    side = round(WIDEST_INK * COARSE_PX_PER_MM) | 1
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (side, side))
    # Mirrored, so that the pad's edge does not look like a shadow.
    padded = cv2.copyMakeBorder(coarse, side, side, side, side, cv2.BORDER_REFLECT_101)
    paper = cv2.morphologyEx(padded, cv2.MORPH_CLOSE, kernel)[side:-side, side:-side]
    paper = cv2.GaussianBlur(
        paper.astype(np.float32), (0, 0), SOFTNESS * COARSE_PX_PER_MM, borderType=cv2.BORDER_REFLECT
    )
    paper = np.maximum(paper, DARKEST)
    light = cv2.resize(paper, (width, height), interpolation=cv2.INTER_LINEAR)
    return np.asarray(flat.astype(np.float32) / light, np.float32)
