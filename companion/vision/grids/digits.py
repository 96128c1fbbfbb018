"""Finds ink the size of digits in a photo, with or without lines through it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.grids.ruling import Segments

Floats = npt.NDArray[np.float64]

WIDEST: Final = 41  # The side of the kernel that closes strokes, in pixels: wider than any stroke
FAINTEST: Final = 0.08  # The least ink of a stroke
# The share of the strongest ink nearby from which a pixel is writing: a paper's own lines are paler
SHARE: Final = 0.42
PALEST: Final = 0.29  # The ink of what is writing beside any other; a paper's lines have less
AROUND: Final = 91  # Pixels across the neighbourhood in which ink is compared
# The share of the paper's brightness, of which the photo's brightest parts are some, from which a
# ground may be paper in a shadow
DIM, BRIGHT = 0.3, 98
# Squared paper has so many lines that are parallel or upright, by so many degrees in perspective;
# the least length of one, of a usual one's
SQUARES, ALIKE, SHORT = 1000, 7.0, 0.45
# How far such a line goes on beyond what was seen of it, in lengths, and how far it is beside, in
# pixels; the most ink of it, of its usual ink, and the share of lines that have no more than others
BEYOND, ASIDE, DARKER, MOST_ALIKE = 2.5, 5, 1.3, 80
GAP: Final = 9  # Pixels from a part of a stroke over a line to the next one
# Degrees by which strokes over a line differ from upright to it
ACROSS: Final = (-40, -20, 0, 20, 40)
SMALLEST: Final = 9  # The least length of a digit's longer side, in pixels
HEIGHTS: Final = (
    13.0,
    19.0,
    28.0,
    41.0,
    60.0,
    86.0,
)  # The heights of digits, in pixels, that are tried in turn
MOST_DIGITS: Final = 500
# The least change of the paper's brightness in two pixels, of its logarithm, where it ends; light
# falls off slowly, and shadows are soft
STEP: Final = 0.06
FEWEST: Final = 8  # The fewest digits of a table
APART: Final = 3.0  # How far a table's digits are from each other, in heights of one
LONG: Final = 2.2  # The size from which connected ink contains lines, in heights of a digit
STROKE: Final = 0.7  # How long the straight parts of such lines are
SAME_PEN: Final = 0.6  # The least darkness of a pen's strokes, as a share of the usual stroke's
BROAD: Final = 1.6  # The largest thickness of a pen's strokes, in usual ones
SOLID: Final = 6.0  # What thickness, in shorter sides of a box, counts against its ink
GROUPS: Final = 3  # How many groups of digits of one height may be tables


@dataclass(frozen=True, eq=False)
class Digits:
    """Boxes of ink the size of digits: (n, 4), left, top, right and bottom in pixels."""

    boxes: Floats
    height: float  # of a usual one
    lines: npt.NDArray[np.uint8]  # 1 where there are lines
    nearby: Floats  # (n, 4): boxes of this pen on this paper, also of those farther away

    @property
    def centers(self) -> Floats:
        """(n, 2)."""
        return (self.boxes[:, :2] + self.boxes[:, 2:]) / 2


def writing(
    gray: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """(the ink of a photo without anything much paler, such as the lines of squared paper;
    where the paper ends).
    """
    half = cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (WIDEST // 2, WIDEST // 2))
    size = (gray.shape[1], gray.shape[0])
    closed = cv2.morphologyEx(half, cv2.MORPH_CLOSE, kernel)
    steps = np.log(cv2.blur(closed.astype(np.float32), (5, 5)) + 8)
    steep = np.hypot(
        cv2.Sobel(steps, -1, 1, 0, scale=1 / 8), cv2.Sobel(steps, -1, 0, 1, scale=1 / 8)
    )
    is_end = cv2.resize((steep > STEP).astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    paper = cv2.resize(cv2.blur(closed, (9, 9)), size)
    # On a black table noise is as strong as ink.
    light = np.maximum(paper, DIM * float(np.percentile(paper, BRIGHT)))
    ink = np.clip((paper - gray.astype(np.float32)) / np.maximum(light, 1), 0, 1)
    small = cv2.resize(ink, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    near = cv2.getStructuringElement(cv2.MORPH_RECT, (AROUND // 4, AROUND // 4))
    most = cv2.resize(cv2.blur(cv2.dilate(small, near), (9, 9)), size)
    # A thick pen's lines are far darker than thin digits beside them.
    strong = ink * (ink > np.clip(SHARE * most, FAINTEST, PALEST))
    return np.asarray(strong, np.float32), is_end.astype(bool)


def without_squares(
    ink: npt.NDArray[np.float32], segments: Segments
) -> npt.NDArray[np.float32] | None:
    """The ink without squared paper's own lines; None if no paper's are so many.

    A pencil may be as pale, but they are straight, parallel and longer than strokes.

    Args:
        segments: both edges of the lines.
    """
    way = segments[:, 2:] - segments[:, :2]
    slope, is_along = _squares(way)
    if is_along.sum() < SQUARES:
        return None
    lengths = np.hypot(*way.T)
    long = is_along & (lengths >= SHORT * np.median(lengths[is_along]))
    start, way = segments[long, :2], way[long]
    at = np.linspace(0, 1, 9)[:, np.newaxis]
    x, y = (
        (start[:, axis] + way[:, axis] * at).astype(int).clip(0, size - 1)
        for axis, size in enumerate(ink.shape[::-1])
    )
    # A segment is an edge; its line is beside it.
    own = np.median(cv2.dilate(ink, np.ones((3, 3), np.uint8))[y, x], axis=0)
    most = DARKER * np.minimum(own, np.percentile(own, MOST_ALIKE))
    # Lines that were drawn stay whole; parts of them would look like digits.
    is_drawn = (own > most.max()) & (lengths[long] >= np.median(lengths[is_along]))
    most[is_drawn] = 0
    ends = np.round(np.concatenate([start - BEYOND * way, start + (1 + BEYOND) * way], axis=1))
    is_upright = np.abs(way[:, 1]) > np.abs(way[:, 0])
    lines = np.zeros((2, *ink.shape), np.float32)
    for number in np.lexsort([most, is_drawn]).tolist():
        left, top, right, bottom = ends[number].astype(int).tolist()
        at = lines[int(is_upright[number])]
        cv2.line(at, (left, top), (right, bottom), float(most[number]), ASIDE)
    return _without(ink, ink < lines, slope)


def _without(
    ink: npt.NDArray[np.float32], is_line: npt.NDArray[np.bool_], slope: float
) -> npt.NDArray[np.float32]:
    """The ink without lines, over which strokes go on.

    Args:
        is_line: (2, height, width), on lines that are rather level, and on others.
        slope: of the lines, in degrees from 0 to 90.
    """
    bare = np.where(is_line.any(axis=0), 0, ink)
    whole = bare.copy()
    level = slope if slope < 45 else slope - 90
    for on, upright in zip(is_line, (level + 90, level), strict=True):
        for turn in ACROSS:
            closed = cv2.morphologyEx(bare, cv2.MORPH_CLOSE, _bar(upright + turn))
            whole[on] = np.maximum(whole, closed)[on]
    return np.asarray(whole, np.float32)


def _bar(angle: float) -> npt.NDArray[np.uint8]:
    """A straight line as a kernel."""
    reach = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))]) * (GAP // 2)
    bar = np.zeros((GAP, GAP), np.uint8)
    start, stop = (tuple(np.round(GAP // 2 + at).astype(int).tolist()) for at in (-reach, reach))
    return np.asarray(cv2.line(bar, start, stop, 1), np.uint8)


def _squares(way: Floats) -> tuple[float, npt.NDArray[np.bool_]]:
    """(the slope of most segments, in degrees from 0 to 90, which of them have it).

    Args:
        way: from end to end of each, (n, 2).
    """
    angles = np.degrees(np.arctan2(way[:, 1], way[:, 0])) % 90
    counts = np.bincount(angles.astype(int) % 90, minlength=90)
    usual = (counts + np.roll(counts, 1) + np.roll(counts, -1)).argmax() + 0.5
    return float(usual), np.asarray(np.abs((angles - usual + 45) % 90 - 45) < ALIKE)


def find_digits(
    ink: npt.NDArray[np.float32], is_end: npt.NDArray[np.bool_], segments: Segments
) -> list[tuple[float, Digits]]:
    """(amount of ink, digits) of each candidate for a table, most ink first.

    Args:
        ink, is_end: as `writing` returns them.
        segments: both edges of the lines that may be drawn between digits.
    """
    mask = (ink > 0).astype(np.uint8)
    found: list[tuple[float, Digits]] = []
    parts = _Parts.of(mask, ink)
    for height in HEIGHTS:
        boxes, dark, thick, lines = _digits(parts, ink, segments, height)
        lines[is_end] = 0  # The paper's sides are no lines on it.
        if len(boxes) < FEWEST:
            continue
        for group in _clusters(boxes, APART * height, is_end)[:GROUPS]:
            # All were written with one pen.
            is_its = dark > SAME_PEN * _usual(dark[group], dark[group])
            is_its &= thick < BROAD * _usual(thick[group], dark[group])
            same = group[is_its[group]]
            if len(same) >= FEWEST:
                # The ink of dashes and patches fills their boxes; that of most digits is strokes.
                short = (boxes[same, 2:] - boxes[same, :2]).min(axis=1)
                solid = float(np.median(thick[same] / short))
                score = float((dark[same] ** 2).sum()) * height * max(1 - SOLID * solid, 0.05)
                usual = _usual_height(boxes[same])
                found.append((score, Digits(boxes[same], usual, lines, boxes[is_its])))
    return sorted(found, key=lambda each: -each[0])


@dataclass(frozen=True, eq=False)
class _Parts:
    """The connected parts of a mask."""

    pixels: npt.NDArray[np.intp]  # the indices of the mask's pixels in the flat picture
    labels: npt.NDArray[np.int32]  # the part of each of them, from 1
    boxes: Floats  # (n, 4); that of everything else is the first
    area: Floats
    dark: Floats  # Their mean ink
    thick: Floats  # How far their ink is from its edge in the mean, in pixels

    @classmethod
    def of(cls, mask: npt.NDArray[np.uint8], ink: npt.NDArray[np.float32]) -> _Parts:
        _, found, stats, _ = cv2.connectedComponentsWithStats(mask)
        x, y, wide, high, area = stats.T.astype(np.float64)
        boxes = np.stack([x, y, x + wide, y + high], axis=1)
        deep = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
        # Writing covers a small part of a photo.
        pixels = np.flatnonzero(mask)
        labels = np.asarray(found.ravel()[pixels], np.int32)
        dark, thick = (
            np.bincount(labels, weights=each.ravel()[pixels], minlength=len(stats))
            / np.maximum(area, 1)
            for each in (ink, deep)
        )
        return cls(pixels, labels, boxes, area, dark, thick)

    def like_digits(self, height: float, thinnest: float) -> npt.NDArray[np.bool_]:
        """Whether each may be a digit of this height; no side may be below `thinnest`."""
        wide, high = (self.boxes[:, 2:] - self.boxes[:, :2]).T
        tall, thin = np.maximum(wide, high), np.minimum(wide, high)
        fits = (tall >= max(SMALLEST, 0.6 * height)) & (tall <= 1.7 * height)
        fits &= (thin <= 1.2 * height) & (thin >= thinnest)
        fits &= self.area >= 0.08 * wide * high
        fits[0] = False
        return np.asarray(fits)


def _digits(
    parts: _Parts, ink: npt.NDArray[np.float32], segments: Segments, height: float
) -> tuple[Floats, Floats, Floats, npt.NDArray[np.uint8]]:
    """(boxes of possible digits of this height, their darkness, their thickness, 1 on lines)."""
    sides = (parts.boxes[:, 2:] - parts.boxes[:, :2]).max(axis=1)
    is_long = sides > LONG * height
    lines = np.zeros(ink.shape, np.uint8)
    lines.ravel()[parts.pixels] = is_long[parts.labels]
    bare = _without_lines(lines, segments, height)
    # Writing over a line is connected with it until the line is removed.
    over = _Parts.of(bare, ink)
    found = [(parts, parts.like_digits(height, 0)), (over, over.like_digits(height, 0.3 * height))]
    boxes = np.concatenate([each.boxes[fits] for each, fits in found])
    dark = np.concatenate([each.dark[fits] for each, fits in found])
    thick = np.concatenate([each.thick[fits] for each, fits in found])
    # Far more are a cloth or the grain of wood.
    darkest = np.argsort(-dark, kind="stable")[:MOST_DIGITS]
    bare_lines = np.asarray(lines & ~bare & 1, np.uint8)
    return boxes[darkest], dark[darkest], thick[darkest], bare_lines


def _usual(values: Floats, dark: Floats) -> float:
    """The median of some values, weighted by how dark each is."""
    order = np.argsort(values)
    ink = np.cumsum(dark[order] ** 2)
    return float(values[order[np.searchsorted(ink, ink[-1] / 2)]])


def _usual_height(boxes: Floats) -> float:
    return float(np.median((boxes[:, 2:] - boxes[:, :2]).max(axis=1)))


def _without_lines(
    mask: npt.NDArray[np.uint8], segments: Segments, height: float
) -> npt.NDArray[np.uint8]:
    """A mask of lines and what touches them, without the lines."""
    lengths = np.hypot(*(segments[:, 2:] - segments[:, :2]).T)
    bare = mask.copy()
    deep = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
    long = segments[lengths > STROKE * height]
    at = np.linspace(0, 1, 24)[:, np.newaxis]
    xs, ys = (
        np.clip(np.round(a + (b - a) * at).astype(int), 2, size - 3)
        for a, b, size in zip(long.T[:2], long.T[2:], mask.shape[::-1], strict=True)
    )
    near = np.max([deep[ys + dy, xs + dx] for dy in (-2, 0, 2) for dx in (-2, 0, 2)], axis=0)
    thick = np.clip(4 * np.median(near, axis=0) + 2, 3, 22).astype(int)
    for (x, y, right, bottom), width in zip(long.tolist(), thick.tolist(), strict=True):
        cv2.line(bare, (round(x), round(y)), (round(right), round(bottom)), 0, width)
    return bare


def _clusters(
    boxes: Floats, apart: float, is_end: npt.NDArray[np.bool_]
) -> list[npt.NDArray[np.intp]]:
    """The indices of boxes that are near each other on one paper, the largest group first."""
    x_gaps, y_gaps = (
        np.maximum(low[:, None] - high, low - high[:, None])
        for low, high in zip(boxes.T[:2], boxes.T[2:], strict=True)
    )
    linked = np.maximum(x_gaps, y_gaps) < apart
    of, to = np.nonzero(linked)
    ends = [(at[of], at[to]) for at in (boxes.T[:2] + boxes.T[2:]) / 2]
    is_cut = np.zeros(len(of), bool)
    for part in np.linspace(0, 1, 16):
        x, y = ((start * (1 - part) + end * part).astype(int) for start, end in ends)
        is_cut |= is_end[y, x]
    linked[of, to] = ~is_cut
    np.fill_diagonal(linked, True)
    labels = np.arange(len(boxes))
    while True:
        before = labels
        labels = np.where(linked, labels[None], len(boxes)).min(axis=1)
        labels = labels[labels]
        if (labels == before).all():
            break
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return sorted(groups, key=len, reverse=True)
