"""Writes into a pad's fields, and says for each of their boxes which class stands there now."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Field, Mark, Millimetres
from training import writing
from training.pens import Canvas, Pen, pencil, worn
from training.writing import Hand, Rng

SHARES: Final[Mapping[str, Mapping[str, float]]] = {
    # blank, a number, struck out, something else
    "number": {"blank": 0.2, "number": 0.725, "struck": 0.045, "other": 0.03},
    "digits": {"blank": 0.22, "number": 0.715, "struck": 0.04, "other": 0.025},
    "cross": {"open": 0.48, "crossed": 0.52},
    "value": {"open": 0.42, "crossed": 0.27, "circled": 0.29, "other": 0.02},
}


def filled(canvas: Canvas, field: Field, hand: Hand, fullness: float, rng: Rng) -> tuple[str, ...]:
    """Writes anything into a field, or with a chance of 1 − `fullness` nothing.

    Returns:
        The class of each of its boxes.
    """
    if field.kind == "digits":
        return _fill_digits(canvas, field, hand, fullness, rng)
    shares = SHARES[field.kind]
    what = str(rng.choice(list(shares), p=list(shares.values())))
    if rng.random() > fullness:
        what = "blank" if field.kind == "number" else "open"
    if field.kind == "number":
        return (_number_cell(canvas, _room(field), what, hand, 18, rng),)
    return (_mark_cell(canvas, field, what, hand, rng),)


def write(canvas: Canvas, field: Field, mark: Mark, hand: Hand, rng: Rng) -> None:
    """Writes a mark into its field as people do, sometimes after a first try."""
    if field.kind == "value":
        _mark_cell(canvas, field, str(mark or "open"), hand, rng)
    elif field.kind == "cross":
        _mark_cell(canvas, field, "crossed" if mark else "open", hand, rng)
    elif field.kind == "digits":
        digits = "" if mark is None else str(int(mark))
        for cell, digit in zip(field.cells, digits.rjust(len(field.cells)), strict=True):
            value = None if digit == " " else int(digit)
            what = "blank" if value is None else "number"
            _number_cell(canvas, cell, what, hand, 9, rng, value)
    else:
        what = "blank" if mark is None else "number"
        value = None if mark is None else int(mark)
        _number_cell(canvas, _room(field), what, hand, 18, rng, value)


def _room(field: Field) -> Box:
    """Where a number stands in its field."""
    box = field.box
    if field.shape != "pentagon":
        return box
    # There is less room in it, and its middle is lower.
    return Box(box.x + 0.9, box.y + 1.6, box.width - 1.8, box.height - 2.2)


def _fill_digits(
    canvas: Canvas, field: Field, hand: Hand, fullness: float, rng: Rng
) -> tuple[str, ...]:
    if rng.random() < 0.02:
        for cell in field.cells:
            if rng.random() < 0.7:
                _number_cell(canvas, cell, "number", hand, 9, rng)
        canvas.draw(_long_strike(field.box, rng), worn(hand.pen, rng), rng)
        return ("struck",) * len(field.cells)
    shares = SHARES["digits"]
    labels = []
    for cell in field.cells:
        what = str(rng.choice(list(shares), p=list(shares.values())))
        if rng.random() > fullness:
            what = "blank"
        labels.append(_number_cell(canvas, cell, what, hand, 9, rng))
    return tuple(labels)


def _long_strike(box: Box, rng: Rng) -> list[npt.NDArray[np.float32]]:
    y, reach = box.center[1], box.width / 2 + rng.uniform(0.2, 1.5)
    x, count = box.center[0], int(rng.integers(1, 4))
    if rng.random() < 0.25:
        return writing.zigzag(box, rng.uniform(1, 2.2), rng)
    slope = rng.normal(0, 0.08)
    return [
        writing.line(
            x - reach,
            y - slope * reach + (at - (count - 1) / 2) * 1.4 + rng.normal(0, 0.4),
            x + reach,
            y + slope * reach + (at - (count - 1) / 2) * 1.4 + rng.normal(0, 0.4),
            rng,
            0.02,
        )
        for at in range(count)
    ]


def _number_cell(
    canvas: Canvas,
    box: Box,
    what: str,
    hand: Hand,
    highest: int,
    rng: Rng,
    value: int | None = None,
) -> str:
    """Writes into a circle, a pentagon or a digit's box."""
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
        value = int(rng.integers(highest == 18, highest + 1))
    drawn = rng.random()
    if drawn < 0.03:
        _rubbed(canvas, box, hand, highest, rng)
    elif drawn < (0.08 if highest == 18 else 0.06) and hand.pen.width < 0.9:
        _corrected_beside(canvas, box, value, hand, highest, rng)
        return str(value)
    elif drawn < 0.09:
        _overwritten(canvas, box, value, hand, highest, rng)
        return str(value)
    _write(canvas, box, value, hand, rng)
    return str(value)


