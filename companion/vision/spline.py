"""A smooth field of displacements: a cubic B-spline fitted to scattered measurements.

All matrices that are multiplied or solved are small: BLAS starts threads for larger ones, and on a
machine that has other work to do those wait for each other a hundred times as long as they work.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.core.sheet import Millimetres

Matrix = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]

ORDER: Final = 4
"""So many coefficients have a say at any place, in each direction."""
ROUNDS: Final = 3
"""In which measurements that do not go with the rest lose their weight."""
CREDIT: Final = 3.0
"""A measurement so many deviations off has a quarter of its weight left."""

_CUBIC: Final = np.array([[1, -3, 3, -1], [4, 0, -6, 3], [1, 3, 3, -3], [0, 0, 0, 1]]) / 6
"""The four B-splines between two knots, as polynomials from 1 to t³."""
_LITTLE: Final = 1e-7
"""Added to a form's diagonal, for what neither measurements nor bending tell."""


@dataclass(frozen=True)
class Grid:
    """The knots of a spline over a rectangle."""

    width: Millimetres
    height: Millimetres
    spacing: Millimetres
    """Between two knots, about."""

    @property
    def counts(self) -> tuple[int, int]:
        """Of coefficients, across and down."""
        across, down = (max(round(side / self.spacing), 1) for side in (self.width, self.height))
        return across + 3, down + 3


def _near(at: Matrix, side: Millimetres, count: int) -> tuple[Places, Matrix]:
    """Which coefficient is the first to have a say at each place, and the weights of the four.

    Outside, the outermost pieces go on.
    """
    steps = at / side * (count - 3)
    first = np.clip(np.floor(steps), 0, count - ORDER).astype(np.intp)
    t = (steps - first)[:, np.newaxis]
    weights = _CUBIC[:, 0] + t * (_CUBIC[:, 1] + t * (_CUBIC[:, 2] + t * _CUBIC[:, 3]))
    return first, weights


def _dense(at: Matrix, side: Millimetres, count: int) -> Matrix:
    """The weights of all coefficients, (n, count)."""
    first, weights = _near(at, side, count)
    dense = np.zeros((len(at), count))
    dense[np.arange(len(at))[:, np.newaxis], first[:, np.newaxis] + np.arange(ORDER)] = weights
    return dense


@dataclass(frozen=True, eq=False)
class Spline:
    """Displacements in millimetres over a rectangle."""

    grid: Grid
    coefficients: Matrix
    """(2, across, down): of x and of y."""

    def at(self, points: Matrix) -> Matrix:
        """At places (n, 2), the displacements (n, 2)."""
        places, weights = _together(self.grid, points)
        flat = self.coefficients.reshape(2, -1)
        return np.asarray((flat[:, places] * weights).sum(axis=2).T, np.float64)

    def on_grid(self, x: Matrix, y: Matrix) -> Matrix:
        """At all places (x, y), the displacements, (len(y), len(x), 2)."""
        across, down = self.grid.counts
        left = _dense(y, self.grid.height, down)
        right = _dense(x, self.grid.width, across)
        return np.stack([left @ (right @ part).T for part in self.coefficients], axis=-1)


def _together(grid: Grid, points: Matrix) -> tuple[Places, Matrix]:
    """The places and weights, (n, 16), of the coefficients that have a say at each point."""
    across, down = grid.counts
    column, x = _near(points[:, 0], grid.width, across)
    row, y = _near(points[:, 1], grid.height, down)
    steps = np.arange(ORDER)
    # Across first, so that a form's band is no wider than it must be.
    places = (column[:, np.newaxis] + steps)[:, :, np.newaxis] * down
    places = places + (row[:, np.newaxis] + steps)[:, np.newaxis, :]
    weights = x[:, :, np.newaxis] * y[:, np.newaxis, :]
    return places.reshape(len(points), -1), weights.reshape(len(points), -1)


def fitted(
    grid: Grid, points: Matrix, moved: Matrix, deviation: Matrix, stiffness: float
) -> Spline:
    """The spline that bends least and comes near the measurements that go together.

    Iteratively reweighted least squares with Geman and McClure's weights.

    Args:
        points: (n, 2) places.
        moved: (n, 2) displacements measured there.
        deviation: (n,), what each measurement is expected to be off by.
        stiffness: what bending costs: the energy is the mean square of the curvature (1/mm²)
            times this.
    """
    across, down = grid.counts
    size = across * down
    places, weights = _together(grid, points)
    pairs = (places[:, :, np.newaxis] * size + places[:, np.newaxis, :]).ravel()
    products = weights[:, :, np.newaxis] * weights[:, np.newaxis, :]
    energy = _bending(grid) * stiffness
    trust = np.asarray(1 / deviation**2, np.float64)
    weight = trust
    for _ in range(1 + ROUNDS):
        said = (weight[:, np.newaxis, np.newaxis] * products).ravel()
        form = energy + np.bincount(pairs, said, size * size).reshape(size, size)
        form[np.diag_indices(size)] += _LITTLE * np.trace(form) / size
        target = np.empty((size, 2))
        for axis in (0, 1):
            says = weights * (weight * moved[:, axis])[:, np.newaxis]
            target[:, axis] = np.bincount(places.ravel(), says.ravel(), size)
        solved = _solved(form, target, 3 * down)
        spline = Spline(grid, np.ascontiguousarray(solved.T).reshape(2, across, down))
        off = np.linalg.norm(moved - spline.at(points), axis=1) / (CREDIT * deviation)
        weight = trust / (1 + off**2) ** 2
    return spline


@cache
def _bending(grid: Grid) -> Matrix:
    """The thin plate's energy, u_xx² + 2 u_xy² + u_yy² on average, as a form."""
    forms = []
    for count, side in zip(grid.counts, (grid.width, grid.height), strict=True):
        step = side / (count - 3)
        at = (np.arange((count - 3) * 8) + 0.5) / 8 * step
        around = np.array([at - step / 8, at, at + step / 8])
        low, middle, high = (_dense(one, side, count) for one in around)
        slopes = (middle, (high - low) * 4 / step, (high - 2 * middle + low) * 64 / step**2)
        forms.append([part.T @ part / len(at) for part in slopes])
    (x0, x1, x2), (y0, y1, y2) = forms
    return np.asarray(np.kron(x2, y0) + 2 * np.kron(x1, y1) + np.kron(x0, y2), np.float64)


def _solved(form: Matrix, target: Matrix, block: int) -> Matrix:
    """The solution of form · x = target, for a form that is block-tridiagonal."""
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
