"""Kniffel columns as people fill them in, and how a turn is tapped."""

from __future__ import annotations

from typing import Final

from benchmarks.fingers import Hands, TappedTurn
from benchmarks.games import Rng, SheetFilling
from companion.core.sheet import Mark
from companion.core.values import Document, Player
from companion.games.kniffel.sheet import FIELDS, KniffelSheet, worth


def random_marks(rng: Rng, board: str) -> dict[str, Mark]:
    """The column of a player after some turns, in which the best line for the dice is filled."""
    sheet = KniffelSheet()
    for _ in range(int(rng.integers(3, len(FIELDS) + 1))):
        kept = int(rng.integers(1, 7))
        dice = tuple(kept if rng.random() < 0.4 else int(rng.integers(1, 7)) for _ in range(5))
        free = [field for field in FIELDS if sheet.is_open(field)]
        best = max(free, key=lambda field: worth(sheet, field, dice))
        sheet = sheet.write(best, worth(sheet, best, dice))
    return dict(sheet.points)


def _sums(score: Document) -> dict[str, int]:
    return {
        "sum.upper": score["upper"],
        "sum.bonus": score["bonus"],
        "sum.upper-total": score["upper"] + score["bonus"],
        "sum.lower": score["lower"],
        "sum.total": score["total"],
    }


FILLING: Final = SheetFilling(random_marks, _sums)


def _roll(hands: Hands, player: Player) -> None:
    """Taps the five dice."""
    for _ in range(5):
        hands.tap(player, "#dice [data-part]", hands.chance.randrange(6))


TURNS: Final = (TappedTurn(_roll, "≤ 6", "of a turn"),)