def _write(canvas: Canvas, box: Box, value: int, hand: Hand, rng: Rng) -> Box:
    """A number about the middle of a box, sometimes over its edge."""
    room = box.width * rng.uniform(0.78, 1.06)
    spread = 0.25 + 0.35 * hand.care
    height = None
    if rng.random() < 0.05:
        # In a hurry: half beside the field, or too large for it.
        spread, room = rng.uniform(0.5, 1.1), box.width * rng.uniform(0.8, 1.3)
        height = hand.height * rng.uniform(0.9, 1.4)
    x, y = jittered(box, spread, rng)
    share = 1.0 if box.width > 9 else 0.7
    center = (x + hand.off[0] * share, y + hand.off[1])
    return writing.number(canvas, hand, str(value), center, room, rng, height)


def _struck(canvas: Canvas, box: Box, hand: Hand, highest: int, rng: Rng) -> None:
    drawn = rng.random()
    pen = worn(hand.pen, rng)
    if drawn < 0.14:
        # Nothing but a cross, a scribble or a dash.
        x, y = jittered(box, 0.6, rng)
        half = min(box.width, box.height) / 2 * rng.uniform(0.6, 1.15)
        choice = rng.random()
        if choice < 0.45:
            canvas.draw(writing.saltire(x, y, half, rng), pen, rng)
        elif choice < 0.75:
            inner = Box(x - half, y - half, 2 * half, 2 * half)
            canvas.draw(writing.zigzag(inner, rng.uniform(0.7, 1.6), rng), pen, rng)
        else:
            slope = rng.normal(0, 0.12) * half
            canvas.draw([writing.line(x - half, y + slope, x + half, y - slope, rng)], pen, rng)
        return
    value = int(rng.integers(highest == 18, highest + 1))
    there = _write(canvas, box, value, hand, rng)
    # One line could be the bar of a seven, or make a zero of an o.
    canvas.draw(writing.strike(there, rng, 2 if value in (0, 1, 7) else 1), pen, rng)


def _other_number(canvas: Canvas, box: Box, hand: Hand, highest: int, rng: Rng) -> None:
    """What is no number, or none that can stand there, or cannot be read."""
    center = jittered(box, 0.5, rng)
    room = box.width * rng.uniform(0.85, 1.15)
    pen = worn(hand.pen, rng)
    drawn = rng.random()
    if drawn < 0.3:
        text = writing.any_letters(rng)
        height = rng.uniform(4.2, 7) if len(text) == 1 else rng.uniform(3, 4.6)
        writing.letters(canvas, text, *center, height, pen, rng)
    elif drawn < 0.62:
        if highest == 18:
            value = "0" if rng.random() < 0.15 else str(rng.integers(19, 100))
        else:
            value = str(rng.integers(10, 109))
        writing.number(canvas, hand, value, center, room * 1.05, rng)
    elif drawn < 0.86:
        draw = writing.doodle if rng.random() < 0.65 else writing.squiggle
        canvas.draw(draw(*center, rng.uniform(4, 8), rng), pen, rng)
    else:
        # Two numbers on top of each other, and none is the stronger.
        for one in rng.choice(np.arange(2, highest + 1), 2, replace=False):
            writing.number(canvas, hand, str(one), center, room, rng)


def _corrected_beside(
    canvas: Canvas, box: Box, value: int, hand: Hand, highest: int, rng: Rng
) -> None:
    """A number struck out, and the right one small beside it, above it, or in between."""
    x, y = box.center
    size = rng.uniform(3.4, 4.6)
    wrong = str(rng.integers(1, highest + 1))
    drawn = rng.random()
    if highest < 10:
        # A digit's box is narrow: rather a little to the side and higher.
        dx, dy, room = rng.uniform(0.6, 2.0), rng.uniform(0.8, 2.2), 4.2
    elif drawn < 0.45:
        dx, dy, room = rng.uniform(2.2, 3.2), rng.normal(0, 0.5), 4.8
    elif drawn < 0.8:
        dx, dy, room = rng.normal(0, 0.8), rng.uniform(2.2, 2.9), 7.0
    else:
        dx, dy, room = rng.uniform(1.4, 2.4), rng.uniform(1.2, 2.2), 5.4
    old, new = (x - dx, y + dy), (x + dx, y - dy)
    if rng.random() < 0.2:
        old, new = new, old
    there = writing.number(canvas, hand, wrong, old, room, rng, size)
    ways = writing.strike(there, rng, 2)
    canvas.draw([_toward(way, there.center, 0.85) for way in ways], worn(hand.pen, rng), rng)
    writing.number(canvas, hand, str(value), new, room, rng, size)


