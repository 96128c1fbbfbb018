"""Maps points on a pad to pixels of the photo: a homography, and how the paper is bent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Millimetres
from companion.vision.mapping.plane import Matrix, box_corners, mapped
from companion.vision.mapping.spline import Spline

# Pixels of a flattened picture between points that are mapped exactly; between them, bilinear
STEP: Final = 8
# The most pixels of a photo for one of the flattened picture; with more, lines would break
FINEST: Final = 2.0

# `cv2.remap`'s second map, where the first holds x and y; its stubs do not allow None
ALONE: Final[Any] = None


@dataclass(frozen=True, eq=False)
class Surface:
    """A pad's paper in a photo.

    The point p, in millimetres, appears at the pixel homography(p + bend(p)).
    """

    homography: Matrix  # (3, 3), from millimetres to pixels
    width: Millimetres
    height: Millimetres
    # The apparent displacement of each point, in millimetres, compared with flat paper
    bend: Spline

    def to_photo(self, points: Matrix) -> Matrix:
        """Pixels (n, 2) at which points (n, 2), in millimetres, appear."""
        return mapped(self.homography, points + self.bend.at(points))

    def quads(self, boxes: Sequence[Box]) -> Matrix:
        """The corners of boxes on the pad in the photo, clockwise from the top left, (n, 4, 2)."""
        corners = np.array(list(map(box_corners, boxes)))
        return self.to_photo(corners.reshape(-1, 2)).reshape(-1, 4, 2)

    def is_inside(
        self, picture: npt.NDArray[np.uint8], boxes: Sequence[Box]
    ) -> npt.NDArray[np.bool_]:
        """Whether each of some boxes on the pad is in the photo with all its corners, (n,)."""
        height, width = picture.shape[:2]
        places = self.quads(boxes)
        inside = (places >= -0.5) & (places <= [width - 0.5, height - 0.5])
        return np.asarray(inside.all(axis=(1, 2)), np.bool_)

    def scale(self) -> float:
        """Pixels per millimetre at the middle of the pad, in the direction with more."""
        middle = np.array([self.width / 2, self.height / 2])
        near = middle + np.array([[-0.5, 0], [0.5, 0], [0, -0.5], [0, 0.5]])
        a, b, c, d = self.to_photo(near)
        return float(max(np.linalg.norm(b - a), np.linalg.norm(d - c)))

    def flattened(
        self,
        picture: npt.NDArray[np.uint8],
        resolution: float,
        *,
        outside: int | None = None,
    ) -> npt.NDArray[np.uint8]:
        """The pad cut out of a photo and rectified.

        Args:
            picture: the photo, (rows, columns) or (rows, columns, channels).
            resolution: pixels per millimetre of the rectified picture.
            outside: the shade of what is outside the photo; None continues the photo's edge.

        Raises:
            ValueError: the pad lies outside the photo.
        """
        raster = Raster(self.width, self.height, resolution)
        x, y = raster.millimetres
        at = np.stack(np.meshgrid(x, y), axis=-1) + self.bend.on_grid(x, y)
        part, places = _part_around(picture, mapped(self.homography, at))
        times = math.ceil(self.scale() / resolution / FINEST)
        if times > 1:
            part = _reduced(part, times)
            places = (places + 0.5) / times - 0.5
        flat = cv2.remap(
            part,
            raster.between(places),
            ALONE,
            cv2.INTER_LINEAR,
            borderMode=cv2.BORDER_REPLICATE if outside is None else cv2.BORDER_CONSTANT,
            borderValue=(outside or 0,) * 3,
        )
        return np.asarray(flat, np.uint8)


def _part_around(
    picture: npt.NDArray[np.uint8], places: Matrix
) -> tuple[npt.NDArray[np.uint8], Matrix]:
    """(the part of a photo between the outermost of some pixels, these pixels in that part).

    Args:
        places: (rows, columns, 2).

    Raises:
        ValueError: they lie outside the photo.
    """
    low = np.floor(places.min(axis=(0, 1))).astype(int)
    high = np.ceil(places.max(axis=(0, 1))).astype(int) + 1
    left, top = np.clip(low, 0, None)
    right, bottom = np.clip(high, 0, picture.shape[1::-1])
    if right - left < 2 or bottom - top < 2:
        raise ValueError("the pad lies outside the picture")
    return picture[top:bottom, left:right], places - [left, top]


def _reduced(part: npt.NDArray[np.uint8], times: int) -> npt.NDArray[np.uint8]:
    """The picture, a pixel for each whole block, so that the position of each pixel is known."""
    tall, wide = (max(side // times, 1) for side in part.shape[:2])
    blocks = part[: tall * times, : wide * times]
    return np.asarray(cv2.resize(blocks, (wide, tall), interpolation=cv2.INTER_AREA), np.uint8)


@dataclass(frozen=True)
class Raster:
    """The pixels of a flattened picture; every `STEP`-th one is mapped exactly.

    On each side one more exact point lies beyond the picture.
    """

    width: Millimetres
    height: Millimetres
    resolution: float  # pixels per millimetre

    @property
    def shape(self) -> tuple[int, int]:
        """Height and width in pixels."""
        return round(self.height * self.resolution), round(self.width * self.resolution)

    @property
    def millimetres(self) -> tuple[Matrix, Matrix]:
        """The exact points' x and y on the pad, each in ascending order."""
        height, width = self.shape
        x, y = (
            np.asarray((np.arange(-1, -(-side // STEP) + 1) + 0.5) * STEP / self.resolution)
            for side in (width, height)
        )
        return x, y

    def between(self, exact: Matrix) -> npt.NDArray[np.float32]:
        """Values at all pixels, interpolated from values (rows, columns, 2) at the exact points."""
        height, width = self.shape
        rows, columns = exact.shape[:2]
        fine = cv2.resize(
            exact.astype(np.float32),
            (columns * STEP, rows * STEP),
            interpolation=cv2.INTER_LINEAR,
        )
        return np.asarray(fine[STEP : STEP + height, STEP : STEP + width], np.float32)

    def steps(self, millimetres: Matrix) -> npt.NDArray[np.float32]:
        """Points on the pad, in units of exact points from the first one."""
        return np.asarray(millimetres * (self.resolution / STEP) + 0.5, np.float32)
