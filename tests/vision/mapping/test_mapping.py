"""Maps between the paper and the photo: a plane, a spline, a surface."""

from __future__ import annotations

from dataclasses import replace
from math import comb, factorial

import cv2
import numpy as np
import pytest

from companion.core.sheet import Box
from companion.vision.mapping.plane import (
    box_corners,
    homographies,
    inverse,
    magnification,
    mapped,
    scaling,
)
from companion.vision.mapping.spline import Grid, Spline, fit_spline
from companion.vision.mapping.surface import Raster, Surface

# Homographies and affine maps compared with OpenCV's, and how they magnify small areas


WIDTH, HEIGHT = 60.0, 40.0
TILTED = np.array([[3.0, 0.4, 20.0], [-0.3, 3.2, 30.0], [0.001, 0.0015, 1.0]])
"""From millimetres to pixels; the paper lies between the pixels (20, 30) and (195, 150)."""


def some_points(count: int) -> np.ndarray:
    return np.random.default_rng(count).uniform(0, (WIDTH, HEIGHT), (count, 2))


def test_homographies_are_those_of_opencv() -> None:
    """Each is fitted to its own points; those that do not count may lie anywhere."""
    seen = mapped(TILTED, some_points(9))
    printed = np.stack([some_points(9) + shift for shift in (0, 5, -20)])
    counts = np.ones((3, 9), bool)
    counts[1:, 4:] = False
    printed[~counts] = 1e3
    everywhere = some_points(20)
    for found, at, each in zip(homographies(printed, seen, counts), printed, counts, strict=True):
        points = [some[each].astype(np.float32) for some in (at, seen)]
        ways = [cv2.findHomography(*points, 0)[0]]
        if each.sum() == 4:
            ways.append(cv2.getPerspectiveTransform(*points))
        for wanted in ways:
            assert mapped(found, everywhere) == pytest.approx(mapped(wanted, everywhere), abs=1e-2)


def test_homographies_of_noisy_points_are_hardly_worse_than_opencvs() -> None:
    printed = some_points(30)
    seen = mapped(TILTED, printed) + np.random.default_rng(2).normal(scale=0.5, size=(30, 2))
    (found,) = homographies(printed[np.newaxis], seen, np.ones((1, 30), bool))
    best, _ = cv2.findHomography(printed, seen, 0)
    mine, least = (np.square(mapped(each, printed) - seen).sum() for each in (found, best))
    assert least <= mine * (1 + 1e-9)
    assert mine < 1.02 * least


def test_no_ways_give_no_homographies() -> None:
    none = np.empty((0, 4, 2)), some_points(4), np.empty((0, 4), bool)
    assert homographies(*none).shape == (0, 3, 3)


def test_small_boxes_are_magnified_as_their_corners_say() -> None:
    at = np.array([30.0, 20.0])
    corners = mapped(TILTED, box_corners(Box(at[0] - 0.05, at[1] - 0.05, 0.1, 0.1)))
    area = cv2.contourArea(corners.astype(np.float32)) / 0.1**2
    assert magnification(TILTED, at[np.newaxis]) == pytest.approx([area], rel=1e-3)


def test_a_picture_three_times_larger_has_its_pixels_centres_there() -> None:
    centers = np.array([[0.0, 0.0], [4.0, 2.0]])
    assert mapped(scaling(3), centers).tolist() == [[1, 1], [13, 7]]
    assert mapped(scaling(3, (2, 1)), centers).tolist() == [[-1, 0], [11, 6]]


# Splines compared with other solutions of the same problems: sums, planes, dense matrices


GRIDS = [Grid(40.0, 30.0, 100.0), Grid(90.0, 40.0, 14.0), Grid(35.0, 80.0, 12.0)]
"""One of a single piece, one with more coefficients across, and one with more of them down."""
each_grid = pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: "x".join(map(str, grid.counts)))


def points_on(grid: Grid, count: int) -> np.ndarray:
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
    spline, points = some_spline(grid), points_on(grid, 50)
    wanted = products(grid, points) @ spline.coefficients.reshape(2, -1).T
    assert spline.at(points) == pytest.approx(wanted, abs=1e-9)


@each_grid
def test_a_grid_of_points_has_the_same_displacements_as_each_point(grid: Grid) -> None:
    """This holds beyond the rectangle, too: a flattened picture needs points around it."""
    spline = some_spline(grid)
    x, y = np.linspace(-7, grid.width + 7, 23), np.linspace(-4, grid.height + 4, 17)
    points = np.stack(np.meshgrid(x, y), axis=-1)
    one_by_one = spline.at(points.reshape(-1, 2)).reshape(points.shape)
    assert spline.on_grid(x, y) == pytest.approx(one_by_one, abs=1e-9)


@each_grid
def test_a_fit_is_the_dense_solution_of_the_same_problem(grid: Grid) -> None:
    """Deviations are so large that no measurement is an outlier."""
    rng = np.random.default_rng(4)
    points = points_on(grid, 90)
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
    # On larger matrices BLAS would wait for its threads.
    form = sum(np.einsum("ni,nj->ij", row, row) for row in rows)
    wanted = np.linalg.solve(form, rows[0].T @ (moved / deviation[:, np.newaxis]))
    found = fit_spline(grid, points, moved, deviation, stiffness)
    # The energy is a sum over differences, which is two percent too small.
    assert found.at(points) == pytest.approx(products(grid, points) @ wanted, abs=0.02)


