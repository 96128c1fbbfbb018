"""One person with one pen who writes numbers and marks into the fields of a pad."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np

from benchmarks.photos.hands import Glyph, Hand, Points
from benchmarks.photos.pens import Layer, Pen, random_pen
from benchmarks.photos.play import InkedSheet
from companion.core.sheet import Box, Mark, Millimetres

CORRECTED: Final = 0.012
"""The share of numbers that were written wrongly first."""
MISTAKEN: Final = 0.0008
"""The share of empty fields with a number that was struck out and not replaced."""
LEAST_NUMBER, MOST_NUMBER = 1, 18
"""The range of the wrong numbers that people write into number fields."""


@dataclass(frozen=True)
class Style:
    """How one person fills in one sheet."""

    hand: Hand
    pen: Pen
    height: Millimetres
    """The height of a digit."""
    slant: float
    """How far digits lean beyond the samples, x per y."""
    cross: str
    """How boxes are crossed: `x`, `slash`, `tick` or `shading`."""
    strike: str
    """How values are crossed out: `x`, `slash`, `line` or `shading`."""
    ring: float
    """How much larger a ring is than the printed box, as a share of its side."""
    strength: float
    """Factor on the ink's density."""
    sloppy: float
    """0 is neat, 1 sloppy."""


def random_style(hand: Hand, rng: np.random.Generator, careful: bool) -> Style:
    """A random pen and style for a hand; `careful` people are less sloppy."""
    return Style(
        hand,
        random_pen(rng),
        height=float(np.clip(rng.normal(6.3, 0.7), 4.8, 8.0)),
        slant=float(rng.normal(0, 0.06)),
        cross=str(rng.choice(["x", "slash", "tick", "shading"], p=[0.66, 0.16, 0.1, 0.08])),
        strike=str(rng.choice(["x", "slash", "line", "shading"], p=[0.5, 0.25, 0.17, 0.08])),
        ring=float(rng.normal(0.0, 0.07)),
        strength=float(rng.uniform(0.85, 1.1)),
        sloppy=float(rng.uniform(0.1, 0.5) if careful else rng.beta(2, 3)),
    )


