"""Splines against what the same problems give without them: sums, planes and dense solutions."""

from __future__ import annotations

from math import comb, factorial

import numpy as np
import pytest

from companion.vision.mapping.spline import Grid, Spline, fit_spline

GRIDS = [Grid(40.0, 30.0, 100.0), Grid(90.0, 40.0, 14.0), Grid(35.0, 80.0, 12.0)]
"""Of a single piece; with more coefficients across than down; with more down than across."""
each_grid = pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: "x".join(map(str, grid.counts)))


def some_points(grid: Grid, count: int) -> np.ndarray:
    return np.random.default_rng(count).uniform(0, (grid.width, grid.height), (count, 2))


def some_spline(grid: Grid) -> Spline:
    return Spline(grid, np.random.default_rng(3).normal(size=(2, *grid.counts)))


def bump(t: np.ndarray, order: int = 0) -> np.ndarray:
    """The cardinal cubic B-spline on 0 to 4, or a derivative, as a sum of truncated powers."""
    power = 3 - order
    return sum(
        (-1) ** k * comb(4, k) * np.maximum(t - k, 0) ** power for k in range(5)
    ) / factorial(power)


def bumps(at: np.ndarray, side: float, count: int, order: int = 0) -> np.ndarray:
    """The share of each coefficient along an axis at each place, (n, count), or its derivative."""
    per_mm = (count - 3) / side
    return bump(at[:, np.newaxis] * per_mm - np.arange(count) + 3, order) * per_mm**order


def products(grid: Grid, points: np.ndarray, across: int = 0, down: int = 0) -> np.ndarray:
    """The share of each coefficient at each point, (n, coefficients), or a derivative of it."""
    columns, rows = grid.counts
    x = bumps(points[:, 0], grid.width, columns, across)
    y = bumps(points[:, 1], grid.height, rows, down)
    return (x[:, :, np.newaxis] * y[:, np.newaxis]).reshape(len(points), -1)


@each_grid
def test_a_spline_is_a_sum_of_bumps(grid: Grid) -> None:
    spline, points = some_spline(grid), some_points(grid, 50)
    wanted = products(grid, points) @ spline.coefficients.reshape(2, -1).T
    assert spline.at(points) == pytest.approx(wanted, abs=1e-9)


@each_grid
def test_a_grid_of_points_has_the_same_displacements_as_each_point(grid: Grid) -> None:
    """Beyond the rectangle, too: a flattened picture needs points around it."""
    spline = some_spline(grid)
    x, y = np.linspace(-7, grid.width + 7, 23), np.linspace(-4, grid.height + 4, 17)
    points = np.stack(np.meshgrid(x, y), axis=-1)
    one_by_one = spline.at(points.reshape(-1, 2)).reshape(points.shape)
    assert spline.on_grid(x, y) == pytest.approx(one_by_one, abs=1e-9)


@each_grid
def test_a_fit_is_the_dense_solution_of_the_same_problem(grid: Grid) -> None:
    """Deviations are so large that no measurement is an outlier."""
    rng = np.random.default_rng(4)
    points = some_points(grid, 90)
    moved = rng.normal(size=(90, 2))
    deviation = rng.uniform(50, 200, 90)
    stiffness = 2.0
    sides = [
        (np.arange(number) + 0.5) * side / number
        for side, number in ((grid.width, 40), (grid.height, 40))
    ]
    raster = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
    rows = [
        products(grid, points) / deviation[:, np.newaxis],
        *(
            products(grid, raster, *orders) * np.sqrt(times * stiffness / len(raster))
            for orders, times in (((2, 0), 1), ((1, 1), 2), ((0, 2), 1))
        ),
    ]
    # BLAS would wait for its threads.
    form = sum(np.einsum("ni,nj->ij", row, row) for row in rows)
    wanted = np.linalg.solve(form, rows[0].T @ (moved / deviation[:, np.newaxis]))
    found = fit_spline(grid, points, moved, deviation, stiffness)
    # The energy is summed up from differences, and two percent too small.
    assert found.at(points) == pytest.approx(products(grid, points) @ wanted, abs=0.02)


@each_grid
def test_a_plane_bends_nothing_and_is_found_from_few_points(grid: Grid) -> None:
    """Also far from all of them."""
    points, everywhere = some_points(grid, 8) / 3, some_points(grid, 40)
    plane = np.array([[0.01, -0.02], [0.03, 0.005]])
    found = fit_spline(grid, points, points @ plane + 0.2, np.full(8, 0.1), 1e4)
    assert found.at(everywhere) == pytest.approx(everywhere @ plane + 0.2, abs=0.02)


def test_outliers_lose_their_weight() -> None:
    points = some_points(GRIDS[1], 200)
    wave = np.stack([np.sin(points[:, 0] / 20), np.cos(points[:, 1] / 25)], axis=1)
    moved = wave.copy()
    moved[::10] += 3.0
    found = fit_spline(GRIDS[1], points, moved, np.full(200, 0.05), 1e5)
    assert found.at(points) == pytest.approx(wave, abs=0.005)
