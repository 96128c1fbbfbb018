"""Groups the markers that belong to one pad, by geometry alone.

Geometry is needed because several pads of the same kind have the same ids.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
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

    slant: float
    """The largest angle, in radians, between where a marker points to and where the pad's next
    marker is."""
    stretch: float
    """The largest factor between two markers' distance and the distance that their sizes imply."""
    residual: Millimetres
    """The largest distance of a marker's corner from its place on a flat pad."""


PLAIN: Final = Tolerance(math.radians(14), 1.25, 4.0)
"""The tolerance for a bowed or folded sheet."""
LOOSE: Final = Tolerance(math.radians(50), 2.0, math.inf)
"""The tolerance for a strongly curled sheet. Markers that fit no better are only a guess, and the
print between them has to confirm it."""

MOST_WAYS: Final = 150
"""The most ways to put markers together that are kept from corner to corner, the best ones. Sixteen
pads of one kind have hardly more; a printed pattern of markers has millions."""


@dataclass(frozen=True, eq=False)
class PadKind:
    """A sheet and board, as marker ids name them."""

    sheet: AnySheetKind
    board: str
    paper: Paper
    printed: Mapping[Corner, Matrix]
    """Corner of the pad → its marker's corners, (4, 2), in millimetres on the pad."""


@dataclass(frozen=True, eq=False)
class MarkedPad:
    """The markers of one pad."""

    kind: PadKind
    seen: Mapping[Corner, SeenMarker]
    cost: float
    """How badly they fit together: the mean discord of all pairs, below 1."""
    homography: Matrix
    """(3, 3), from millimetres on the pad to pixels."""
    is_guess: bool = False
    """Whether the markers fit together only by `LOOSE`, or are only two."""


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


def group_markers(seen: Iterable[SeenMarker]) -> tuple[list[MarkedPad], list[SeenMarker]]:
    """The pads, and the markers that belong to no pad."""
    kinds: dict[tuple[int, int], dict[Corner, list[SeenMarker]]] = {}
    left: list[SeenMarker] = []
    for marker in seen:
        meaning = markers.meaning(marker.id)
        if meaning is None:
            left.append(marker)
            continue
        sheet, board, corner = meaning
        kinds.setdefault((sheet, board), {}).setdefault(corner, []).append(marker)
    pads: list[MarkedPad] = []
    for (sheet, board), places in kinds.items():
        kind = pad_kind(sheet, board)
        rest = [marker for seen_there in places.values() for marker in seen_there]
        if kind is not None:
            made = _pads(kind, places)
            used = {marker for pad in made for marker in pad.seen.values()}
            rest = [marker for marker in rest if marker not in used]
            pads += made
        left += rest
    pads = _without_overlaps(pads)
    return pads, [marker for marker in left if not any(_is_on(pad, marker) for pad in pads)]


def guessed_pads(
    left: Iterable[SeenMarker], pads: Iterable[MarkedPad]
) -> tuple[list[MarkedPad], list[SeenMarker]]:
    """(pads that the remaining markers may form, the markers of none).

    Args:
        left: the markers that belong to no pad.
        pads: the pads, which no guess may overlap.
    """
    kinds: dict[PadKind, dict[Corner, list[SeenMarker]]] = {}
    rest = []
    for marker in left:
        meaning = markers.meaning(marker.id)
        kind = pad_kind(*meaning[:2]) if meaning else None
        if meaning is None or kind is None:
            rest.append(marker)
        else:
            kinds.setdefault(kind, {}).setdefault(meaning[2], []).append(marker)
    known = list(pads)
    guesses = [
        pad for kind, places in kinds.items() for pad in _pads(kind, places, LOOSE, (4, 3, 2))
    ]
    kept = [pad for pad in _without_overlaps([*known, *guesses]) if pad.is_guess]
    used = {marker for pad in kept for marker in pad.seen.values()}
    rest += [
        marker
        for places in kinds.values()
        for seen in places.values()
        for marker in seen
        if marker not in used
    ]
    return kept, rest


def _pads(
    kind: PadKind,
    places: Mapping[Corner, Sequence[SeenMarker]],
    tolerance: Tolerance = PLAIN,
    counts: Sequence[int] = (4, 3),
) -> list[MarkedPad]:
    """The pads of one kind: those with more markers before those with fewer, the best first.

    Args:
        counts: how many markers a pad may have, in descending order.
    """
    pads: list[MarkedPad] = []
    used: set[SeenMarker] = set()
    for count in counts:
        possible = [
            pad
            for corners in combinations(markers.CORNERS, count)
            for pad in _candidates(kind, corners, places, used, tolerance)
        ]
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
) -> Iterator[MarkedPad]:
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
            yield MarkedPad(kind, seen, cost / pairs, homography, tolerance is LOOSE)


@lru_cache(maxsize=4 * MOST_MARKERS**2)
def _discord(
    kind: PadKind,
    corner: Corner,
    marker: SeenMarker,
    other_corner: Corner,
    other: SeenMarker,
    tolerance: Tolerance = PLAIN,
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
    kind: PadKind, seen: Mapping[Corner, SeenMarker], tolerance: Tolerance = PLAIN
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


def _without_overlaps(pads: Iterable[MarkedPad]) -> list[MarkedPad]:
    """The pads without those that overlap a better one by more than 30 %."""
    kept: list[MarkedPad] = []
    for pad in sorted(pads, key=lambda pad: (pad.is_guess, -len(pad.seen), pad.cost)):
        quad = mapped(pad.homography, paper_corners(pad.kind.paper)).astype(np.float32)
        for other in kept:
            beside = mapped(other.homography, paper_corners(other.kind.paper)).astype(np.float32)
            shared, _ = cv2.intersectConvexConvex(quad, beside)
            if shared > 0.3 * min(cv2.contourArea(quad), cv2.contourArea(beside)):
                break
        else:
            kept.append(pad)
    return kept


def _is_on(pad: MarkedPad, seen: SeenMarker) -> bool:
    """Whether a marker lies well inside a pad, so that it cannot belong to another one."""
    x, y = mapped(inverse(pad.homography), seen.center[np.newaxis])[0]
    edge = markers.INSET
    paper = pad.kind.paper
    return bool(edge < x < paper.width - edge and edge < y < paper.height - edge)


def with_marker(pad: MarkedPad, corner: Corner, seen: SeenMarker) -> MarkedPad | None:
    """The pad with one more marker; None if it does not fit."""
    all_seen = {**pad.seen, corner: seen}
    together = {name: all_seen[name] for name in markers.CORNERS}
    fits = all(
        _discord(pad.kind, other, marker, corner, seen) < 1.0 for other, marker in pad.seen.items()
    )
    homography = _homography(pad.kind, together) if fits else None
    return None if homography is None else MarkedPad(pad.kind, together, pad.cost, homography)


def incomplete_pads(
    known: Sequence[tuple[PadKind, Corner, SeenMarker]],
) -> Iterator[tuple[PadKind, dict[Corner, SeenMarker]]]:
    """Groups known markers that may belong to one pad."""
    rest = list(known)
    while rest:
        kind, corner, marker = rest.pop(0)
        together = {corner: marker}
        for item in list(rest):
            if (
                item[0] is kind
                and item[1] not in together
                and all(
                    _discord(kind, at, other, item[1], item[2]) < 1.0
                    for at, other in together.items()
                )
            ):
                together[item[1]] = item[2]
                rest.remove(item)
        yield kind, together
