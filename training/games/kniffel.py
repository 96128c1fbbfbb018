"""Random Kniffel columns: random points in a random share of the lines, some of them struck out."""

from __future__ import annotations

from typing import Final

from companion.core.sheet import Field, Mark
from training import Rng
from training.games import SheetTraining


def random_marks(fields: tuple[Field, ...], rng: Rng) -> dict[str, Mark]:
    """Each column is filled as far as its game went."""
    share = rng.uniform(0.2, 1.0)
    written = [field for field in fields if rng.random() < share]
    return {
        field.id: 0 if rng.random() < 0.2 else int(rng.choice(field.numbers)) for field in written
    }


SHEET: Final = SheetTraining(random_marks)
