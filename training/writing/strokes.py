"""Strokes that mean something by themselves: lines, crosses, ticks, rings, zigzags and strike-outs.

All coordinates are millimetres on the pad. Each function returns the polylines of a pen.
"""

from __future__ import annotations

import math

import numpy as np

from companion.core.sheet import Box, Millimetres
from training import Rng
from training.writing.pens import Way, curve


def line(
    x1: float, y1: float, x2: float, y2: float, rng: Rng, bow: float = 0.03, points: int = 9
) -> Way:
    """An almost straight line, drawn by hand.

    Args:
        bow: standard deviation of the sag, as a share of the length.
        points: of the polyline.
    """
    at = np.linspace(0, 1, points)
    dx, dy = x2 - x1, y2 - y1
    sag = rng.normal(0, bow) * 4 * at * (1 - at) + rng.normal(0, bow / 3) * np.sin(at * math.tau)
    if rng.random() < 0.1:
        # The pen still moves while it is lifted.
        sag[-1] += rng.normal(0, 0.05)
    shaky = rng.normal(0, 0.03, (2, points))
    way = np.stack((x1 + at * dx - sag * dy + shaky[0], y1 + at * dy + sag * dx + shaky[1]), axis=1)
    return way.astype(np.float32)


def saltire(x: float, y: float, half: Millimetres, rng: Rng) -> list[Way]:
    """A diagonal cross, sometimes drawn without lifting the pen; `half` is half its size."""
    tall = half * math.exp(rng.normal(0, 0.14))
    wide = half * math.exp(rng.normal(0, 0.14))

    def end() -> float:
        return 1 + rng.normal(0, 0.16)

    first = line(x - wide * end(), y - tall * end(), x + wide * end(), y + tall * end(), rng, 0.05)
    second = line(x + wide * end(), y - tall * end(), x - wide * end(), y + tall * end(), rng, 0.05)
    if rng.random() < 0.5:
        first, second = second[::-1], first
    if rng.random() < 0.08:
        side = (first[-1] + second[0]) / 2 + np.array((rng.uniform(-0.3, 0.8) * half, 0))
        turns = (first[0], first[4], first[-1], side, second[0])
        joined = curve([(float(point[0]), float(point[1])) for point in turns])
        return [np.concatenate((joined, second)).astype(np.float32)]
    return [first, second]


def plus(x: float, y: float, half: Millimetres, rng: Rng) -> list[Way]:
    """An upright cross."""
    a, b, c, d = half * (1 + rng.normal(0, 0.15, 4))
    lean = rng.normal(0, 0.12) * half
    return [
        line(x - a, y + lean, x + b, y - lean, rng, 0.05),
        line(x + lean, y - c, x - lean, y + d, rng, 0.05),
    ]


def slash(x: float, y: float, half: Millimetres, rng: Rng) -> list[Way]:
    """A single diagonal stroke in either direction, often steep or flat."""
    angle = math.radians(rng.choice((45, 135)) + rng.normal(0, 14))
    dx, dy = half * 1.25 * math.cos(angle), half * 1.25 * math.sin(angle)
    a, b = 1 + rng.normal(0, 0.12, 2)
    # A stroke from the wrist is bowed.
    bow = 0.05 if rng.random() < 0.75 else 0.16
    return [line(x - dx * a, y - dy * a, x + dx * b, y + dy * b, rng, bow)]


def tick(x: float, y: float, half: Millimetres, rng: Rng) -> list[Way]:
    """A check mark."""
    low = (x - half * rng.uniform(0.1, 0.5), y + half * rng.uniform(0.5, 1))
    start = (x - half * rng.uniform(0.6, 1.1), y + half * rng.uniform(-0.3, 0.4))
    end = (x + half * rng.uniform(0.6, 1.4), y - half * rng.uniform(0.6, 1.3))
    if rng.random() < 0.5:
        return [np.concatenate((line(*start, *low, rng), line(*low, *end, rng)[1:]))]
    return [curve([start, low, ((low[0] + end[0]) / 2, (low[1] + end[1]) / 2), end])]


def zigzag(box: Box, step: Millimetres, rng: Rng) -> list[Way]:
    """A zigzag line across a box; `step` is the distance between its turns."""
    points = _corners(box, step, rng)
    if len(points) < 3:
        return [line(box.x, box.center[1], box.x + box.width, box.center[1], rng)]
    if rng.random() < 0.5:
        return [curve(points, 5)]
    return [np.array(points, np.float32)]


def hatch(box: Box, step: Millimetres, rng: Rng) -> list[Way]:
    """Hatching: parallel lines at a distance of `step`."""
    corners = _corners(box, step / 2, rng)
    return [line(*a, *b, rng, 0.02, 4) for a, b in zip(corners[:-1:2], corners[1::2], strict=False)]


