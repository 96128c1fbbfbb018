"""Rows and columns of areas under known homographies, among others and with gaps."""

from __future__ import annotations

import numpy as np
import pytest

from companion.vision.mapping.plane import mapped
from companion.vision.unmarked.blobs import Blobs
from companion.vision.unmarked.lattices import find_lattices

NO_BANDS = np.empty((0, 4, 2))
VIEWS = {
    "from above": np.array([[30.0, 0, 100], [0, 30.0, 80], [0, 0, 1]]),
    "turned": np.array([[24.0, -17, 300], [17, 24.0, 80], [0, 0, 1]]),
    "tilted": np.array([[30.0, 4, 100], [-2, 26.0, 80], [0.01, 0.03, 1]]),
}
"""From columns and rows to pixels."""


def squares(view: np.ndarray, places: np.ndarray, side: float = 0.8) -> Blobs:
    """Squares at places of a plane, as they are seen."""
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
    """It comes first: a few of the others may lie in rows by chance."""
    places = np.random.default_rng(1).permutation(rows(11, 5))[:45]
    lattice, *_ = find_lattices(together(squares(view, places), scattered(30)))
    assert set(lattice.members) == set(range(45))
    assert np.abs(mapped(lattice.homography, lattice.places) - lattice.centers).max() < 0.1
    # They are counted from any place on, along rows or along columns, but clockwise.
    true = np.c_[places[lattice.members], np.ones(45)]
    steps = np.linalg.lstsq(true, lattice.places.astype(float), rcond=None)[0][:2]
    assert np.abs(steps @ steps.T - np.eye(2)).max() < 1e-6
    assert np.linalg.det(steps) == pytest.approx(1)


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
