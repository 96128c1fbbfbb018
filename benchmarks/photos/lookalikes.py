"""Photos of things that are no sheet of the catalogue, though some look much like one.

Whatever a reader reads in them is misread.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from benchmarks.photos import games, rendering, scene, sensor
from benchmarks.photos.conditions import PUBLISHED
from benchmarks.photos.fonts import random_lettering
from benchmarks.photos.pieces import Piece, random_gloss
from benchmarks.photos.press import Press, Rgb, mixed, rounded
from companion.core import look
from companion.core.sheet import AnySheetKind
from companion.games.catalog import SHEETS

Picture = npt.NDArray[np.uint8]
Rng: TypeAlias = np.random.Generator
Drawer: TypeAlias = Callable[[Rng, float], Press]
"""(random generator, pixels per millimetre) → what was drawn."""

MEGAPIXELS: Final = (0.6, 2.0)
SCALE: Final = 5.0
"""Pixels per millimetre of what lies on the table."""
TABLES: Final = 20
"""Different table tops in a run of `RUN` seeds: making one takes longer than the photo."""
RUN: Final = 250
CLOSE: Final = 0.2
"""The share of photos that show only a part of the thing."""
SCREENS: Final = 4
"""How much more frequent a screen is than each other thing."""


@dataclass(frozen=True)
class Lookalike:
    """A photo without any sheet."""

    seed: int
    name: str
    """What it shows."""
    photo: Picture
    """BGR, upright, before JPEG compression."""
    jpeg: bytes


def simulate(seed: int, name: str = "", megapixels: float | None = None) -> Lookalike:
    """A photo that depends on nothing but these arguments and the fonts installed.

    Args:
        name: one of `names()`; a random one if "".
        megapixels: of the photo; 0.6 to 2 if None.
    """
    rng = np.random.default_rng([seed, 77])
    known = names()
    weights = np.array([SCREENS if each == SCREEN else 1 for each in known], float)
    name = name or str(rng.choice(known, p=weights / weights.sum()))
    difficulty = "hard" if rng.random() < 0.25 else "usual"
    conditions = PUBLISHED[difficulty]
    pieces = [] if name == PLAIN else [_piece(name, rng)]
    if rng.random() < CLOSE:
        # So close that parts are out of the picture.
        conditions = replace(conditions, fill=(1.1, 2.2))
    laid = scene.lay_out(pieces or [_nothing()], conditions, rng)
    megapixels = megapixels or float(rng.uniform(*MEGAPIXELS))
    camera = scene.aim_camera(laid, conditions, rng, megapixels)
    light = scene.place_light(laid, conditions, rng)
    if not pieces:
        light = replace(light, paper_shadow=np.zeros_like(light.paper_shadow))
    number = seed // RUN * TABLES + int(rng.integers(TABLES))
    on_table = list(zip(laid, pieces, strict=False))
    radiance = rendering.render(camera, light, on_table, number * 401)
    finer = scene.pixels_per_mm(camera, laid) / 8
    exposure = rendering.expose(radiance, light, conditions, rng, finer)
    photo = sensor.developed(sensor.blurred(radiance, exposure, rng), exposure, rng)
    return Lookalike(seed, name, photo, sensor.jpeg(photo, exposure.quality))


@lru_cache(maxsize=1)
def names() -> tuple[str, ...]:
    """Everything that can be drawn, in a fixed order."""
    return (*sorted(_drawers()), PLAIN, SCREEN)


@lru_cache(maxsize=1)
def _drawers() -> Mapping[str, Drawer]:
    found: dict[str, Drawer] = dict(COMMON)
    for room, module in games.rooms().items():
        for name, draw in getattr(module, "LOOKALIKES", {}).items():
            found[f"{room}-{name}"] = draw
    return found


def _nothing() -> Piece:
    """An invisible piece, for the camera to look at."""
    return Piece(picture=np.zeros((600, 900, 3), np.float32), scale=SCALE)


def _piece(name: str, rng: Rng) -> Piece:
    if name == SCREEN:
        return _screen(rng)
    press = _drawers()[name](rng, SCALE)
    level = np.linspace(0, 1, 256, dtype=np.float32)
    linear = (level**2.2 * np.float32(rng.uniform(0.8, 1.0))).astype(np.float32)
    picture = cv2.GaussianBlur(press.picture, (0, 0), 0.5)
    reflectance = np.asarray(cv2.LUT(picture, linear.reshape(1, 256, 1)), np.float32)
    reflectance *= 1 + rng.normal(0, 0.02, (*picture.shape[:2], 1)).astype(np.float32)
    gloss = random_gloss(rng, bool(rng.random() < 0.5))
    return Piece(
        picture=np.clip(reflectance, 0.004, 0.97),
        scale=press.scale,
        radius=float(rng.choice([0.0, rng.uniform(1, 6)])),
        gloss=gloss,
    )


# Screens


SCREEN: Final = "screen"
PLAIN: Final = "table"


def _screen(rng: Rng) -> Piece:
    """A phone, tablet or monitor that shows our own drawing of a sheet."""
    sheets = list(SHEETS.values())
    sheet = sheets[int(rng.integers(len(sheets)))]
    board = str(rng.choice(sheet.every_board))
    press = _screen_picture(sheet, board, rng)
    linear = (np.linspace(0, 1, 256, dtype=np.float32) ** 2.2).reshape(1, 256, 1)
    shown = np.asarray(cv2.LUT(press.picture, linear), np.float32)
    pitch = float(rng.uniform(0.35, 1.2))
    rows, columns = shown.shape[:2]
    depth = float(rng.uniform(0, 0.35))
    x = np.arange(columns, dtype=np.float32) / press.scale / pitch % 1
    y = np.arange(rows, dtype=np.float32) / press.scale / pitch % 1
    grid = np.maximum((x < 0.2)[None, :], (y < 0.2)[:, None])
    shown *= (1 - depth * grid)[:, :, None]
    for channel in range(3):
        # Each column of pixels is one of blue, green and red.
        own = np.abs((x * 3 - channel - 0.5 + 1.5) % 3 - 1.5) < 0.75
        shown[:, :, channel] *= 1 - depth * 0.6 * (1 - own)[None, :]
    bezel = round(float(rng.uniform(2, 14)) * press.scale)
    black = float(rng.uniform(0.01, 0.06))
    framed = cv2.copyMakeBorder(
        shown, bezel, bezel, bezel, bezel, cv2.BORDER_CONSTANT, value=(black, black, black)
    )
    return Piece(
        picture=np.asarray(framed, np.float32),
        scale=press.scale,
        radius=float(rng.uniform(0, 8)),
        gloss=random_gloss(rng, True),
        glow=float(rng.uniform(0.5, 1.6)),
    )


def _screen_picture(sheet: AnySheetKind, board: str, rng: Rng) -> Press:
    """The app's page with a sheet as it draws one, with some marks."""
    layout = sheet.paper(board).layout
    above, below, aside = (float(part) for part in rng.uniform((0, 0, 0), (30, 40, 12)))
    grounds: list[Rgb] = [(255, 255, 255), (244, 241, 234), (30, 32, 36)]
    ground = grounds[int(rng.integers(len(grounds)))]
    press = Press(
        layout.width + 2 * aside,
        layout.height + above + below,
        float(rng.uniform(4.5, 6)),
        rng,
        ground,
        origin=(aside, above),
        misprint=0.0,
    )
    letters = random_lettering(rng)
    for band in layout.bands:
        _shape(press, look.band_layer(band))
    chosen = bool(rng.random() < 0.5)
    how_full = float(rng.uniform(0, 0.8))
    for field in layout.fields:
        layers = look.field_layers(field)[: 1 if chosen else 2]
        for layer in layers:
            _shape(press, layer)
        x, y = field.box.center
        size = field.box.width
        if field.print:
            press.text(field.print, x, y, size * 0.42, (60, 60, 70), letters, widest=size * 0.8)
        if rng.random() < how_full:
            if field.kind in ("number", "digits"):
                text = str(int(rng.integers(1, 19)))
                press.text(text, x, y, size * 0.5, (30, 30, 90), letters, widest=size * 0.8)
            else:
                _crossed(press, x, y, size * 0.6, (25, 25, 30), size * 0.09)
    return press


