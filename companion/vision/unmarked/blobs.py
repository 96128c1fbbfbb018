"""Compact areas of one colour, such as boxes and round fields, whatever their colour is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import product
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from cv2.typing import MatLike

from companion.vision.mapping.plane import Matrix
from companion.vision.unmarked import bands

Color = npt.NDArray[np.uint8]

# Pixels across the neighbourhoods that a pixel is compared with; two sizes for two scales
WINDOWS: Final = (31, 75)
HALVED_WINDOW: Final = 101  # The same for bars, in the picture at half its size
# How much a pixel's L, a and b must differ from the mean around it
LIGHTER: Final = (4.0, 2.5, 2.5)
LEAST_SIDE: Final = 6  # Pixels across the smallest area that counts
# Area compared with that of the ellipse of the same moments: a disc has 1, a square 0.95, a
# triangle 0.83. Perspective does not change it.
COMPACT: Final = 0.86
LONGEST: Final = 3.2  # The greatest ratio of an area's axes, squares seen from the side among them
MOST: Final = 2500
# The most outlines that are looked at in a channel and window, the longest ones. Photos of six
# sheets on a patterned cloth have a quarter of it; noise and screens have a hundred thousand.
MOST_OUTLINES: Final = 4000
# Areas whose centres are closer than this share of their side are one, seen in two channels
SAME: Final = 0.35


@dataclass(frozen=True, eq=False)
class Blobs:
    """Compact areas of a picture; each array has one entry an area."""

    centers: Matrix  # (n, 2), in pixels
    shapes: Matrix  # (n, 2, 2): covariances of the areas' points, in square pixels
    areas: Matrix  # (n,), in square pixels
    bands: Matrix  # (m, 4, 2): the corners of long areas, in pixels; see `bands.distinct`

    def moved(self, matrix: Matrix) -> Blobs:
        """The same areas in a picture of another size.

        Args:
            matrix: (3, 3), how pixels are mapped to those of that picture, without turning.
        """
        scale = float(matrix[0, 0])
        centers = self.centers * scale + matrix[:2, 2]
        bands = self.bands * scale + matrix[:2, 2]
        return Blobs(centers, self.shapes * scale**2, self.areas * scale**2, bands)


def find_blobs(picture: Color, pads: Sequence[Matrix] = ()) -> Blobs:
    """The compact areas of a BGR picture, (height, width, 3).

    In each channel of L*a*b* a pixel is compared with the mean around it: boxes of one colour are
    distinguished from any ground, darker or lighter, if only by its hue.

    Args:
        pads: the corners, each (4, 2), of parts in which nothing is searched for.
    """
    sought = np.full(picture.shape[:2], 255, np.uint8)
    for corners in pads:
        cv2.fillConvexPoly(sought, np.round(corners).astype(np.int32), 0)
    lab = cv2.cvtColor(picture, cv2.COLOR_BGR2LAB)
    found: list[tuple[float, float, float, float, float, float]] = []
    long: list[Matrix] = []
    high: list[Matrix] = []
    for window in WINDOWS:
        for outlines in _outlines(lab, sought, window):
            found += _areas(outlines, window * 1.8)
            long += bands.four_sided(outlines)
    # Bars are as high as the larger window where a sheet fills the picture.
    half = cv2.blur(lab, (2, 2))[::2, ::2]
    for outlines in _outlines(half, sought[::2, ::2], HALVED_WINDOW):
        high += (2 * band - 0.5 for band in bands.four_sided(outlines, 0.5))
    table = np.array(found).reshape(-1, 6)
    areas = table[:, 0]
    shapes = np.stack([table[:, [3, 4]], table[:, [4, 5]]], axis=1)
    return _distinct(Blobs(table[:, 1:3], shapes, areas, bands.distinct(long, high)))


def _outlines(lab: MatLike, sought: Color, window: int) -> Iterator[Sequence[MatLike]]:
    """The outlines of what is lighter than around, and of what is darker, in each channel."""
    for channel, least in zip(cv2.split(lab), LIGHTER, strict=True):
        soft = cv2.GaussianBlur(channel, (3, 3), 0)
        around = cv2.blur(soft, (window, window))
        for lighter, darker in ((soft, around), (around, soft)):
            above = cv2.subtract(lighter, darker)
            mask = cv2.threshold(above, least, 255, cv2.THRESH_BINARY)[1]
            mask = cv2.bitwise_and(mask, sought)
            yield cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)[0]


def _areas(
    outlines: Sequence[MatLike], longest: float
) -> list[tuple[float, float, float, float, float, float]]:
    """(area, x, y, covariance xx, xy, yy) of each compact area; holes are filled."""
    found = []
    sizable = [line for line in outlines if LEAST_SIDE * 3 <= len(line) <= longest * 4.5]
    if len(sizable) > MOST_OUTLINES:
        sizable = nlargest(MOST_OUTLINES, sizable, key=len)
    for outline in sizable:
        m = cv2.moments(outline)
        area = m["m00"]
        if area < LEAST_SIDE**2 * 0.7:
            continue
        xx, xy, yy = m["mu20"] / area, m["mu11"] / area, m["mu02"] / area
        root = math.sqrt(max(xx * yy - xy * xy, 1e-9))
        if area < COMPACT * 4 * math.pi * root:
            continue
        spread = math.sqrt(((xx - yy) / 2) ** 2 + xy * xy)
        mean = (xx + yy) / 2
        if mean + spread > LONGEST**2 * (mean - spread):
            continue
        found.append((area, m["m10"] / area, m["m01"] / area, xx, xy, yy))
    return found


def _is_same(one: tuple[float, float, float], larger: tuple[float, float, float]) -> bool:
    """Whether two areas, each (x, y, side), are one that was seen twice."""
    (x, y, side), (other_x, other_y, other_side) = one, larger
    return math.hypot(other_x - x, other_y - y) < SAME * side and side / other_side > 0.8


def _distinct(blobs: Blobs) -> Blobs:
    """Each area once, the largest of those that are the same; at most `MOST`."""
    kept: list[int] = []
    cells: dict[tuple[int, int], list[tuple[float, float, float]]] = {}
    # Python's numbers: numpy takes three times as long for one at a time.
    table = np.c_[blobs.centers, np.sqrt(blobs.areas)].tolist()
    for place in np.argsort(-blobs.areas).tolist():
        x, y, side = table[place]
        column, row = int(x) // 8, int(y) // 8
        near: list[tuple[float, float, float]] = []
        for cell in product((column - 1, column, column + 1), (row - 1, row, row + 1)):
            near += cells.get(cell, ())
        if any(_is_same((x, y, side), other) for other in near):
            continue
        cells.setdefault((column, row), []).append((x, y, side))
        kept.append(place)
        if len(kept) == MOST:
            break
    return Blobs(blobs.centers[kept], blobs.shapes[kept], blobs.areas[kept], blobs.bands)
