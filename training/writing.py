"""What people write on a pad: numbers by one hand, crosses, rings, strike-outs, and all the rest.

Everything is in millimetres on the pad. Nothing here knows what a field is good for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Millimetres
from training.digits import Digit, Hands, Strokes
from training.pens import PX_PER_MM, Canvas, Mask, Pen, Way, any_pen, curve, worn

Rng: TypeAlias = np.random.Generator

COLLECTIONS: Final[Mapping[str, float]] = {
    "swiss": 0.23,
    "unipen": 0.37,
    "mnist": 0.24,
    "drawn": 0.16,
}
"""How often somebody writes like those of a collection, or of `allographs`."""

WIDEST: Final = 1.7
"""Width by height of a digit; UNIPEN has a few lines lying down that were meant as ones."""


@dataclass(frozen=True)
class Hand:
    """Somebody with a pen."""

    digits: Mapping[int, tuple[Digit, ...]]
    pen: Pen
    height: Millimetres
    """Of a digit, as a rule."""
    shear: float
    """How much their writing leans beyond the samples, x per y."""
    turn: float
    """How much the sheet is turned while they write, in radians."""
    stretch: float
    """How much wider than the samples."""
    gap: float
    """Between two digits, as a part of their height; they touch below 0."""
    off: tuple[Millimetres, Millimetres]
    """How far from a field's centre they write."""
    care: float
    """1 is careless, 0 neat."""


class Scribes:
    """Hands of one part of the collections."""

    def __init__(self, hands: Hands) -> None:
        self._writers: dict[str, list[str]] = {}
        self._weights: dict[str, npt.NDArray[np.float64]] = {}
        self._hands = hands
        self._by_label: dict[str, dict[int, tuple[Digit, ...]]] = {}
        for collection in COLLECTIONS:
            writers = [one for one in hands if one.startswith(f"{collection}:")]
            if not writers:
                continue
            counts = np.array([sum(map(len, hands[one].values())) for one in writers], np.float64)
            self._writers[collection] = writers
            self._weights[collection] = np.sqrt(counts) / np.sqrt(counts).sum()
            self._by_label[collection] = {
                label: tuple(digit for one in writers for digit in hands[one].get(label, ()))
                for label in range(10)
            }

    def hand(self, rng: Rng) -> Hand:
        """Somebody, with any pen."""
        names = list(self._writers)
        shares = np.array([COLLECTIONS[name] for name in names])
        collection = names[int(rng.choice(len(names), p=shares / shares.sum()))]
        at = int(rng.choice(len(self._writers[collection]), p=self._weights[collection]))
        mine = self._hands[self._writers[collection][at]]
        # Who wrote only some digits borrows the others from their likes.
        digits = self._by_label[collection] | {
            label: found for label, found in mine.items() if len(found) > 1
        }
        return Hand(
            digits,
            any_pen(rng),
            float(np.clip(rng.normal(6.6, 1.0), 4.5, 9)),
            rng.normal(0, 0.14),
            rng.normal(0, math.radians(3)),
            math.exp(rng.normal(0, 0.12)),
            rng.normal(0.1, 0.07),
            (rng.normal(0, 0.3), rng.normal(0, 0.3)),
            float(rng.beta(1.3, 2)),
        )


# Digits


@dataclass(frozen=True)
class Glyph:
    """One digit about its own centre: either ways, or a mask whose middle is the centre."""

    ways: tuple[Way, ...] | None
    mask: Mask | None
    width: Millimetres
    height: Millimetres


def glyph(digit: Digit, height: Millimetres, hand: Hand, pen: Pen, rng: Rng) -> Glyph:
    """A digit as this hand writes it this time, `height` tall."""
    high, wide = _extent(digit)
    stretch = hand.stretch * math.exp(rng.normal(0, 0.05))
    if high < 0.35 * wide:
        height *= high / wide / 0.35
    scale = height / high
    if wide * scale * stretch > WIDEST * height:
        stretch = WIDEST * high / wide
    shear = hand.shear + rng.normal(0, 0.05)
    turn = hand.turn + rng.normal(0, math.radians(3.5))
    turn = float(np.clip(turn, -math.radians(12), math.radians(12)))
    cosine, sine = math.cos(turn), math.sin(turn)
    matrix = np.array(((cosine, -sine), (sine, cosine))) @ np.array(
        ((scale * stretch, -shear * scale), (0, scale))
    )
    bend = _bend(height, 0.016 + 0.042 * hand.care, rng)
    if digit.strokes:
        return _from_strokes(digit.strokes, matrix, bend, pen)
    return _from_ink(digit.ink, matrix, bend, pen)


