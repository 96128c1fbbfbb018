"""Actions of Skeleton that may be legal, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from companion.games.skeleton.sheet import DICE, RANGES

WHY_IT_ENDS = "Every sheet is full."
OUT_OF_RANGE = {"dice": {"bad-dice"}, "field": {"no-such-field"}}
FIRST_TAPS = (*['#dice [data-part][data-value="3"]'] * DICE, '.player.selected [data-f="A1"]')
# Limits of the work for a tap at a table of four phones; see `tests/web/table/test_cost.py`
MOST_WORK = {"replays": 0.1, "plays": 2, "templates": 8}


def candidates(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    yield position.roll([chance.randint(1, 6) for _ in range(DICE)])
    for player in position.awaited:
        for field in chance.sample([*RANGES], len(RANGES)):
            yield {"do": "write", "by": player, "field": field}
