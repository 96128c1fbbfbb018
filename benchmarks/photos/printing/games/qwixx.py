"""Qwixx as its publishers print it, in many variants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from benchmarks.photos.printing.fonts import Lettering, random_lettering
from benchmarks.photos.printing.press import Press, Rgb, Tones, circle, mixed
from benchmarks.photos.writing.blanks import INITIALS
from companion.games.qwixx.sheet import COLORS, NUMBERS

AMERICAN: Final = "gamewright"
GLOSSY: Final = 0.3
FELT_TIPS: Final = 0.15

BARS: Final[Mapping[str, Mapping[str, tuple[Rgb, Rgb, Rgb]]]] = {
    "nsv": {
        "red": ((215, 63, 76), (155, 52, 56), (249, 224, 228)),
        "yellow": ((254, 227, 74), (215, 163, 79), (253, 249, 240)),
        "green": ((66, 158, 91), (61, 123, 82), (234, 243, 240)),
        "blue": ((56, 74, 138), (44, 47, 80), (228, 224, 241)),
    },
    AMERICAN: {
        "red": ((236, 28, 48), (160, 20, 34), (252, 206, 190)),
        "yellow": ((254, 188, 18), (200, 130, 10), (255, 237, 200)),
        "green": ((0, 166, 80), (0, 110, 56), (198, 230, 205)),
        "blue": ((0, 100, 180), (0, 62, 120), (193, 205, 235)),
    },
}
"""Edition → colour → bar, a darker tone of it, and ground of the numbers."""


class _Tones(Tones):
    def __init__(self, rng: np.random.Generator, edition: str) -> None:
        super().__init__(rng, float(np.clip(rng.normal(1, 0.13), 0.7, 1.3)), (5, 253))
        pale = float(rng.uniform(-0.6, 1))
        self.paper: Rgb = self.stock(215, 248)
        white = mixed(self.paper, (253, 253, 253), float(rng.uniform(0.4, 1)))
        self.white = white
        self.ink = mixed((16, 14, 16), (60, 54, 58), float(rng.random()))
        self.band = mixed((160, 160, 160), (214, 214, 214), float(rng.random()))
        self.bars: dict[str, Rgb] = {}
        self.frames: dict[str, Rgb] = {}
        self.grounds: dict[str, Rgb] = {}
        self.letters: dict[str, Rgb] = {}
        for color, (bar, frame, ground) in BARS[edition].items():
            self.bars[color] = self.shaken(bar, 9)
            self.frames[color] = self.shaken(frame, 8)
            # From twice as strong a tint to hardly any.
            self.grounds[color] = mixed(self.shaken(ground, 2), white, pale)
            dark = frame if color == "yellow" else bar
            self.letters[color] = mixed(self.shaken(dark, 9), self.ink, float(rng.uniform(0, 0.25)))


def draw(press: Press) -> None:
    """Prints the sheet."""
    rng, unit = press.rng, press.unit
    tones = _Tones(rng, press.edition.name)
    is_american = press.edition.name == AMERICAN
    press.start = press.places["red.2"]
    press.cover(tones.paper)
    start = (6.63 if is_american else 5.93) + float(rng.normal(0, 0.05))
    press.polygon(
        [press.at(x, y) for x, y in ((-3, start), (15, start), (15, 10), (-3, 10))], tones.band
    )
    letters = random_lettering(rng, bold=0.04)
    (_outlined_bars if is_american else _bars)(press, tones, letters)
    _numbers(press, tones, letters)
    _locks(press, tones, are_joined=not is_american)
    _points(press, tones, letters, float(rng.uniform(5.7, 5.9)) if is_american else 5.25)
    _failed(press, tones, letters)
    _sums(press, tones, letters)
    if not is_american:
        _title(press, tones, letters)
        return
    press.layer()
    for name, end in zip(rng.permutation(["Quartix", "KREUZWÜRFEL"]), (1, 9.5), strict=True):
        press.text(str(name), *press.at(end, -1.1), 0.4 * unit, tones.ink, letters, widest=3 * unit)
    if rng.random() < 0.6:
        _name(
            press, *press.at(float(rng.uniform(2.5, 5)), -1.1), unit * float(rng.uniform(0.4, 0.7))
        )


def _outlined_bars(press: Press, tones: _Tones, letters: Lettering) -> None:
    """The bars, whose last number and lock stand in an outline with some words."""
    rng, unit = press.rng, press.unit
    radius = unit * float(rng.choice([0.0, rng.uniform(0.05, 0.3)]))
    high = unit * float(rng.uniform(1.1, 1.36))
    thick, round_ = (unit * float(rng.uniform(*ends)) for ends in ((0.03, 0.07), (0.05, 0.3)))
    is_white = rng.random() < 0.6
    words = str(rng.choice(["At least 5 X's", "Min. five crosses"]))
    for color in COLORS:
        x, y = press.places[f"{color}.{NUMBERS[color][0]}"]
        line = tones.white if is_white else tones.frames[color]
        press.box(x + 5.515 * unit, y, 12.45 * unit, 1.33 * unit, tones.bars[color], radius)
        press.box(x + 10.52 * unit, y, 2.14 * unit, high, line, round_, thick)
        press.text(words, x + 10.52 * unit, y - 0.57 * unit, 0.14 * unit, line, letters)


def _name(press: Press, x: float, y: float, tall: float) -> None:
    """A player's name, scribbled."""
    ink = ((24, 34, 120), (26, 24, 26), (90, 90, 94))[int(press.rng.integers(3))]
    for letter in press.rng.choice(len(INITIALS), int(press.rng.integers(3, 8))).tolist():
        strokes = [
            (x + right * 0.7 * tall, y - (up - 0.5) * tall) for right, up in INITIALS[letter]
        ]
        press.line(strokes, ink, float(press.rng.uniform(0.4, 0.9)))
        x += tall * 0.9


