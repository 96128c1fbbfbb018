"""Legal entries on a Qwinto sheet, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

CARELESS = 0.3  # how often a number is written far from its place if it does not fit near it


def entries(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    """Legal entries, mostly near the place where a number belongs, so that rows fill up."""
    for player in position.awaited if position.called is not None else ():
        fields = position.open_fields(player)
        near = [entry for entry in fields if -1 <= entry[1] * 2 - position.called <= 2]
        if near or (fields and chance.random() < CARELESS):
            row, field = chance.choice(near or fields)
            yield {"do": "write", "by": player, "row": row, "field": field}
        yield {"do": "pass", "by": player}