def _toward(
    way: npt.NDArray[np.float32], center: tuple[float, float], factor: float
) -> npt.NDArray[np.float32]:
    middle = np.array(center, np.float32)
    return (way - middle) * np.float32(factor) + middle


def _overwritten(canvas: Canvas, box: Box, value: int, hand: Hand, highest: int, rng: Rng) -> None:
    """A number written so firmly over another that it counts."""
    wrong = int(rng.integers(1, highest + 1))
    thin = pencil(rng, rng.uniform(0.3, 0.45))
    center = jittered(box, 0.3, rng)
    writing.number(canvas, hand, str(wrong), center, box.width * 0.9, rng, None, thin)
    bold = Pen("gel", rng.uniform(0.75, 1.3), (0.1, 0.08, 0.08), 1.0, 0.0, 0.05, 0.1)
    writing.number(canvas, hand, str(value), center, box.width * 0.9, rng, None, bold)


def _rubbed(canvas: Canvas, box: Box, hand: Hand, highest: int, rng: Rng) -> None:
    """A number that was rubbed out."""
    value = str(rng.integers(1, highest + 1))
    pen = pencil(rng, 0.9)
    center = jittered(box, 0.6, rng)

    def drawn(layer: Canvas) -> None:
        writing.number(layer, hand, value, center, box.width, rng, None, pen)

    writing.ghost(canvas, box, rng.uniform(0.03, 0.13), rng, drawn)


def _nuisance(canvas: Canvas, box: Box, hand: Hand, highest: int, rng: Rng) -> None:
    """Something in an empty field that nobody wrote there."""
    drawn = rng.random()
    if drawn < 0.5:
        _rubbed(canvas, box, hand, highest, rng)
    elif drawn < 0.75:
        for _ in range(int(rng.integers(1, 4))):
            x, y = jittered(box, 2.2, rng)
            writing.smudge(canvas, x, y, rng.uniform(0.2, 0.8), rng.uniform(0.4, 1), rng)
    else:
        x, y = jittered(box, 2, rng)
        writing.smudge(canvas, x, y, rng.uniform(2, 8), rng.uniform(0.06, 0.3), rng)


# Marks


def _mark_cell(canvas: Canvas, field: Field, what: str, hand: Hand, rng: Rng) -> str:
    if what == "open":
        if rng.random() < 0.15:
            _mark_nuisance(canvas, field, hand, rng)
    elif what == "crossed":
        _cross(canvas, field, hand, rng)
    elif what == "circled":
        _ring(canvas, field.box, worn(hand.pen, rng), rng)
    else:
        _other_mark(canvas, field, hand, rng)
    return what


