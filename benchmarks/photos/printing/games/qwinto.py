"""Qwinto as its publishers print it, in many variants."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from benchmarks.photos.printing.fonts import Lettering, random_lettering
from benchmarks.photos.printing.press import Points, Press, Rgb, Tones, mixed, pentagon
from companion.games.qwinto.sheet import COLORS

GLOSSY: Final = 0.45
FELT_TIPS: Final = 0.1

BARS: Final[Mapping[str, tuple[Rgb, Rgb]]] = {
    "orange": ((232, 102, 27), (206, 92, 40)),
    "yellow": ((248, 223, 0), (226, 190, 50)),
    "purple": ((95, 53, 139), (78, 56, 116)),
}
"""Colour → as drawn by the publisher, and about as a camera shows such ink."""
ENGLISH: Final = "english"


class _Tones(Tones):
    def __init__(self, rng: np.random.Generator) -> None:
        between = float(rng.uniform(0, 1.2))
        super().__init__(rng, float(np.clip(rng.normal(1, 0.13), 0.7, 1.3)), (5, 252))
        self.bars = {
            color: self.shaken(mixed(drawn, seen, between), 9)
            for color, (drawn, seen) in BARS.items()
        }
        self.paper: Rgb = self.stock(222, 250)
        self.white = self.paper if rng.random() < 0.6 else mixed(self.paper, (253, 253, 253), 0.7)
        self.ink = mixed((16, 14, 16), (60, 54, 58), float(rng.random()))
        self.band = mixed((150, 150, 152), (226, 226, 226), float(rng.random()))


def draw(press: Press) -> None:
    """Prints the sheet."""
    rng = press.rng
    tones = _Tones(rng)
    english = press.edition.name == ENGLISH
    press.cover(tones.paper)
    press.start = press.places["purple.1"][0], press.places["orange.1"][1]
    outlined = rng.random() < (0.9 if english else 0.25)
    divided = rng.random() < (0.85 if english else 0.15)
    _bars(press, tones, outlined, divided)
    letters = random_lettering(rng, float(rng.choice([0.0, 0.04])))
    worded = _failed(press, tones, letters)
    _line_of_sums(press, tones, letters, english)
    _title(press, tones, letters, worded)


def _bars(press: Press, tones: _Tones, outlined: bool, divided: bool) -> None:
    rng, unit = press.rng, press.unit
    fields = press.edition.paper(press.board).fields
    pentagons = {field.id for field in fields if field.shape == "pentagon"}
    high = (1.0 if outlined else 1.04) * unit * float(rng.uniform(0.97, 1.02))
    radius = unit * float(rng.choice([0.0, rng.uniform(0.05, 0.5)]))
    line = unit * float(rng.uniform(0.02, 0.05))
    press.layer()
    starts: dict[str, float] = {}
    for color in COLORS:
        (left, y), (right, _) = press.places[f"{color}.1"], press.places[f"{color}.9"]
        starts[color] = left - unit / 2
        wide = right - left + unit
        press.box((left + right) / 2, y, wide, high, tones.bars[color], radius)
        if divided:
            for number in range(1, 10):
                across = left - unit / 2 + number * unit
                press.line([(across, y - high / 2), (across, y + high / 2)], tones.ink, line)
        if outlined:
            press.box((left + right) / 2, y, wide, high, tones.ink, radius, line)
    press.layer()
    ring = rng.random() < (0.7 if outlined else 0.2)
    roof = _roof(rng)
    for color in COLORS:
        # A pale ring in the bar's own ink, if any, sets the white field off.
        edge = tones.ink if ring else mixed(tones.bars[color], (20, 10, 20), 0.3)
        has_edge = ring or rng.random() < 0.15
        for number in range(1, 10):
            name = f"{color}.{number}"
            size = press.sizes[name][0]
            if name in pentagons:
                outline = roof(*press.places[name], size)
                press.polygon(outline, tones.white)
                if has_edge:
                    press.line(outline, edge, line * 0.8, closed=True)
            else:
                press.disc(*press.places[name], size, tones.white)
                if has_edge:
                    press.ring(*press.places[name], size, edge, line * 0.8)


def _roof(rng: np.random.Generator) -> Callable[[float, float, float], Points]:
    """How this printing draws its pentagons: regular, or as houses with a flat or steep roof."""
    if rng.random() < 0.6:
        return pentagon
    eaves = float(rng.uniform(-0.2, 0.02))
    foot = float(rng.uniform(0.36, 0.5))

    def house(x: float, y: float, size: float) -> Points:
        shape = np.array([(0, -0.5), (0.5, eaves), (foot, 0.5), (-foot, 0.5), (-0.5, eaves)], float)
        return np.asarray(shape * size + (x, y))

    return house


def _failed(press: Press, tones: _Tones, letters: Lettering) -> bool:
    """The boxes of failed throws; returns whether there are words before them."""
    rng, unit = press.rng, press.unit
    line = unit * float(rng.uniform(0.02, 0.06))
    radius = unit * float(rng.choice([0.0, rng.uniform(0.03, 0.15)]))
    press.layer()
    for number in range(1, 5):
        place = press.places[f"failed.{number}"]
        press.box(*place, *press.sizes["failed.1"], tones.white, radius)
        press.box(*place, *press.sizes["failed.1"], tones.ink, radius, line)
        if rng.random() < 0.02:
            press.text("-5", *place, unit * 0.25, mixed(tones.ink, tones.white, 0.6), letters)
    press.layer()
    word = str(rng.choice(["Fehlwürfe", "Failed throws", "Fehlversuche", "Misthrows"]))
    x, y = press.places["failed.1"]
    worded = bool(rng.random() < 0.75)
    if worded:
        press.text(word, x - 0.7 * unit, y, unit * 0.24, tones.ink, letters, "right", 2.8 * unit)
    x, y = press.places["failed.4"]
    if rng.random() < 0.75:
        press.text("- 5", x + 0.7 * unit, y, unit * 0.28, tones.ink, letters, "left")
    return worded


def _line_of_sums(press: Press, tones: _Tones, letters: Lettering, english: bool) -> None:
    rng, unit = press.rng, press.unit
    start = (4.63 if english else 4.85) + float(rng.normal(0, 0.06))
    (left, top), (right, bottom) = press.at(-3, start), press.at(15, 9)
    press.layer()
    if rng.random() < 0.95:
        press.polygon([(left, top), (right, top), (right, bottom), (left, bottom)], tones.band)
    line = unit * float(rng.uniform(0.02, 0.07))
    radius = unit * float(rng.choice([0.0, rng.uniform(0.03, 0.15)]))
    roof = _roof(rng)
    press.layer()
    colored = rng.random() < 0.7
    for name, (size, _) in press.sizes.items():
        if not name.startswith("sum."):
            continue
        x, y = press.places[name]
        edge = tones.ink
        last = name.rpartition(".")[2]
        if colored and last in tones.bars:
            edge = tones.bars[last]
        if ".bonus." in name:
            outline = roof(x, y, size)
            press.polygon(outline, tones.white)
            press.line(outline, edge, line, closed=True)
            continue
        high = size if last != "total" else (0.81 if english else 0.72) * unit
        press.box(x, y, size, high, tones.white, radius)
        press.box(x, y, size, high, edge, radius, line * (1.6 if last == "total" else 1))
    press.layer()
    signs: list[tuple[str, str, str]] = [
        ("+", "sum.orange", "sum.yellow"),
        ("+", "sum.yellow", "sum.purple"),
        ("+", "sum.purple", "sum.bonus.1"),
        ("-", "sum.bonus.5", "sum.failed"),
        ("=", "sum.failed", "sum.total"),
    ]
    signs += [("+", f"sum.bonus.{n}", f"sum.bonus.{n + 1}") for n in range(1, 5)]
    for sign, before, after in signs:
        if ".bonus." in before and ".bonus." in after and rng.random() < 0.5:
            continue
        x = (press.places[before][0] + press.sizes[before][0] / 2) / 2
        x += (press.places[after][0] - press.sizes[after][0] / 2) / 2
        press.text(
            sign, x, press.places[before][1], unit * 0.26, tones.ink, letters, widest=unit * 0.2
        )
    if rng.random() < 0.4:
        for color in COLORS:
            x, y = press.places[f"sum.{color}"]
            press.disc(x, y - 0.62 * unit, unit * 0.22, tones.bars[color])
    if rng.random() < 0.4:
        x, y = press.places["sum.total"]
        press.text("TOTAL", x, y - 0.6 * unit, unit * 0.16, tones.ink, letters)


def _title(press: Press, tones: _Tones, letters: Lettering, worded: bool) -> None:
    """Somebody's word mark and small print, invented, where the sheet has room."""
    rng, unit = press.rng, press.unit
    press.layer()
    if rng.random() < 0.8:
        name = str(rng.choice(["Trinetto", "QUARTO", "Zwölfer", "Tinto", "DREIER"]))
        spots = [(9.8, 4.1), (10.4, 3.6), *([] if worded else [(1.0, 4.1)])]
        x, y = press.at(*spots[int(rng.integers(len(spots)))])
        tone = tones.bars[str(rng.choice(COLORS))] if rng.random() < 0.6 else tones.ink
        if rng.random() < 0.3:
            press.box(x, y, 2.6 * unit, 0.7 * unit, tone, 0.15 * unit)
            tone = tones.white
        press.text(name, x, y, unit * 0.36, tone, letters, widest=2.3 * unit)
    if rng.random() < 0.5:
        words = "".join(rng.choice(list("abcdeghimnorstuw .,"), 30))
        x, y = press.at(float(rng.uniform(8.5, 11.4)), float(rng.uniform(6.15, 6.35)))
        press.text(words, x, y, unit * 0.1, mixed(tones.ink, tones.band, 0.3), letters, "right")
