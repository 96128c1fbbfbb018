"""What may be written on a Qwinto sheet, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

WHY_IT_ENDS = "Four failed attempts: Tim"


def entries(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    for player in position.waiting:
        fields = position.open_fields(player) if position.called is not None else ()
        for row, field in chance.sample(fields, min(1, len(fields))):
            yield {"do": "write", "by": player, "row": row, "field": field}
        yield {"do": "pass", "by": player}
