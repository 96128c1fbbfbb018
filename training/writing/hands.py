"""Hands: people of the collections with a pen and a style."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.core.sheet import Millimetres
from training import Rng
from training.writing.digits import Digit, Hands
from training.writing.pens import Pen, any_pen

COLLECTIONS: Final[Mapping[str, float]] = {
    "swiss": 0.23,
    "unipen": 0.37,
    "mnist": 0.24,
    "drawn": 0.16,
}
"""Collection → relative frequency of its writers; `drawn` are the hands of `allographs`."""


@dataclass(frozen=True)
class Hand:
    """A person with a pen."""

    digits: Mapping[int, tuple[Digit, ...]]
    """Digit → samples, at least one for every digit."""
    pen: Pen
    height: Millimetres
    """The usual height of a digit."""
    shear: float
    """The writing's slant beyond that of the samples, x per y."""
    turn: float
    """The rotation of the sheet while writing, in radians."""
    stretch: float
    """The factor on the samples' width."""
    gap: float
    """The gap between two digits as a share of their height; below 0 they touch."""
    off: tuple[Millimetres, Millimetres]
    """The usual offset from a field's centre, (x, y)."""
    care: float
    """0 is neat, 1 careless."""


class Scribes:
    """The writers of one part of the collections."""

    def __init__(self, hands: Hands) -> None:
        self._writers: dict[str, list[str]] = {}
        self._weights: dict[str, npt.NDArray[np.float64]] = {}
        self._hands = hands
        self._by_label: dict[str, dict[int, tuple[Digit, ...]]] = {}
        for collection in COLLECTIONS:
            writers = [name for name in hands if name.startswith(f"{collection}:")]
            if not writers:
                continue
            counts = np.array([sum(map(len, hands[name].values())) for name in writers], np.float64)
            self._writers[collection] = writers
            self._weights[collection] = np.sqrt(counts) / np.sqrt(counts).sum()
            self._by_label[collection] = {
                label: tuple(digit for name in writers for digit in hands[name].get(label, ()))
                for label in range(10)
            }

    def hand(self, rng: Rng) -> Hand:
        """A random writer with a random pen."""
        names = list(self._writers)
        shares = np.array([COLLECTIONS[name] for name in names])
        collection = names[int(rng.choice(len(names), p=shares / shares.sum()))]
        at = int(rng.choice(len(self._writers[collection]), p=self._weights[collection]))
        mine = self._hands[self._writers[collection][at]]
        # Digits that the writer did not write are borrowed from the same collection.
        digits = self._by_label[collection] | {
            label: found for label, found in mine.items() if len(found) > 1
        }
        return Hand(
            digits,
            any_pen(rng),
            float(np.clip(rng.normal(6.6, 1.0), 4.5, 9)),
            rng.normal(0, 0.14),
            rng.normal(0, math.radians(3)),
            math.exp(rng.normal(0, 0.12)),
            rng.normal(0.1, 0.07),
            (rng.normal(0, 0.3), rng.normal(0, 0.3)),
            float(rng.beta(1.3, 2)),
        )
