"""How few cells are read before the others, and from how many sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from companion.core.sheet import Box
from companion.vision.core import Chances
from companion.vision.grids import cells as cell_module
from companion.vision.grids import numbers as number_module
from companion.vision.grids.cells import FlatGrid, Ink, Place
from companion.vision.grids.examining import SAMPLE, examine
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.numbers import Writing
from companion.vision.grids.refusals import PRICES


class Pages:
    """Stands for the reading of cells: all are written in, and each look is noted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, glance: Chances, *, points: bool) -> None:
        self.glance, self.points = glance, points
        self.looks: list[tuple[int, bool]] = []  # How many cells were read, and whether so at once
        self.box = Box(0, 0, 10, 10)  # around both strokes of each cell
        monkeypatch.setattr(cell_module, "inks", lambda flat, places: self.inks(places))
        monkeypatch.setattr(number_module, "read", self.read)

    def inks(self, places: Sequence[Place]) -> Mapping[Place, Ink]:
        """All of these cells with ink."""
        return dict.fromkeys(places, Ink(WHITE.astype(np.float32), (self.box, self.box)))

    def read(
        self, flat: FlatGrid, places: Sequence[Place], *, at_a_glance: bool = False
    ) -> Mapping[Place, Writing]:
        found = [*cell_module.inks(flat, places)]
        self.looks.append((len(found), at_a_glance))
        return dict.fromkeys(found, Writing(self.glance, has_point=self.points))


DOWN, ACROSS = np.arange(31) * 20.0, np.arange(21) * 20.0
LARGE_LATTICE = Lattice(np.stack(np.meshgrid(ACROSS, DOWN), axis=-1), DOWN, ACROSS)
WHITE = np.full((620, 620), 240, np.uint8)


@pytest.mark.parametrize(
    ("glance", "points", "refusal"),
    [
        ({7: 0.2}, False, "words or signs at a glance"),
        ({1230: 0.97}, True, PRICES),
    ],
)
def test_what_a_few_cells_show_is_refused_before_the_others_are_read(
    glance: Chances, points: bool, refusal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pages = Pages(monkeypatch, glance, points=points)
    assert examine(LARGE_LATTICE, WHITE).refusal == refusal
    assert len(pages.looks) <= 4
    assert max(count for count, _ in pages.looks) < 2 * SAMPLE


@pytest.mark.parametrize(
    ("is_ruled", "cells", "is_read"), [(False, 20, False), (True, 20, True), (False, 8, True)]
)
def test_a_page_of_text_is_given_up_where_two_thirds_are_words(
    is_ruled: bool, cells: int, is_read: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between lines they may be a sheet's print, and a few cells are soon read."""
    pages = Pages(monkeypatch, {}, points=False)

    def read(flat: FlatGrid, places: Sequence[Place], **_: bool) -> Mapping[Place, Writing]:
        pages.looks.append((len(places), False))
        chances: list[Chances] = [{37: 0.97}, {7: 0.2}, {7: 0.2}]
        return {place: Writing(chances[number % 3]) for number, place in enumerate(places)}

    monkeypatch.setattr(number_module, "read", read)
    lines = np.arange(cells + 1) * 20.0
    lattice = Lattice(np.stack(np.meshgrid(lines, lines), axis=-1), lines, lines)
    examine(lattice, WHITE, is_ruled=is_ruled)
    assert (max(count for count, _ in pages.looks) == cells**2) is is_read


def test_a_table_that_is_read_surely_is_read_from_one_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = Pages(monkeypatch, {37: 0.97}, points=False)
    examine(LARGE_LATTICE, WHITE)
    assert [at_a_glance for _, at_a_glance in pages.looks] == [True, False]
    assert pages.looks[1][0] == 30 * 20


def test_a_table_that_is_read_fairly_well_is_looked_at_from_all_sides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Upside down, 86 and 90 are numbers, too."""
    pages = Pages(monkeypatch, {86: 0.6}, points=False)
    examine(LARGE_LATTICE, WHITE)
    assert [at_a_glance for _, at_a_glance in pages.looks] == [*[True] * 4, False]


@pytest.mark.parametrize("shape", [(40, 10), (10, 40)], ids=["level", "upright"])
def test_words_are_not_read_from_the_side(
    shape: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There they look like digits."""
    pages = Pages(monkeypatch, {7: 0.2}, points=False)
    pages.box = Box(0, 0, *shape)
    assert examine(LARGE_LATTICE, WHITE).refusal == "words or signs at a glance"
    assert len(pages.looks) == 2


def test_a_table_whose_last_row_holds_names_is_read_upside_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = np.arange(5) * 20.0
    lattice = Lattice(np.stack(np.meshgrid(lines, lines), axis=-1), lines, lines)
    Pages(monkeypatch, {8: 0.97}, points=False)

    def read(flat: FlatGrid, places: Sequence[Place], **_: bool) -> Mapping[Place, Writing]:
        names = 3 if flat.lattice.corners[0, 0, 0] == 0 else 0
        numbers: list[Chances] = [{18 + at: 0.9} if names else {81 - at: 0.95} for at in range(4)]
        return {
            place: Writing({4: 0.1} if place[0] == names else numbers[place[1]]) for place in places
        }

    monkeypatch.setattr(number_module, "read", read)
    examined = examine(lattice, WHITE)
    assert examined.table
    assert (examined.table.head_rows, examined.table.numbers[0]) == ((0,), [81, 80, 79, 78])


def test_a_large_table_with_little_in_its_middle_is_looked_at_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pages = Pages(monkeypatch, {37: 0.97}, points=False)
    corner = [(row, at) for row in range(4) for at in range(4)]
    monkeypatch.setattr(
        cell_module,
        "inks",
        lambda flat, places: pages.inks(corner if len(places) == 30 * 20 else []),
    )
    examine(LARGE_LATTICE, WHITE)
    assert pages.looks == [(0, True), (16, True), (16, False)]


def test_more_columns_than_a_table_may_have_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = Pages(monkeypatch, {37: 0.97}, points=False)
    assert examine(LARGE_LATTICE.turned(1), WHITE).refusal
    assert [at_a_glance for _, at_a_glance in pages.looks] == [True]
