"""Actions of Qwixx that may be legal, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

WHY_IT_ENDS = "Four failed rolls: %s <b>&"

OUT_OF_RANGE = {
    "white": {"bad-dice"},
    "dice": {"bad-dice"},
    "row": {"bad-action"},
    "number": {"not-the-sum"},
}
MAY_LACK = {"dice"}


def candidates(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    told = chance.choice([(), position.open_rows])
    dice = {color: chance.randint(1, 6) for color in told}
    white = [chance.randint(1, 6), chance.randint(1, 6)]
    yield {"do": "roll", "by": position.active, "white": white, "dice": dice}
    for player in position.waiting:
        crosses = position.open_crosses(player)
        for row, number in chance.sample(crosses, min(1, len(crosses))):
            yield {"do": "cross", "by": player, "row": row, "number": number}
        yield {"do": "pass", "by": player}
