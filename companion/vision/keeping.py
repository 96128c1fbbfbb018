"""A photo as it is kept beside a game: upright, small enough, and nothing but its pixels."""

from __future__ import annotations

from typing import Final

import cv2

from companion.vision.picture import REDUCTIONS, open_picture

SIDE: Final = 2400
"""Pixels of the longer side, about. Sheets can be read by eye in it, however many there are."""
QUALITY: Final = 80


def kept(data: bytes) -> bytes:
    """The photo as a JPEG of half a megabyte or so. Whatever else the file said is gone.

    Raises:
        Unreadable: as `open_picture`.
    """
    picture = open_picture(data)
    longer = max(picture.size)
    reduce = next((one for one in REDUCTIONS if longer / one <= SIDE), REDUCTIONS[-1])
    done, raw = cv2.imencode(".jpg", picture.color(reduce), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return raw.tobytes() if done else b""
