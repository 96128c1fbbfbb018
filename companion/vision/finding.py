"""Finds the pads in a photo: which markers belong together, and where each pad lies.

Several pads of the same kind have the same ids, so markers are put together by geometry. What
lies between them is not looked at; that is for `flattening`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from companion.core import markers
from companion.core.markers import Corner
from companion.core.sheet import AnySheetKind, Millimetres, Paper
from companion.core.words import N_, Sentence
from companion.vision import seeking
from companion.vision.core import Corners, Trouble
from companion.vision.grouping import Kind, Pad, grouped, kind_of, leftovers, outline, whole
from companion.vision.seeking import Gray, Points, Seen
from companion.vision.surface import Matrix, mapped

NEAR: Final[Millimetres] = 14.0
"""Around a missing marker's place; there a second, closer look is taken."""
CLOSER: Final = 2.0
"""By which that place is enlarged."""


@dataclass(frozen=True, eq=False)
class Find:
    """A pad in a photo."""

    sheet: AnySheetKind
    board: str
    """`""` where the sheet has no boards."""
    markers: Mapping[Corner, Points]
    """Three or four of them, where they are in the photo: each (4, 2) pixels as printed, top left,
    top right, bottom right, bottom left."""
    homography: Matrix
    """(3, 3), from millimetres on the pad to pixels, as if it were flat."""

    @cached_property
    def paper(self) -> Paper:
        return self.sheet.paper(self.board)

    @cached_property
    def px_per_mm(self) -> float:
        """The smallest scale anywhere on the pad, in any direction."""
        return min(_least_scale(self.homography, at) for at in outline(self.paper))


@dataclass(frozen=True)
class Finds:
    """What a photo shows, from the top to the bottom and from the left to the right."""

    pads: tuple[Find, ...]
    troubles: tuple[Trouble, ...]
    """Markers that make no pad. Empty together with `pads` when there is no marker at all."""


def corners(find: Find) -> Corners:
    """The pad's corners in the photo."""
    return _corners(find.paper, find.homography)


def find(gray: Gray) -> Finds:
    """Finds all pads.

    Args:
        gray: the upright photo, of shape (height, width).
    """
    scale = seeking.scale_for(gray, seeking.FIRST_PIXELS)
    seen = seeking.seek(gray, scale)
    pads, left = grouped(seen)
    if _is_done(pads, left, scale):
        return _finds(pads, left)
    for finer, contrast in _closer_looks(gray, scale):
        seen = seeking.merged(seen, seeking.seek(gray, finer, raise_contrast=contrast))
        pads, left = grouped(seen)
        if pads and not left:
            break
    return _finds([_completed(gray, pad) for pad in pads], left)


def again(finds: Finds, gray: Gray, times: float, offset: tuple[float, float]) -> Finds | None:
    """The same pads in a larger picture of the same photo, or None where one is not the same.

    Much faster than to look for them anew.

    Args:
        gray: the larger picture.
        times: how much larger it is.
        offset: where its corner is in the smaller one's, in its own pixels.
    """
    seen = [
        seeking.refined(gray, Seen(number, ((points + 0.5) * times - offset - 0.5).astype("f4")))
        for find in finds.pads
        for number, points in _ids(find)
    ]
    pads, left = grouped(seen)
    return _finds(pads, left) if len(pads) == len(finds.pads) and not left else None


def _ids(find: Find) -> Iterator[tuple[int, Points]]:
    board = find.sheet.every_board.index(find.board)
    for corner, points in find.markers.items():
        yield markers.marker_id(find.sheet.number, board, corner), points


def _is_done(pads: Sequence[Pad], left: Sequence[Seen], scale: float) -> bool:
    """Whether a closer look would bring nothing."""
    if not pads or left:
        return False
    smallest = min(seen.side for pad in pads for seen in pad.seen.values()) * scale
    return smallest >= seeking.SMALL and all(len(pad.seen) == 4 for pad in pads)


def _closer_looks(gray: Gray, scale: float) -> Iterator[tuple[float, bool]]:
    """Other scales, and whether the contrast is raised there."""
    fine = seeking.scale_for(gray, seeking.FINE_PIXELS)
    if fine > scale * 1.2:
        yield fine, False
    elif gray.size < seeking.FIRST_PIXELS:
        yield 2.0, False
    yield scale, True


