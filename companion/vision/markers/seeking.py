"""Detects printed markers (ArUco fiducials) in a photo. `grouping` assigns them to pads."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core import markers
from companion.vision.core import Pixels

Gray = npt.NDArray[np.uint8]  # A gray picture of shape (height, width)
# Points of shape (n, 2): x to the right, y down; integers are the centres of pixels
Points = npt.NDArray[np.float32]

# A photo is searched at this size first: a sheet that fills it has 5 pixels a millimetre
FIRST_PIXELS: Final = 1_200_000
# The largest size that is searched if the first search leaves a pad incomplete
FINE_PIXELS: Final = 8_000_000
# The side below which markers begin to be missed, and a search at a finer scale pays off
SMALL: Final[Pixels] = 24
LEAST_SIDE: Final[Pixels] = 10  # The shortest side with which a marker can be decoded
WINDOWS: Final = (15,)  # Side of the adaptive threshold's window, in pixels
MORE_WINDOWS: Final = (7, 15, 31)  # The windows that are tried when the contrast is raised
# Gray levels, of 255, by which a marker's border is darker than the mean of its window
DARKER: Final = 6
CONTRAST: Final = 4.0  # The clip limit of CLAHE, for photos with too little contrast
MOST_QUADS: Final = 20_000  # The most outlines that are examined in one photo
# The most markers that are kept of one photo, the largest ones. Pads have four each.
MOST_MARKERS: Final = 96
LEAST_CONTRAST: Final = 8.0  # The least difference between a marker's black and white, of 255
RIM: Final = 16  # Pixels added around the picture, as scans end with a marker's ink
# Thresholds between a marker's black (0) and white (1), tried in this order. With half a marker in
# the shade, white in the shade is hardly lighter than black in the light, so one threshold is not
# enough.
LEVELS: Final = (0.5, 0.3, 0.18, 0.7)
# Weights of a cell's neighbours and of the cell itself; in each direction they undo a blur of half
# a cell.
SHARPENING: Final = (-0.32, 1.64)
# The least gap between a marker's darkest white and lightest black cell, relative to its contrast.
# Pictures and letters have all shades; a marker has two.
LEAST_GAP: Final = 0.08
# Wrong cells allowed among a marker's 25; any two markers differ in at least 6
MOST_WRONG_CELLS: Final = 1
MOST_WRONG_BORDER: Final = 2  # Wrong cells allowed among the 24 cells of the black border


@dataclass(frozen=True, eq=False)
class SeenMarker:
    """A marker that was detected in the photo."""

    id: int
    corners: Points  # (4, 2) in pixels, as printed: top left, top right, bottom right, bottom left
    is_exact: bool = True  # whether none of its cells is wrong

    @cached_property
    def center(self) -> npt.NDArray[np.float64]:
        """The mean of the corners, (2,)."""
        return np.asarray(self.corners.mean(axis=0), np.float64)

    @cached_property
    def side(self) -> Pixels:
        sides = np.linalg.norm(self.corners - np.roll(self.corners, 1, axis=0), axis=1)
        return float(min(sides.tolist()))


def seek(gray: Gray, scale: float = 1.0, *, raise_contrast: bool = False) -> list[SeenMarker]:
    """Detects all markers of the dictionary, whatever they mean.

    Args:
        gray: of shape (height, width).
        scale: the factor by which the picture is resized for the search.
        raise_contrast: equalizes the local contrast first, for photos against the light.
    """
    look = gray if scale == 1.0 else resized(gray, scale)
    if raise_contrast:
        look = np.asarray(cv2.createCLAHE(CONTRAST, (8, 8)).apply(look), np.uint8)
    # Blurred a little, because grain would fill the picture with tiny outlines.
    look = _on_paper(np.asarray(cv2.GaussianBlur(look, (3, 3), 0), np.uint8))
    quads = _quads(look, MORE_WINDOWS if raise_contrast else WINDOWS)
    found = [
        SeenMarker(number, ((points - RIM + 0.5) / scale - 0.5).astype(np.float32), is_exact)
        for number, points, is_exact in _decode_quads(look, quads)
    ]
    return [refined(gray, seen) for seen in merged((), found)]


def scale_for(gray: Gray, pixels: int) -> float:
    """The factor that reduces a photo to this number of pixels; 1 if it has no more."""
    return min(1.0, math.sqrt(pixels / gray.size))


def merged(before: Iterable[SeenMarker], more: Iterable[SeenMarker]) -> list[SeenMarker]:
    """The markers without duplicates, the largest ones; those of `before` go before others."""
    # At most `MOST_MARKERS`: comparing them takes time by the square of their number
    kept = list(before)
    # With three windows a marker is seen up to three times, some by their inner edge, too.
    for seen in sorted(more, key=lambda seen: -seen.side)[: 4 * MOST_MARKERS]:
        if not any(_is_same(seen, other) for other in kept):
            kept.append(seen)
    return sorted(kept, key=lambda seen: -seen.side)[:MOST_MARKERS]


def _is_same(one: SeenMarker, other: SeenMarker) -> bool:
    (x, y), (other_x, other_y) = one.center, other.center
    return math.hypot(x - other_x, y - other_y) < 0.5 * max(one.side, other.side)


def resized(picture: npt.NDArray[np.uint8], scale: float) -> npt.NDArray[np.uint8]:
    """The picture with its height and width multiplied by `scale`."""
    way = cv2.INTER_CUBIC if scale > 1 else cv2.INTER_AREA
    if 0.5 <= scale <= 1:
        # It leaves no pixel out, and takes a sixth of the time.
        way = cv2.INTER_LINEAR
    return np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=way), np.uint8)


def refined(gray: Gray, seen: SeenMarker) -> SeenMarker:
    """The marker with its corners refined to subpixel accuracy in `gray`."""
    # The next white cell is one cell away from the corner, and the window must not reach it.
    reach = int(np.clip(seen.side / markers.CELLS * 0.7, 2, 12))
    height, width = gray.shape
    if min(height, width) < 2 * reach + 5:
        return seen
    inside = np.clip(seen.corners, 0, [width - 1, height - 1])
    points = inside.astype(np.float32).reshape(-1, 1, 2)
    stop = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.02)
    refined = cv2.cornerSubPix(gray, points, (reach, reach), (-1, -1), stop).reshape(4, 2)
    moved = np.linalg.norm(refined - seen.corners, axis=1)
    kept = np.where((moved <= 1.5 * reach)[:, np.newaxis], refined, seen.corners)
    return replace(seen, corners=kept.astype(np.float32))


def _quads(look: Gray, windows: Iterable[int]) -> Points:
    """The outlines of all dark quadrilaterals, (n, 4, 2), clockwise."""
    quads: list[npt.NDArray[np.float32]] = []
    for window in windows:
        dark = cv2.adaptiveThreshold(
            look, 255, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, window, DARKER
        )
        contours, _ = cv2.findContours(dark, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            # Most outlines are tiny, and an upright box around them costs a tenth.
            if min(cv2.boundingRect(contour)[2:]) < LEAST_SIDE:
                continue
            _, (across, down), _ = cv2.minAreaRect(contour)
            if min(across, down) < LEAST_SIDE or max(across, down) > 5 * min(across, down):
                continue
            corners = cv2.approxPolyDP(contour, 0.12 * (across + down), True)
            if len(corners) != 4 or not cv2.isContourConvex(corners):
                continue
            quad = corners.reshape(4, 2).astype(np.float32)
            area = cv2.contourArea(quad, oriented=True)
            if abs(area) > 0.6 * across * down:
                quads.append(quad if area > 0 else quad[::-1])
    return np.array(quads, np.float32).reshape(-1, 4, 2)[:MOST_QUADS]


def _on_paper(look: Gray) -> Gray:
    """The picture with a rim as pale as most of its edge."""
    tone = float(np.median(np.concatenate([look[0], look[-1], look[:, 0], look[:, -1]])))
    rim = cv2.copyMakeBorder(look, RIM, RIM, RIM, RIM, cv2.BORDER_CONSTANT, value=tone)
    return np.asarray(rim, np.uint8)


def _decode_quads(look: Gray, quads: Points) -> list[tuple[int, Points, bool]]:
    """(id, corners as printed, whether no cell is wrong) of those outlines that are markers."""
    if not len(quads):
        return []
    cells = _cells(look, quads)
    codes, wrong = _decoded(cells)
    blurred = np.flatnonzero(codes < 0)
    codes[blurred], wrong[blurred] = _decoded(_deblurred(cells[blurred]))
    found: list[tuple[int, Points, bool]] = []
    for place in np.flatnonzero(codes >= 0):
        turns, number = divmod(int(codes[place]), len(_codes()) // 4)
        found.append((number, np.roll(quads[place], turns, axis=0), not wrong[place]))
    return found


def _decoded(cells: npt.NDArray[np.float32]) -> tuple[npt.NDArray[np.intp], Points]:
    """(the index of each outline's code in `_codes`, or -1; how many of its cells are wrong).

    Args:
        cells: brightness of the cells, (n, CELLS, CELLS).
    """
    border, inside = cells[:, _BORDER], cells[:, ~_BORDER]
    black, white = np.median(border, axis=1), np.sort(inside, axis=1)[:, -3]
    contrast = white - black
    codes = _codes()
    decoded = np.full(len(cells), -1, np.intp)
    fewest = np.full(len(cells), MOST_WRONG_CELLS + 1.0)
    for level in LEVELS:
        line = (black + level * contrast)[:, np.newaxis]
        likely = np.flatnonzero(
            (contrast >= LEAST_CONTRAST)
            & (np.count_nonzero(border > line, axis=1) <= MOST_WRONG_BORDER)
            & (_gap(inside, line) >= LEAST_GAP * contrast)
        )
        signs = np.where(inside[likely] > line[likely], 1, -1).astype(np.float32)
        for place, sign in zip(likely, signs, strict=True):
            # In a loop, because for larger products BLAS would start threads.
            wrong = (codes.shape[1] - codes @ sign) / 2
            code = int(wrong.argmin())
            if wrong[code] < fewest[place]:
                fewest[place], decoded[place] = wrong[code], code
    return decoded, fewest


def _deblurred(cells: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The cells sharpened against a blur that mixed each one with its neighbours."""
    white = np.sort(cells.reshape(len(cells), markers.CELLS**2), axis=1)[:, -3]
    around = np.pad(cells, ((0, 0), (1, 1), (1, 1)))
    around[:, _QUIET] = white[:, np.newaxis]
    beside, middle = SHARPENING
    across = middle * around + beside * (np.roll(around, 1, 2) + np.roll(around, -1, 2))
    down = middle * across + beside * (np.roll(across, 1, 1) + np.roll(across, -1, 1))
    return np.asarray(down[:, 1:-1, 1:-1], np.float32)


def _gap(inside: npt.NDArray[np.float32], line: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The gap between the cells above and below the threshold, without one outlier on each side."""
    above = np.sort(np.where(inside > line, inside, np.inf), axis=1)[:, 1]
    below = np.sort(np.where(inside > line, -np.inf, inside), axis=1)[:, -2]
    gap = above - below
    return np.where(np.isfinite(gap), gap, -np.inf)


def _cells(look: Gray, quads: Points) -> npt.NDArray[np.float32]:
    """The brightness of the cells of each outline, (n, CELLS, CELLS)."""
    unit = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float32)
    maps = np.array([cv2.getPerspectiveTransform(unit, quad) for quad in quads])
    steps = (np.arange(markers.CELLS)[:, np.newaxis] + [0.3, 0.7]).ravel() / markers.CELLS
    x, y = np.meshgrid(steps, steps)
    at = np.stack([x.ravel(), y.ravel(), np.ones(x.size)])
    places = maps @ at
    places = (places[:, :2] / places[:, 2:]).astype(np.float32)
    values = cv2.remap(
        look, places[:, 0], places[:, 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    grid = values.reshape(len(quads), markers.CELLS, 2, markers.CELLS, 2)
    return np.asarray(grid.mean(axis=(2, 4)), np.float32)


_BORDER: Final = np.pad(np.zeros((markers.SIDE, markers.SIDE), bool), 1, constant_values=True)
_QUIET: Final = np.pad(np.zeros((markers.CELLS, markers.CELLS), bool), 1, constant_values=True)


@cache
def _codes() -> npt.NDArray[np.float32]:
    """All markers' cells as 1 (white) and -1 (black), in all four rotations, counter-clockwise.

    Shape (4 · ids, 25): all ids upright, then all ids rotated once, and so on.
    """
    dictionary = cv2.aruco.getPredefinedDictionary(getattr(cv2.aruco, markers.DICTIONARY))
    inner = slice(1, 1 + markers.SIDE)
    cells = [
        cv2.aruco.generateImageMarker(dictionary, number, markers.CELLS)[inner, inner]
        for number in range(len(dictionary.bytesList))
    ]
    signs = np.where(np.array(cells) > 0, 1, -1)
    turned = [np.rot90(signs, turns, axes=(1, 2)) for turns in range(4)]
    return np.concatenate(turned).reshape(-1, markers.SIDE**2).astype(np.float32)
