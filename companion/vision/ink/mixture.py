"""Judges the fields of one sheet beside each other, because one pen made all of its marks.

A network judges each field alone, as if it came from any sheet. In a dark, grainy photo all empty
fields look a little marked, and faint pencil looks a little empty; beside the sheet's other fields
both are clear. So the fields' logits are taken for a mixture of two normal distributions with equal
variance, fitted by expectation and maximization (Dempster, Laird and Rubin 1977).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from companion.core.sheet import Mark
from companion.vision.core import Chances

Floats: TypeAlias = npt.NDArray[np.float64]

USUAL: Final = (-8.0, 8.0)  # The usual mean logits of empty and of marked fields
DEVIATION: Final = 3.0  # The usual standard deviation of both
WEIGHT: Final = 10.0  # The number of empty and of marked fields that the usual values count as
LARGEST: Final = 12.0  # Logits are limited to this; beyond it they say nothing about the pen
ROUNDS: Final = 20  # Rounds of the fit; more of them change one decision in five thousand
# Divides the mixture's logits, whose tails are longer than normal ones. It was chosen with `USUAL`
# and `WEIGHT`, on 221 simulated sheets, by how many fields are silently wrong and how many a
# person has to check.
TEMPERATURE: Final = 1.5


def compared(
    chances: Sequence[Chances], empty: Mark, weight: float = WEIGHT, between: float = 0.0
) -> list[Chances]:
    """The probabilities of fields' marks, given those of the sheet's other fields.

    Args:
        chances: of the fields of one kind on one sheet, by the network.
        empty: the mark of an empty field, or another one that is compared with the others.
        weight: another one than `WEIGHT`.
        between: the logit that is taken for the border of the two at first.
    """
    alone = np.array([1 - each[empty] for each in chances])
    fitted = _fitted(alone, weight, between)
    together: list[Chances] = []
    for each, before, now in zip(chances, alone.tolist(), fitted.tolist(), strict=True):
        marks = {mark: chance * now / max(before, 1e-9) for mark, chance in each.items()}
        marks[empty] = 1 - now
        together.append(marks)
    return together


def _fitted(alone: Floats, weight: float, between: float) -> Floats:
    """The probabilities that fields are marked, (fields,); `alone` by the network."""
    sure = 1 / (1 + math.exp(LARGEST))
    marked = np.clip(alone, sure, 1 - sure)
    logits = odds = np.log(marked / (1 - marked))
    marked = 1 / (1 + np.exp(between - logits))
    for _ in range(ROUNDS):
        empty = 1 - marked
        all_empty, all_marked = empty.sum() + weight, marked.sum() + weight
        low = (empty @ logits + weight * USUAL[0]) / all_empty
        high = (marked @ logits + weight * USUAL[1]) / all_marked
        squares = empty @ (logits - low) ** 2 + marked @ (logits - high) ** 2
        variance = (squares + 2 * weight * DEVIATION**2) / (all_empty + all_marked)
        slope = (high - low) / variance
        odds = slope * (logits - (low + high) / 2) + np.log(all_marked / all_empty)
        marked = 1 / (1 + np.exp(-odds))
    return np.asarray(1 / (1 + np.exp(-odds / TEMPERATURE)))
