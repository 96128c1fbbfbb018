"""How hard a photo is to read: ranges for everything that may go wrong, by difficulty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

DIFFICULTIES: Final = ("easy", "usual", "hard", "dim")


@dataclass(frozen=True)
class Conditions:
    """Ranges and probabilities from which a photo's conditions are drawn."""

    tilt: tuple[float, float]  # degrees between the camera's axis and the table's normal
    bow: tuple[float, float]  # height of the paper's arc over its chord
    fold: float  # probability of a fold
    corner: float  # probability of a lifted corner
    # Standard deviation of the camera's roll in degrees; 90 and more means any angle.
    roll: float
    lamp: tuple[float, float]  # the lamp's share of all light
    shadow: float  # probability of a shadow
    penumbra: tuple[float, float]  # softness of the shadow's edge in millimetres
    defocus: tuple[float, float]  # radius in pixels, at 8 pixels per millimetre
    shake: tuple[float, float]  # length in pixels, at 8 pixels per millimetre
    # Electrons that white paper makes in a pixel of the sensor.
    electrons: tuple[float, float]
    quality: tuple[int, int]  # quality of the JPEG, 0 to 100
    fill: tuple[float, float]  # the share of the picture that the sheets fill
    gloss: float  # the strongest reflection of the lamp on the paper
    # Pixels per millimetre, unless the photo's size is given.
    fineness: tuple[float, float] = (7.0, 9.5)
    saturation: tuple[float, float] = (1.0, 1.0)  # factor on the colours' distance from gray
    # Probability that a single sheet lies across or upside down, as seen by the camera.
    turned: float = 0.0


CONDITIONS: Final[Mapping[str, Conditions]] = {
    "easy": Conditions(
        tilt=(0, 7),
        bow=(0, 0.003),
        fold=0,
        corner=0,
        roll=3,
        lamp=(0.1, 0.4),
        shadow=0,
        penumbra=(40, 60),
        defocus=(0.4, 0.8),
        shake=(0, 0.5),
        electrons=(4000, 12000),
        quality=(85, 95),
        fill=(0.8, 0.95),
        gloss=0.01,
    ),
    "usual": Conditions(
        tilt=(3, 20),
        bow=(0, 0.015),
        fold=0.06,
        corner=0.1,
        roll=9,
        lamp=(0.25, 0.65),
        shadow=0.5,
        penumbra=(8, 45),
        defocus=(0.4, 1.2),
        shake=(0, 1.2),
        electrons=(1200, 6000),
        quality=(72, 95),
        fill=(0.72, 0.95),
        gloss=0.03,
    ),
    "hard": Conditions(
        tilt=(15, 40),
        bow=(0.01, 0.03),
        fold=0.5,
        corner=0.35,
        roll=180,
        lamp=(0.5, 0.8),
        shadow=0.9,
        penumbra=(1, 8),
        defocus=(0.6, 1.7),
        shake=(0, 2.2),
        electrons=(350, 2500),
        quality=(60, 90),
        fill=(0.7, 0.93),
        gloss=0.06,
    ),
}

USUAL: Final = replace(
    CONDITIONS["usual"], fineness=(4.5, 11), saturation=(0.92, 1.25), turned=0.3, tilt=(3, 28)
)
PUBLISHED: Final[Mapping[str, Conditions]] = {
    "easy": CONDITIONS["easy"],
    "usual": USUAL,
    "hard": replace(
        CONDITIONS["hard"],
        fineness=(2.6, 10),
        saturation=(0.85, 1.35),
        tilt=(15, 50),
        # Card bends, but is seldom folded.
        fold=0.1,
    ),
    # In the evening, under one lamp.
    "dim": replace(USUAL, electrons=(250, 800), lamp=(0.6, 0.85)),
}
"""The same where a publisher's sheet is in the photo: from photos of few pixels to large ones,
from all sides, and as vivid as phones make colours."""
