"""A reader that reads every photo alike and at once, also those at which others wait or end."""

from __future__ import annotations

from collections.abc import Sequence

from companion.vision.core import PhotoReading
from lab.photos import standin


def read(data: bytes, *, pictures: bool = False, names: Sequence[str] = ()) -> PhotoReading:
    return standin.read(standin.picture(standin.CLEAN), pictures=pictures)
