"""The time at which a photo was taken, as its phone has written it into the file."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from itertools import islice
from typing import Final

HEAD_BYTES: Final = 256 * 1024  # Bytes of a file in which its EXIF block begins

_BLOCK: Final = re.compile(rb"Exif\0\0(?:II\*\0|MM\0\*)")
_BLOCK_BYTES: Final = 64 * 1024
_MOST_TIMES: Final = 20  # The most times that are examined; EXIF has five, and GPS one
# A time as EXIF writes it. It has no zone.
_TIME: Final = re.compile(rb"(20\d\d):(\d\d):(\d\d) (\d\d):(\d\d):(\d\d)\0")


def taken_at(head: bytes, now: datetime, zone: tzinfo | None = None) -> datetime | None:
    """The time at which a photo was taken; None if the file has none.

    A photo that was worked on has several times; the earliest is that of the camera.

    Args:
        head: the beginning of the file, at least `HEAD_BYTES` of a long one.
        now: aware; a later time is a clock's mistake.
        zone: the camera's; None for this computer's.
    """
    block = _BLOCK.search(head[:HEAD_BYTES])
    if block is None:
        return None
    found = []
    times = _TIME.finditer(head, block.end(), block.end() + _BLOCK_BYTES)
    for time in islice(times, _MOST_TIMES):
        year, month, day, hour, minute, second = map(int, time.groups())
        try:
            local = datetime(year, month, day, hour, minute, second, tzinfo=zone)
            taken_at = local.astimezone(UTC)
        except (ValueError, OverflowError, OSError):
            continue
        found += [taken_at] if taken_at <= now else []
    return min(found, default=None)
