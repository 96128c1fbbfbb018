"""Sheets of Qwixx and of its editions, which must not be taken for another game's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from benchmarks.photos.printing.fonts import random_lettering
from benchmarks.photos.printing.press import Press, Rgb, mixed

ROWS: Final[tuple[Rgb, ...]] = ((200, 40, 44), (240, 200, 30), (60, 140, 70), (40, 80, 150))


def _sheet(rng: np.random.Generator, scale: float) -> Press:
    """Four rows of eleven numbers and a lock; mixed or in two halves in the editions."""
    unit = float(rng.uniform(8, 12))
    way = str(rng.choice(["plain", "plain", "mixed numbers", "mixed colors", "double", "slim"]))
    gap = unit * float(rng.uniform(1.15, 1.6))
    level = float(rng.uniform(220, 250))
    rows = 3 if way == "slim" else 4
    press = Press(14 * unit, (rows + 1.6) * gap, scale, rng, (level, level, level))
    ink: Rgb = (30, 28, 30)
    tones = [mixed(tone, (128, 128, 128), float(rng.uniform(-0.15, 0.3))) for tone in ROWS]
    letters = random_lettering(rng, 0.0, 0.03)
    radius = unit * float(rng.uniform(0, 0.25))
    round_ = rng.random() < 0.25
    inks: list[Rgb] = [(24, 34, 120), (26, 24, 26)]
    pen = inks[int(rng.integers(2))]
    full = float(rng.uniform(0, 0.8))
    for row in range(rows):
        y = (row + 0.8) * gap
        tone = tones[row]
        press.box(7 * unit, y, 13 * unit, unit * 1.12, tone, radius)
        numbers = list(range(2, 13)) if row < 2 else list(range(12, 1, -1))
        if way == "mixed numbers":
            rng.shuffle(numbers)
        for place, number in enumerate([*numbers, -1]):
            x = (1.3 + place * 1.04) * unit
            around = tone
            if way == "mixed colors":
                around = tones[(row + place // 3) % 4]
                press.box(x, y, unit * 1.04, unit * 1.12, around)
            white = mixed(around, (255, 255, 255), float(0.75 if number > 0 else 0.4))
            size = unit * 0.82
            if round_ or number < 0:
                press.disc(x, y, size, white)
            else:
                press.box(x, y, size, size, white, unit * 0.12)
            if number < 0:
                press.box(x, y + size * 0.1, size * 0.36, size * 0.3, ink)
                press.ring(x, y - size * 0.08, size * 0.26, ink, 0.4)
                continue
            press.text(str(number), x, y, unit * 0.45, mixed(tone, ink, 0.4), letters)
            if rng.random() < full:
                for sign in (-1, 1):
                    a, b, c, d = rng.normal(0, size * 0.06, 4).tolist()
                    start = (x - size / 2 + a, y - sign * size / 2 + b)
                    end = (x + size / 2 + c, y + sign * size / 2 + d)
                    press.line([start, end], pen, float(rng.uniform(0.4, 0.9)))
        if way == "double":
            press.line([(0.7 * unit, y), (13 * unit, y)], (level, level, level), 0.4)
    y = (rows + 0.9) * gap
    for number in range(4):
        press.box((9 + number) * unit, y, unit * 0.7, unit * 0.7, ink, 0.5, 0.4)
    for number in range(5):
        x = (1.2 + number * 1.4) * unit
        tone = tones[number] if number < rows else ink
        press.box(x, y, unit * 1.1, unit * 0.8, tone, 0.5, 0.7)
    return press


LOOKALIKES: Final[Mapping[str, Callable[[np.random.Generator, float], Press]]] = {"sheet": _sheet}
