"""Tallies as people fill them in: what each player took in each round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from benchmarks.games import BREAKS_A_RULE, Rng, SheetFilling
from companion.core.sheet import Mark


def random_marks(rng: Rng, board: str) -> dict[str, Mark]:
    """A tally of two to six players after one to eight rounds."""
    players = int(rng.integers(2, 7))
    rounds = int(rng.integers(1, 9))
    high = rng.uniform(8, 40)
    marks: dict[str, Mark] = {}
    for number in range(1, rounds + 1):
        for place in range(1, players + 1):
            took = 0 if rng.random() < 0.15 else round(float(rng.gamma(1.6, high / 2)))
            marks[f"round.{number}.player.{place}"] = min(took, 108)
    if rng.random() < BREAKS_A_RULE:
        marks[str(rng.choice(sorted(marks)))] = int(rng.integers(109, 400))
    if rounds > 1 and rng.random() < 0.1:
        # The last round is not finished yet.
        for place in range(1, players + 1):
            if rng.random() < 0.5:
                marks[f"round.{rounds}.player.{place}"] = None
    return marks


def _player_count(marks: Mapping[str, Mark]) -> int:
    written = [name for name, mark in marks.items() if mark is not None]
    return max((int(name.rpartition(".")[2]) for name in written), default=1)


FILLING: Final = SheetFilling(random_marks, _player_count)
