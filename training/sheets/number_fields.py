"""Writes into number fields and digit boxes: numbers, corrections, strike-outs, nonsense."""

from __future__ import annotations

from typing import Final

import numpy as np

from companion.core.sheet import Box, Millimetres
from training import Rng
from training.writing import numbers, scribbles, strokes
from training.writing.hands import Hand
from training.writing.pens import Canvas, Pen, jittered, pencil, worn

LARGEST_NUMBER: Final = 18
"""The largest number that the networks know in number fields; the smallest is 1."""
LARGEST_DIGIT: Final = 9
"""The largest number in a digit's box; the smallest is 0."""


def write_number(
    canvas: Canvas,
    box: Box,
    what: str,
    hand: Hand,
    highest: int,
    rng: Rng,
    value: int | None = None,
) -> str:
    """Writes a class into a number field or a digit's box.

    Args:
        what: `blank`, `number`, `struck` or `other`.
        highest: `LARGEST_NUMBER` or `LARGEST_DIGIT`.
        value: the number; a random one if None.

    Returns:
        The class of what the box holds now.
    """
    if what == "blank":
        if rng.random() < 0.22:
            _nuisance(canvas, box, hand, highest, rng)
        return "blank"
    if what == "struck":
        _struck(canvas, box, hand, highest, rng)
        return "struck"
    if what == "other":
        _other_number(canvas, box, hand, highest, rng)
        return "other"
    if value is None:
        value = int(rng.integers(highest == LARGEST_NUMBER, highest + 1))
    drawn = rng.random()
    if drawn < 0.03:
        _rubbed(canvas, box, hand, highest, rng)
    elif drawn < (0.08 if highest == LARGEST_NUMBER else 0.06) and hand.pen.width < 0.9:
        _corrected_beside(canvas, box, value, hand, highest, rng)
        return str(value)
    elif drawn < 0.09:
        wrong = str(rng.integers(1, highest + 1))
        write_over(canvas, box, wrong, str(value), hand, box.width * 0.9, rng)
        return str(value)
    _write(canvas, box, value, hand, rng)
    return str(value)


def _write(canvas: Canvas, box: Box, value: int, hand: Hand, rng: Rng) -> Box:
    """Writes a number near the middle of a box, sometimes over its edge; returns its box."""
    room = box.width * rng.uniform(0.78, 1.06)
    spread = 0.25 + 0.35 * hand.care
    height = None
    if rng.random() < 0.05:
        # Hurried writing is partly outside the field, or too large for it.
        spread, room = rng.uniform(0.5, 1.1), box.width * rng.uniform(0.8, 1.3)
        height = hand.height * rng.uniform(0.9, 1.4)
    elif rng.random() < 0.12:
        # Small writing is anywhere in the field or on its edge.
        spread, room = box.width * rng.uniform(0.1, 0.24), box.width * rng.uniform(0.4, 0.8)
        height = max(hand.height * rng.uniform(0.4, 0.8), _least_height(hand))
    x, y = jittered(box, spread, rng)
    share = 1.0 if box.width > 9 else 0.7
    center = (x + hand.off[0] * share, y + hand.off[1])
    return numbers.number(canvas, hand, str(value), center, room, rng, height)


def _least_height(hand: Hand) -> Millimetres:
    """The height below which a digit is a blot, because the pen is so thick."""
    return 1.8 + 2.4 * hand.pen.width


def _struck(canvas: Canvas, box: Box, hand: Hand, highest: int, rng: Rng) -> None:
    """Writes a number that is struck out, or only a strike-out."""
    pen = worn(hand.pen, rng)
    if rng.random() < 0.14:
        write_strike(canvas, box, pen, (0.45, 0.3, 0.25), rng)
        return
    value = int(rng.integers(highest == LARGEST_NUMBER, highest + 1))
    there = _write(canvas, box, value, hand, rng)
    # A single line could be taken for the bar of a seven or of a zero.
    canvas.draw(strokes.strike(there, rng, 2 if value in (0, 1, 7) else 1), pen, rng)


def write_strike(
    canvas: Canvas, box: Box, pen: Pen, shares: tuple[float, float, float], rng: Rng
) -> None:
    """Draws only a cross, a zigzag or a dash; `shares` are how often each of them."""
    x, y = jittered(box, 0.6, rng)
    half = min(box.width, box.height) / 2 * rng.uniform(0.5, 1.1)
    slope = rng.normal(0, 0.12) * half
    inner = Box(x - half, y - half, 2 * half, 2 * half)
    ways = (
        strokes.saltire(x, y, half, rng),
        strokes.zigzag(inner, rng.uniform(0.7, 1.6), rng),
        [strokes.line(x - half, y + slope, x + half, y - slope, rng)],
    )
    canvas.draw(ways[int(rng.choice(3, p=shares))], pen, rng)


