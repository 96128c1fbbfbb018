"""Random Qwinto sheets: random numbers, each written into a random field that the rules allow."""

from __future__ import annotations

from typing import Final

from companion.core.sheet import Field, Mark
from companion.games.catalog import SHEETS
from training import Rng
from training.games import SheetTraining


def random_marks(fields: tuple[Field, ...], rng: Rng) -> dict[str, Mark]:
    """Up to 39 numbers, of which those that fit nowhere are dropped, and up to three failures."""
    marks: dict[str, Mark] = {}
    free = [field.id for field in fields if field.kind == "number"]
    sheet = SHEETS["qwinto"]
    for _ in range(int(rng.integers(0, 40))):
        number = int(rng.integers(1, 19))
        for name in rng.permutation(free):
            tried = {**marks, str(name): number}
            if not sheet.marked("", tried).problems:
                marks = tried
                free.remove(str(name))
                break
    return marks | {f"failed.{number}": True for number in range(1, int(rng.integers(0, 4)) + 1)}


SHEET: Final = SheetTraining(random_marks)
