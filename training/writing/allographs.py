"""Digits drawn from allographs: shapes that schools teach and that the collections lack.

Allographs differ from country to country: a one with a long upstroke or none, a seven with a bar or
without, a four open at the top or closed, a nine with a straight leg or a hook. The collections
have few writers of some of them. Here each allograph is a handful of points, which are displaced
for each hand, and again for each digit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, TypeAlias

import numpy as np

from training import Rng
from training.writing.digits import Digit, Hands, Strokes, render
from training.writing.pens import Way, curve

Run: TypeAlias = tuple[tuple[float, float], ...]
"""Points of a smooth curve: x and y from 0 to 1, y down."""
Stroke: TypeAlias = tuple[Run, ...]
"""Curves that meet in corners: each begins where the previous one ends."""
Allograph: TypeAlias = tuple[Stroke, ...]

HANDS: Final = 320
"""The number of hands."""
EXAMPLES: Final = 5
"""The number of examples of each digit by each hand."""
OF_HAND, OF_DIGIT = 0.055, 0.028
"""Standard deviations of the displacements of points, for each hand and for each digit."""

_OVAL: Final[Run] = (
    (0.55, 0.0), (0.16, 0.14), (0.0, 0.55), (0.2, 0.92), (0.5, 1.0), (0.84, 0.86), (1.0, 0.48),
    (0.86, 0.13), (0.5, 0.0),
)  # fmt: skip
_BELLY: Final[Run] = ((0.12, 0.44), (0.6, 0.36), (0.97, 0.66), (0.62, 0.99), (0.0, 0.92))
_LOOP: Final[Run] = ((0.9, 0.14), (0.45, 0.0), (0.02, 0.28), (0.4, 0.54), (0.88, 0.22))

SHAPES: Final[Mapping[int, tuple[tuple[float, Allograph], ...]]] = {
    0: (
        (6, ((_OVAL,),)),
        (2, (((*_OVAL, (0.2, 0.08)),),)),  # its end goes on inside
        (1, (((*_OVAL[:-1], (0.72, 0.02)),),)),  # not quite closed
        (1, ((_OVAL,), (((1.0, 0.02), (0.0, 0.98)),))),
    ),
    1: (
        (3, ((((0.5, 0.0), (0.5, 1.0)),),)),
        (3, ((((0.15, 0.28), (0.5, 0.0)), ((0.5, 0.0), (0.5, 1.0))),)),
        (3, ((((0.0, 0.5), (0.5, 0.0)), ((0.5, 0.0), (0.5, 1.0))),)),
        (2, ((((0.0, 0.72), (0.3, 0.4), (0.55, 0.0)), ((0.55, 0.0), (0.5, 1.0))),)),
        (1, ((((0.1, 0.3), (0.5, 0.0)), ((0.5, 0.0), (0.5, 1.0))), (((0.1, 1.0), (0.9, 1.0)),))),
    ),
    2: (
        (4, ((((0.04, 0.24), (0.42, 0.0), (0.86, 0.24), (0.62, 0.6), (0.0, 1.0)),
              ((0.0, 1.0), (1.0, 0.98))),)),
        (2, ((((0.04, 0.22), (0.45, 0.0), (0.86, 0.26), (0.5, 0.72), (0.12, 0.98), (0.06, 0.84),
               (0.3, 0.82), (0.62, 0.98), (1.0, 0.92)),),)),
        (2, ((((0.02, 0.12), (0.5, 0.0), (0.85, 0.12), (0.5, 0.58), (0.0, 1.0)),
              ((0.0, 1.0), (0.5, 0.9), (1.0, 1.0))),)),
        (1, ((((0.0, 0.08), (0.9, 0.02)), ((0.9, 0.02), (0.0, 1.0)), ((0.0, 1.0), (1.0, 1.0))),)),
    ),
    3: (
        (4, ((((0.06, 0.14), (0.48, 0.0), (0.86, 0.2), (0.4, 0.45)),
              ((0.4, 0.45), (0.94, 0.7), (0.52, 1.0), (0.0, 0.86))),)),
        (2, ((((0.06, 0.14), (0.5, 0.0), (0.86, 0.2), (0.55, 0.44), (0.6, 0.46), (0.95, 0.72),
               (0.52, 1.0), (0.0, 0.86)),),)),
        (3, ((((0.06, 0.02), (0.9, 0.0)), ((0.9, 0.0), (0.4, 0.42)),
              ((0.4, 0.42), (0.92, 0.6), (0.72, 0.95), (0.0, 0.94))),)),
        (1, ((((0.1, 0.1), (0.85, 0.05)), ((0.85, 0.05), (0.35, 0.45)),
              ((0.35, 0.45), (0.9, 0.62)), ((0.9, 0.62), (0.5, 0.9), (0.0, 1.0))),)),
    ),
    4: (
        (4, ((((0.3, 0.0), (0.0, 0.6)), ((0.0, 0.6), (1.0, 0.58))), (((0.72, 0.3), (0.66, 1.0)),))),
        (3, ((((0.74, 0.0), (0.0, 0.66)), ((0.0, 0.66), (1.0, 0.66))),
             (((0.74, 0.0), (0.74, 1.0)),))),
        (2, ((((0.1, 0.0), (0.04, 0.3), (0.12, 0.5), (0.9, 0.48)),),
             (((0.84, 0.05), (0.8, 1.0)),))),
        (2, ((((0.3, 0.0), (0.0, 0.62)), ((0.0, 0.62), (0.9, 0.5))),
             (((0.6, 0.34), (0.44, 1.0)),))),
        (1, ((((0.8, 1.0), (0.8, 0.0)), ((0.8, 0.0), (0.0, 0.64)), ((0.0, 0.64), (1.0, 0.64))),)),
    ),
    5: (
        (4, ((((0.18, 0.0), _BELLY[0]), _BELLY), (((0.18, 0.02), (0.94, 0.0)),))),
        (3, ((((0.92, 0.0), (0.2, 0.02)), ((0.2, 0.02), _BELLY[0]), _BELLY),)),
        (2, ((((0.9, 0.02), (0.28, 0.08), (0.2, 0.4), (0.8, 0.56), (0.66, 0.96), (0.0, 0.92)),),)),
        (1, ((((0.22, 0.06), (0.12, 0.4), (0.85, 0.5), (0.7, 0.95), (0.0, 0.94)),),
             (((0.3, 0.04), (1.0, 0.0)),))),
    ),
    6: (
        (4, ((((0.8, 0.0), (0.26, 0.3), (0.0, 0.72), (0.42, 1.0), (0.92, 0.78), (0.6, 0.55),
               (0.08, 0.72)),),)),
        (2, ((((0.55, 0.0), (0.12, 0.4), (0.02, 0.75), (0.42, 1.0), (0.9, 0.78), (0.62, 0.58),
               (0.06, 0.76)),),)),
        (2, ((((0.5, 0.0), (0.06, 0.45), (0.2, 0.94), (0.7, 0.96), (0.95, 0.66), (0.6, 0.4),
               (0.12, 0.6)),),)),
        (1, ((((0.3, 0.0), (0.0, 0.5), (0.18, 0.92), (0.5, 1.0), (0.9, 0.8), (0.6, 0.56),
               (0.2, 0.7)),),)),
    ),
    7: (
        (3, ((((0.0, 0.04), (1.0, 0.0)), ((1.0, 0.0), (0.36, 1.0))),)),
        (4, ((((0.0, 0.04), (1.0, 0.0)), ((1.0, 0.0), (0.36, 1.0))),
             (((0.24, 0.5), (0.94, 0.46)),))),
        (2, ((((0.02, 0.2), (0.06, 0.02)), ((0.06, 0.02), (1.0, 0.02)),
              ((1.0, 0.02), (0.5, 0.5), (0.38, 1.0))),)),
        (2, ((((0.0, 0.1), (0.4, 0.02), (0.98, 0.04), (0.6, 0.5), (0.42, 1.0)),),
             (((0.2, 0.52), (0.92, 0.5)),))),
    ),
    8: (
        (4, ((((0.84, 0.14), (0.45, 0.0), (0.14, 0.22), (0.5, 0.48), (0.92, 0.76), (0.5, 1.0),
               (0.08, 0.78), (0.46, 0.5), (0.86, 0.22), (0.74, 0.08)),),)),
        (2, ((((0.5, 0.0), (0.14, 0.22), (0.5, 0.46), (0.86, 0.22), (0.5, 0.0)),),
             (((0.5, 0.46), (0.04, 0.74), (0.5, 1.0), (0.96, 0.74), (0.5, 0.46)),))),
        (2, ((((0.9, 0.06), (0.3, 0.06), (0.24, 0.34), (0.8, 0.68), (0.5, 1.0), (0.1, 0.8),
               (0.5, 0.45), (0.95, 0.0)),),)),
    ),
    9: (
        (3, ((_LOOP, ((0.88, 0.22), (0.92, 0.08), (0.8, 1.0))),)),
        (3, ((_LOOP, ((0.88, 0.22), (0.92, 0.1), (0.88, 0.75), (0.5, 1.0), (0.04, 0.9))),)),
        (2, ((_LOOP,), (((0.9, 0.08), (0.86, 1.0)),))),
        (1, (((*_LOOP[:-1], (0.86, 0.4)),), (((0.9, 0.06), (0.84, 0.8), (0.4, 1.0)),))),
        (1, ((((0.6, 0.04), (0.1, 0.1), (0.06, 0.4), (0.4, 0.5), (0.86, 0.3)),
              ((0.86, 0.3), (0.86, 0.06)), ((0.86, 0.06), (0.72, 1.0))),)),
    ),
}  # fmt: skip
"""Digit → (relative frequency, allograph) of each way to write it."""


@cache
def hands() -> Hands:
    """Writer → label → digits, for training only; always the same."""
    rng = np.random.default_rng(20261121)
    return {
        f"drawn:{n:03}": {label: tuple(_written(label, f"drawn:{n:03}", rng)) for label in SHAPES}
        for n in range(HANDS)
    }


def _written(label: int, writer: str, rng: Rng) -> Iterator[Digit]:
    """A hand's examples of one digit."""
    shares = np.array([share for share, _ in SHAPES[label]], np.float64)
    ways = rng.choice(len(shares), 2, p=shares / shares.sum())
    wide = rng.uniform(0.45, 0.85)
    moved = [_moved(SHAPES[label][way][1], OF_HAND, rng) for way in ways]
    for _ in range(EXAMPLES):
        # Most people write a digit in one way, and sometimes in another.
        shape = _moved(moved[int(rng.random() < 0.15)], OF_DIGIT, rng)
        strokes: Strokes = tuple(_way(stroke) * np.float32((wide, 1)) for stroke in shape)
        yield Digit(label, writer, render(strokes), strokes)


def _moved(shape: Allograph, by: float, rng: Rng) -> Allograph:
    """The allograph with every point displaced; curves still meet."""
    offsets: dict[tuple[float, float], tuple[float, float]] = {}

    def moved(point: tuple[float, float]) -> tuple[float, float]:
        if point not in offsets:
            dx, dy = rng.normal(0, by, 2)
            offsets[point] = (point[0] + float(dx), point[1] + float(dy))
        return offsets[point]

    return tuple(tuple(tuple(map(moved, run)) for run in stroke) for stroke in shape)


def _way(stroke: Stroke) -> Way:
    return np.concatenate([curve(run) for run in stroke])