def _bars(press: Press, tones: _Tones, _: Lettering) -> None:
    """The bars with the frames round their numbers, and the arrows at the left edge."""
    rng, unit = press.rng, press.unit
    radius = unit * float(rng.choice([0.0, rng.uniform(0.02, 0.2)]))
    high = 1.26 * unit * float(rng.uniform(0.98, 1.02))
    round_ = unit * float(rng.uniform(0.04, 0.2))
    framed = rng.random() < 0.9
    deep = unit * float(rng.uniform(0.1, 0.36))
    press.layer()
    for color in COLORS:
        x, y = press.places[f"{color}.{NUMBERS[color][0]}"]
        press.box(x + 5.355 * unit, y, 12.39 * unit, high, tones.bars[color], radius)
        if framed:
            frame = (11.14 * unit, 1.12 * unit)
            press.box(x + 5 * unit, y, *frame, tones.frames[color], round_ + 0.07 * unit)
    press.layer()
    for color in COLORS:
        x, y = press.places[f"{color}.{NUMBERS[color][0]}"]
        x -= 0.84 * unit
        half = 0.3 * unit
        arrow = [(x - unit, y - half), (x, y - half), (x + deep, y), (x, y + half)]
        press.polygon([*arrow, (x - unit, y + half)], tones.ink)


def _numbers(press: Press, tones: _Tones, letters: Lettering) -> None:
    rng, unit = press.rng, press.unit
    larger = float(rng.uniform(0.965, 1.015))
    wide, high = (side * larger for side in press.sizes["red.2"])
    radius = unit * float(rng.uniform(0.04, 0.2))
    tall = unit * float(rng.uniform(0.38, 0.56))
    press.layer()
    for color in COLORS:
        for number in NUMBERS[color]:
            press.box(*press.places[f"{color}.{number}"], wide, high, tones.grounds[color], radius)
    press.layer()
    for color in COLORS:
        for number in NUMBERS[color]:
            place, ink = press.places[f"{color}.{number}"], tones.letters[color]
            press.text(str(number), *place, tall, ink, letters, widest=0.72 * unit)


def _locks(press: Press, tones: _Tones, *, are_joined: bool) -> None:
    """The locks, each with an open padlock; if so printed, they are joined to the last numbers."""
    rng, unit = press.rng, press.unit
    side = press.sizes["red.lock"][0] * float(rng.uniform(0.97, 1.03))
    joint = unit * float(rng.uniform(0.12, 0.3))
    body = unit * float(rng.uniform(0.28, 0.38))
    thick = unit * float(rng.uniform(0.04, 0.08))
    leans = float(rng.choice([-1, 1]))
    press.layer()
    for color in COLORS:
        x, y = press.places[f"{color}.lock"]
        ground = tones.grounds[color]
        if are_joined:
            press.box(x - 0.45 * unit, y, 0.3 * unit, joint, ground)
        press.disc(x, y, side, ground)
    press.layer()
    for color in COLORS:
        x, y = press.places[f"{color}.lock"]
        ink = tones.letters[color]
        press.box(x, y + 0.1 * unit, body, body * 0.72, ink, 0.02 * unit)
        # The shackle is a half ring that stands beside the body.
        radius = body * 0.36
        middle, foot = x + leans * body * 0.3, y + 0.1 * unit - body * 0.36
        arc = circle(middle, foot - 0.06 * unit, 2 * radius)
        upper = arc[arc[:, 1] <= foot - 0.05 * unit]
        upper = upper[np.argsort(upper[:, 0])]
        down = [(middle - leans * radius, foot)]
        ways = [*down, *upper.tolist()] if leans > 0 else [*upper.tolist(), *down]
        press.line(ways, ink, thick)


