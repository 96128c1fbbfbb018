"""Finds the pads in a photo: which markers belong together, and where each pad lies.

Several pads of the same kind have the same ids, so markers are put together by geometry. The
space between them is not looked at; that is for `flattening`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from companion.core import markers
from companion.core.markers import Corner
from companion.core.sheet import AnySheetKind, Millimetres, Paper
from companion.core.words import Sentence
from companion.vision.core import Corners, Trouble, as_corners
from companion.vision.mapping.plane import Matrix, affine_map, mapped, paper_corners
from companion.vision.markers import seeking
from companion.vision.markers.grouping import (
    MarkedPad,
    PadKind,
    group_markers,
    guessed_pads,
    incomplete_pads,
    pad_kind,
    with_marker,
)
from companion.vision.markers.seeking import Gray, Points, SeenMarker

T = TypeVar("T")

NEAR: Final[Millimetres] = 14.0
"""How far around a missing marker's expected place a second search goes."""
CLOSER: Final = 2.0
"""The factor by which that area is enlarged for the search."""
MOST_PADS: Final = 16
"""The most pads that are read in one photo. A photo of more has no room for their writing."""


@dataclass(frozen=True, eq=False)
class FoundPad:
    """A pad that was found in a photo."""

    sheet: AnySheetKind
    board: str
    """`""` where the sheet has no boards."""
    markers: Mapping[Corner, Points]
    """Two to four markers: corner of the pad → the marker's own corners in the photo, (4, 2), in
    pixels: top left, top right, bottom right, bottom left as printed."""
    homography: Matrix
    """(3, 3), from millimetres on the pad to pixels, as if the pad were flat."""
    is_guess: bool = False
    """Whether only the print can tell that these markers belong together; there may be two."""

    @cached_property
    def paper(self) -> Paper:
        """The printed pad of the sheet and board."""
        return self.sheet.paper(self.board)

    @cached_property
    def px_per_mm(self) -> float:
        """Pixels per millimetre where the pad appears smallest, in the direction with fewest.

        The markers of a guess are not reliable about the rest of the pad, so there it is the pixels
        of their sides.
        """
        if self.is_guess:
            sides = [
                float(np.linalg.norm(np.diff(points, axis=0), axis=1).min())
                for points in self.markers.values()
            ]
            return min(sides) / markers.MARKER
        return min(_least_scale(self.homography, at) for at in paper_corners(self.paper))


@dataclass(frozen=True)
class FoundPads:
    """The pads of a photo, from top to bottom and from left to right."""

    pads: tuple[FoundPad, ...]
    troubles: tuple[Trouble, ...]
    """Reports of markers that form no pad. Empty, like `pads`, if the photo shows no markers."""

    @property
    def is_complete(self) -> bool:
        """Whether pads were found, and no marker is left over or only guessed to be theirs."""
        return bool(self.pads) and not self.troubles and not any(pad.is_guess for pad in self.pads)


def corners(found: FoundPad) -> Corners:
    """The pad's corners in the photo."""
    return _corners(found.paper, found.homography)


def find(gray: Gray, *, look_closer: bool = True) -> FoundPads:
    """Finds all pads of a photo.

    Args:
        gray: the upright photo, of shape (height, width).
        look_closer: whether a photo without any marker at first sight is looked at again.
    """
    scale = seeking.scale_for(gray, seeking.FIRST_PIXELS)
    seen = seeking.seek(gray, scale)
    pads, left = group_markers(seen)
    if _is_done(pads, left, scale) or not (seen or look_closer):
        return _finds(pads, left, gray)
    return find_closer(gray, seen)


def find_closer(gray: Gray, seen: Sequence[SeenMarker] = ()) -> FoundPads:
    """Finds all pads of a photo of which the first look missed something, or everything.

    Args:
        gray: the upright photo, of shape (height, width).
        seen: the markers that it saw.
    """
    scale = seeking.scale_for(gray, seeking.FIRST_PIXELS)
    pads, left = group_markers(seen)
    for finer, contrast in _closer_looks(gray, scale):
        seen = seeking.merged(seen, seeking.seek(gray, finer, raise_contrast=contrast))
        pads, left = group_markers(seen)
        if pads and not left:
            break
    return _finds(_all_completed(gray, pads), left, gray)


