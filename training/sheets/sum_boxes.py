"""Blanks for sums as many printers might draw them, and what people write into them.

Our own pads are only one way to print a blank: others have white boxes on a dark or coloured
ground, thin outlines or none, and a printed sign in the box.
"""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Millimetres
from training import Rng
from training.sheets.places import jittered
from training.writing import numbers, scribbles, strokes
from training.writing.hands import Hand
from training.writing.pens import PX_PER_MM, Canvas, Pen, Way, pencil, worn

UNREADABLE: Final = "x"
"""The label of ink that is no number. Other labels are the digits; "" is an empty blank."""

_GROUNDS: Final = (
    # Relative frequency, darkest and palest colour in blue, green, red.
    (0.3, (15, 15, 15), (70, 65, 65)),
    (0.1, (120, 70, 170), (190, 130, 240)),
    (0.08, (120, 60, 20), (220, 170, 90)),
    (0.08, (40, 90, 40), (120, 190, 130)),
    (0.06, (20, 90, 190), (90, 150, 240)),
    (0.06, (30, 160, 190), (110, 230, 250)),
    (0.05, (90, 40, 70), (180, 110, 140)),
    (0.17, (170, 170, 170), (225, 225, 225)),
    (0.1, (235, 235, 235), (255, 255, 255)),
)
_FONTS: Final = (cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX)
_WORDS: Final = ("BONUS", "A-O", "!", "TOTAL", "SUM", "Summe", "A+B", "Bonus", "x2", "*")


def draw_boxes(side: Millimetres, rng: Rng) -> tuple[Canvas, list[tuple[Box, Millimetres]]]:
    """A square piece of an invented sheet with blanks for sums.

    Returns:
        (the piece, its blanks, each with the width of the sign that is printed in it).
    """
    pixels = round(side * PX_PER_MM)
    frequency = np.array([ground[0] for ground in _GROUNDS])
    _, dark, pale = _GROUNDS[int(rng.choice(len(_GROUNDS), p=frequency / frequency.sum()))]
    ground = _between(dark, pale, rng)
    picture = np.empty((pixels, pixels, 3), np.uint8)
    picture[:] = ground
    is_wide = rng.random() < 0.55
    height = rng.uniform(7.4, 11.2)
    width = height * (rng.uniform(1.5, 2.4) if is_wide else rng.uniform(0.9, 1.15))
    paper = (
        tuple(rng.integers(226, 256, 3)) if rng.random() < 0.3 else (rng.integers(240, 256),) * 3
    )
    shape = str(rng.choice(("round", "pentagon", "ellipse"), p=(0.72, 0.18, 0.1)))
    radius = min(rng.uniform(0, 3), height / 3)
    line = float(
        rng.choice((0.0, rng.uniform(0.15, 0.4), rng.uniform(0.5, 1.1)), p=(0.5, 0.3, 0.2))
    )
    ink = _between((10, 10, 10), (90, 90, 90), rng) if rng.random() < 0.7 else ground
    has_signs = rng.random() < (0.7 if is_wide else 0.12)
    signs = rng.choice(("=", "+", "-"), 12)
    gap = rng.uniform(0.6, 2.2) if is_wide else rng.uniform(1.4, 5)
    stacked = rng.random() < (0.8 if is_wide else 0.25)
    boxes: list[tuple[Box, Millimetres]] = []
    first_x, first_y = rng.uniform(2.5, 5), rng.uniform(2.5, 5)
    count = 0
    down = first_y
    while down + height < side - 2:
        across = first_x + (rng.uniform(0, side / 3) if stacked else 0)
        while across + width < side - 2:
            box = Box(across, down, width, height)
            _draw_box(picture, box, shape, radius, paper, line, ink)
            sign = 0.0
            if has_signs:
                sign = width * rng.uniform(0.2, 0.33)
                _draw_sign(picture, box, sign, str(signs[count % 12]), ink, rng)
            elif not stacked and rng.random() < 0.3:
                beside = Box(across - gap, down, gap, height)
                _draw_sign(picture, beside, gap, str(signs[count % 12]), _contrary(ground), rng)
            if rng.random() < 0.3:
                _caption(picture, box, ground, rng)
            boxes.append((box, sign))
            count += 1
            across += width + gap
            if stacked:
                break
        down += height + (rng.uniform(0.6, 2) if stacked else rng.uniform(3, 8))
    return Canvas(picture, 0.0, 0.0), boxes


def _between(dark: tuple[int, ...], pale: tuple[int, ...], rng: Rng) -> tuple[int, ...]:
    mixed = rng.random()
    return tuple(round(low + (high - low) * mixed) for low, high in zip(dark, pale, strict=True))


def _contrary(color: tuple[int, ...]) -> tuple[int, ...]:
    return (245, 245, 245) if sum(color) < 330 else (30, 30, 30)


