"""Puts markers together that are of one pad, by geometry alone.

Several pads of the same kind have the same ids. What lies between the markers is not looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import Final

import cv2
import numpy as np

from companion.core import markers
from companion.core.markers import Corner
from companion.core.sheet import AnySheetKind, Millimetres, Paper
from companion.games import catalog
from companion.vision.seeking import Seen
from companion.vision.surface import Matrix, inverse, mapped

SLANT: Final = math.radians(14)
"""Between where a marker points and where the pad's next marker is, on a bowed or folded sheet."""
STRETCH: Final = 1.25
"""By which the distance between two markers may differ from what their sizes say."""
RESIDUAL: Final[Millimetres] = 4.0
"""How far a marker's corner may be from where a flat pad would have it."""


@dataclass(frozen=True, eq=False)
class Kind:
    """A kind of pad that markers can say."""

    sheet: AnySheetKind
    board: str
    paper: Paper
    printed: Mapping[Corner, Matrix]
    """Corner → its marker's corners on the pad, (4, 2) in millimetres."""


@dataclass(frozen=True, eq=False)
class Pad:
    """Markers of one pad."""

    kind: Kind
    seen: Mapping[Corner, Seen]
    cost: float
    """How badly they fit together."""
    homography: Matrix


@cache
def kind_of(sheet_number: int, board_place: int) -> Kind | None:
    """None if there is no such sheet or board."""
    for sheet in catalog.SHEETS.values():
        if sheet.number == sheet_number and board_place < len(sheet.every_board):
            board = sheet.every_board[board_place]
            paper = sheet.paper(board)
            printed = {
                marker.corner: _square(marker.box.x, marker.box.y)
                for marker in markers.on_pad(sheet_number, board_place, paper.width, paper.height)
            }
            return Kind(sheet, board, paper, printed)
    return None


def _square(x: Millimetres, y: Millimetres) -> Matrix:
    side = markers.MARKER
    return np.array([[x, y], [x + side, y], [x + side, y + side], [x, y + side]])


def grouped(seen: Iterable[Seen]) -> tuple[list[Pad], list[Seen]]:
    """The pads, and the markers that belong to none."""
    kinds: dict[tuple[int, int], dict[Corner, list[Seen]]] = {}
    left: list[Seen] = []
    for one in seen:
        meaning = markers.meaning(one.id)
        if meaning is None:
            left.append(one)
            continue
        sheet, board, corner = meaning
        kinds.setdefault((sheet, board), {}).setdefault(corner, []).append(one)
    pads: list[Pad] = []
    for (sheet, board), places in kinds.items():
        kind = kind_of(sheet, board)
        rest = [one for ones in places.values() for one in ones]
        if kind is not None:
            made = _pads(kind, places)
            used = {one for pad in made for one in pad.seen.values()}
            rest = [one for one in rest if one not in used]
            pads += made
        left += rest
    pads = _apart(pads)
    return pads, [one for one in left if not any(_is_on(pad, one) for pad in pads)]


def _pads(kind: Kind, places: Mapping[Corner, Sequence[Seen]]) -> list[Pad]:
    """The pads of one kind, the best first: four markers before three."""
    pads: list[Pad] = []
    used: set[Seen] = set()
    for count in (4, 3):
        possible = [
            pad
            for corners in combinations(markers.CORNERS, count)
            for pad in _combined(kind, corners, places, used)
        ]
        for pad in sorted(possible, key=lambda pad: pad.cost):
            if not used.intersection(pad.seen.values()):
                used.update(pad.seen.values())
                pads.append(pad)
    return pads


def _combined(
    kind: Kind,
    corners: Sequence[Corner],
    places: Mapping[Corner, Sequence[Seen]],
    used: set[Seen],
) -> Iterator[Pad]:
    """All ways to make a pad of markers at these corners."""
    ways: list[tuple[tuple[Seen, ...], float]] = [((), 0.0)]
    for corner in corners:
        free = [one for one in places.get(corner, ()) if one not in used]
        grown = []
        for (way, cost), one in product(ways, free):
            more = [
                _discord(kind, before, other, corner, one)
                for before, other in zip(corners, way, strict=False)
            ]
            if all(part < 1.0 for part in more):
                grown.append(((*way, one), cost + sum(more)))
        ways = grown
    pairs = len(corners) * (len(corners) - 1) / 2
    for way, cost in ways:
        seen = dict(zip(corners, way, strict=True))
        homography = _homography(kind, seen)
        if homography is not None:
            yield Pad(kind, seen, cost / pairs, homography)