def find_again(
    finds: FoundPads, gray: Gray, times: float, offset: tuple[float, float]
) -> FoundPads | None:
    """Locates the same pads in a larger picture of the same photo; much faster than `find`.

    Args:
        finds: the pads in the smaller picture.
        gray: the larger picture.
        times: how many times larger it is.
        offset: where the larger picture's corner lies in the smaller one, in pixels of the larger.

    Returns:
        The pads, or None if not all of them were found again.
    """
    seen = [
        seeking.refined(
            gray, SeenMarker(number, ((points + 0.5) * times - offset - 0.5).astype("f4"))
        )
        for found in finds.pads
        for number, points in _ids(found)
    ]
    pads, left = group_markers(seen)
    return _finds(pads, left, gray) if len(pads) == len(finds.pads) and not left else None


def _ids(found: FoundPad) -> Iterator[tuple[int, Points]]:
    """The id and the corners of each marker."""
    board = found.sheet.every_board.index(found.board)
    for corner, points in found.markers.items():
        yield markers.marker_id(found.sheet.number, board, corner), points


def _is_done(pads: Sequence[MarkedPad], left: Sequence[SeenMarker], scale: float) -> bool:
    """Whether a search at another scale would find nothing more."""
    if not pads or left:
        return False
    smallest = min(seen.side for pad in pads for seen in pad.seen.values()) * scale
    return smallest >= seeking.SMALL and all(len(pad.seen) == 4 for pad in pads)


def _closer_looks(gray: Gray, scale: float) -> Iterator[tuple[float, bool]]:
    """(scale, whether the contrast is raised) of further searches."""
    fine = seeking.scale_for(gray, seeking.FINE_PIXELS)
    if fine > scale * 1.2:
        yield fine, False
    elif gray.size < seeking.FIRST_PIXELS:
        yield 2.0, False
    yield scale, True


def _all_completed(gray: Gray, pads: Iterable[MarkedPad]) -> list[MarkedPad]:
    """The pads with their fourth markers, where a closer search at the expected place finds them.

    The searches together cover no more pixels than the first one of the whole photo.
    """
    completed = []
    pixels = seeking.FIRST_PIXELS
    for pad in pads:
        missing = next((corner for corner in markers.CORNERS if corner not in pad.seen), None)
        part = _around(gray, pad, missing) if missing else None
        if missing and part and part[0].size <= pixels:
            pixels -= part[0].size
            completed.append(_completed(pad, missing, *part))
        else:
            completed.append(pad)
    return completed


def _around(
    gray: Gray, pad: MarkedPad, missing: Corner
) -> tuple[Gray, npt.NDArray[np.float32]] | None:
    """(the part of the photo where a marker should be, where it begins); None if it is outside."""
    square = mapped(pad.homography, pad.kind.printed[missing])
    reach = NEAR * max(_least_scale(pad.homography, pad.kind.printed[missing].mean(axis=0)), 1.0)
    left, top = np.maximum(np.floor(square.min(axis=0) - reach), 0).astype(int)
    right, bottom = np.ceil(square.max(axis=0) + reach).astype(int)
    part = gray[top : max(bottom, 0), left : max(right, 0)]
    if min(part.shape) < seeking.LEAST_SIDE:
        return None
    return part, np.array([left, top], np.float32)


def _completed(
    pad: MarkedPad, missing: Corner, part: Gray, begins: npt.NDArray[np.float32]
) -> MarkedPad:
    """The pad with its fourth marker, if it is found in a part of the photo."""
    for contrast in (False, True):
        for marker in seeking.seek(part, CLOSER, raise_contrast=contrast):
            meaning = markers.meaning(marker.id)
            if meaning is None or meaning[2] != missing:
                continue
            moved = SeenMarker(marker.id, marker.corners + begins)
            if pad_kind(*meaning[:2]) is pad.kind:
                complete = with_marker(pad, missing, moved)
                if complete is not None:
                    return complete
    return pad


# Results


