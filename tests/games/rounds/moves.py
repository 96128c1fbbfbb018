"""Actions of rounds that may be legal, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

WHY_IT_ENDS = "The players ended the game."
OUT_OF_RANGE = {"points": {None, "points-out-of-range"}}
LAST_ROUND = 24


def candidates(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    """An end at last: no rule brings one by itself."""
    if position.turn > LAST_ROUND:
        yield {"do": "end"}
    for player in chance.sample(position.waiting, len(position.waiting)):
        yield {"do": "points", "by": player, "points": chance.choice([0, 7, 12, 45, -2, 130])}
