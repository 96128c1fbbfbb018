"""Measures how sharp a pad is in a photo, and its contrast, at the edges of its markers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.core import markers
from companion.core.sheet import Box, Millimetres
from companion.vision.finding import FoundPad
from companion.vision.seeking import Gray
from companion.vision.surface import Matrix, Surface

FAR: Final[Millimetres] = markers.QUIET * 0.9
"""How far edges are sampled inwards, where all is black, and outwards, where all is white."""
STEP: Final[Millimetres] = 0.1
"""Between two samples across an edge."""
ALONG: Final = np.linspace(-3.0, 3.0, 13)
"""Where profiles are sampled along an edge, in millimetres from its middle."""


@dataclass(frozen=True)
class Sharpness:
    """Contrast and blur of a pad's markers."""

    contrast: float
    """Difference between black and white, 0 to 255."""
    blur: Millimetres
    """Standard deviation of the blur, in the worse of the two directions."""


def marker_sharpness(gray: Gray, surface: Surface, found: FoundPad) -> Sharpness:
    """Measures the outer edges of all markers that were found.

    Args:
        gray: the photo.
        surface: the pad's surface in the photo; a rough estimate is enough.
    """
    paper = found.paper
    boxes = [
        marker.box
        for marker in markers.on_pad(found.sheet.number, 0, paper.width, paper.height)
        if marker.corner in found.markers
    ]
    steps = np.arange(-FAR, FAR + STEP / 2, STEP)
    edges = np.stack([_edge(box, side, steps[[0, -1]]) for box in boxes for side in range(4)])
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


def _edge(box: Box, side: int, steps: Matrix) -> Matrix:
    """Sample points across a marker's edge, from the inside, ((points along) · steps, 2), in mm."""
    x, y = box.center
    out = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]][side])
    beside = np.array([-out[1], out[0]])
    across = (steps + box.width / 2)[np.newaxis, :, np.newaxis] * out
    along = ALONG[:, np.newaxis, np.newaxis] * beside
    return np.asarray((across + along + [x, y]).reshape(-1, 2), np.float64)


def _smooth(profiles: Matrix) -> Matrix:
    """The profiles smoothed by a mean of three samples, against grain."""
    padded = np.pad(profiles, ((0, 0), (1, 1)), mode="edge")
    return np.asarray((padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3, np.float64)
