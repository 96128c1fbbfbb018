"""Segments of thin dark lines, and which of them cross: a table is where many cross many."""

from __future__ import annotations

from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.mapping.plane import Matrix

# (n, 4): x, y of one end and x, y of the other, in pixels
Segments: TypeAlias = npt.NDArray[np.float64]

SIDE: Final = 1600  # Pixels along a photo's longer side when its lines are searched for
THICKEST: Final = 17  # Pixels across the thickest lines; wider dark areas are no lines
# The factor that makes a line's contrast with its paper, 0 to 1, a gray value up to 255
CONTRAST: Final = 600.0
# Pixels of the shortest segments: letters have few as long, cells have four longer ones
SHORTEST: Final = 16.0
MOST: Final = 2600  # The most segments that are compared, the longest: squared paper has more
# The least sine of the angle at which lines of a table cross, however it is photographed
UPRIGHT: Final = 0.85
AT_ONCE: Final = 64  # How many segments are compared with all others at a time: a cache holds them
REACH: Final = 16.0  # Pixels by which a segment may end before the line that it crosses
# The fewest segments of a table: two lines across and four down, with both their edges
FEWEST: Final = 12


def segments(gray: npt.NDArray[np.uint8]) -> Segments:
    """Both edges of every thin dark line, as far as they are straight, the longest first."""
    kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (THICKEST, THICKEST))
    paper = cv2.morphologyEx(gray, cv2.MORPH_CLOSE, kernel)
    depth = 1 - gray.astype(np.float32) / np.maximum(paper, 1)
    lines = np.clip(depth * CONTRAST, 0, 255).astype(np.uint8)
    # Without a line, OpenCV returns None.
    raw: object = cv2.createLineSegmentDetector().detect(lines)[0]
    found = np.asarray([] if raw is None else raw, np.float64).reshape(-1, 4)
    lengths = np.hypot(*(found[:, 2:] - found[:, :2]).T)
    longest = np.argsort(-lengths)
    return np.asarray(found[longest[lengths[longest] >= SHORTEST]])


def tables(found: Segments) -> list[Segments]:
    """The segments of each candidate for a table, most crossings first.

    Args:
        found: all segments, the longest first.
    """
    found = found[:MOST]
    if len(found) < FEWEST:
        return []
    crossing = _crossing(found)
    labels = _labels(crossing)
    counts = np.bincount(labels, weights=crossing.sum(axis=1))
    return [
        found[labels == label]
        for label in np.argsort(-counts)[:3]
        if (labels == label).sum() >= FEWEST
    ]


def _crossing(found: Segments) -> npt.NDArray[np.bool_]:
    """(n, n): which segments cross, nearly upright to each other."""
    start, way = found[:, :2], found[:, 2:] - found[:, :2]
    length = np.hypot(*way.T)
    along = way / length[:, np.newaxis]
    is_on = np.zeros((len(found), len(found)), bool)
    for first in range(0, len(found), AT_ONCE):
        some = slice(first, first + AT_ONCE)
        sine = _cross(along[some, None], along[None])
        is_upright = np.abs(sine) >= UPRIGHT
        at = _cross(start[None] - start[some, None], along[None])
        at /= np.where(is_upright, sine, np.inf)
        is_on[some] = is_upright & (at >= -REACH) & (at <= length[some, np.newaxis] + REACH)
    return np.asarray(is_on & is_on.T)


def _cross(one: Matrix, other: Matrix) -> Matrix:
    return np.asarray(one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0])


def _labels(linked: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """The connected part that each thing belongs to, from the links of all of them."""
    labels = np.full(len(linked), -1)
    for place in range(len(linked)):
        if labels[place] >= 0:
            continue
        near = np.array([place])
        while len(near):
            labels[near] = place
            near = np.flatnonzero(linked[near].any(axis=0) & (labels < 0))
    return labels
