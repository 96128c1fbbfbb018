"""Paper that does not lie flat, as a photo shows it: displacements, and light on its slopes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Millimetres
from training.hands import Rng
from training.optics import Matrix

AROUND: Final[Millimetres] = 8.0
"""How much paper beyond the pad's cut edge can be visible, because some pads are cut badly."""
GRID: Final[Millimetres] = 4.0
"""The distance between the points for which the shape of the paper is computed."""


@dataclass(frozen=True)
class Bend:
    """How the paper is bent: the apparent displacement of its points, and its slope.

    Grids with a value every `GRID` millimetres, from `AROUND` outside the pad's top left corner on.
    """

    dx: npt.NDArray[np.float32]
    dy: npt.NDArray[np.float32]
    """Displacements in the plane of the table, in millimetres."""
    slope: npt.NDArray[np.float32]
    """Rise of the paper, for the light that falls on it."""


def random_bend(width: Millimetres, height: Millimetres, rng: Rng) -> Bend:
    """A bow of up to 3 % of the width, and sometimes one or two folds."""
    x, y = np.meshgrid(
        np.arange(-AROUND, width + AROUND + GRID, GRID),
        np.arange(-AROUND, height + AROUND + GRID, GRID),
    )
    angle = rng.choice((0.0, math.pi / 2)) + rng.normal(0, 0.25)
    along = ((x - width / 2) * math.cos(angle) + (y - height / 2) * math.sin(angle)) / width
    tall = width * (rng.uniform(0, 0.03) if rng.random() < 0.6 else rng.uniform(0, 0.006))
    z = tall * np.cos(along * math.pi * rng.uniform(0.6, 1.4) + rng.normal(0, 0.4))
    for _ in range(int(rng.choice((0, 1, 2), p=(0.7, 0.2, 0.1)))):
        turn = rng.choice((0.0, math.pi / 2)) + rng.normal(0, 0.06)
        off = (x - rng.uniform(0.25, 0.75) * width) * math.cos(turn)
        off = off + (y - rng.uniform(0.25, 0.75) * height) * math.sin(turn)
        z = z + rng.uniform(-0.03, 0.03) * np.sqrt(off**2 + 4)
    # Seen at an angle, higher points appear further away from the camera.
    view = rng.normal(0, 0.28, 2)
    dx = z * (view[0] + (x - width / 2) / (2 * width))
    dy = z * (view[1] + (y - height / 2) / (2 * width))
    slope = np.gradient(z, GRID, axis=1) * math.cos(angle) + np.gradient(
        z, GRID, axis=0
    ) * math.sin(angle)
    return Bend(*(part.astype(np.float32) for part in (dx - dx.mean(), dy - dy.mean(), slope)))


def _at(
    grid: npt.NDArray[np.float32], x: npt.NDArray[np.float32], y: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    """The values of a grid at points of the pad, interpolated."""
    scaled = [((part + AROUND) / GRID).astype(np.float32) for part in (x, y)]
    return cv2.remap(grid, *scaled, cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE)


def to_pixel(to_photo: Matrix, bend: Bend, x: float, y: float) -> tuple[float, float]:
    """The pixel of the photo that shows a point of the pad.

    Args:
        to_photo: (3, 3), from millimetres on the flat pad to pixels.
    """
    point = np.array([[x]], np.float32), np.array([[y]], np.float32)
    seen = np.array(
        [[[x + _at(bend.dx, *point)[0, 0], y + _at(bend.dy, *point)[0, 0]]]], np.float64
    )
    there = cv2.perspectiveTransform(seen, to_photo)[0, 0]
    return float(there[0]), float(there[1])


def paper_points(
    to_photo: Matrix,
    bend: Bend,
    size: tuple[int, int],
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """The point of the paper that each pixel of the photo shows: its x and y, (rows, columns) each.

    Args:
        to_photo: (3, 3), from millimetres on the flat pad to pixels.
        size: rows and columns of the photo.
    """
    rows, columns = size
    coarse = 6
    places = np.stack(
        np.meshgrid(
            np.arange(0, columns + coarse, coarse, dtype=np.float64),
            np.arange(0, rows + coarse, coarse, dtype=np.float64),
        ),
        axis=-1,
    )
    flat = cv2.perspectiveTransform(places, np.linalg.inv(to_photo)).astype(np.float32)
    seen_x, seen_y = flat[..., 0].copy(), flat[..., 1].copy()
    x, y = seen_x, seen_y
    for _ in range(4):
        x, y = seen_x - _at(bend.dx, x, y), seen_y - _at(bend.dy, x, y)
    across, down = np.meshgrid(
        np.arange(columns, dtype=np.float32) / coarse, np.arange(rows, dtype=np.float32) / coarse
    )
    return (
        cv2.remap(x, across, down, cv2.INTER_LINEAR),
        cv2.remap(y, across, down, cv2.INTER_LINEAR),
    )


def slope_light(
    x: npt.NDArray[np.float32],
    y: npt.NDArray[np.float32],
    bend: Bend,
    on: npt.NDArray[np.bool_],
    rng: Rng,
) -> npt.NDArray[np.float32]:
    """A map of illumination: paper that slopes away from the lamp is darker.

    Args:
        x, y: the points of the paper, as `paper_points` returns them.
        on: which pixels show paper.
    """
    slope = _at(bend.slope, x, y) * on
    return np.clip(1 + rng.normal(0, 1.2) * slope, 0.7, 1.15).astype(np.float32)
