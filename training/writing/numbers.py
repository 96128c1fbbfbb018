"""Writes numbers in one person's hand. All coordinates are millimetres on the pad."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Millimetres
from training import Rng
from training.writing.digits import Digit, Strokes
from training.writing.hands import Hand
from training.writing.pens import PX_PER_MM, Canvas, Mask, Pen, Way, worn

JOINED: Final = 0.15
"""The share of numbers whose digits touch, in whichever hand."""
WIDEST: Final = 1.7
"""The largest ratio of a digit's width to its height; in UNIPEN a few ones lie on their side."""


@dataclass(frozen=True)
class DigitShape:
    """A digit around its own centre, either as polylines or as a mask."""

    ways: tuple[Way, ...] | None
    mask: Mask | None
    width: Millimetres
    height: Millimetres


def shaped(digit: Digit, height: Millimetres, hand: Hand, pen: Pen, rng: Rng) -> DigitShape:
    """A sample as this hand writes it this time, `height` tall."""
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
    bend = random_bend(height, 0.016 + 0.042 * hand.care, rng)
    if digit.strokes:
        return _from_strokes(digit.strokes, matrix, bend, pen)
    return _from_ink(digit.ink, matrix, bend, pen)


def _extent(digit: Digit) -> tuple[float, float]:
    """(height, width) of a sample in its own units."""
    if digit.strokes is None:
        rows, columns = digit.ink.shape
        return float(rows), float(columns)
    points = np.concatenate(digit.strokes)
    wide, high = np.ptp(points, axis=0)
    return max(float(high), float(wide) * 0.05, 1e-3), max(float(wide), 1e-3)


Bend: TypeAlias = npt.NDArray[np.float32]
"""A distortion by waves: rows of (x amplitude, y amplitude, x frequency, y frequency, phase)."""


def random_bend(height: Millimetres, amount: float, rng: Rng) -> Bend:
    """A random distortion for writing of this height; `amount` is its relative strength."""
    waves = np.empty((2, 5), np.float32)
    for wave in waves:
        length, angle = height * rng.uniform(0.7, 1.6), rng.uniform(0, math.tau)
        frequency = math.tau / length
        wave[:2] = rng.normal(0, amount * height, 2)
        wave[2:] = frequency * math.cos(angle), frequency * math.sin(angle), rng.uniform(0, 6.3)
    return waves


def bent(x: Way, y: Way, bend: Bend) -> tuple[Way, Way]:
    """The displacements (dx, dy) of points by a distortion."""
    dx, dy = np.zeros_like(x), np.zeros_like(y)
    for across, down, fx, fy, phase in bend:
        wave = np.sin(fx * x + fy * y + phase)
        dx += across * wave
        dy += down * wave
    return dx, dy


def _from_strokes(strokes: Strokes, matrix: Way, bend: Bend, pen: Pen) -> DigitShape:
    points = np.concatenate(strokes)
    middle = (points.min(axis=0) + points.max(axis=0)) / 2
    ways = []
    for stroke in strokes:
        way = ((_smooth(stroke) - middle) @ matrix.T).astype(np.float32)
        way += np.stack(bent(way[:, 0], way[:, 1], bend), axis=1)
        ways.append(way)
    every = np.concatenate(ways)
    low, high = every.min(axis=0), every.max(axis=0)
    ways = [way - (low + high) / 2 for way in ways]
    width, height = high - low + pen.width
    return DigitShape(tuple(ways), None, float(width), float(height))


def _smooth(stroke: Way) -> Way:
    """The stroke without the steps of a coarse tablet."""
    if len(stroke) < 7:
        return stroke
    padded = np.concatenate((stroke[:1], stroke[:1], stroke, stroke[-1:], stroke[-1:]))
    weights = (0.1, 0.22, 0.36, 0.22, 0.1)
    smooth = sum(weight * padded[at : at + len(stroke)] for at, weight in enumerate(weights))
    smooth[0], smooth[-1] = stroke[0], stroke[-1]
    return np.asarray(smooth, np.float32)


