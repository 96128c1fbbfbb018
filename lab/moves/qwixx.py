"""Actions of Qwixx that may be legal, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from companion.games.qwixx.sheet import NUMBERS, lost_numbers, refusal

WHY_IT_ENDS = "Four failed rolls: %s <b>&"

OUT_OF_RANGE = {
    "white": {"bad-dice"},
    "dice": {"bad-dice"},
    "row": {"bad-action"},
    "number": {"not-the-sum"},
}
MAY_LACK = {"dice"}
FIRST_TAPS = (
    *(f'#dice [data-part="white.{die}"][data-value="3"]' for die in (0, 1)),
    '.player.selected [data-f="red.6"]',
)


def candidates(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    if not position.white:
        yield {"do": "roll", "by": position.active, **lucky_dice(position, chance)}
    careless = (0.1, 0.4, 1.6)[len(position.players) % 3]
    player = chance.choice(position.awaited)
    sheet = position.sheet_of(player)
    crosses = [
        (
            len(lost_numbers(sheet.cross(row, number), row)) - len(lost_numbers(sheet, row)),
            row,
            number,
        )
        for row, number in position.open_crosses(player)
    ]
    lost, row, number = min(crosses, default=(99, "", 0))
    if lost <= 2 + 6 * careless and chance.random() >= careless / 2:
        yield {"do": "cross", "by": player, "row": row, "number": number}
    yield {"do": "pass", "by": player}


def lucky_dice(position: Any, chance: random.Random) -> dict[str, Any]:
    """Dice whose white ones often show the number that somebody needs next."""
    rows = position.open_rows
    entered = chance.sample(rows, chance.choice([0, 1, len(rows), len(rows)]))
    white = [chance.randint(1, 6), chance.randint(1, 6)]
    if chance.random() < 0.6:
        sheet, row = chance.choice(position.sheets), chance.choice(rows)
        left = [number for number in NUMBERS[row] if refusal(sheet, row, number) is None]
        if left:
            first = chance.randint(max(1, left[0] - 6), min(6, left[0] - 1))
            white = [first, left[0] - first]
    return {"white": white, "dice": {row: chance.randint(1, 6) for row in entered}}


# Limits of the work for a tap at a table of four phones; see `tests/web/table/test_cost.py`
MOST_WORK = {"replays": 0, "plays": 1.5, "templates": 8}
