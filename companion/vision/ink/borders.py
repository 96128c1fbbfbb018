"""Finds ink that crosses a number's outline, or lies on it: a part of the number may be outside."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.shapes import Outline
from companion.core.sheet import Box, Millimetres, Paper
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.flat import expected, light
from companion.vision.flat.flattening import Flat
from companion.vision.ink.cells import Floats, boxes

INSIDE: Final[Millimetres] = 0.45
OUTSIDE: Final[Millimetres] = 0.3  # Two boxes of a number are twice as far apart
BEYOND: Final[Millimetres] = 1.3  # The careless end of a stroke in the box is never so far outside
STROKE: Final = 0.1  # Its least ink; around 900 empty boxes there is no more than 0.06
LONGEST: Final = 0.07  # No stroke covers so much of an outline, 2 mm, unless it runs along it
# A shadow's edge is wider than a stroke: half of so much around a place is no stroke
AROUND: Final[Millimetres] = 5.0
COARSE_PX_PER_MM: Final = 2.0  # The resolution at which shadows are looked for
POINTS: Final = 96
SLANT: Final = 4  # Points along an outline by which a stroke may run aside


def crossings(flat: Flat) -> Mapping[Box, bool]:
    """Box whose outline ink crosses → whether it goes on outside, or runs along the outline."""
    places, rings = _rings(flat.paper)
    if not places:
        return {}
    at = rings.reshape(-1, POINTS, 2) * np.float32(FLAT_PX_PER_MM) - np.float32(0.5)
    board = flat.sheet.every_board.index(flat.board)
    darker = _printed(flat.paper, flat.sheet.number, board) - flat.even
    strokes = darker - _shadows(darker)
    seen = cv2.remap(strokes, at[..., 0], at[..., 1], cv2.INTER_LINEAR)
    inked = seen - np.median(seen, axis=1, keepdims=True) > STROKE
    inside, outside, beyond = inked.reshape(len(places), 3, POINTS).transpose(1, 0, 2)
    leaves = outside & _near(inside) & _near(beyond)
    run = np.ones(outside.shape, bool)
    for step in range(round(LONGEST * POINTS)):
        run &= np.roll(outside, step, axis=1)
    goes_on = (leaves | run).any(axis=1)
    return {places[at]: bool(goes_on[at]) for at in np.flatnonzero(outside.any(axis=1))}


def _shadows(darker: Floats) -> Floats:
    """How dark the paper around each pixel is, without strokes and outlines; of the same shape."""
    height, width = darker.shape
    scale = COARSE_PX_PER_MM / FLAT_PX_PER_MM
    coarse = cv2.resize(
        darker, (round(width * scale), round(height * scale)), interpolation=cv2.INTER_AREA
    )
    # OpenCV's median filter of this size takes nothing but bytes.
    levels = np.clip((coarse + 0.5) * 255, 0, 255).astype(np.uint8)
    paper = cv2.medianBlur(levels, round(AROUND * COARSE_PX_PER_MM) | 1).astype(np.float32)
    return np.asarray(cv2.resize(paper / 255 - 0.5, (width, height)), np.float32)


def _near(inked: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whether there is ink at each point or near it along the outline."""
    steps = range(-SLANT, SLANT + 1)
    near: npt.NDArray[np.bool_] = np.any([np.roll(inked, step, axis=1) for step in steps], axis=0)
    return near


@cache
def _rings(paper: Paper) -> tuple[tuple[Box, ...], Floats]:
    """(the boxes for numbers, points in millimetres around them: (boxes, 3, POINTS, 2))."""
    layers = {outline.box: outline.layers[0] for outline in expected.outlines(paper)}
    found = [box for field in paper.fields if field.is_number for box in boxes(field)]
    rings = []
    for box in found:
        inner, outer = layers[box].inner, layers[box].outer
        for ring in (inner.grown(-INSIDE), outer.grown(OUTSIDE), outer.grown(BEYOND)):
            rings.append(_along(ring))
    return tuple(found), np.array(rings, np.float32)


def _along(outline: Outline) -> npt.NDArray[np.float64]:
    """Points at equal distances along an outline, (POINTS, 2)."""
    corners = np.array([*outline.points, outline.points[0]])
    far = np.append(0, np.linalg.norm(np.diff(corners, axis=0), axis=1).cumsum())
    at = np.linspace(0, far[-1], POINTS, endpoint=False)
    return np.stack([np.interp(at, far, corners[:, axis]) for axis in (0, 1)], axis=1)


@cache
def _printed(paper: Paper, sheet: int, board: int) -> Floats:
    """The empty pad, as `Flat.even` would show it."""
    return light.evened(expected.empty_pad(paper, sheet, board, FLAT_PX_PER_MM))
