"""How long tests wait. No verdict depends on the machine's speed."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

PATIENCE: Final = 120.0
"""Seconds after which a test that hangs is ended; nothing takes a tenth of it on a busy machine."""


def until(is_so: Callable[[], bool]) -> bool:
    """Waits until the condition holds; returns False when patience has run out."""
    limit = time.monotonic() + PATIENCE
    while not is_so():
        if time.monotonic() > limit:
            return False
        time.sleep(0.02)
    return True
