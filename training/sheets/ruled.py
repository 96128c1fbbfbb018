"""Draws tables, printed, by pen or without lines, and cuts their cells as the reader does."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Millimetres
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.flat import light
from companion.vision.grids import cells, numbers
from companion.vision.grids.cells import FlatGrid
from companion.vision.grids.lattice import Lattice
from training import Rng
from training.writing import strokes
from training.writing.pens import PX_PER_MM, Canvas, any_pen, pencil

Point: TypeAlias = tuple[Millimetres, Millimetres]

SIDE: Final[Millimetres] = 48.0
"""The side of a piece of paper with a part of a table."""
EDGE: Final[Millimetres] = 3.0
"""How far the table stays from the paper's edge."""
LINED: Final = {"all": 0.68, "level": 0.1, "upright": 0.08, "none": 0.14}
"""Which of a table's lines there are → how often."""
SQUARED: Final = 0.15
"""The share of tables on squared or lined paper."""
THICK: Final = 0.15
"""The share of lines by pen that are drawn with a thick felt pen."""


@dataclass(frozen=True)
class Ruled:
    """A part of an empty table."""

    canvas: Canvas
    across: tuple[Millimetres, ...]
    """Where its upright lines stand."""
    down: tuple[Millimetres, ...]

    @property
    def boxes(self) -> list[Box]:
        """Its cells, row by row."""
        return [
            Box(left, top, right - left, bottom - top)
            for top, bottom in zip(self.down, self.down[1:], strict=False)
            for left, right in zip(self.across, self.across[1:], strict=False)
        ]

    def lines(self, is_level: bool) -> Iterator[tuple[Point, Point]]:
        """Both ends of its level lines, or of its upright ones."""
        (left, *_, right), (top, *_, bottom) = self.across, self.down
        for at in self.down if is_level else self.across:
            yield ((left, at), (right, at)) if is_level else ((at, top), (at, bottom))


def drawn(rng: Rng) -> Ruled:
    """A random table without writing."""
    picture = np.full((round(SIDE * PX_PER_MM),) * 2 + (3,), 255, np.uint8)
    canvas = Canvas(picture, 0.0, 0.0)
    down, across = _places(rng.uniform(4.6, 11), rng), _places(rng.uniform(8, 20), rng)
    table = Ruled(canvas, across, down)
    if rng.random() < SQUARED:
        _square(table, rng)
    elif rng.random() < 0.35:
        _tint(table, rng)
    lined = str(rng.choice(list(LINED), p=list(LINED.values())))
    ways = {"all": (False, True), "level": (True,), "upright": (False,), "none": ()}[lined]
    if rng.random() < 0.4:
        _rule(table, ways, rng)
    else:
        _print(table, ways, rng)
    return table


def _places(size: Millimetres, rng: Rng) -> tuple[Millimetres, ...]:
    """The places of lines that are so far apart."""
    first = rng.uniform(EDGE, EDGE + 3)
    count = max(int((SIDE - EDGE - first) / size), 1)
    return tuple((first + size * np.arange(count + 1)).tolist())


def _tint(table: Ruled, rng: Rng) -> None:
    """Colours some rows or columns, as pads do."""
    color, every, by_rows = rng.uniform(175, 250, 3), rng.integers(1, 4), rng.random() < 0.6
    columns = len(table.across) - 1
    for place, box in enumerate(table.boxes):
        if divmod(place, columns)[not by_rows] % every == 0:
            left, top = table.canvas.pixel(box.x, box.y)
            right, bottom = table.canvas.pixel(box.x + box.width, box.y + box.height)
            table.canvas.picture[top:bottom, left:right] = np.round(color)


