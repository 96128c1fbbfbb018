"""How sharp and how bright a pad is in a photo, by the edges of its markers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from companion.core import markers
from companion.core.sheet import Box, Millimetres
from companion.vision.finding import Find
from companion.vision.seeking import Gray
from companion.vision.surface import Matrix, Surface

FAR: Final[Millimetres] = markers.QUIET * 0.9
"""From an edge, inwards and outwards; there it is all black, here all white."""
STEP: Final[Millimetres] = 0.1
ALONG: Final = np.linspace(-3.0, 3.0, 13)
"""Places along an edge, in millimetres from its middle."""


@dataclass(frozen=True)
class Sharpness:
    """What the edges of a pad's markers look like."""

    contrast: float
    """Between black and white, of 255."""
    blur: Millimetres
    """The standard deviation of the blur, in the direction in which it is worse."""


def of_markers(gray: Gray, surface: Surface, find: Find) -> Sharpness:
    """Measures the outer edges of all markers that were found.

    Args:
        surface: where the pad's places are in the photo; roughly is enough.
    """
    paper = find.paper
    boxes = [
        marker.box
        for marker in markers.on_pad(find.sheet.number, 0, paper.width, paper.height)
        if marker.corner in find.markers
    ]
    steps = np.arange(-FAR, FAR + STEP / 2, STEP)
    edges = np.stack([_edge(box, side, steps) for box in boxes for side in range(4)])
    places = surface.to_photo(edges.reshape(-1, 2)).astype(np.float32)
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
    """Places across a marker's edge, from the inside, (places along · steps, 2)."""
    x, y = box.center
    out = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]][side])
    beside = np.array([-out[1], out[0]])
    across = (steps + box.width / 2)[np.newaxis, :, np.newaxis] * out
    along = ALONG[:, np.newaxis, np.newaxis] * beside
    return np.asarray((across + along + [x, y]).reshape(-1, 2), np.float64)


def _smooth(profiles: Matrix) -> Matrix:
    """A mean of three, against grain."""
    padded = np.pad(profiles, ((0, 0), (1, 1)), mode="edge")
    return np.asarray((padded[:, :-2] + padded[:, 1:-1] + padded[:, 2:]) / 3, np.float64)
