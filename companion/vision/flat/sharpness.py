"""Measures how sharp a pad is in a photo, and its contrast, at the edges of its markers.

If no marker was found, it measures how sharp the whole photo is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.core import markers
from companion.core.sheet import Millimetres
from companion.vision.core import Pixels
from companion.vision.mapping.plane import Matrix
from companion.vision.mapping.surface import Surface
from companion.vision.markers.grouping import FoundPad
from companion.vision.markers.seeking import FIRST_PIXELS, Gray, resized, scale_for

# How far edges are sampled inwards, where all is black, and outwards, where all is white
FAR: Final[Millimetres] = markers.QUIET * 0.9
STEP: Final[Millimetres] = 0.1  # Between two samples across an edge
# Places of the profiles along an edge, in millimetres from its middle
ALONG: Final = np.linspace(-3.0, 3.0, 13)

# The side of the square in which only the steepest edge counts, in pixels at `FIRST_PIXELS`
WINDOW: Final = 15
# Standard deviation of the blur that is added against grain, and subtracted again
GRAIN: Final[Pixels] = 1.0
# The least contrast of an edge that is measured, of 255; print on paper has more
EDGE: Final = 50.0
# The shade, of 255, below which all but a small share of a photo is dark
BRIGHT_SHARE, DARKEST = 0.05, 50
FEWEST_EDGES: Final = 30  # Least number of edges by which the whole photo is judged
# The share of all edges that must run in one direction for it to be looked at alone
OFTEN: Final = 0.1
SHARPEST: Final = 0.1  # The quantile of the edges' blurs that shows how sharp a photo is
# A photo with a larger blur in any direction is blurred as a whole, at `FIRST_PIXELS`. Of 110 sharp
# photos without pads none had more than 2.5, and pads whose markers are lost have at least 2.9, if
# they fill the photo.
BLURRED: Final[Pixels] = 2.8


@dataclass(frozen=True)
class Sharpness:
    """Contrast and blur of a pad's markers."""

    contrast: float  # difference between black and white, 0 to 255
    blur: Millimetres  # standard deviation of the blur, in the worse of the two directions


def marker_sharpness(gray: Gray, surface: Surface, found: FoundPad) -> Sharpness:
    """Measures the outer edges of all markers that were found.

    Args:
        gray: the photo.
        surface: the pad's surface in the photo; a rough estimate is enough.
    """
    steps = np.arange(-FAR, FAR + STEP / 2, STEP)
    middles = [found.kind.printed[corner].mean(axis=0) for corner in found.seen]
    edges = np.stack([_edge(at, side, steps[[0, -1]]) for at in middles for side in range(4)])
    # Over so short a way, only the ends have to be mapped.
    first, last = np.moveaxis(surface.to_photo(edges.reshape(-1, 2)).reshape(-1, 2, 1, 2), 1, 0)
    shares = np.linspace(0, 1, len(steps))[:, np.newaxis]
    places = (first + (last - first) * shares).reshape(-1, 2).astype(np.float32)
    values = cv2.remap(
        gray,
        places[:, 0].reshape(len(edges), -1),
        places[:, 1].reshape(len(edges), -1),
        cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    profiles = values.reshape(len(edges), len(ALONG), len(steps)).astype(np.float64)
    ends = len(steps) // 6
    black = np.median(profiles[..., :ends], axis=(1, 2))
    white = np.median(profiles[..., -ends:], axis=(1, 2))
    contrasts = white - black
    slopes = np.gradient(_smooth(profiles.mean(axis=1)), STEP, axis=1).max(axis=1)
    # An edge under a Gaussian blur is steepest in its middle: contrast / (sigma · sqrt(2 pi)).
    blurs = contrasts / np.maximum(slopes, 1e-6) / math.sqrt(2 * math.pi)
    across, down = (float(np.median(blurs[first::2])) for first in (0, 1))
    return Sharpness(float(np.median(contrasts)), max(across, down))


def is_dark(gray: Gray) -> bool:
    """Whether hardly anything in a photo, of any size, is brighter than a shadow."""
    return float(np.quantile(gray[::8, ::8], 1 - BRIGHT_SHARE)) < DARKEST


def is_blurred(gray: Gray) -> bool:
    """Whether a photo has edges, but in some direction no sharp ones: it is shaken or out of focus.

    Args:
        gray: the photo, of any size.
    """
    small = resized(gray, scale_for(gray, FIRST_PIXELS))
    if min(small.shape) < 4 * WINDOW:
        return False
    small = np.asarray(cv2.GaussianBlur(small, (0, 0), GRAIN), np.uint8)
    x, y = (
        np.asarray(cv2.Scharr(small, cv2.CV_32F, *axis) / 32, np.float32)
        for axis in ((1, 0), (0, 1))
    )
    slope = cv2.magnitude(x, y)
    around = np.ones((WINDOW, WINDOW), np.uint8)
    contrast = cv2.subtract(cv2.dilate(small, around), cv2.erode(small, around))
    is_edge = (slope >= cv2.dilate(slope, around)) & (contrast >= EDGE)
    # Close to the picture's edge, squares are cut off.
    is_edge[:WINDOW] = is_edge[-WINDOW:] = False
    is_edge[:, :WINDOW] = is_edge[:, -WINDOW:] = False
    if np.count_nonzero(is_edge) < FEWEST_EDGES:
        return False
    # As in `marker_sharpness`, from the steepest place of an edge.
    blurs = contrast[is_edge] / slope[is_edge] / math.sqrt(2 * math.pi)
    blurs = np.sqrt(np.maximum(blurs**2 - GRAIN**2, 0))
    directions = np.round(np.arctan2(y[is_edge], x[is_edge]) / (math.pi / 4)) % 4
    for direction in range(4):
        there = directions == direction
        if np.mean(there) >= OFTEN and np.quantile(blurs[there], SHARPEST) > BLURRED:
            return True
    return False


def _edge(middle: Matrix, side: int, steps: Matrix) -> Matrix:
    """Sample points across a marker's edge, from the inside, ((points along) · steps, 2), in mm."""
    out = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]][side])
    beside = np.array([-out[1], out[0]])
    across = (steps + markers.MARKER / 2)[np.newaxis, :, np.newaxis] * out
    along = ALONG[:, np.newaxis, np.newaxis] * beside
    return np.asarray((across + along + middle).reshape(-1, 2), np.float64)


def _smooth(profiles: Matrix) -> Matrix:
    """The profiles smoothed by a mean of three samples, against grain."""
    padded = np.pad(profiles, ((0, 0), (1, 1)), mode="edge")
    return np.asarray((padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3, np.float64)
