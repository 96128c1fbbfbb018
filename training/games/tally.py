"""Random tallies: random numbers for random numbers of players and rounds."""

from __future__ import annotations

from typing import Final

from companion.core.sheet import Field, Mark
from training import Rng
from training.games import SheetTraining


def random_marks(fields: tuple[Field, ...], rng: Rng) -> dict[str, Mark]:
    """Two to six players, one to eight rounds; numbers of at most three digits."""
    players, rounds = int(rng.integers(2, 7)), int(rng.integers(1, 9))
    most = int(rng.choice((9, 30, 108)))
    marks: dict[str, Mark] = {}
    for field in fields:
        _, number, _, place = field.id.split(".")
        if int(number) <= rounds and int(place) <= players:
            marks[field.id] = int(rng.integers(0, most + 1))
    return marks


SHEET: Final = SheetTraining(random_marks)