def _cross(canvas: Canvas, field: Field, hand: Hand, rng: Rng, pen: Pen | None = None) -> None:
    """Any mark that means it; on values it strikes them out.

    Whatever else is scribbled over a box to be crossed means it, too; there is no class for that.
    """
    pen = pen or worn(hand.pen, rng)
    box = field.box
    x, y = jittered(box, 0.35 + 0.35 * hand.care, rng)
    half = (
        box.width / 2 * (rng.uniform(0.55, 1.12) if rng.random() < 0.85 else rng.uniform(0.3, 1.35))
    )
    drawn = rng.random()
    if field.kind == "value":
        # A small one would hide behind the printed number.
        half = max(half, 2.7)
        inner = Box(x - half, y - half, 2 * half, 2 * half)
        if drawn < 0.3:
            ways = writing.saltire(x, y, half, rng)
        elif drawn < 0.5:
            ways = writing.slash(x, y, half, rng)
        elif drawn < 0.63:
            left, right = y + rng.normal(0, 0.8, 2)
            ways = [writing.line(x - half * 1.05, left, x + half * 1.05, right, rng)]
        elif drawn < 0.74:
            ways = writing.zigzag(inner, rng.uniform(0.8, 2.8), rng)
        elif drawn < 0.78:
            ways = writing.hatch(inner, rng.uniform(0.8, 1.8), rng)
        else:
            number_box = Box(x - 2.2, y - 2.2, 4.4, 4.4)
            ways = writing.strike(number_box, rng)
        canvas.draw(ways, pen, rng)
        return
    inner = Box(x - half, y - half, 2 * half, 2 * half)
    # Thin, pale shading looks like the tint that is printed there.
    if drawn < 0.42 or (drawn >= 0.88 and pen.contrast < 0.3):
        ways = writing.saltire(x, y, half, rng)
        if rng.random() < 0.08:
            ways += writing.saltire(x + rng.normal(0, 0.3), y + rng.normal(0, 0.3), half, rng)
    elif drawn < 0.59:
        ways = writing.slash(x, y, half, rng)
        if rng.random() < 0.15:
            ways += writing.slash(x, y, half, rng)
    elif drawn < 0.69:
        ways = writing.tick(x, y, half * 0.85, rng)
    elif drawn < 0.73:
        ways = writing.plus(x, y, half, rng)
    elif drawn < 0.88:
        ways = writing.zigzag(inner, rng.uniform(0.9, 3.2), rng)
    elif drawn < 0.92:
        ways = writing.hatch(inner, rng.uniform(0.8, 1.8), rng)
    elif drawn < 0.96:
        ways = writing.scribble(inner, int(rng.integers(3, 8)), rng)
    else:
        ways = writing.zigzag(inner, max(pen.width * rng.uniform(0.6, 1), 0.4), rng)
    canvas.draw(ways, pen, rng)


def _ring(canvas: Canvas, box: Box, pen: Pen, rng: Rng) -> None:
    x, y = jittered(box, 0.5, rng)
    size = rng.uniform(0.6, 0.98) if rng.random() < 0.6 else rng.uniform(0.98, 1.26)
    wide, tall = (
        min(side / 2 * size * math.exp(rng.normal(0, 0.07)), side / 2 + 1.2)
        for side in (box.width, box.height)
    )
    # One with the box's corners and just its size would hide in the printed line.
    is_round = 0.82 < size < 1.1
    canvas.draw(writing.ring(x, y, wide, tall, rng, is_round), pen, rng)


def _other_mark(canvas: Canvas, field: Field, hand: Hand, rng: Rng) -> None:
    """What means nothing that a value can: letters, numbers, ticks, a ring taken back."""
    center = jittered(field.box, 0.5, rng)
    pen = worn(hand.pen, rng)
    drawn = rng.random()
    if drawn < 0.5:
        _ring(canvas, field.box, pen, rng)
        half = field.box.width / 2 * rng.uniform(0.7, 1.15)
        draw = writing.saltire if rng.random() < 0.7 else writing.slash
        canvas.draw(draw(*center, half, rng), worn(pen, rng), rng)
    elif drawn < 0.62:
        canvas.draw(writing.tick(*center, rng.uniform(1.6, 3.5), rng), pen, rng)
    elif drawn < 0.72:
        text = writing.any_letters(rng)
        writing.letters(canvas, text, *center, rng.uniform(3.5, 6), pen, rng)
    elif drawn < 0.84:
        writing.number(canvas, hand, str(rng.integers(2, 30)), center, 8, rng)
    else:
        canvas.draw(writing.doodle(*center, rng.uniform(4, 8), rng), pen, rng)


def _mark_nuisance(canvas: Canvas, field: Field, hand: Hand, rng: Rng) -> None:
    box = field.box
    drawn = rng.random()
    if drawn < 0.6:
        pen = pencil(rng, 0.9)

        def rubbed(layer: Canvas) -> None:
            if field.kind == "value" and rng.random() < 0.5:
                _ring(layer, box, pen, rng)
            else:
                _cross(layer, field, hand, rng, pen)

        writing.ghost(canvas, box, rng.uniform(0.03, 0.13), rng, rubbed)
    elif drawn < 0.85:
        for _ in range(int(rng.integers(1, 4))):
            x, y = jittered(box, 2.2, rng)
            writing.smudge(canvas, x, y, rng.uniform(0.2, 0.7), rng.uniform(0.4, 1), rng)
    else:
        x, y = jittered(box, 2, rng)
        writing.smudge(canvas, x, y, rng.uniform(2, 7), rng.uniform(0.06, 0.25), rng)


def jittered(box: Box, by: Millimetres, rng: Rng) -> tuple[float, float]:
    """A place near a box's centre."""
    x, y = box.center
    dx, dy = np.clip(rng.normal(0, by, 2), -2.2 * by, 2.2 * by)
    return x + float(dx), y + float(dy)
