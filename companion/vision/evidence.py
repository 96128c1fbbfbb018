"""A writer's sums as evidence for the reading of the sheet.

A sum that agrees with a reading of the sheet makes that reading likelier by bounded odds: people
miscount, leave sums out, or write something else into the blanks.
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from companion.core.sheet import TOTAL, Mark
from companion.vision.core import SURE_SUM, Chances, FieldReading

AGREEING: Final = 0.95  # The share of written sums that are right
# How many other numbers would be as likely in a blank if its sum were not known. There are more, so
# a sum weighs less than its writer's care would warrant.
ALTERNATIVES: Final = 30.0
# The probability that a total is off by as much as one of the sums that it was made from
CARRIED: Final = 0.3
# Factor of a sheet's likelihood by its sums, or by one of them; at a lower one they disagree
DISAGREEING: Final = 0.2
# How many times likelier the right number is than another one, when a written sum itself is read.
# Little, because `written` is there to show people where they have miscounted.
HINT: Final = 8.0
# The same where the written total is right: a wrong part would need a second mistake to cancel it
SETTLED: Final = 100.0
# The share of written sums that are larger than the rules allow, where the ink looks like one
IMPOSSIBLE: Final = 0.02
MOST_OTHERS: Final = 3  # The most alternatives that are reported for a field or a sum


def ranked(chances: Chances) -> list[tuple[Mark, float]]:
    """Marks and their probabilities, the likeliest first."""
    return sorted(chances.items(), key=lambda item: item[1], reverse=True)


def possible(ink: Mapping[str, Chances], most: Mapping[str, int]) -> Mapping[str, Chances]:
    """The ink without numbers that the rules do not allow, which makes the others likelier.

    Args:
        most: as `SheetKind.most_sums`.
    """
    allowed = {}
    for name, chances in ink.items():
        allowed[name] = among(chances, range(most[name] + 1) if name in most else chances)
    return allowed


def among(chances: Chances, allowed: Container[Mark]) -> Chances:
    """The probabilities of no number and of allowed ones, likelier than without the rest."""
    kept = {mark: part for mark, part in chances.items() if mark is None or mark in allowed}
    gone = sum(chances.values()) - sum(kept.values())
    return {mark: part / (1 - (1 - IMPOSSIBLE) * gone) for mark, part in kept.items()}


@dataclass(frozen=True)
class SumEvidence:
    """The ink in the blanks for sums of one sheet."""

    # Id of a blank → number → probability, for the blanks with ink (`sums.read`)
    ink: Mapping[str, Chances]

    def weight(self, sums: Mapping[str, int]) -> float:
        """The logarithm of the factor on a reading of the sheet, 0 where all sums agree.

        Args:
            sums: what belongs in the blanks if the sheet is read so (`SheetKind.sums`).
        """
        return sum(self._weights(sums).values())

    def proves_total(self, sums: Mapping[str, int]) -> bool:
        """Whether the written total is surely the counted one; `sums` as for `weight`."""
        return self.ink.get(TOTAL, {}).get(abs(sums.get(TOTAL, 0)), 0.0) >= SURE_SUM

    def disagreeing(self, sums: Mapping[str, int]) -> set[str]:
        """The blanks that speak against a reading of the sheet; `sums` as for `weight`."""
        return {
            name for name, weight in self._weights(sums).items() if weight < math.log(DISAGREEING)
        }

    def _weights(self, sums: Mapping[str, int]) -> Mapping[str, float]:
        """Id → the logarithm of the blank's factor on a reading of the sheet."""
        # A total comes after its parts, and is off by as much as they are: that is one mistake.
        # Parts are made from no other part; two of them that are off by as much are two mistakes.
        weights, slips = {}, set[int]()
        for name, (numbers, rest) in self._blanks.items():
            right = abs(sums.get(name, 0))
            carried = [numbers.get(right + off, 0.0) for off in slips if name == TOTAL]
            agreeing = max(AGREEING * numbers.get(right, 0.0), CARRIED * max(carried, default=0.0))
            likeliest = max(numbers, key=lambda number: numbers[number], default=right)
            most = AGREEING * numbers.get(likeliest, 0.0)
            # How likely the ink is if this sum belongs there, and if the best fitting one does
            here, at_best = agreeing * ALTERNATIVES + rest, most * ALTERNATIVES + rest
            weights[name] = math.log(here / at_best)
            if likeliest != right and numbers[likeliest] > 0.5:
                slips |= {likeliest - right, right - likeliest}
        return weights

    @cached_property
    def _blanks(self) -> Mapping[str, tuple[Mapping[int, float], float]]:
        """Id → (number → probability, the blank's factor if none of them is right)."""
        blanks = {}
        for name, chances in self.ink.items():
            numbers = {
                int(number): chance for number, chance in chances.items() if number is not None
            }
            other = max(1 - sum(numbers.values()), 0.0)
            blanks[name] = (numbers, (1 - AGREEING) * (1 - other) + other)
        return blanks

    def written(
        self, right: Mapping[str, Mapping[int, float]], counted: Mapping[str, int]
    ) -> Mapping[str, FieldReading]:
        """The writing in the blanks, right or wrong; without those that are empty or struck out.

        Signs are not read: a number is negative where it is the counted one but for the sign.

        Args:
            right: id → number that may belong in the blank, without its sign → its probability.
            counted: id → what belongs there if the sheet is read as it was decided.
        """
        read = {}
        is_proved = self.proves_total(counted)
        for name, chances in self.ink.items():
            hint = SETTLED if is_proved and name != TOTAL else HINT
            by_chance = _hinted(chances, right.get(name, {}), hint)
            likeliest, _ = by_chance[0]
            if likeliest is None:
                continue
            sign = -1 if counted.get(name) == -int(likeliest) else 1
            signed: list[tuple[Mark, float]] = []
            for number, chance in by_chance[: 1 + MOST_OTHERS]:
                signed.append((None if number is None else sign * int(number), chance))
            read[name] = FieldReading(*signed[0], tuple(signed[1:]))
        return read


def _hinted(chances: Chances, right: Mapping[int, float], hint: float) -> list[tuple[Mark, float]]:
    """Numbers and their probabilities, the likeliest first, given what may belong in the blank.

    Args:
        chances: by the ink alone.
        right: number that may belong there → its probability.
        hint: how many times likelier the right number is than another one.
    """
    parts: dict[Mark, float] = {}
    for number, chance in chances.items():
        right_chance = 0.0 if number is None else right.get(int(number), 0.0)
        parts[number] = chance * (1 + (hint - 1) * right_chance)
    whole = sum(parts.values()) + max(1 - sum(chances.values()), 0.0)
    return [(number, part / whole) for number, part in ranked(parts)]
