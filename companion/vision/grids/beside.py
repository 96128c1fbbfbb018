"""Reports what a table that was read leaves out, and where its cells may be divided wrongly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, product
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.core.words import Sentence
from companion.vision.core import Corners, Trouble, as_corners
from companion.vision.grids import cells
from companion.vision.grids.columns import WORD, Floats, Numbers
from companion.vision.grids.grid import Grid
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.numbers import HIGH, usual_height

APART: Final = 2.0  # How far beside a table, in cells, another column of it may stand
OVER: Final = 0.15  # How far writing reaches over a table's sides, as a share of a cell
SHARE: Final = 0.35  # The share of a table's rows in which the numbers of another column stand
# The least share, and the least number, of a row's or column's cells that hold two numbers
CROWDED, FEWEST = 0.3, 3
STACKED: Final = 0.2  # The space between a number and the one below it, in heights of a digit
HIGHER: Final = 1.25  # The height of a row that may be two, in usual ones

BESIDE: Final = Sentence(
    "There is writing beside the table that was read. See whether a column or a row is missing."
)
TOGETHER: Final = Sentence(
    "Some cells of the table that was read may hold two numbers. See whether a column or a row is"
    " missing."
)


def left_out(lattice: Lattice, numbers: Numbers, *, has_heads: bool) -> Iterator[Trouble]:
    """Notes digits beside a table, in line with it.

    Args:
        lattice: the table's cells, as they were read.
        numbers: the digits in and around it.
        has_heads: whether it begins with a row of names, which else may stand above it.
    """
    boxes = numbers.nearby
    at = lattice.measured((boxes[:, :2] + boxes[:, 2:]) / 2)
    is_in_line = _in_line(at, lattice, has_heads=has_heads)
    if is_in_line.any():
        yield Trouble("beside-table", BESIDE, _around(boxes[is_in_line]))


def _around(boxes: Floats) -> Corners:
    (left, top), (right, bottom) = boxes[:, :2].min(axis=0), boxes[:, 2:].max(axis=0)
    return as_corners([(left, top), (right, top), (right, bottom), (left, bottom)])


def _in_line(at: Floats, lattice: Lattice, *, has_heads: bool) -> npt.NDArray[np.bool_]:
    """Which places may be those of another column or row of a table."""
    rows, columns = (count - 1 for count in lattice.corners.shape[:2])
    row, column = at.T
    found = np.zeros(len(at), bool)
    is_level = (row >= 0) & (row < rows)
    for is_beside in (
        (column < -OVER) & (column > -APART),
        (column > columns + OVER) & (column < columns + APART),
    ):
        side = is_level & is_beside
        if len(np.unique(np.floor(row[side]))) >= max(2, SHARE * rows):
            found |= side
    is_below = (row > rows + OVER) & (row < rows + 1 + OVER)
    # The heads stand one row above the rows that were read.
    above = -1 if has_heads else -2
    is_above = (row > above - OVER) & (row < above + 1 - OVER)
    # Above a table a single number may be a date; the last row of a game may not be full.
    for is_beside, fewest in ((is_below, 1), (is_above, 2)):
        side = (column >= 0) & (column < columns) & is_beside
        if len(np.unique(np.floor(column[side]))) >= max(fewest, (columns + 1) // 2):
            found |= side
    return found


def two_in_cells(found: Grid) -> Iterator[Trouble]:
    """Notes rows and columns whose cells hold two numbers, beside or below each other."""
    inks = cells.inks(found.flat, found.flat.places)
    inside = [place for place in product(found.rows, found.columns) if place in inks]
    if not inside:
        return
    tall = usual_height([inks[place] for place in inside])
    digits = [[box for box in inks[at].strokes if box.height >= HIGH * tall] for at in inside]
    across = [[(box.x, box.x + box.width) for box in boxes] for boxes in digits]
    down = [[(box.y, box.y + box.height) for box in boxes] for boxes in digits]
    is_double = np.array([_widest_gap(spans) > 1.5 * WORD * tall for spans in across])
    is_stacked = np.array([_widest_gap(spans) > STACKED * tall for spans in down])
    places = np.array(inside)
    heights = np.diff(found.flat.lattice.down)
    is_in_high_row = (heights > HIGHER * np.median(heights))[places[:, 0]]
    is_crowded = (is_stacked & is_in_high_row) | _in_lines(places, is_double | is_stacked)
    if is_crowded.any():
        (top, left), (bottom, right) = (at(places[is_crowded], axis=0) for at in (np.min, np.max))
        corners = found.flat.lattice.corners[top : bottom + 2, left : right + 2]
        outline = corners[[0, 0, -1, -1], [0, -1, -1, 0]]
        yield Trouble("two-in-cells", TOGETHER, as_corners(outline))


def _widest_gap(spans: Sequence[tuple[float, float]]) -> float:
    """The widest gap between some spans, below 0 if they overlap."""
    order = sorted(spans)
    stops = accumulate((stop for _, stop in order[:-1]), max)
    return max((start - stop for (start, _), stop in zip(order[1:], stops, strict=True)), default=0)


def _in_lines(
    places: npt.NDArray[np.intp], is_double: npt.NDArray[np.bool_]
) -> npt.NDArray[np.bool_]:
    """Which cells are in a row or column of which many hold two numbers."""
    found = np.zeros(len(places), bool)
    for of_cell in places.T:
        for line in np.unique(of_cell):
            is_its = of_cell == line
            count = is_double[is_its].sum()
            if count >= FEWEST and count > CROWDED * is_its.sum():
                found |= is_its
    return found
