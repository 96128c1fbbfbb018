"""Points, rectangles and homographies of the plane."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Paper

Matrix: TypeAlias = npt.NDArray[np.float64]


def box_corners(box: Box) -> Matrix:
    """A box's corners in millimetres, (4, 2), clockwise from the top left."""
    right, bottom = box.x + box.width, box.y + box.height
    return np.array([(box.x, box.y), (right, box.y), (right, bottom), (box.x, bottom)])


def paper_corners(paper: Paper) -> Matrix:
    """A paper's corners in millimetres, (4, 2), clockwise from the top left."""
    return box_corners(Box(0.0, 0.0, paper.width, paper.height))


def inverse(homography: Matrix) -> Matrix:
    """The homography from pixels to millimetres."""
    return np.asarray(np.linalg.inv(homography), np.float64)


def scaling(times: float, offset: tuple[float, float] = (0.0, 0.0)) -> Matrix:
    """(3, 3): maps the pixels of a picture to those of one that is `times` as large.

    Integers are the centres of pixels in both.

    Args:
        offset: where the larger picture begins in the smaller one, in pixels of the larger.
    """
    x, y = (times / 2 - 0.5 - part for part in offset)
    return np.array([[times, 0, x], [0, times, y], [0, 0, 1.0]])


def mapped(homography: Matrix, points: Matrix) -> Matrix:
    """Points of shape (..., 2) mapped by a homography."""
    x, y = points[..., 0], points[..., 1]
    depth = homography[2, 0] * x + homography[2, 1] * y + homography[2, 2]
    return np.stack([(row[0] * x + row[1] * y + row[2]) / depth for row in homography[:2]], axis=-1)


def homographies(printed: Matrix, seen: Matrix, counts: npt.NDArray[np.bool_]) -> Matrix:
    """(h, 3, 3): homographies from millimetres to pixels, each of the least algebraic error.

    Solved for all ways at once: one by one, by `cv2`, they take thirty times as long.

    Args:
        printed: (h, n, 2): the n points in millimetres, in each way.
        seen: (n, 2): the same points in pixels.
        counts: (h, n): which of them count in each way; these do not lie in a line.
    """
    if not len(counts):
        return np.empty((0, 3, 3))
    # Millimetres and pixels are of about the same size, as the sums of their products must be.
    scale = np.ptp(seen, axis=0).max() / 2
    middle = seen.mean(axis=0)
    size = np.abs(printed).max()
    x, y = np.moveaxis(printed / size, 2, 0) * counts
    one = counts.astype(np.float64)
    u, v = ((seen - middle) / scale).T
    none = np.zeros_like(x)
    across = [x, y, one, none, none, none, -u * x, -u * y, u * one]
    down = [none, none, none, x, y, one, -v * x, -v * y, v * one]
    equations = np.concatenate([np.stack(across, axis=2), np.stack(down, axis=2)], axis=1)
    products = np.matmul(equations.transpose(0, 2, 1), equations)
    form = products[:, :8, :8] + 1e-12 * np.eye(8)
    solved = np.linalg.solve(form, products[:, :8, 8:])[..., 0]
    rows = np.concatenate([solved, np.ones((len(counts), 1))], axis=1).reshape(-1, 3, 3)
    to_pixels = np.array([[scale, 0, middle[0]], [0, scale, middle[1]], [0, 0, 1]])
    return np.asarray(to_pixels @ rows @ np.diag([1 / size, 1 / size, 1]), np.float64)


def affine_map(printed: Matrix, seen: Matrix) -> Matrix:
    """The affine map, (3, 3), that brings points, (n, 2), closest to pixels, (n, 2)."""
    at = np.column_stack([printed, np.ones(len(printed))])
    affine, *_ = np.linalg.lstsq(at, seen, rcond=None)
    homography = np.eye(3)
    homography[:2] = affine.T
    return homography


def magnification(homography: Matrix, at: Matrix) -> Matrix:
    """How many times larger small areas at points, (n, 2), appear, (n,)."""
    # It is the determinant of the homography's derivative
    depth = at @ homography[2, :2] + homography[2, 2]
    return np.asarray(abs(np.linalg.det(homography)) / np.maximum(np.abs(depth), 1e-9) ** 3)
