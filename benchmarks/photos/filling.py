"""Draws a filled-in pad: the printed PDF with one person's writing on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
import pypdfium2  # type: ignore[import-untyped]

from benchmarks.photos.hands import Glyph, Hand, Points
from benchmarks.photos.pens import Layer, Pen, pen
from benchmarks.photos.play import Filled
from companion.core.sheet import Box, Millimetres
from companion.pads import geometry
from companion.pads.files import PRINTABLES
from companion.pads.order import ordered

CORRECTED: Final = 0.012
"""The share of numbers that were written wrongly first."""
MISTAKEN: Final = 0.0008
"""The share of empty fields with a number that was struck out and left so."""
GRAY_PRINTS: Final = 0.12


INITIALS: Final = (
    ((0, 0), (0.15, 1), (0.9, 0.9), (0.3, 0.5), (1, 0)),  # R
    ((0, 0), (0.5, 1), (0.95, 0), (0.75, 0.4), (0.2, 0.4)),  # A
    ((0, 1), (0.1, 0), (0.5, 0.02), (0.9, 0.05)),  # L
    ((0, 0), (0.1, 1), (0.5, 0.4), (0.9, 1), (1, 0)),  # M
    ((0.9, 0.95), (0.4, 1), (0.2, 0.75), (0.8, 0.3), (0.6, 0), (0, 0.1)),  # S
    ((0, 1), (0.9, 1), (0.5, 1), (0.5, 0)),  # T
    ((0.5, 1), (0.5, 0.2), (0.25, 0), (0, 0.2)),  # J
)
"""Strokes of names' first letters; up is 1."""


@dataclass(frozen=True)
class Style:
    """How one person fills in one sheet."""

    hand: Hand
    pen: Pen
    height: Millimetres
    """Of a digit."""
    slant: float
    cross: str
    strike: str
    ring: float
    """How far a ring is from the printed box, as a share of its side."""
    strength: float
    sloppy: float
    """0 to 1."""


@dataclass(frozen=True)
class Print:
    """A piece of paper as it lies on the table."""

    picture: npt.NDArray[np.float32]
    """Reflectance, linear, BGR."""
    scale: float
    """Pixels to the millimetre."""
    pad: Box
    """Where the pad is on the piece of paper."""
    pen: str

    @property
    def size(self) -> tuple[Millimetres, Millimetres]:
        rows, columns = self.picture.shape[:2]
        return columns / self.scale, rows / self.scale


@lru_cache(maxsize=8)
def _page(name: str, scale: float) -> npt.NDArray[np.uint8]:
    with pypdfium2.PdfDocument(PRINTABLES / name) as document:
        rendered = document[0].render(scale=scale * 25.4 / 72)
        return np.ascontiguousarray(rendered.to_numpy()[:, :, :3])


def printed(
    filled: Filled, hand: Hand, rng: np.random.Generator, scale: float, careful: bool
) -> Print:
    """The pad with everything that is written on it.

    Args:
        scale: pixels to the millimetre.
        careful: no slips of scissors or pen.
    """
    board = filled.board or None
    paper = str(rng.choice(["a4", "a4", "letter", "a5"]))
    order = ordered(filled.sheet.name, board=board, paper=paper)
    sheaf = geometry.sheaf(order)
    pads = sheaf.pages[0]
    pad = pads[int(rng.integers(len(pads)))]
    name = "-".join(filter(None, (filled.sheet.name, filled.board, paper))) + ".pdf"
    page = _page(name, scale)
    # Cut along the marks, more or less; one pad to a page may stay whole.
    slip = 0.4 if careful else float(rng.choice([0.5, 1.2, 2.5], p=[0.6, 0.3, 0.1]))
    cuts = np.clip(rng.normal(0.2, slip, 4), -1.8, 5)
    if len(pads) == 1 and rng.random() < 0.6:
        cuts = np.array([pad.box.x, pad.box.y, 500, 500])
    left, top = max(pad.box.x - cuts[0], 0.0), max(pad.box.y - cuts[1], 0.0)
    right = min(pad.box.x + pad.box.width + cuts[2], sheaf.page.width)
    bottom = min(pad.box.y + pad.box.height + cuts[3], sheaf.page.height)
    rows = slice(round(top * scale), round(bottom * scale))
    columns = slice(round(left * scale), round(right * scale))
    picture = page[rows, columns]
    corner = Box(pad.box.x - columns.start / scale, pad.box.y - rows.start / scale, 0, 0)
    width, height = picture.shape[1] / scale, picture.shape[0] / scale
    layer, ghost = Layer(width, height, scale), Layer(width, height, scale)
    style = _style(hand, rng, careful)
    _Writer(filled, style, layer, ghost, (corner.x, corner.y), rng, careful).fill()
    reflectance = _inked(_toner(picture, rng), layer, ghost, style.pen, rng)
    box = Box(corner.x, corner.y, pad.box.width, pad.box.height)
    return Print(reflectance, scale, box, style.pen.kind)


