"""Qwixx as its publishers print it, in many variants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

import numpy as np

from benchmarks.photos.printing.fonts import Lettering, random_lettering
from benchmarks.photos.printing.press import Press, Rgb, circle, mixed
from benchmarks.photos.writing.blanks import INITIALS
from companion.core.edition import Edition
from companion.games.qwixx.sheet import COLORS, NUMBERS

_Places: TypeAlias = Callable[[float, float], tuple[float, float]]
"""Units from the centre of the red 2 → millimetres."""

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


class _Tones:
    """The inks of one printing."""

    def __init__(self, rng: np.random.Generator, edition: str) -> None:
        vivid = float(np.clip(rng.normal(1, 0.13), 0.7, 1.3))
        pale = float(rng.uniform(-0.6, 1))

        def jittered(color: Rgb, by: float) -> Rgb:
            shaken = np.array(color) + rng.normal(0, by, 3)
            gray = shaken.mean()
            red, green, blue = np.clip(gray + (shaken - gray) * vivid, 5, 253).tolist()
            return red, green, blue

        level = float(rng.uniform(215, 248))
        warm = float(rng.normal(0, 3))
        self.paper: Rgb = (level + min(warm, 4), level, level - warm)
        white = mixed(self.paper, (253, 253, 253), float(rng.uniform(0.4, 1)))
        self.white = white
        self.ink = mixed((16, 14, 16), (60, 54, 58), float(rng.random()))
        self.band = mixed((160, 160, 160), (214, 214, 214), float(rng.random()))
        self.bars: dict[str, Rgb] = {}
        self.frames: dict[str, Rgb] = {}
        self.grounds: dict[str, Rgb] = {}
        self.letters: dict[str, Rgb] = {}
        for color, (bar, frame, ground) in BARS[edition].items():
            self.bars[color] = jittered(bar, 9)
            self.frames[color] = jittered(frame, 8)
            # From twice as strong a tint to hardly any.
            self.grounds[color] = mixed(jittered(ground, 2), white, pale)
            dark = frame if color == "yellow" else bar
            self.letters[color] = mixed(jittered(dark, 9), self.ink, float(rng.uniform(0, 0.25)))


def draw(press: Press, edition: Edition, board: str) -> None:
    """Prints the sheet."""
    if edition.name == AMERICAN:
        _american(press, edition)
    else:
        _german(press, edition)


def _german(press: Press, edition: Edition) -> None:
    """Prints the German sheet."""
    unit = edition.unit
    places = {name: place.box.center for name, place in edition.paper("").places.items()}
    sizes = _sizes(edition)
    tones = _Tones(press.rng, edition.name)
    left, top = places["red.2"]

    def at(across: float, down: float) -> tuple[float, float]:
        return left + across * unit, top + down * unit

    press.box(press.width / 2, press.height / 2, press.width * 2, press.height * 2, tones.paper)
    start = 5.93 + float(press.rng.normal(0, 0.05))
    press.polygon([at(-3, start), at(15, start), at(15, 9), at(-3, 9)], tones.band)
    letters = random_lettering(press.rng, bold=0.04)
    _bars(press, unit, places, tones)
    _numbers(press, unit, places, sizes["red.2"], tones, letters)
    _locks(press, unit, places, sizes["red.lock"][0], tones)
    _points(press, unit, tones, letters, at, 5.25)
    _failed(press, unit, places, sizes["failed.1"], tones, letters)
    _sums(press, unit, places, sizes, tones, letters)
    _title(press, unit, tones, letters, at)


def _sizes(edition: Edition) -> dict[str, tuple[float, float]]:
    """Field or blank → width and height."""
    places = edition.paper("").places.items()
    return {name: (place.box.width, place.box.height) for name, place in places}


def _american(press: Press, edition: Edition) -> None:
    """Prints the American and British sheet."""
    rng, unit = press.rng, edition.unit
    places = {name: place.box.center for name, place in edition.paper("").places.items()}
    sizes = _sizes(edition)
    tones = _Tones(rng, edition.name)
    left, top = places["red.2"]

    def at(across: float, down: float) -> tuple[float, float]:
        return left + across * unit, top + down * unit

    press.box(press.width / 2, press.height / 2, press.width * 2, press.height * 2, tones.paper)
    start = 6.63 + float(rng.normal(0, 0.05))
    press.polygon([at(-3, start), at(15, start), at(15, 10), at(-3, 10)], tones.band)
    letters = random_lettering(rng, bold=0.04)
    _outlined_bars(press, unit, places, tones, letters)
    _numbers(press, unit, places, sizes["red.2"], tones, letters)
    _locks(press, unit, places, sizes["red.lock"][0], tones, are_joined=False)
    _points(press, unit, tones, letters, at, float(rng.uniform(5.7, 5.9)))
    _failed(press, unit, places, sizes["failed.1"], tones, letters)
    _sums(press, unit, places, sizes, tones, letters)
    press.layer()
    for name, end in zip(rng.permutation(["Quartix", "KREUZWÜRFEL"]), (1, 9.5), strict=True):
        press.text(str(name), *at(end, -1.1), 0.4 * unit, tones.ink, letters, widest=3 * unit)
    if rng.random() < 0.6:
        _name(press, *at(float(rng.uniform(2.5, 5)), -1.1), unit * float(rng.uniform(0.4, 0.7)))


def _outlined_bars(
    press: Press,
    unit: float,
    places: Mapping[str, tuple[float, float]],
    tones: _Tones,
    letters: Lettering,
) -> None:
    """The bars, whose last number and lock stand in an outline with some words."""
    rng = press.rng
    radius = unit * float(rng.choice([0.0, rng.uniform(0.05, 0.3)]))
    high = unit * float(rng.uniform(1.1, 1.36))
    thick, round_ = (unit * float(rng.uniform(*ends)) for ends in ((0.03, 0.07), (0.05, 0.3)))
    is_white = rng.random() < 0.6
    words = str(rng.choice(["At least 5 X's", "Min. five crosses"]))
    for color in COLORS:
        x, y = places[f"{color}.{NUMBERS[color][0]}"]
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


def _bars(
    press: Press, unit: float, places: Mapping[str, tuple[float, float]], tones: _Tones
) -> None:
    """The bars with the frames round their numbers, and the arrows at the left edge."""
    rng = press.rng
    radius = unit * float(rng.choice([0.0, rng.uniform(0.02, 0.2)]))
    high = 1.26 * unit * float(rng.uniform(0.98, 1.02))
    round_ = unit * float(rng.uniform(0.04, 0.2))
    framed = rng.random() < 0.9
    deep = unit * float(rng.uniform(0.1, 0.36))
    press.layer()
    for color in COLORS:
        x, y = places[f"{color}.{NUMBERS[color][0]}"]
        press.box(x + 5.355 * unit, y, 12.39 * unit, high, tones.bars[color], radius)
        if framed:
            frame = (11.14 * unit, 1.12 * unit)
            press.box(x + 5 * unit, y, *frame, tones.frames[color], round_ + 0.07 * unit)
    press.layer()
    for color in COLORS:
        x, y = places[f"{color}.{NUMBERS[color][0]}"]
        x -= 0.84 * unit
        half = 0.3 * unit
        arrow = [(x - unit, y - half), (x, y - half), (x + deep, y), (x, y + half)]
        press.polygon([*arrow, (x - unit, y + half)], tones.ink)


def _numbers(
    press: Press,
    unit: float,
    places: Mapping[str, tuple[float, float]],
    size: tuple[float, float],
    tones: _Tones,
    letters: Lettering,
) -> None:
    rng = press.rng
    larger = float(rng.uniform(0.965, 1.015))
    wide, high = (side * larger for side in size)
    radius = unit * float(rng.uniform(0.04, 0.2))
    tall = unit * float(rng.uniform(0.38, 0.56))
    press.layer()
    for color in COLORS:
        for number in NUMBERS[color]:
            press.box(*places[f"{color}.{number}"], wide, high, tones.grounds[color], radius)
    press.layer()
    for color in COLORS:
        for number in NUMBERS[color]:
            place, ink = places[f"{color}.{number}"], tones.letters[color]
            press.text(str(number), *place, tall, ink, letters, widest=0.72 * unit)


def _locks(
    press: Press,
    unit: float,
    places: Mapping[str, tuple[float, float]],
    size: float,
    tones: _Tones,
    *,
    are_joined: bool = True,
) -> None:
    """The locks, each with an open padlock; if so printed, they are joined to the last numbers."""
    rng = press.rng
    side = size * float(rng.uniform(0.97, 1.03))
    joint = unit * float(rng.uniform(0.12, 0.3))
    body = unit * float(rng.uniform(0.28, 0.38))
    thick = unit * float(rng.uniform(0.04, 0.08))
    leans = float(rng.choice([-1, 1]))
    press.layer()
    for color in COLORS:
        x, y = places[f"{color}.lock"]
        ground = tones.grounds[color]
        if are_joined:
            press.box(x - 0.45 * unit, y, 0.3 * unit, joint, ground)
        press.disc(x, y, side, ground)
    press.layer()
    for color in COLORS:
        x, y = places[f"{color}.lock"]
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


def _points(
    press: Press, unit: float, tones: _Tones, letters: Lettering, at: _Places, middle: float
) -> None:
    """The table of crosses and points, in which nothing is written.

    Args:
        middle: its y, in units.
    """
    rng = press.rng
    line = unit * float(rng.uniform(0.02, 0.04))
    radius = unit * float(rng.uniform(0.04, 0.14))
    filled = rng.random() < 0.7
    tall = unit * float(rng.uniform(0.2, 0.27))
    press.layer()
    for count in range(1, 13):
        x, y = at(0.45 + 0.76 * (count - 1), middle)
        if filled:
            press.box(x, y, 0.65 * unit, 1.1 * unit, tones.white, radius)
        press.box(x, y, 0.65 * unit, 1.1 * unit, tones.ink, radius, line)
        press.line([(x - 0.3 * unit, y), (x + 0.3 * unit, y)], tones.ink, line)
        press.text(f"{count}x", x, y - 0.26 * unit, tall, tones.ink, letters, widest=0.5 * unit)
        points = str(count * (count + 1) // 2)
        press.text(points, x, y + 0.26 * unit, tall, tones.ink, letters, widest=0.5 * unit)
    words = [("Kreuze", "Punkte"), ("Crosses", "Points")][int(rng.random() < 0.2)]
    for word, y in zip(words, (middle - 0.26, middle + 0.26), strict=True):
        press.text(word, *at(0.0, y), 0.2 * unit, tones.ink, letters, "right", 0.9 * unit)


def _failed(
    press: Press,
    unit: float,
    places: Mapping[str, tuple[float, float]],
    size: tuple[float, float],
    tones: _Tones,
    letters: Lettering,
) -> None:
    rng = press.rng
    line = unit * float(rng.uniform(0.02, 0.05))
    radius = unit * float(rng.choice([0.0, rng.uniform(0.02, 0.1)]))
    press.layer()
    for number in range(1, 5):
        place = places[f"failed.{number}"]
        press.box(*place, *size, tones.white, radius)
        press.box(*place, *size, tones.ink, radius, line)
    x, y = places["failed.1"]
    word = str(rng.choice(["Fehlwürfe je -5", "Fehlwürfe", "Penalties -5"]))
    press.text(
        word, x + 0.8 * unit, y - 0.5 * unit, 0.19 * unit, tones.ink, letters, widest=2 * unit
    )


def _sums(
    press: Press,
    unit: float,
    places: Mapping[str, tuple[float, float]],
    sizes: Mapping[str, tuple[float, float]],
    tones: _Tones,
    letters: Lettering,
) -> None:
    """The line of sums with its signs."""
    rng = press.rng
    line = unit * float(rng.uniform(0.02, 0.06))
    radius = unit * float(rng.choice([0.0, rng.uniform(0.03, 0.15)]))
    colored = rng.random() < 0.8
    names = [f"sum.{color}" for color in COLORS] + ["sum.failed", "sum.total"]
    press.layer()
    for name in names:
        color = name.rpartition(".")[2]
        edge = tones.bars[color] if colored and color in tones.bars else tones.ink
        press.box(*places[name], *sizes[name], tones.white, radius)
        press.box(*places[name], *sizes[name], edge, radius, line)
    press.layer()
    for sign, before, after in zip("+++-=", names, names[1:], strict=False):
        (x, y), (end, _) = places[before], places[after]
        x = (x + sizes[before][0] / 2 + end - sizes[after][0] / 2) / 2
        press.text(sign, x, y, 0.3 * unit, tones.ink, letters, widest=0.3 * unit)
    word = str(rng.choice(["Ergebnis", "Ergebnis", "Total"]))
    x, y = places["sum.total"]
    press.text(word, x, y + 0.53 * unit, 0.14 * unit, tones.ink, letters, widest=2 * unit)


def _title(press: Press, unit: float, tones: _Tones, letters: Lettering, at: _Places) -> None:
    """Somebody's word mark and small print, invented, where the sheet has room."""
    rng = press.rng
    press.layer()
    if rng.random() < 0.6:
        name = str(rng.choice(["Quartix", "VIERER", "Zwölfkreuz", "Kwadra"]))
        press.text(name, *at(-0.55, 6.5), 0.22 * unit, tones.ink, letters, widest=0.7 * unit)
    if rng.random() < 0.5:
        words = "".join(rng.choice(list("abcdeghimnorstuw .,"), 30))
        press.text(words, *at(6, 7.07), 0.09 * unit, tones.ink, letters, widest=4 * unit)
