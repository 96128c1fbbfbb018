"""Random Kniffel columns: random points in a random share of the lines, some of them struck out."""

from __future__ import annotations

from typing import Final

from training.games import SheetTraining

SHEET: Final = SheetTraining()
