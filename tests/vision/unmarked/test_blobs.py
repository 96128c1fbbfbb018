"""Areas, bars and lattices in drawn pictures, where every place is known."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
import pytest

from companion.core.sheet import Box
from companion.vision.mapping.plane import box_corners, mapped
from companion.vision.unmarked.bands import distinct, four_sided, homographies
from companion.vision.unmarked.blobs import MOST, Blobs, find_blobs
from companion.vision.unmarked.lattices import _bases, _neighbors, find_lattices

# Areas


def ground() -> np.ndarray:
    return np.full((240, 320, 3), 200, np.uint8)


def disc(picture: np.ndarray, x: int, y: int) -> None:
    cv2.circle(picture, (x, y), 12, (60, 60, 60), -1)


def bars_on(picture: np.ndarray) -> None:
    for top in (110, 170):
        cv2.rectangle(picture, (40, top), (279, top + 19), (90, 60, 30), -1)


@pytest.mark.parametrize("color", [(60, 60, 60), (255, 255, 255), (206, 185, 225)])
def test_an_area_of_any_color_is_found_in_its_place(color: tuple[int, int, int]) -> None:
    """Whether it is darker or lighter than the ground, or differs by its hue alone."""
    picture = ground()
    cv2.rectangle(picture, (40, 40), (59, 59), color, -1)
    cv2.circle(picture, (120, 50), 12, color, -1, cv2.LINE_AA)
    cv2.rectangle(picture, (180, 40), (219, 59), color, -1)
    blobs = find_blobs(picture)
    for x, y, side in ((49.5, 49.5, 20), (120, 50, 21), (199.5, 49.5, 28)):
        here = np.abs(blobs.centers - (x, y)).max(axis=1) < 1
        # The picture is blurred, so dark areas grow.
        assert np.abs(np.sqrt(blobs.areas[here]) - side).min() < 5


def test_a_bar_is_as_long_in_the_halved_picture() -> None:
    outline = np.array([[(x, 0)] for x in range(120)] + [[(x, 15)] for x in range(119, -1, -1)])
    around = cv2.findContours(
        cv2.fillPoly(np.zeros((20, 130), np.uint8), [outline], 255),
        cv2.RETR_LIST,
        cv2.CHAIN_APPROX_NONE,
    )[0]
    assert not four_sided(around)
    assert len(four_sided(around, 0.5)) == 1


def test_areas_that_are_not_compact_are_left_out() -> None:
    picture = ground()
    cv2.fillPoly(picture, [np.array([(40, 80), (70, 40), (100, 80)])], (60, 60, 60))
    bars_on(picture)
    assert not len(find_blobs(picture).areas)


def test_the_number_of_dots_found_is_limited() -> None:
    picture = np.full((1200, 1600, 3), 240, np.uint8)
    for x, y in product(range(7), repeat=2):
        picture[y::9, x::9] = 60
    assert len(find_blobs(picture).areas) == MOST


def test_pads_are_not_searched() -> None:
    picture = ground()
    for x in (80, 260):
        disc(picture, x, 120)
    pad = np.array([(0, 0), (180, 0), (180, 239), (0, 239)], float)
    assert (find_blobs(picture).centers[:, 0] == 80).any()
    assert set(find_blobs(picture, [pad]).centers[:, 0]) == {260}


@pytest.mark.parametrize("beside", [True, False], ids=["beside an area", "alone"])
def test_bands_are_found(beside: bool) -> None:
    picture = ground()
    bars_on(picture)
    if beside:
        disc(picture, 20, 20)
    found = find_blobs(picture).bands.mean(axis=1)
    for middle in ((159.5, 119.5), (159.5, 179.5)):
        assert (np.abs(found - middle).max(axis=1) < 1).any()


def test_areas_are_moved_to_a_part_of_a_larger_picture() -> None:
    """Three times as large, from the pixel (5, 10) on; whole numbers are the middles of pixels."""
    picture = ground()
    disc(picture, 20, 20)
    bars_on(picture)
    blobs = find_blobs(picture)
    moved = blobs.moved(np.array([[3.0, 0, 1 - 15], [0, 3.0, 1 - 30], [0, 0, 1]]))
    assert moved.centers == pytest.approx(3 * (blobs.centers - (5, 10)) + 1)
    assert moved.bands == pytest.approx(3 * (blobs.bands - (5, 10)) + 1)
    assert np.linalg.det(moved.shapes) == pytest.approx(81 * np.linalg.det(blobs.shapes))
    assert moved.areas == pytest.approx(9 * blobs.areas)


# Bars in perspective, by their corners

WIDTH, HEIGHT = 900, 500
SLANTED = np.array([[4.5, 0.4, 60.0], [-0.3, 4.8, 80.0], [0.0006, 0.001, 1.0]])
BARS = [Box(5.0, 6.0 + 15 * row, 130.0, 12.0) for row in range(4)]
SEEN = np.array([mapped(SLANTED, box_corners(bar)) for bar in BARS])


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
def test_other_figures_are_not_bars(figure: list[tuple[int, int]]) -> None:
    assert not four_sided(outlines(np.array(figure)))


def test_each_bar_counts_once() -> None:
    """The corners of each begin with a long side, and the largest bar comes first."""
    large, small = SEEN[0], SEEN[1]
    middle = large.mean(axis=0)
    again = middle + (large - middle) * 0.99
    found = distinct([small, again, np.roll(large, 1, axis=0)])
    assert len(found) == 2
    assert apart(np.array([large, small]), found).diagonal() == pytest.approx(0)
    first, second, third, _ = np.moveaxis(found, 1, 0)
    assert (np.linalg.norm(second - first, axis=1) > np.linalg.norm(third - second, axis=1)).all()


@pytest.mark.parametrize("hidden", [(), (0, 2)], ids=["all", "two"])
def test_bars_are_matched_with_bands_in_any_order_and_upside_down(hidden: tuple[int, ...]) -> None:
    """Two bands may be any two of the four bars, so the right way is only one of several."""
    bands = np.roll(np.delete(SEEN, hidden, axis=0)[::-1], 2, axis=1)
    other = SEEN[0] + (0, 250)
    printed = np.concatenate([box_corners(bar) for bar in BARS])
    ways = homographies(BARS, np.array([other, *bands]))
    off = [np.abs(mapped(way, printed) - SEEN.reshape(-1, 2)).max() for way in ways]
    assert min(off if hidden else off[:1]) < 0.1
    assert homographies(BARS, SEEN[:1]).shape == (0, 3, 3), "a single one places nothing"


# Lattices under known homographies, among other areas and with gaps

NO_BANDS = np.empty((0, 4, 2))
VIEWS = {
    "from above": np.array([[30.0, 0, 100], [0, 30.0, 80], [0, 0, 1]]),
    "turned": np.array([[24.0, -17, 300], [17, 24.0, 80], [0, 0, 1]]),
    "tilted": np.array([[30.0, 4, 100], [-2, 26.0, 80], [0.01, 0.03, 1]]),
}
"""From columns and rows to pixels."""


def squares(view: np.ndarray, places: np.ndarray, side: float = 0.8) -> Blobs:
    """Squares at places of a plane, as a camera sees them."""
    step = 1e-4
    at = places.astype(float)
    slopes = [
        (mapped(view, at + way) - mapped(view, at - way)) / (2 * step)
        for way in (np.array([step, 0]), np.array([0, step]))
    ]
    slope = np.stack(slopes, axis=-1)
    shapes = slope @ slope.transpose(0, 2, 1) * side**2 / 12
    return Blobs(mapped(view, at), shapes, np.abs(np.linalg.det(slope)) * side**2, NO_BANDS)


def together(*parts: Blobs) -> Blobs:
    names = ("centers", "shapes", "areas", "bands")
    return Blobs(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def rows(columns: int, number: int) -> np.ndarray:
    return np.array([(x, y) for y in range(number) for x in range(columns)])


def scattered(count: int) -> Blobs:
    rng = np.random.default_rng(count)
    side = rng.uniform(10, 40, count)
    shapes = np.eye(2) * (side**2 / 12)[:, np.newaxis, np.newaxis]
    return Blobs(rng.uniform(0, (700, 400), (count, 2)), shapes, side**2, NO_BANDS)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_a_lattice_is_found_among_other_areas_and_with_gaps(view: np.ndarray) -> None:
    """It comes first; a few of the other areas may lie in rows by chance."""
    places = np.random.default_rng(1).permutation(rows(11, 5))[:45]
    lattice, *_ = find_lattices(together(squares(view, places), scattered(30)))
    assert set(lattice.members) == set(range(45))
    assert np.abs(mapped(lattice.homography, lattice.places) - lattice.centers).max() < 0.1
    # Places are counted from any area on, along rows or along columns, but clockwise.
    true = np.c_[places[lattice.members], np.ones(45)]
    steps = np.linalg.lstsq(true, lattice.places.astype(float), rcond=None)[0][:2]
    assert np.abs(steps @ steps.T - np.eye(2)).max() < 1e-6
    assert np.linalg.det(steps) == pytest.approx(1)


def test_the_same_two_steps_are_tried_once() -> None:
    """From a row to a column, or from a column to a row: the lattice is the same."""
    blobs = squares(VIEWS["turned"], rows(5, 5))
    steps = [np.concatenate(pair).tolist() for pair in _bases(blobs, _neighbors(blobs), 12)]
    assert len(steps) == len(set(map(tuple, steps))) == 4
    assert all(right_x * down_y > right_y * down_x for right_x, right_y, down_x, down_y in steps)


def test_two_lattices_beside_each_other_are_two() -> None:
    view = VIEWS["from above"]
    other = view @ np.array([[1.3, 0, 11], [0, 1.3, 0], [0, 0, 1]])
    found = find_lattices(together(squares(view, rows(8, 6)), squares(other, rows(5, 4))))
    assert [len(lattice.members) for lattice in found] == [48, 20]


@pytest.mark.parametrize(
    ("columns", "number"), [(23, 6), (6, 2), (3, 3)], ids=["endless", "two rows", "too few"]
)
def test_rows_and_columns_that_no_sheet_has_are_left_out(columns: int, number: int) -> None:
    assert not find_lattices(squares(VIEWS["from above"], rows(columns, number)))
