"""Rectifies a pad of a photo, even if the paper is bent, and checks that it can be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.core.shapes import inset
from companion.core.sheet import AnySheetKind, Blank, Field, Millimetres, Paper
from companion.core.words import Sentence
from companion.vision.core import FLAT_PX_PER_MM, Corners, Trouble, as_corners
from companion.vision.flat import light, matching, sharpness
from companion.vision.mapping.plane import paper_corners
from companion.vision.mapping.surface import Surface
from companion.vision.markers import finding
from companion.vision.markers.grouping import FoundPad
from companion.vision.markers.seeking import Gray

LEAST_PX_PER_MM: Final = 2.0  # Least resolution; below it a pen's stroke is less than a pixel wide
# The least difference, of 255, between printed black and paper; below, pencil drowns in grain
LEAST_CONTRAST: Final = 14.0
# The largest standard deviation of a blur that leaves digits legible; strokes are 0.5 mm wide
WIDEST_BLUR: Final[Millimetres] = 0.52
# A blur above this may be the reason why the print was not recognized
BLUR: Final[Millimetres] = 0.42
# The least share of outlines that must be found. Pads that are read correctly have at least 0.89,
# however much is written on them; a pad on which a fold was mistaken for the next row of boxes had
# 0.66.
FIT: Final = 0.72
# The share of found outlines below which this is not the pad that the markers name
STRANGE: Final = 0.25
MAY_LIE_OUTSIDE: Final[Millimetres] = 0.3  # The part of a field that may lie outside the photo
# The least resolution, in the worse direction, of a field that can be read; a corner may curl
SLANTED_PX_PER_MM: Final = 1.4
# The largest share of a pad's fields that may be out of sight; the others are read
MOST_UNSEEN: Final = 0.5
# The shade of what is outside the photo in the picture of a pad that people look at
OUTSIDE: Final = 110

CUT_OFF: Final = Sentence(
    "Part of a pad is outside the photo. Take it again with the whole pad in the picture."
)
DARK: Final = Sentence(
    "The photo is too dark to read a pad in it. Turn on a light, and take it again."
)
BLURRED: Final = Sentence(
    "A pad is blurred in the photo. Hold the phone still, tap on the pad to focus, and take "
    "it again."
)
NOT_FLAT: Final = Sentence(
    "Too little of the print on a pad can be recognized. Lay it flat, with nothing lying on it, "
    "and take the photo again."
)
UNKNOWN: Final = Sentence(
    "The corners of a pad do not match what is printed between them. Take away what lies on it. "
    "Only pads printed by this app can be read."
)


@dataclass(frozen=True, eq=False)
class Flat:
    """A rectified sheet; its form does not depend on how the sheet was found."""

    sheet: AnySheetKind
    board: str  # `""` where the sheet has no boards
    paper: Paper
    corners: Corners  # the paper's corners in the photo
    surface: Surface  # maps the paper to the photo
    image: Gray  # the whole paper at `FLAT_PX_PER_MM`, (height, width)
    fit: matching.Fit
    # The fields that are not, or not wholly, in the photo, or seen from their edge
    unseen: frozenset[str] = frozenset()
    unseen_sums: frozenset[str] = frozenset()  # the blanks for sums, likewise

    @cached_property
    def even(self) -> npt.NDArray[np.float32]:
        """`image` as if evenly lit; see `light.evened`."""
        return light.evened(self.image)

    def warp(self, picture: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Rectifies another picture of the same photo, of the same size, in the same way.

        Args:
            picture: of shape (height, width) or (height, width, channels).
        """
        return self.surface.flattened(picture, FLAT_PX_PER_MM, outside=OUTSIDE)


def flatten(gray: Gray, found: FoundPad) -> Flat | Trouble:
    """Rectifies one pad, or returns the reason why it cannot be read.

    Args:
        gray: the photo in which the pad was found.
    """
    where, kind = found.corners, found.kind
    if found.px_per_mm < LEAST_PX_PER_MM:
        return Trouble("too-small", finding.TOO_SMALL, where)
    rough, displaced = matching.surface_from_markers(found)
    seen = sharpness.marker_sharpness(gray, rough, found)
    if seen.contrast < LEAST_CONTRAST:
        return Trouble("dark", DARK, where)
    if seen.blur > WIDEST_BLUR:
        return Trouble("blurred", BLURRED, where)
    surface, fit = matching.fit_surface(gray, found, rough, displaced)
    if found.is_guess and fit.everywhere < FIT:
        return Trouble("cut-off", finding.CUT_OFF, where)
    where = as_corners(surface.to_photo(paper_corners(kind.paper)))
    unseen = _unseen(gray, surface, kind.paper.fields)
    if len(unseen) > MOST_UNSEEN * len(kind.paper.fields):
        return Trouble("cut-off", CUT_OFF, where)
    if fit.everywhere < FIT:
        return Trouble(*_why_lost(fit, seen.blur, bool(unseen)), where)
    return Flat(
        kind.sheet,
        kind.board,
        kind.paper,
        where if found.is_guess else found.corners,
        surface,
        surface.flattened(gray, FLAT_PX_PER_MM),
        fit,
        unseen,
        _unseen(gray, surface, kind.paper.sums),
    )


def _why_lost(fit: matching.Fit, blur: Millimetres, is_partly_unseen: bool) -> tuple[str, Sentence]:
    """(the code, the sentence) of the reason why too little of a pad's print was found."""
    if blur > BLUR:
        return "blurred", BLURRED
    if is_partly_unseen:
        return "cut-off", CUT_OFF
    if fit.everywhere < STRANGE:
        return "unknown-pad", UNKNOWN
    return "not-flat", NOT_FLAT


def _unseen(gray: Gray, surface: Surface, places: Sequence[Field | Blank]) -> frozenset[str]:
    """The places that lie farther outside the photo than they may, or are seen from their edge."""
    boxes = [inset(place.box, MAY_LIE_OUTSIDE) for place in places]
    inside = surface.is_inside(gray, boxes)
    sides = np.diff(surface.quads(boxes), axis=1)[:, :2]
    across, down = sides[:, 0], sides[:, 1]
    areas = across[:, 0] * down[:, 1] - across[:, 1] * down[:, 0]
    # The narrower way of a parallelogram is its area by its longer side.
    scales = areas / np.array([box.width * box.height for box in boxes])
    scales /= np.max([np.linalg.norm(side, axis=1) for side in (across, down)], axis=0)
    scales *= np.array([max(box.width, box.height) for box in boxes])
    return frozenset(
        place.id
        for place, is_inside, scale in zip(places, inside, scales, strict=True)
        if not (is_inside and scale > SLANTED_PX_PER_MM)
    )
