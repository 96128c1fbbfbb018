"""Writes into blanks for sums: numbers, corrections, strike-outs, nonsense."""

from __future__ import annotations

from typing import Final

import numpy as np

from companion.core.sheet import Box, Millimetres
from training import Rng
from training.sheets.number_fields import (
    write_corrected,
    write_over,
    write_rubbed_out,
    write_strike,
)
from training.writing import numbers, scribbles, strokes
from training.writing.hands import Hand
from training.writing.pens import Canvas, jittered, worn

UNREADABLE: Final = "x"
"""The label of ink that is no number. Other labels are the digits; "" is an empty blank."""


def random_sum(rng: Rng, area: Box) -> int:
    """A number as people sum up; three digits are rare where there is little room for them."""
    drawn = rng.random()
    if drawn < 0.06:
        return 0
    if drawn < 0.34:
        return int(rng.integers(1, 10))
    long = 0.24 if area.width > 1.35 * area.height else 0.09
    return int(rng.integers(10, 100)) if drawn < 1 - long else int(rng.integers(100, 1000))


def write_sum(
    canvas: Canvas,
    box: Box,
    hand: Hand,
    rng: Rng,
    sign: Millimetres = 0.0,
) -> str:
    """Writes something into a blank for a sum.

    Args:
        sign: the width of the sign that is printed at the left in the blank.

    Returns:
        The label of what the blank holds now: digits, "" or `UNREADABLE`.
    """
    what = rng.choice(("blank", "number", "struck", "other"), p=(0.12, 0.8, 0.045, 0.035))
    area = Box(box.x + sign, box.y, box.width - sign, box.height)
    if what == "blank":
        if rng.random() < 0.4:
            _nuisance(canvas, area, hand, rng)
        return ""
    if what == "struck":
        _struck(canvas, area, hand, rng)
        return ""
    if what == "other":
        _other(canvas, area, hand, rng)
        return UNREADABLE
    text = str(random_sum(rng, area))
    drawn = rng.random()
    if drawn < 0.025:
        _rubbed(canvas, area, hand, rng)
    elif drawn < 0.07 and hand.pen.width < 0.9:
        _corrected(canvas, area, text, hand, rng)
        return text
    elif drawn < 0.085:
        wrong = str(random_sum(rng, area))
        write_over(canvas, area, wrong, text, hand, area.width * 0.85, rng)
        return text
    there = _write(canvas, area, text, hand, rng)
    _garnish(canvas, area, there, hand, rng)
    return text


def _write(canvas: Canvas, area: Box, text: str, hand: Hand, rng: Rng) -> Box:
    """Writes a number near the middle of a blank, sometimes over its edge; returns its box."""
    room = area.width * rng.uniform(0.72, 1.0)
    spread = 0.3 + 0.4 * hand.care
    height = min(hand.height * rng.uniform(0.85, 1.15), area.height * rng.uniform(0.62, 0.9))
    height = max(height, 2.6 + 2.4 * hand.pen.width)
    if rng.random() < 0.05:
        spread, room = rng.uniform(0.5, 1.1), area.width * rng.uniform(0.9, 1.2)
        height *= rng.uniform(0.9, 1.3)
    x, y = jittered(area, spread, rng)
    spare = max(area.width - len(text) * height * 0.75 - 1.5, 0.0)
    if rng.random() < 0.45:
        # Wide blanks are filled from the left, from the right, or anywhere.
        x += float(rng.uniform(-0.5, 0.5)) * spare
    center = (x + hand.off[0], y + hand.off[1])
    return numbers.number(canvas, hand, text, center, room, rng, height)


