"""Kniffel columns as people fill them in, and how a turn is tapped."""

from __future__ import annotations

from typing import Final

from benchmarks.fingers import Hands, TappedTurn
from benchmarks.games import Rng, SheetFilling
from companion.core.sheet import Mark
from companion.core.values import Player
from companion.games.kniffel.sheet import KniffelSheet, worth
from companion.games.kniffel.variants import BY_BOARD


def random_marks(rng: Rng, board: str) -> dict[str, Mark]:
    """The column of a player after some turns, in which the best line for the dice is filled."""
    sheet = KniffelSheet(BY_BOARD[board])
    fields = sheet.variant.fields
    for _ in range(int(rng.integers(3, len(fields) + 1))):
        kept = int(rng.integers(1, 7))
        dice = tuple(kept if rng.random() < 0.4 else int(rng.integers(1, 7)) for _ in range(5))
        free = [field for field in fields if sheet.is_open(field)]
        best = max(free, key=lambda field: worth(sheet, field, dice))
        sheet = sheet.write(best, worth(sheet, best, dice))
    return dict(sheet.entries)


FILLING: Final = SheetFilling(random_marks)


def _roll(hands: Hands, player: Player) -> None:
    """Taps the five dice."""
    for _ in range(5):
        hands.tap(player, "#dice [data-part]", hands.chance.randrange(6))


TURNS: Final = (TappedTurn(_roll, "≤ 6", "of a turn"),)