class Writer:
    """Writes into the fields of one pad.

    All positions are millimetres from the top left corner of the piece of paper.
    """

    def __init__(
        self,
        filled: InkedSheet,
        style: Style,
        layer: Layer,
        ghost: Layer,
        at: tuple[Millimetres, Millimetres],
        rng: np.random.Generator,
        careful: bool,
    ) -> None:
        """Prepares to write.

        Args:
            layer: takes the ink.
            ghost: takes the ink that was rubbed out later.
            at: the pad's top left corner on the piece of paper.
            careful: without corrections.
        """
        self.filled, self.style, self.layer, self.ghost = filled, style, layer, ghost
        self.at, self.rng, self.careful = at, rng, careful

    def fill_fields(self) -> None:
        """Writes every mark into its field."""
        paper = self.filled.sheet.paper(self.filled.board)
        for field in paper.fields:
            mark = self.filled.marks[field.id]
            box = self.on_paper(field.box)
            if field.kind == "number":
                self._number_field(mark, box)
            elif field.kind == "digits":
                self._digits_field(mark, tuple(map(self.on_paper, field.cells)))
            elif field.kind == "cross" and mark:
                self._cross(box, self.style.cross)
            elif field.kind == "value" and mark == "circled":
                self._ring(box)
            elif field.kind == "value" and mark == "crossed":
                self._cross(box, self.style.strike)

    def on_paper(self, box: Box) -> Box:
        """A box on the pad as a box on the piece of paper."""
        return Box(box.x + self.at[0], box.y + self.at[1], box.width, box.height)

    def stroke(self, points: Points, layer: Layer | None = None, strength: float = 1.0) -> None:
        """Draws a stroke with the pen, into the layer of ink unless another one is given."""
        (layer or self.layer).stroke(
            points, self.style.pen, self.rng, strength * self.style.strength
        )

    # Numbers

    def _number_field(self, mark: Mark, box: Box) -> None:
        rng = self.rng
        x, y = box.center
        if mark is None:
            if rng.random() < MISTAKEN and not self.careful:
                self.number(self._any_number(), x, y, 1.0, box.width * 0.85)
                self._strike_out(x, y, 4.5)
            elif self._rubbed():
                self.number(self._any_number(), x, y, 1.0, box.width * 0.85, self.ghost)
            return
        assert isinstance(mark, int)
        if rng.random() < CORRECTED and not self.careful:
            old = _another(mark, LEAST_NUMBER, MOST_NUMBER, rng)
            if self.style.pen.kind == "pencil" and rng.random() < 0.7:
                self.number(old, x, y, 1.0, box.width * 0.85, self.ghost)
                self.number(mark, x + rng.normal(0, 0.4), y, 1.0, box.width * 0.86)
                return
            # The old number is struck out; the new one is small and stands beside or above it.
            aside = rng.random() < 0.5
            across, down = (2.7, 0.4) if aside else (0.6, 2.6)
            room = box.width * (0.5 if aside else 0.62)
            self.number(old, x - across, y + down, 0.62, room)
            self._strike_out(x - across, y + down, 2.4)
            self.number(mark, x + across, y - down, 0.66, room)
            return
        over = rng.random() < 0.04 and not self.careful
        sloppy = 0.35 + 0.7 * self.style.sloppy
        self.number(
            mark,
            x + rng.normal(0, 0.6 * sloppy) + (rng.normal(0, 0.8) if over else 0),
            y + rng.normal(0, 0.6 * sloppy) + (rng.normal(0, 0.8) if over else 0),
            1.25 if over else 1.0,
            box.width * (1.15 if over else 0.84),
        )

    def _any_number(self) -> int:
        return int(self.rng.integers(LEAST_NUMBER, MOST_NUMBER + 1))

    def _rubbed(self) -> bool:
        """Whether a field has a number that was rubbed out."""
        pencil = self.style.pen.kind == "pencil" and not self.careful
        return pencil and self.rng.random() < 0.006

    def number(
        self,
        number: int,
        x: Millimetres,
        y: Millimetres,
        size: float,
        widest: Millimetres,
        layer: Layer | None = None,
    ) -> None:
        """Writes a number.

        Args:
            x, y: the number's centre.
            size: its height as a factor on the style's height.
            widest: a wider number is written smaller.
            layer: takes the ink instead of the usual layer.
        """
        rng = self.rng
        glyphs = [self._glyph(int(digit)) for digit in str(number)]
        height = self.style.height * size * rng.normal(1, 0.05)
        if len(glyphs) > 1:
            height *= 0.93
        gaps = [float(rng.normal(0.17, 0.06)) for _ in glyphs[1:]]
        gaps = [max(gap, 0.06) for gap in gaps]
        wide = sum(glyph.width for glyph in glyphs) + sum(gaps)
        height = min(height, widest / max(wide, 0.3), 9.6 * size / max(g.height for g in glyphs))
        turn = float(rng.normal(0, 0.05))
        at = x - wide * height / 2
        for glyph, gap in zip(glyphs, [*gaps, 0.0], strict=True):
            middle = at + glyph.width * height / 2
            lift = (middle - x) * turn + rng.normal(0, 0.03) * height
            self._draw(glyph, middle, y + lift, height, turn, layer)
            at += (glyph.width + gap) * height

    def _glyph(self, digit: int) -> Glyph:
        samples = self.style.hand[digit]
        return samples[int(self.rng.integers(len(samples)))]

    def _draw(
        self,
        glyph: Glyph,
        x: Millimetres,
        y: Millimetres,
        height: Millimetres,
        turn: float,
        layer: Layer | None = None,
    ) -> None:
        """Draws a digit centred at x, y; `height` is that of the hand's usual digit."""
        width, tall = glyph.width * height, glyph.height * height
        if not glyph.strokes:
            assert glyph.ink is not None
            (layer or self.layer).stamp(
                glyph.ink, x - width / 2, y - tall / 2, width, tall, turn, self.style.strength
            )
            return
        rng = self.rng
        lean = self.style.slant + rng.normal(0, 0.04) - turn
        bend = rng.normal(0, 0.025, 4)
        for stroke in glyph.strokes:
            u = (stroke[:, 0] - glyph.width / 2) * height
            v = (stroke[:, 1] - glyph.height / 2) * height
            p, q = u / max(height, 1e-6), v / max(height, 1e-6)
            u = u + (bend[0] * q * q + bend[1] * np.sin(3 * q)) * height - lean * v
            v = v + (bend[2] * p * p + bend[3] * np.sin(3 * p)) * height + turn * u
            self.stroke(np.stack([x + u, y + v], 1).astype(np.float32), layer)

    def _digits_field(self, mark: Mark, cells: Sequence[Box]) -> None:
        if mark is None:
            return
        assert isinstance(mark, int)
        text = str(mark)
        for digit, cell in zip(text, cells[-len(text) :], strict=True):
            glyph = self._glyph(int(digit))
            rng = self.rng
            height = min(
                self.style.height * rng.normal(1.02, 0.05),
                cell.width * 0.92 / max(glyph.width, 0.1),
                cell.height * 0.98 / glyph.height,
            )
            x, y = cell.center
            sloppy = 0.25 + 0.5 * self.style.sloppy
            x, y = x + rng.normal(0, 0.55 * sloppy), y + rng.normal(0, 0.6 * sloppy)
            turn = float(rng.normal(0, 0.04))
            if rng.random() < CORRECTED / 3 and not self.careful:
                old = self._glyph(_another(int(digit), 0, 9, rng))
                self._draw(old, x - 1.5, y + 1.3, height * 0.55, turn)
                for _ in range(2):
                    self._strike_out(x - 1.5, y + 1.3, 2.0)
                self._draw(glyph, x + 1.3, y - 1.0, height * 0.62, turn)
            else:
                if self._rubbed():
                    self._draw(self._glyph(int(rng.integers(10))), x, y, height, turn, self.ghost)
                self._draw(glyph, x, y, height, turn)

    def _strike_out(self, x: Millimetres, y: Millimetres, reach: Millimetres) -> None:
        """One to three slanting strokes over a number; `reach` is half their length."""
        rng = self.rng
        for _ in range(int(rng.integers(1, 4))):
            tilt = rng.normal(-0.35, 0.3)
            along = np.linspace(-1, 1, 12) * reach * rng.uniform(0.85, 1.15)
            shift = rng.normal(0, 0.35)
            points = np.stack([x + along, y + shift + along * tilt], 1)
            self.stroke((points + rng.normal(0, 0.03, points.shape)).astype(np.float32))

    # Marks

    def _line(
        self, start: tuple[float, float], end: tuple[float, float], bow: float | None = None
    ) -> Points:
        """A quick stroke, slightly bowed and with a hook at its end."""
        bow = float(self.rng.normal(0, 0.05)) if bow is None else bow
        t = np.linspace(0, 1, 24)[:, None]
        a, b = np.array(start), np.array(end)
        side = np.array([a[1] - b[1], b[0] - a[0]])
        curve = a + (b - a) * t + side * bow * 4 * t * (1 - t)
        hook = side * self.rng.normal(0, 0.03) * np.maximum(t - 0.8, 0) * 5
        return np.asarray(curve + hook, np.float32)

    def _cross(self, box: Box, how: str) -> None:
        rng = self.rng
        sloppy = self.style.sloppy
        x, y = box.center
        x, y = x + rng.normal(0, 0.3 + 0.5 * sloppy), y + rng.normal(0, 0.3 + 0.5 * sloppy)
        reach = box.width / 2 * float(np.clip(rng.normal(0.84, 0.1), 0.55, 1.2))

        def corner(across: float, down: float) -> tuple[float, float]:
            off = rng.normal(0, 0.25 + 0.4 * sloppy, 2)
            return x + across * reach + off[0], y + down * reach + off[1]

        if how == "x":
            first = self._line(corner(-1, -1), corner(1, 1))
            second = self._line(corner(1, -1), corner(-1, 1))
            if sloppy > 0.55 and rng.random() < 0.5:
                # Without lifting the pen.
                back = self._line(tuple(first[-1]), tuple(second[0]), float(rng.normal(0.1, 0.1)))
                self.stroke(np.concatenate([first, back[1:], second[1:]]), strength=0.95)
            else:
                self.stroke(first)
                self.stroke(second)
        elif how == "slash":
            self.stroke(self._line(corner(1, -1), corner(-1, 1)))
        elif how == "line":
            self.stroke(self._line(corner(-1.05, rng.normal(0, 0.2)), corner(1.05, -0.1)))
        elif how == "tick":
            low = corner(-0.25, 0.85)
            down = self._line(corner(-0.85, 0.05), low)
            up = self._line(low, corner(0.95, -1.05), float(rng.normal(0.06, 0.04)))
            self.stroke(np.concatenate([down, up[1:]]))
        else:
            turns = int(rng.integers(5, 10))
            t = np.linspace(-1, 1, turns)
            side = np.where(np.arange(turns) % 2, 1.0, -1.0)
            zigzag = [
                corner(0.62 * a * 1.1 + 0.55 * s, 0.62 * a * 1.1 - 0.55 * s)
                for a, s in zip(t, side, strict=True)
            ]
            parts = [self._line(a, b) for a, b in pairwise(zigzag)]
            self.stroke(np.concatenate(parts))

    def _ring(self, box: Box) -> None:
        rng = self.rng
        sloppy = self.style.sloppy
        x, y = box.center
        x, y = x + rng.normal(0, 0.25 + 0.5 * sloppy), y + rng.normal(0, 0.25 + 0.5 * sloppy)
        rx, ry = box.width / 2 * (0.9 + self.style.ring + rng.normal(0, 0.06, 2))
        start = rng.normal(-1.9, 0.5)
        sweep = 2 * np.pi * rng.normal(1.03, 0.05) * (1 if rng.random() < 0.2 else -1)
        t = np.linspace(0, 1, 70)
        angle = start + sweep * t
        away = 1 + rng.normal(0, 0.06) * (t - 0.5) + rng.normal(0, 0.02) * np.sin(2 * angle)
        away = away + rng.normal(0, 0.03) * np.cos(3 * angle + rng.uniform(0, 6))
        points = np.stack([x + rx * away * np.cos(angle), y + ry * away * np.sin(angle)], 1)
        self.stroke(points.astype(np.float32))


def _another(number: int, low: int, high: int, rng: np.random.Generator) -> int:
    """Some other number from `low` to `high`."""
    other = int(rng.integers(low, high))
    return other + (other >= number)
