"""Which lines are a table's: without those of its paper, and only if they divide its numbers."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from companion.vision.grids import cells
from companion.vision.grids.cells import FlatGrid
from companion.vision.grids.columns import FULL, LOST, STRAYS, Numbers
from companion.vision.grids.lattice import Lattice

WIDER: Final = 0.35  # The part of an outermost column in which nothing stands, to be left out
RIM: Final = 0.15  # How far beside the outermost line ink may be its own, in cells
MIXED: Final = 0.12  # The most digits beside those of their cell's number
# The share of a column's rows with ink from which something is written there
WRITTEN: Final = 0.35
FILLED: Final = 0.6  # The share of cells with digits from which lines are no paper's


def trimmed(ruled: Lattice, numbers: Numbers, photo: npt.NDArray[np.uint8]) -> Lattice:
    """A lattice without its empty columns and rows, if it has empty columns at both sides.

    The lines of ruled paper continue beyond a table that is drawn on it. A column without digits
    may be written in all the same, palely.

    Args:
        photo: gray.
    """
    way, its_way = (each.outline[1] - each.outline[0] for each in (ruled, numbers.lattice))
    is_upright = abs(way @ its_way) > abs(way[0] * its_way[1] - way[1] * its_way[0])
    if not is_upright and numbers.fill >= FULL:
        # The photo shows the table on its side. The letters of heads may stand in columns, too.
        return _on_its_paper(ruled.turned(1), numbers, photo).turned(3)
    return _on_its_paper(ruled, numbers, photo)


def _on_its_paper(ruled: Lattice, numbers: Numbers, photo: npt.NDArray[np.uint8]) -> Lattice:
    """The same of lines that are seen as the table is read."""
    kept = _narrowed(_trimmed(ruled, numbers), numbers.lattice)
    if kept is ruled:
        return ruled
    rows = kept.places(numbers.digits)[:, 0]
    top, bottom = max(int(rows.min()), 0), int(rows.max())
    if top >= bottom:
        return ruled  # The digits of a single row are in columns of their own.
    inside = slice(top, bottom + 2)
    kept = Lattice(kept.corners[inside], kept.down[inside], kept.across)
    is_cut = len(kept.across) < len(ruled.across)
    return ruled if is_cut and _is_written_beside(kept, ruled, photo) else kept


def _is_written_beside(kept: Lattice, ruled: Lattice, photo: npt.NDArray[np.uint8]) -> bool:
    """Whether there is writing in columns that were not kept, in the rows that were."""
    flat = FlatGrid.of(ruled, photo)
    inked = np.zeros([len(at) - 1 for at in (ruled.down, ruled.across)], bool)
    for place in cells.inks(flat, flat.places):
        inked[place] = True
    middles = [(at[1:] + at[:-1]) / 2 for at in (ruled.down, ruled.across)]
    are_kept = [
        (at > its.min()) & (at < its.max())
        for at, its in zip(middles, (kept.down, kept.across), strict=True)
    ]
    written = inked[are_kept[0]][:, ~are_kept[1]].sum(axis=0)
    return bool((written >= max(2, WRITTEN * are_kept[0].sum())).any())


def _trimmed(ruled: Lattice, numbers: Numbers) -> Lattice:
    """A lattice without its empty columns, if it has some at both sides."""
    columns = ruled.places(numbers.digits)[:, 1]
    last = ruled.corners.shape[1] - 2
    low, high = max(int(columns.min()), 0), min(int(columns.max()), last)
    if low <= 0 or high >= last or high - low < 1:
        return ruled
    kept = slice(low, high + 2)
    return Lattice(ruled.corners[:, kept], ruled.down, ruled.across[kept])


def _narrowed(ruled: Lattice, numbers: Lattice) -> Lattice:
    """A lattice whose outermost columns end where those of the numbers do, if they are far wider.

    The sides of the paper are no sides of a table on lines that reach them.
    """
    count = ruled.corners.shape[1] - 1
    if numbers.corners.shape[1] != count + 1:
        return ruled
    corners, across = ruled.corners.copy(), ruled.across.copy()
    is_narrowed = False
    for side, inner in ((0, 1), (count, count - 1)):
        place = float(np.median(ruled.measured(numbers.corners[:, side])[:, 1]))
        cut = abs(place - side)
        if min(place, count - place) > 0 and WIDER < cut < 1:
            corners[:, side] += cut * (corners[:, inner] - corners[:, side])
            across[side] += cut * (across[inner] - across[side])
            is_narrowed = True
    return Lattice(corners, ruled.down, across) if is_narrowed else ruled


def is_explained(ruled: Lattice, numbers: Numbers) -> bool:
    """Whether the lines enclose nearly all digits, and each cell those of one number."""
    where = ruled.measured(numbers.digits)
    at = np.floor(where).astype(np.intp)
    size = np.array(ruled.corners.shape[:2]) - 1
    inside = ((at >= 0) & (at < size)).all(axis=1)
    # What lies on the outermost lines are rests of these.
    beyond = np.asarray(((where < -RIM) | (where > size + RIM)).any(axis=1))
    if beyond.mean() > STRAYS or not inside.any():
        return False
    keys, others = (each[inside, 0] * 1000 + each[inside, 1] for each in (at, numbers.cells))
    mixed, divided = _mixed(keys, others), _mixed(others, keys)
    is_alike = not mixed and not divided and not _fill_a_line(numbers, beyond)
    if beyond.mean() > LOST and not is_alike:
        return False
    steps = [np.diff(np.unique(at[inside, axis])) for axis in (0, 1)]
    if any(len(each) and np.median(each) > 1 for each in steps):
        return False  # Nobody leaves every other row empty.
    if mixed > MIXED and numbers.fill >= FULL:
        return False
    # Lines of the paper divide what belongs together, and have many empty cells.
    filled = len(np.unique(keys)) / size.prod()
    return bool(filled >= FILLED or divided <= MIXED)


def _fill_a_line(numbers: Numbers, some: npt.NDArray[np.bool_]) -> bool:
    """Whether some digits stand in most cells of a row or column; a cloth's do not."""
    cells = np.unique(numbers.cells[some], axis=0)
    size = np.array(numbers.lattice.corners.shape[:2]) - 1
    counts = [np.bincount(cells[:, axis], minlength=1).max() for axis in (0, 1)]
    return bool((np.array(counts) > size[::-1] / 2).any())


def _mixed(cells: npt.NDArray[np.intp], others: npt.NDArray[np.intp]) -> float:
    """The share of digits that `others` separates from most digits of their cell in `cells`."""
    least = 0
    for cell in np.unique(cells):
        least += int(np.unique(others[cells == cell], return_counts=True)[1].max())
    return 1 - least / len(cells)
