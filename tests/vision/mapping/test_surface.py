"""Homographies against OpenCV's, and flattened pictures in which each pixel says where it was."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.sheet import Box
from companion.vision.mapping.plane import homographies, inverse, mapped
from companion.vision.mapping.spline import Grid, Spline
from companion.vision.mapping.surface import Raster, Surface

WIDTH, HEIGHT = 60.0, 40.0
TILTED = np.array([[3.0, 0.4, 20.0], [-0.3, 3.2, 30.0], [0.001, 0.0015, 1.0]])
"""From millimetres to pixels; the paper lies between the pixels (20, 30) and (195, 150)."""


def some_points(count: int) -> np.ndarray:
    return np.random.default_rng(count).uniform(0, (WIDTH, HEIGHT), (count, 2))


def bent() -> Surface:
    """Paper of which each part lies up to two millimetres from its place on flat paper."""
    grid = Grid(WIDTH, HEIGHT, 20.0)
    bend = np.random.default_rng(1).uniform(-2, 2, (2, *grid.counts))
    return Surface(TILTED, WIDTH, HEIGHT, Spline(grid, bend))


def flat(homography: np.ndarray) -> Surface:
    grid = Grid(WIDTH, HEIGHT, 20.0)
    return Surface(homography, WIDTH, HEIGHT, Spline(grid, np.zeros((2, *grid.counts))))


def test_homographies_are_those_of_opencv() -> None:
    """Each of its own points; those that do not count may lie anywhere."""
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


def test_homographies_of_points_that_are_a_little_off_are_hardly_worse_than_opencvs() -> None:
    printed = some_points(30)
    seen = mapped(TILTED, printed) + np.random.default_rng(2).normal(scale=0.5, size=(30, 2))
    (found,) = homographies(printed[np.newaxis], seen, np.ones((1, 30), bool))
    best, _ = cv2.findHomography(printed, seen, 0)
    mine, least = (np.square(mapped(each, printed) - seen).sum() for each in (found, best))
    assert least <= mine * (1 + 1e-9)
    assert mine < 1.02 * least


def test_no_ways_have_no_homographies() -> None:
    none = np.empty((0, 4, 2)), some_points(4), np.empty((0, 4), bool)
    assert homographies(*none).shape == (0, 3, 3)


def test_the_inverse_leads_back() -> None:
    points = some_points(20).reshape(4, 5, 2)
    assert mapped(inverse(TILTED), mapped(TILTED, points)) == pytest.approx(points)
    surface = bent()
    back = mapped(inverse(surface.homography), surface.to_photo(points[0]))
    assert back - surface.bend.at(points[0]) == pytest.approx(points[0])


def test_boxes_lie_in_the_photo_with_all_four_corners_or_not() -> None:
    surface = flat(np.diag([2.0, 2.0, 1.0]))
    boxes = [Box(1, 2, 10, 5), Box(49, 30, 1, 9), Box(49.8, 30, 1, 9)]
    first, *_ = surface.quads(boxes)
    assert first.tolist() == [[2, 4], [22, 4], [22, 14], [2, 14]]
    photo = np.zeros((80, 101), np.uint8)
    assert surface.is_inside(photo, boxes).tolist() == [True, True, False]


def test_the_scale_is_that_of_the_direction_with_more_pixels() -> None:
    assert flat(np.array([[0, -3.0, 200], [2.0, 0, 0], [0, 0, 1]])).scale() == pytest.approx(3)


STEEP = 1.13
"""How much shades differ from pixel to pixel; whole numbers would all be rounded alike."""


def ramps(times: int) -> np.ndarray:
    """A photo whose shades are each pixel's x and y in one that is so many times smaller."""
    x, y = ((np.arange(times * side) + 0.5) / times - 0.5 for side in (220, 180))
    exact = np.stack([*np.meshgrid(x, y), np.zeros((len(y), len(x)))], axis=-1)
    return np.rint(np.clip(exact * STEEP, 0, 255)).astype(np.uint8)


@pytest.mark.parametrize("times", [1, 5], ids=["as large", "five times as large"])
@pytest.mark.parametrize("resolution", [3.0, 1.5])
def test_each_pixel_of_a_flattened_picture_is_from_its_place(resolution: float, times: int) -> None:
    """Five times as large, it is reduced before; otherwise lines would break."""
    surface = bent()
    flattened = surface.flattened(ramps(times), resolution, times)
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
