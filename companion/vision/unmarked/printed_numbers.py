"""Whether the fields for crosses show the numbers that are printed there: other sheets mix them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.unmarked.blobs import Color

Floats: TypeAlias = npt.NDArray[np.float32]

SIDE: Final = 16
"""Pixels of a field's picture."""
MIDDLE: Final = 0.7
"""The part of a field's width that its print takes."""
BLUR: Final = 1.2
"""Pixels by which fields may lie beside their places, about."""
OWN: Final = 0.14
"""The least by which the correlation of prints with their own texts exceeds that with other texts,
in the upper and in the lower half of the sheet.

Of 47 simulated sheets none has less than 0.22 in either half, with 60 % of the fields crossed or
filled in thick felt 0.18; of 24 with mixed numbers none has more than 0.10 in both, a mirrored one
less than 0, and one that is stretched below its middle 0.09 there.
"""
FEWEST: Final = 4
"""The fewest texts that tell anything."""
LONGEST: Final = 3
"""The most characters of a number. A person's table may print texts of any length."""
FONT: Final = cv2.FONT_HERSHEY_DUPLEX
FONT_PX: Final = 256
"""The side of the picture in which a text is drawn, before it is reduced to `SIDE`."""
TALL: Final = 0.62
"""The height of drawn texts, as a share of the picture's side; the widest take `MOST_WIDE`."""
MOST_WIDE: Final = 0.9


def numbers_agree(
    image: Color, visible: npt.NDArray[np.bool_], edition: Edition, board: str
) -> bool:
    """Whether the fields for crosses show the texts that the edition prints there, if any.

    Args:
        image: the flattened sheet, BGR.
        visible: whether the photo shows each of its pixels.
    """
    prints = edition.prints[board]
    paper = edition.paper(board)
    gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    soft = np.asarray(cv2.GaussianBlur(gray, (0, 0), BLUR), np.uint8)
    printed = [
        field
        for field in paper.fields
        if field.kind == "cross" and 0 < len(prints[field.id].text) <= LONGEST
    ]
    middle = np.median([field.box.center[1] for field in printed]) if printed else 0.0
    halves: tuple[dict[str, list[Floats]], ...] = ({}, {})
    for field in printed:
        x, y = (at * FLAT_PX_PER_MM - 0.5 for at in field.box.center)
        if visible[round(y), round(x)]:
            half = halves[int(field.box.center[1] > middle)]
            picture = _picture(soft, x, y, field.box.width * FLAT_PX_PER_MM)
            half.setdefault(prints[field.id].text, []).append(picture)
    found = [_own(half) for half in halves if len(half) >= FEWEST]
    # Print is darker than its field, or paler.
    return not found or max(found) < -OWN or min(found) > OWN


def _picture(soft: npt.NDArray[np.uint8], x: float, y: float, width: float) -> Floats:
    """The middle of a field, with mean 0 and length 1; places and width in pixels."""
    finer, middle = SIDE / (MIDDLE * width), SIDE / 2 - 0.5
    cut = np.array([[finer, 0, middle - x * finer], [0, finer, middle - y * finer]])
    picture = cv2.warpAffine(soft, cut, (SIDE, SIDE)).ravel().astype(np.float32)
    return _unit(picture.mean() - picture)


def _own(pictures: Mapping[str, Sequence[Floats]]) -> float:
    """By how much fields resemble their own texts more than others, see `OWN`.

    Args:
        pictures: text → those of the fields that print it.
    """
    seen = _apart(np.stack([np.median(each, axis=0) for each in pictures.values()]))
    alike = seen @ _apart(np.stack([_drawn(text) for text in pictures])).T
    own = np.diag(alike)
    others = (alike.sum() - own.sum()) / (alike.size - len(own))
    return float(own.mean() - others)


def _apart(pictures: npt.NDArray[np.floating]) -> Floats:
    """The difference of each picture from their median, of length 1; all may have a cross."""
    return _unit(pictures - np.median(pictures, axis=0))


def _unit(pictures: npt.NDArray[np.floating]) -> Floats:
    lengths = np.linalg.norm(pictures, axis=-1, keepdims=True)
    return np.asarray(pictures / np.maximum(lengths, 1e-6), np.float32)


@lru_cache(64)
def _drawn(text: str) -> Floats:
    """A text in a plain typeface, as a field's picture shows it, with mean 0 and length 1."""
    (width, height), below = cv2.getTextSize(text, FONT, 8, 28)
    ink = np.zeros((2 * (height + below), width + 100), np.uint8)
    cv2.putText(ink, text, (50, height + below), FONT, 8, 255, 28, cv2.LINE_AA)
    left, top, width, height = cv2.boundingRect(ink)
    tall = round(TALL * FONT_PX)
    wide = min(round(width * tall / height), round(MOST_WIDE * FONT_PX))
    letters = cv2.resize(
        ink[top : top + height, left : left + width], (wide, tall), interpolation=cv2.INTER_AREA
    )
    whole = np.zeros((FONT_PX, FONT_PX), np.uint8)
    y, x = (FONT_PX - tall) // 2, (FONT_PX - wide) // 2
    whole[y : y + tall, x : x + wide] = letters
    small = cv2.resize(whole, (SIDE, SIDE), interpolation=cv2.INTER_AREA).astype(np.float32)
    picture = cv2.GaussianBlur(small, (0, 0), 0.9).ravel()
    return _unit(picture - picture.mean())
