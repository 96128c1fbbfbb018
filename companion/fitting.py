"""Measures texts and makes them fit before anything is drawn.

A width is exact for Fredoka's letters (from `tools/make-print-fonts.py`), and an estimate on the
safe side for all others, because nobody knows the font that will stand in for it.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from companion.core.sheet import Millimetres
from companion.folders import FONTS

LINE: Final = 1.2  # The distance of two lines, of the size of the letters
# Distance from the middle of a line's capitals down to its base, in units of the letters' size
MIDDLE: Final = 0.35
# How many modules a side the QR code of a pad's names may have, so that they are read
CODE_SIZES: Final = range(21, 34, 4)
# The smallest letters; a text that would need smaller ones is shortened
SMALLEST: Final[Millimetres] = 1.5


@cache
def _advances() -> Mapping[str, float]:
    table = json.loads((FONTS / "advances.json").read_text(encoding="utf-8"))
    widest: dict[str, float] = {}
    for weight in table.values():  # the two differ by a hundredth of a letter's size
        for char, advance in weight.items():
            widest[char] = max(advance, widest.get(char, 0.0))
    return widest


def width(text: str, size: Millimetres) -> Millimetres:
    return sum(map(_advance, text)) * size


def is_known(text: str) -> bool:
    """Whether Fredoka has all of the letters, so that `width` is exact."""
    return all(char in _advances() for char in text)


def _advance(char: str) -> float:
    known = _advances().get(char)
    if known is not None:
        return known
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0.0
    return 1.2 if unicodedata.east_asian_width(char) in "WF" or ord(char) > 0xFFFF else 0.9


def fitted_line(text: str, space: Millimetres, size: Millimetres) -> tuple[str, Millimetres]:
    """(text, size) that fits in `space` as one line: made smaller and, at the last, shortened."""
    needed = width(text, size)
    if needed <= space:
        return text, size
    smaller = round(max(size * space / needed, SMALLEST), 3)
    if width(text, smaller) > space + 0.01:
        while text and width(f"{text}…", smaller) > space:
            text = text[:-1]
        text = f"{text.rstrip()}…"
    return text, smaller


def fitted_lines(
    text: str, space: Millimetres, height: Millimetres, size: Millimetres
) -> tuple[tuple[str, ...], Millimetres]:
    """(lines, size) that fit in `space` × `height`: with more lines first, and then smaller."""
    while True:
        lines = tuple(_lines(text, space, size))
        if len(lines) * size * LINE <= max(height, size * LINE) or size <= SMALLEST:
            break
        size = round(size * 0.94, 3)
    fitted = [fitted_line(line, space, size) for line in lines]
    return tuple(line for line, _ in fitted), min((size for _, size in fitted), default=size)


def _lines(text: str, space: Millimetres, size: Millimetres) -> Iterator[str]:
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and width(longer, size) > space:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield line