def _extent(digit: Digit) -> tuple[float, float]:
    """(height, width) in the digit's own units."""
    if digit.strokes is None:
        rows, columns = digit.ink.shape
        return float(rows), float(columns)
    points = np.concatenate(digit.strokes)
    wide, high = np.ptp(points, axis=0)
    return max(float(high), float(wide) * 0.05, 1e-3), max(float(wide), 1e-3)


Bend: TypeAlias = npt.NDArray[np.float32]
"""Waves that move what is written: rows of x amplitude, y amplitude, x and y frequency, phase."""


def _bend(height: Millimetres, amount: float, rng: Rng) -> Bend:
    waves = np.empty((2, 5), np.float32)
    for wave in waves:
        length, angle = height * rng.uniform(0.7, 1.6), rng.uniform(0, math.tau)
        frequency = math.tau / length
        wave[:2] = rng.normal(0, amount * height, 2)
        wave[2:] = frequency * math.cos(angle), frequency * math.sin(angle), rng.uniform(0, 6.3)
    return waves


def _bent(x: Way, y: Way, bend: Bend) -> tuple[Way, Way]:
    dx, dy = np.zeros_like(x), np.zeros_like(y)
    for across, down, fx, fy, phase in bend:
        wave = np.sin(fx * x + fy * y + phase)
        dx += across * wave
        dy += down * wave
    return dx, dy


def _from_strokes(strokes: Strokes, matrix: Way, bend: Bend, pen: Pen) -> Glyph:
    points = np.concatenate(strokes)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    ways = []
    for stroke in strokes:
        way = ((_smooth(stroke) - middle) @ matrix.T).astype(np.float32)
        way += np.stack(_bent(way[:, 0], way[:, 1], bend), axis=1)
        ways.append(way)
    every = np.concatenate(ways)
    low, high = every.min(axis=0), every.max(axis=0)
    ways = [way - (low + high) / 2 for way in ways]
    width, height = high - low + pen.width
    return Glyph(tuple(ways), None, float(width), float(height))


def _smooth(stroke: Way) -> Way:
    """Without the steps of a coarse tablet."""
    if len(stroke) < 7:
        return stroke
    padded = np.concatenate((stroke[:1], stroke[:1], stroke, stroke[-1:], stroke[-1:]))
    weights = (0.1, 0.22, 0.36, 0.22, 0.1)
    smooth = sum(weight * padded[at : at + len(stroke)] for at, weight in enumerate(weights))
    smooth[0], smooth[-1] = stroke[0], stroke[-1]
    return np.asarray(smooth, np.float32)


