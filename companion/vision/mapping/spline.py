"""A smooth field of displacements: a cubic B-spline fitted to scattered measurements.

All matrices that are multiplied or solved are small. BLAS starts threads for larger ones, and on a
busy machine these threads wait for each other a hundred times as long as they work.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.core.sheet import Millimetres
from companion.vision.mapping.plane import Matrix

Places = npt.NDArray[np.intp]

ORDER: Final = 4  # How many coefficients are nonzero at any point, in each direction
ROUNDS: Final = 3  # The most rounds of reweighting, in which outliers lose their weight
# The change of all weights, as a share of the greatest, below which no more round is made
SETTLED: Final = 0.002
# The residual, in standard deviations, at which a measurement keeps a quarter of its weight
CREDIT: Final = 3.0

# The four B-splines between two knots, as polynomials from 1 to t³
_CUBIC: Final = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
# Relative regularization of the diagonal, for what measurements and bending leave open
_LITTLE: Final = 1e-7


@dataclass(frozen=True)
class Grid:
    """The knots of a spline over a rectangle."""

    width: Millimetres
    height: Millimetres
    spacing: Millimetres  # about the distance between two knots

    @property
    def counts(self) -> tuple[int, int]:
        """Numbers of coefficients, across and down."""
        across, down = (max(round(side / self.spacing), 1) for side in (self.width, self.height))
        return across + 3, down + 3


def _local_weights(at: Matrix, side: Millimetres, count: int) -> tuple[Places, Matrix]:
    """The first nonzero coefficient's index at each position, (n,), and the four weights, (n, 4).

    Beyond the rectangle the outermost polynomial pieces continue.
    """
    steps = at / side * (count - 3)
    first = np.clip(np.floor(steps), 0, count - ORDER).astype(np.intp)
    t = (steps - first)[:, np.newaxis]
    weights = _CUBIC[:, 0] + t * (_CUBIC[:, 1] + t * (_CUBIC[:, 2] + t * _CUBIC[:, 3]))
    return first, weights


def _all_weights(at: Matrix, side: Millimetres, count: int) -> Matrix:
    """The weights of all coefficients at each position, (n, count)."""
    first, weights = _local_weights(at, side, count)
    dense = np.zeros((len(at), count))
    dense[np.arange(len(at))[:, np.newaxis], first[:, np.newaxis] + np.arange(ORDER)] = weights
    return dense


@dataclass(frozen=True, eq=False)
class Spline:
    """Displacements in millimetres over a rectangle."""

    grid: Grid
    coefficients: Matrix  # (2, across, down): of x and of y

    def at(self, points: Matrix) -> Matrix:
        """The displacements (n, 2) at points (n, 2)."""
        places, weights = _point_weights(self.grid, points)
        flat = self.coefficients.reshape(2, -1)
        return np.asarray((flat[:, places] * weights).sum(axis=2).T, np.float64)

    def on_grid(self, x: Matrix, y: Matrix) -> Matrix:
        """The displacements at all points of a grid, (len(y), len(x), 2)."""
        across, down = self.grid.counts
        left = _all_weights(y, self.grid.height, down)
        right = _all_weights(x, self.grid.width, across)
        return np.stack([left @ (right @ part).T for part in self.coefficients], axis=-1)


def _point_weights(grid: Grid, points: Matrix) -> tuple[Places, Matrix]:
    """Indices and weights, (n, 16) each, of the coefficients that are nonzero at each point."""
    across, down = grid.counts
    column, x = _local_weights(points[:, 0], grid.width, across)
    row, y = _local_weights(points[:, 1], grid.height, down)
    steps = np.arange(ORDER)
    # Across first, so that the band of the normal matrix is as narrow as possible.
    places = (column[:, np.newaxis] + steps)[:, :, np.newaxis] * down
    places = places + (row[:, np.newaxis] + steps)[:, np.newaxis, :]
    weights = x[:, :, np.newaxis] * y[:, np.newaxis, :]
    shape = len(points), ORDER**2
    return places.reshape(shape), weights.reshape(shape)


def fit_spline(
    grid: Grid, points: Matrix, moved: Matrix, deviation: Matrix, stiffness: float
) -> Spline:
    """The spline that bends least and fits the measurements that agree with each other.

    Iteratively reweighted least squares with the weights of Geman and McClure.

    Args:
        points: (n, 2), in millimetres.
        moved: (n, 2), the displacements measured there, in millimetres.
        deviation: (n,), the expected standard deviation of each measurement, in millimetres.
        stiffness: the cost of bending: the energy is this times the mean squared curvature (1/mm²).
    """
    across, down = grid.counts
    size = across * down
    places, weights = _point_weights(grid, points)
    pairs = (places[:, :, np.newaxis] * size + places[:, np.newaxis, :]).ravel()
    products = weights[:, :, np.newaxis] * weights[:, np.newaxis, :]
    energy = _bending(grid) * stiffness
    trust = np.asarray(1 / deviation**2, np.float64)
    weight = trust
    for _ in range(1 + ROUNDS):
        contributions = (weight[:, np.newaxis, np.newaxis] * products).ravel()
        form = energy + np.bincount(pairs, contributions, size * size).reshape(size, size)
        form[np.diag_indices(size)] += _LITTLE * np.trace(form) / size
        target = np.empty((size, 2))
        for axis in (0, 1):
            pull = weights * (weight * moved[:, axis])[:, np.newaxis]
            target[:, axis] = np.bincount(places.ravel(), pull.ravel(), size)
        solved = _solve_block_tridiagonal(form, target, 3 * down)
        spline = Spline(grid, np.ascontiguousarray(solved.T).reshape(2, across, down))
        off = np.linalg.norm(moved - spline.at(points), axis=1) / (CREDIT * deviation)
        before, weight = weight, trust / (1 + off**2) ** 2
        if np.abs(weight - before).max(initial=0.0) < SETTLED * trust.max(initial=0.0):
            break
    return spline


@cache
def _bending(grid: Grid) -> Matrix:
    """The thin-plate energy, the mean of u_xx² + 2 u_xy² + u_yy², as a quadratic form."""
    forms = []
    for count, side in zip(grid.counts, (grid.width, grid.height), strict=True):
        step = side / (count - 3)
        at = (np.arange((count - 3) * 8) + 0.5) / 8 * step
        around = np.array([at - step / 8, at, at + step / 8])
        low, middle, high = (_all_weights(positions, side, count) for positions in around)
        slopes = (middle, (high - low) * 4 / step, (high - 2 * middle + low) * 64 / step**2)
        forms.append([part.T @ part / len(at) for part in slopes])
    (x0, x1, x2), (y0, y1, y2) = forms
    return np.asarray(np.kron(x2, y0) + 2 * np.kron(x1, y1) + np.kron(x0, y2), np.float64)


def _solve_block_tridiagonal(form: Matrix, target: Matrix, block: int) -> Matrix:
    """The solution x of form · x = target, where `form` is block-tridiagonal."""
    size = len(form)
    cuts = [slice(start, min(start + block, size)) for start in range(0, size, block)]
    ahead: list[Matrix] = []
    rest: list[Matrix] = []
    for place, cut in enumerate(cuts):
        diagonal, right = form[cut, cut], target[cut]
        if place:
            link = form[cut, cuts[place - 1]]
            diagonal = diagonal - link @ ahead[-1]
            right = right - link @ rest[-1]
        beyond = form[cut, cut.stop : cut.stop + block]
        both = np.asarray(np.linalg.solve(diagonal, np.hstack([beyond, right])), np.float64)
        ahead.append(both[:, : beyond.shape[1]])
        rest.append(both[:, beyond.shape[1] :])
    solved = [rest[-1]]
    for place in range(len(cuts) - 2, -1, -1):
        solved.append(rest[place] - ahead[place] @ solved[-1])
    return np.concatenate(solved[::-1])
