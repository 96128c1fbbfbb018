"""Whether the fields for crosses print their numbers: sheets with other orders are others."""

from __future__ import annotations

from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.unmarked.blobs import Color

Floats: TypeAlias = npt.NDArray[np.float32]
Texts: TypeAlias = npt.NDArray[np.str_]

SIDE: Final = 16
"""Pixels of a field's picture."""
MIDDLE: Final = 0.7
"""The part of a field's width that its print takes."""
BLUR: Final = 1.2
"""Pixels by which fields may lie beside their places, about."""
OWN: Final = 0.75
"""The least share of the other prints, as the mean over fields, that a field resembles less than
its own.

Of 34 simulated sheets none has less than 0.87; of 24 with mixed numbers none has more than 0.68.
"""
WIDER: Final = 0.2
"""The least correlation of a print's width with its number of digits.

Of the same sheets none has less than 0.33, a mirrored one 0.11.
"""
INKED: Final = 1.6
"""The factor by which the contrasts of fields differ if one is crossed, or filled, and one not."""
FEWEST: Final = 12
"""The fewest pairs of fields with the same print that tell anything."""


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
    texts, cuts = [], []
    for field in edition.paper(board).fields:
        x, y = (at * FLAT_PX_PER_MM - 0.5 for at in field.box.center)
        text = prints[field.id].text
        if field.kind != "cross" or not text or not visible[round(y), round(x)]:
            continue
        finer = SIDE / (MIDDLE * field.box.width * FLAT_PX_PER_MM)
        middle = SIDE / 2 - 0.5
        cut = np.array([[finer, 0, middle - x * finer], [0, finer, middle - y * finer]])
        texts.append(text)
        cuts.append(cv2.warpAffine(gray, cut, (SIDE, SIDE)))
    if not cuts:
        return True
    printed, pictures = np.array(texts), np.array(cuts, np.float32)
    contrasts = pictures.std(axis=(1, 2))
    # The plain fields are the palest, or among filled ones the middle ones.
    likely = [
        (contrasts > usual / INKED) & (contrasts < usual * INKED)
        for usual in np.percentile(contrasts, (25, 50))
    ]
    everywhere = np.ones_like(likely[0])
    tell = [
        are_plain for are_plain in (*likely, everywhere) if _pairs(printed[are_plain]) >= FEWEST
    ]
    return not tell or any(
        _own_share(printed[are_plain], pictures[are_plain]) > OWN
        and _widening(printed[are_plain], pictures[are_plain]) > WIDER
        for are_plain in tell
    )


def _pairs(printed: Texts) -> int:
    """How many pairs of fields have the same print; 0 if all have."""
    counts = np.unique(printed, return_counts=True)[1]
    return int((counts * (counts - 1)).sum()) // 2 if len(counts) > 1 else 0


def _own_share(printed: Texts, pictures: Floats) -> float:
    """The share of `OWN`, 0 to 1; by chance it is 0.5."""
    same = np.equal.outer(printed, np.unique(printed))
    others = same.sum(axis=0) - same
    prints_seen = int(same.shape[1])
    stacked = pictures.reshape(len(pictures), -1)
    stacked = _unit(stacked - stacked.mean(axis=1, keepdims=True))
    # All fields may have a cross in common.
    stacked = _unit(stacked - np.median(stacked, axis=0))
    alike = stacked @ stacked.T
    np.fill_diagonal(alike, 0)
    resembled = alike @ same / np.maximum(others, 1)
    own = resembled[same][:, np.newaxis]
    return float((resembled < own).mean()) * prints_seen / (prints_seen - 1)


def _unit(rows: npt.NDArray[np.floating]) -> Floats:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(lengths, 1e-6), np.float32)


def _widening(printed: Texts, pictures: Floats) -> float:
    """The correlation of `WIDER`; 1 where all prints have as many digits."""
    digits = np.array([len(text) for text in printed])
    if np.ptp(digits) == 0:
        return 1.0
    ground = np.median(pictures[:, [0, 1, -2, -1]], axis=(1, 2), keepdims=True)
    columns = np.abs(pictures - ground).sum(axis=1)
    away = np.abs(np.arange(SIDE) - (SIDE - 1) / 2)
    widths = columns @ away / np.maximum(columns.sum(axis=1), 1e-6)
    return float(np.corrcoef(digits, widths)[0, 1])
