"""Actions of Qwinto with dice that may be legal, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from companion.games.qwinto.sheet import COLORS
from tests.games.qwinto.moves import WHY_IT_ENDS, entries

__all__ = ["WHY_IT_ENDS", "candidates"]

OUT_OF_RANGE = {"dice": {"bad-dice"}, "row": {"bad-action"}, "field": {"no-such-field"}}


def candidates(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    dice = {color: chance.randint(1, 6) for color in chance.sample(COLORS, 2)}
    yield {"do": "roll", "by": position.active, "dice": dice}
    yield from entries(position, chance)