def _discord(kind: Kind, corner: Corner, one: Seen, other_corner: Corner, other: Seen) -> float:
    """How badly two markers fit together; from 1 they cannot be of the same pad.

    Along the line between them, each marker says in which direction and how far away the other
    one is. On a flat pad both directions are right in any perspective, and the true distance is
    the geometric mean of the two: x(t) = at / (1 + ct) has x(1)² = x'(0) · x'(1).
    """
    way = kind.printed[other_corner].mean(axis=0) - kind.printed[corner].mean(axis=0)
    line = other.center - one.center
    length = float(np.linalg.norm(line))
    said = [_linear(seen) @ way for seen in (one, other)]
    lengths = [float(np.linalg.norm(part)) for part in said]
    if min(length, *lengths) < 1e-6:
        return math.inf
    turns = [
        abs(math.atan2(part[0] * line[1] - part[1] * line[0], float(part @ line))) for part in said
    ]
    stretch = abs(math.log(length / math.sqrt(lengths[0] * lengths[1])))
    return (
        max(*turns) / SLANT * 0.5
        + stretch / math.log(STRETCH) * 0.5
        + (1.0 if max(turns) > SLANT or stretch > math.log(STRETCH) else 0.0)
    )


def _linear(seen: Seen) -> Matrix:
    """Pixels by millimetres, (2, 2), at the marker's centre."""
    square = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (markers.MARKER / 2)
    shape = cv2.getPerspectiveTransform(square.astype(np.float32), seen.corners)
    # The slope of (p / w, q / w) at the centre, where w is 1.
    return np.asarray(shape[:2, :2] - np.outer(shape[:2, 2], shape[2, :2]), np.float64)


def _homography(kind: Kind, seen: Mapping[Corner, Seen]) -> Matrix | None:
    """From millimetres to pixels; None if the markers lie as on no flat pad, or mirrored."""
    printed = np.concatenate([kind.printed[corner] for corner in seen])
    points = np.concatenate([one.corners for one in seen.values()]).astype(np.float64)
    found, _ = cv2.findHomography(printed, points, 0)
    homography = np.asarray(found, np.float64)
    if homography.shape != (3, 3):  # none was found
        return None
    if abs(np.linalg.det(homography)) < 1e-12:
        return None
    back = mapped(inverse(homography), points)
    if np.linalg.norm(back - printed, axis=1).max() > RESIDUAL:
        return None
    rim = outline(kind.paper)
    depths = rim @ homography[2, :2] + homography[2, 2]
    if depths.min() <= 0.2 * depths.max():
        return None
    quad = mapped(homography, rim).astype(np.float32)
    if not cv2.isContourConvex(quad) or cv2.contourArea(quad, oriented=True) <= 0:
        return None
    return homography


def _apart(pads: Iterable[Pad]) -> list[Pad]:
    """Without those that lie on a better one: two pads do not overlap by much."""
    kept: list[Pad] = []
    for pad in sorted(pads, key=lambda pad: (-len(pad.seen), pad.cost)):
        quad = mapped(pad.homography, outline(pad.kind.paper)).astype(np.float32)
        for other in kept:
            beside = mapped(other.homography, outline(other.kind.paper)).astype(np.float32)
            shared, _ = cv2.intersectConvexConvex(quad, beside)
            if shared > 0.3 * min(cv2.contourArea(quad), cv2.contourArea(beside)):
                break
        else:
            kept.append(pad)
    return kept


def _is_on(pad: Pad, seen: Seen) -> bool:
    """Whether something lies well inside a pad that was found: no pad of its own."""
    x, y = mapped(inverse(pad.homography), seen.center[np.newaxis])[0]
    edge = markers.INSET
    paper = pad.kind.paper
    return bool(edge < x < paper.width - edge and edge < y < paper.height - edge)


def whole(pad: Pad, corner: Corner, seen: Seen) -> Pad | None:
    """The pad with one more marker, if it fits."""
    together = {one: {**pad.seen, corner: seen}[one] for one in markers.CORNERS}
    fits = all(
        _discord(pad.kind, other, one, corner, seen) < 1.0 for other, one in pad.seen.items()
    )
    homography = _homography(pad.kind, together) if fits else None
    return None if homography is None else Pad(pad.kind, together, pad.cost, homography)


def leftovers(
    known: Sequence[tuple[Kind, Corner, Seen]],
) -> Iterator[tuple[Kind, dict[Corner, Seen]]]:
    """Markers of one pad together."""
    rest = list(known)
    while rest:
        kind, corner, one = rest.pop(0)
        together = {corner: one}
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


def outline(paper: Paper) -> Matrix:
    width, height = paper.width, paper.height
    return np.array([[0.0, 0.0], [width, 0.0], [width, height], [0.0, height]])
