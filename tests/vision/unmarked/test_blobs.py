"""Areas of known place and size on a drawn picture."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.unmarked.blobs import Blobs, find_blobs

GRAY = (200, 200, 200)


def ground() -> np.ndarray:
    return np.full((240, 320, 3), GRAY, np.uint8)


def sides_at(blobs: Blobs, x: float, y: float) -> list[float]:
    """The square roots of the sizes of the areas that are centred at a place."""
    here = np.abs(blobs.centers - (x, y)).max(axis=1) < 1
    return np.sqrt(blobs.areas[here]).tolist()


def bars_on(picture: np.ndarray) -> None:
    for top in (110, 170):
        cv2.rectangle(picture, (40, top), (279, top + 19), (90, 60, 30), -1)


@pytest.mark.parametrize("color", [(60, 60, 60), (255, 255, 255), (206, 185, 225)])
def test_an_area_is_found_where_it_is_whatever_its_color(color: tuple[int, int, int]) -> None:
    """Darker, lighter, and of another hue alone."""
    picture = ground()
    cv2.rectangle(picture, (40, 40), (59, 59), color, -1)
    cv2.circle(picture, (120, 50), 12, color, -1, cv2.LINE_AA)
    cv2.rectangle(picture, (180, 40), (219, 59), color, -1)
    blobs = find_blobs(picture)
    for x, y, side in ((49.5, 49.5, 20), (120, 50, 21), (199.5, 49.5, 28)):
        # The picture is softened, and what is dark grows.
        assert min(abs(found - side) for found in sides_at(blobs, x, y)) < 5


def test_what_is_not_compact_is_left_out() -> None:
    picture = ground()
    triangle = np.array([(40, 80), (70, 40), (100, 80)], np.int32)
    cv2.fillPoly(picture, [triangle], (60, 60, 60))
    bars_on(picture)
    assert not len(find_blobs(picture).areas)


def test_nothing_is_sought_on_pads() -> None:
    picture = ground()
    for x in (80, 260):
        cv2.circle(picture, (x, 120), 12, (60, 60, 60), -1)
    pad = np.array([(0, 0), (180, 0), (180, 239), (0, 239)], float)
    assert (find_blobs(picture).centers[:, 0] == 80).any()
    assert set(find_blobs(picture, [pad]).centers[:, 0]) == {260}


@pytest.mark.parametrize(
    "beside",
    [True, False],
    ids=["beside an area", "alone"],
)
def test_bands_are_found(beside: bool) -> None:
    picture = ground()
    bars_on(picture)
    if beside:
        cv2.circle(picture, (20, 20), 12, (60, 60, 60), -1)
    found = find_blobs(picture).bands.mean(axis=1)
    for middle in ((159.5, 119.5), (159.5, 179.5)):
        assert (np.abs(found - middle).max(axis=1) < 1).any()


def test_areas_are_moved_to_a_part_of_a_larger_picture() -> None:
    """Three times as large, from the pixel (5, 10) on; whole numbers are the middles of pixels."""
    picture = ground()
    cv2.circle(picture, (20, 20), 12, (60, 60, 60), -1)
    bars_on(picture)
    blobs = find_blobs(picture)
    moved = blobs.moved(np.array([[3.0, 0, 1 - 15], [0, 3.0, 1 - 30], [0, 0, 1]]))
    assert moved.centers == pytest.approx(3 * (blobs.centers - (5, 10)) + 1)
    assert moved.bands == pytest.approx(3 * (blobs.bands - (5, 10)) + 1)
    assert np.linalg.det(moved.shapes) == pytest.approx(81 * np.linalg.det(blobs.shapes))
    assert moved.areas == pytest.approx(9 * blobs.areas)
