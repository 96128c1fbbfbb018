"""Bent paper in a photo, and flattened pictures in which each pixel says where it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from companion.core.sheet import Box
from companion.vision.mapping.plane import inverse, mapped, scaling
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
