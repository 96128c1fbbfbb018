"""What a printed pad looks like in gray, drawn from the sheet's description alone.

Outlines, bands, tints and markers; texts are left out, a reader needs none to know where it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core import markers
from companion.core.sheet import Blank, Box, Field, Millimetres, Paper, moved
from companion.vision.seeking import Gray

WHITE: Final = 255
INK: Final = 40
SOFT: Final = 105
PALE: Final = 164
COLORS: Final[Mapping[str, int]] = {
    "orange": 157,
    "yellow": 203,
    "purple": 133,
    "green": 121,
    "blue": 117,
    "red": 117,
    "plain": SOFT,
}
"""How light the printed colours are; a pad draws them (`companion.pads.drawing`)."""
TINT: Final = 0.24
"""How much of its colour is left inside a field that is crossed."""

THIN: Final[Millimetres] = 0.35
MEDIUM: Final[Millimetres] = 0.45
THICK: Final[Millimetres] = 0.9
PALE_LINE: Final[Millimetres] = 0.3

FINER: Final = 4
"""So many times finer it is drawn, then reduced; lines are a pixel wide."""
FRACTION: Final = 4
"""Bits of a pixel's fraction in OpenCV's drawing."""

Form: TypeAlias = Literal["circle", "pentagon", "square"]


@dataclass(frozen=True)
class Outline:
    """A printed outline by which the paper is felt."""

    box: Box
    form: Form
    line: Millimetres
    shade: int
    fill: int = WHITE
    radius: Millimetres = 1.8
    """Of a square's corners."""
    ring: tuple[Millimetres, int] | None = None
    """How far inside its edge another fill starts, and which."""


def outlines(paper: Paper) -> tuple[Outline, ...]:
    """All outlines of fields and of the blanks beside them, on the pad."""
    return _outlines(paper)


@cache
def _outlines(paper: Paper) -> tuple[Outline, ...]:
    return (
        *(outline for field in paper.fields for outline in _field(field)),
        *(_blank(blank) for blank in paper.blanks),
    )


def _field(field: Field) -> Iterator[Outline]:
    if field.cells:
        for cell in field.cells:
            yield Outline(cell, "square", THIN, SOFT)
    elif field.shape == "circle":
        yield Outline(field.box, "circle", THIN, INK)
    elif field.shape == "pentagon":
        yield Outline(field.box, "pentagon", THICK, INK)
    elif field.color == "plain":
        yield Outline(field.box, "square", MEDIUM, INK if field.kind == "cross" else SOFT)
    else:
        color = COLORS[field.color]
        ring = field.box.width * (0.13 if field.kind == "cross" else 0.1)
        yield Outline(field.box, "square", THIN, INK, color, ring=(ring, _tinted(color)))


def _blank(blank: Blank) -> Outline:
    if blank.shape == "line":
        return Outline(blank.box, "square", PALE_LINE, PALE, radius=2.15)
    is_thick = blank.strong or blank.color != "plain"
    line = THICK if is_thick else MEDIUM
    return Outline(
        blank.box,
        blank.shape,
        line,
        INK if blank.strong else COLORS[blank.color],
        radius=2.2 + line / 2,
    )


def _tinted(shade: int) -> int:
    return round(WHITE - (WHITE - shade) * TINT)


@cache
def drawn(paper: Paper, sheet: int, board: int, resolution: float) -> Gray:
    """The whole pad, empty.

    Args:
        sheet: the sheet's number, which its markers say.
        board: the board's place, which they say too.
        resolution: pixels to the millimetre.
    """
    fine = resolution * FINER
    size = (round(paper.height * resolution) * FINER, round(paper.width * resolution) * FINER)
    picture = np.full(size, WHITE, np.uint8)
    for band in paper.layout.bands:
        box = moved(band.box, *paper.at)
        _fill(picture, _rounded(box, box.height / 3), COLORS[band.color], fine)
    for outline in outlines(paper):
        _draw(picture, outline, fine)
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, markers.DICTIONARY))
    for marker in markers.on_pad(sheet, board, paper.width, paper.height):
        cells = cv2.aruco.generateImageMarker(dictionary, marker.id, markers.CELLS)
        left, top = round(marker.box.x * fine), round(marker.box.y * fine)
        side = round(markers.MARKER * fine)
        picture[top : top + side, left : left + side] = cv2.resize(
            cells, (side, side), interpolation=cv2.INTER_NEAREST
        )
    reduced = (size[1] // FINER, size[0] // FINER)
    return np.asarray(cv2.resize(picture, reduced, interpolation=cv2.INTER_AREA), np.uint8)


def _draw(picture: Gray, outline: Outline, fine: float) -> None:
    for inset, shade in (
        (0.0, outline.shade),
        (outline.line, outline.fill),
        *((outline.ring,) if outline.ring else ()),
    ):
        _fill(picture, _path(outline, inset), shade, fine)


def _path(outline: Outline, inset: Millimetres) -> npt.NDArray[np.float64]:
    """The outline, or what is left of it so far inside."""
    box = outline.box
    if outline.form == "pentagon":
        return _pentagon(box, inset)
    inner = Box(box.x + inset, box.y + inset, box.width - 2 * inset, box.height - 2 * inset)
    radius = box.width if outline.form == "circle" else max(outline.radius - inset, 0.9)
    return _rounded(inner, radius)


def _rounded(box: Box, radius: Millimetres) -> npt.NDArray[np.float64]:
    """A rectangle with round corners, (n, 2); a circle where the radius is large enough."""
    radius = min(radius, box.width / 2, box.height / 2)
    turns = np.arange(64) * (math.tau / 64) + math.tau / 128
    steps = np.stack([np.cos(turns), np.sin(turns)], axis=1)
    half = np.array([box.width / 2 - radius, box.height / 2 - radius])
    return np.asarray(box.center + np.sign(steps) * half + steps * radius, np.float64)


def _pentagon(box: Box, inset: Millimetres) -> npt.NDArray[np.float64]:
    """Point up, touching all four sides of its box; drawn thinner, not moved, by `inset`."""
    angles = np.radians(72 * np.arange(5) - 90)
    wide, low = math.cos(math.radians(18)), math.cos(math.radians(36))
    corners = np.stack(
        [
            box.x + box.width * (np.cos(angles) / wide + 1) / 2,
            box.y + box.height * (np.sin(angles) + 1) / (1 + low),
        ],
        axis=1,
    )
    middle = corners.mean(axis=0)
    # A pentagon's sides are cos 36° of its corners away from the middle.
    reach = np.linalg.norm(corners - middle, axis=1, keepdims=True)
    return np.asarray(middle + (corners - middle) * (1 - inset / low / reach), np.float64)


def _fill(picture: Gray, path: npt.NDArray[np.float64], shade: int, fine: float) -> None:
    places = np.round((path * fine - 0.5) * 2**FRACTION).astype(np.int32)
    cv2.fillPoly(picture, [places], [shade], cv2.LINE_8, FRACTION)
