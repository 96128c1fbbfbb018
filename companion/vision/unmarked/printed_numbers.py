"""Whether fields that print the same number look alike: sheets with mixed numbers are others."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.unmarked.blobs import Color

Floats = npt.NDArray[np.float32]

SIDE: Final = 16
"""Pixels of a field's picture."""
MIDDLE: Final = 0.7
"""The part of a field's width that its print takes."""
BLUR: Final = 1.2
"""Pixels by which fields may lie beside their places, about."""
ALIKE: Final = 0.3
"""How much more fields with the same print resemble each other than others, as correlations of what
they do not all have in common.

Of 58 simulated sheets one has 0.21 and the others 0.4 and more; of 46 with mixed numbers none has
more than 0.24.
"""
FEWEST: Final = 12
"""The fewest pairs of fields with the same print, and with another, that tell anything."""


def numbers_agree(
    image: Color, visible: npt.NDArray[np.bool_], edition: Edition, board: str
) -> bool:
    """Whether the fields for crosses show the numbers that the edition prints there, if any.

    Args:
        image: the flattened sheet, BGR.
        visible: whether the photo shows each of its pixels.
    """
    prints = edition.prints[board]
    gray = cv2.GaussianBlur(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), (0, 0), BLUR)
    texts, pictures = [], []
    for field in edition.paper(board).fields:
        x, y = (at * FLAT_PX_PER_MM - 0.5 for at in field.box.center)
        text = prints[field.id].text
        if field.kind != "cross" or not text or not visible[round(y), round(x)]:
            continue
        finer = SIDE / (MIDDLE * field.box.width * FLAT_PX_PER_MM)
        middle = SIDE / 2 - 0.5
        cut = np.array([[finer, 0, middle - x * finer], [0, finer, middle - y * finer]])
        picture = cv2.warpAffine(gray, cut, (SIDE, SIDE)).ravel().astype(np.float32)
        texts.append(text)
        pictures.append(_normed(picture - picture.mean()))
    same = np.equal.outer(np.array(texts), np.array(texts))
    np.fill_diagonal(same, False)
    other = ~same & ~np.eye(len(texts), dtype=bool)
    if min(same.sum(), other.sum()) < 2 * FEWEST:
        return True
    stacked = np.array(pictures)
    own = np.array([_normed(picture) for picture in stacked - np.median(stacked, axis=0)])
    alike = own @ own.T
    return float(alike[same].mean() - alike[other].mean()) > ALIKE


def _normed(picture: Floats) -> Floats:
    return picture / max(float(np.linalg.norm(picture)), 1e-6)
