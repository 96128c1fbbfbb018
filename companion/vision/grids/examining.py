"""Reads the numbers in cells that may be a table's: a few of them first, and all unless refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.games.score_grid import MOST_COLUMNS, MOST_ROWS
from companion.vision.grids import cells, numbers
from companion.vision.grids.cells import FlatGrid, Ink, Place
from companion.vision.grids.grid import (
    FEWEST,
    MOST_HEADS,
    WORD,
    Grid,
    mean_sure,
    well_read,
    without_heads,
)
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.numbers import Writing
from companion.vision.grids.refusals import (
    GLANCED,
    WORDS,
    no_points,
    not_of_numbers,
    not_plain,
)

# The factor on how well a table is read from any side but the photo's own
UPRIGHT: Final = 0.85
SIDE: Final = 12  # The rows and columns of a larger table that are looked at first
LARGE: Final = 100  # Cells of a table from which a few are read before the others
CLEARLY: Final = 0.75  # How well they are read from a side, 0 to 1, for no other to be tried
WORDLIKE: Final = 2.5  # The width of writing, by its height, from which it is surely level
SAMPLE: Final = 24  # Written cells that are read to see which side is up
# The share of words among some cells at a glance from which the others are not read; the same for
# many cells without lines: pages of text had 0.68 and more, drawn tables at most 0.1
ONLY_WORDS, MANY_WORDS = 0.9, 0.6
DARK: Final = 0.45  # The mean ink from which a cell is a dark square, such as a chessboard's
SOME: Final = 0.06  # The share of dark squares in no table


@dataclass(frozen=True, eq=False)
class Examined:
    """Cells that may be a table's, and what was found in them."""

    lattice: Lattice
    is_ruled: bool  # whether lines are drawn between them
    refusal: str  # why they are not a table, for a developer; "" for a table
    grid: Grid | None = None  # as far as they were read

    @property
    def table(self) -> Grid | None:
        """The numbers, if these are a table's."""
        return None if self.refusal else self.grid


def examine(
    lattice: Lattice,
    photo: npt.NDArray[np.uint8],
    *,
    is_ruled: bool = True,
    at_a_glance: bool = False,
) -> Examined:
    """Reads the numbers in some cells.

    Args:
        is_ruled: whether lines are drawn between the cells; else more of them have to be numbers.
        at_a_glance: whether it is enough to see that there are numbers.
    """
    looked = _first_look(lattice, photo, is_ruled=is_ruled)
    if isinstance(looked, str):
        return Examined(lattice, is_ruled, looked)
    quarters, turned = looked
    rows, columns = (len({place[axis] for place in turned.places}) for axis in (0, 1))
    if rows > MOST_ROWS + MOST_HEADS or columns > MOST_COLUMNS + MOST_HEADS:
        return Examined(lattice, is_ruled, "more rows or columns than a table has")
    grid = _read(turned, at_a_glance=at_a_glance)
    if grid and _ends_with_words(grid):
        over = _read(FlatGrid.of(lattice.turned(quarters + 2), photo), at_a_glance=at_a_glance)
        if over and over.head_rows and mean_sure(over.inked) > mean_sure(grid.inked):
            grid = over
    if grid is None:
        return Examined(lattice, is_ruled, WORDS[1])
    refusal = not_of_numbers(grid) or ("" if is_ruled else not_plain(grid))
    return Examined(lattice, is_ruled, refusal, grid)


def _first_look(
    lattice: Lattice, photo: npt.NDArray[np.uint8], *, is_ruled: bool
) -> tuple[int, FlatGrid] | str:
    """(by how many quarters cells are turned to be read, these cells), or why they are no table's,
    by their shapes and by what a few of them show.
    """
    if lattice.is_slim:
        return "cells far from square"
    if lattice.is_loose:
        return "lines far from the others"
    middle = _middle(lattice)
    flat = FlatGrid.of(middle, photo)
    dark = [float(np.mean(1 - flat.even[cells.inner(flat, place)])) for place in flat.places]
    if len(dark) < 2 * FEWEST:
        return "too few cells"
    if np.mean(np.array(dark) > DARK) > SOME:
        return "dark squares"
    is_whole = middle.corners.shape == lattice.corners.shape
    part, sides = sample(flat)
    quarters, seen = _best_side(part, sides, photo)
    if len(seen) < GLANCED and not is_whole:
        part, sides = sample(FlatGrid.of(lattice, photo))
        quarters, seen = _best_side(part, sides, photo)
    words = sum(each.likeliest[1] < WORD for each in seen.values())
    is_large = len(lattice.down) * len(lattice.across) > LARGE
    most = MANY_WORDS if is_large and not is_ruled else ONLY_WORDS
    if len(seen) >= GLANCED and words >= most * len(seen):
        return WORDS[0]
    if is_large and (refusal := no_points(seen, part.turned(quarters), photo)):
        return refusal
    is_turned = quarters or not is_whole
    return quarters, FlatGrid.of(lattice.turned(quarters), photo) if is_turned else flat