def _completed(gray: Gray, pad: Pad) -> Pad:
    """With the fourth marker, if a closer look at its place finds it."""
    missing = next((corner for corner in markers.CORNERS if corner not in pad.seen), None)
    if missing is None:
        return pad
    square = mapped(pad.homography, pad.kind.printed[missing])
    reach = NEAR * max(_least_scale(pad.homography, pad.kind.printed[missing].mean(axis=0)), 1.0)
    left, top = np.maximum(np.floor(square.min(axis=0) - reach), 0).astype(int)
    right, bottom = np.ceil(square.max(axis=0) + reach).astype(int)
    part = gray[top : max(bottom, 0), left : max(right, 0)]
    if min(part.shape) < seeking.LEAST_SIDE or part.size > seeking.FIRST_PIXELS:
        return pad
    for contrast in (False, True):
        for one in seeking.seek(part, CLOSER, raise_contrast=contrast):
            meaning = markers.meaning(one.id)
            if meaning is None or meaning[2] != missing:
                continue
            moved = Seen(one.id, one.corners + np.array([left, top], np.float32))
            if kind_of(*meaning[:2]) is pad.kind:
                complete = whole(pad, missing, moved)
                if complete is not None:
                    return complete
    return pad


# What comes out


def _finds(pads: Iterable[Pad], left: Sequence[Seen]) -> Finds:
    finds = [
        Find(
            pad.kind.sheet,
            pad.kind.board,
            {corner: one.corners for corner, one in pad.seen.items()},
            pad.homography,
        )
        for pad in pads
    ]
    return Finds(tuple(_in_order(finds)), tuple(_troubles(left)))


def _in_order(finds: Sequence[Find]) -> list[Find]:
    """From the top to the bottom; those that are beside each other from the left to the right."""
    rows: list[list[tuple[Matrix, Find]]] = []
    placed = [(np.array(corners(one)), one) for one in finds]
    for quad, one in sorted(placed, key=lambda item: float(item[0][:, 1].mean())):
        middle = quad[:, 1].mean()
        first = rows[-1][0][0] if rows else None
        if first is not None and first[:, 1].min() < middle < first[:, 1].max():
            rows[-1].append((quad, one))
        else:
            rows.append([(quad, one)])
    return [
        one for row in rows for _, one in sorted(row, key=lambda item: float(item[0][:, 0].mean()))
    ]


def _troubles(left: Sequence[Seen]) -> Iterator[Trouble]:
    """One for each pad that shows too few of its markers, and one for all unknown ones."""
    unknown: dict[int, list[Seen]] = {}
    known: list[tuple[Kind, Corner, Seen]] = []
    for one in left:
        meaning = markers.meaning(one.id)
        kind = kind_of(*meaning[:2]) if meaning else None
        if meaning is None or kind is None:
            unknown.setdefault(one.id // len(markers.CORNERS), []).append(one)
        else:
            known.append((kind, meaning[2], one))
    for kind, together in leftovers(known):
        yield Trouble("cut-off", CUT_OFF, _guessed(kind, together))
    for ones in unknown.values():
        # One alone is more likely no marker at all.
        if len({one.id for one in ones}) > 1:
            yield Trouble("unknown-pad", UNKNOWN)


CUT_OFF: Final = Sentence(
    N_(
        "A pad is only partly in the photo, or its corners are covered. Take it again with all "
        "four black and white squares in the picture."
    )
)
UNKNOWN: Final = Sentence(
    N_(
        "A pad in the photo is of a kind that this version does not know. Print it again, or "
        "update the app."
    )
)


def _guessed(kind: Kind, seen: Mapping[Corner, Seen]) -> Corners | None:
    """About where a pad is that shows one or two markers."""
    printed = np.concatenate([kind.printed[corner] for corner in seen])
    points = np.concatenate([one.corners for one in seen.values()]).astype(np.float64)
    # An affine map: so few points say too little about the perspective.
    at = np.column_stack([printed, np.ones(len(printed))])
    affine, *_ = np.linalg.lstsq(at, points, rcond=None)
    homography = np.eye(3)
    homography[:2] = affine.T
    return _corners(kind.paper, homography) if np.all(np.isfinite(affine)) else None


# Geometry


def _corners(paper: Paper, homography: Matrix) -> Corners:
    a, b, c, d = ((float(x), float(y)) for x, y in mapped(homography, outline(paper)))
    return (a, b, c, d)


def _least_scale(homography: Matrix, at: Matrix) -> float:
    """Pixels for a millimetre there, in the direction in which they are fewest."""
    px, py, w = homography @ np.array([at[0], at[1], 1.0])
    slope = (homography[:2, :2] - np.outer(np.array([px, py]) / w, homography[2, :2])) / w
    return float(np.linalg.svd(slope, compute_uv=False)[-1])
