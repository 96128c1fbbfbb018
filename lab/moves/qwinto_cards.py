"""Actions of the Qwinto card game that may be legal, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from lab.moves.qwinto import entries

WHY_IT_ENDS = "Four failed attempts: %s <b>&"
OUT_OF_RANGE = {
    "grid": {"bad-card", "bad-action"},
    "cards": {"bad-card", "bad-action"},
    "row": {"bad-action"},
    "field": {"no-such-field"},
}
FIRST_TAPS = (
    *(f'#deal [data-value="{card}"]' for card in ("o4", "y3", "p1", "g-2")),
    '#lay .place[data-value="tl"]',
    '#lay [data-value="o5"]',
    '.player.selected [data-f="yellow.4"]',
)


def candidates(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    cards = [f"{color}{value}" for color in "oypg" for value in (-2, *range(7))]
    chance.shuffle(cards)
    yield {"do": "deal", "grid": dict(zip(("tl", "tr", "bl", "br"), cards, strict=False))}
    for card in cards:
        place = chance.choice(["tl", "br"])
        yield {"do": "lay", "by": position.active, "cards": [[card, place]]}
    yield from entries(position, chance)


# Limits of the work for a tap at a table of four phones; see `tests/web/table/test_cost.py`
MOST_WORK = {"replays": 0, "plays": 2, "templates": 11}
