"""Prepares a photo for being kept with a game: upright, small, and without metadata."""

from __future__ import annotations

from typing import Final

import cv2

from companion.vision.picture import REDUCTIONS, open_picture

SIDE: Final = 2400
"""Pixels of the longer side, about; enough to read several sheets by eye."""
QUALITY: Final = 80
"""Quality of the JPEG, 0 to 100."""


def kept_jpeg(data: bytes) -> bytes:
    """The photo as a new JPEG of about half a megabyte, without the file's metadata.

    Raises:
        Unreadable: as `open_picture`.
    """
    picture = open_picture(data)
    longer = max(picture.size)
    reduce = next((factor for factor in REDUCTIONS if longer / factor <= SIDE), REDUCTIONS[-1])
    done, raw = cv2.imencode(".jpg", picture.color(reduce), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return raw.tobytes() if done else b""
