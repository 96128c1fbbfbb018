"""Writes into fields of points and cells of tables: any whole number, a strike-out, nonsense."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

from companion.core.sheet import Box
from training import Rng
from training.sheets.number_fields import write_over, write_rubbed_out
from training.sheets.sum_writing import UNREADABLE
from training.writing import numbers, scribbles, strokes
from training.writing.hands import Hand
from training.writing.pens import Canvas, Pen, Way, jittered, worn

MINUS: Final = "-"
"""The first character of a negative number's label."""
STRUCK: Final = "/"
"""The label of a field that is struck out: a slash, a dash, a cross, or a crossed-out number."""
WHAT: Final = {"blank": 0.1, "number": 0.745, "struck": 0.13, "other": 0.025}
"""What a field holds → how often."""
THIN: Final = 0.3
"""The share of hands whose pen is thinner than those that lie on game tables."""
LENGTHS: Final = (0.3, 0.41, 0.2, 0.09)
"""How often numbers have one, two, three and four digits."""
NEGATIVE: Final = 0.16
"""The share of negative ones among numbers of up to three digits."""
ZEROS: Final = 0.1
"""The share of zeros among numbers."""


def thinned(hand: Hand, rng: Rng) -> Hand:
    """The same person, perhaps with a thin ballpoint or a sharp pencil."""
    if rng.random() >= THIN or hand.pen.kind not in ("ballpoint", "pencil", "gel"):
        return hand
    return replace(hand, pen=replace(hand.pen, width=rng.uniform(0.2, 0.4)))


def random_points(rng: Rng, *, signed: bool = True) -> str:
    """A number's label, −999 to 9,999."""
    if rng.random() < ZEROS:
        return "0"
    length = int(rng.choice((1, 2, 3, 4), p=LENGTHS))
    text = str(rng.integers(10 ** (length - 1), 10**length))
    return MINUS + text if signed and length < 4 and rng.random() < NEGATIVE else text


def write_points(canvas: Canvas, box: Box, hand: Hand, rng: Rng, text: str | None = None) -> str:
    """Writes something into a field of points or a cell of a table.

    Args:
        text: the number, if it is one; a random one if None.

    Returns:
        The label of what the field holds now: a number, "", `STRUCK` or `UNREADABLE`.
    """
    what = str(rng.choice(list(WHAT), p=list(WHAT.values())))
    if what == "blank":
        if rng.random() < 0.25:
            _nuisance(canvas, box, hand, rng)
        return ""
    if what == "struck":
        _strike_out(canvas, box, hand, rng)
        return STRUCK
    if what == "other":
        _other(canvas, box, hand, rng)
        return UNREADABLE
    text = random_points(rng) if text is None else text
    drawn = rng.random()
    if drawn < 0.02 and MINUS not in text:
        wrong = random_points(rng, signed=False)
        write_over(canvas, box, wrong, text, hand, box.width * 0.85, rng)
        return text
    if drawn < 0.04:
        write_rubbed_out(canvas, box, random_points(rng, signed=False), hand, box.width * 0.9, rng)
    _write(canvas, box, text, hand, rng)
    return text


def _write(canvas: Canvas, box: Box, text: str, hand: Hand, rng: Rng) -> Box:
    """Writes a number with its sign, mostly inside, at times across the edge; returns its box."""
    pen = hand.pen
    height = min(hand.height * rng.uniform(0.75, 1.1), box.height * rng.uniform(0.5, 0.92))
    room = box.width * rng.uniform(0.75, 1.0)
    spread = 0.05 * box.height + 0.15 * hand.care
    if (drawn := rng.random()) < 0.1:
        # Hurried writing crosses the lines.
        height *= rng.uniform(1.0, 1.5)
        spread, room = 0.12 * box.height, box.width * rng.uniform(0.9, 1.15)
    elif drawn < 0.25:
        height *= rng.uniform(0.55, 0.8)
    height = max(height, 1.5 + 2.0 * pen.width)
    x, y = jittered(box, spread, rng)
    spare = max(box.width - len(text) * height * 0.75 - 1.0, 0.0)
    if rng.random() < 0.4:
        x += float(rng.uniform(-0.5, 0.5)) * spare
    digits = text.removeprefix(MINUS)
    x, y = x + 0.6 * hand.off[0], y + 0.6 * hand.off[1]
    is_negative = digits != text
    if is_negative:
        room, x = room * 0.8, x + 0.12 * height + 0.06 * box.width
    if digits == "0" and rng.random() < 0.4:
        there = _zero(canvas, (x, y), height, pen, rng)
    else:
        there = numbers.number(canvas, hand, digits, (x, y), room, rng, height)
    if is_negative:
        _minus(canvas, there, pen, rng)
    elif rng.random() < 0.04:
        below = there.y + there.height + rng.uniform(0.2, 0.7)
        way = strokes.line(there.x - 0.4, below, there.x + there.width + 0.4, below, rng)
        canvas.draw([way], worn(pen, rng), rng)
    return there


