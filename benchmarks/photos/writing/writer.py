"""One person with one pen: the style of writing, strokes and numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.photos.play import InkedSheet
from benchmarks.photos.writing.hands import Glyph, Hand, Points
from benchmarks.photos.writing.pens import InkLayer, Pen, random_pen
from companion.core.sheet import Box, Mark, Millimetres, Paper

CORRECTED: Final = 0.012  # the share of numbers that were written wrongly first
MISTAKEN: Final = 0.0008
"""The share of empty fields with a number that was struck out and not replaced."""
LEAST_NUMBER, MOST_NUMBER = 1, 18
"""The range of the wrong numbers that people write into number fields."""


@dataclass(frozen=True)
class WritingStyle:
    """How one person fills in one sheet."""

    hand: Hand
    pen: Pen
    height: Millimetres  # the height of a digit
    slant: float  # how far digits lean beyond the samples, x per y
    cross: str  # how boxes are crossed: `x`, `slash`, `tick` or `shading`
    strike: str  # how values are crossed out: `x`, `slash`, `line` or `shading`
    ring: float  # how much larger a ring is than the printed box, as a share of its side
    strength: float  # factor on the ink's density
    sloppy: float  # 0 is neat, 1 sloppy


def random_style(hand: Hand, rng: np.random.Generator, careful: bool) -> WritingStyle:
    """A random pen and style for a hand; `careful` people are less sloppy."""
    return WritingStyle(
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
    """Writes on one pad.

    All positions are millimetres from the top left corner of the piece of paper.
    """

    def __init__(
        self,
        filled: InkedSheet,
        paper: Paper,
        style: WritingStyle,
        layer: InkLayer,
        ghost: InkLayer,
        at: tuple[Millimetres, Millimetres],
        rng: np.random.Generator,
        careful: bool,
    ) -> None:
        """Prepares to write.

        Args:
            paper: where the sheet's fields lie on the pad.
            layer: takes the ink.
            ghost: takes the ink that was rubbed out later.
            at: the pad's top left corner on the piece of paper.
            careful: without corrections.
        """
        self.filled, self.paper, self.style = filled, paper, style
        self.layer, self.ghost = layer, ghost
        self.at, self.rng, self.careful = at, rng, careful

    def on_paper(self, box: Box) -> Box:
        """A box on the pad as a box on the piece of paper."""
        return Box(box.x + self.at[0], box.y + self.at[1], box.width, box.height)

    def stroke(self, points: Points, layer: InkLayer | None = None, strength: float = 1.0) -> None:
        """Draws a stroke with the pen, into the layer of ink unless another one is given."""
        (layer or self.layer).stroke(
            points, self.style.pen, self.rng, strength * self.style.strength
        )

    # Numbers

    def number_field(self, mark: Mark, box: Box) -> None:
        """Writes into a number field, sometimes with a correction; `box` is on the paper."""
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
        layer: InkLayer | None = None,
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
        layer: InkLayer | None = None,
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

    def digits_field(self, mark: Mark, cells: Sequence[Box]) -> None:
        """Writes a number into its digit boxes, one digit each, ending in the last box."""
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


def _another(number: int, low: int, high: int, rng: np.random.Generator) -> int:
    """Some other number from `low` to `high`."""
    other = int(rng.integers(low, high))
    return other + (other >= number)
