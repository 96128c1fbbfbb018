"""Whether the printed colours are where they should be, as light and dark in gray.

Boards of one game differ in nothing else, so a pad with the markers of another board would be read
as if it were that one.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from companion.core.sheet import AnySheetKind, Box, Millimetres, Paper
from companion.vision import expected
from companion.vision.core import FLAT_PX_PER_MM

PLAIN: Final = 0.8
"""Of a correlation: no other board has more than about half of that. The right one has 0.93 and
more even in bad light and in gray; from strange printers under strange lamps it can have 0.5."""
SOME: Final = 20
"""With fewer coloured outlines there is nothing to compare."""
WITHIN: Final[Millimetres] = 0.2
"""What is looked at stays this far from the next colour."""


def is_of(even: npt.NDArray[np.float32], sheet: AnySheetKind, board: str) -> bool:
    """Whether a pad looks like this board rather than like another one of its sheet.

    Args:
        even: the pad as `light.evened` returns it.
    """
    own = agreement(even, sheet.paper(board))
    return own >= PLAIN or not any(
        agreement(even, sheet.paper(other)) > own for other in sheet.boards if other != board
    )


def agreement(even: npt.NDArray[np.float32], paper: Paper) -> float:
    """How well the rims of coloured boxes go with what is printed there, 1 at the best.

    Pearson's correlation between how light they are and how light they should be.

    Args:
        even: the pad as `light.evened` returns it.
    """
    rims = [(one, one.ring[0]) for one in expected.outlines(paper) if one.ring]
    wanted = np.array([outline.fill for outline, _ in rims], np.float64)
    if len(rims) < SOME or np.ptp(wanted) == 0:
        return 1.0
    found = np.array([_rim(even, outline, width) for outline, width in rims])
    return float(np.corrcoef(found, wanted)[0, 1]) if np.ptp(found) else 0.0


def _rim(even: npt.NDArray[np.float32], outline: expected.Outline, width: Millimetres) -> float:
    """How light the colour inside an outline is, whatever crosses it."""
    inset, thickness = outline.line + WITHIN, width - outline.line - 2 * WITHIN
    box = outline.box
    inner = Box(box.x + inset, box.y + inset, box.width - 2 * inset, box.height - 2 * inset)
    left, top, right, bottom = (
        round(at * FLAT_PX_PER_MM)
        for at in (inner.x, inner.y, inner.x + inner.width, inner.y + inner.height)
    )
    part = even[top:bottom, left:right]
    thick = max(round(thickness * FLAT_PX_PER_MM), 1)
    sides = (part[:thick], part[-thick:], part[:, :thick], part[:, -thick:])
    return float(np.median(np.concatenate([side.ravel() for side in sides])))
