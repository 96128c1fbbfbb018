"""Things in rows and columns: boards, keys, tiles, tables, bricks, codes."""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Final

import numpy as np

from benchmarks.photos.lookalikes.tones import (
    Drawer,
    Rng,
    any_color,
    crossed,
    dark,
    pale,
    palette,
    scribbled,
)
from benchmarks.photos.printing.fonts import random_lettering
from benchmarks.photos.printing.press import Press, Rgb, mixed, rounded


def _chessboard(rng: Rng, scale: float) -> Press:
    side = float(rng.uniform(14, 40))
    count = int(rng.choice([6, 8, 8, 8, 10]))
    rim = float(rng.uniform(2, 25))
    press = Press(count * side + 2 * rim, count * side + 2 * rim, scale, rng, any_color(rng, 0.6))
    light, shade = pale(rng), mixed(any_color(rng), dark(rng), float(rng.uniform(0, 0.8)))
    letters = random_lettering(rng)
    for row in range(count):
        for column in range(count):
            x, y = rim + (column + 0.5) * side, rim + (row + 0.5) * side
            press.box(x, y, side, side, light if (row + column) % 2 else shade)
            if rng.random() < 0.15:
                press.disc(x, y, side * 0.7, pale(rng) if rng.random() < 0.5 else dark(rng))
    if rim > 8:
        for number in range(count):
            press.text(
                string.ascii_uppercase[number], rim + (number + 0.5) * side, rim / 2, 4,
                pale(rng), letters,
            )  # fmt: skip
    return press


def _keyboard(rng: Rng, scale: float) -> Press:
    pitch = 19.0 * float(rng.uniform(0.85, 1.05))
    rows = int(rng.choice([4, 5, 6]))
    is_dark = rng.random() < 0.6
    press = Press(
        15.5 * pitch, (rows + 0.6) * pitch, scale, rng, dark(rng) if is_dark else pale(rng)
    )
    cap = mixed(press.ground, (128, 128, 128), float(rng.uniform(0.05, 0.35)))
    caps = [any_color(rng, 0.8) for _ in range(5)] if rng.random() < 0.35 else [cap]
    letters = random_lettering(rng)
    stagger = [0.0, 0.5, 0.75, 1.25, 0.0, 0.0]
    radius = pitch * float(rng.uniform(0.03, 0.2))
    ink: Rgb = (230, 230, 230) if is_dark else (40, 40, 44)
    for row in range(rows):
        x = 0.3 * pitch
        while x < 15 * pitch:
            wide = 1.0 + (stagger[row] if x < pitch else 0)
            if row == rows - 1 and 4 * pitch < x < 5 * pitch:
                wide = 5.5
            wide = min(wide, 15.2 - x / pitch)
            middle = x + wide * pitch / 2
            y = (row + 0.8) * pitch
            tone = caps[int(rng.integers(len(caps)))]
            press.box(middle, y, wide * pitch * 0.9, pitch * 0.88, tone, radius)
            if wide < 2:
                letter = str(rng.choice(list(string.ascii_uppercase + string.digits + "!?+=")))
                press.text(letter, middle - pitch * 0.1, y, pitch * 0.28, ink, letters)
            x += wide * pitch
    return press


def _calendar(rng: Rng, scale: float) -> Press:
    weeks = int(rng.integers(4, 7))
    columns = int(rng.choice([7, 7, 8, 13]))
    wide, tall = float(rng.uniform(12, 26)), float(rng.uniform(10, 24))
    press = Press(columns * wide + 12, weeks * tall + 34, scale, rng, pale(rng))
    letters = random_lettering(rng)
    tones = [any_color(rng, 0.7) for _ in range(5)]
    ink = dark(rng)
    press.text(
        str(rng.choice(["MARCH 2027", "Oktober", "Mayo"])),
        press.width / 2,
        10,
        7,
        tones[0],
        letters,
    )
    line = float(rng.uniform(0.2, 0.8))
    for week in range(weeks):
        for day in range(columns):
            x, y = 6 + (day + 0.5) * wide, 28 + (week + 0.5) * tall
            if rng.random() < 0.35:
                press.box(x, y, wide * 0.95, tall * 0.95, tones[int(rng.integers(5))], 1)
            press.box(x, y, wide, tall, ink, 0, line)
            number = str(week * columns + day + 1)
            press.text(number, x, y, tall * float(rng.uniform(0.25, 0.4)), ink, letters)
            if rng.random() < 0.12:
                crossed(press, x, y, tall * 0.8, (30, 40, 130), 0.6, 0.8)
    for day in range(columns):
        press.text("MTWTFSS"[day % 7], 6 + (day + 0.5) * wide, 22, 4, ink, letters)
    return press


