"""Finds the lines between a table's lines of which too few segments were seen.

Those of small cells are hardly longer than strokes of letters.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.grids.cells import EDGE, FlatGrid
from companion.vision.grids.lattice import Lattice

REACH: Final = 7  # Pixels across in which a line may waver
PALER: Final = 0.5  # The least ink of a line, of the others' usual ink
WHOLE: Final = 0.95  # The least share of its length on which it has ink
APART: Final = 0.6  # The least distance of lines, in usual ones

Floats = npt.NDArray[np.float64]


def with_lost_lines(lattice: Lattice, photo: npt.NDArray[np.uint8]) -> Lattice:
    """The lattice with all lines that are as dark as its own, from side to side.

    Args:
        photo: gray.
    """
    if lattice.is_slim or lattice.is_loose:
        return lattice
    flat = FlatGrid.of(lattice, photo)
    ink = np.clip(1 - flat.even, 0, 1)
    down, across = (
        (EDGE + (at - at[0]) * flat.scale) * FLAT_PX_PER_MM for at in (lattice.down, lattice.across)
    )
    rows, columns = _lines(ink, down, across), _lines(ink.T, across, down)
    corners = _between(_between(lattice.corners, rows).swapaxes(0, 1), columns).swapaxes(0, 1)
    return Lattice(corners, _between(lattice.down, rows), _between(lattice.across, columns))


def _lines(ink: npt.NDArray[np.float32], own: Floats, ends: Floats) -> Floats:
    """The places of all level lines, those that are known being 0, 1, 2 and so on.

    Args:
        own, ends: the known ones' places, and where they begin and end, in pixels.
    """
    inside = ink[:, round(ends[0]) : round(ends[-1])]
    thick = cv2.dilate(inside, np.ones((REACH, 1), np.uint8))
    usual = np.median(thick[np.round(own).astype(int)])
    drawn = (thick > PALER * usual).mean(axis=1) >= WHOLE
    edges = np.flatnonzero(np.diff(np.concatenate([[False], drawn, [False]]).astype(int)))
    middles = edges.reshape(-1, 2).mean(axis=1)
    least = APART * float(np.median(np.diff(own)))
    found = own.tolist()
    for middle in middles.tolist():
        if own[0] < middle < own[-1] and min(abs(middle - at) for at in found) >= least:
            found.append(middle)
    return np.asarray(np.interp(sorted(found), own, np.arange(len(own))))


def _between(known: Floats, places: Floats) -> Floats:
    """What is known of lines 0, 1, 2 and so on, for some places between them."""
    low = np.floor(places).astype(int).clip(0, len(known) - 2)
    part = (places - low).reshape(-1, *[1] * (known.ndim - 1))
    return np.asarray(known[low] * (1 - part) + known[low + 1] * part)