@each_grid
def test_a_plane_bends_nothing_and_is_found_from_few_points(grid: Grid) -> None:
    """It is found even far from all of them."""
    points, everywhere = points_on(grid, 8) / 3, points_on(grid, 40)
    plane = np.array([[0.01, -0.02], [0.03, 0.005]])
    found = fit_spline(grid, points, points @ plane + 0.2, np.full(8, 0.1), 1e4)
    assert found.at(everywhere) == pytest.approx(everywhere @ plane + 0.2, abs=0.02)


def test_outliers_lose_their_weight() -> None:
    points = points_on(GRIDS[1], 200)
    wave = np.stack([np.sin(points[:, 0] / 20), np.cos(points[:, 1] / 25)], axis=1)
    moved = wave.copy()
    moved[::10] += 3.0
    found = fit_spline(GRIDS[1], points, moved, np.full(200, 0.05), 1e5)
    assert found.at(points) == pytest.approx(wave, abs=0.005)


# Bent paper in a photo, and flattened pictures in which each pixel's value is its place


def bent() -> Surface:
    """Paper whose parts are up to two millimetres from their places on flat paper."""
    grid = Grid(WIDTH, HEIGHT, 20.0)
    bend = np.random.default_rng(1).uniform(-2, 2, (2, *grid.counts))
    return Surface(TILTED, WIDTH, HEIGHT, Spline(grid, bend))


def flat(homography: np.ndarray) -> Surface:
    grid = Grid(WIDTH, HEIGHT, 20.0)
    return Surface(homography, WIDTH, HEIGHT, Spline(grid, np.zeros((2, *grid.counts))))


def test_the_inverse_leads_back_to_where_bent_paper_seems_to_be() -> None:
    points = some_points(5)
    surface = bent()
    back = mapped(inverse(surface.homography), surface.to_photo(points))
    assert back - surface.bend.at(points) == pytest.approx(points)


def test_boxes_lie_in_the_photo_with_all_four_corners_or_not() -> None:
    surface = flat(np.diag([2.0, 2.0, 1.0]))
    boxes = [Box(1, 2, 10, 5), Box(49, 30, 1, 9), Box(49.8, 30, 1, 9)]
    first, *_ = surface.quads(boxes)
    assert first.tolist() == [[2, 4], [22, 4], [22, 14], [2, 14]]
    photo = np.zeros((80, 101), np.uint8)
    assert surface.is_inside(photo, boxes).tolist() == [True, True, False]


def test_the_scale_is_that_of_the_direction_with_more_pixels() -> None:
    assert flat(np.array([[0, -3.0, 200], [2.0, 0, 0], [0, 0, 1]])).scale() == pytest.approx(3)


STEEP = 1.13  # how much shades differ from pixel to pixel; whole numbers would all be rounded alike


def ramps(times: int) -> np.ndarray:
    """A photo in which each pixel's shades are its x and y in a smaller one."""
    x, y = ((np.arange(times * side) + 0.5) / times - 0.5 for side in (220, 180))
    exact = np.stack([*np.meshgrid(x, y), np.zeros((len(y), len(x)))], axis=-1)
    return np.rint(np.clip(exact * STEEP, 0, 255)).astype(np.uint8)


@pytest.mark.parametrize("times", [1, 5], ids=["as large", "five times as large"])
@pytest.mark.parametrize("resolution", [3.0, 1.5])
def test_each_pixel_of_a_flattened_picture_is_from_its_place(resolution: float, times: int) -> None:
    """A photo of five times the size is reduced first, or lines would break."""
    surface = bent()
    larger = replace(surface, homography=scaling(times) @ surface.homography)
    flattened = larger.flattened(ramps(times), resolution)
    height, width = flattened.shape[:2]
    assert (width, height) == (WIDTH * resolution, HEIGHT * resolution)
    pixels = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2)
    wanted = surface.to_photo((pixels + 0.5) / resolution).reshape(height, width, 2)
    off = flattened[..., :2] / STEEP - wanted
    assert np.abs(off).max() < 1
    assert np.abs(off.mean(axis=(0, 1))).max() < 0.05


def test_beyond_the_photo_there_is_its_edge_or_a_given_shade() -> None:
    surface = flat(np.array([[2.0, 0, -30], [0, 2.0, 0], [0, 0, 1]]))
    photo = np.full((80, 90), 100, np.uint8)
    photo[:, 0] = 50
    edge, shade = surface.flattened(photo, 2.0), surface.flattened(photo, 2.0, outside=7)
    assert (edge[40, 10], shade[40, 10]) == (50, 7)
    assert (edge[40, 100], shade[40, 100]) == (100, 100)
    with pytest.raises(ValueError, match="outside"):
        flat(np.array([[2.0, 0, 120], [0, 2.0, 0], [0, 0, 1]])).flattened(photo, 2.0)


@pytest.mark.parametrize(("width", "resolution"), [(60.0, 6.0), (61.3, 3.0)])
def test_between_exact_points_a_raster_is_linear(width: float, resolution: float) -> None:
    raster = Raster(width, HEIGHT, resolution)
    x, y = raster.millimetres
    exact = np.stack(np.meshgrid(x, y), axis=-1)
    fine = raster.between(exact)
    assert fine.shape[:2] == raster.shape
    pixels = np.stack(np.meshgrid(*map(np.arange, raster.shape[::-1])), axis=-1)
    assert np.abs(fine - (pixels + 0.5) / resolution).max() < 1e-4
    steps = np.stack(np.meshgrid(np.arange(len(x)), np.arange(len(y))), axis=-1)
    assert np.abs(raster.steps(exact) - steps).max() < 1e-4
