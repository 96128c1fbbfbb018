"""Random sheets of Skeleton, as of any sheet of numbers alone."""

from __future__ import annotations

from typing import Final

from training.games import SheetTraining

SHEET: Final = SheetTraining()
