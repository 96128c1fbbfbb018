"""Numbers of rounds, typed key by key on one phone for all."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

from benchmarks.fingers import Phone, QuickFingers

PAUSE: Final = 0.2  # seconds from one key to the next
NUMBERS: Final = 40
KEYS: Final = ".player.selected .keys"
DIGITS: Final = "0123456789"


def _type(phone: Phone, chance: random.Random) -> list[object]:
    keys = {digit: phone.place(f"{KEYS} [data-key='{digit}']") for digit in DIGITS}
    enter = phone.place(f"{KEYS} [data-enter]")
    numbers = [chance.randrange(10 ** chance.randint(1, 3)) for _ in range(NUMBERS)]

    def places() -> Iterator[tuple[float, float]]:
        for number in numbers:
            yield from (keys[digit] for digit in str(number))
            yield enter

    phone.touches(places(), PAUSE)
    return list(numbers)


def _points(actions: list[dict[str, Any]]) -> list[object]:
    return [action["points"] for action in actions]


QUICK: Final = QuickFingers("numbers typed, a key every 0.2 s", _type, _points)