def _draw_box(
    picture: npt.NDArray[np.uint8],
    box: Box,
    shape: str,
    radius: Millimetres,
    paper: tuple[int, ...],
    line: Millimetres,
    ink: tuple[int, ...],
) -> None:
    points = _outline(box, shape, radius)
    pixels = np.round(points * PX_PER_MM * 16).astype(np.int32).reshape(-1, 1, 2)
    cv2.fillPoly(picture, [pixels], [float(part) for part in paper], cv2.LINE_AA, 4)
    if line > 0:
        color = [float(part) for part in ink]
        thick = max(round(line * PX_PER_MM), 1)
        cv2.polylines(picture, [pixels], True, color, thick, cv2.LINE_AA, 4)


def _outline(box: Box, shape: str, radius: Millimetres) -> npt.NDArray[np.float64]:
    x, y, width, height = box.x, box.y, box.width, box.height
    if shape == "pentagon":
        roof = height * 0.3
        return np.array(
            (
                (x + width / 2, y),
                (x + width, y + roof),
                (x + width, y + height),
                (x, y + height),
                (x, y + roof),
            )
        )
    if shape == "ellipse":
        angles = np.linspace(0, math.tau, 60, endpoint=False)
        return np.stack(
            (
                x + width / 2 + np.cos(angles) * width / 2,
                y + height / 2 + np.sin(angles) * height / 2,
            ),
            axis=1,
        )
    angles = np.linspace(0, math.pi / 2, 9)
    corners = []
    for turn, cx, cy in (
        (0, x + width - radius, y + height - radius),
        (1, x + radius, y + height - radius),
        (2, x + radius, y + radius),
        (3, x + width - radius, y + radius),
    ):
        around = angles + turn * math.pi / 2
        corners.append(np.stack((cx + np.cos(around) * radius, cy + np.sin(around) * radius), 1))
    return np.concatenate(corners)


def _draw_sign(
    picture: npt.NDArray[np.uint8],
    box: Box,
    room: Millimetres,
    sign: str,
    ink: tuple[int, ...],
    rng: Rng,
) -> None:
    """A printed sign in the left part of a box."""
    half = min(room * rng.uniform(0.22, 0.42), 1.6)
    x, y = box.x + room * rng.uniform(0.45, 0.65), box.center[1] + rng.normal(0, 0.2)
    thick = rng.uniform(0.15, 0.5)
    bars = {
        "-": [(half, thick, 0.0)],
        "+": [(half, thick, 0.0), (thick, half, 0.0)],
        "=": [(half, thick, -half * 0.6), (half, thick, half * 0.6)],
    }[sign]
    for wide, high, off in bars:
        corners = [
            round(at * PX_PER_MM) for at in (x - wide, y + off - high, x + wide, y + off + high)
        ]
        color = [float(part) for part in ink]
        cv2.rectangle(picture, tuple(corners[:2]), tuple(corners[2:]), color, cv2.FILLED)


def _caption(picture: npt.NDArray[np.uint8], box: Box, ground: tuple[int, ...], rng: Rng) -> None:
    """A word above a blank or left of it."""
    word = _WORDS[int(rng.integers(len(_WORDS)))]
    font = _FONTS[int(rng.integers(len(_FONTS)))]
    tall = rng.uniform(1.4, 4.5)
    scale = cv2.getFontScaleFromHeight(font, round(tall * PX_PER_MM), 2)
    thick = int(rng.integers(1, 6))
    (width, _), _ = cv2.getTextSize(word, font, scale, thick)
    if rng.random() < 0.5:
        x, y = box.center[0] * PX_PER_MM - width / 2, (box.y - rng.uniform(0.4, 1)) * PX_PER_MM
    else:
        x = (box.x - rng.uniform(0.6, 2)) * PX_PER_MM - width
        y = (box.center[1] + tall / 2) * PX_PER_MM
    color = [float(part) for part in _contrary(ground)]
    cv2.putText(picture, word, (round(x), round(y)), font, scale, color, thick, cv2.LINE_AA)


# Writing


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
        _overwritten(canvas, area, text, hand, rng)
        return text
    there = _write(canvas, area, text, hand, rng)
    _garnish(canvas, area, there, text, hand, rng)
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


def _garnish(canvas: Canvas, area: Box, there: Box, text: str, hand: Hand, rng: Rng) -> None:
    """Signs before a sum, lines below it and rings around it."""
    pen = worn(hand.pen, rng)
    gap = there.x - area.x
    drawn = rng.random()
    length = rng.uniform(1.3, 2.8)
    if drawn < 0.16 and gap > -0.3:
        # A minus sign or an equals sign stands clear of the digits.
        right = there.x - rng.uniform(0.5, 1.4)
        middle = there.center[1] + rng.normal(0, 0.4)
        lines = (0.0,) if drawn < 0.11 else (-0.7, 0.7)
        if drawn < 0.13 or gap > 1.5:
            canvas.draw(
                [
                    strokes.line(right - length, middle + off, right, middle + off, rng)
                    for off in lines
                ],
                pen,
                rng,
            )
    elif drawn < 0.19 and gap > 1.8:
        right = there.x - rng.uniform(0.5, 1.2)
        half = rng.uniform(0.8, 1.3)
        canvas.draw(strokes.plus(right - half, there.center[1], half, rng), pen, rng)
    if rng.random() < 0.07:
        bottom = there.y + there.height + rng.uniform(0.3, 0.9)
        for number in range(int(rng.integers(1, 3))):
            y = bottom + number * rng.uniform(0.6, 1.0)
            slope = rng.normal(0, 0.25)
            canvas.draw(
                [
                    strokes.line(
                        there.x - 0.6, y + slope, there.x + there.width + 0.6, y - slope, rng
                    )
                ],
                pen,
                rng,
            )
    elif rng.random() < 0.03:
        x, y = there.center
        wide, high = (
            there.width / 2 + rng.uniform(0.9, 1.8),
            there.height / 2 + rng.uniform(0.8, 1.5),
        )
        canvas.draw(strokes.ring(x, y, wide, high, rng), pen, rng)
    elif rng.random() < 0.02:
        x, y = there.x + there.width + rng.uniform(0.5, 1.0), there.y + there.height - 0.2
        canvas.draw([strokes.line(x, y, x + 0.25, y + 0.1, rng)], pen, rng)