def _corners(box: Box, step: Millimetres, rng: Rng) -> list[tuple[float, float]]:
    """Points that alternate between opposite sides of a box and advance by `step`."""
    angle = float(rng.choice((0, 0.25, -0.25, 0.5))) * math.pi + rng.normal(0, 0.2)
    shaky = rng.uniform(0.08, 0.5)
    cosine, sine = math.cos(angle), math.sin(angle)
    half_wide, half_tall = box.width / 2, box.height / 2
    reach = half_wide * abs(sine) + half_tall * abs(cosine)
    points = []
    for count, at in enumerate(np.arange(-reach, reach + step, step)):
        side = 1 if count % 2 else -1
        foot_x, foot_y = -sine * at, cosine * at
        # The distance to the edge of the box along the line.
        room = min(
            (half - side * math.copysign(1, slope) * foot) / abs(slope)
            for half, slope, foot in ((half_wide, cosine, foot_x), (half_tall, sine, foot_y))
            if abs(slope) > 0.05
        )
        length = side * max(room, 0.2) * rng.uniform(0.85, 1.08)
        x, y = box.center
        jitter = rng.normal(0, shaky, 2)
        points.append(
            (x + foot_x + cosine * length + jitter[0], y + foot_y + sine * length + jitter[1])
        )
    return points


def scribble(box: Box, turns: int, rng: Rng) -> list[Way]:
    """Loops all over a box; `turns` is their number."""
    x, y = box.center
    angle = rng.uniform(0, math.tau)
    points = []
    for _ in range(turns * 4):
        angle += rng.normal(math.pi / 2, 0.35)
        reach = rng.uniform(0.35, 1.02)
        points.append(
            (
                x + box.width / 2 * reach * math.cos(angle) + rng.normal(0, 0.1),
                y + box.height / 2 * reach * math.sin(angle) + rng.normal(0, 0.1),
            )
        )
    return [curve(points, 6)]


def ring(
    x: float, y: float, wide: float, tall: float, rng: Rng, is_round: bool = False
) -> list[Way]:
    """A ring with one or two turns, which often does not close.

    Args:
        wide, tall: half its width and half its height.
        is_round: an ellipse; otherwise it may tend to a rectangle.
    """
    turns = rng.uniform(0.86, 1.2) if rng.random() < 0.82 else rng.uniform(1.5, 2.2)
    start = rng.uniform(-2.4, -0.6) if rng.random() < 0.75 else rng.uniform(0, math.tau)
    sign = -1 if rng.random() < 0.75 else 1
    count = int(30 * turns)
    angle = start + sign * np.linspace(0, turns * math.tau, count)
    # A superellipse: from an ellipse to a square with round corners, which traces a box.
    square = 2.0 if is_round or rng.random() < 0.65 else rng.uniform(2.5, 5)
    cosine, sine = np.cos(angle), np.sin(angle)
    radius = (np.abs(cosine) ** square + np.abs(sine) ** square) ** (-1 / square)
    drift = 1 + rng.normal(0, 0.08) * np.linspace(-0.5, 0.5, count)
    wobble = (
        1
        + rng.normal(0, 0.03) * np.sin(2 * angle + rng.uniform(0, 6))
        + rng.normal(0, 0.02) * np.sin(3 * angle + rng.uniform(0, 6))
    )
    radius = radius * drift * wobble
    lean = rng.normal(0, 0.06)
    px, py = wide * radius * cosine, tall * radius * sine
    return [np.stack((x + px - lean * py, y + py + lean * px), axis=1).astype(np.float32)]


def strike(box: Box, rng: Rng, least: int = 1) -> list[Way]:
    """A strike-out: one to three lines through a number, a cross over it, or a scribble.

    Args:
        least: the least number of lines.
    """
    x, y = box.center
    half_wide, half_tall = box.width / 2 + rng.uniform(0.8, 1.8), box.height / 2
    drawn = rng.random()
    if drawn < 0.45:
        count = max(int(rng.integers(1, 4)), least)
        ways = []
        slope = (
            rng.normal(0, 0.2)
            if rng.random() < 0.5
            else rng.choice((-1, 1)) * (half_tall * rng.uniform(0.7, 1.2) / half_wide)
        )
        for at in range(count):
            shift = (at - (count - 1) / 2) * min(box.height / (count + 1), 1.8) + rng.normal(0, 0.2)
            dy = slope * half_wide
            ways.append(
                line(x - half_wide, y - dy + shift, x + half_wide, y + dy + shift, rng, 0.04)
            )
        return ways
    if drawn < 0.7:
        size = max(half_wide, half_tall) * rng.uniform(0.85, 1.15)
        return saltire(x, y, size, rng)
    wider = Box(box.x - 0.5, box.y - 0.2, box.width + 1, box.height + 0.4)
    if drawn < 0.86:
        return zigzag(wider, rng.uniform(0.6, 1.3), rng)
    return scribble(wider, int(rng.integers(3, 8)), rng)