def _color_checker(rng: Rng, scale: float) -> Press:
    columns, rows = [(6, 4), (14, 10), (15, 7), (12, 8), (7, 15)][int(rng.integers(5))]
    pitch = float(rng.uniform(12, 40)) if columns < 10 else float(rng.uniform(8, 16))
    rim = pitch * float(rng.uniform(0.1, 0.8))
    ground = dark(rng) if rng.random() < 0.7 else any_color(rng, 0.5)
    press = Press(columns * pitch + 2 * rim, rows * pitch + 2 * rim, scale, rng, ground)
    share, radius = float(rng.uniform(0.72, 0.95)), pitch * float(rng.choice([0.0, 0.08]))
    places = []
    for row in range(rows):
        for column in range(columns):
            x, y = rim + (column + 0.5) * pitch, rim + (row + 0.5) * pitch
            tone = any_color(rng, float(rng.uniform(0, 1)))
            press.box(x, y, pitch * share, pitch * share, tone, radius)
            places.append((x, y))
    if rng.random() < 0.25:
        scribbled(press, places, pitch * 0.6, 0.3)
    return press


def _tiles(rng: Rng, scale: float) -> Press:
    """Coloured tiles or mosaic, beyond the picture's edges."""
    pitch = float(rng.uniform(9, 40))
    press = Press(420, 420, 4.0, rng, any_color(rng, 0.2))
    tones = palette(rng, int(rng.integers(2, 7)))
    share = float(rng.uniform(0.86, 0.97))
    angle = float(rng.uniform(0, 1))
    cos, sin = np.cos(angle), np.sin(angle)
    radius = pitch * float(rng.choice([0.0, rng.uniform(0.02, 0.15)]))
    count = int(300 / pitch) + 1
    for row in range(-count, count):
        for column in range(-count, count):
            u, v = column * pitch, row * pitch
            if abs(u * cos - v * sin) > 215 or abs(u * sin + v * cos) > 215:
                continue
            outline = rounded(u, v, pitch * share, pitch * share, radius)
            turned = outline @ np.array([[cos, sin], [-sin, cos]]) + 210
            tone = tones[int(rng.integers(len(tones)))]
            press.polygon(turned, mixed(tone, (255, 255, 255), float(rng.uniform(0, 0.12))))
    return press


def _egg_carton(rng: Rng, scale: float) -> Press:
    columns, rows = int(rng.integers(4, 7)), int(rng.integers(2, 6))
    pitch = float(rng.uniform(40, 50))
    ground = any_color(rng, 0.35)
    press = Press(columns * pitch, rows * pitch, scale / 2, rng, ground)
    for row in range(rows):
        for column in range(columns):
            x, y = (column + 0.5) * pitch, (row + 0.5) * pitch
            for step in range(6):
                shade = mixed(ground, (10, 8, 6), 0.12 * step)
                press.disc(x, y, pitch * (0.92 - 0.1 * step), shade)
            if rng.random() < 0.6:
                egg = mixed((244, 230, 214), (190, 130, 90), float(rng.random()))
                press.disc(x, y, pitch * 0.8, mixed(egg, (0, 0, 0), 0.2))
                press.disc(x - 1.5, y - 1.5, pitch * 0.66, egg)
    return press


def _studs(rng: Rng, scale: float) -> Press:
    """Toy bricks from above."""
    columns, rows = int(rng.integers(8, 21)), int(rng.integers(6, 16))
    pitch = 8.0
    press = Press(columns * pitch, rows * pitch, scale, rng, any_color(rng))
    tones = palette(rng, 5)
    taken: set[tuple[int, int]] = set()
    for row in range(rows):
        for column in range(columns):
            if (row, column) in taken:
                continue
            wide = int(rng.choice([1, 2, 3, 4]))
            wide = min(wide, columns - column)
            tone = tones[int(rng.integers(len(tones)))]
            x, y = (column + wide / 2) * pitch, (row + 0.5) * pitch
            press.box(x, y, wide * pitch - 0.3, pitch - 0.3, tone, 0.3)
            for part in range(wide):
                taken.add((row, column + part))
                u = (column + part + 0.5) * pitch
                press.disc(u + 0.4, y + 0.4, 4.9, mixed(tone, (0, 0, 0), 0.35))
                press.disc(u, y, 4.9, mixed(tone, (255, 255, 255), 0.12))
    return press


def _windows(rng: Rng, scale: float) -> Press:
    """A house front."""
    columns, rows = int(rng.integers(4, 17)), int(rng.integers(3, 11))
    across, down = float(rng.uniform(12, 22)), float(rng.uniform(12, 26))
    wall = any_color(rng, 0.5)
    press = Press(columns * across + 8, rows * down + 8, scale, rng, wall)
    frame, glass = pale(rng), any_color(rng, 0.5)
    share = float(rng.uniform(0.5, 0.85))
    for row in range(rows):
        for column in range(columns):
            x, y = 4 + (column + 0.5) * across, 4 + (row + 0.5) * down
            press.box(x, y, across * share, down * share, frame)
            tone = mixed(glass, (20, 30, 50), float(rng.random()))
            press.box(x, y, across * share * 0.85, down * share * 0.88, tone)
            press.line([(x, y - down * share / 2), (x, y + down * share / 2)], frame, 0.6)
    return press


