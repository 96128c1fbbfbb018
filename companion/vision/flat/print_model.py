"""The printed outlines of a pad as line pictures and templates, to locate them in a photo."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Millimetres, Paper
from companion.core.sheet_style import PALE, gray
from companion.vision.flat import expected
from companion.vision.mapping.plane import Matrix
from companion.vision.mapping.spline import Places
from companion.vision.markers.seeking import Gray

Float = npt.NDArray[np.float32]

FINE: Final = 4.0  # Pixels per millimetre at which single outlines are located
COARSE: Final = 2.0  # Pixels per millimetre at which groups of outlines are located
# Wider than any printed line, narrower than any area in a field's colour
LINE: Final[Millimetres] = 1.75
# Standard deviation of the blur before a picture is reduced to `COARSE`
COARSE_BLUR: Final[Millimetres] = 0.3
AROUND: Final[Millimetres] = 21.0  # Radius of a group of outlines that are located together
VOTES_APART: Final[Millimetres] = 14.0  # Distance between the centres of neighbouring groups
BESIDE: Final[Millimetres] = 0.9  # The margin around an outline in which no line should be


def lines(picture: Gray, resolution: float) -> Float:
    """How much darker thin lines are than their surroundings, 0 to 1 (a black top-hat transform).

    A morphological closing minus the picture: fills, tints, illumination and the edges of shadows
    vanish.

    Args:
        resolution: pixels per millimetre of the picture.
    """
    side = round(LINE * resolution) | 1
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (side, side))
    around = cv2.morphologyEx(picture, cv2.MORPH_CLOSE, kernel)
    level = np.maximum(around, 16).astype(np.float32)
    return np.asarray((around - picture) / level, np.float32)


@dataclass(frozen=True, eq=False)
class PrintModel:
    """The printed outlines of a kind of pad, as `lines` shows them."""

    outlines: tuple[expected.Outline, ...]
    # A template of each outline at `FINE`: positive on it, negative beside it, else 0; norm 1
    templates: tuple[Float, ...]
    coarse_templates: tuple[Float, ...]
    # Whether each pixel of the pad at `FINE` lies on an outline, (height, width)
    mask: npt.NDArray[np.bool_]
    # (centre on the pad, indices of the outlines around it) of each group
    groups: tuple[tuple[Matrix, Places], ...]


@cache
def print_model(paper: Paper, sheet: int, board: int) -> PrintModel:
    """The outlines that `fit_surface` locates, computed once for each kind of pad.

    Args:
        sheet: the sheet's number in marker ids.
        board: the board's place in marker ids.
    """
    fine = lines(expected.empty_pad(paper, sheet, board, FINE), FINE)
    coarse = reduced(fine)
    outlines = tuple(
        outline
        for outline in expected.outlines(paper)
        if max(outline.box.width, outline.box.height) < 30 and outline.gray < gray(PALE)
    )
    return PrintModel(
        outlines,
        tuple(outline_template(fine, outline.box, FINE) for outline in outlines),
        tuple(outline_template(coarse, outline.box, COARSE) for outline in outlines),
        _outline_mask(fine, outlines),
        tuple(_groups(paper, np.array([outline.box.center for outline in outlines]))),
    )


def _outline_mask(fine: Float, outlines: Iterable[expected.Outline]) -> npt.NDArray[np.bool_]:
    near = np.zeros(fine.shape, bool)
    for outline in outlines:
        box = outline.box
        left, top = (round(at * FINE) for at in (box.x, box.y))
        wide, high = (round(side * FINE) for side in (box.width, box.height))
        near[top : top + high, left : left + wide] = True
    return near & (fine > 0.4)


def _groups(paper: Paper, centers: Matrix) -> Iterator[tuple[Matrix, Places]]:
    """Groups of at least four outlines, on a regular grid over the pad."""
    across, down = (
        np.linspace(0, side, round(side / VOTES_APART) + 1) for side in (paper.width, paper.height)
    )
    for y in down:
        for x in across:
            near = np.flatnonzero(np.linalg.norm(centers - [x, y], axis=1) < AROUND)
            if len(near) >= 4:
                yield centers[near].mean(axis=0), near


def reduced(fine: Float) -> Float:
    """A picture at `FINE` reduced to `COARSE`."""
    blurred = cv2.GaussianBlur(fine, (0, 0), COARSE_BLUR * FINE)
    scale = COARSE / FINE
    size = (round(fine.shape[1] * scale), round(fine.shape[0] * scale))
    return np.asarray(cv2.resize(blurred, size, interpolation=cv2.INTER_AREA), np.float32)


def cut_with_margin(
    picture: Float, box: Box, resolution: float, margin: Millimetres, reach: int = 0
) -> Float:
    """The part of a picture around a box; outside the picture it is 0, as no lines are there.

    Args:
        reach: additional pixels on each side, exactly; so cuts of the same box are aligned.
    """
    left, top = (round((at - margin) * resolution) - reach for at in (box.x, box.y))
    wide, high = (
        round((side + 2 * margin) * resolution) + 2 * reach for side in (box.width, box.height)
    )
    rows, columns = picture.shape
    part = picture[max(top, 0) : max(top + high, 0), max(left, 0) : max(left + wide, 0)]
    beyond = [
        (max(-top, 0), max(top + high - rows, 0)),
        (max(-left, 0), max(left + wide - columns, 0)),
    ]
    return np.pad(part, beyond) if any(map(any, beyond)) else part


def outline_template(picture: Float, box: Box, resolution: float) -> Float:
    """The edges around a box: positive on them, negative beside them; norm 1, or 0 without any."""
    here = cut_with_margin(picture, box, resolution, BESIDE)
    # People write inside, so only the area near the edge counts.
    far = round((BESIDE + 0.9 + BESIDE) * resolution)
    near = np.ones(here.shape, bool)
    near[far:-far, far:-far] = False
    even = np.where(near, here - here[near].mean(), 0).astype(np.float32)
    return np.asarray(even / max(float(np.linalg.norm(even)), 1e-6), np.float32)
