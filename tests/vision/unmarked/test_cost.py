"""Pictures that were made to keep the reader busy cost no more than photos of many sheets.

Work is counted and not timed, so that a busy machine changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from companion.core.edition import Edition
from companion.games.editions import editions
from companion.vision.mapping.plane import Matrix
from companion.vision.unmarked import blobs, placing, search
from companion.vision.unmarked.blobs import Blobs, Color, find_blobs
from companion.vision.unmarked.lattices import Lattice
from companion.vision.unmarked.search import find_sheets

WIDTH, HEIGHT = 1600, 1200
MOST_WAYS_OF_A_LATTICE = 2000
"""The budget is looked at between lattices only."""


def discs(pitch: int = 9, radius: int = 3) -> Color:
    """Thousands of discs in rows and columns."""
    picture = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    for y in range(pitch, HEIGHT - pitch, pitch):
        for x in range(pitch, WIDTH - pitch, pitch):
            cv2.circle(picture, (x, y), radius, (200, 80, 30), -1)
    return picture


def patches(columns: int, rows: int, pitch: int) -> Color:
    """Dozens of small lattices beside each other, in random colours."""
    rng = np.random.default_rng(0)
    picture = np.full((HEIGHT, WIDTH, 3), 240, np.uint8)
    colors = rng.integers(0, 200, (6, 3)).tolist()
    wide, high = (columns + 2) * pitch, (rows + 2) * pitch
    for top in range(pitch, HEIGHT - high, high):
        for left in range(pitch, WIDTH - wide, wide):
            for row in range(rows):
                for column in range(columns):
                    at = (left + column * pitch, top + row * pitch)
                    color = colors[int(rng.integers(6))]
                    cv2.circle(picture, at, round(0.4 * pitch), color, -1)
    return picture


def noise(scale: int = 2) -> Color:
    rng = np.random.default_rng(scale)
    small = rng.integers(0, 2, (HEIGHT // scale, WIDTH // scale, 3), np.uint8) * 255
    return np.asarray(np.kron(small, np.ones((scale, scale, 1), np.uint8)), np.uint8)


def test_dozens_of_lattices(monkeypatch: pytest.MonkeyPatch) -> None:
    """They cost up to 9 s: each was laid into each edition in every possible way."""
    ways: list[int] = []
    lattices: list[Lattice] = []
    lay, find = placing._placings, search.find_lattices

    def counted(lattice: Lattice, edition: Edition) -> Matrix:
        found = lay(lattice, edition)
        ways.append(len(found))
        return found

    def noted(blobs: Blobs) -> list[Lattice]:
        lattices.extend(find(blobs))
        return lattices

    monkeypatch.setattr(placing, "_placings", counted)
    monkeypatch.setattr(search, "find_lattices", noted)
    sheets, _ = find_sheets(patches(5, 4, 20), [])
    assert len(lattices) > 10
    assert not sheets
    assert sum(ways) < placing.MOST_IN_VAIN * len(editions()) + MOST_WAYS_OF_A_LATTICE


@pytest.mark.parametrize("picture", [discs, noise])
def test_thousands_of_dots(picture: Callable[[], Color], monkeypatch: pytest.MonkeyPatch) -> None:
    """They cost 3 s in 160,000 outlines."""
    areas: list[int] = []
    look = blobs._areas

    def counted(mask: Color, longest: float) -> list[tuple[float, ...]]:
        found = look(mask, longest)
        areas.append(len(found))
        return found  # type: ignore[return-value]

    monkeypatch.setattr(blobs, "_areas", counted)
    assert len(find_blobs(picture()).areas) <= blobs.MOST
    assert len(areas) == 12  # channels, windows, lighter and darker
    assert max(areas) <= blobs.MOST_OUTLINES