def _color_table(rng: Rng, scale: float) -> Press:
    """A table of coloured cells with letters or numbers, such as that of the elements."""
    columns, rows = int(rng.integers(8, 20)), int(rng.integers(4, 11))
    across = float(rng.uniform(8, 14))
    down = across * float(rng.choice([1.0, rng.uniform(0.5, 1.4)]))
    ground = dark(rng) if rng.random() < 0.4 else pale(rng)
    press = Press(columns * across + 10, rows * down + 10, scale, rng, ground)
    tones = palette(rng, int(rng.integers(3, 9)))
    letters = random_lettering(rng)
    share = float(rng.uniform(0.85, 1.0))
    signs = list(string.ascii_uppercase) if rng.random() < 0.5 else list(string.digits)
    size = min(across, down) * float(rng.uniform(0.25, 0.55))
    places = []
    for row in range(rows):
        for column in range(columns):
            if rng.random() < 0.05:
                continue
            x, y = 5 + (column + 0.5) * across, 5 + (row + 0.5) * down
            tone = tones[(column // 3 + row) % len(tones)]
            if rng.random() < 0.5:
                tone = tones[int(rng.integers(len(tones)))]
            press.box(x, y, across * share, down * share, tone, across * 0.06)
            text = "".join(rng.choice(signs, int(rng.integers(1, 3))))
            press.text(text, x, y, size, dark(rng), letters)
            places.append((x, y))
    if rng.random() < 0.3:
        scribbled(press, places, across * 0.6, 0.25)
    return press


def _squares(rng: Rng, scale: float) -> Press:
    """Coloured squares on a ground, as in a puzzle: any grid but 15 by 7."""
    while True:
        columns, rows = int(rng.integers(5, 20)), int(rng.integers(4, 14))
        if (columns, rows) not in ((15, 7), (7, 15)) and columns * rows < 200:
            break
    pitch = float(rng.uniform(8, 14))
    press = Press((columns + 1) * pitch, (rows + 1) * pitch, scale, rng, dark(rng))
    tones = palette(rng, 5)
    share, radius = float(rng.uniform(0.8, 0.96)), pitch * float(rng.uniform(0, 0.15))
    disc = float(rng.uniform(0.5, 0.85)) if rng.random() < 0.6 else 0.0
    places = []
    for row in range(rows):
        for column in range(columns):
            x, y = (column + 1) * pitch, (row + 1) * pitch
            tone = tones[int(rng.integers(5))]
            press.box(x, y, pitch * share, pitch * share, tone, radius)
            if disc:
                press.disc(x, y, pitch * disc, mixed(tone, (255, 255, 255), 0.25))
            places.append((x, y))
    scribbled(press, places, pitch * 0.7, float(rng.uniform(0, 0.6)))
    return press


def _crossword(rng: Rng, scale: float) -> Press:
    count = int(rng.choice([9, 9, 13, 15, 17]))
    pitch = float(rng.uniform(7, 12))
    press = Press((count + 1) * pitch, (count + 1) * pitch, scale, rng, pale(rng))
    letters = random_lettering(rng)
    ink = dark(rng)
    for row in range(count):
        for column in range(count):
            x, y = (column + 1) * pitch, (row + 1) * pitch
            if count != 9 and rng.random() < 0.2:
                press.box(x, y, pitch, pitch, ink)
                continue
            heavy = 0.7 if count == 9 and column % 3 == 0 and row % 3 == 0 else 0.25
            press.box(x, y, pitch, pitch, ink, 0, heavy)
            if rng.random() < 0.4:
                sign = str(
                    rng.choice(list(string.digits if count == 9 else string.ascii_uppercase))
                )
                press.text(sign, x, y, pitch * 0.5, ink, letters)
    return press


def _code(rng: Rng, scale: float) -> Press:
    """A square bar code, or a sheet full of markers that are not ours."""
    count = int(rng.integers(6, 40))
    pitch = float(rng.uniform(90, 150)) / count
    press = Press((count + 8) * pitch, (count + 8) * pitch, scale, rng, pale(rng))
    ink = dark(rng)
    for row, column in np.argwhere(rng.random((count, count)) < 0.5).tolist():
        press.box((column + 4.5) * pitch, (row + 4.5) * pitch, pitch, pitch, ink)
    for x, y in ((7.5, 7.5), (count + 0.5, 7.5), (7.5, count + 0.5)):
        for size, tone in ((7, ink), (5, press.ground), (3, ink)):
            press.box(x * pitch, y * pitch, size * pitch, size * pitch, tone)
    return press


DRAWERS: Final[Mapping[str, Drawer]] = {
    "calendar": _calendar,
    "chessboard": _chessboard,
    "code": _code,
    "color-checker": _color_checker,
    "color-table": _color_table,
    "crossword": _crossword,
    "egg-carton": _egg_carton,
    "keyboard": _keyboard,
    "squares": _squares,
    "studs": _studs,
    "tiles": _tiles,
    "windows": _windows,
}
