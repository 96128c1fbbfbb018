"""Actions of rounds that may be legal, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

WHY_IT_ENDS = "The players ended the game."
OUT_OF_RANGE = {"points": {None, "points-out-of-range"}}
LAST_ROUND = 24
FIRST_TAPS = tuple(
    f".player.selected .keys {key}" for key in ("[data-key='4']", "[data-key='2']", "[data-enter]")
)


def candidates(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    """An end at last, which no rule brings by itself, with a tie."""
    yield from position.deciding.values()
    if position.turn > LAST_ROUND:
        yield {"do": "end"}
    for player in chance.sample(position.waiting, len(position.waiting)):
        points = chance.choice([0, 7, 12, 45, -2, 130])
        is_last = position.turn == LAST_ROUND
        level = 800 - position.totals[player]
        yield {"do": "points", "by": player, "points": level if is_last else points}
