"""Pieces of paper or card that lie on the table, and how their surfaces shine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from companion.core.sheet import Millimetres


@dataclass(frozen=True)
class Gloss:
    """How a piece of card reflects what is above it."""

    # The strength of the lamp's reflection; white paper reflects about 0.9 in all directions.
    lamp: float
    sharp: float  # Blinn and Phong's exponent of that reflection
    window: float  # the brightness of a window's reflection
    # The share of the room's light that is reflected everywhere, so that black is not black.
    veil: float
    linen: float  # how rough the card is: how much the reflection varies from place to place


def random_gloss(rng: np.random.Generator, glossy: bool) -> Gloss:
    """A random finish."""
    if not glossy:
        return Gloss(float(rng.uniform(0, 0.08)), float(rng.uniform(6, 25)), 0.0, 0.006, 0.0)
    return Gloss(
        lamp=float(rng.choice([rng.uniform(0.02, 0.25), rng.uniform(0.25, 1.6)], p=[0.65, 0.35])),
        sharp=float(np.exp(rng.uniform(np.log(15), np.log(300)))),
        window=float(rng.choice([0.0, rng.uniform(0.02, 0.2)])),
        veil=float(rng.uniform(0.004, 0.03)),
        linen=float(rng.choice([0.0, rng.uniform(0.05, 0.35)])),
    )


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Something flat, before it is bent and laid down."""

    picture: npt.NDArray[np.float32]  # linear reflectance, (height, width, 3), BGR
    scale: float  # pixels per millimetre
    radius: Millimetres = 0.0  # of its corners
    gloss: Gloss | None = None  # the finish of card; None for plain paper

    @property
    def size(self) -> tuple[Millimetres, Millimetres]:
        """Width and height."""
        rows, columns = self.picture.shape[:2]
        return columns / self.scale, rows / self.scale
