"""Tables and tablecloths on which the sheets lie, as procedural textures."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

SIDE: Final = 1000  # the side of a texture in millimetres; beyond, it is mirrored
SCALE: Final = 1.6  # pixels per millimetre
Picture = npt.NDArray[np.uint8]
Floats = npt.NDArray[np.float32]


@lru_cache(maxsize=12)
def table(number: int) -> Picture:
    """The texture of table `number`: reflectance times 255, BGR."""
    rng = np.random.default_rng(number)
    texture = TEXTURES[rng.integers(len(TEXTURES))]
    return np.asarray(np.clip(texture(rng) * 255, 0, 255), np.uint8)


def _pixels() -> int:
    return int(SIDE * SCALE)


def _noise(rng: np.random.Generator, across: float, down: float) -> Floats:
    """Smooth noise with features of the given sizes in millimetres; standard deviation about 1."""
    side = _pixels()
    small = (max(int(SIDE / across), 2), max(int(SIDE / down), 2))
    cells = rng.standard_normal((small[1], small[0])).astype(np.float32)
    return np.asarray(cv2.resize(cells, (side, side), interpolation=cv2.INTER_CUBIC), np.float32)


def _colored(level: npt.NDArray[np.floating], color: tuple[float, float, float]) -> Floats:
    return np.asarray(level[:, :, None] * np.array(color), np.float32)


def _wood(rng: np.random.Generator, light: float = 1.0) -> Floats:
    rings = _noise(rng, 500, 60) * 2.2 + _noise(rng, 260, 14) * 0.35
    y = np.linspace(0, SIDE / rng.uniform(5, 11), _pixels(), dtype=np.float32)[:, None]
    grain = 0.5 + 0.5 * np.sin(2 * np.pi * (y * 0.35 + rings))
    fibre = _noise(rng, 60, 1.0) * 0.045 + _noise(rng, 20, 0.8) * 0.03
    level = (0.78 + 0.2 * grain**1.5 + fibre) * light
    planks = (np.linspace(0, SIDE / rng.uniform(90, 180), _pixels()) % 1)[:, None]
    level *= np.where(planks < 0.012, 0.55, 1.0)
    hue = rng.uniform(0, 1)
    color = (0.10 + 0.1 * hue, 0.24 + 0.12 * hue, 0.46 + 0.08 * hue)
    return _colored(level.astype(np.float32), color)


def _dark_wood(rng: np.random.Generator) -> Floats:
    return _wood(rng, float(rng.uniform(0.22, 0.45)))


def _weave(rng: np.random.Generator) -> Floats:
    t = np.arange(_pixels(), dtype=np.float32) / SCALE / rng.uniform(1.3, 2.4) * 2 * np.pi
    threads = 1 + 0.07 * np.sin(t)[None, :] + 0.07 * np.sin(t)[:, None]
    return np.asarray(threads + 0.03 * _noise(rng, 1.4, 1.4), np.float32)


def _cloth(rng: np.random.Generator) -> Floats:
    color = tuple(float(part) for part in rng.uniform(0.04, 0.6, 3))
    creases = 1 + 0.05 * _noise(rng, 90, 60)
    return _colored(_weave(rng) * creases, (color[0], color[1], color[2]))


def _checks(rng: np.random.Generator) -> Floats:
    wide = rng.uniform(12, 45)
    t = (np.arange(_pixels()) / SCALE / wide % 2 < 1).astype(np.float32)
    level = (t[None, :] + t[:, None]) / 2
    color = np.array(rng.uniform(0.03, 0.5, 3), np.float32)
    white = np.array([0.75, 0.78, 0.78], np.float32)
    mixed = white + (color - white) * level[:, :, None]
    return np.asarray(mixed * _weave(rng)[:, :, None], np.float32)


def _white(rng: np.random.Generator) -> Floats:
    level = rng.uniform(0.66, 0.88) * (1 + 0.008 * _noise(rng, 2, 2) + 0.015 * _noise(rng, 70, 90))
    return _colored(level, (0.96, 0.985, 1.0))


def _dark(rng: np.random.Generator) -> Floats:
    return _white(rng) * np.float32(rng.uniform(0.03, 0.11))


def _stone(rng: np.random.Generator) -> Floats:
    veins = np.abs(_noise(rng, 130, 90) + 0.5 * _noise(rng, 40, 30) + 0.2 * _noise(rng, 9, 9))
    level = rng.uniform(0.3, 0.7) * (0.75 + 0.25 * np.clip(veins * 2.5, 0, 1))
    speck = 1 + 0.06 * _noise(rng, 1.5, 1.5)
    return _colored((level * speck).astype(np.float32), (0.97, 1.0, 1.0))


TEXTURES: Final = (_wood, _wood, _dark_wood, _cloth, _checks, _checks, _white, _dark, _stone)
"""The textures to choose from at random; wood and checks are twice as frequent."""