def _style(hand: Hand, rng: np.random.Generator, careful: bool) -> Style:
    return Style(
        hand,
        pen(rng),
        height=float(np.clip(rng.normal(6.3, 0.7), 4.8, 8.0)),
        slant=float(rng.normal(0, 0.06)),
        cross=str(rng.choice(["x", "slash", "tick", "shading"], p=[0.66, 0.16, 0.1, 0.08])),
        strike=str(rng.choice(["x", "slash", "line", "shading"], p=[0.5, 0.25, 0.17, 0.08])),
        ring=float(rng.normal(0.0, 0.07)),
        strength=float(rng.uniform(0.85, 1.1)),
        sloppy=float(rng.uniform(0.1, 0.5) if careful else rng.beta(2, 3)),
    )


def _toner(picture: npt.NDArray[np.uint8], rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """The page as a printer puts it on paper, as reflectance."""
    if rng.random() < GRAY_PRINTS:
        gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        picture = np.asarray(cv2.cvtColor(gray, cv2.COLOR_GRAY2BGR), np.uint8)
    white = np.array([0.86, 0.865, 0.86]) * rng.uniform(0.94, 1.02) * rng.uniform(0.985, 1.015, 3)
    black = rng.uniform(0.015, 0.055)
    gains = rng.uniform(0.9, 1.15, 3)
    fade = rng.uniform(0.0, 0.12)
    level = np.linspace(0, 1, 256)
    linear = np.where(level <= 0.04045, level / 12.92, ((level + 0.055) / 1.055) ** 2.4)
    table = (
        black
        + (white - black) * linear[:, None] ** gains * (1 - fade)
        + white * fade * (linear[:, None])
    )
    lookup = np.ascontiguousarray(table.astype(np.float32).reshape(1, 256, 3))
    reflectance = cv2.LUT(picture, lookup)
    # Dots and fibres.
    size = (picture.shape[0] // 2, picture.shape[1] // 2)
    fine = rng.standard_normal(size, dtype=np.float32)
    noise = cv2.GaussianBlur(fine, (0, 0), 0.8) * 0.02 + cv2.GaussianBlur(fine, (0, 0), 6) * 0.08
    noise = cv2.resize(noise, (picture.shape[1], picture.shape[0]))
    grainy = (1 + noise * rng.uniform(0.3, 1.0))[:, :, None]
    return np.asarray(reflectance * grainy, np.float32)


def _inked(
    reflectance: npt.NDArray[np.float32],
    layer: Layer,
    ghost: Layer,
    pen: Pen,
    rng: np.random.Generator,
) -> npt.NDArray[np.float32]:
    density = layer.settled(pen, rng)
    if ghost.density.any():
        density = density + cv2.GaussianBlur(ghost.density, (0, 0), 0.12 * layer.scale) * 0.16
    for channel, absorbs in enumerate(pen.absorbs):
        # Even black ink sends some light back.
        reflectance[:, :, channel] *= 0.03 + 0.97 * np.exp(density * -absorbs)
    return reflectance


class _Writer:
    """One person with one pen at one pad."""

    def __init__(
        self,
        filled: Filled,
        style: Style,
        layer: Layer,
        ghost: Layer,
        at: tuple[Millimetres, Millimetres],
        rng: np.random.Generator,
        careful: bool,
    ) -> None:
        self.filled, self.style, self.layer, self.ghost = filled, style, layer, ghost
        self.at, self.rng, self.careful = at, rng, careful

    def fill(self) -> None:
        paper = self.filled.sheet.paper(self.filled.board)
        for field in paper.fields:
            mark = self.filled.marks[field.id]
            box = self._on(field.box)
            if field.kind == "number":
                self._number_field(mark, box)
            elif field.kind == "digits":
                self._digits_field(mark, tuple(map(self._on, field.cells)))
            elif field.kind == "cross" and mark:
                self._cross(box, self.style.cross)
            elif field.kind == "value" and mark == "circled":
                self._ring(box)
            elif field.kind == "value" and mark == "crossed":
                self._cross(box, self.style.strike)
        self._blanks()

    def _on(self, box: Box) -> Box:
        return Box(box.x + self.at[0], box.y + self.at[1], box.width, box.height)

    def _stroke(self, points: Points, layer: Layer | None = None, strength: float = 1.0) -> None:
        (layer or self.layer).stroke(
            points, self.style.pen, self.rng, strength * self.style.strength
        )

    # Numbers

    def _number_field(self, mark: object, box: Box) -> None:
        rng = self.rng
        x, y = box.center
        if mark is None:
            if rng.random() < MISTAKEN and not self.careful:
                self._number(int(rng.integers(1, 19)), x, y, 1.0, box.width * 0.85)
                self._strike_out(x, y, 4.5)
            elif self._rubbed():
                self._number(int(rng.integers(1, 19)), x, y, 1.0, box.width * 0.85, self.ghost)
            return
        assert isinstance(mark, int)
        if rng.random() < CORRECTED and not self.careful:
            old = _another(mark, 1, 18, rng)
            if self.style.pen.kind == "pencil" and rng.random() < 0.7:
                self._number(old, x, y, 1.0, box.width * 0.85, self.ghost)
                self._number(mark, x + rng.normal(0, 0.4), y, 1.0, box.width * 0.86)
                return
            # The old one struck out, small; the new one beside it, or above.
            aside = rng.random() < 0.5
            across, down = (2.7, 0.4) if aside else (0.6, 2.6)
            room = box.width * (0.5 if aside else 0.62)
            self._number(old, x - across, y + down, 0.62, room)
            self._strike_out(x - across, y + down, 2.4)
            self._number(mark, x + across, y - down, 0.66, room)
            return
        over = rng.random() < 0.04 and not self.careful
        sloppy = 0.35 + 0.7 * self.style.sloppy
        self._number(
            mark,
            x + rng.normal(0, 0.6 * sloppy) + (rng.normal(0, 0.8) if over else 0),
            y + rng.normal(0, 0.6 * sloppy) + (rng.normal(0, 0.8) if over else 0),
            1.25 if over else 1.0,
            box.width * (1.15 if over else 0.84),
        )

    def _rubbed(self) -> bool:
        pencil = self.style.pen.kind == "pencil" and not self.careful
        return pencil and self.rng.random() < 0.006

    def _number(
        self,
        number: int,
        x: Millimetres,
        y: Millimetres,
        size: float,
        widest: Millimetres,
        layer: Layer | None = None,
    ) -> None:
        """Writes a number with its middle at x, y."""
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
        some = self.style.hand[digit]
        return some[int(self.rng.integers(len(some)))]

    def _draw(
        self,
        glyph: Glyph,
        x: Millimetres,
        y: Millimetres,
        height: Millimetres,
        turn: float,
        layer: Layer | None = None,
    ) -> None:
        """Draws a digit with its middle at x, y; `height` is that of the hand's usual digit."""
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
            self._stroke(np.stack([x + u, y + v], 1).astype(np.float32), layer)

    def _digits_field(self, mark: object, cells: Sequence[Box]) -> None:
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
        rng = self.rng
        for _ in range(int(rng.integers(1, 4))):
            tilt = rng.normal(-0.35, 0.3)
            along = np.linspace(-1, 1, 12) * reach * rng.uniform(0.85, 1.15)
            shift = rng.normal(0, 0.35)
            points = np.stack([x + along, y + shift + along * tilt], 1)
            self._stroke((points + rng.normal(0, 0.03, points.shape)).astype(np.float32))

    # Marks

    def _line(
        self, start: tuple[float, float], end: tuple[float, float], bow: float | None = None
    ) -> Points:
        """A stroke by a quick hand, in millimetres."""
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
                self._stroke(np.concatenate([first, back[1:], second[1:]]), strength=0.95)
            else:
                self._stroke(first)
                self._stroke(second)
        elif how == "slash":
            self._stroke(self._line(corner(1, -1), corner(-1, 1)))
        elif how == "line":
            self._stroke(self._line(corner(-1.05, rng.normal(0, 0.2)), corner(1.05, -0.1)))
        elif how == "tick":
            low = corner(-0.25, 0.85)
            down = self._line(corner(-0.85, 0.05), low)
            up = self._line(low, corner(0.95, -1.05), float(rng.normal(0.06, 0.04)))
            self._stroke(np.concatenate([down, up[1:]]))
        else:
            turns = int(rng.integers(5, 10))
            t = np.linspace(-1, 1, turns)
            side = np.where(np.arange(turns) % 2, 1.0, -1.0)
            zigzag = [
                corner(0.62 * a * 1.1 + 0.55 * s, 0.62 * a * 1.1 - 0.55 * s)
                for a, s in zip(t, side, strict=True)
            ]
            parts = [self._line(a, b) for a, b in pairwise(zigzag)]
            self._stroke(np.concatenate(parts))

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
        self._stroke(points.astype(np.float32))

    # What no reader looks at

    def _blanks(self) -> None:
        rng = self.rng
        paper = self.filled.sheet.paper(self.filled.board)
        sums = rng.random() < 0.55
        score = self.filled.sheet.score(self.filled.document)
        players = self._players()
        for blank in paper.blanks:
            box = self._on(blank.box)
            if blank.id in paper.names:
                place = int(blank.id.rpartition(".")[2]) if "." in blank.id else 1
                if place <= players and rng.random() < 0.9:
                    self._name(box, short=len(paper.names) > 1)
            elif blank.id == "game" and rng.random() < 0.6:
                self._name(box, short=False)
            elif blank.id == "date" and rng.random() < 0.4:
                self._date(box)
            elif sums and (number := _sum(blank.id, score)) is not None:
                self._number(abs(number), *box.center, 0.95, box.width * 0.84)

    def _players(self) -> int:
        if self.filled.sheet.name != "tally":
            return 1
        written = [name for name, mark in self.filled.marks.items() if mark is not None]
        return max((int(name.rpartition(".")[2]) for name in written), default=1)

    def _name(self, box: Box, short: bool) -> None:
        """Something like a name: joined loops with an initial."""
        rng = self.rng
        letters = int(rng.integers(3, 6 if short else 9))
        size = min(self.style.height * 0.42, box.height * 0.34)
        step = min(size * 1.05, (box.width - 4) / (letters + 2))
        x = box.x + (1.5 if short else rng.uniform(3, 12))
        y = box.y + box.height * (0.68 if short else 0.78)
        initial = INITIALS[int(rng.integers(len(INITIALS)))]
        drawn = np.array(initial, np.float32) * np.array([1.2 * step, -1.9 * size], np.float32)
        shaky = drawn + np.array([x, y]) + rng.normal(0, 0.12, drawn.shape)
        self._stroke(shaky.astype(np.float32))
        x += 1.4 * step
        per = 26
        t = np.arange(letters * per) / per
        kinds = rng.choice([0.75, 1.0, 1.0, 1.9, -0.8], letters)
        tall = np.repeat(kinds, per)
        phase = (t % 1) * 2 * np.pi
        up = np.where(tall > 0, (1 - np.cos(phase)) / 2 * tall, (np.cos(phase) - 1) / 2)
        wave = np.repeat(rng.uniform(0.2, 0.55, letters), per)
        xs = x + (t - wave * np.sin(phase)) * step
        ys = y - up * size + rng.normal(0, 0.1) * t
        smooth = np.ones(7) / 7
        points = np.stack([np.convolve(xs, smooth, "valid"), np.convolve(ys, smooth, "valid")], 1)
        self._stroke(points.astype(np.float32))

    def _date(self, box: Box) -> None:
        rng = self.rng
        x = box.x + 7.0
        for number in (int(rng.integers(1, 29)), int(rng.integers(1, 13))):
            y = box.y + box.height * 0.64
            self._number(number, x, y, 0.6, 6)
            dot = np.array([[x + 3.7, y + 1.6], [x + 3.8, y + 1.65]], np.float32)
            self._stroke(dot)
            x += 8.0


def _another(number: int, low: int, high: int, rng: np.random.Generator) -> int:
    """Some other number from `low` to `high`."""
    other = int(rng.integers(low, high))
    return other + (other >= number)


def _sum(blank: str, score: object) -> int | None:
    """What the player adds up in a blank, where it can be told."""
    assert isinstance(score, dict)
    names = blank.split(".")
    if names == ["total"]:
        return int(score["total"])
    if names[0] == "total":
        totals = list(score["totals"].values())
        place = int(names[1]) - 1
        return totals[place] if place < len(totals) else None
    if names[0] != "sum":
        return None
    if names[1] == "bonus":
        return int(score["bonuses"][int(names[2]) - 1])
    value = score.get(names[1], score.get("rows", {}).get(names[1]))
    return None if value is None else int(value)
