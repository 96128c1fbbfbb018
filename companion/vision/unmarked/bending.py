"""Fits a placing on bent paper by the colours of its parts alone.

It needs no outline, so nothing that is written or bowed misleads it; places are good to about a
millimetre, from where `rectifying` goes on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import cv2
import numpy as np

from companion.core.sheet import Millimetres
from companion.vision.mapping.plane import Matrix, inverse, mapped
from companion.vision.unmarked import bands
from companion.vision.unmarked.placing import Placing, edition_corners
from companion.vision.unmarked.signature import (
    SAME_HUES,
    Colors,
    Signature,
    agreement,
    hue_correlation,
    quick_agreement,
    signature,
)

# How far the paper is shifted and bent along each mode in each round
STEPS: Final[tuple[Millimetres, ...]] = (2.0, 2.0, 1.0, 1.0, 0.5, 0.5)
# The parts of the way to the top of the parabolas that are looked at
PARTS: Final = (1.0, 0.5, 0.25)
# The correlation of hues below which no bending leads to `SAME_HUES`: before, sheets have 0.88 and
# more, those that lie 3 mm aside 0.43.
HOPEFUL: Final = 0.4
MODES: Final = 6  # The modes along each axis


def fitted(placing: Placing, colors: Colors) -> Placing:
    """The placing nearby, on bent paper, at which the edition's parts agree best in colour."""
    # Bars end in arrows, and are bowed where the paper is, so that their corners are known to some
    # millimetres only. The score is 0 where the parts lack the hues that are printed.
    mine = signature(placing.edition, placing.board)
    found, inside = colors.median_features(mapped(placing.homography, mine.points))
    if hue_correlation(found, inside, mine) < HOPEFUL:
        return replace(placing, score=0.0)
    weights = _best_weights(placing, colors, mine)[np.newaxis]
    points = _places(placing, mine.points, weights)[:, 0]
    found, inside = colors.median_features(np.moveaxis(points, 0, -1))
    at = np.concatenate(list(map(bands.points_along, placing.edition.bars)))
    seen = _places(placing, at, weights)[:, 0].T.astype(np.float64)
    homography = np.asarray(cv2.findHomography(at, seen, 0)[0], np.float64)
    if homography.shape != (3, 3):
        return replace(placing, score=0.0)
    has_hues = hue_correlation(found, inside, mine) >= SAME_HUES
    return replace(
        placing,
        homography=homography,
        score=agreement(found, inside, mine) if has_hues else 0.0,
        seen=float(inside.mean()),
        bends=np.stack([at, mapped(inverse(homography), seen) - at]),
    )


def _best_weights(placing: Placing, colors: Colors, mine: Signature) -> Matrix:
    """How much of each mode bends the paper so that its parts agree best, (2 · `MODES`,), in mm.

    Each round fits a parabola to the agreement along each mode, and steps towards their tops.
    """

    def scores(weights: Matrix) -> Matrix:
        places = _places(placing, mine.points[:, ::2], weights)
        return quick_agreement(*colors.mean_features(places.transpose(0, 3, 1, 2)), mine.kinds)

    best = np.zeros(2 * MODES)
    steps = np.concatenate([[best], np.eye(2 * MODES), -np.eye(2 * MODES)])
    for step in STEPS:
        tried = best + step * steps
        agreements = scores(tried)
        here, (ahead, behind) = agreements[0], agreements[1:].reshape(2, -1)
        slope, bow = (ahead - behind) / 2, 2 * here - ahead - behind
        with np.errstate(divide="ignore", invalid="ignore"):
            along = np.where(bow > 0, np.clip(slope / bow, -1, 1), np.sign(slope))
        further = best + step * np.multiply.outer(PARTS, along)
        every = np.concatenate([tried, further])
        best = every[np.concatenate([agreements, scores(further)]).argmax()]
    return best


def _places(placing: Placing, points: Matrix, weights: Matrix) -> Matrix:
    """(2, h, ...): the pixels at which points, (..., 2), lie on paper bent in each of h ways.

    Args:
        points: in millimetres.
        weights: (h, 2 · `MODES`), in millimetres, of the modes in x and of those in y.
    """
    at = np.moveaxis(points, -1, 0).astype(np.float32)
    size = edition_corners(placing.edition)[2].astype(np.float32)
    modes = _modes(2 * at / size.reshape(2, *[1] * (at.ndim - 1)) - 1)
    # A product of matrices would start BLAS's threads.
    ways = weights.astype(np.float32).reshape(-1, 2, MODES)
    x, y = at[:, np.newaxis] + np.einsum("hxm,m...->xh...", ways, modes)
    rows = placing.homography.astype(np.float32)
    across, down, depth = (row[0] * x + row[1] * y + row[2] for row in rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.stack([across / depth, down / depth])


def _modes(at: Matrix) -> Matrix:
    """(`MODES`, ...): ways to shift, shear or bow a paper along an axis, from about -1 to 1.

    Args:
        at: (2, ...), places on the paper, from -1 to 1.
    """
    x, y = at
    return np.stack([np.ones_like(x), x, y, x * y, 1.5 * x * x - 0.5, 1.5 * y * y - 0.5])
