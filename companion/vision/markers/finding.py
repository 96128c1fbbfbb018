"""Finds the pads in a photo: which markers belong together, and where each pad lies.

Several pads of the same kind have the same ids, so markers are put together by geometry. The
space between them is not looked at; that is for `flattening`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Final, TypeVar

import numpy as np

from companion.core import markers
from companion.core.words import Sentence
from companion.vision.core import Corners, Trouble, as_corners
from companion.vision.mapping.plane import Matrix, affine_map, mapped, paper_corners
from companion.vision.markers import seeking
from companion.vision.markers.grouping import LOOSE, FoundPad, group_markers, pad_kind
from companion.vision.markers.seeking import Gray, SeenMarker

T = TypeVar("T")


@dataclass(frozen=True)
class FoundPads:
    """The pads of a photo, from top to bottom and from left to right."""

    pads: tuple[FoundPad, ...]
    # Reports of markers that form no pad. Empty, like `pads`, if the photo shows no markers.
    troubles: tuple[Trouble, ...]

    @property
    def is_complete(self) -> bool:
        """Whether pads were found, and no marker is left over or only guessed to be theirs."""
        return bool(self.pads) and not self.troubles and not any(pad.is_guess for pad in self.pads)


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
    """Finds all pads of a photo after a first look that missed something, or everything.

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
    return _finds(pads, left, gray)


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
    seen = []
    for found in finds.pads:
        for marker in found.seen.values():
            corners = ((marker.corners + 0.5) * times - offset - 0.5).astype("f4")
            seen.append(seeking.refined(gray, replace(marker, corners=corners)))
    pads, left = group_markers(seen)
    return _finds(pads, left, gray) if len(pads) == len(finds.pads) and not left else None


def _is_done(pads: Sequence[FoundPad], left: Sequence[SeenMarker], scale: float) -> bool:
    """Whether a search at another scale would find nothing more."""
    if not pads or left:
        return False
    for pad in pads:
        smallest = min(marker.side for marker in pad.seen.values()) * scale
        if len(pad.seen) < 4 or smallest < seeking.SMALL:
            return False
    return True


def _closer_looks(gray: Gray, scale: float) -> Iterator[tuple[float, bool]]:
    """(scale, whether the contrast is raised) of further searches."""
    fine = seeking.scale_for(gray, seeking.FINE_PIXELS)
    if fine > scale * 1.2:
        yield fine, False
    elif gray.size < seeking.FIRST_PIXELS:
        yield 2.0, False
    yield scale, True


def _finds(pads: Sequence[FoundPad], left: Sequence[SeenMarker], gray: Gray) -> FoundPads:
    """All pads, with those that the remaining markers may form, and troubles for the others."""
    pads, left = group_markers(left, pads, LOOSE, (4, 3, 2))
    found = in_order(pads, attrgetter("corners"))
    return FoundPads(tuple(found), tuple(_troubles(left, gray)))


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
    ordered: list[T] = []
    for row in rows:
        row.sort(key=lambda item: float(item[0][:, 0].mean()))
        ordered += [item for _, item in row]
    return ordered


def _troubles(left: Sequence[SeenMarker], gray: Gray) -> Iterator[Trouble]:
    """One trouble for each pad with too few markers, or of an unknown kind."""
    # A single marker of a pad that would lie wholly in the photo is a pattern on some other paper,
    # and one of an unknown pad, or with a wrong cell, is more likely no marker at all
    far = np.array(gray.shape[::-1])
    together: dict[tuple[int, int], list[SeenMarker]] = {}
    for place, marker in enumerate(left):
        before = sum(other.id == marker.id for other in left[:place])
        together.setdefault((marker.id // len(markers.CORNERS), before), []).append(marker)
    for (number, _), seen in together.items():
        kind = pad_kind(*divmod(number, markers.BOARDS))
        if kind is None:
            if len(seen) > 1:
                yield Trouble("unknown-pad", UNKNOWN)
            continue
        # An affine map, because so few points do not determine the perspective.
        corner = markers.CORNERS[seen[0].id % len(markers.CORNERS)]
        affine = affine_map(kind.printed[corner], seen[0].corners.astype(np.float64))
        where = mapped(affine, paper_corners(kind.paper))
        if len(seen) > 1 or (seen[0].is_exact and not np.all((where >= 0) & (where < far))):
            yield Trouble("cut-off", CUT_OFF, as_corners(where))


TOO_SMALL: Final = Sentence(
    "A pad is too small in the photo to be read. Go closer, or take a photo of each pad."
)
CUT_OFF: Final = Sentence(
    "A pad is only partly in the photo, or its corners are covered. Take it again with all "
    "four black and white squares in the picture."
)
UNKNOWN: Final = Sentence(
    "There is a pad in the photo that this version does not know. Print it again, or update the "
    "app."
)
