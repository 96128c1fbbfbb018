"""Random sheets of Skeleton: random numbers in a random share of the fields."""

from __future__ import annotations

from typing import Final

from companion.core.sheet import Field, Mark
from training import Rng
from training.games import SheetTraining


def random_marks(fields: tuple[Field, ...], rng: Rng) -> dict[str, Mark]:
    share = rng.uniform(0.2, 1.0)
    return {field.id: int(rng.choice(field.numbers)) for field in fields if rng.random() < share}


SHEET: Final = SheetTraining(random_marks)
