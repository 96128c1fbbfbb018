"""The fields and blanks of an edition, and the areas of a picture that lie at them."""

from __future__ import annotations

from functools import cache
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition
from companion.vision.mapping.plane import Matrix, inverse, magnification, mapped
from companion.vision.unmarked.blobs import Blobs

NEAR: Final = 0.3  # How far from its expected place an area may be, in sides of the field


# Fields and blanks to find: their centres in millimetres, (n, 2), and square millimetres, (n,)
Targets: TypeAlias = tuple[Matrix, Matrix]


@cache
def targets_of(edition: Edition, landmarks_only: bool) -> Targets:
    """The fields and blanks of an edition, or its landmarks alone, at which areas are expected."""
    board = edition.sheet.usual_board
    paper = edition.paper(board)
    wanted = set(edition.landmarks)
    boxes = [
        (field.box, 0.785 if field.shape == "circle" else 1.0)
        for field in paper.fields
        if field.id in wanted or not landmarks_only
    ]
    if not landmarks_only:
        boxes += [(blank.box, 1.0) for blank in paper.blanks]
    centers = np.array([box.center for box, _ in boxes]).reshape(-1, 2)
    return centers, np.array([box.width * box.height * share for box, share in boxes])


def found_targets(homography: Matrix, targets: Targets, blobs: Blobs) -> tuple[Matrix, Matrix]:
    """(places on the paper, pixels) of the targets that an area lies at."""
    printed, sizes = targets
    places, found = found_near(homography, printed, sizes, blobs)
    return printed[places], blobs.centers[found]


def found_near(
    homography: Matrix, expected: Matrix, areas: Matrix, blobs: Blobs
) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """(indices of targets, indices of the areas that lie at them).

    Args:
        homography: from millimetres to pixels.
        expected: (n, 2): where the targets seem to be, in millimetres as if the sheet were flat.
        areas: (n,): of the targets, in square millimetres.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        at = mapped(inverse(homography), blobs.centers)
    reach = NEAR * np.sqrt(areas)
    low, high = expected.min(axis=0) - reach.max(), expected.max(axis=0) + reach.max()
    around = np.flatnonzero(np.all((at > low) & (at < high), axis=1))
    if not len(around):
        return around, around
    at = at[around]
    sizes = blobs.areas[around] / np.maximum(magnification(homography, at), 1e-9)
    across, down = (expected[:, axis, np.newaxis] - at[:, axis] for axis in (0, 1))
    gaps = np.hypot(across, down)
    # An area is a field or the disc in it; anything smaller is a letter or a part of a crossed box.
    share = sizes / areas[:, np.newaxis]
    gaps[(share < 0.4) | (share > 1.5)] = np.inf
    nearest = gaps.argmin(axis=1)
    places = np.arange(len(expected))
    is_near = gaps[places, nearest] < reach
    return places[is_near], around[nearest[is_near]]
