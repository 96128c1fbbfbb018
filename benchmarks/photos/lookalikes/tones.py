"""Colours and crosses for everything that only looks like a sheet."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import cv2
import numpy as np

from benchmarks.photos.printing.press import Press, Rgb

Rng: TypeAlias = np.random.Generator
Drawer: TypeAlias = Callable[[Rng, float], Press]
"""(random generator, pixels per millimetre) → what was drawn."""


def any_color(rng: Rng, vivid: float = 1.0) -> Rgb:
    """A random colour; a vivid one is far from gray."""
    hue = float(rng.random())
    saturation = float(rng.uniform(0.3, 1)) * vivid
    value = float(rng.uniform(0.35, 1))
    pixel = np.array([[[hue * 179, saturation * 255, value * 255]]], np.uint8)
    blue, green, red = cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0].tolist()
    return red, green, blue


def palette(rng: Rng, count: int) -> list[Rgb]:
    """Colours that differ in hue."""
    start = rng.random()
    found: list[Rgb] = []
    for number in range(count):
        hue = (start + (number + rng.uniform(-0.25, 0.25)) / count) % 1
        hsv = [hue * 179, rng.uniform(0.45, 1) * 255, rng.uniform(0.5, 1) * 255]
        pixel = np.array([[hsv]], np.uint8)
        blue, green, red = cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0].tolist()
        found.append((red, green, blue))
    return found


def pale(rng: Rng) -> Rgb:
    """The colour of some paper."""
    level = float(rng.uniform(215, 250))
    return level, level, level - float(rng.uniform(0, 14))


def dark(rng: Rng) -> Rgb:
    """A colour near black."""
    level = float(rng.uniform(12, 60))
    return level, level, level


def crossed(
    press: Press, x: float, y: float, size: float, color: Rgb, wide: float, shake: float = 0.0
) -> None:
    """Draws a cross with a pen; `shake` is the standard deviation of its ends."""
    for sign in (-1, 1):
        off = press.rng.normal(0, shake, 4) if shake else np.zeros(4)
        a = (x - size / 2 + off[0], y - sign * size / 2 + off[1])
        b = (x + size / 2 + off[2], y + sign * size / 2 + off[3])
        press.line([a, b], color, wide)


def scribbled(press: Press, places: list[tuple[float, float]], size: float, share: float) -> None:
    """Crosses with a pen over some of the places."""
    rng = press.rng
    inks: list[Rgb] = [(30, 40, 130), (30, 28, 30), (90, 90, 95)]
    ink = inks[int(rng.integers(len(inks)))]
    for x, y in places:
        if rng.random() < share:
            crossed(press, x, y, size, ink, float(rng.uniform(0.35, 0.9)), size * 0.08)
