"""Groups the markers that belong to one pad, by geometry alone.

Geometry is needed because several pads of the same kind have the same ids.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from heapq import nsmallest
from itertools import combinations, product
from operator import itemgetter
from typing import Final

import cv2
import numpy as np

from companion.core import markers
from companion.core.markers import Corner
from companion.core.sheet import AnySheetKind, Millimetres, Paper
from companion.games import catalog
from companion.vision.core import Corners, as_corners
from companion.vision.mapping.plane import (
    Matrix,
    affine_map,
    box_corners,
    inverse,
    mapped,
    paper_corners,
)
from companion.vision.markers.seeking import MOST_MARKERS, SeenMarker


@dataclass(frozen=True)
class Tolerance:
    """How far the markers of one pad may deviate from those of a flat pad."""

    # The largest angle, in radians, between where a marker points to and where the pad's next
    # marker is.
    slant: float
    # The largest factor between two markers' distance and the distance that their sizes imply
    stretch: float
    residual: Millimetres  # the largest distance of a marker's corner from its place on a flat pad


PLAIN: Final = Tolerance(math.radians(14), 1.25, 4.0)  # The tolerance for a bowed or folded sheet
# The tolerance for a strongly curled sheet. Markers that fit no better are only a guess, and the
# print between them has to confirm it.
LOOSE: Final = Tolerance(math.radians(50), 2.0, math.inf)

# The most ways to combine markers that are kept after each corner, the best ones. Sixteen pads of
# one kind have hardly more; a printed pattern of markers has millions.
MOST_WAYS: Final = 150


@dataclass(frozen=True, eq=False)
class PadKind:
    """A sheet and board, as marker ids name them."""

    sheet: AnySheetKind
    board: str
    paper: Paper
    # Corner of the pad → its marker's corners, (4, 2), in millimetres on the pad
    printed: Mapping[Corner, Matrix]


@dataclass(frozen=True, eq=False)
class FoundPad:
    """The markers of one pad, and where it lies in the photo."""

    kind: PadKind
    seen: Mapping[Corner, SeenMarker]  # two to four markers
    cost: float  # how badly they fit together: the mean discord of all pairs, below 1
    homography: Matrix  # (3, 3), from millimetres on the pad to pixels, as if the pad were flat
    # Whether the markers fit together only by `LOOSE`, or are only two; the print has to decide
    is_guess: bool = False

    @cached_property
    def corners(self) -> Corners:
        return as_corners(mapped(self.homography, paper_corners(self.kind.paper)))

    @cached_property
    def px_per_mm(self) -> float:
        """Pixels per millimetre where the pad appears smallest, in the direction with fewest."""
        # The markers of a guess are not reliable about the rest of the pad, so there it is the
        # pixels of their sides
        if self.is_guess:
            return min(marker.side for marker in self.seen.values()) / markers.MARKER
        return min(_least_scale(self.homography, at) for at in paper_corners(self.kind.paper))


def _least_scale(homography: Matrix, at: Matrix) -> float:
    """Pixels per millimetre at a point, in the direction with fewest (a singular value)."""
    px, py, w = homography @ np.array([at[0], at[1], 1.0])
    slope = (homography[:2, :2] - np.outer(np.array([px, py]) / w, homography[2, :2])) / w
    return float(np.linalg.svd(slope, compute_uv=False)[-1])


@cache
def pad_kind(sheet_number: int, board_place: int) -> PadKind | None:
    """The kind of pad with this sheet number and board place; None if there is none."""
    for sheet in catalog.SHEETS.values():
        if sheet.number == sheet_number and board_place < len(sheet.every_board):
            board = sheet.every_board[board_place]
            paper = sheet.paper(board)
            printed = {
                marker.corner: box_corners(marker.box)
                for marker in markers.on_pad(sheet_number, board_place, paper.width, paper.height)
            }
            return PadKind(sheet, board, paper, printed)
    return None


def group_markers(
    seen: Sequence[SeenMarker],
    known: Sequence[FoundPad] = (),
    tolerance: Tolerance = PLAIN,
    counts: Sequence[int] = (4, 3),
) -> tuple[list[FoundPad], list[SeenMarker]]:
    """(the pads that the markers form, the markers that belong to none).

    Args:
        known: pads that were found before; no other one may overlap them.
        counts: how many markers a pad may have, in descending order.
    """
    kinds: dict[PadKind, dict[Corner, list[SeenMarker]]] = {}
    for marker in seen:
        if (meaning := markers.meaning(marker.id)) and (kind := pad_kind(*meaning[:2])):
            kinds.setdefault(kind, {}).setdefault(meaning[2], []).append(marker)
    found = list(known)
    for kind, places in kinds.items():
        found += _pads(kind, places, tolerance, counts)
    pads = _without_overlaps(found)
    used: set[SeenMarker] = set()
    for pad in pads:
        used.update(pad.seen.values())
    sure = [pad for pad in pads if not pad.is_guess]
    left = []
    for marker in seen:
        if marker not in used and not any(_is_on(pad, marker) for pad in sure):
            left.append(marker)
    return pads, left


def _pads(
    kind: PadKind,
    places: Mapping[Corner, Sequence[SeenMarker]],
    tolerance: Tolerance,
    counts: Sequence[int],
) -> list[FoundPad]:
    """The pads of one kind: those with more markers before those with fewer, the best first."""
    pads: list[FoundPad] = []
    used: set[SeenMarker] = set()
    for count in counts:
        possible: list[FoundPad] = []
        for corners in combinations(markers.CORNERS, count):
            possible += _candidates(kind, corners, places, used, tolerance)
        for pad in sorted(possible, key=lambda pad: pad.cost):
            if not used.intersection(pad.seen.values()):
                used.update(pad.seen.values())
                pads.append(pad)
    return pads


def _candidates(
    kind: PadKind,
    corners: Sequence[Corner],
    places: Mapping[Corner, Sequence[SeenMarker]],
    used: set[SeenMarker],
    tolerance: Tolerance,
) -> Iterator[FoundPad]:
    """The pads that unused markers at these corners can form, at most `MOST_WAYS`."""
    ways: list[tuple[tuple[SeenMarker, ...], float]] = [((), 0.0)]
    for corner in corners:
        free = [marker for marker in places.get(corner, ()) if marker not in used]
        grown = []
        for (way, cost), marker in product(ways, free):
            more = [
                _discord(kind, before, other, corner, marker, tolerance)
                for before, other in zip(corners, way, strict=False)
            ]
            if all(part < 1.0 for part in more):
                grown.append(((*way, marker), cost + sum(more)))
        ways = nsmallest(MOST_WAYS, grown, key=itemgetter(1))
    pairs = len(corners) * (len(corners) - 1) / 2
    for way, cost in ways:
        seen = dict(zip(corners, way, strict=True))
        homography = _homography(kind, seen, tolerance)
        if homography is not None:
            yield FoundPad(kind, seen, cost / pairs, homography, tolerance is LOOSE)


@lru_cache(maxsize=4 * MOST_MARKERS**2)
def _discord(
    kind: PadKind,
    corner: Corner,
    marker: SeenMarker,
    other_corner: Corner,
    other: SeenMarker,
    tolerance: Tolerance,
) -> float:
    """How badly two markers fit together; from 1 on they cannot belong to the same pad.

    Each marker predicts the direction and the distance of the other one. On a flat pad both
    directions are right in any perspective, and the true distance is the geometric mean of the two
    predictions: x(t) = at / (1 + ct) has x(1)² = x'(0) · x'(1).
    """
    way = kind.printed[other_corner].mean(axis=0) - kind.printed[corner].mean(axis=0)
    line = other.center - marker.center
    length = float(np.linalg.norm(line))
    predicted = [_jacobian(seen) @ way for seen in (marker, other)]
    lengths = [float(np.linalg.norm(part)) for part in predicted]
    if min(length, *lengths) < 1e-6:
        return math.inf
    turns = [
        abs(math.atan2(part[0] * line[1] - part[1] * line[0], float(part @ line)))
        for part in predicted
    ]
    stretch = abs(math.log(length / math.sqrt(lengths[0] * lengths[1])))
    slant, most = tolerance.slant, math.log(tolerance.stretch)
    return (
        max(*turns) / slant * 0.5
        + stretch / most * 0.5
        + (1.0 if max(turns) > slant or stretch > most else 0.0)
    )


@lru_cache(maxsize=4 * MOST_MARKERS)
def _jacobian(seen: SeenMarker) -> Matrix:
    """The derivative of pixels by millimetres, (2, 2), at the marker's centre."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (markers.MARKER / 2)
    shape = cv2.getPerspectiveTransform(square.astype(np.float32), seen.corners)
    # The derivative of (p / w, q / w) at the centre, where w is 1.
    return np.asarray(shape[:2, :2] - np.outer(shape[:2, 2], shape[2, :2]), np.float64)


