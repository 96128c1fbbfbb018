"""Actions of Qwinto with dice that may be legal, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from companion.games.qwinto.sheet import COLORS
from lab.moves.qwinto import entries

WHY_IT_ENDS = "Two rows are full: Tim"
OUT_OF_RANGE = {
    "dice": {"bad-dice"},
    "row": {"bad-action"},
    "field": {"no-such-field"},
}
FIRST_TAPS = (
    '#dice [data-part="dice.orange"][data-value="4"]',
    '#dice [data-part="dice.yellow"][data-value="5"]',
    '.player.selected [data-f="yellow.4"]',
)


def candidates(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    if not position.rolls or (position.may_reroll and chance.random() < 0.2):
        yield {"do": "roll", "by": position.active, "dice": lucky_dice(position, chance)}
    yield from entries(position, chance)


def lucky_dice(position: Any, chance: random.Random) -> dict[str, int]:
    """Dice that show a number which the active player lacks: else no row would ever be full."""
    sheet = position.sheet_of(position.active)
    gaps = [
        (color, field)
        for color in COLORS
        for field, number in enumerate(sheet.row(color), start=1)
        if number is None
    ]
    color, field = chance.choice([gap for gap in gaps if gap[0] in position.called_colors] or gaps)
    wanted = field * 2 - chance.randint(0, 1)
    colors = set(position.called_colors or [color])
    while not position.rolls and (len(colors) * 6 < wanted or chance.random() < 0.2):
        colors.add(chance.choice(COLORS))
    dice = {color: chance.randint(1, 6) for color in COLORS if color in colors}
    for color, value in dice.items():
        dice[color] = min(6, max(1, value + wanted - sum(dice.values())))
    return dice


# Limits of the work for a tap at a table of four phones; see `tests/web/table/test_cost.py`
MOST_WORK = {"replays": 0.2, "plays": 2, "templates": 10}
