"""The order of the sheets in a photo: left to right, and top to bottom."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from companion.vision.core import Corners, SheetReading


def in_order(readings: Sequence[SheetReading]) -> list[SheetReading]:
    """The sheets of a photo line by line, each line from the left.

    A sheet belongs to the line of the topmost sheet that is left if their middles are less than
    half of that sheet's height apart.
    """
    left = sorted(readings, key=lambda reading: _middle(reading.corners)[1])
    found: list[SheetReading] = []
    while left:
        _, top = _middle(left[0].corners)
        height = _height(left[0].corners)
        line = [sheet for sheet in left if _middle(sheet.corners)[1] - top < height / 2]
        found += sorted(line, key=lambda reading: _middle(reading.corners)[0])
        left = left[len(line) :]
    return found


def _middle(corners: Corners) -> tuple[float, float]:
    return fmean(x for x, _ in corners), fmean(y for _, y in corners)


def _height(corners: Corners) -> float:
    downs = [y for _, y in corners]
    return max(downs) - min(downs)
