"""Measures a page's first line in a PDF, from the page's own drawing commands.

The first thing drawn on each of our pages is the path of its cut marks. Its measured place shows
whether an engine printed in true size, for builds that nobody has measured. This understands what
Qt writes; it is no PDF reader.
"""

from __future__ import annotations

import re
import zlib
from typing import Final, TypeAlias

from companion.core.sheet import Box, Millimetres

MM_PER_POINT: Final = 25.4 / 72
MOST_COMMAND_BYTES: Final = 60_000
"""How much of a page's commands is unpacked; the cut marks are among the first 10,000 bytes."""

Matrix: TypeAlias = tuple[float, float, float, float, float, float]
Point: TypeAlias = tuple[float, float]

_STREAM: Final = re.compile(rb"stream\r?\n")
_MEDIA_BOX: Final = re.compile(rb"/MediaBox\s*\[\s*0\s+0\s+[\d.]+\s+([\d.]+)\s*\]")


def first_line_box(raw: bytes) -> Box | None:
    """The box around the first stroked path of a PDF, in millimetres from the page's top left.

    None where the file holds none that can be read.
    """
    media = _MEDIA_BOX.search(raw)
    points = next(filter(None, map(_stroked, _commands(raw))), [])
    if media is None or not points:
        return None
    height = float(media[1])
    xs = [x * MM_PER_POINT for x, _ in points]
    ys = [(height - y) * MM_PER_POINT for _, y in points]
    return Box(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


def largest_offset(found: Box, expected: Box) -> Millimetres:
    """The largest distance between corresponding edges of two boxes."""
    return max(
        abs(found.x - expected.x),
        abs(found.y - expected.y),
        abs(found.x + found.width - expected.x - expected.width),
        abs(found.y + found.height - expected.y - expected.height),
    )


def _commands(raw: bytes) -> list[list[str]]:
    """The words of the first streams that look like drawing commands."""
    found = []
    for match in _STREAM.finditer(raw):
        try:
            text = zlib.decompressobj().decompress(raw[match.end() :], MOST_COMMAND_BYTES)
        except zlib.error:
            continue
        if b" cm\n" in text:
            found.append(text.decode("latin-1").split()[:-1])
            break
    return found


def _stroked(words: list[str]) -> list[Point]:
    matrix: Matrix = (1, 0, 0, 1, 0, 0)
    saved: list[Matrix] = []
    numbers: list[float] = []
    path: list[Point] = []
    for word in words:
        try:
            numbers.append(float(word))
            continue
        except ValueError:
            pass
        if word == "q":
            saved.append(matrix)
        elif word == "Q" and saved:
            matrix = saved.pop()
        elif word == "cm" and len(numbers) >= 6:
            a, b, c, d, e, f = numbers[-6:]
            matrix = _product((a, b, c, d, e, f), matrix)
        elif word in ("m", "l") and len(numbers) >= 2:
            path.append(_moved(numbers[-2], numbers[-1], matrix))
        elif word == "S":
            return path
        elif word in ("n", "f", "f*", "B", "B*"):
            path = []
        numbers = []
    return []


def _product(inner: Matrix, outer: Matrix) -> Matrix:
    a, b, c, d, e, f = inner
    x, y = _moved(e, f, outer)
    return (
        a * outer[0] + b * outer[2],
        a * outer[1] + b * outer[3],
        c * outer[0] + d * outer[2],
        c * outer[1] + d * outer[3],
        x,
        y,
    )


def _moved(x: float, y: float, matrix: Matrix) -> Point:
    a, b, c, d, e, f = matrix
    return x * a + y * c + e, x * b + y * d + f
