"""Fills in the fields of a pad: numbers, crosses, rings and strike-outs."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np

from benchmarks.photos.writing.hands import Points
from benchmarks.photos.writing.writer import Writer
from companion.core.sheet import Box

STROKES_FROM: Final = 0.35  # how careless people are who strike a field out instead of writing 0


def fill_fields(writer: Writer) -> None:
    """Writes every mark into its field."""
    for field in writer.paper.fields:
        mark = writer.filled.marks[field.id]
        box = writer.on_paper(field.box)
        if field.kind == "number":
            writer.number_field(mark, box)
        elif field.kind == "points" and mark is not None:
            _write_points(writer, int(mark), box, field.is_struck)
        elif field.kind == "digits":
            writer.digits_field(mark, tuple(map(writer.on_paper, field.cells)))
        elif field.kind == "cross" and mark:
            draw_cross(writer, box, writer.style.cross)
        elif field.kind == "value" and mark == "circled":
            draw_ring(writer, box)
        elif field.kind == "value" and mark == "crossed":
            draw_cross(writer, box, writer.style.strike)


def _write_points(writer: Writer, points: int, box: Box, is_struck: bool) -> None:
    """A number in a wide box; of 0 some people make a stroke, and always the same one."""
    if points or not is_struck or writer.style.sloppy < STROKES_FROM:
        x, y = box.center
        x += box.width * float(writer.rng.uniform(-0.1, 0.1))
        writer.number(points, x, y, min(0.95, box.height / 8.5), box.width * 0.7)
        return
    side = box.height * 1.2
    middle = Box(box.center[0] - side / 2, box.y, side, box.height)
    draw_cross(writer, middle, writer.style.strike)


def _line(
    writer: Writer, start: tuple[float, float], end: tuple[float, float], bow: float | None = None
) -> Points:
    """A quick stroke, slightly bowed and with a hook at its end."""
    bow = float(writer.rng.normal(0, 0.05)) if bow is None else bow
    t = np.linspace(0, 1, 24)[:, None]
    a, b = np.array(start), np.array(end)
    side = np.array([a[1] - b[1], b[0] - a[0]])
    curve = a + (b - a) * t + side * bow * 4 * t * (1 - t)
    hook = side * writer.rng.normal(0, 0.03) * np.maximum(t - 0.8, 0) * 5
    return np.asarray(curve + hook, np.float32)


def draw_cross(writer: Writer, box: Box, how: str) -> None:
    """Crosses a box, `how` as in `WritingStyle.cross` and `WritingStyle.strike`."""
    rng = writer.rng
    sloppy = writer.style.sloppy
    x, y = box.center
    x, y = x + rng.normal(0, 0.3 + 0.5 * sloppy), y + rng.normal(0, 0.3 + 0.5 * sloppy)
    reach = box.width / 2 * float(np.clip(rng.normal(0.84, 0.1), 0.55, 1.2))

    def corner(across: float, down: float) -> tuple[float, float]:
        off = rng.normal(0, 0.25 + 0.4 * sloppy, 2)
        return x + across * reach + off[0], y + down * reach + off[1]

    if how == "x":
        first = _line(writer, corner(-1, -1), corner(1, 1))
        second = _line(writer, corner(1, -1), corner(-1, 1))
        if sloppy > 0.55 and rng.random() < 0.5:
            # Without lifting the pen.
            back = _line(writer, tuple(first[-1]), tuple(second[0]), float(rng.normal(0.1, 0.1)))
            writer.stroke(np.concatenate([first, back[1:], second[1:]]), strength=0.95)
        else:
            writer.stroke(first)
            writer.stroke(second)
    elif how == "slash":
        writer.stroke(_line(writer, corner(1, -1), corner(-1, 1)))
    elif how == "line":
        writer.stroke(_line(writer, corner(-1.05, rng.normal(0, 0.2)), corner(1.05, -0.1)))
    elif how == "tick":
        low = corner(-0.25, 0.85)
        down = _line(writer, corner(-0.85, 0.05), low)
        up = _line(writer, low, corner(0.95, -1.05), float(rng.normal(0.06, 0.04)))
        writer.stroke(np.concatenate([down, up[1:]]))
    else:
        turns = int(rng.integers(5, 10))
        t = np.linspace(-1, 1, turns)
        side = np.where(np.arange(turns) % 2, 1.0, -1.0)
        zigzag = [
            corner(0.62 * a * 1.1 + 0.55 * s, 0.62 * a * 1.1 - 0.55 * s)
            for a, s in zip(t, side, strict=True)
        ]
        parts = [_line(writer, a, b) for a, b in pairwise(zigzag)]
        writer.stroke(np.concatenate(parts))


def draw_ring(writer: Writer, box: Box) -> None:
    """Draws a ring around a value; often it does not close exactly."""
    rng = writer.rng
    sloppy = writer.style.sloppy
    x, y = box.center
    x, y = x + rng.normal(0, 0.25 + 0.5 * sloppy), y + rng.normal(0, 0.25 + 0.5 * sloppy)
    rx, ry = box.width / 2 * (0.9 + writer.style.ring + rng.normal(0, 0.06, 2))
    start = rng.normal(-1.9, 0.5)
    sweep = 2 * np.pi * rng.normal(1.03, 0.05) * (1 if rng.random() < 0.2 else -1)
    t = np.linspace(0, 1, 70)
    angle = start + sweep * t
    away = 1 + rng.normal(0, 0.06) * (t - 0.5) + rng.normal(0, 0.02) * np.sin(2 * angle)
    away = away + rng.normal(0, 0.03) * np.cos(3 * angle + rng.uniform(0, 6))
    points = np.stack([x + rx * away * np.cos(angle), y + ry * away * np.sin(angle)], 1)
    writer.stroke(points.astype(np.float32))