def _homography(
    kind: PadKind, seen: Mapping[Corner, SeenMarker], tolerance: Tolerance
) -> Matrix | None:
    """The homography from millimetres to pixels, (3, 3); None if no flat pad fits the markers."""
    printed = np.concatenate([kind.printed[corner] for corner in seen])
    points = np.concatenate([marker.corners for marker in seen.values()]).astype(np.float64)
    found, _ = cv2.findHomography(printed, points, 0)
    homography = np.asarray(found, np.float64)
    if homography.shape == (3, 3) and _is_sane(homography, kind.paper):
        back = mapped(inverse(homography), points)
        off = np.linalg.norm(back - printed, axis=1).max()
        return homography if off <= tolerance.residual else None
    if tolerance is LOOSE:
        # A curl can look like a perspective that no flat pad has.
        affine = affine_map(printed, points)
        return affine if _is_sane(affine, kind.paper) else None
    return None


def _is_sane(homography: Matrix, paper: Paper) -> bool:
    """Whether a homography shows a whole pad from its front, at no extreme slant."""
    if not np.all(np.isfinite(homography)) or abs(np.linalg.det(homography)) < 1e-12:
        return False
    rim = paper_corners(paper)
    depths = rim @ homography[2, :2] + homography[2, 2]
    if depths.min() <= 0.2 * depths.max():
        return False
    quad = mapped(homography, rim).astype(np.float32)
    return bool(cv2.isContourConvex(quad) and cv2.contourArea(quad, oriented=True) > 0)


def _without_overlaps(pads: Iterable[FoundPad]) -> list[FoundPad]:
    """The pads without those that overlap a better one by more than 30 %."""
    kept: list[FoundPad] = []
    for pad in sorted(pads, key=lambda pad: (pad.is_guess, -len(pad.seen), pad.cost)):
        quad = np.array(pad.corners, np.float32)
        for other in kept:
            beside = np.array(other.corners, np.float32)
            shared, _ = cv2.intersectConvexConvex(quad, beside)
            if shared > 0.3 * min(cv2.contourArea(quad), cv2.contourArea(beside)):
                break
        else:
            kept.append(pad)
    return kept


def _is_on(pad: FoundPad, seen: SeenMarker) -> bool:
    """Whether a marker lies well inside a pad, so that it cannot belong to another one."""
    x, y = mapped(inverse(pad.homography), seen.center[np.newaxis])[0]
    edge = markers.INSET
    paper = pad.kind.paper
    return bool(edge < x < paper.width - edge and edge < y < paper.height - edge)
