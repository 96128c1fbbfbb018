"""The finish of printed card: matt, or glossy with reflections of lamp and window."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Gloss:
    """How a piece of card reflects what is above it."""

    lamp: float
    """The strength of the lamp's reflection; white paper reflects about 0.9 in all directions."""
    sharp: float
    """Blinn and Phong's exponent of that reflection."""
    window: float
    """The brightness of a window's reflection."""
    veil: float
    """The share of the room's light that is reflected everywhere, so that black is not black."""
    linen: float
    """How rough the card is: how much the reflection varies from place to place."""


def random_gloss(rng: np.random.Generator, glossy: bool) -> Gloss:
    """A random finish."""
    if not glossy:
        return Gloss(float(rng.uniform(0, 0.08)), float(rng.uniform(6, 25)), 0.0, 0.006, 0.0)
    return Gloss(
        lamp=float(rng.choice([rng.uniform(0.02, 0.25), rng.uniform(0.25, 1.6)], p=[0.65, 0.35])),
        sharp=float(np.exp(rng.uniform(np.log(15), np.log(300)))),
        window=float(rng.choice([0.0, rng.uniform(0.02, 0.2)])),
        veil=float(rng.uniform(0.004, 0.03)),
        linen=float(rng.choice([0.0, rng.uniform(0.1, 0.6)])),
    )
