"""Finds the lines of a table of which too few segments were seen, and leaves out digits' strokes.

Segments of lines between small cells are hardly longer than strokes of letters, and ones that stand
below each other look like a line.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Millimetres
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.grids.cells import EDGE, FlatGrid
from companion.vision.grids.lattice import DOUBLE, Lattice

AROUND: Final = 3  # Usual cells beside a table in which lines of it may be
REACH: Final = 7  # Pixels across in which a line may waver
PALER: Final = 0.5  # The least ink of a line, of the others' usual ink
WHOLE: Final = 0.95  # The least share of its length on which it has ink
APART: Final = 0.6  # The least distance of lines, in usual ones
CROSSED: Final = 0.6  # The least share of the lines across that lead to a line beside the others
# The largest gap in a dotted line; the least share of a cell's side on which a line has ink, and of
# such cells, of the other lines' usual share; the fewest cells along a line that show it
GAP: Final[Millimetres] = 1.2
SIDE, SIDES, ALONG = 0.9, 0.4, 4

Floats = npt.NDArray[np.float64]


def with_lost_lines(lattice: Lattice, photo: npt.NDArray[np.uint8]) -> Lattice:
    """The lattice with all lines that are as dark as its own, from side to side.

    Upright ones with gaps are left out, if the others have none; a hand leaves some in level ones.

    Args:
        photo: gray.
    """
    if lattice.is_slim or lattice.is_loose:
        return lattice
    wide = _widened(_widened(lattice).turned(1)).turned(3)
    flat = FlatGrid.of(wide, photo)
    ink = np.clip(1 - flat.even, 0, 1)
    down, across = (
        (EDGE + (at - at[0]) * flat.scale) * FLAT_PX_PER_MM for at in (wide.down, wide.across)
    )
    rows, columns = _lines(ink, down, across), _lines(ink.T, across, down)
    columns = columns[~np.isin(columns, _with_gaps(ink.T, across, down))]
    corners = _between(_between(wide.corners, rows).swapaxes(0, 1), columns).swapaxes(0, 1)
    return Lattice(corners, _between(wide.down, rows), _between(wide.across, columns))


def _widened(lattice: Lattice) -> Lattice:
    """The lattice with room above and below."""
    room = AROUND * float(np.median(np.diff(lattice.down)))
    down, corners = lattice.down, lattice.corners
    first, last = (room / gap for gap in (down[1] - down[0], down[-1] - down[-2]))
    top = corners[:1] - first * (corners[1:2] - corners[:1])
    bottom = corners[-1:] + last * (corners[-1:] - corners[-2:-1])
    return Lattice(
        np.concatenate([top, corners, bottom]),
        np.concatenate([down[:1] - room, down, down[-1:] + room]),
        lattice.across,
    )


def _lines(ink: npt.NDArray[np.float32], places: Floats, ends: Floats) -> Floats:
    """The places of all level lines, those that are known being 1, 2, 3 and so on.

    Args:
        places, ends: the places of the known ones, and where they begin and end, in pixels, both
            between those of the room around the table.
    """
    own = places[1:-1]
    inside = ink[:, round(ends[1]) : round(ends[-2])]
    thick = cv2.dilate(inside, np.ones((REACH, 1), np.uint8))
    usual = np.median(thick[np.round(own).astype(int)])
    drawn = (thick > PALER * usual).mean(axis=1) >= WHOLE
    edges = np.flatnonzero(np.diff(np.concatenate([[False], drawn, [False]]).astype(int)))
    gaps = np.diff(edges.reshape(-1, 2).mean(axis=1))
    gaps = gaps[gaps > DOUBLE * np.median(np.diff(own))]
    pitch = float(np.median([*gaps, *np.diff(own)]))
    crossing = cv2.dilate(ink, np.ones((1, REACH), np.uint8))[:, np.round(ends[1:-1]).astype(int)]
    found = own.tolist()
    for start, stop in edges.reshape(-1, 2).tolist():
        middle = (start + stop) / 2
        goes_on = start == 0 or stop == len(drawn)  # a desk
        if goes_on or min(abs(middle - at) for at in found) < APART * pitch:
            continue
        # The side of the paper is dark, too, but no lines lead to it.
        nearest = float(np.clip(middle, own[0], own[-1]))
        outside = crossing[round(min(middle, nearest)) : round(max(middle, nearest))]
        if nearest == middle or np.mean(outside > PALER * usual) >= CROSSED:
            found.append(middle)
    return np.asarray(np.interp(sorted(found), places, np.arange(len(places))))


def _with_gaps(ink: npt.NDArray[np.float32], places: Floats, ends: Floats) -> npt.NDArray[np.intp]:
    """Which level lines are drawn beside few cells, the first line being 1.

    Args:
        places, ends: as for `_lines`.
    """
    thick = cv2.dilate(ink, np.ones((REACH, 1), np.uint8))[np.round(places[1:-1]).astype(int)]
    short = np.ones((1, round(GAP * FLAT_PX_PER_MM)), np.uint8)
    closed = cv2.morphologyEx(thick, cv2.MORPH_CLOSE, short)
    # A pale line has no gaps, either.
    drawn = closed > PALER * np.percentile(closed, 90, axis=1, keepdims=True)
    cells = pairwise(np.round(ends[1:-1]).astype(int).tolist())
    sides = np.stack([drawn[:, start:stop].mean(axis=1) >= SIDE for start, stop in cells], axis=1)
    shares = sides.mean(axis=1)
    has_gaps = (shares < SIDES * np.median(shares)) & (sides.shape[1] >= ALONG)
    has_gaps[[0, -1]] = False  # Nobody may have drawn them.
    return np.flatnonzero(has_gaps) + 1


def _between(known: Floats, places: Floats) -> Floats:
    """What is known of lines 0, 1, 2 and so on, for some places between them."""
    low = np.floor(places).astype(int).clip(0, len(known) - 2)
    part = (places - low).reshape(-1, *[1] * (known.ndim - 1))
    return np.asarray(known[low] * (1 - part) + known[low + 1] * part)
