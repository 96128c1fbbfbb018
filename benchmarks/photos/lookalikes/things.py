"""Things without a grid, or with a loose one: sweets, pages, dominoes, forms, other games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import cv2
import numpy as np

from benchmarks.photos.lookalikes.tones import (
    Drawer,
    Rng,
    any_color,
    dark,
    pale,
    palette,
)
from benchmarks.photos.printing.fonts import random_lettering
from benchmarks.photos.printing.press import Press, mixed


def _sweets(rng: Rng, scale: float) -> Press:
    """Stickers, sweets or counters in rows."""
    columns, rows = int(rng.integers(5, 17)), int(rng.integers(3, 11))
    pitch = float(rng.uniform(9, 20))
    press = Press((columns + 1) * pitch, (rows + 1) * pitch, scale, rng, pale(rng))
    tones = palette(rng, int(rng.integers(3, 7)))
    size = pitch * float(rng.uniform(0.6, 0.97))
    loose = float(rng.choice([0.0, 0.03, 0.12])) * pitch
    bars = rng.random() < 0.3
    for row in range(rows):
        shift = pitch / 2 if rng.random() < 0.3 else 0.0
        if bars:
            wide = columns * pitch
            tone = tones[row % len(tones)]
            press.box(press.width / 2, (row + 1) * pitch, wide, pitch * 0.9, tone, pitch * 0.2)
        for column in range(columns):
            x, y = (column + 1) * pitch + shift, (row + 1) * pitch
            x, y = x + rng.normal(0, loose), y + rng.normal(0, loose)
            tone = pale(rng) if bars else tones[int(rng.integers(len(tones)))]
            press.disc(x, y, size, tone)
            if not bars:
                press.disc(
                    x - size * 0.12, y - size * 0.14, size * 0.4, mixed(tone, (255,) * 3, 0.3)
                )
    return press


def _text_page(rng: Rng, scale: float) -> Press:
    press = Press(148, 210, scale, rng, pale(rng))
    letters = random_lettering(rng)
    ink = dark(rng)
    y, size = 16.0, float(rng.uniform(1.6, 2.6))
    while y < 196:
        if rng.random() < 0.12:
            tone = any_color(rng)
            high = float(rng.uniform(8, 30))
            press.box(74, y + high / 2, 120, high, tone, 1)
            y += high + 5
            continue
        count = int(rng.integers(25, 55))
        words = "".join(rng.choice(list("aeiourstnlmdhcgbp     "), count))
        press.text(words, 14, y, size, ink, letters, "left", 122)
        y += size * 2
    return press


def _noise(rng: Rng, scale: float) -> Press:
    press = Press(200, 140, scale, rng, pale(rng))
    rows, columns = press.picture.shape[:2]
    total = np.zeros((rows, columns, 3), np.float32)
    for size in (3, 10, 40, 160):
        small = rng.uniform(0, 255, (rows // size + 2, columns // size + 2, 3)).astype(np.float32)
        way = cv2.INTER_NEAREST if rng.random() < 0.4 else cv2.INTER_CUBIC
        total += cv2.resize(small, (columns, rows), interpolation=way) * float(rng.random())
    total *= 200 / max(float(total.max()), 1)
    press.picture[:] = np.clip(total, 0, 255).astype(np.uint8)
    return press


def _bars(rng: Rng, scale: float) -> Press:
    """Stripes with round pale fields: blister packs, abaci, bead racks, remote controls."""
    count = int(rng.integers(2, 7))
    per = int(rng.integers(6, 13))
    pitch = float(rng.uniform(11, 16))
    gap = pitch * float(rng.uniform(1.05, 1.6))
    press = Press((per + 2) * pitch, (count + 1) * gap, scale, rng, pale(rng))
    tones = palette(rng, count)
    size = pitch * float(rng.uniform(0.55, 0.9))
    letters = random_lettering(rng)
    numbered = rng.random() < 0.4
    ink = dark(rng)
    for row in range(count):
        y = (row + 0.8) * gap
        press.box(press.width / 2, y, (per + 0.6) * pitch, pitch, tones[row], pitch * 0.15)
        for column in range(per):
            x = (column + 1.5) * pitch
            tone = pale(rng)
            if rng.random() < 0.7:
                press.disc(x, y, size, tone)
            else:
                press.box(x, y, size, size, tone, size * 0.15)
            if numbered:
                press.text(str(column + 2), x, y, size * 0.45, ink, letters)
    return press


def _dominoes(rng: Rng, scale: float) -> Press:
    press = Press(220, 150, scale, rng, any_color(rng, 0.7))
    for _ in range(int(rng.integers(6, 22))):
        x, y = rng.uniform((20, 20), (200, 130))
        tone = pale(rng) if rng.random() < 0.6 else any_color(rng)
        side = float(rng.uniform(12, 20))
        halves = int(rng.choice([1, 2]))
        press.box(x, y, side * halves, side, tone, 2)
        for half in range(halves):
            for _ in range(int(rng.integers(0, 7))):
                u = x + (half - (halves - 1) / 2) * side + rng.choice([-0.28, 0, 0.28]) * side
                v = y + rng.choice([-0.28, 0, 0.28]) * side
                press.disc(float(u), float(v), side * 0.17, dark(rng))
    return press


def _game_box(rng: Rng, scale: float) -> Press:
    """A lid or a pad's cover: a title, dice and coloured squares at all angles."""
    press = Press(
        float(rng.uniform(120, 200)), float(rng.uniform(90, 190)), scale, rng, any_color(rng)
    )
    tones = palette(rng, 5)
    for _ in range(int(rng.integers(15, 60))):
        x, y = rng.uniform((0, 0), (press.width, press.height))
        side, turn = float(rng.uniform(6, 22)), float(rng.uniform(0, np.pi))
        corner = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * side / 2
        rotation = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
        press.polygon(corner @ rotation + (x, y), tones[int(rng.integers(5))])
    letters = random_lettering(rng, 0.05, 0.05)
    name = str(rng.choice(["HURRA!", "Bravo!", "Yeah!", "12 UP", "Kniffelei"]))
    press.text(name, press.width / 2, press.height * 0.4, 26, (250, 250, 245), letters,
               widest=press.width * 0.85)  # fmt: skip
    return press