def _from_ink(ink: npt.NDArray[np.uint8], matrix: Way, bend: Bend, pen: Pen) -> Glyph:
    rows, columns = ink.shape
    corners = np.array(((0, 0), (columns, 0), (columns, rows), (0, rows)), np.float32)
    middle = np.array((columns / 2, rows / 2))
    moved = (corners - middle) @ matrix.T
    half = np.abs(moved).max(axis=0) + 0.6 + pen.width
    # Half as fine as it is laid on the canvas, which is four times as fast.
    px_per_mm = PX_PER_MM / 2
    across, down = (math.ceil(side * px_per_mm) for side in half)
    x, y = np.meshgrid(
        np.arange(-across, across + 1, dtype=np.float32) / np.float32(px_per_mm),
        np.arange(-down, down + 1, dtype=np.float32) / np.float32(px_per_mm),
    )
    dx, dy = _bent(x, y, bend)
    inverse = np.linalg.inv(matrix).astype(np.float32)
    x, y = x - dx, y - dy
    source_x = inverse[0, 0] * x + inverse[0, 1] * y + np.float32(middle[0] - 0.5)
    source_y = inverse[1, 0] * x + inverse[1, 1] * y + np.float32(middle[1] - 0.5)
    soft = cv2.GaussianBlur(ink, (0, 0), max(rows, columns) / 56, borderType=cv2.BORDER_ISOLATED)
    large = cv2.remap(soft, source_x, source_y, cv2.INTER_CUBIC, borderValue=0)
    mask = _of_width(large, pen.width * px_per_mm)
    left, top, width, height = cv2.boundingRect((mask > 100).astype(np.uint8))
    if not width:
        return Glyph(None, mask, 1.0, 1.0)
    mask = mask[top : top + height, left : left + width]
    mask = cv2.resize(mask, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    mask = cv2.convertScaleAbs(cv2.subtract(mask, 52), alpha=1.7)
    return Glyph(None, mask, width / px_per_mm, height / px_per_mm)


def _of_width(ink: Mask, width: float) -> Mask:
    """The strokes of a drawing, thinned or thickened to `width` pixels about their middle."""
    inside = (ink > 110).astype(np.uint8)
    if not inside.any():
        return ink
    depth = cv2.distanceTransform(inside, cv2.DIST_L2, 3)
    depth -= cv2.distanceTransform(1 - inside, cv2.DIST_L2, 3)
    ridge_at = (depth > 0.5) & (depth >= cv2.dilate(depth, np.ones((3, 3), np.uint8)))
    usual = float(np.median(depth[ridge_at])) if ridge_at.any() else 1.0
    reach = 2 * math.ceil(max(width / 2, usual * 1.2) + 1) + 1
    ridge = cv2.dilate(depth, np.ones((reach, reach), np.uint8))
    # Where strokes meet the ridge is higher; cutting there as deep would take the strokes away.
    ridge = np.minimum(ridge, usual * 1.15)
    level = cv2.GaussianBlur(depth - ridge + np.float32(width / 2), (0, 0), 0.7)
    return np.asarray(np.clip(level + 0.5, 0, 1) * 255, np.uint8)


def number(
    canvas: Canvas,
    hand: Hand,
    value: str,
    center: tuple[Millimetres, Millimetres],
    room: Millimetres,
    rng: Rng,
    height: Millimetres | None = None,
    pen: Pen | None = None,
) -> Box:
    """Writes digits beside each other; returns the box around them.

    Args:
        value: decimal digits.
        room: how wide the number should be at the most.
        height: of the digits instead of the hand's own.
    """
    pen = worn(pen or hand.pen, rng)
    # Who has a thick pen writes larger.
    tall = height or max(hand.height * rng.uniform(0.88, 1.12), 2.5 + 2.8 * pen.width)
    chosen = [_chosen(hand, int(char), rng) for char in value]
    spaces = [max(hand.gap + rng.normal(0, 0.05 + 0.03 * hand.care), -0.13) for _ in chosen[1:]]
    shapes = sum(min(wide / high, WIDEST) for high, wide in map(_extent, chosen))
    total = tall * (shapes * hand.stretch + sum(spaces)) + len(chosen) * pen.width
    if total > room:
        # Smaller, as people do.
        tall *= max(room / total, 0.55)
    glyphs = [glyph(one, tall * math.exp(rng.normal(0, 0.05)), hand, pen, rng) for one in chosen]
    gaps = [tall * space for space in spaces]
    total = sum(one.width for one in glyphs) + sum(gaps)
    x, slope = center[0] - total / 2, rng.normal(0, 0.04) + math.tan(hand.turn)
    boxes = []
    for at, one in enumerate(glyphs):
        x_middle = x + one.width / 2
        y_middle = center[1] + (x_middle - center[0]) * slope + rng.normal(0, 0.02 * tall)
        place(canvas, one, x_middle, y_middle, worn(pen, rng), rng)
        boxes.append(Box(x, y_middle - one.height / 2, one.width, one.height))
        x += one.width + (gaps[at] if at < len(gaps) else 0)
    return around(boxes)


def _chosen(hand: Hand, label: int, rng: Rng) -> Digit:
    choices = hand.digits[label]
    return choices[int(rng.integers(len(choices)))]


def place(canvas: Canvas, one: Glyph, x: float, y: float, pen: Pen, rng: Rng) -> None:
    """Draws a glyph about a place."""
    if one.ways is not None:
        canvas.draw([way + np.array((x, y), np.float32) for way in one.ways], pen, rng)
    elif one.mask is not None:
        left, top = canvas.pixel(x - one.width / 2, y - one.height / 2)
        canvas.lay(one.mask, left, top, pen, rng)


def around(boxes: Sequence[Box]) -> Box:
    """The box around boxes."""
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right = max(box.x + box.width for box in boxes)
    bottom = max(box.y + box.height for box in boxes)
    return Box(left, top, right - left, bottom - top)


# Lines


def line(
    x1: float, y1: float, x2: float, y2: float, rng: Rng, bow: float = 0.03, points: int = 9
) -> Way:
    """A line drawn by hand, almost straight."""
    at = np.linspace(0, 1, points)
    dx, dy = x2 - x1, y2 - y1
    sag = rng.normal(0, bow) * 4 * at * (1 - at) + rng.normal(0, bow / 3) * np.sin(at * math.tau)
    if rng.random() < 0.1:
        # The pen is still moving when it is lifted.
        sag[-1] += rng.normal(0, 0.05)
    shaky = rng.normal(0, 0.03, (2, points))
    way = np.stack((x1 + at * dx - sag * dy + shaky[0], y1 + at * dy + sag * dx + shaky[1]), axis=1)
    return way.astype(np.float32)


def saltire(x: float, y: float, half: Millimetres, rng: Rng) -> list[Way]:
    """A cross of two slanting strokes, sometimes drawn without lifting the pen."""
    tall = half * math.exp(rng.normal(0, 0.14))
    wide = half * math.exp(rng.normal(0, 0.14))

    def end() -> float:
        return 1 + rng.normal(0, 0.16)

    first = line(x - wide * end(), y - tall * end(), x + wide * end(), y + tall * end(), rng, 0.05)
    second = line(x + wide * end(), y - tall * end(), x - wide * end(), y + tall * end(), rng, 0.05)
    if rng.random() < 0.5:
        first, second = second[::-1], first
    if rng.random() < 0.08:
        side = (first[-1] + second[0]) / 2 + np.array((rng.uniform(-0.3, 0.8) * half, 0))
        joined = curve([tuple(one) for one in (first[0], first[4], first[-1], side, second[0])])
        return [np.concatenate((joined, second)).astype(np.float32)]
    return [first, second]


def plus(x: float, y: float, half: Millimetres, rng: Rng) -> list[Way]:
    a, b, c, d = half * (1 + rng.normal(0, 0.15, 4))
    lean = rng.normal(0, 0.12) * half
    return [
        line(x - a, y + lean, x + b, y - lean, rng, 0.05),
        line(x + lean, y - c, x - lean, y + d, rng, 0.05),
    ]


def slash(x: float, y: float, half: Millimetres, rng: Rng) -> list[Way]:
    """One stroke, either way, and often a steep or a flat one."""
    angle = math.radians(rng.choice((45, 135)) + rng.normal(0, 14))
    dx, dy = half * 1.25 * math.cos(angle), half * 1.25 * math.sin(angle)
    a, b = 1 + rng.normal(0, 0.12, 2)
    # Who draws from the wrist draws a bow.
    bow = 0.05 if rng.random() < 0.75 else 0.16
    return [line(x - dx * a, y - dy * a, x + dx * b, y + dy * b, rng, bow)]


def tick(x: float, y: float, half: Millimetres, rng: Rng) -> list[Way]:
    low = (x - half * rng.uniform(0.1, 0.5), y + half * rng.uniform(0.5, 1))
    start = (x - half * rng.uniform(0.6, 1.1), y + half * rng.uniform(-0.3, 0.4))
    end = (x + half * rng.uniform(0.6, 1.4), y - half * rng.uniform(0.6, 1.3))
    if rng.random() < 0.5:
        return [np.concatenate((line(*start, *low, rng), line(*low, *end, rng)[1:]))]
    return [curve([start, low, ((low[0] + end[0]) / 2, (low[1] + end[1]) / 2), end])]


def zigzag(box: Box, step: Millimetres, rng: Rng) -> list[Way]:
    """A line to and fro across a box, without lifting the pen."""
    points = _corners(box, step, rng)
    if len(points) < 3:
        return [line(box.x, box.center[1], box.x + box.width, box.center[1], rng)]
    if rng.random() < 0.5:
        return [curve(points, 5)]
    return [np.array(points, np.float32)]


def hatch(box: Box, step: Millimetres, rng: Rng) -> list[Way]:
    """Shading: lines beside each other."""
    corners = _corners(box, step / 2, rng)
    return [line(*a, *b, rng, 0.02, 4) for a, b in zip(corners[:-1:2], corners[1::2], strict=False)]


def _corners(box: Box, step: Millimetres, rng: Rng) -> list[tuple[float, float]]:
    """Places on one side of a box and on the other in turn, `step` further each time."""
    angle = float(rng.choice((0, 0.25, -0.25, 0.5))) * math.pi + rng.normal(0, 0.2)
    shaky = rng.uniform(0.08, 0.5)
    cosine, sine = math.cos(angle), math.sin(angle)
    half_wide, half_tall = box.width / 2, box.height / 2
    reach = half_wide * abs(sine) + half_tall * abs(cosine)
    points = []
    for count, at in enumerate(np.arange(-reach, reach + step, step)):
        side = 1 if count % 2 else -1
        foot_x, foot_y = -sine * at, cosine * at
        # How far it is along the line to the box's edge.
        room = min(
            (half - side * math.copysign(1, slope) * foot) / abs(slope)
            for half, slope, foot in ((half_wide, cosine, foot_x), (half_tall, sine, foot_y))
            if abs(slope) > 0.05
        )
        length = side * max(room, 0.2) * rng.uniform(0.85, 1.08)
        x, y = box.center
        jitter = rng.normal(0, shaky, 2)
        points.append(
            (x + foot_x + cosine * length + jitter[0], y + foot_y + sine * length + jitter[1])
        )
    return points


def scribble(box: Box, turns: int, rng: Rng) -> list[Way]:
    """Loops all over a box."""
    x, y = box.center
    angle = rng.uniform(0, math.tau)
    points = []
    for _ in range(turns * 4):
        angle += rng.normal(math.pi / 2, 0.35)
        reach = rng.uniform(0.35, 1.02)
        points.append(
            (
                x + box.width / 2 * reach * math.cos(angle) + rng.normal(0, 0.1),
                y + box.height / 2 * reach * math.sin(angle) + rng.normal(0, 0.1),
            )
        )
    return [curve(points, 6)]


def ring(
    x: float, y: float, wide: float, tall: float, rng: Rng, is_round: bool = False
) -> list[Way]:
    """Once or twice around a place; `wide` and `tall` are half of it. Often it does not close."""
    turns = rng.uniform(0.86, 1.2) if rng.random() < 0.82 else rng.uniform(1.5, 2.2)
    start = rng.uniform(-2.4, -0.6) if rng.random() < 0.75 else rng.uniform(0, math.tau)
    sign = -1 if rng.random() < 0.75 else 1
    count = int(30 * turns)
    angle = start + sign * np.linspace(0, turns * math.tau, count)
    # From an ellipse to a square with round corners, which traces a box.
    square = 2.0 if is_round or rng.random() < 0.65 else rng.uniform(2.5, 5)
    cosine, sine = np.cos(angle), np.sin(angle)
    radius = (np.abs(cosine) ** square + np.abs(sine) ** square) ** (-1 / square)
    drift = 1 + rng.normal(0, 0.08) * np.linspace(-0.5, 0.5, count)
    wobble = (
        1
        + rng.normal(0, 0.03) * np.sin(2 * angle + rng.uniform(0, 6))
        + rng.normal(0, 0.02) * np.sin(3 * angle + rng.uniform(0, 6))
    )
    radius = radius * drift * wobble
    lean = rng.normal(0, 0.06)
    px, py = wide * radius * cosine, tall * radius * sine
    return [np.stack((x + px - lean * py, y + py + lean * px), axis=1).astype(np.float32)]


def strike(box: Box, rng: Rng, least: int = 1) -> list[Way]:
    """What takes a number back: one to three lines through it, a cross over it, or a scribble."""
    x, y = box.center
    half_wide, half_tall = box.width / 2 + rng.uniform(0.8, 1.8), box.height / 2
    drawn = rng.random()
    if drawn < 0.45:
        count = max(int(rng.integers(1, 4)), least)
        ways = []
        slope = (
            rng.normal(0, 0.2)
            if rng.random() < 0.5
            else rng.choice((-1, 1)) * (half_tall * rng.uniform(0.7, 1.2) / half_wide)
        )
        for at in range(count):
            shift = (at - (count - 1) / 2) * min(box.height / (count + 1), 1.8) + rng.normal(0, 0.2)
            dy = slope * half_wide
            ways.append(
                line(x - half_wide, y - dy + shift, x + half_wide, y + dy + shift, rng, 0.04)
            )
        return ways
    if drawn < 0.7:
        size = max(half_wide, half_tall) * rng.uniform(0.85, 1.15)
        return saltire(x, y, size, rng)
    wider = Box(box.x - 0.5, box.y - 0.2, box.width + 1, box.height + 0.4)
    if drawn < 0.86:
        return zigzag(wider, rng.uniform(0.6, 1.3), rng)
    return scribble(wider, int(rng.integers(3, 8)), rng)


# The rest

_LETTERS: Final = "AEHKLMNPRUVWadehkmnpruw?&%@"
"""None that looks like a digit, a cross or a dash."""
_FONTS: Final = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_SCRIPT_SIMPLEX,
    cv2.FONT_HERSHEY_COMPLEX_SMALL,
    cv2.FONT_HERSHEY_PLAIN,
    cv2.FONT_HERSHEY_SCRIPT_COMPLEX,
)