def _finds(pads: Sequence[MarkedPad], left: Sequence[SeenMarker], gray: Gray) -> FoundPads:
    guesses, left = guessed_pads(left, pads)
    best = sorted((*pads, *guesses), key=lambda pad: (pad.is_guess, -len(pad.seen), pad.cost))
    finds = [
        FoundPad(
            pad.kind.sheet,
            pad.kind.board,
            {corner: marker.corners for corner, marker in pad.seen.items()},
            pad.homography,
            pad.is_guess,
        )
        for pad in best[:MOST_PADS]
    ]
    too_many = (
        Trouble("too-small", TOO_SMALL, _corners(pad.kind.paper, pad.homography))
        for pad in best[MOST_PADS:]
    )
    return FoundPads(tuple(in_order(finds, corners)), (*_troubles(left, gray), *too_many))


def in_order(items: Iterable[T], corners_of: Callable[[T], Corners]) -> list[T]:
    """Things of a photo from top to bottom; those beside each other from left to right."""
    rows: list[list[tuple[Matrix, T]]] = []
    placed = [(np.array(corners_of(item)), item) for item in items]
    for quad, item in sorted(placed, key=lambda item: float(item[0][:, 1].mean())):
        middle = quad[:, 1].mean()
        first = rows[-1][0][0] if rows else None
        if first is not None and first[:, 1].min() < middle < first[:, 1].max():
            rows[-1].append((quad, item))
        else:
            rows.append([(quad, item)])
    return [
        item
        for row in rows
        for _, item in sorted(row, key=lambda item: float(item[0][:, 0].mean()))
    ]


def _troubles(left: Sequence[SeenMarker], gray: Gray) -> Iterator[Trouble]:
    """One trouble for each pad with too few markers, and one for each unknown kind of pad.

    A single marker of a pad that would lie wholly in the photo is a pattern on some other paper.
    """
    far = np.array(gray.shape[::-1])
    unknown: dict[int, list[SeenMarker]] = {}
    known: list[tuple[PadKind, Corner, SeenMarker]] = []
    for marker in left:
        meaning = markers.meaning(marker.id)
        kind = pad_kind(*meaning[:2]) if meaning else None
        if meaning is None or kind is None:
            unknown.setdefault(marker.id // len(markers.CORNERS), []).append(marker)
        else:
            known.append((kind, meaning[2], marker))
    for kind, together in incomplete_pads(known):
        place = _estimated_corners(kind, together)
        inside = place is not None and bool(np.all((np.array(place) >= 0) & (place < far)))
        if len(together) > 1 or not inside:
            yield Trouble("cut-off", CUT_OFF, place)
    for same_kind in unknown.values():
        # A single one is more likely no marker at all.
        if len({marker.id for marker in same_kind}) > 1:
            yield Trouble("unknown-pad", UNKNOWN)


TOO_SMALL: Final = Sentence(
    "A pad is too small in the photo to be read. Go closer, or take a photo of each pad."
)
CUT_OFF: Final = Sentence(
    "A pad is only partly in the photo, or its corners are covered. Take it again with all "
    "four black and white squares in the picture."
)
UNKNOWN: Final = Sentence(
    "A pad in the photo is of a kind that this version does not know. Print it again, or "
    "update the app."
)


def _estimated_corners(kind: PadKind, seen: Mapping[Corner, SeenMarker]) -> Corners | None:
    """The approximate corners of a pad of which one or two markers were seen."""
    printed = np.concatenate([kind.printed[corner] for corner in seen])
    points = np.concatenate([marker.corners for marker in seen.values()]).astype(np.float64)
    # An affine map, because so few points do not determine the perspective.
    affine = affine_map(printed, points)
    return _corners(kind.paper, affine) if np.all(np.isfinite(affine)) else None


# Geometry


def _corners(paper: Paper, homography: Matrix) -> Corners:
    return as_corners(mapped(homography, paper_corners(paper)))


def _least_scale(homography: Matrix, at: Matrix) -> float:
    """Pixels per millimetre at a point, in the direction with fewest (a singular value)."""
    px, py, w = homography @ np.array([at[0], at[1], 1.0])
    slope = (homography[:2, :2] - np.outer(np.array([px, py]) / w, homography[2, :2])) / w
    return float(np.linalg.svd(slope, compute_uv=False)[-1])
