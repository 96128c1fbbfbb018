"""Sheets of Skeleton as people fill them in, and how a turn is tapped."""

from __future__ import annotations

from typing import Final

from companion.games.skeleton.sheet import DICE, RANGES

from benchmarks.fingers import Hands, TappedTurn
from benchmarks.games import Rng, SheetFilling
from companion.core.sheet import Mark
from companion.core.values import Player


def random_marks(rng: Rng, board: str) -> dict[str, Mark]:
    """The sheet of a player after some turns."""
    turns = int(rng.integers(2, len(RANGES) + 1))
    return {
        str(name): int(rng.integers(1, 7, DICE).sum())
        for name in rng.permutation([*RANGES])[:turns]
    }


FILLING: Final = SheetFilling(random_marks)


def _roll(hands: Hands, player: Player) -> None:
    for _ in range(DICE):
        hands.tap(player, "#dice [data-part]", hands.chance.randrange(6))


TURNS: Final = (TappedTurn(_roll, "≤ 3", "of a turn"),)
