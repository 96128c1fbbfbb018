"""One person's ones and sevens, compared with each other.

Many cross their sevens and write ones that any network takes for sevens, some of them surely.
Beside crossed sevens they are another group.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

from companion.core.sheet import Mark
from companion.vision.core import Chances
from companion.vision.ink import mixture

ALIKE: Final = (1, 7)  # The digits that are compared
# The least probability of both together by which a stroke is one of them, and of one by which it is
# clear
EITHER, CLEAR = 0.9, 0.999
BESIDE: Final = 2.0  # How many usual ones, and usual sevens, count beside the table's
COMPARED: Final = 1.5  # The exponent of what the comparison says
# The logit between ones and sevens where no one is clear: all of them look like sevens; the least
# gap between logits in which it lies instead
LIKE_SEVENS, GAP = 4.5, 3.0
# So many sevens that are not clear, without a one among them, may be ones
MANY: Final = 3
# The probability of a number that only the comparison makes the likeliest: a person is asked,
# unless a sum agrees
OTHERWISE: Final = 0.9
FLOOR: Final = 1e-3  # The least probability that a comparison gives to a digit


def compared(numbers: Sequence[Chances], digits: Sequence[Sequence[Chances]]) -> list[Chances]:
    """The probabilities of one person's numbers, given how all their ones and sevens look.

    Args:
        numbers: the probabilities of each number.
        digits: those of its digits; none where it is not clear how many there are.
    """
    seen: list[tuple[int, int, Chances]] = []
    for number, each in enumerate(digits):
        for place, digit in enumerate(each):
            parts = [digit.get(mark, 0.0) for mark in ALIKE]
            if sum(parts) >= EITHER:
                one, seven = (part / sum(parts) for part in parts)
                seen.append((number, place, {ALIKE[0]: one, ALIKE[1]: seven}))
    alone = [chances for *_, chances in seen]
    one, seven = (max((chances[mark] for chances in alone), default=0.0) for mark in ALIKE)
    if seven < CLEAR:
        # Nothing shows which of the two they are.
        return _doubted(numbers, seen) if one < 0.5 and len(seen) >= MANY else [*numbers]
    beside = mixture.compared(alone, ALIKE[0], BESIDE, 0.0 if one >= CLEAR else _border(alone))
    places: dict[int, dict[int, Chances]] = {}
    for (number, place, _), chances in zip(seen, beside, strict=True):
        places.setdefault(number, {})[place] = chances
    return [
        _likened(chances, len(digits[number]), places[number]) if number in places else chances
        for number, chances in enumerate(numbers)
    ]


def _border(alone: Sequence[Chances]) -> float:
    """The logit between ones and sevens that all look like sevens, but for a crossbar."""
    logits = sorted(
        min(math.log(chances[ALIKE[1]] / max(chances[ALIKE[0]], 1e-9)), mixture.LARGEST)
        for chances in alone
        if chances[ALIKE[1]] > chances[ALIKE[0]]
    )
    gaps = ((above - below, below) for below, above in pairwise(logits))
    gap, below = max(gaps, default=(0.0, 0.0))
    return below + gap / 2 if gap >= GAP else LIKE_SEVENS


def _doubted(numbers: Sequence[Chances], seen: Sequence[tuple[int, int, Chances]]) -> list[Chances]:
    """Numbers with such digits, about which a person is asked, and the others."""
    doubtful = {number for number, *_ in seen}
    return [
        {mark: part * OTHERWISE for mark, part in chances.items()} if at in doubtful else chances
        for at, chances in enumerate(numbers)
    ]


def _likened(chances: Chances, count: int, places: Mapping[int, Chances]) -> Chances:
    """Numbers of so many digits, of which those are likelier that agree with a comparison.

    Args:
        places: the place of a digit, from the left → what it is among `ALIKE`.
    """
    families: dict[str, dict[Mark, float]] = {}
    kept: dict[Mark, float] = {}
    for mark in chances:
        sign, text = "-" * (int(mark or 0) < 0), str(abs(int(mark or 0)))
        if len(text) != count:
            kept[mark] = chances[mark]
            continue
        factor = 1.0
        for place, among in places.items():
            if (digit := int(text[place])) in among:
                factor *= (among[digit] + FLOOR) ** COMPARED
                text = f"{text[:place]}{ALIKE[0]}{text[place + 1 :]}"
        families.setdefault(sign + text, {})[mark] = factor
    # Whether it is a number with another digit there, such as 49, is not compared.
    for factors in families.values():
        whole = sum(chances[mark] for mark in factors)
        parts = {mark: chances[mark] * factor for mark, factor in factors.items()}
        kept |= {mark: part * whole / sum(parts.values()) for mark, part in parts.items()}
    before, now = (max(each, key=lambda mark: each[mark]) for each in (chances, kept))
    return kept if now == before else {mark: part * OTHERWISE for mark, part in kept.items()}