def _from_ink(ink: npt.NDArray[np.uint8], matrix: Way, bend: Bend, pen: Pen) -> DigitShape:
    rows, columns = ink.shape
    corners = np.array(((0, 0), (columns, 0), (columns, rows), (0, rows)), np.float32)
    middle = np.array((columns / 2, rows / 2))
    moved = (corners - middle) @ matrix.T
    half = np.abs(moved).max(axis=0) + 0.6 + pen.width
    # At half the resolution of the canvas, which is four times as fast.
    px_per_mm = PX_PER_MM / 2
    across, down = (math.ceil(side * px_per_mm) for side in half)
    x, y = np.meshgrid(
        np.arange(-across, across + 1, dtype=np.float32) / np.float32(px_per_mm),
        np.arange(-down, down + 1, dtype=np.float32) / np.float32(px_per_mm),
    )
    dx, dy = bent(x, y, bend)
    inverse = np.linalg.inv(matrix).astype(np.float32)
    x, y = x - dx, y - dy
    source_x = inverse[0, 0] * x + inverse[0, 1] * y + np.float32(middle[0] - 0.5)
    source_y = inverse[1, 0] * x + inverse[1, 1] * y + np.float32(middle[1] - 0.5)
    soft = cv2.GaussianBlur(ink, (0, 0), max(rows, columns) / 56, borderType=cv2.BORDER_ISOLATED)
    large = cv2.remap(soft, source_x, source_y, cv2.INTER_CUBIC, borderValue=0)
    mask = _of_width(large, pen.width * px_per_mm)
    left, top, width, height = cv2.boundingRect((mask > 100).astype(np.uint8))
    if not width:
        return DigitShape(None, mask, 1.0, 1.0)
    mask = mask[top : top + height, left : left + width]
    mask = cv2.resize(mask, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC)
    mask = cv2.convertScaleAbs(cv2.subtract(mask, 52), alpha=1.7)
    return DigitShape(None, mask, width / px_per_mm, height / px_per_mm)


def _of_width(ink: Mask, width: float) -> Mask:
    """The strokes of a drawing, thinned or thickened to `width` pixels around their midline."""
    inside = (ink > 110).astype(np.uint8)
    if not inside.any():
        return ink
    depth = cv2.distanceTransform(inside, cv2.DIST_L2, 3)
    depth -= cv2.distanceTransform(1 - inside, cv2.DIST_L2, 3)
    ridge_at = (depth > 0.5) & (depth >= cv2.dilate(depth, np.ones((3, 3), np.uint8)))
    usual = float(np.median(depth[ridge_at])) if ridge_at.any() else 1.0
    reach = 2 * math.ceil(max(width / 2, usual * 1.2) + 1) + 1
    ridge = cv2.dilate(depth, np.ones((reach, reach), np.uint8))
    # Where strokes meet, the ridge is higher; without a limit the strokes would be removed there.
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
    """Writes a number; returns the box around it.

    Args:
        value: decimal digits.
        center: of the number, on the pad.
        room: a wider number is written smaller.
        height: of the digits, instead of the hand's own.
        pen: instead of the hand's own.
    """
    pen = worn(pen or hand.pen, rng)
    # People with thick pens write larger.
    tall = height or max(hand.height * rng.uniform(0.88, 1.12), 2.5 + 2.8 * pen.width)
    chosen = [_random_sample(hand, int(char), rng) for char in value]
    gap = rng.uniform(-0.2, 0.0) if rng.random() < JOINED else hand.gap
    spaces = [max(gap + rng.normal(0, 0.05 + 0.03 * hand.care), -0.22) for _ in chosen[1:]]
    aspects = sum(min(wide / high, WIDEST) for high, wide in map(_extent, chosen))
    total = tall * (aspects * hand.stretch + sum(spaces)) + len(chosen) * pen.width
    if total > room:
        # People write smaller where they lack room.
        tall *= max(room / total, 0.55)
    shapes = [
        shaped(digit, tall * math.exp(rng.normal(0, 0.05)), hand, pen, rng) for digit in chosen
    ]
    gaps = [tall * space for space in spaces]
    total = sum(shape.width for shape in shapes) + sum(gaps)
    x, slope = center[0] - total / 2, rng.normal(0, 0.04) + math.tan(hand.turn)
    boxes = []
    for at, shape in enumerate(shapes):
        x_middle = x + shape.width / 2
        y_middle = center[1] + (x_middle - center[0]) * slope + rng.normal(0, 0.02 * tall)
        _place(canvas, shape, x_middle, y_middle, worn(pen, rng), rng)
        boxes.append(Box(x, y_middle - shape.height / 2, shape.width, shape.height))
        x += shape.width + (gaps[at] if at < len(gaps) else 0)
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    bottom = max(box.y + box.height for box in boxes)
    return Box(left, top, boxes[-1].x + boxes[-1].width - left, bottom - top)


def _random_sample(hand: Hand, label: int, rng: Rng) -> Digit:
    choices = hand.digits[label]
    return choices[int(rng.integers(len(choices)))]


def _place(canvas: Canvas, shape: DigitShape, x: float, y: float, pen: Pen, rng: Rng) -> None:
    """Draws a digit around the point (x, y)."""
    if shape.ways is not None:
        canvas.draw([way + np.array((x, y), np.float32) for way in shape.ways], pen, rng)
    elif shape.mask is not None:
        left, top = canvas.pixel(x - shape.width / 2, y - shape.height / 2)
        canvas.lay(shape.mask, left, top, pen, rng)
