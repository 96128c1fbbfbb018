"""Encore! as its publisher prints it, in many variants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

import numpy as np

from benchmarks.photos.printing.fonts import Lettering, random_lettering
from benchmarks.photos.printing.press import Press, Rgb, Tones, mixed, star
from companion.games.encore.boards import (
    BOARDS,
    CLAIMS,
    COLORS,
    COLUMNS,
    LINES,
    Board,
)

GLOSSY: Final = 0.85
FELT_TIPS: Final = 0.5
NEAREST: Final = 36.0  # the least distance of the ground's colour from a box's
BOLD: Final = 0.04
"""About the weight of the letters beyond that of their typeface, as a share of their height."""

CAMERAS: Final[Mapping[str, tuple[tuple[Rgb, Rgb], tuple[Rgb, Rgb]]]] = {
    "green": (((94, 120, 64), (123, 141, 77)), ((133, 154, 63), (180, 197, 109))),
    "yellow": (((205, 151, 64), (205, 163, 77)), ((222, 183, 65), (234, 214, 138))),
    "blue": (((86, 141, 183), (121, 157, 189)), ((122, 174, 196), (153, 192, 213))),
    "red": (((193, 70, 75), (199, 95, 102)), ((179, 56, 78), (206, 111, 125))),
    "orange": (((195, 93, 62), (202, 122, 76)), ((193, 110, 54), (220, 166, 99))),
}
"""Colour → (rim, disc) as two cameras showed them on real sheets."""
GROUNDS: Final[Mapping[str, Rgb]] = {
    "black": (46, 40, 38),
    "red": (216, 84, 132),
    "blue": (62, 118, 176),
    "green": (92, 138, 60),
    "orange": (214, 116, 50),
    "purple": (110, 72, 142),
    "yellow": (224, 180, 56),
}
"""Board → the colour between the boxes. Only the first was measured."""
WHITE: Final[Rgb] = (236, 234, 230)
LETTER_RED: Final[Rgb] = (196, 38, 48)


class _Tones(Tones):
    def __init__(self, rng: np.random.Generator, board: str) -> None:
        between = float(rng.uniform(-0.25, 1.25))
        contrast = float(rng.uniform(0.45, 1.5))
        super().__init__(rng, float(np.clip(rng.normal(1.08, 0.15), 0.75, 1.45)), (8, 250))
        self.rims: dict[str, Rgb] = {}
        self.discs: dict[str, Rgb] = {}
        self.darks: dict[str, Rgb] = {}
        for color, (first, second) in CAMERAS.items():
            rim = self.shaken(mixed(first[0], second[0], between), 7)
            disc = self.shaken(mixed(first[1], second[1], between), 3)
            self.rims[color] = rim
            self.discs[color] = mixed(rim, disc, contrast)
            dark = mixed(rim, (30, 20, 30), float(rng.uniform(0.15, 0.45)))
            if color == "yellow":
                dark = mixed(rim, (214, 120, 20), float(rng.uniform(0.4, 1.0)))
            self.darks[color] = dark
        shift = 6 if board == "black" else 14
        self.ground = self.shaken(GROUNDS[board], shift)
        # No publisher prints boxes on their own colour.
        end: Rgb = (20, 15, 10) if rng.random() < 0.6 else (250, 245, 240)
        while min(map(self._far_from_ground, self.rims.values())) < NEAREST:
            self.ground = mixed(self.ground, end, 0.1)
        if board == "black":
            self.ground = mixed((24, 22, 22), (58, 52, 48), float(rng.random()))
        white = float(rng.uniform(-12, 12))
        warm = float(rng.normal(0, 4))
        self.white: Rgb = (
            min(WHITE[0] + white + warm, 252),
            min(WHITE[1] + white, 252),
            min(WHITE[2] + white - warm, 252),
        )
        self.ink = mixed((18, 16, 18), (52, 46, 44), float(rng.random()))
        self.letter_red = self.shaken(LETTER_RED, 9)

    def _far_from_ground(self, color: Rgb) -> float:
        return float(np.linalg.norm(np.subtract(color, self.ground)))


def draw(press: Press) -> None:
    """Prints the sheet of a board."""
    rng, unit = press.rng, press.unit
    tones = _Tones(rng, press.board)
    press.ground = tones.ground
    press.cover(tones.ground)
    digits = random_lettering(rng, float(rng.choice([0.0, 0.05])), BOLD)
    words = digits
    if rng.random() < 0.5:
        words = random_lettering(rng, float(rng.choice([0.0, 0.07])), BOLD)
    press.start = press.places["A1"]
    _grid(press, BOARDS[press.board], tones)
    _points(press, tones, digits)
    _bonuses(press, tones, digits)
    _sums(press, tones, words)
    _jokers(press, tones, words)
    _mark(press, *press.at(17.77 + rng.normal(0, 0.1), 10.27 + rng.normal(0, 0.1)))
    if rng.random() < 0.8:
        x, y = press.at(float(rng.uniform(14.4, 15.8)), float(rng.uniform(10.9, 11.2)))
        imprint = "".join(rng.choice(list("abcdeghimnorstuw .,"), 38))
        pale = mixed(tones.ground, tones.white, 0.55)
        press.text(imprint, x, y, 0.17 * unit, pale, random_lettering(rng), "right")


def _grid(press: Press, face: Board, tones: _Tones) -> None:
    rng, unit = press.rng, press.unit
    size = press.sizes["A1"][0] * float(rng.uniform(0.985, 1.012))
    radius = unit * float(rng.uniform(0.05, 0.13))
    disc = unit * float(rng.uniform(0.68, 0.85))
    shape = 0.38 * unit * float(rng.uniform(0.9, 1.12))
    outline = unit * float(rng.uniform(0.03, 0.06))
    notch = float(rng.uniform(0.42, 0.52))
    star_on_disc = rng.random() < 0.3
    around = unit * float(rng.uniform(1.0, 1.05))
    stars = face.stars
    press.layer()
    if rng.random() < 0.12:
        # One frame around the whole column instead of one around each box.
        (x, y), (_, bottom) = press.places["H1"], press.places["H7"]
        press.box(x, (y + bottom) / 2, around, bottom - y + around, tones.white, radius * 1.3)
    else:
        for row in range(1, 8):
            press.box(*press.places[f"H{row}"], around, around, tones.white, radius * 1.5)
    press.layer()
    boxes = [f"{column}{row}" for column in COLUMNS for row in range(1, 8)]
    for box in boxes:
        press.box(*press.places[box], size, size, tones.rims[face.colors[box]], radius)
    press.layer()
    for box in boxes:
        color = face.colors[box]
        if box not in stars or star_on_disc:
            press.disc(*press.places[box], disc, tones.discs[color])
    press.layer()
    for box in sorted(stars):
        x, y = press.places[box]
        tone = tones.discs[face.colors[box]]
        press.polygon(star(x, y, shape + outline, notch), tones.white)
        inner = mixed(tone, tones.white, 0.0 if star_on_disc else float(rng.uniform(0, 0.2)))
        press.polygon(star(x, y, shape - outline * 0.9, notch), inner)


def _points(press: Press, tones: _Tones, digits: Lettering) -> None:
    """The letters above the grid and the values below it."""
    rng, unit = press.rng, press.unit
    radius = unit * float(rng.uniform(0.1, 0.22))
    size = 0.938 * unit * float(rng.uniform(0.97, 1.01))
    height = unit * float(rng.uniform(0.4, 0.54))
    press.layer()
    for number, column in enumerate(COLUMNS):
        press.box(*press.at(number, -1.275), size, size, tones.white, radius)
        for claim in CLAIMS:
            press.box(*press.places[f"column.{column}.{claim}"], size, size, tones.white, radius)
    press.layer()
    for number, column in enumerate(COLUMNS):
        ink = tones.letter_red if column == "H" else tones.ink
        press.text(column, *press.at(number, -1.275), height, ink, digits)
        for claim in CLAIMS:
            line = LINES[f"column.{column}"]
            value = str(line.points[claim])
            press.text(value, *press.places[f"{line.id}.{claim}"], height, ink, digits)


def _bonuses(press: Press, tones: _Tones, digits: Lettering) -> None:
    rng, size = press.rng, press.sizes["color.green.first"][0]
    radius = size * float(rng.uniform(0.0, 0.14))
    height = size * float(rng.uniform(0.42, 0.56))
    side = size * float(rng.uniform(0.98, 1.05))
    has_disc = rng.random() < 0.2
    press.layer()
    for color in COLORS:
        for name in ("first", "later"):
            press.box(*press.places[f"color.{color}.{name}"], side, side, tones.rims[color], radius)
            if has_disc:
                press.disc(*press.places[f"color.{color}.{name}"], side * 0.8, tones.discs[color])
    press.layer()
    for color in COLORS:
        for name, value in (("first", 5), ("later", 3)):
            place = press.places[f"color.{color}.{name}"]
            press.text(str(value), *place, height, tones.darks[color], digits)


def _sums(press: Press, tones: _Tones, words: Lettering) -> None:
    """The write-in boxes and the words before them."""
    rng, unit = press.rng, press.unit
    radius = unit * float(rng.uniform(0.1, 0.25))
    names = ("colors", "columns", "jokers", "stars", "total")
    press.layer()
    for name in names:
        press.box(*press.places[f"sum.{name}"], 1.939 * unit, 0.935 * unit, tones.white, radius)
    press.layer()
    height = unit * float(rng.uniform(0.3, 0.42))
    leaf = mixed(tones.rims["green"], (90, 150, 20), 0.5)
    inks = (tones.ink, leaf, leaf, tones.letter_red, tones.ink)
    aside = float(rng.uniform(0.6, 0.72)) * unit
    for name, sign, ink in zip(names, "=++-=", inks, strict=True):
        x, y = press.places[f"sum.{name}"]
        _sign(press, sign, x - aside, y, height * 0.85, ink)
    end = 16.6
    first, letters, jokers, stars, total = (
        (press.places[f"sum.{name}"][1] - press.at(0, 0)[1]) / unit for name in names
    )
    if rng.random() < 0.85:
        # A word whose letters have the five colours.
        word = str(rng.choice(["BONUS", "BONUS", "FARBE"]))
        for number, (letter, color) in enumerate(zip(word, COLORS, strict=True)):
            x, y = press.at(end - 1.62 + number * 0.37, first)
            press.text(letter, x, y, height * 1.35, tones.white, words)
            press.text(letter, x, y, height * 1.12, tones.rims[color], words)
    else:
        press.text("BONUS", *press.at(end, first), height * 1.2, tones.white, words, "right")
    press.text("A-O", *press.at(end, letters), height * 1.1, tones.white, words, "right")
    for y, value, drawn in ((jokers, "(+1)", "!"), (stars, "(-2)", "")):
        press.text(value, *press.at(end, y), height * 0.85, tones.white, words, "right", unit)
        x, down = press.at(15.45, y)
        if drawn:
            press.disc(x, down, unit * 0.7, tones.white)
            press.text(drawn, x, down, height, tones.ink, replace(words, bold=0.03, soft=0.0))
        else:
            press.polygon(star(x, down, unit * 0.36, 0.5), tones.white)
    press.dots(press.at(14.7, 7.62), press.at(18.6, 7.62), tones.white, unit * 0.14)
    word = str(rng.choice(["TOTAL", "TOTAL", "SUMME", "TOTALE"]))
    press.text(word, *press.at(end, total), height * 1.25, tones.white, words, "right", 1.9 * unit)


def _sign(press: Press, sign: str, x: float, y: float, size: float, ink: Rgb) -> None:
    thick = size * float(press.rng.uniform(0.2, 0.34))
    if sign == "=":
        press.box(x, y - size * 0.27, size, thick, ink)
        press.box(x, y + size * 0.27, size, thick, ink)
    else:
        press.box(x, y, size, thick, ink)
        if sign == "+":
            press.box(x, y, thick, size, ink)


def _jokers(press: Press, tones: _Tones, words: Lettering) -> None:
    rng, unit = press.rng, press.unit
    # A mark that is too fat would lose its dot.
    fat = replace(words, bold=float(np.clip(words.bold, 0.02, 0.06)), soft=0.0)
    press.layer()
    press.box(
        *press.at(6.43, 9.78),
        13.8 * unit,
        1.22 * unit,
        tones.white,
        unit * float(rng.uniform(0.05, 0.3)),
    )
    press.layer()
    dark = float(rng.uniform(0.7, 0.88)) * unit
    x, y = press.at(0.15, 9.777)
    press.box(x, y, dark, dark, tones.ink, dark * 0.15)
    press.text("?", x, y, dark * 0.6, tones.white, fat)
    press.text("/", *press.at(1.0, 9.78), unit * 0.75, tones.ink, words)
    x, y = press.at(1.777, 9.777)
    press.box(x, y, dark, dark, tones.ink, dark * 0.15)
    arm, cross = dark * 0.3, tones.white
    if rng.random() < 0.6:
        press.box(x, y, dark * 0.8, dark * 0.8, tones.white, dark * 0.1)
        cross = tones.ink
    for sign in (-1, 1):
        press.line([(x - arm, y - sign * arm), (x + arm, y + sign * arm)], cross, dark * 0.2)
    _sign(press, "=", *press.at(2.58, 9.78), unit * 0.42, tones.ink)
    line = unit * float(rng.uniform(0.03, 0.07))
    diameter = unit * float(rng.uniform(0.9, 1.02))
    height = unit * float(rng.uniform(0.48, 0.62))
    for number in range(1, 9):
        place = press.places[f"joker.{number}"]
        press.ring(*place, diameter, tones.ink, line)
        press.text("!", *place, height, tones.ink, fat)


def _mark(press: Press, x: float, y: float) -> None:
    """A publisher's mark, invented: nobody's, in about the usual place."""
    rng, unit = press.rng, press.unit
    if rng.random() < 0.08:
        return
    press.layer()
    red = mixed((200, 36, 40), (170, 24, 36), float(rng.random()))
    width, height = 1.75 * unit, 2.1 * unit
    shape = int(rng.integers(3))
    if shape == 0:
        press.disc(x, y - height * 0.08, width, red)
        press.box(x, y + height * 0.22, width, height * 0.56, red)
        press.disc(x, y - height * 0.02, width * 0.72, WHITE)
        press.box(x, y + height * 0.2, width * 0.72, height * 0.45, WHITE)
    elif shape == 1:
        press.box(x, y, width, height, red, unit * 0.3)
        press.box(x, y + height * 0.12, width * 0.8, height * 0.55, WHITE, unit * 0.2)
    else:
        press.box(x, y, width, height, WHITE, unit * 0.2)
        press.polygon([(x - width / 2, y), (x + width / 2, y), (x, y - height * 0.48)], red)
    tones = [(30, 60, 140), (240, 190, 30), (40, 140, 200)]
    for number, tone in enumerate(tones):
        t = np.linspace(0, 1, 14)
        wave = np.stack(
            [
                x + width * 0.22 * np.sin(2 * np.pi * t + number * 0.4),
                y + height * (t - 0.75) * 0.4 + number * 0.02 * unit,
            ],
            1,
        )
        press.line(wave, tone, unit * 0.08)
    name = str(rng.choice(["Spielehaus", "Schmitz", "Lindner", "Ludo", "Schneider"]))
    press.text(
        name, x, y + height * 0.33, unit * 0.26, (40, 40, 90), random_lettering(rng), widest=width
    )