def _points(press: Press, tones: _Tones, letters: Lettering, middle: float) -> None:
    """The table of crosses and points, in which nothing is written.

    Args:
        middle: its y, in units.
    """
    rng, unit = press.rng, press.unit
    line = unit * float(rng.uniform(0.02, 0.04))
    radius = unit * float(rng.uniform(0.04, 0.14))
    filled = rng.random() < 0.7
    tall = unit * float(rng.uniform(0.2, 0.27))
    press.layer()
    for count in range(1, 13):
        x, y = press.at(0.45 + 0.76 * (count - 1), middle)
        if filled:
            press.box(x, y, 0.65 * unit, 1.1 * unit, tones.white, radius)
        press.box(x, y, 0.65 * unit, 1.1 * unit, tones.ink, radius, line)
        press.line([(x - 0.3 * unit, y), (x + 0.3 * unit, y)], tones.ink, line)
        press.text(f"{count}x", x, y - 0.26 * unit, tall, tones.ink, letters, widest=0.5 * unit)
        points = str(count * (count + 1) // 2)
        press.text(points, x, y + 0.26 * unit, tall, tones.ink, letters, widest=0.5 * unit)
    words = [("Kreuze", "Punkte"), ("Crosses", "Points")][int(rng.random() < 0.2)]
    for word, y in zip(words, (middle - 0.26, middle + 0.26), strict=True):
        press.text(word, *press.at(0.0, y), 0.2 * unit, tones.ink, letters, "right", 0.9 * unit)


def _failed(press: Press, tones: _Tones, letters: Lettering) -> None:
    rng, unit = press.rng, press.unit
    line = unit * float(rng.uniform(0.02, 0.05))
    radius = unit * float(rng.choice([0.0, rng.uniform(0.02, 0.1)]))
    press.layer()
    for number in range(1, 5):
        place = press.places[f"failed.{number}"]
        press.box(*place, *press.sizes["failed.1"], tones.white, radius)
        press.box(*place, *press.sizes["failed.1"], tones.ink, radius, line)
    x, y = press.places["failed.1"]
    word = str(rng.choice(["Fehlwürfe je -5", "Fehlwürfe", "Penalties -5"]))
    press.text(
        word, x + 0.8 * unit, y - 0.5 * unit, 0.19 * unit, tones.ink, letters, widest=2 * unit
    )


def _sums(press: Press, tones: _Tones, letters: Lettering) -> None:
    """The line of sums with its signs."""
    rng, unit = press.rng, press.unit
    line = unit * float(rng.uniform(0.02, 0.06))
    radius = unit * float(rng.choice([0.0, rng.uniform(0.03, 0.15)]))
    colored = rng.random() < 0.8
    names = [f"sum.{color}" for color in COLORS] + ["sum.failed", "sum.total"]
    press.layer()
    for name in names:
        color = name.rpartition(".")[2]
        edge = tones.bars[color] if colored and color in tones.bars else tones.ink
        press.box(*press.places[name], *press.sizes[name], tones.white, radius)
        press.box(*press.places[name], *press.sizes[name], edge, radius, line)
    press.layer()
    for sign, before, after in zip("+++-=", names, names[1:], strict=False):
        (x, y), (end, _) = press.places[before], press.places[after]
        x = (x + press.sizes[before][0] / 2 + end - press.sizes[after][0] / 2) / 2
        press.text(sign, x, y, 0.3 * unit, tones.ink, letters, widest=0.3 * unit)
    word = str(rng.choice(["Ergebnis", "Ergebnis", "Total"]))
    x, y = press.places["sum.total"]
    press.text(word, x, y + 0.53 * unit, 0.14 * unit, tones.ink, letters, widest=2 * unit)


def _title(press: Press, tones: _Tones, letters: Lettering) -> None:
    """Somebody's word mark and small print, invented, where the sheet has room."""
    rng, unit = press.rng, press.unit
    press.layer()
    if rng.random() < 0.6:
        name = str(rng.choice(["Quartix", "VIERER", "Zwölfkreuz", "Kwadra"]))
        press.text(name, *press.at(-0.55, 6.5), 0.22 * unit, tones.ink, letters, widest=0.7 * unit)
    if rng.random() < 0.5:
        words = "".join(rng.choice(list("abcdeghimnorstuw .,"), 30))
        press.text(words, *press.at(6, 7.07), 0.09 * unit, tones.ink, letters, widest=4 * unit)