def _form(rng: Rng, scale: float) -> Press:
    """Another game's score sheet, or a form: words, lines and boxes with numbers in pen."""
    press = Press(float(rng.uniform(90, 200)), float(rng.uniform(90, 200)), scale, rng, pale(rng))
    letters = random_lettering(rng)
    ink = dark(rng)
    rows = int(rng.integers(8, 20))
    columns = int(rng.integers(2, 8))
    tall = (press.height - 16) / rows
    first = press.width * float(rng.uniform(0.2, 0.4))
    wide = (press.width - first - 6) / columns
    tones = palette(rng, 5)
    for row in range(rows):
        y = 8 + (row + 0.5) * tall
        words = "".join(rng.choice(list("aeiourstnlmdh"), int(rng.integers(4, 11))))
        press.text(words.title(), 6, y, tall * 0.3, ink, letters, "left", first - 8)
        if rng.random() < 0.3:
            press.box(press.width / 2, y, press.width - 6, tall * 0.9, tones[row % 5])
        for column in range(columns):
            x = first + (column + 0.5) * wide
            press.box(x, y, wide * 0.94, tall * 0.9, ink, 0.5, 0.3)
            if rng.random() < 0.4:
                press.text(str(int(rng.integers(1, 60))), x, y, tall * 0.45, (40, 50, 140), letters)
    return press


DRAWERS: Final[Mapping[str, Drawer]] = {
    "bars": _bars,
    "dominoes": _dominoes,
    "form": _form,
    "game-box": _game_box,
    "noise": _noise,
    "sweets": _sweets,
    "text": _text_page,
}