def _read(flat: FlatGrid, *, at_a_glance: bool) -> Grid | None:
    return without_heads(flat, numbers.read(flat, flat.places, at_a_glance=at_a_glance))


def _ends_with_words(grid: Grid) -> bool:
    """Whether the last row instead of the first one holds names, as in a table upside down."""
    last = [
        grid.written[grid.rows[-1], at]
        for at in grid.columns
        if (grid.rows[-1], at) in grid.written
    ]
    return not grid.head_rows and len(last) > 1 and all(each.likeliest[1] < WORD for each in last)


def _best_side(
    part: Lattice, sides: Sequence[int], photo: npt.NDArray[np.uint8]
) -> tuple[int, Mapping[Place, Writing]]:
    """(by how many quarters some cells are turned to be read best, what is read then).

    Args:
        sides: by how many they may be turned.
    """
    looks: list[Mapping[Place, Writing]] = []
    scores: list[float] = []
    for quarters in sides:
        looks.append(glance(part.turned(quarters), photo))
        scores.append(well_read([*looks[-1].values()]) * (UPRIGHT if quarters else 1))
        if scores[-1] >= CLEARLY * len(looks[-1]):
            break
    best = int(np.argmax(scores))
    return sides[best], looks[best]


def sample(flat: FlatGrid) -> tuple[Lattice, Sequence[int]]:
    """(a part of a table, by how many quarters it may be turned for its writing to be level).

    It has some written cells, as close together as they stand. The table's heads, at the top and
    at the left, are the first to be left out.
    """
    inks = cells.inks(flat, flat.places)
    inked = np.zeros([len(at) - 1 for at in (flat.lattice.down, flat.lattice.across)], bool)
    for place in inks:
        inked[place] = True
    top, left, (bottom, right) = 0, 0, inked.shape
    while True:
        part = inked[top:bottom, left:right]
        sides = (part[0], part[-1]) if bottom - top >= right - left else (part[:, 0], part[:, -1])
        first, last = (int(side.sum()) for side in sides)
        if max(part.shape) <= 2 or part.sum() - min(first, last) < SAMPLE:
            break
        is_first = first <= last
        if bottom - top >= right - left:
            top, bottom = top + is_first, bottom - (not is_first)
        else:
            left, right = left + is_first, right - (not is_first)
    kept = [inks[row + top, at + left] for row, at in np.argwhere(part).tolist()]
    return _part(flat.lattice, slice(top, bottom + 1), slice(left, right + 1)), _sides(kept)


def _sides(inks: Sequence[Ink]) -> Sequence[int]:
    """The quarter turns to try: words are wider than high, and look like digits from the side."""
    boxes = [numbers.extent(ink.strokes) for ink in inks if len(ink.strokes) > 1]
    if len(boxes) < GLANCED:
        return range(4)
    lying = float(np.median([box.width / box.height for box in boxes]))
    if 1 / WORDLIKE < lying < WORDLIKE:
        return range(4)
    return (0, 2) if lying > 1 else (1, 3)


def _middle(lattice: Lattice) -> Lattice:
    """The cells in the middle of a large table, or all."""
    first = [max(lines - 1 - SIDE, 0) // 2 for lines in lattice.corners.shape[:2]]
    return _part(lattice, *(slice(at, at + SIDE + 1) for at in first))


def _part(lattice: Lattice, down: slice, across: slice) -> Lattice:
    return Lattice(lattice.corners[down, across], lattice.down[down], lattice.across[across])


def glance(lattice: Lattice, photo: npt.NDArray[np.uint8]) -> Mapping[Place, Writing]:
    """What is written in some cells, read in a fifth of the time."""
    flat = FlatGrid.of(lattice, photo)
    return numbers.read(flat, flat.places, at_a_glance=True)


def legibility(lattice: Lattice, photo: npt.NDArray[np.uint8]) -> float:
    """How well numbers are read in some cells at a glance, 0 to 1."""
    written = [*glance(lattice, photo).values()]
    return well_read(written) / max(len(written), FEWEST)
