"""Random Qwixx sheets: a random share of each row, with the lock where the last number is."""

from __future__ import annotations

from typing import Final

from companion.core.sheet import Field, Mark
from training import Rng
from training.games import SheetTraining


def random_marks(fields: tuple[Field, ...], rng: Rng) -> dict[str, Mark]:
    """Some rows are nearly empty and some nearly full; now and then a lock stands alone."""
    marks: dict[str, Mark] = {}
    rows = sorted({field.id.partition(".")[0] for field in fields} - {"failed"})
    for row in rows:
        numbers = [field.id for field in fields if field.color == row and field.print]
        share = rng.uniform(0.0, 0.95)
        marks |= {name: True for name in numbers if rng.random() < share}
        if (numbers[-1] in marks) != (rng.random() < 0.05):
            marks[f"{row}.lock"] = True
    return marks | {f"failed.{number}": True for number in range(1, int(rng.integers(0, 5)) + 1)}


SHEET: Final = SheetTraining(random_marks)