def letters(
    canvas: Canvas, text: str, x: float, y: float, height: Millimetres, pen: Pen, rng: Rng
) -> Box:
    """Letters, as far as OpenCV's pen plotter fonts look written; leaning and bent."""
    font = int(rng.choice(_FONTS))
    thick = max(round(pen.width * PX_PER_MM), 1)
    scale = cv2.getFontScaleFromHeight(font, round(height * PX_PER_MM), thick)
    (width, tall), base = cv2.getTextSize(text, font, scale, thick)
    edge = 30
    flat = np.zeros((tall + base + 2 * edge, width + 2 * edge), np.uint8)
    cv2.putText(flat, text, (edge, edge + tall), font, scale, 255, thick, cv2.LINE_AA)
    rows, columns = flat.shape
    grid_x, grid_y = np.meshgrid(
        np.arange(columns, dtype=np.float32), np.arange(rows, dtype=np.float32)
    )
    dx, dy = _bent(grid_x, grid_y, _bend(height * PX_PER_MM, 0.04, rng))
    shear, turn = rng.normal(0, 0.2), rng.normal(0, 0.12)
    from_x, from_y = grid_x - columns / 2, grid_y - rows / 2
    map_x = from_x + shear * from_y - turn * from_y + columns / 2 + dx
    map_y = from_y + turn * from_x + rows / 2 + dy
    mask = cv2.remap(flat, map_x, map_y, cv2.INTER_LINEAR)[: pen_limit(), : pen_limit()]
    left, top = canvas.pixel(x, y)
    canvas.lay(mask, left - columns // 2, top - rows // 2, pen, rng)
    return Box(x - width / 24, y - tall / 24, width / 12, tall / 12)


def pen_limit() -> int:
    """Pixels: the largest mask that can be laid at once."""
    return 500


def any_letters(rng: Rng) -> str:
    """One to three letters or signs that are no number."""
    count = int(rng.choice((1, 2, 3), p=(0.6, 0.25, 0.15)))
    return "".join(_LETTERS[int(at)] for at in rng.integers(len(_LETTERS), size=count))


def doodle(x: float, y: float, size: Millimetres, rng: Rng) -> list[Way]:
    """A face, a star, a spiral or an arrow."""
    half = size / 2
    drawn = rng.random()
    if drawn < 0.3:
        face = ring(x, y, half, half, rng)
        eyes = [
            line(x + s * half * 0.35, y - half * 0.3, x + s * half * 0.35, y - half * 0.1, rng)
            for s in (-1, 1)
        ]
        mouth = curve(
            [
                (x - half * 0.5, y + half * 0.25),
                (x, y + half * 0.55),
                (x + half * 0.5, y + half * 0.25),
            ]
        )
        return [*face, *eyes, mouth]
    if drawn < 0.55:
        corners = [
            (
                x + half * math.cos(math.tau * n * 2 / 5 - 1.57),
                y + half * math.sin(math.tau * n * 2 / 5 - 1.57),
            )
            for n in range(6)
        ]
        return [np.array(corners, np.float32) + rng.normal(0, 0.15, (6, 2)).astype(np.float32)]
    if drawn < 0.77:
        turns = rng.uniform(2, 4)
        angle = np.linspace(0, turns * math.tau, 60)
        radius = half * angle / angle[-1]
        return [
            np.stack((x + radius * np.cos(angle), y + radius * np.sin(angle)), 1).astype(np.float32)
        ]
    angle = rng.uniform(0, math.tau)
    dx, dy = half * math.cos(angle), half * math.sin(angle)
    tips = [
        line(
            x + dx,
            y + dy,
            x + dx - half * 0.7 * math.cos(angle + s),
            y + dy - half * 0.7 * math.sin(angle + s),
            rng,
        )
        for s in (-0.5, 0.5)
    ]
    return [line(x - dx, y - dy, x + dx, y + dy, rng), *tips]


def squiggle(x: float, y: float, size: Millimetres, rng: Rng) -> list[Way]:
    """Something nobody knows."""
    half = size / 2
    points = [
        (x + rng.uniform(-half, half), y + rng.uniform(-half, half))
        for _ in range(int(rng.integers(4, 9)))
    ]
    return [curve(points)]


def smudge(
    canvas: Canvas, x: float, y: float, size: Millimetres, strength: float, rng: Rng
) -> None:
    """A blot or a smear: dirt, grease, a finger on wet ink."""
    half = int(size * PX_PER_MM)
    half = min(half, 240)
    mask = np.zeros((2 * half, 2 * half), np.uint8)
    for _ in range(int(rng.integers(1, 5))):
        spot = (half + int(rng.normal(0, half / 4)), half + int(rng.normal(0, half / 4)))
        axes = (
            max(int(half * rng.uniform(0.1, 0.45)), 1),
            max(int(half * rng.uniform(0.06, 0.35)), 1),
        )
        cv2.ellipse(mask, spot, axes, rng.uniform(0, 180), 0, 360, int(rng.uniform(90, 255)), -1)
    mask = cv2.GaussianBlur(mask, (0, 0), rng.uniform(0.3, 3) * max(half / 14, 0.8))
    tone = rng.uniform(0.1, 0.5)
    color = (tone * rng.uniform(0.5, 1), tone * rng.uniform(0.8, 1), tone)
    pen = Pen("felt", 1, color, strength, rng.uniform(0, 0.5), rng.uniform(0.1, 0.7), 0)
    left, top = canvas.pixel(x, y)
    canvas.lay(mask, left - half, top - half, pen, rng)


def ghost(
    canvas: Canvas, box: Box, contrast: float, rng: Rng, drawn: Callable[[Canvas], object]
) -> None:
    """What a rubber left of something that was drawn in and around a box.

    Args:
        contrast: of what is left, 0 to 1.
        drawn: draws on a canvas what was rubbed out.
    """
    around_it: Millimetres = 2.5
    left, top = canvas.pixel(box.x - around_it, box.y - around_it)
    width, height = (
        min(round((side + 2 * around_it) * PX_PER_MM), pen_limit())
        for side in (box.width, box.height)
    )
    clean = np.full((height, width, 3), 255, np.uint8)
    layer = Canvas(clean, canvas.x + left / PX_PER_MM, canvas.y + top / PX_PER_MM)
    drawn(layer)
    mask = 255 - clean.min(axis=2)
    mask = cv2.GaussianBlur(mask, (0, 0), rng.uniform(1.5, 4.5))
    if rng.random() < 0.6:
        mask = _smeared(mask, rng)
    strongest = int(mask.max())
    if strongest:
        mask = cv2.convertScaleAbs(mask, alpha=255 / strongest)
    gray = rng.uniform(0.2, 0.35)
    pen = Pen("pencil", 0.5, (gray, gray, gray), contrast / (1 - gray), 0.2, 0.5, 0)
    canvas.lay(mask, left, top, pen, rng)


def _smeared(mask: Mask, rng: Rng) -> Mask:
    """Rubbed to one side."""
    length = int(rng.uniform(6, 26))
    kernel = np.zeros((length, length), np.float32)
    angle = rng.uniform(0, math.pi)
    dx, dy = math.cos(angle) * length / 2, math.sin(angle) * length / 2
    middle = length / 2
    ends = [(round(middle - dx), round(middle - dy)), (round(middle + dx), round(middle + dy))]
    cv2.line(kernel, *ends, 1.0, 1)
    smeared = cv2.filter2D(mask, -1, kernel / max(float(kernel.sum()), 1))
    share = rng.uniform(0.3, 0.8)
    return cv2.addWeighted(mask, 1 - share, smeared, share, 0)
