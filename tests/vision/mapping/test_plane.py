"""Homographies and affine maps against OpenCV's, and what they do to small areas."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.sheet import Box
from companion.vision.mapping.plane import (
    affine_map,
    box_corners,
    homographies,
    inverse,
    magnification,
    mapped,
    scaling,
)

WIDTH, HEIGHT = 60.0, 40.0
TILTED = np.array([[3.0, 0.4, 20.0], [-0.3, 3.2, 30.0], [0.001, 0.0015, 1.0]])
"""From millimetres to pixels; the paper lies between the pixels (20, 30) and (195, 150)."""


def some_points(count: int) -> np.ndarray:
    return np.random.default_rng(count).uniform(0, (WIDTH, HEIGHT), (count, 2))


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


def test_an_affine_map_is_found_from_points_that_it_mapped() -> None:
    affine = np.array([[2.0, 0.3, 5.0], [-0.4, 1.5, 7.0], [0, 0, 1]])
    points = some_points(6)
    assert affine_map(points, mapped(affine, points)) == pytest.approx(affine)


def test_small_boxes_are_magnified_as_their_corners_say() -> None:
    at = np.array([30.0, 20.0])
    corners = mapped(TILTED, box_corners(Box(at[0] - 0.05, at[1] - 0.05, 0.1, 0.1)))
    area = cv2.contourArea(corners.astype(np.float32)) / 0.1**2
    assert magnification(TILTED, at[np.newaxis]) == pytest.approx([area], rel=1e-3)


def test_a_picture_three_times_larger_has_its_pixels_centres_there() -> None:
    centers = np.array([[0.0, 0.0], [4.0, 2.0]])
    assert mapped(scaling(3), centers).tolist() == [[1, 1], [13, 7]]
    assert mapped(scaling(3, (2, 1)), centers).tolist() == [[-1, 0], [11, 6]]
