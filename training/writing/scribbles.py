"""Ink that means nothing to the reader: letters, squiggles, smudges, and what was rubbed out."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

import cv2
import numpy as np

from companion.core.sheet import Box, Millimetres
from training import Rng
from training.writing.numbers import bent, random_bend
from training.writing.pens import PX_PER_MM, Canvas, Mask, Pen, Way, curve, jittered

MASK_LIMIT: Final = 500
"""The largest side of a mask that is laid at once, in pixels."""

_LETTERS: Final = "AEHKLMNPRUVWadehkmnpruw?&%@"
"""Letters and signs that do not look like a digit, a cross or a dash."""
_FONTS: Final = (
    cv2.FONT_HERSHEY_SIMPLEX,
    cv2.FONT_HERSHEY_SCRIPT_SIMPLEX,
    cv2.FONT_HERSHEY_COMPLEX_SMALL,
    cv2.FONT_HERSHEY_PLAIN,
    cv2.FONT_HERSHEY_SCRIPT_COMPLEX,
)


def letters(
    canvas: Canvas, text: str, x: float, y: float, height: Millimetres, pen: Pen, rng: Rng
) -> None:
    """Writes text in one of OpenCV's stroke fonts, slanted and distorted.

    Args:
        x, y: the centre of the text.
        height: of capital letters.
    """
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
    dx, dy = bent(grid_x, grid_y, random_bend(height * PX_PER_MM, 0.04, rng))
    shear, turn = rng.normal(0, 0.2), rng.normal(0, 0.12)
    from_x, from_y = grid_x - columns / 2, grid_y - rows / 2
    map_x = from_x + shear * from_y - turn * from_y + columns / 2 + dx
    map_y = from_y + turn * from_x + rows / 2 + dy
    mask = cv2.remap(flat, map_x, map_y, cv2.INTER_LINEAR)[:MASK_LIMIT, :MASK_LIMIT]
    left, top = canvas.pixel(x, y)
    canvas.lay(mask, left - columns // 2, top - rows // 2, pen, rng)


def any_letters(rng: Rng) -> str:
    """One to three random letters or signs that are not a number."""
    count = int(rng.choice((1, 2, 3), p=(0.6, 0.25, 0.15)))
    return "".join(_LETTERS[int(at)] for at in rng.integers(len(_LETTERS), size=count))


def squiggle(x: float, y: float, size: Millimetres, rng: Rng) -> list[Way]:
    """A random curve without meaning, `size` across."""
    half = size / 2
    points = [
        (x + rng.uniform(-half, half), y + rng.uniform(-half, half))
        for _ in range(int(rng.integers(4, 9)))
    ]
    return [curve(points)]


def smudge(
    canvas: Canvas, x: float, y: float, size: Millimetres, strength: float, rng: Rng
) -> None:
    """Draws a blot or a smear: dirt, grease, a finger on wet ink."""
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


def dirt(canvas: Canvas, box: Box, rng: Rng) -> None:
    """Draws some small blots near the middle of a box."""
    for _ in range(int(rng.integers(1, 4))):
        x, y = jittered(box, 2.2, rng)
        smudge(canvas, x, y, rng.uniform(0.2, 0.8), rng.uniform(0.4, 1), rng)


def ghost(
    canvas: Canvas, box: Box, contrast: float, rng: Rng, drawn: Callable[[Canvas], object]
) -> None:
    """Draws the remains of something that was rubbed out in and around a box.

    Args:
        contrast: of the remains with the paper, 0 to 1.
        drawn: draws on a canvas what was rubbed out.
    """
    around_it: Millimetres = 2.5
    left, top = canvas.pixel(box.x - around_it, box.y - around_it)
    width, height = (
        min(round((side + 2 * around_it) * PX_PER_MM), MASK_LIMIT)
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
    """The mask smeared in a random direction."""
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
