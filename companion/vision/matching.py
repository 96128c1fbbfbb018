"""Feels how the paper is bent, by where its printed outlines are seen.

The markers' corners say roughly how the paper lies, for they show its slope there too. Then large
blocks of print are sought around where they should be, then every outline by itself. All that is
seen goes into one smooth surface; what does not go with it (pens, shadows, fingers) is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core import look, markers
from companion.core.sheet import Box, Millimetres, Paper
from companion.vision import expected
from companion.vision.finding import Find
from companion.vision.seeking import Gray
from companion.vision.spline import Grid, Places, Spline, fitted
from companion.vision.surface import ALONE, Matrix, Raster, Surface, inverse, mapped

Float = npt.NDArray[np.float32]

FINE: Final = 4.0
"""Pixels to the millimetre at which outlines are sought."""
COARSE: Final = 2.0
"""The same for blocks."""
LINE: Final[Millimetres] = 1.75
"""Wider than any printed line, narrower than what is printed in a field's colour."""

ROUGH_KNOTS: Final[Millimetres] = 24.0
KNOTS: Final[Millimetres] = 11.0
STIFFNESS: Final = 8e5
ROUGH_STIFFNESS: Final = 1e5

COARSE_BLUR: Final[Millimetres] = 0.3
AROUND: Final[Millimetres] = 21.0
"""Outlines this near say together where they are."""
NEAR: Final[Millimetres] = 15.0
"""Outlines this near a field say whether it is where it is thought to be."""
HERE: Final[Millimetres] = 0.5
"""An outline whose middle is this near a field's is the field's own."""
VOTES_APART: Final[Millimetres] = 14.0
"""From one place where outlines are asked together to the next."""
VOTES_REACH: Final[Millimetres] = 4.5
VOTES_AGAIN: Final[Millimetres] = 2.5
"""The same when the first vote brought news."""
NEWS: Final[Millimetres] = 1.2
"""Where outlines are farther than this from where the markers say, a fold must be between."""
SURE: Final = 0.04
"""By so much of a correlation the best place must be better than any other."""

REACHES: Final[tuple[Millimetres, ...]] = (1.5, 0.6)
"""How far each outline is sought from where it should be, look by look."""
FOUND: Final = 0.22
"""How well an outline must correlate. Those of another pad do by up to 0.2; of the right one that
is blurred or written on by 0.3 at least, and by 0.7 when it is clean."""
DEVIATION: Final[Millimetres] = 0.03
"""Of an outline's place when all of it is seen; the less correlates, the larger it is."""
LEAST: Final[Millimetres] = 0.05
"""Nothing is measured better than this, for the paper is not as smooth as a spline."""
BESIDE: Final[Millimetres] = 0.9
"""Beside a line, where there should be none."""


@dataclass(frozen=True, eq=False)
class Seen:
    """Measured displacements."""

    at: Matrix
    """(n, 2), millimetres on the pad."""
    by: Matrix
    """(n, 2), by which each seems to be elsewhere."""
    deviation: Matrix
    """(n,), in millimetres, expected; infinite for what says nothing."""


def lines(picture: Gray, resolution: float) -> Float:
    """How much darker thin lines are than what is around them, 0 to 1.

    A closing less the picture: fills, tints, lamps and the edges of shadows all vanish.
    """
    side = round(LINE * resolution) | 1
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (side, side))
    around = cv2.morphologyEx(picture, cv2.MORPH_CLOSE, kernel)
    level = np.maximum(around, 16).astype(np.float32)
    return np.asarray((around - picture) / level, np.float32)


def from_markers(find: Find) -> tuple[Surface, Seen]:
    """The surface that the markers tell alone, and what they tell."""
    paper = find.paper
    boxes = {
        marker.corner: marker.box
        for marker in markers.on_pad(find.sheet.number, 0, paper.width, paper.height)
    }
    printed = np.concatenate([_corners(boxes[corner]) for corner in find.markers])
    points = np.concatenate(list(find.markers.values())).astype(np.float64)
    homography = find.homography
    by = mapped(inverse(homography), points) - printed
    seen = Seen(printed, by, np.full(len(by), 0.05))
    bend = _fit(Grid(paper.width, paper.height, ROUGH_KNOTS), [seen], ROUGH_STIFFNESS)
    return Surface(homography, paper.width, paper.height, bend), seen


def _corners(box: Box) -> Matrix:
    right, bottom = box.x + box.width, box.y + box.height
    return np.array([[box.x, box.y], [right, box.y], [right, bottom], [box.x, bottom]])


@dataclass(frozen=True, eq=False)
class Print:
    """What is printed on a pad, as `lines` sees it."""

    outlines: tuple[expected.Outline, ...]
    patterns: tuple[Float, ...]
    """Of each outline: above 0 on it, below beside it, 0 elsewhere; of length 1."""
    coarse: tuple[Float, ...]
    """The same at the coarse resolution."""
    on: npt.NDArray[np.bool_]
    """Which pixels of the fine picture are on outlines."""
    groups: tuple[tuple[Matrix, Places], ...]
    """Places on the pad, each with the outlines around it."""


