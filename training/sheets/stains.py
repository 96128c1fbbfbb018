"""Damage to a sheet on a game table: coffee, folds, dirt, and show-through."""

from __future__ import annotations

import math

import cv2
import numpy as np

from training import Rng
from training.writing import scribbles, strokes
from training.writing.pens import PX_PER_MM, Canvas, Pen, paint, pencil


def _anywhere(canvas: Canvas, rng: Rng) -> tuple[float, float]:
    return canvas.x + rng.uniform(0, canvas.width), canvas.y + rng.uniform(0, canvas.height)


def add_show_through(canvas: Canvas, rng: Rng) -> None:
    """Adds show-through of writing on the back, to few sheets."""
    if rng.random() > 0.06:
        return
    layer = Canvas(np.full_like(canvas.picture, 255), canvas.x, canvas.y)
    pen = pencil(rng, 1)
    for _ in range(int(rng.integers(4, 14))):
        x, y = _anywhere(canvas, rng)
        if rng.random() < 0.5:
            scribbles.letters(layer, scribbles.any_letters(rng), x, y, rng.uniform(3, 7), pen, rng)
        else:
            layer.draw(strokes.saltire(x, y, rng.uniform(2, 5), rng), pen, rng)
    faint = cv2.GaussianBlur(layer.picture[:, ::-1], (0, 0), rng.uniform(2, 5))
    alpha = (255 - faint.max(axis=2)) * np.float32(rng.uniform(0.05, 0.22) / 255)
    paint(canvas.picture, alpha, (0.0, 0.0, 0.0))


def add_stains(canvas: Canvas, rng: Rng) -> None:
    """Adds coffee, dirt, folds and grease, each to few sheets."""
    chance = rng.random(4)
    if chance[0] < 0.04:
        _coffee(canvas, rng)
    if chance[1] < 0.05:
        for _ in range(int(rng.integers(1, 12))):
            x, y = _anywhere(canvas, rng)
            scribbles.smudge(canvas, x, y, rng.uniform(0.1, 0.5), rng.uniform(0.4, 1), rng)
    if chance[2] < 0.08:
        for _ in range(int(rng.integers(1, 3))):
            _fold(canvas, rng)
    if chance[3] < 0.04:
        x, y = _anywhere(canvas, rng)
        scribbles.smudge(canvas, x, y, rng.uniform(6, 18), rng.uniform(0.05, 0.22), rng)


def _coffee(canvas: Canvas, rng: Rng) -> None:
    """A cup's ring or a part of it: brown, darker at its edge."""
    rows, columns = canvas.picture.shape[:2]
    mask = np.zeros((rows, columns), np.uint8)
    middle = tuple(int(part) for part in rng.uniform(-0.4, 1.4, 2) * (columns, rows))
    radius = int(rng.uniform(12, 40) * PX_PER_MM)
    if rng.random() < 0.3:
        cv2.circle(mask, middle, radius // 2, 110, -1)
    width = int(rng.uniform(0.8, 4) * PX_PER_MM)
    cv2.circle(mask, middle, radius, 200, width, cv2.LINE_AA)
    mask = cv2.GaussianBlur(mask, (0, 0), rng.uniform(1, 6))
    pen = Pen("felt", 1, (0.25, 0.42, 0.58), rng.uniform(0.1, 0.5), 0.1, 0.8, 0)
    canvas.lay(mask, 0, 0, pen, rng)


def _fold(canvas: Canvas, rng: Rng) -> None:
    """A crease: one side is a little darker, and the line is bright or dirty."""
    rows, columns = canvas.picture.shape[:2]
    angle = rng.choice((0, math.pi / 2)) + rng.normal(0, 0.2)
    x0, y0 = rng.uniform(0, columns), rng.uniform(0, rows)
    y, x = np.ogrid[:rows, :columns]
    off = ((x - x0) * math.sin(angle) - (y - y0) * math.cos(angle)).astype(np.float32)
    width = rng.uniform(1.0, 4.5)
    line = np.exp(-((off / width) ** 2)) * np.float32(rng.uniform(-0.12, 0.22))
    side = (
        1
        / (1 + np.exp(-np.clip(off / rng.uniform(2, 12), -30, 30)))
        * np.float32(rng.uniform(0, 0.18))
    )
    paint(canvas.picture, np.clip(line + side, -0.1, 0.6).astype(np.float32), (0.1, 0.1, 0.1))