def _garnish(canvas: Canvas, area: Box, there: Box, hand: Hand, rng: Rng) -> None:
    """Signs before a sum, lines below it and rings around it."""
    pen = worn(hand.pen, rng)
    (x, y), gap, drawn = there.center, there.x - area.x, rng.random()
    if drawn < 0.16 and gap > (-0.3 if drawn < 0.13 else 1.5):
        # A minus sign or an equals sign stands clear of the digits.
        right, middle = there.x - rng.uniform(0.5, 1.4), y + rng.normal(0, 0.4)
        left = right - rng.uniform(1.3, 2.8)
        for off in (0.0,) if drawn < 0.11 else (-0.7, 0.7):
            canvas.draw([strokes.line(left, middle + off, right, middle + off, rng)], pen, rng)
    elif drawn < 0.19 and gap > 1.8:
        half = rng.uniform(0.8, 1.3)
        canvas.draw(strokes.plus(there.x - rng.uniform(0.5, 1.2) - half, y, half, rng), pen, rng)
    if rng.random() < 0.07:
        below, half = there.y + there.height + rng.uniform(0.3, 0.9), there.width / 2 + 0.6
        for number in range(int(rng.integers(1, 3))):
            line, slope = below + number * rng.uniform(0.6, 1.0), rng.normal(0, 0.25)
            way = strokes.line(x - half, line + slope, x + half, line - slope, rng)
            canvas.draw([way], pen, rng)
    elif rng.random() < 0.03:
        wide, tall = there.width / 2 + rng.uniform(0.9, 1.8), there.height / 2 + 1.2
        canvas.draw(strokes.ring(x, y, wide, tall, rng), pen, rng)


def _struck(canvas: Canvas, area: Box, hand: Hand, rng: Rng) -> None:
    """Writes a sum that is struck out, or only a dash or a cross."""
    pen = worn(hand.pen, rng)
    if rng.random() < 0.55:
        write_strike(canvas, area, pen, (0.25, 0.2, 0.55), rng)
    else:
        there = _write(canvas, area, str(random_sum(rng, area)), hand, rng)
        canvas.draw(strokes.strike(there, rng, 2), pen, rng)


def _other(canvas: Canvas, area: Box, hand: Hand, rng: Rng) -> None:
    """Writes something that is no number, or that nobody can read."""
    center = jittered(area, 0.5, rng)
    pen = worn(hand.pen, rng)
    drawn = rng.random()
    if drawn < 0.45:
        scribbles.letters(canvas, scribbles.any_letters(rng), *center, rng.uniform(3, 6), pen, rng)
    elif drawn < 0.8:
        canvas.draw(scribbles.squiggle(*center, rng.uniform(4, 8), rng), pen, rng)
    else:
        # Two numbers on top of each other, equally strong.
        for number in rng.choice(np.arange(12, 99), 2, replace=False):
            numbers.number(canvas, hand, str(number), center, area.width * 0.8, rng)


def _corrected(canvas: Canvas, area: Box, text: str, hand: Hand, rng: Rng) -> None:
    """Writes a wrong number, struck out, and the right one smaller beside or above it."""
    wrong = str(random_sum(rng, area))
    if area.width > 1.4 * area.height and rng.random() < 0.6:
        size, room = rng.uniform(4, 6), area.width * 0.46
        dx, dy = area.width * rng.uniform(0.2, 0.27), rng.normal(0, 0.4)
    else:
        size, room = rng.uniform(3.2, 4.4), area.width * rng.uniform(0.5, 0.8)
        dx, dy = rng.normal(0, 0.8), rng.uniform(2.1, 2.9)
    write_corrected(canvas, area, wrong, text, hand, (dx, dy), room, size, rng)


def _rubbed(canvas: Canvas, area: Box, hand: Hand, rng: Rng) -> None:
    write_rubbed_out(canvas, area, str(random_sum(rng, area)), hand, area.width * 0.9, rng)


def _nuisance(canvas: Canvas, area: Box, hand: Hand, rng: Rng) -> None:
    """Draws ink in an empty blank that means nothing."""
    if rng.random() < 0.5:
        _rubbed(canvas, area, hand, rng)
    else:
        scribbles.dirt(canvas, area, rng)
