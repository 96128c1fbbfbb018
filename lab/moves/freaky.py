"""Actions of Freaky that may be legal, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from companion.games.freaky.cards import COLORS

WHY_IT_ENDS = "The draw pile has too few cards left to fill the hand."

OUT_OF_RANGE = {
    "cards": {"bad-card", "bad-action"},
    "card": {"bad-card"},
    "row": {"no-such-row", "bad-action"},
    "rows": {"no-such-row", "bad-action"},
}
FIRST_TAPS = (
    *(
        (f'.backgrounds [data-value="{card.partition("/")[0]}"]', f'.deck [data-value="{card}"]')
        for card in ("red/red/3", "blue/blue/3", "orange/green/3", "yellow/purple/4")
    ),
    ".does .primary",
)
"""A finger slides from a background to each of the cards; then Ada draws."""


def candidates(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    active = position.active
    made = ["/".join([*chance.choices(COLORS, k=2), str(chance.randint(1, 6))]) for _ in range(60)]
    yield {"do": "start", "cards": made[:3]}
    if chance.random() < 0.5:
        yield {"do": "draw", "by": active}
    yield from ({"do": "take", "by": active, "rows": [row]} for row in position.complete_rows)
    rows = [row.number for row in position.rows]
    yield from (
        {"do": "play", "by": active, "card": card, "row": row}
        for card in made
        for row in [*rows, "new"]
    )
    yield {"do": "draw", "by": active}


# Limits of the work for a tap at a table of four phones; see `tests/web/table/test_cost.py`
MOST_WORK = {"replays": 0, "plays": 6, "templates": 7}
