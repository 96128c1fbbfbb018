"""Actions of Encore! that may be legal, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

WHY_IT_ENDS = "Two colors are complete: Tim, %s <b>&"

OUT_OF_RANGE = {
    "told": {"bad-action"},
    "colors": {"bad-dice", "bad-action"},
    "numbers": {"bad-dice", "bad-action"},
    "color_die": {"bad-dice"},
    "number_die": {"bad-dice"},
    "color": {"wrong-color"},
    "boxes": {"no-such-box", "bad-action"},
}
NOT_BESIDE = {"told": {"colors", "numbers"}}
"""Fields that contradict another one: a roll whose dice nobody entered shows none."""
FIRST_TAPS = (
    ".player.selected .encore-picker [data-part=color_die]",
    tuple(f'.player.selected [data-f="{box}"]' for box in ("H7", "H6", "I6")),
)
"""A joker, and a stroke over three boxes: the dice follow from them."""


def candidates(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    if position.turn < 3:
        yield {"do": "roll", "by": position.active, "told": False}
    faces = ["green", "yellow", "blue", "red", "orange", "joker"]
    rolled = {
        "colors": chance.choices(faces, k=position.dice),
        "numbers": chance.choices([1, 2, "joker"], k=position.dice),
    }
    yield {"do": "roll", "by": position.active, **rolled}
    for player in position.awaited:
        for choice in position.choices(player) if position.color_dice else ():
            for boxes in list(position.crossings(player, choice))[:1]:
                yield {"do": "cross", "by": player, **choice._asdict(), "boxes": sorted(boxes)}
        yield {"do": "pass", "by": player}


# Limits of the work for a tap at a table of four phones; see `tests/web/table/test_cost.py`
MOST_WORK = {"replays": 0, "plays": 2, "templates": 9.5}
