"""Checks the colour between fields and the edges of their bars: other sheets print it otherwise."""

from __future__ import annotations

from typing import Final

import numpy as np

from companion.core.edition import Edition
from companion.core.sheet import Box, Millimetres
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.mapping.plane import Matrix
from companion.vision.unmarked.blobs import Color
from companion.vision.unmarked.signature import Colors, Features, explained

ACROSS: Final = (-0.18, -0.09, 0.0, 0.09, 0.18)
"""Where colours are looked up, in units from the middle of a field."""
INSIDE: Final = 0.06
"""How far inside a field's edge its own colour is looked up, in units."""
OWN: Final = 0.6
"""The least share of the rims' differences that their bars explain.

Of 37 simulated sheets none has less than 0.93, of 12 with colours in blocks none more than 0.15.
"""
PALE: Final = 0.5
"""From this on, 0 for the bar's colour and 1 for its fields', a bridge lies between fields."""
BRIDGES: Final = 4
"""The fewest bridges of another sheet. Ink, and errors of a few tenths of a millimetre, make one
at most."""


def rims_agree(image: Color, edition: Edition, board: str) -> bool:
    """Whether an edition's bars have one colour each, unbroken, beside their fields, if it has any.

    Sheets with colours in blocks print others from field to field, and those with joined rows
    bridges.

    Args:
        image: the flattened sheet, BGR.
    """
    if not edition.bars:
        return True
    fields = [field.box for field in edition.paper(board).fields if field.shape == "square"]
    rows = [
        [box for box in fields if bar.y < box.center[1] < bar.y + bar.height]
        for bar in edition.bars
    ]
    if len({len(row) for row in rows}) > 1 or not rows[0]:
        # A person's table may describe rows elsewhere.
        return True
    colors = Colors(image)
    sides = [
        _side(colors, bar, row, edition.unit, way)
        for bar, row in zip(edition.bars, rows, strict=True)
        for way in (-1, 1)
    ]
    rims = np.concatenate([rim for rim, _ in sides])
    bars = np.repeat(np.arange(len(rows)), 2 * len(rows[0]))
    paleness = [_paleness(*side) for side in sides]
    # The lower side of each row and the upper one of the next.
    between = [np.minimum(*pair) for pair in zip(paleness[1:-1:2], paleness[2::2], strict=True)]
    bridges = sum(int((pale - _around(pale) > PALE).sum()) for pale in between)
    return explained(rims, bars) > OWN and bridges < BRIDGES


def _paleness(rim: Features, inner: Features) -> Matrix:
    """How far each rim's colour lies on the way from the bar's to the fields', from any start."""
    toward = np.median(inner, axis=0) - np.median(rim, axis=0)
    return np.asarray(rim @ toward / max(float(toward @ toward), 1e-6), np.float64)


def _around(paleness: Matrix) -> Matrix:
    """The median of each place and the two on either side.

    Beside a row that lies a little off, or in a highlight, all is pale.
    """
    return np.array([np.median(paleness[max(at - 2, 0) : at + 3]) for at in range(len(paleness))])


def _side(
    colors: Colors, bar: Box, row: list[Box], unit: Millimetres, way: int
) -> tuple[Features, Features]:
    """The colours beside each field of a bar's row, and just inside the field, (n, 3) each.

    Args:
        way: -1 for the side above the fields, 1 for the one below.
    """
    edge = row[0].height / 2
    rim = (edge + bar.height / 2) / 2
    middles = np.array([box.center for box in row])
    beside, inside = (
        colors.at(_across(middles + np.array([0, way * off]), unit))[0]
        for off in (rim, edge - INSIDE * unit)
    )
    return beside, inside


def _across(middles: Matrix, unit: Millimetres) -> Matrix:
    """Points of the image beside some points of the paper, (n, k, 2)."""
    beside = np.array([(off * unit, 0.0) for off in ACROSS])
    return np.asarray((middles[:, np.newaxis] + beside) * FLAT_PX_PER_MM - 0.5)