def _square(table: Ruled, rng: Rng) -> None:
    """Prints the paper's own pale lines, from edge to edge; the table keeps to them, nearly."""
    step = float(rng.choice((4.0, 5.0, 9.0)))
    color = (rng.uniform(150, 225) + rng.uniform(-15, 15, 3)).clip(0, 235).tolist()
    thick = max(round(rng.uniform(0.1, 0.3) * PX_PER_MM), 1)
    first = table.down[0] % step + rng.normal(0, 0.3)
    for at in np.arange(first, SIDE, step):
        ends = table.canvas.pixel(0, at), table.canvas.pixel(SIDE, at)
        cv2.line(table.canvas.picture, *ends, color, thick, cv2.LINE_AA)
    if step < 9:
        for at in np.arange(table.across[0] % step, SIDE, step):
            ends = table.canvas.pixel(at, 0), table.canvas.pixel(at, SIDE)
            cv2.line(table.canvas.picture, *ends, color, thick, cv2.LINE_AA)


def _print(table: Ruled, ways: Sequence[bool], rng: Rng) -> None:
    """Prints its lines: gray, black, blue or coloured, thin or thick, some of them dotted."""
    color = rng.uniform(30, 200, 3) if rng.random() < 0.35 else np.full(3, rng.uniform(10, 190))
    for is_level in ways:
        wide = rng.choice((0.12, 0.2, 0.3, 0.5, 0.9), p=(0.2, 0.3, 0.25, 0.15, 0.1))
        step = 0.8 if rng.random() < 0.08 else math.inf
        for way in table.lines(is_level):
            (x, y), (to_x, to_y) = way
            dash = min(step, math.hypot(to_x - x, to_y - y))
            for start in np.arange(0, math.hypot(to_x - x, to_y - y), dash):
                ends = (start, start + min(dash, step / 2))
                first, last = (
                    table.canvas.pixel(*((x + at, y) if is_level else (x, y + at))) for at in ends
                )
                thick = max(round(float(wide) * PX_PER_MM), 1)
                cv2.line(table.canvas.picture, first, last, color.tolist(), thick, cv2.LINE_AA)


def _rule(table: Ruled, ways: Sequence[bool], rng: Rng) -> None:
    """Draws its lines by pen and ruler, or freely."""
    pen = pencil(rng, rng.uniform(0.4, 1)) if rng.random() < 0.5 else any_pen(rng)
    if rng.random() < THICK:
        pen = replace(pen, width=rng.uniform(1.0, 2.0))
    bow, off = (0.001, 0.15) if rng.random() < 0.7 else (0.006, 0.3)
    for is_level in ways:
        for (x, y), (to_x, to_y) in table.lines(is_level):
            (a, b), beyond = rng.normal(0, off, 2), rng.uniform(-0.5, 1.5)
            ends = (
                (x - beyond, y + a, to_x + beyond, to_y + b)
                if is_level
                else (x + a, y - beyond, to_x + b, to_y + beyond)
            )
            table.canvas.draw([strokes.line(*ends, rng, bow)], pen, rng)


def alone(
    table: Ruled, flat: npt.NDArray[np.uint8], rng: Rng
) -> Iterator[tuple[Box, npt.NDArray[np.float32]]]:
    """(a cell, its writing as the reader of tables cuts it out), where there is some.

    Args:
        flat: the photo of the table's piece of paper, rectified.
    """
    down, across = np.array(table.down), np.array(table.across)
    first, left = (round((at[0] - cells.EDGE) * FLAT_PX_PER_MM) for at in (down, across))
    last, right = (round((at[-1] + cells.EDGE) * FLAT_PX_PER_MM) for at in (down, across))
    image = flat[first:last, left:right]
    corners = np.stack(np.meshgrid(across, down), axis=2)
    seen = FlatGrid(Lattice(corners, down, across), 1.0, image, light.evened(image))
    places = seen.places
    boxes = dict(zip(places, table.boxes, strict=True))
    found = cells.inks(seen, places)
    tall = numbers.usual_height([*found.values()]) if found else 0.0
    to, _ = numbers.LOOKS[int(rng.integers(len(numbers.LOOKS)))]
    for place, ink in found.items():
        whole = numbers.extent(ink.strokes)
        yield boxes[place], numbers.picture(ink.picture, whole, tall, to, numbers.SIZE)