def _other_number(canvas: Canvas, box: Box, hand: Hand, highest: int, rng: Rng) -> None:
    """Writes something that is not a number, an impossible number, or an illegible one."""
    center = jittered(box, 0.5, rng)
    room = box.width * rng.uniform(0.85, 1.15)
    pen = worn(hand.pen, rng)
    drawn = rng.random()
    if drawn < 0.3:
        text = scribbles.any_letters(rng)
        height = rng.uniform(4.2, 7) if len(text) == 1 else rng.uniform(3, 4.6)
        scribbles.letters(canvas, text, *center, height, pen, rng)
    elif drawn < 0.62:
        if highest == LARGEST_NUMBER:
            value = "0" if rng.random() < 0.15 else str(rng.integers(19, 100))
        else:
            value = str(rng.integers(10, 109))
        numbers.number(canvas, hand, value, center, room * 1.05, rng)
    elif drawn < 0.86:
        canvas.draw(scribbles.squiggle(*center, rng.uniform(4, 8), rng), pen, rng)
    else:
        # Two numbers on top of each other, equally strong.
        for number in rng.choice(np.arange(2, highest + 1), 2, replace=False):
            numbers.number(canvas, hand, str(number), center, room, rng)


def _corrected_beside(
    canvas: Canvas, box: Box, value: int, hand: Hand, highest: int, rng: Rng
) -> None:
    """Writes a wrong number, struck out, and the right one smaller beside or above it."""
    size = rng.uniform(3.4, 4.6)
    wrong = str(rng.integers(1, highest + 1))
    drawn = rng.random()
    if highest < 10:
        # A digit's box is narrow, so the correction is more above than beside.
        dx, dy, room = rng.uniform(0.6, 2.0), rng.uniform(0.8, 2.2), 4.2
    elif drawn < 0.45:
        dx, dy, room = rng.uniform(2.2, 3.2), rng.normal(0, 0.5), 4.8
    elif drawn < 0.8:
        dx, dy, room = rng.normal(0, 0.8), rng.uniform(2.2, 2.9), 7.0
    else:
        dx, dy, room = rng.uniform(1.4, 2.4), rng.uniform(1.2, 2.2), 5.4
    write_corrected(canvas, box, wrong, str(value), hand, (dx, dy), room, size, rng)


def write_corrected(
    canvas: Canvas,
    box: Box,
    wrong: str,
    right: str,
    hand: Hand,
    off: tuple[Millimetres, Millimetres],
    room: Millimetres,
    height: Millimetres,
    rng: Rng,
) -> None:
    """Writes a wrong number, struck out, and the right one; a fifth of the pairs trade places.

    Args:
        off: from the box's centre to the right number, to the right and up; the wrong one is
            opposite.
        room: the width for each of the numbers.
        height: of the digits.
    """
    (x, y), (dx, dy) = box.center, off
    old, new = (x - dx, y + dy), (x + dx, y - dy)
    if rng.random() < 0.2:
        old, new = new, old
    there = numbers.number(canvas, hand, wrong, old, room, rng, height)
    middle = np.array(there.center, np.float32)
    ways = [(way - middle) * np.float32(0.85) + middle for way in strokes.strike(there, rng, 2)]
    canvas.draw(ways, worn(hand.pen, rng), rng)
    numbers.number(canvas, hand, right, new, room, rng, height)


def write_over(
    canvas: Canvas, box: Box, wrong: str, right: str, hand: Hand, room: Millimetres, rng: Rng
) -> None:
    """Writes a number so firmly over another one that only the new one counts."""
    thin = pencil(rng, rng.uniform(0.3, 0.45))
    center = jittered(box, 0.3, rng)
    numbers.number(canvas, hand, wrong, center, room, rng, None, thin)
    bold = Pen("gel", rng.uniform(0.75, 1.3), (0.1, 0.08, 0.08), 1.0, 0.0, 0.05, 0.1)
    numbers.number(canvas, hand, right, center, room, rng, None, bold)


def _rubbed(canvas: Canvas, box: Box, hand: Hand, highest: int, rng: Rng) -> None:
    """Draws the remains of a number that was rubbed out."""
    write_rubbed_out(canvas, box, str(rng.integers(1, highest + 1)), hand, box.width, rng)


def write_rubbed_out(
    canvas: Canvas, box: Box, text: str, hand: Hand, room: Millimetres, rng: Rng
) -> None:
    """Draws the remains of a number that was written in pencil and rubbed out."""
    pen, center = pencil(rng, 0.9), jittered(box, 0.6, rng)

    def drawn(layer: Canvas) -> None:
        numbers.number(layer, hand, text, center, room, rng, None, pen)

    scribbles.ghost(canvas, box, rng.uniform(0.03, 0.13), rng, drawn)


def _nuisance(canvas: Canvas, box: Box, hand: Hand, highest: int, rng: Rng) -> None:
    """Draws ink in an empty field that means nothing: dirt, or a number that was rubbed out."""
    drawn = rng.random()
    if drawn < 0.5:
        _rubbed(canvas, box, hand, highest, rng)
    elif drawn < 0.75:
        scribbles.dirt(canvas, box, rng)
    else:
        x, y = jittered(box, 2, rng)
        scribbles.smudge(canvas, x, y, rng.uniform(2, 8), rng.uniform(0.06, 0.3), rng)
