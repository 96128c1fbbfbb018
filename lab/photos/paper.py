"""Paper for tests: a printed pad, filled in with a pen.

Its handwriting is one plain hand, drawn from a few lines; how well real hands are read is measured
in `benchmarks/`, not here.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import EMPTY, Blank, Box, Field, Mark
from companion.games.catalog import SHEETS
from lab import pdf

PX_PER_MM: Final = 8.0

Picture = npt.NDArray[np.uint8]
"""BGR, of shape (height, width, 3)."""
Line = Sequence[tuple[float, float]]
"""A pen's path; x to the right, y down."""

DIGITS: Final[Mapping[str, Sequence[Line]]] = {
    "-": [[(0.02, 0.5), (0.68, 0.48)]],
    "0": [[(0.5, 0), (0.1, 0.2), (0, 0.6), (0.25, 1), (0.6, 0.95), (0.75, 0.5), (0.45, 0)]],
    "1": [[(0.05, 0.3), (0.4, 0), (0.4, 1)]],
    "2": [[(0.05, 0.25), (0.25, 0), (0.6, 0.1), (0.6, 0.4), (0.3, 0.7), (0, 1), (0.7, 0.97)]],
    "3": [[(0.05, 0.1), (0.4, 0), (0.62, 0.2), (0.3, 0.45), (0.68, 0.7), (0.4, 1), (0, 0.9)]],
    "4": [[(0.35, 0), (0, 0.62), (0.7, 0.6)], [(0.5, 0.35), (0.48, 1)]],
    "5": [[(0.62, 0), (0.12, 0.02), (0.08, 0.45), (0.45, 0.4), (0.66, 0.7), (0.4, 1), (0, 0.92)]],
    "6": [[(0.55, 0), (0.15, 0.35), (0.03, 0.75), (0.3, 1), (0.6, 0.8), (0.4, 0.55), (0.06, 0.72)]],
    "7": [[(0, 0.03), (0.65, 0), (0.25, 1)], [(0.15, 0.5), (0.58, 0.48)]],
    "8": [[(0.6, 0.15), (0.3, 0), (0.1, 0.2), (0.6, 0.7), (0.35, 1), (0.05, 0.78), (0.6, 0.15)]],
    "9": [[(0.6, 0.25), (0.3, 0), (0.05, 0.3), (0.35, 0.5), (0.6, 0.25), (0.55, 0.7), (0.4, 1)]],
}  # fmt: skip
"""How the hand writes, in a box one high and about two thirds wide."""


@dataclass
class Pad:
    """A printed pad on paper; `picture` has `PX_PER_MM` and shows nothing but the pad."""

    sheet: str
    board: str
    picture: Picture
    fields: Mapping[str, Field]
    marks: dict[str, Mark] = field(default_factory=dict)


_empty = cache(pdf.first_pad)


def printed(sheet: str, board: str = "") -> Pad:
    """An empty pad."""
    fields = {field.id: field for field in SHEETS[sheet].paper(board).fields}
    return Pad(sheet, board, _empty(sheet, board, PX_PER_MM).copy(), fields)


def filled(
    sheet: str,
    marks: Mapping[str, Mark],
    board: str = "",
    seed: int = 0,
    sums: Mapping[str, int] | None = None,
) -> Pad:
    """A pad with these marks, and sums in its blanks, in ballpoint."""
    pad = printed(sheet, board)
    blanks = SHEETS[sheet].paper(board).blanks
    write(pad, marks, blanks, sums or {}, random.Random(seed))
    return pad


def ruled(fields: Sequence[Field], marks: Mapping[str, Mark], size: tuple[float, float]) -> Pad:
    """A ruled table of that size in millimetres, with its fields' numbers."""
    width, height = (round(side * PX_PER_MM) for side in size)
    pad = Pad("table", "", np.full((height, width, 3), 250, np.uint8), {f.id: f for f in fields})
    for each in fields:
        left, top = each.box.x, each.box.y
        right, bottom = left + each.box.width, top + each.box.height
        frame = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]
        for start, end in pairwise(frame):
            draw(pad.picture, [start, end], 0.3, (90, 90, 90))
        if marks[each.id] is not None:
            write_number(pad, each.box, str(marks[each.id]))
    return pad


