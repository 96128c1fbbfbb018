"""Places on a box at which people write."""

from __future__ import annotations

import numpy as np

from companion.core.sheet import Box, Millimetres
from training import Rng


def jittered(box: Box, by: Millimetres, rng: Rng) -> tuple[float, float]:
    """A random point near the centre of a box; `by` is the standard deviation."""
    x, y = box.center
    dx, dy = np.clip(rng.normal(0, by, 2), -2.2 * by, 2.2 * by)
    return x + float(dx), y + float(dy)