def _shape(press: Press, layer: look.Layer) -> None:
    style = layer.style
    if style.fill:
        press.polygon(layer.shape.points, _hex(style.fill))
    if style.line:
        press.line(layer.shape.points, _hex(style.stroke), style.line, closed=True)


def _hex(color: str) -> Rgb:
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


def _crossed(
    press: Press, x: float, y: float, size: float, color: Rgb, wide: float, shake: float = 0.0
) -> None:
    for sign in (-1, 1):
        off = press.rng.normal(0, shake, 4) if shake else np.zeros(4)
        a = (x - size / 2 + off[0], y - sign * size / 2 + off[1])
        b = (x + size / 2 + off[2], y + sign * size / 2 + off[3])
        press.line([a, b], color, wide)


# Things of all kinds


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


def scribbled(press: Press, places: list[tuple[float, float]], size: float, share: float) -> None:
    """Crosses with a pen over some of the places."""
    rng = press.rng
    inks: list[Rgb] = [(30, 40, 130), (30, 28, 30), (90, 90, 95)]
    ink = inks[int(rng.integers(len(inks)))]
    for x, y in places:
        if rng.random() < share:
            _crossed(press, x, y, size, ink, float(rng.uniform(0.35, 0.9)), size * 0.08)


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
                _crossed(press, x, y, tall * 0.8, (30, 40, 130), 0.6, 0.8)
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


COMMON: Final[Mapping[str, Drawer]] = {
    "bars": _bars,
    "calendar": _calendar,
    "chessboard": _chessboard,
    "code": _code,
    "color-checker": _color_checker,
    "color-table": _color_table,
    "crossword": _crossword,
    "dominoes": _dominoes,
    "egg-carton": _egg_carton,
    "form": _form,
    "game-box": _game_box,
    "keyboard": _keyboard,
    "noise": _noise,
    "squares": _squares,
    "studs": _studs,
    "sweets": _sweets,
    "text": _text_page,
    "tiles": _tiles,
    "windows": _windows,
}
"""Name → how it is drawn."""