def _struck(canvas: Canvas, area: Box, hand: Hand, rng: Rng) -> None:
    """Writes a sum that is struck out, or only a dash or a cross."""
    pen = worn(hand.pen, rng)
    x, y = jittered(area, 0.6, rng)
    half = area.height / 2 * rng.uniform(0.4, 1.0)
    drawn = rng.random()
    if drawn < 0.3:
        slope = rng.normal(0, 0.12) * half
        canvas.draw([strokes.line(x - half, y + slope, x + half, y - slope, rng)], pen, rng)
    elif drawn < 0.45:
        canvas.draw(strokes.saltire(x, y, half, rng), pen, rng)
    elif drawn < 0.55:
        inner = Box(x - half, y - half, 2 * half, 2 * half)
        canvas.draw(strokes.zigzag(inner, rng.uniform(0.7, 1.6), rng), pen, rng)
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
        draw = scribbles.doodle if rng.random() < 0.65 else scribbles.squiggle
        canvas.draw(draw(*center, rng.uniform(4, 8), rng), pen, rng)
    else:
        # Two numbers on top of each other, equally strong.
        for number in rng.choice(np.arange(12, 99), 2, replace=False):
            numbers.number(canvas, hand, str(number), center, area.width * 0.8, rng)


def _corrected(canvas: Canvas, area: Box, text: str, hand: Hand, rng: Rng) -> None:
    """Writes a wrong number, struck out, and the right one smaller beside or above it."""
    x, y = area.center
    wrong = str(random_sum(rng, area))
    if area.width > 1.4 * area.height and rng.random() < 0.6:
        size, room = rng.uniform(4, 6), area.width * 0.46
        dx, dy = area.width * rng.uniform(0.2, 0.27), rng.normal(0, 0.4)
    else:
        size, room = rng.uniform(3.2, 4.4), area.width * rng.uniform(0.5, 0.8)
        dx, dy = rng.normal(0, 0.8), rng.uniform(2.1, 2.9)
    old, new = (x - dx, y + dy), (x + dx, y - dy)
    if rng.random() < 0.2:
        old, new = new, old
    there = numbers.number(canvas, hand, wrong, old, room, rng, size)
    middle = np.array(there.center, np.float32)
    ways: list[Way] = [
        (way - middle) * np.float32(0.85) + middle for way in strokes.strike(there, rng, 2)
    ]
    canvas.draw(ways, worn(hand.pen, rng), rng)
    numbers.number(canvas, hand, text, new, room, rng, size)


def _overwritten(canvas: Canvas, area: Box, text: str, hand: Hand, rng: Rng) -> None:
    """Writes a number so firmly over another one that only the new one counts."""
    thin = pencil(rng, rng.uniform(0.3, 0.45))
    center = jittered(area, 0.3, rng)
    room = area.width * 0.85
    numbers.number(canvas, hand, str(random_sum(rng, area)), center, room, rng, None, thin)
    bold = Pen("gel", rng.uniform(0.75, 1.3), (0.1, 0.08, 0.08), 1.0, 0.0, 0.05, 0.1)
    numbers.number(canvas, hand, text, center, room, rng, None, bold)


def _rubbed(canvas: Canvas, area: Box, hand: Hand, rng: Rng) -> None:
    """Draws the remains of a number that was rubbed out."""
    text, pen, center = str(random_sum(rng, area)), pencil(rng, 0.9), jittered(area, 0.6, rng)

    def drawn(layer: Canvas) -> None:
        numbers.number(layer, hand, text, center, area.width * 0.9, rng, None, pen)

    scribbles.ghost(canvas, area, rng.uniform(0.03, 0.13), rng, drawn)


def _nuisance(canvas: Canvas, area: Box, hand: Hand, rng: Rng) -> None:
    """Draws ink in an empty blank that means nothing."""
    if rng.random() < 0.5:
        _rubbed(canvas, area, hand, rng)
        return
    for _ in range(int(rng.integers(1, 4))):
        x, y = jittered(area, 2.2, rng)
        scribbles.smudge(canvas, x, y, rng.uniform(0.2, 0.8), rng.uniform(0.4, 1), rng)
