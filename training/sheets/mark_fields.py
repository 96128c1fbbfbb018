"""Writes into cross and value fields: crosses, rings, strike-outs, nonsense."""

from __future__ import annotations

import math
from typing import Final

from companion.core.sheet import Box, Field, Millimetres
from training import Rng
from training.writing import numbers, scribbles, strokes
from training.writing.hands import Hand
from training.writing.pens import Canvas, Pen, Way, jittered, pencil, worn

RINGED: Final = 0.08
"""The share of rings among the marks on a printed number, where they are crosses, too."""


def write_mark(canvas: Canvas, field: Field, what: str, hand: Hand, rng: Rng) -> str:
    """Writes a class (`open`, `crossed`, `circled`, `other`) into a field and returns it."""
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
    """Draws a cross of any style; on a value, a strike-out.

    Any scribble on a cross field counts as a cross, so such fields have no class `other`.
    """
    pen = pen or worn(hand.pen, rng)
    box = field.box
    x, y = jittered(box, 0.35 + 0.35 * hand.care, rng)
    half = (
        box.width / 2 * (rng.uniform(0.55, 1.12) if rng.random() < 0.85 else rng.uniform(0.3, 1.35))
    )
    if field.kind == "value":
        ways = _value_cross(x, y, half, pen, rng)
    elif field.print and rng.random() < RINGED:
        _ring(canvas, box, pen, rng)
        return
    else:
        ways = _box_cross(x, y, half, pen, rng)
    canvas.draw(ways, pen, rng)


def _value_cross(x: float, y: float, half: Millimetres, pen: Pen, rng: Rng) -> list[Way]:
    """A strike-out over a printed value."""
    drawn = rng.random()
    # A smaller one would be hidden by the printed number.
    half = max(half, 2.7)
    inner = Box(x - half, y - half, 2 * half, 2 * half)
    if drawn < 0.03:
        return _filling(inner, pen, rng)
    if drawn < 0.34:
        return strokes.saltire(x, y, half, rng)
    if drawn < 0.52:
        return strokes.slash(x, y, half, rng)
    if drawn < 0.64:
        left, right = y + rng.normal(0, 0.8, 2)
        return [strokes.line(x - half * 1.05, left, x + half * 1.05, right, rng)]
    if drawn < 0.74:
        return strokes.zigzag(inner, rng.uniform(0.8, 2.8), rng)
    if drawn < 0.78:
        return strokes.hatch(inner, rng.uniform(0.8, 1.8), rng)
    return strokes.strike(Box(x - 2.2, y - 2.2, 4.4, 4.4), rng)


def _box_cross(x: float, y: float, half: Millimetres, pen: Pen, rng: Rng) -> list[Way]:
    """A cross, tick, zigzag or scribble in a cross field."""
    drawn = rng.random()
    inner = Box(x - half, y - half, 2 * half, 2 * half)
    # Thin, pale hatching would look like the printed tint.
    if drawn < 0.38 or (drawn >= 0.82 and pen.contrast < 0.3):
        ways = strokes.saltire(x, y, half, rng)
        if rng.random() < 0.08:
            ways += strokes.saltire(x + rng.normal(0, 0.3), y + rng.normal(0, 0.3), half, rng)
        return ways
    if drawn < 0.53:
        ways = strokes.slash(x, y, half, rng)
        if rng.random() < 0.15:
            ways += strokes.slash(x, y, half, rng)
        return ways
    if drawn < 0.63:
        return strokes.tick(x, y, half * 0.85, rng)
    if drawn < 0.67:
        return strokes.plus(x, y, half, rng)
    if drawn < 0.82:
        return strokes.zigzag(inner, rng.uniform(0.9, 3.2), rng)
    if drawn < 0.85:
        return strokes.hatch(inner, rng.uniform(0.8, 1.8), rng)
    if drawn < 0.96:
        return strokes.scribble(inner, int(rng.integers(3, 8)), rng)
    return _filling(inner, pen, rng)


def _filling(inner: Box, pen: Pen, rng: Rng) -> list[Way]:
    """Lines so close that they fill a box."""
    step = max(pen.width * rng.uniform(0.5, 1), 0.35)
    if rng.random() < 0.5:
        return strokes.zigzag(inner, step, rng)
    return [
        *strokes.hatch(inner, step, rng),
        *strokes.ring(*inner.center, inner.width / 2, inner.height / 2, rng),
    ]


def _ring(canvas: Canvas, box: Box, pen: Pen, rng: Rng) -> None:
    """Draws a ring around a value."""
    x, y = jittered(box, 0.5, rng)
    size = rng.uniform(0.5, 0.98) if rng.random() < 0.6 else rng.uniform(0.98, 1.26)
    wide, tall = (
        min(side / 2 * size * math.exp(rng.normal(0, 0.07)), side / 2 + 1.2)
        for side in (box.width, box.height)
    )
    # With the corners and the size of the box it would be hidden by the printed line.
    is_round = 0.82 < size < 1.1
    canvas.draw(strokes.ring(x, y, wide, tall, rng, is_round), pen, rng)


def _other_mark(canvas: Canvas, field: Field, hand: Hand, rng: Rng) -> None:
    """Draws what is no mark of a value: letters, numbers, ticks, a ring that is crossed out."""
    center = jittered(field.box, 0.5, rng)
    pen = worn(hand.pen, rng)
    drawn = rng.random()
    if drawn < 0.4:
        _ring(canvas, field.box, pen, rng)
        half = field.box.width / 2 * rng.uniform(0.7, 1.15)
        draw = strokes.saltire if rng.random() < 0.7 else strokes.slash
        canvas.draw(draw(*center, half, rng), worn(pen, rng), rng)
    elif drawn < 0.62:
        canvas.draw(strokes.tick(*center, rng.uniform(1.6, 3.5), rng), pen, rng)
    elif drawn < 0.72:
        text = scribbles.any_letters(rng)
        scribbles.letters(canvas, text, *center, rng.uniform(3.5, 6), pen, rng)
    elif drawn < 0.84:
        numbers.number(canvas, hand, str(rng.integers(2, 30)), center, 8, rng)
    else:
        canvas.draw(scribbles.squiggle(*center, rng.uniform(4, 8), rng), pen, rng)


def _mark_nuisance(canvas: Canvas, field: Field, hand: Hand, rng: Rng) -> None:
    """Draws ink in an open field that means nothing: dirt, or a mark that was rubbed out."""
    box = field.box
    drawn = rng.random()
    if drawn < 0.6:
        pen = pencil(rng, 0.9)

        def rubbed(layer: Canvas) -> None:
            if field.kind == "value" and rng.random() < 0.5:
                _ring(layer, box, pen, rng)
            else:
                _cross(layer, field, hand, rng, pen)

        scribbles.ghost(canvas, box, rng.uniform(0.03, 0.13), rng, rubbed)
    elif drawn < 0.85:
        scribbles.dirt(canvas, box, rng)
    else:
        x, y = jittered(box, 2, rng)
        scribbles.smudge(canvas, x, y, rng.uniform(2, 7), rng.uniform(0.06, 0.25), rng)
