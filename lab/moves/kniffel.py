"""Actions of Kniffel that may be legal, for random games."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from companion.games.kniffel.sheet import may_be_extra

WHY_IT_ENDS = "Every sheet is full."

OUT_OF_RANGE = {
    "dice": {"bad-dice"},
    "field": {"no-such-field"},
    "points": {None, "points-impossible"},
}
TYPED = 0.3
"""The share of turns in which points are typed."""
LAID_OUT = ({"variant": "yatzy"},)
"""Options with which the page is looked at as well."""
FIRST_TAPS = (*['#dice [data-part][data-value="3"]'] * 5, '.player.selected [data-f="threes"]')


def candidates(position: Any, chance: random.Random) -> Iterator[dict[str, Any]]:
    by = position.active
    is_typed = not position.dice and chance.random() < TYPED
    if not is_typed and position.rolls < chance.choice([1, 1, 2, position.ROLLS]):
        yield {"do": "roll", "by": by, "dice": some_dice(chance)}
    sheet = position.sheet_of(by)
    fields = [field for field in sheet.variant.fields if sheet.is_open(field)]
    chance.shuffle(fields)
    if position.dice:
        fields.sort(key=position.worth, reverse=chance.random() < 0.8)
        yield from ({"do": "write", "by": by, "field": field} for field in fields)
    for field in fields:
        points = chance.choice(sorted(sheet.variant.possible[field]))
        write = {"do": "write", "by": by, "field": field, "points": points}
        if may_be_extra(sheet, field, points):
            yield {**write, "extra": True}
        yield write


def some_dice(chance: random.Random) -> list[int]:
    """Dice that are often a Kniffel, a straight or a full house."""
    first, second = chance.sample(range(1, 7), 2)
    kinds = [
        chance.choices(range(1, 7), k=5),
        [first] * 5,
        [first] * 3 + [second] * 2,
        [1, 2, 3, 4, chance.randint(1, 6)],
        [2, 3, 4, 5, 6],
    ]
    dice = chance.choices(kinds, weights=[6, 3, 1, 1, 1])[0]
    chance.shuffle(dice)
    return dice


# Limits of the work for a tap at a table of four phones; see `tests/web/table/test_cost.py`
MOST_WORK = {"replays": 0, "plays": 1, "templates": 6}
