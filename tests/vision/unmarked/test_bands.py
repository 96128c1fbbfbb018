"""Bars drawn in perspective: their corners, and the homographies that lay them there."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.sheet import Box
from companion.vision.mapping.plane import mapped
from companion.vision.unmarked.bands import distinct, four_sided, homographies

WIDTH, HEIGHT = 900, 500
TILTED = np.array([[4.5, 0.4, 60.0], [-0.3, 4.8, 80.0], [0.0006, 0.001, 1.0]])
BARS = [Box(5.0, 6.0 + 15 * row, 130.0, 12.0) for row in range(4)]


def corners(box: Box) -> np.ndarray:
    x, y = (0, 1, 1, 0), (0, 0, 1, 1)
    return np.array([box.x, box.y]) + np.c_[x, y] * (box.width, box.height)


SEEN = np.array([mapped(TILTED, corners(bar)) for bar in BARS])


def outlines(*figures: np.ndarray) -> list[np.ndarray]:
    picture = np.zeros((HEIGHT, WIDTH), np.uint8)
    for figure in figures:
        cv2.fillPoly(picture, [np.round(figure).astype(np.int32)], 255)
    return list(cv2.findContours(picture, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)[0])


def apart(some: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(n, m): the largest distance of each figure's corners from those of each other one."""
    turns = np.stack([np.roll(others, turn, axis=1) for turn in range(4)])
    off = np.linalg.norm(some[:, np.newaxis, np.newaxis] - turns, axis=-1)
    return off.max(axis=-1).min(axis=1)


def test_bars_are_found_by_their_four_corners() -> None:
    found = np.array(four_sided(outlines(*SEEN)))
    assert found.shape == SEEN.shape
    assert apart(SEEN, found).min(axis=1).max() < 2


@pytest.mark.parametrize(
    "figure",
    [
        [(100, 100), (400, 100), (400, 300), (100, 300)],
        [(100, 100), (700, 100), (700, 112), (100, 112)],
        [(100, 100), (700, 100), (700, 240), (690, 240), (690, 130), (100, 130)],
        [(100, 100), (180, 100), (180, 120), (100, 120)],
    ],
    ids=["too wide", "too narrow", "with a corner", "too short"],
)
def test_other_figures_are_none(figure: list[tuple[int, int]]) -> None:
    assert not four_sided(outlines(np.array(figure)))


def test_each_bar_counts_once_and_only_if_it_is_whole() -> None:
    """From a long side on, the largest first."""
    large, small = SEEN[0], SEEN[1]
    middle = large.mean(axis=0)
    again = middle + (large - middle) * 0.99
    at_edge = large + np.array([1 - large[:, 0].min(), 100])
    found = distinct([small, again, np.roll(large, 1, axis=0), at_edge], WIDTH, HEIGHT)
    assert len(found) == 2
    assert apart(np.array([large, small]), found).diagonal() == pytest.approx(0)
    first, second, third, _ = np.moveaxis(found, 1, 0)
    assert (np.linalg.norm(second - first, axis=1) > np.linalg.norm(third - second, axis=1)).all()


@pytest.mark.parametrize("hidden", [(), (0, 2)], ids=["all", "two"])
def test_bars_are_laid_into_bands_in_any_order_and_upside_down(hidden: tuple[int, ...]) -> None:
    """Two of four bars may be any two, so that the right way is only one among some."""
    bands = np.roll(np.delete(SEEN, hidden, axis=0)[::-1], 2, axis=1)
    other = SEEN[0] + (0, 250)
    printed = np.concatenate([corners(bar) for bar in BARS])
    ways = homographies(BARS, np.array([other, *bands]))
    off = [np.abs(mapped(way, printed) - SEEN.reshape(-1, 2)).max() for way in ways]
    assert min(off if hidden else off[:1]) < 0.1


def test_a_single_band_places_nothing() -> None:
    assert homographies(BARS, SEEN[:1]).shape == (0, 3, 3)
