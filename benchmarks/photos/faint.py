"""Which marks nobody can see in a photo, because their pencil is lost in its noise.

The photo is compared with the same one of the sheet before anybody wrote on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Millimetres

Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]

STROKE: Final[Millimetres] = 0.15
"""The standard deviation of a thin stroke's profile: finer differences are noise."""
GROUND: Final[Millimetres] = 0.6  # differences that are smoother than this are light and shade
EYE: Final = 2.0
"""Gray levels, of 255, at a stroke's scale, below which a person sees nothing without noise."""
SEEN: Final = 7.5
"""The least ratio of signal to noise of marks that a person sees.

Of 123 cut-outs, the faintest of 1,100 marks on 28 sheets, 86 could be seen, often only when looked
for; all of these have 8 and more. Of the 37 others 10 have less than this, and most of the rest
cross out a black digit.
"""


@dataclass(frozen=True, eq=False)
class Versions:
    """One photo with the same light and noise, gray, before it is compressed."""

    inked: Picture
    bare: Picture  # before anybody wrote on the sheets
    quiet: Picture  # the same without the sensor's noise


def faint_marks(
    photo: Versions, marks: Mapping[str, npt.NDArray[np.floating]], px_per_mm: float
) -> Iterator[str]:
    """The names of the marks that nobody sees: a matched filter's signal-to-noise ratio is low.

    Args:
        marks: name → corners of the area around the mark, (4, 2) pixels, in the photo.
    """
    size = np.array(photo.bare.shape[::-1])
    fine, coarse = max(STROKE * px_per_mm, 0.5), GROUND * px_per_mm
    for name, corners in marks.items():
        # What lies around the area has a part in its smooth differences.
        low = np.maximum(np.floor(corners.min(axis=0) - 3 * coarse).astype(int), 0)
        high = np.minimum(np.ceil(corners.max(axis=0) + 3 * coarse).astype(int), size)
        part = slice(low[1], high[1]), slice(low[0], high[0])
        inked, bare, quiet = (
            _strokes(version[part], fine, coarse)
            for version in (photo.inked, photo.bare, photo.quiet)
        )
        inside = np.zeros(bare.shape, np.uint8)
        cv2.fillConvexPoly(inside, np.round(corners - low).astype(np.int32), 1)
        is_in = inside > 0
        noise = np.hypot(np.std((bare - quiet)[is_in]), EYE)
        # Blurred noise is alike in as many neighbouring pixels as the blur's square sums up to.
        signal = np.linalg.norm((inked - bare)[is_in]) / (np.sqrt(4 * np.pi) * fine)
        if signal < SEEN * noise:
            yield name


def _strokes(picture: Picture, fine: float, coarse: float) -> Floats:
    """The picture's details that are as broad as a stroke, in gray levels."""
    gray = picture.astype(np.float32)
    return np.asarray(
        cv2.GaussianBlur(gray, (0, 0), fine) - cv2.GaussianBlur(gray, (0, 0), coarse), np.float32
    )
