"""Simulates photos of score tables as people draw them at the table, by kind.

Names above, a line below them or none, numbers in columns; on blank, squared or lined paper; with
a ballpoint, a pencil or a thick felt pen. The table fills a part of a sheet of A5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.photos.tables import Plan, Rng, Sheet, Values, photo_of
from benchmarks.photos.writing.blanks import write_name
from benchmarks.photos.writing.hands import FOLDER
from benchmarks.photos.writing.pens import Pen, random_pen
from companion.core.sheet import Box, Millimetres

SIZE: Final[tuple[Millimetres, Millimetres]] = (148.0, 205.0)
SQUARE: Final[Millimetres] = 5.0
PALE: Final[Mapping[str, tuple[int, int, int]]] = {
    "squared": (215, 200, 180),
    "lined": (220, 205, 190),
}
"""Papers with lines of their own → BGR."""


@dataclass(frozen=True)
class Kind:
    """The kind of drawing."""

    lines: str = "grid"
    """`grid`, `T`, `head`, `horizontal`, `vertical`, `dotted` or `none`."""
    paper: str = "blank"
    pen: str = ""
    """`thick`, `pencil`, or any."""
    sums: bool = False
    numbered: bool = False
    """Whether a column counts the rounds."""
    struck: float = 0.0
    """The share of numbers that were struck out, with another one beside them."""
    dashes: float = 0.0
    """The share of cells with a dash or a slash."""
    below_zero: float = 0.0
    joined: bool = False
    """Whether two columns have one head."""
    spare: bool = False
    """Whether the last column is empty."""
    tilt: tuple[float, float] = (3, 20)
    shadow: float = 0.5


KINDS: Final[Mapping[str, Kind]] = {
    "grid": Kind(),
    "thick grid": Kind(pen="thick"),
    "T": Kind("T"),
    "T with sums": Kind("T", sums=True),
    "head line": Kind("head"),
    "head line and sums": Kind("head", sums=True),
    "horizontals": Kind("horizontal"),
    "verticals": Kind("vertical"),
    "no lines": Kind("none"),
    "dotted": Kind("dotted"),
    "squared grid": Kind(paper="squared"),
    "squared T": Kind("T", "squared", sums=True),
    "lined grid": Kind(paper="lined"),
    "lined T": Kind("T", "lined"),
    "pencil grid": Kind(pen="pencil"),
    "pencil T": Kind("T", pen="pencil"),
    "squared pencil": Kind("T", "squared", "pencil"),
    "row numbers": Kind(numbered=True, sums=True),
    "struck out": Kind(struck=0.08, dashes=0.06),
    "joined heads": Kind(joined=True),
    "empty column": Kind(spare=True),
    "below zero": Kind(below_zero=0.2),
    "T below zero": Kind("T", below_zero=0.2),
    "steep": Kind("T", tilt=(20, 34)),
    "shadows": Kind("T", sums=True, shadow=1.0),
}


@dataclass(frozen=True)
class DrawnShot:
    """A photo of a drawn table and what is written in it."""

    kind: str
    seed: int
    jpeg: bytes
    values: Values
    """Without heads and without an empty last column; a dash or a slash is 0, and may be None."""
    dashed: frozenset[tuple[int, int]]
    """The cells with a dash or a slash, by row and column from 0."""
    pen: str


def simulate_drawn(name: str, seed: int, folder: Path = FOLDER) -> DrawnShot:
    """A photo of one of `KINDS` that depends on nothing but these arguments."""
    kind = KINDS[name]
    rng = np.random.default_rng([seed, [*KINDS].index(name), 62])
    sheet = Sheet(SIZE, rng, folder)
    _choose_pen(sheet, kind)
    plan = _plan(rng, kind)
    rows, columns = len(plan.down) - 2, len(plan.across) - 1 - plan.heads[1]
    filled = columns - kind.spare
    most = int(rng.choice([20, 60, 150], p=[0.4, 0.4, 0.2]))
    grid = rng.integers(0, most + 1, (rows, filled))
    grid[rng.random(grid.shape) < kind.below_zero] *= -1
    is_dashed = rng.random(grid.shape) < kind.dashes
    if kind.sums:
        is_dashed[-1] = False
        grid[-1] = grid[:-1].sum(axis=0)
    grid[is_dashed] = 0
    _print_paper(sheet, kind)
    _draw_lines(sheet, plan, kind)
    heads = range(plan.heads[1], plan.heads[1] + filled)
    for column in heads:
        box = plan.box(0, column)
        if not (kind.joined and column == heads[0] + 1):
            write_name(sheet.writer, box, short=True)
    for row in range(rows):
        if kind.numbered and not (kind.sums and row == rows - 1):
            sheet.number(row + 1, _smaller(plan.box(row + 1, 0)))
        for column in range(filled):
            box = plan.box(row + 1, column + plan.heads[1])
            if is_dashed[row, column]:
                _dash(sheet, box)
            elif rng.random() < kind.struck and not (kind.sums and row == rows - 1):
                _struck(sheet, int(grid[row, column]), most, box)
            else:
                sheet.number(int(grid[row, column]), _smaller(box))
    jpeg = photo_of(sheet.piece(), rng, tilt=kind.tilt, shadow=kind.shadow)
    values = tuple(tuple(map(int, line)) for line in grid)
    dashed = frozenset(zip(*(at.tolist() for at in np.nonzero(is_dashed)), strict=True))
    return DrawnShot(name, seed, jpeg, values, dashed, sheet.style.pen.kind)


def _smaller(box: Box) -> Box:
    """The part of a cell that a number fills: rows that nobody printed are not so full."""
    return Box(box.x, box.y + 0.1 * box.height, box.width, 0.8 * box.height)


def _choose_pen(sheet: Sheet, kind: Kind) -> None:
    """Takes up another pen until it is one of the kind's."""
    rng, pen = sheet.rng, sheet.style.pen
    wanted = {"thick": {"felt"}, "pencil": {"pencil"}}.get(kind.pen, {"ballpoint", "felt", "gel"})
    while pen.kind not in wanted:
        pen = random_pen(rng)
    if kind.pen == "thick":
        pen = replace(pen, width=float(rng.uniform(1.1, 1.5)))
    sheet.style = replace(sheet.style, pen=pen)
    sheet.writer.style = sheet.style


