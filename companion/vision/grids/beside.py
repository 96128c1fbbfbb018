"""Reports what a table that was read leaves out, and where its cells may be divided wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.core.words import Sentence
from companion.vision.core import Corners, Trouble, as_corners
from companion.vision.grids.columns import WORD, Floats, Numbers, measured
from companion.vision.grids.lattice import Lattice

APART: Final = 2.0  # How far beside a table, in cells, another column of it may stand
OVER: Final = 0.15  # How far writing reaches over a table's sides, as a share of a cell
SHARE: Final = 0.35  # The share of a table's rows in which the numbers of another column stand
# The least share, and the least number, of a row's or column's cells that hold two numbers
CROWDED, FEWEST = 0.3, 3
STACKED: Final = 0.2  # The space between a number and the one below it, in heights of a digit

BESIDE: Final = Sentence(
    "There is writing beside the table that was read. See whether a column or a row is missing."
)
TOGETHER: Final = Sentence(
    "Some cells of the table that was read may hold two numbers. See whether a column or a row is"
    " missing."
)


def left_out(lattice: Lattice, numbers: Numbers, heads: tuple[int, int]) -> Iterator[Trouble]:
    """Notes on digits beside a table, in line with it, and on cells that hold two numbers.

    Args:
        lattice: the table's cells, as they were read.
        numbers: the digits in and around it.
        heads: how many rows and columns of words it begins with; without such a row, the players'
            names may stand above it.
    """
    boxes = numbers.nearby
    at = measured(lattice, (boxes[:, :2] + boxes[:, 2:]) / 2)
    is_in_line = _in_line(at, lattice, has_heads=heads[0] > 0)
    if is_in_line.any():
        yield Trouble("beside-table", BESIDE, _around(boxes[is_in_line]))
    is_crowded = _crowded(np.floor(at).astype(np.intp), boxes, numbers.height, lattice, heads)
    if is_crowded.any():
        yield Trouble("two-in-cells", TOGETHER, _around(boxes[is_crowded]))


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


def _crowded(
    places: npt.NDArray[np.intp],
    boxes: Floats,
    height: float,
    lattice: Lattice,
    heads: tuple[int, int],
) -> npt.NDArray[np.bool_]:
    """Which digits are in a row or column whose cells hold two numbers each."""
    size = np.array(lattice.corners.shape[:2]) - 1
    inside = ((places >= heads) & (places < size)).all(axis=1)
    x, y = np.abs(lattice.corners[0, -1] - lattice.corners[0, 0])
    axes = (1, 0) if y > x else (0, 1)  # A table on its side has its numbers from top to bottom.
    filled, doubled = np.zeros(size, bool), np.zeros(size, bool)
    for row, column in np.unique(places[inside], axis=0).tolist():
        filled[row, column] = True
        doubled[row, column] = _is_apart(boxes[(places == (row, column)).all(axis=1)], height, axes)
    found = np.zeros(len(places), bool)
    for axis in (0, 1):
        counts = doubled.sum(axis=1 - axis)
        full = np.maximum(filled.sum(axis=1 - axis), 1)
        lines = np.flatnonzero((counts >= FEWEST) & (counts > CROWDED * full))
        found |= inside & np.isin(places[:, axis], lines)
    return found


def _is_apart(boxes: Floats, height: float, axes: tuple[int, int]) -> bool:
    """Whether digits belong to more than one number, beside or below each other.

    Args:
        axes: in which direction of the photo a number is written, and rows follow each other.
    """
    for axis, least in zip(axes, (1.5 * WORD, STACKED), strict=True):
        order = np.argsort(boxes[:, axis])
        stops = np.maximum.accumulate(boxes[order, axis + 2])
        if (boxes[order[1:], axis] - stops[:-1] > least * height).any():
            return True
    return False
