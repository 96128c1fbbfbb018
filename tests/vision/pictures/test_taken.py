"""The time at which a photo was taken: EXIF in a file's beginning, among other content."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from PIL import Image

from companion.vision.pictures.taken import HEAD_BYTES, taken_at

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MODIFIED, ORIGINAL, IFD = 0x0132, 0x9003, 0x8769


def photo(kind: str, *, modified: str = "", original: str = "") -> bytes:
    exif = Image.Exif()
    if modified:
        exif[MODIFIED] = modified
    if original:
        exif[IFD] = {ORIGINAL: original}
    out = io.BytesIO()
    Image.new("RGB", (40, 30)).save(out, kind, exif=exif)
    return out.getvalue()


def test_the_camera_tells_the_time() -> None:
    raw = photo("JPEG", modified="2025:05:02 10:00:00", original="2025:03:01 20:15:30")
    expected = datetime(2025, 3, 1, 20, 15, 30).astimezone(UTC)
    assert taken_at(raw, NOW) == expected


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"Exif\0\0",
        photo("JPEG"),
        photo("JPEG", original="2025:13:41 20:15:30"),
        photo("JPEG", original="2027:03:01 20:15:30"),
        photo("JPEG", original="    :  :     :  :  "),
        b"x" * HEAD_BYTES + photo("JPEG", original="2025:03:01 20:15:30"),
    ],
)
def test_nobody_knows(raw: bytes) -> None:
    assert taken_at(raw, NOW) is None