def _plan(rng: Rng, kind: Kind) -> Plan:
    """The places of the cells: on ruled paper along its lines."""
    columns, rows = int(rng.integers(2, 6)), int(rng.integers(5, 13))
    columns += kind.spare
    width, height = float(rng.uniform(16, 24)), float(rng.uniform(8, 11))
    if kind.paper == "squared":
        width, height = float(rng.choice([15, 20, 25])), 10.0
    elif kind.paper == "lined":
        height = 9.0
    width = min(width, 120 / columns)
    labels = [float(rng.uniform(8, 14))] if kind.numbered else []
    left, top = rng.uniform(8, 16, 2)
    if kind.paper != "blank":
        top = height * round(top / height)
        left = SQUARE * round(left / SQUARE)
    across = np.array([*labels, *[width] * columns])
    down = np.full(rows + 1, height)
    if kind.lines in ("none", "head", "T", "vertical") and kind.paper == "blank":
        down = down * rng.normal(1, 0.05, rows + 1)
        across = across * rng.normal(1, 0.04, len(across))
    return Plan(
        np.concatenate([[left], left + np.cumsum(across)]),
        np.concatenate([[top], top + np.cumsum(down)]),
        (1, len(labels)),
    )


def _print_paper(sheet: Sheet, kind: Kind) -> None:
    """The paper's own lines, from edge to edge."""
    if kind.paper == "blank":
        return
    color, width = PALE[kind.paper], float(sheet.rng.uniform(0.12, 0.22))
    step = SQUARE if kind.paper == "squared" else 9.0
    for y in np.arange(step, SIZE[1], step):
        sheet.line((0, y), (SIZE[0], y), color, width)
    if kind.paper == "squared":
        for x in np.arange(step, SIZE[0], step):
            sheet.line((x, 0), (x, SIZE[1]), color, width)


def _draw_lines(sheet: Sheet, plan: Plan, kind: Kind) -> None:
    rng, pen = sheet.rng, sheet.style.pen
    if kind.pen == "thick":
        pen = replace(pen, width=float(rng.uniform(1.3, 2.0)))
    (left, right), (top, bottom) = plan.across[[0, -1]], plan.down[[0, -1]]
    level, upright = {
        "grid": (plan.down, plan.across),
        "dotted": (plan.down, plan.across),
        "T": (plan.down[1:2], plan.across[1:-1]),
        "head": (plan.down[1:2], []),
        "horizontal": (plan.down, []),
        "vertical": ([], plan.across[1:-1]),
        "none": ([], []),
    }[kind.lines]
    if kind.sums and kind.lines in ("T", "head"):
        level = [*level, plan.down[-2]]
    lines = [((left, y), (right, y)) for y in level]
    for number, x in enumerate(upright):
        is_joined = kind.joined and number == plan.heads[1] + 1
        lines.append(((x, plan.down[1] if is_joined else top), (x, bottom)))
    for start, end in lines:
        if kind.lines == "dotted":
            _dotted(sheet, start, end, pen)
        else:
            sheet.rule(start, end, pen)


def _dotted(sheet: Sheet, start: Sequence[float], end: Sequence[float], pen: Pen) -> None:
    a, b = np.array(start), np.array(end)
    count = max(int(np.linalg.norm(b - a) / 2.2), 2)
    for at in np.arange(count) / count:
        dash = np.array([a + (b - a) * at, a + (b - a) * (at + 0.45 / count)])
        sheet.layer.stroke(dash.astype(np.float32), pen, sheet.rng)


def _dash(sheet: Sheet, box: Box) -> None:
    """A dash, or a slash."""
    x, y = box.center
    reach = sheet.rng.uniform(1.2, 2.5)
    rise = sheet.rng.uniform(1.5, 3.0) if sheet.rng.random() < 0.5 else 0.1
    ends = np.array([(x - reach, y + rise), (x + reach, y - rise)])
    sheet.writer.stroke(ends.astype(np.float32))


def _struck(sheet: Sheet, number: int, most: int, box: Box) -> None:
    """A wrong number, struck out, and the right one beside it."""
    half = box.width / 2
    wrong = Box(box.x, box.y, half, box.height)
    sheet.number(int(sheet.rng.integers(1, most + 1)), _smaller(wrong))
    y = wrong.center[1] + sheet.rng.normal(0, 0.4)
    ends = np.array([(box.x + 0.6, y + 0.3), (box.x + half - 0.2, y - 0.3)])
    sheet.writer.stroke(ends.astype(np.float32))
    sheet.number(number, _smaller(Box(box.x + half, box.y, half, box.height)))
