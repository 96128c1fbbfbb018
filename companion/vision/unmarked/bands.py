"""Bands: long areas of the picture with four straight sides, which may be an edition's bars.

`four_sided` finds them by their outlines, `distinct` drops doubles, and `homographies` tries which
of them may be which bars: two bars in the right order and distance fix a placing of the sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, islice
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from cv2.typing import MatLike

from companion.core.sheet import Box
from companion.vision.mapping.plane import Matrix, box_corners, mapped

LEAST_OUTLINE: Final = 450  # Pixels around the smallest band
NARROWEST, WIDEST = 18.0, 3.5  # the ratio of length to width, bands seen from the side among them
STRAIGHT: Final = 0.65  # The least share of its four-sided outline that a band fills
MOST: Final = 80  # bands of a picture
SAME: Final = 0.06  # Bands whose corners are all closer than this share of their width are one
ROUGHLY: Final = 0.3  # The same where bands stand for all that are nearly like them
NEAR: Final = 0.5  # How far a band's corners may be from a bar's, in widths of the bar
# How far two bars may be shifted sideways, as perspective shows them, in lengths
ASIDE: Final = 0.5
# The largest ratio of two bands' distance to that of two bars, both in their widths, or its inverse
UNEVEN: Final = 1.35
LEAST_BARS: Final = 2  # How many bars of a placing must have a band
MOST_PAIRS: Final = 600  # How many ways to take two bands for two bars are tried
# How many of them are fitted to all bars, after those that would fit the same bands are dropped
MOST_WAYS: Final = 80


def four_sided(outlines: Iterable[MatLike], scale: float = 1.0) -> list[Matrix]:
    """The corners of each outline that is a band, (4, 2), clockwise in the picture.

    Args:
        scale: the picture's size, as a share of the one in which bands are searched for.
    """
    found = []
    for outline in outlines:
        if len(outline) < LEAST_OUTLINE * scale:
            continue
        area = cv2.contourArea(outline)
        # A band of the ratio r has an outline of 2 (r + 1) √(area / r).
        if area * 4 * (NARROWEST + 1) ** 2 < NARROWEST * (0.7 * len(outline)) ** 2:
            continue
        hull = cv2.convexHull(outline)
        _, sides, _ = cv2.minAreaRect(hull)
        long, short = max(sides), min(sides)
        if not WIDEST * short <= long <= NARROWEST * short or area < STRAIGHT * long * short / 1.5:
            continue
        corners = np.asarray(cv2.approxPolyN(hull.astype(np.float32), 4), np.float64).reshape(-1, 2)
        if len(corners) == 4 and area > STRAIGHT * cv2.contourArea(corners.astype(np.float32)):
            found.append(corners)
    return found


def distinct(bands: Sequence[Matrix], coarse: Sequence[Matrix] = ()) -> Matrix:
    """(n, 4, 2): each band once, from a long side on, the largest first; at most `MOST`.

    Args:
        coarse: bands whose ends are less exact, which count where there is no other.
    """
    exact = _without_doubles(_from_long_side(bands), SAME)
    others = _from_long_side(coarse)
    if len(exact) and len(others):
        widths = np.linalg.norm(others[:, 3] - others[:, 0], axis=1)
        others = others[_corner_distances(others, exact).min(axis=1) > widths]
    return np.concatenate([exact, _without_doubles(others, SAME)])[:MOST]


def _from_long_side(bands: Sequence[Matrix]) -> Matrix:
    """Bands, (n, 4, 2), whose first two corners are the ends of a long side; the largest first."""
    turned = []
    for corners in sorted(bands, key=lambda corners: -cv2.contourArea(corners.astype(np.float32))):
        first, second, third, fourth = np.linalg.norm(np.roll(corners, -1, 0) - corners, axis=1)
        turned.append(corners if first + third > second + fourth else np.roll(corners, 1, 0))
    return np.array(turned).reshape(-1, 4, 2)


def _without_doubles(bands: Matrix, least: float) -> Matrix:
    """The bands, without those that are nearer to an earlier one than this share of its width."""
    widths = np.linalg.norm(bands[:, 3] - bands[:, 0], axis=1)
    is_near = _corner_distances(bands, bands) < least * widths[:, np.newaxis]
    kept: list[int] = []
    for place in range(len(bands)):
        if not is_near[place, kept].any():
            kept.append(place)
    return bands[kept]


def _corner_distances(expected: Matrix, bands: Matrix) -> Matrix:
    """(k, m): the largest distance between corners of figures, (k, 4, 2), and of bands, (m, 4, 2).

    A band may be turned by 180°: the better way counts.
    """
    both = np.stack([bands, np.roll(bands, 2, axis=1)])
    x, y = (expected[:, np.newaxis, np.newaxis, :, axis] - both[..., axis] for axis in (0, 1))
    return np.asarray(np.sqrt((x * x + y * y).max(axis=3).min(axis=1)))


def matched_bars(
    homography: Matrix, bars: Sequence[Box], bands: Matrix
) -> tuple[Matrix, Matrix, float]:
    """Matches bars with the bands that lie where a homography puts them.

    Args:
        homography: from millimetres to pixels.
        bands: (m, 4, 2).

    Returns:
        The corners of the k matched bars in millimetres, (4 k, 2); those of their bands in pixels,
        (4 k, 2); and the sum of the distances of all bars from their bands, in the bars' widths,
        where a bar without a band counts `NEAR`.
    """
    printed = np.array(list(map(box_corners, bars)))
    expected = mapped(homography, printed.reshape(-1, 2)).reshape(-1, 4, 2)
    nearest, away = _nearest(expected, bands)
    is_near = away < NEAR
    seen, wanted = bands[nearest[is_near]], expected[is_near]
    turned = np.roll(seen, 2, axis=1)
    off, turned_off = (np.linalg.norm(wanted - each, axis=2).max(axis=1) for each in (seen, turned))
    seen = np.where((off < turned_off)[:, np.newaxis, np.newaxis], seen, turned)
    error = float(np.minimum(away, NEAR).sum())
    return printed[is_near].reshape(-1, 2), seen.reshape(-1, 2), error


def _nearest(expected: Matrix, bands: Matrix) -> tuple[npt.NDArray[np.intp], Matrix]:
    """(index of the nearest band for each bar, (k, 4, 2); their distances in the bars' widths)."""
    gaps = _corner_distances(expected, bands)
    widths = np.linalg.norm(expected[:, 3] - expected[:, 0], axis=1)
    nearest = gaps.argmin(axis=1)
    return nearest, gaps[np.arange(len(expected)), nearest] / np.maximum(widths, 1e-6)


def points_along(box: Box) -> Matrix:
    """(10, 2): points along the long sides of a bar."""
    x = box.x + box.width * np.linspace(0, 1, 5)
    return np.array([(at, y) for y in (box.y, box.y + box.height) for at in x])


def homographies(bars: Sequence[Box], bands: Matrix) -> Matrix:
    """(h, 3, 3), from millimetres to pixels: the placings in which bands are some of the bars."""
    # The bars have one size, and lie below each other. The likeliest ways come first.
    printed = np.array(list(map(box_corners, bars)))
    pairs = islice(_bar_pairs(printed, _without_doubles(bands, ROUGHLY)), MOST_PAIRS)
    ways = [np.asarray(cv2.getPerspectiveTransform(*pair), np.float64) for pair in pairs]
    if not ways:
        return np.empty((0, 3, 3))
    expected = np.array([mapped(way, printed.reshape(-1, 2)) for way in ways])
    nearest, away = (
        each.reshape(-1, len(bars)) for each in _nearest(expected.reshape(-1, 4, 2), bands)
    )
    errors = np.minimum(away, NEAR).sum(axis=1)
    order = np.argsort(errors)
    # Ways that put the same bands at all bars would be fitted alike: only the best one is.
    taken = np.where(away < NEAR, nearest, -1)
    _, first = np.unique(taken[order], axis=0, return_index=True)
    found = []
    for place in order[np.sort(first)[:MOST_WAYS]]:
        at, seen, _ = matched_bars(ways[place], bars, bands)
        if len(seen) >= 4 * LEAST_BARS:
            found.append(cv2.findHomography(at, seen, 0)[0])
    return np.array(found, np.float64).reshape(-1, 3, 3)


def _bar_pairs(
    printed: Matrix, bands: Matrix
) -> Iterator[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]]:
    """Pairs of bars with pairs of bands that may be these: the outer corners of both, (4, 2) each.

    Args:
        printed: (k, 4, 2), the corners of the bars in millimetres.
        bands: (m, 4, 2), in pixels.
    """
    middles = bands.mean(axis=1)
    along = (bands[:, 1] + bands[:, 2] - bands[:, 0] - bands[:, 3]) / 2
    down = (bands[:, 2] + bands[:, 3] - bands[:, 0] - bands[:, 1]) / 2
    # (m, m): how far the second band is right of and below the first, in its lengths and widths, by
    # Cramer's rule.
    x, y = np.moveaxis(middles[np.newaxis] - middles[:, np.newaxis], -1, 0)
    (along_x, along_y), (down_x, down_y) = along.T[..., np.newaxis], down.T[..., np.newaxis]
    area = along_x * down_y - along_y * down_x
    right = (x * down_y - y * down_x) / area
    below = (along_x * y - along_y * x) / area
    # The nearer one of two equal bars looks larger.
    apart = np.sqrt(np.abs(below * below.T))
    aligned = (np.abs(right) < ASIDE) & (np.abs(right.T) < ASIDE)
    for upper, lower in combinations(printed, 2):
        wanted = (lower[0, 1] - upper[0, 1]) / (upper[3, 1] - upper[0, 1])
        likely = aligned & (apart > wanted / UNEVEN) & (apart < wanted * UNEVEN)
        outer = np.concatenate([upper[:2], lower[2:]]).astype(np.float32)
        for first, second in np.argwhere(likely):
            a, b = bands[first], bands[second]
            # Both are turned so that the second one is below the first.
            if below[first, second] < 0:
                a = np.roll(a, 2, axis=0)
            if (a[1] - a[0]) @ (b[1] - b[0]) < 0:
                b = np.roll(b, 2, axis=0)
            yield outer, np.concatenate([a[:2], b[2:]]).astype(np.float32)
