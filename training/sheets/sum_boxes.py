"""Blanks for sums as many printers might draw them.

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
from training.writing.pens import PX_PER_MM, Canvas

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
