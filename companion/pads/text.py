"""How wide a text will be, so that it can be made to fit before anything is drawn.

An estimate on the safe side: the fonts that stand in for letters that Fredoka lacks are not known.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import Final

from companion.sheets.core import Millimetres

LINE: Final = 1.2
"""From one line to the next, of the size of the letters."""
SMALLEST: Final[Millimetres] = 1.5
"""Of letters; what would have to be smaller is shortened."""

_NARROW: Final = frozenset("iljtfrI.,:;'’|!()[] 1")
_BROAD: Final = frozenset("mwMWOQGD@%—…&")


def width(text: str, size: Millimetres) -> Millimetres:
    """How wide the text is at the most, in letters of this size."""
    return sum(map(_advance, text)) * size


def _advance(char: str) -> float:
    if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF" or ord(char) > 0xFFFF:
        return 1.2
    if char in _NARROW:
        return 0.38
    if char in _BROAD:
        return 0.92
    return 0.62 if char.islower() or char.isdigit() else 0.72


def fit(text: str, room: Millimetres, size: Millimetres) -> tuple[str, Millimetres]:
    """(text, size of its letters) for one line: smaller if need be, and shortened at the last."""
    needed = width(text, size)
    if needed <= room:
        return text, size
    smaller = round(max(size * room / needed, SMALLEST), 3)
    if width(text, smaller) > room + 0.01:
        while text and width(f"{text}…", smaller) > room:
            text = text[:-1]
        text = f"{text.rstrip()}…"
    return text, smaller


def wrapped(
    text: str, room: Millimetres, height: Millimetres, size: Millimetres
) -> tuple[tuple[str, ...], Millimetres]:
    """(lines, size of their letters): as many lines as the height allows, then smaller ones."""
    while True:
        lines = tuple(_lines(text, room, size))
        if len(lines) * size * LINE <= max(height, size * LINE) or size <= SMALLEST:
            break
        size = round(size * 0.94, 3)
    fitted = [fit(line, room, size) for line in lines]
    return tuple(line for line, _ in fitted), min((size for _, size in fitted), default=size)


def _lines(text: str, room: Millimetres, size: Millimetres) -> Iterator[str]:
    line = ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and width(longer, size) > room:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield line
