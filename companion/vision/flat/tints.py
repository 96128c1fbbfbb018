"""Whether the printed colours are where they should be, by how light they are in gray.

Boards of one sheet differ in nothing else. A pad with the markers of another board would be read
as if it were that one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import compress
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from companion.core.shapes import inset
from companion.core.sheet import AnySheetKind, Box, Millimetres, Paper
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.flat import expected

CLEAR_AGREEMENT: Final = 0.8
"""The correlation above which no other board is looked at.

Another board has at most about half of it. The right board has 0.93 and more even in bad light and
in gray, but can fall to 0.5 from strange printers under strange lamps.
"""
FEWEST_RIMS: Final = 20
"""The number of coloured rims below which there is nothing to compare."""
CLEARANCE: Final[Millimetres] = 0.2
"""The distance that the compared pixels keep from the next colour."""


Shown: TypeAlias = Callable[[Sequence[Box]], npt.NDArray[np.bool_]]
"""Tells which of some boxes on a pad are in the photo."""


def matches_board(
    even: npt.NDArray[np.float32], sheet: AnySheetKind, board: str, shown: Shown | None = None
) -> bool:
    """Whether a pad looks like this board rather than like another board of its sheet.

    Args:
        even: the pad as `light.evened` returns it.
        shown: which boxes are in the photo; all if None.
    """
    own = agreement(even, sheet.paper(board), shown)
    return own >= CLEAR_AGREEMENT or not any(
        agreement(even, sheet.paper(other), shown) > own for other in sheet.boards if other != board
    )


def agreement(even: npt.NDArray[np.float32], paper: Paper, shown: Shown | None = None) -> float:
    """How well the rims of coloured boxes agree with what is printed there, 1 at the best.

    This is Pearson's correlation between how light they are and how light they should be; 1 where
    a pad has no colours to compare.

    Args:
        even: the pad as `light.evened` returns it.
        shown: which boxes are in the photo; all if None.
    """
    rims = [outline.rim for outline in expected.outlines(paper) if outline.rim]
    if shown is not None:
        rims = list(compress(rims, shown([edge for edge, _, _ in rims])))
    wanted = np.array([gray for _, _, gray in rims], np.float64)
    if len(rims) < FEWEST_RIMS or np.ptp(wanted) == 0:
        return 1.0
    found = np.array([_rim_light(even, edge, width) for edge, width, _ in rims])
    return float(np.corrcoef(found, wanted)[0, 1]) if np.ptp(found) else 0.0


def _rim_light(even: npt.NDArray[np.float32], edge: Box, width: Millimetres) -> float:
    """The median of a rim's pixels, whatever crosses it; `edge` is the box around the rim."""
    inner, thickness = inset(edge, CLEARANCE), width - 2 * CLEARANCE
    left, top, right, bottom = (
        round(at * FLAT_PX_PER_MM)
        for at in (inner.x, inner.y, inner.x + inner.width, inner.y + inner.height)
    )
    part = even[top:bottom, left:right]
    thick = max(round(thickness * FLAT_PX_PER_MM), 1)
    sides = (part[:thick], part[-thick:], part[:, :thick], part[:, -thick:])
    return float(np.median(np.concatenate([side.ravel() for side in sides])))