def _minus(canvas: Canvas, there: Box, pen: Pen, rng: Rng) -> None:
    """A minus sign before a number."""
    tall = there.height
    right = there.x - tall * rng.uniform(0.04, 0.4)
    left = right - max(tall * rng.uniform(0.25, 0.7), 0.7)
    y, slope = there.center[1] + rng.normal(0, 0.08) * tall, rng.normal(0, 0.08) * tall
    way = strokes.line(left, y + slope, right, y - slope, rng, 0.04)
    canvas.draw([way], worn(pen, rng), rng)


def _zero(canvas: Canvas, center: tuple[float, float], height: float, pen: Pen, rng: Rng) -> Box:
    """A zero as no collection has them: tiny, flat, slim, open, of two turns, slashed, dotted."""
    tall = max(height * rng.uniform(0.5, 1.0), 1.3 + pen.width) / 2
    wide = max(tall * rng.uniform(0.4, 1.25), 0.5 + pen.width / 2)
    x, y = center
    ways = strokes.ring(x, y, wide, tall, rng, rng.random() < 0.8)
    if (drawn := rng.random()) < 0.16:
        reach = rng.uniform(0.7, 1.4)
        dx, dy = wide * reach, tall * reach
        ways.append(strokes.line(x - dx, y + dy, x + dx, y - dy, rng))
    elif drawn < 0.2:
        ways.append(strokes.line(x - 0.15, y, x + 0.15, y, rng))
    canvas.draw(ways, worn(pen, rng), rng)
    return Box(x - wide, y - tall, 2 * wide, 2 * tall)


def _strike_out(canvas: Canvas, box: Box, hand: Hand, rng: Rng) -> None:
    """Strikes a field out: with a slash, a dash, a cross or a zigzag; or strikes out a number."""
    pen = worn(hand.pen, rng)
    drawn = rng.random()
    if drawn < 0.12:
        there = _write(canvas, box, random_points(rng, signed=False), hand, rng)
        canvas.draw(strokes.strike(there, rng, 2), pen, rng)
        return
    canvas.draw(_strike(box, drawn, rng), pen, rng)


def _strike(box: Box, drawn: float, rng: Rng) -> list[Way]:
    x, y = jittered(box, 0.07 * box.height + 0.2, rng)
    reach = rng.uniform(0.5, 1.2) if rng.random() < 0.85 else rng.uniform(0.3, 0.5)
    tall = box.height / 2 * reach
    if drawn < 0.52:
        # From corner to corner, or as steep as the hand likes.
        usual = math.degrees(math.atan2(box.height, box.width))
        angle = usual if rng.random() < 0.4 else rng.normal(45, 9)
        angle = math.radians(min(max(angle, 18), 58))
        half = min(tall / math.sin(angle), 0.6 * box.width / math.cos(angle))
        dx, dy = half * math.cos(angle), half * math.sin(angle)
        dx = dx if rng.random() < 0.8 else -dx
        return [strokes.line(x - dx, y + dy, x + dx, y - dy, rng, 0.04)]
    half = max(box.width / 2 * rng.uniform(0.2, 0.95), 0.9)
    if drawn < 0.72:
        slope = rng.normal(0, 0.08) * half
        return [strokes.line(x - half, y + slope, x + half, y - slope, rng)]
    if drawn < 0.92:
        half = min(half, tall * rng.uniform(0.8, 1.6))
        a, b = tall * rng.uniform(0.8, 1.1), tall * rng.uniform(0.8, 1.1)
        return [
            strokes.line(x - half, y - a, x + half, y + a, rng, 0.05),
            strokes.line(x + half, y - b, x - half, y + b, rng, 0.05),
        ]
    inner = Box(x - half, y - tall, 2 * half, 2 * tall)
    return strokes.zigzag(inner, rng.uniform(0.8, 1.8), rng)


def _other(canvas: Canvas, box: Box, hand: Hand, rng: Rng) -> None:
    """Writes something that is no number, or that nobody can read."""
    center = jittered(box, 0.3, rng)
    pen = worn(hand.pen, rng)
    size = box.height * rng.uniform(0.5, 0.8)
    if rng.random() < 0.6:
        scribbles.letters(canvas, scribbles.any_letters(rng), *center, size, pen, rng)
    else:
        canvas.draw(scribbles.squiggle(*center, size * 1.4, rng), pen, rng)


def _nuisance(canvas: Canvas, box: Box, hand: Hand, rng: Rng) -> None:
    """Draws ink in an empty field that means nothing."""
    if rng.random() < 0.5:
        write_rubbed_out(canvas, box, random_points(rng, signed=False), hand, box.width * 0.9, rng)
    else:
        scribbles.dirt(canvas, box, rng)