@cache
def printed(paper: Paper, sheet: int, board: int) -> Print:
    """What `felt` looks for; made once for each kind of pad."""
    fine = lines(expected.drawn(paper, sheet, board, FINE), FINE)
    coarse = _coarse(fine)
    outlines = tuple(
        outline
        for outline in expected.outlines(paper)
        if max(outline.box.width, outline.box.height) < 30 and outline.gray < look.gray(look.PALE)
    )
    return Print(
        outlines,
        tuple(_pattern(fine, outline.box, FINE) for outline in outlines),
        tuple(_pattern(coarse, outline.box, COARSE) for outline in outlines),
        _on(fine, outlines),
        tuple(_groups(paper, np.array([outline.box.center for outline in outlines]))),
    )


def _on(fine: Float, outlines: Iterable[expected.Outline]) -> npt.NDArray[np.bool_]:
    near = np.zeros(fine.shape, bool)
    for outline in outlines:
        box = outline.box
        left, top = (round(at * FINE) for at in (box.x, box.y))
        wide, high = (round(side * FINE) for side in (box.width, box.height))
        near[top : top + high, left : left + wide] = True
    return near & (fine > 0.4)


def _groups(paper: Paper, centers: Matrix) -> Iterator[tuple[Matrix, Places]]:
    across, down = (
        np.linspace(0, side, round(side / VOTES_APART) + 1) for side in (paper.width, paper.height)
    )
    for y in down:
        for x in across:
            near = np.flatnonzero(np.linalg.norm(centers - [x, y], axis=1) < AROUND)
            if len(near) >= 4:
                yield centers[near].mean(axis=0), near


def _coarse(fine: Float) -> Float:
    blurred = cv2.GaussianBlur(fine, (0, 0), COARSE_BLUR * FINE)
    scale = COARSE / FINE
    size = (round(fine.shape[1] * scale), round(fine.shape[0] * scale))
    return np.asarray(cv2.resize(blurred, size, interpolation=cv2.INTER_AREA), np.float32)


