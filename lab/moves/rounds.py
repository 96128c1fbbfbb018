"""Actions of rounds that may be legal, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

WHY_IT_ENDS = "The players ended the game."
OUT_OF_RANGE = {
    "points": {None, "points-out-of-range", "bad-action"},
    "player": {None, "bad-action", "unknown-player", "already-acted"},
    "rounds": {None, "bad-action", "already-acted"},
}
# Actions of known games only, which test_counting.py plays
OF_OPTIONS = {"bid", "tricks", "bonus", "phase", "closed"}
LAST_ROUND = 24
FIRST_TAPS = tuple(
    f".player.selected .keys {key}" for key in ("[data-key='4']", "[data-key='2']", "[data-enter]")
)


def candidates(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Points; Zoe, who joins and leaves; and at last an end with a tie, which needs an action."""
    yield from position.deciding.values()
    changes = {
        3: {"do": "join", "player": "Zoe", "points": "mean"},
        6: {"do": "leave", "player": "Zoe"},
        7: {"do": "set", "rounds": LAST_ROUND + 9},
    }
    if position.turn in changes and ("Zoe" in position.present) == (position.turn == 6):
        yield changes[position.turn]
    if position.turn > LAST_ROUND:
        yield {"do": "end"}
    for player in chance.sample(position.awaited, len(position.awaited)):
        points = chance.choice([0, 7, 12, 45, -2, 130])
        is_last = position.turn == LAST_ROUND
        level = 800 - position.totals[player]
        yield {"do": "points", "by": player, "points": level if is_last else points}


# Limits of the work for a tap at a table of four phones; see `tests/web/table/test_cost.py`
MOST_WORK = {"replays": 0, "plays": 1, "templates": 8.5}
