"""Writes into the fields of a pad, and returns the class of what each of their boxes holds then."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Field, Mark
from training import Rng
from training.sheets.mark_fields import write_mark
from training.sheets.number_fields import LARGEST_DIGIT, LARGEST_NUMBER, write_number
from training.writing import strokes
from training.writing.hands import Hand
from training.writing.pens import Canvas, worn

SHARES: Final[Mapping[str, Mapping[str, float]]] = {
    "number": {"blank": 0.2, "number": 0.725, "struck": 0.045, "other": 0.03},
    "digits": {"blank": 0.22, "number": 0.715, "struck": 0.04, "other": 0.025},
    "cross": {"open": 0.48, "crossed": 0.52},
    "value": {"open": 0.42, "crossed": 0.27, "circled": 0.29, "other": 0.02},
}
"""Kind of field → class → its share among the boxes. `number` stands for all numbers."""


def fill_randomly(
    canvas: Canvas, field: Field, hand: Hand, fullness: float, rng: Rng
) -> tuple[str, ...]:
    """Writes something random into a field.

    Args:
        fullness: the probability that the field is not left empty regardless of `SHARES`.

    Returns:
        The class of each of the field's boxes.
    """
    if field.kind == "digits":
        return _fill_digits(canvas, field, hand, fullness, rng)
    shares = SHARES[field.kind]
    what = str(rng.choice(list(shares), p=list(shares.values())))
    if rng.random() > fullness:
        what = "blank" if field.kind == "number" else "open"
    if field.kind == "number":
        return (write_number(canvas, _writing_area(field), what, hand, LARGEST_NUMBER, rng),)
    return (write_mark(canvas, field, what, hand, rng),)


def write(canvas: Canvas, field: Field, mark: Mark, hand: Hand, rng: Rng) -> None:
    """Writes a mark into its field as people do, sometimes with a correction."""
    if field.kind == "value":
        write_mark(canvas, field, str(mark or "open"), hand, rng)
    elif field.kind == "cross":
        write_mark(canvas, field, "crossed" if mark else "open", hand, rng)
    elif field.kind == "digits":
        digits = "" if mark is None else str(int(mark))
        for cell, digit in zip(field.cells, digits.rjust(len(field.cells)), strict=True):
            value = None if digit == " " else int(digit)
            what = "blank" if value is None else "number"
            write_number(canvas, cell, what, hand, LARGEST_DIGIT, rng, value)
    else:
        what = "blank" if mark is None else "number"
        value = None if mark is None else int(mark)
        write_number(canvas, _writing_area(field), what, hand, LARGEST_NUMBER, rng, value)


def _writing_area(field: Field) -> Box:
    """The part of a field in which its number is written."""
    box = field.box
    if field.shape != "pentagon":
        return box
    # A pentagon has less room, and its centre is lower.
    return Box(box.x + 0.9, box.y + 1.6, box.width - 1.8, box.height - 2.2)


def _fill_digits(
    canvas: Canvas, field: Field, hand: Hand, fullness: float, rng: Rng
) -> tuple[str, ...]:
    """Fills digit boxes at random; now and then one line strikes all of them out."""
    if rng.random() < 0.02:
        for cell in field.cells:
            if rng.random() < 0.7:
                write_number(canvas, cell, "number", hand, LARGEST_DIGIT, rng)
        canvas.draw(_long_strike(field.box, rng), worn(hand.pen, rng), rng)
        return ("struck",) * len(field.cells)
    shares = SHARES["digits"]
    labels = []
    for cell in field.cells:
        what = str(rng.choice(list(shares), p=list(shares.values())))
        if rng.random() > fullness:
            what = "blank"
        labels.append(write_number(canvas, cell, what, hand, LARGEST_DIGIT, rng))
    return tuple(labels)


def _long_strike(box: Box, rng: Rng) -> list[npt.NDArray[np.float32]]:
    y, reach = box.center[1], box.width / 2 + rng.uniform(0.2, 1.5)
    x, count = box.center[0], int(rng.integers(1, 4))
    if rng.random() < 0.25:
        return strokes.zigzag(box, rng.uniform(1, 2.2), rng)
    slope = rng.normal(0, 0.08)
    return [
        strokes.line(
            x - reach,
            y - slope * reach + (at - (count - 1) / 2) * 1.4 + rng.normal(0, 0.4),
            x + reach,
            y + slope * reach + (at - (count - 1) / 2) * 1.4 + rng.normal(0, 0.4),
            rng,
            0.02,
        )
        for at in range(count)
    ]