def write(
    pad: Pad,
    marks: Mapping[str, Mark],
    blanks: Sequence[Blank],
    sums: Mapping[str, int],
    chance: random.Random,
) -> None:
    """Writes on a pad in ballpoint: marks into its fields, numbers into its blanks."""
    for name, mark in marks.items():
        for line in _lines(pad.fields[name], mark, chance):
            draw(pad.picture, line)
    for blank in blanks:
        if blank.id in sums:
            write_number(pad, blank.box, str(sums[blank.id]), chance)
    pad.marks = dict(marks)


def write_number(pad: Pad, box: Box, digits: str, chance: random.Random | None = None) -> None:
    """Writes a number into the middle of a box, which need not be a printed one."""
    for line in _number(box, digits, chance or random.Random(0)):
        draw(pad.picture, line)


def draw(
    picture: Picture, line: Line, width_mm: float = 0.5, ink: tuple[int, int, int] = (140, 50, 30)
) -> None:
    """A pen's line; millimetres on the pad."""
    points = np.array([_smooth(line)]) * PX_PER_MM * 16
    cv2.polylines(
        picture,
        points.round().astype(np.int32),
        False,
        ink,
        round(width_mm * PX_PER_MM),
        cv2.LINE_AA,
        4,
    )


def _smooth(line: Line) -> list[tuple[float, float]]:
    """The line with its corners cut twice (Chaikin)."""
    points = list(line)
    if len(points) < 4:
        return points
    for _ in range(2):
        cut = [points[0]]
        for (x1, y1), (x2, y2) in pairwise(points):
            cut += [(0.75 * x1 + 0.25 * x2, 0.75 * y1 + 0.25 * y2)]
            cut += [(0.25 * x1 + 0.75 * x2, 0.25 * y1 + 0.75 * y2)]
        points = [*cut, points[-1]]
    return points


def _lines(place: Field, mark: Mark, chance: random.Random) -> Iterator[Line]:
    box = place.box
    if place.cells and mark is not None:
        for cell, digit in zip(reversed(place.cells), reversed(str(mark)), strict=False):
            yield from _number(cell, digit, chance)
    elif place.is_number and mark is not None:
        yield from _number(box, str(mark), chance)
    elif mark is True or mark == "crossed":
        yield from _cross(box, chance)
    elif mark == "circled":
        yield _ring(box, chance)


def _number(box: Box, digits: str, chance: random.Random) -> Iterator[Line]:
    tall = min(box.height * chance.uniform(0.52, 0.62), 6.2)
    wide = tall * 0.62
    x = box.center[0] - wide * len(digits) / 2 + chance.uniform(-0.3, 0.3)
    y = box.center[1] - tall / 2 + chance.uniform(-0.4, 0.4)
    lean = chance.uniform(-0.1, 0.15)
    for place, digit in enumerate(digits):
        for line in DIGITS[digit]:
            yield [
                (
                    x + place * wide * 1.05 + across * tall + lean * (0.5 - down) * tall,
                    y + down * tall + chance.gauss(0, 0.012) * tall,
                )
                for across, down in line
            ]


def _cross(box: Box, chance: random.Random) -> Iterator[Line]:
    for corners in (((0, 0), (1, 1)), ((1, 0), (0, 1))):
        yield [
            (
                box.x + box.width * (0.5 + (at[0] - 0.5) * chance.uniform(0.7, 0.95)),
                box.y + box.height * (0.5 + (at[1] - 0.5) * chance.uniform(0.7, 0.95)),
            )
            for at in corners
        ]


def _ring(box: Box, chance: random.Random) -> Line:
    x, y = box.center
    start = chance.uniform(0, 6.28)
    return [
        (
            x + math.cos(start + turn / 20 * 6.6) * box.width * 0.46,
            y + math.sin(start + turn / 20 * 6.6) * box.height * 0.44,
        )
        for turn in range(21)
    ]


def expected(pad: Pad) -> dict[str, Any]:
    """Field → what a reader should say of it."""
    return {name: pad.marks.get(name, EMPTY[field.kind]) for name, field in pad.fields.items()}