def _cut(picture: Float, box: Box, resolution: float, margin: Millimetres, reach: int = 0) -> Float:
    """A box of a picture, with so much around it; nothing is printed outside the picture.

    Args:
        reach: so many pixels more on each side, so that cuts of one box fit into each other.
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


def _pattern(picture: Float, box: Box, resolution: float) -> Float:
    here = _cut(picture, box, resolution, BESIDE)
    # Inside, people write; only what is near the edge counts.
    far = round((BESIDE + 0.9 + BESIDE) * resolution)
    near = np.ones(here.shape, bool)
    near[far:-far, far:-far] = False
    pattern = np.where(near, here - here[near].mean(), 0).astype(np.float32)
    return np.asarray(pattern / np.linalg.norm(pattern), np.float32)


@dataclass(frozen=True, eq=False)
class Fit:
    """How much of what is printed was found where it should be."""

    at: Matrix
    """(n, 2), the middles of the outlines, in millimetres on the pad."""
    is_found: npt.NDArray[np.bool_]
    """(n,)."""

    @property
    def everywhere(self) -> float:
        """The share of all outlines, 0 to 1."""
        return float(self.is_found.mean())

    def around(self, place: tuple[Millimetres, Millimetres]) -> float:
        """The same of those `NEAR` a place; 1 where nothing is printed."""
        if self.is_found.all():
            return 1.0
        near = np.linalg.norm(self.at - place, axis=1) < NEAR
        return float(self.is_found[near].mean()) if near.any() else 1.0

    def is_lost(self, place: tuple[Millimetres, Millimetres]) -> bool:
        """Whether an outline around this place was sought and not found."""
        if self.is_found.all():
            return False
        here = np.linalg.norm(self.at - place, axis=1) < HERE
        return bool(here.any() and not self.is_found[here].any())


def felt(gray: Gray, find: Find) -> tuple[Surface, Fit]:
    """The surface as the print tells it, and how well it fits."""
    place = find.sheet.every_board.index(find.board)
    paper = find.paper
    what = printed(paper, find.sheet.number, place)
    first, corners = from_markers(find)
    base = lines(first.flattened(gray, FINE), FINE)
    rough = Grid(paper.width, paper.height, ROUGH_KNOTS)
    seen = _voted(_coarse(base), first, what, VOTES_REACH)
    surface = replace(first, bend=_fit(rough, [corners, seen], ROUGH_STIFFNESS))
    if np.abs(surface.bend.at(seen.at) - first.bend.at(seen.at)).max() > NEWS:
        again = _coarse(_reframed(base, first, surface))
        seen = _voted(again, surface, what, VOTES_AGAIN)
        surface = replace(first, bend=_fit(rough, [corners, seen], ROUGH_STIFFNESS))
    near = _reframed(base, first, surface)
    level = _level(near, what)
    base, near = np.minimum(base, level), np.minimum(near, level)
    for reach in REACHES:
        near = _reframed(base, first, surface) if reach < REACHES[0] else near
        seen = _outlines(near, surface, what, reach)
        knots = Grid(paper.width, paper.height, KNOTS)
        surface = replace(surface, bend=_fit(knots, [corners, seen], STIFFNESS))
    return surface, Fit(seen.at, np.isfinite(seen.deviation))


def _level(fine: Float, what: Print) -> float:
    """How dark the outlines are seen, so that pens, which are darker, count for no more."""
    return float(np.median(fine[what.on]))


def _reframed(base: Float, before: Surface, after: Surface) -> Float:
    """A picture flattened with one surface, as if it were with another one."""
    raster = Raster(after.width, after.height, FINE)
    x, y = raster.millimetres
    old = before.bend.on_grid(x, y).astype(np.float32)
    aim = np.stack(np.meshgrid(x, y), axis=-1) + after.bend.on_grid(x, y)
    places = aim - old
    for _ in range(2):
        there = cv2.remap(
            old, raster.steps(places), ALONE, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        places = aim - there
    moved = cv2.remap(base, raster.between(places * FINE - 0.5), ALONE, cv2.INTER_LINEAR)
    return np.asarray(moved, np.float32)


def _voted(coarse: Float, surface: Surface, what: Print, reach: Millimetres) -> Seen:
    """Where groups of outlines are in a picture flattened with this surface."""
    far = round(reach * COARSE)
    votes = np.empty((len(what.outlines), 2 * far + 1, 2 * far + 1), np.float32)
    for place, (outline, pattern) in enumerate(zip(what.outlines, what.coarse, strict=True)):
        around = _cut(coarse, outline.box, COARSE, BESIDE, far)
        scores = cv2.matchTemplate(around, pattern, cv2.TM_CCORR)
        inner = around[far:-far, far:-far]
        votes[place] = scores * (1 / max(cv2.norm(inner), 1e-6))
    at, by, deviation = [], [], []
    for middle, members in what.groups:
        together = votes[members].mean(axis=0)
        moved, row, column = _peak(together)
        elsewhere = together.copy()
        elsewhere[max(row - 3, 0) : row + 4, max(column - 3, 0) : column + 4] = -1
        sure = together[row, column] - elsewhere.max() > SURE and not _is_at_rim(
            together, row, column
        )
        at.append(middle)
        by.append(moved / COARSE)
        deviation.append(0.3 if sure else np.inf)
    return _total(surface, np.array(at), np.array(by), np.array(deviation))


def _outlines(fine: Float, surface: Surface, what: Print, reach: Millimetres) -> Seen:
    """Where the outlines are; what was not found says nothing."""
    at, by, deviation = [], [], []
    for outline, pattern in zip(what.outlines, what.patterns, strict=True):
        around = _cut(fine, outline.box, FINE, BESIDE, round(reach * FINE))
        scores = np.asarray(cv2.matchTemplate(around, pattern, cv2.TM_CCORR), np.float32)
        moved, row, column = _peak(scores)
        here = around[row : row + pattern.shape[0], column : column + pattern.shape[1]]
        # As a correlation it does not depend on how dark or how blurred the print is.
        score = float(scores[row, column]) / max(cv2.norm(here), 1e-6)
        is_found = score > FOUND and not _is_at_rim(scores, row, column)
        at.append(outline.box.center)
        by.append(moved / FINE)
        deviation.append(DEVIATION / score**2 if is_found else np.inf)
    return _total(surface, np.array(at), np.array(by), np.array(deviation))


def _is_at_rim(scores: Float, row: int, column: int) -> bool:
    """Whether the peak may lie further out."""
    return row in (0, scores.shape[0] - 1) or column in (0, scores.shape[1] - 1)


def _peak(scores: Float) -> tuple[Matrix, int, int]:
    """Where the highest score is: from the middle, and its row and column."""
    _, _, _, (column, row) = cv2.minMaxLoc(scores)
    rows, columns = scores.shape
    x, y = column - (columns - 1) / 2, row - (rows - 1) / 2
    if 0 < column < columns - 1:
        x += _vertex(*map(float, scores[row, column - 1 : column + 2]))
    if 0 < row < rows - 1:
        y += _vertex(*map(float, scores[row - 1 : row + 2, column]))
    return np.array([x, y]), row, column


def _vertex(before: float, top: float, after: float) -> float:
    """Where a parabola through three neighbours is highest, from the middle one."""
    bend = before - 2 * top + after
    return 0.0 if bend >= 0 else (before - after) / (2 * bend)


def _total(surface: Surface, at: Matrix, by: Matrix, deviation: Matrix) -> Seen:
    """What was measured in a flattened picture, as displacements from the flat pad."""
    return Seen(at, by + surface.bend.at(at + by), deviation)


def _fit(grid: Grid, seen: list[Seen], stiffness: float) -> Spline:
    """The surface through all that was seen, without what does not go with the rest."""
    at = np.concatenate([part.at for part in seen])
    by = np.concatenate([part.by for part in seen])
    deviation = np.concatenate([part.deviation for part in seen])
    told = np.isfinite(deviation)
    return fitted(grid, at[told], by[told], np.maximum(deviation[told], LEAST), stiffness)
