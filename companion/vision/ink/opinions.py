"""Joins what is known of one field: of the digits of a number, and of two networks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import Final

from companion.core.sheet import Mark
from companion.vision.core import Chances
from companion.vision.weighing import SLIP_ODDS

GAP: Final = 1e-3
"""The factor on the probability of a number that has an empty box between its digits."""
EMPTY: Final = 0.98
"""A digit's box is clearly empty if that is at least as likely."""
FIRST: Final = 0.9
"""The exponent of the first network's probabilities in `pooled`."""
SECOND: Final = 0.2
"""The exponent of the second one's. Together they are more than 1: two that agree know more."""
DENIED: Final = 1e-6
"""Least probability that `pooled` takes from a network for a mark."""


def number_chances(digits: Sequence[Chances]) -> Chances:
    """The probabilities of numbers, from those of their digits, one box each.

    Numbers usually end in the last box. One that ends earlier is as good if the boxes after it are
    clearly empty, for some people fill them from the left; else its probability is divided by
    `SLIP_ODDS`. That of a number with a gap is multiplied by `GAP`, so that it is never sure.
    """
    likely = [
        sorted(chances.items(), key=lambda item: item[1], reverse=True)[:4] for chances in digits
    ]
    together: dict[Mark, float] = {}
    for ways in product(*likely):
        marks = [mark for mark, _ in ways]
        chance = math.prod(part for _, part in ways)
        text = "".join(" " if mark is None else str(mark) for mark in marks)
        after = digits[len(text.rstrip()) :] if text.strip() else ()
        if any(chances.get(None, 0.0) < EMPTY for chances in after):
            chance /= SLIP_ODDS
        if " " in text.strip():
            chance *= GAP
        number = int(text.replace(" ", "")) if text.strip() else None
        together[number] = together.get(number, 0.0) + chance
    return together


def pooled(first: Chances, second: Chances, numbers: range) -> Chances:
    """The opinions of two networks on the same field, joined into one.

    Logarithmic pooling: the probabilities are multiplied with `FIRST` and `SECOND` as exponents.

    Args:
        second: also of numbers that the field cannot hold, which are unreadable there.
    """
    marks = [*first, *(mark for mark in second if mark not in first and mark in numbers)]
    opinions = [
        ({mark: chances.get(mark, 0.0) for mark in marks}, exponent)
        for chances, exponent in ((first, FIRST), (second, SECOND))
    ]
    parts = dict.fromkeys(marks, 1.0)
    unreadable = 1.0
    for chances, exponent in opinions:
        for mark in marks:
            parts[mark] *= max(chances[mark], DENIED) ** exponent
        unreadable *= max(1 - sum(chances.values()), DENIED) ** exponent
    whole = sum(parts.values()) + unreadable
    return {mark: part / whole for mark, part in parts.items()}
