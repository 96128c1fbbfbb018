"""Recognizes the names that a pad was printed with, of those that can be meant.

A name is drawn as the pad has it and laid over the blank. It counts when each of its letters fits,
fits much better than any other letter in its place, and there is no other ink. So a name that is
not among the known ones, another person's writing, or a name that is struck out is none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from companion.core.sheet import Blank, Box, Millimetres
from companion.fitting import is_known, known_letters, name_lines, width
from companion.folders import FONTS
from companion.vision.core import FLAT_PX_PER_MM, flat_pixels
from companion.vision.flat.flattening import Flat

Ink = npt.NDArray[np.float32]
"""0 is paper, 1 black."""
Part: TypeAlias = tuple[slice, slice]
"""Rows and columns of a blank's window."""

FINER: Final = 4
"""Scale at which letters are drawn, relative to the flattened sheet."""
CAPTION: Final[Millimetres] = 3.3
"""The height of a caption inside a blank."""
OUTLINE: Final[Millimetres] = 0.6
"""The width of a blank's edge, in which its outline lies."""
STRETCHES: Final = (1.0, 1.012, 1.024)
"""wkhtmltopdf rounds the distances of letters."""
BEARINGS: Final[Millimetres] = 0.5
"""Approximate difference between the sum of the letters' widths and the width of a name's ink."""
USUAL_BLUR: Final = 0.9
BLURS: Final = (0.5, 0.9, 1.4, 2.0)
"""Standard deviations of a photo's blur, in pixels of the flattened sheet."""
INKED: Final = 0.2
"""The darkness from which something is written in a blank."""
ENDS: Final[Millimetres] = 0.6
"""Tolerance of a name's width in the photo."""
SHIFT: Final = 4
"""Pixels that a name may lie beside its place."""
PHASES: Final = ((0, 0), (0.5, 0), (0, 0.5), (0.5, 0.5))
"""Parts of a pixel by which a letter may lie beside its place, besides whole ones."""
AROUND: Final[Millimetres] = 0.35
"""The margin of a letter's window."""
ABOVE: Final = 1.05
BELOW: Final = 0.3
"""Extent of a letter's window above and below its base line, in units of the letters' size."""
PLAIN: Final = "abcdefghijklmnopqrstuvwxyz"
PAIR: Final = 0.08
"""Relative difference in width up to which a pair of letters may pass for a letter."""
MISFIT: Final = 0.2
"""The largest share of a letter's contrast that may not be explained by the letter."""
CLEARLY: Final = 0.7
"""Least distinction: any other letter leaves so much more unexplained."""
SAME: Final = 0.985
"""Correlation of two letters' drawings from which nobody can tell them apart in a photo."""
CORNER: Final[Millimetres] = 1.2
"""The size of a blank's round corners; its outline is half as near to its base."""
STRAY: Final = 0.12
"""Darkness that is no noise, where the name has no ink."""
NEAR: Final = 0.1
"""The darkness of a drawing that belongs to its letters."""
REST: Final[Millimetres] = 0.7
"""The distance from a name's letters at which there should be no ink."""


def printed_names(flat: Flat, known: Sequence[str]) -> Mapping[int, str]:
    """Place of a blank for a name → the known name that is printed there, where it is clear."""
    blanks = {blank.id: blank for blank in flat.paper.blanks}
    found = {}
    for place, blank_id in enumerate(flat.paper.names):
        if name := _printed_name(flat, blanks[blank_id], known):
            found[place] = name
    return found


@dataclass(frozen=True)
class _Letter:
    """A letter at its place, in millimetres from the corner of its blank's window."""

    char: str
    x: Millimetres
    y: Millimetres
    size: Millimetres

    @property
    def advance(self) -> Millimetres:
        """The distance to the next letter."""
        return width(self.char, self.size)


def _printed_name(flat: Flat, blank: Blank, known: Sequence[str]) -> str:
    window = _window(blank)
    left, top, right, bottom = flat_pixels(window)
    ink = np.clip(1 - flat.even[top:bottom, left:right], 0, 1).astype(np.float32)
    dark = ink > max(INKED, 0.5 * float(np.percentile(ink, 99.5)))
    columns = np.flatnonzero(dark.any(axis=0)) / FLAT_PX_PER_MM
    if not columns.size:
        return ""
    wide = columns[-1] - columns[0]
    near = ink[:, : round((columns[-1] + REST) * FLAT_PX_PER_MM)]
    found = [
        (_fit(near, letters, USUAL_BLUR), name)
        for name in filter(is_known, known)
        for letters in (_letters(blank, window, name, stretch) for stretch in STRETCHES)
        if abs(_ink_width(letters) - wide) < ENDS
    ]
    if not found:
        return ""
    first, name = max(found, key=lambda fit: fit[0].correlation)
    fits = [_fit(ink, first.letters, blur) for blur in BLURS]
    best = max(fits, key=lambda fit: fit.correlation)
    return name if best.is_clear else ""


def _window(blank: Blank) -> Box:
    """The part of a blank in which nothing but a name is printed, in whole pixels."""
    box, head = blank.box, CAPTION if blank.caption else OUTLINE
    return Box(
        box.x + OUTLINE, box.y + head, box.width - 2 * OUTLINE, box.height - head - OUTLINE / 2
    )


def _letters(blank: Blank, window: Box, name: str, stretch: float) -> list[_Letter]:
    """The letters of a name whose distances are stretched."""
    letters = []
    for line in name_lines(blank, name):
        x = line.x - window.x
        if line.anchor == "middle":
            x -= width(line.content, line.size) * stretch / 2
        for char in line.content:
            if char != " ":
                letters.append(_Letter(char, x, line.y - window.y, line.size))
            x += width(char, line.size) * stretch
    return letters


def _ink_width(letters: Sequence[_Letter]) -> Millimetres:
    """The width from the first ink of the letters to the last."""
    last = max(letter.x + letter.advance for letter in letters)
    return last - min(letter.x for letter in letters) - BEARINGS


@dataclass(frozen=True, eq=False)
class _Fit:
    """A name laid over a blank as well as possible."""

    ink: Ink
    letters: Sequence[_Letter]
    blur: float
    offset: tuple[int, int]
    """Pixels to the right and down by which the ink lies beside the drawing."""
    correlation: float

    @property
    def is_clear(self) -> bool:
        """Whether it is this name and no other."""
        return self._is_alone() and all(map(self._is_letter, range(len(self.letters))))

    def _is_alone(self) -> bool:
        """Whether there is no ink away from the letters."""
        side = 2 * round(REST * FLAT_PX_PER_MM) + 1
        drawn = _drawn(self.letters, _whole(self.ink), self.blur)
        shifted = np.roll(drawn, (self.offset[1], self.offset[0]), (0, 1))
        near = cv2.dilate(shifted, np.ones((side, side), np.uint8)) > NEAR
        stray = cv2.blur(self.ink, (3, 3))
        stray[near] = 0
        edge = round(CORNER * FLAT_PX_PER_MM)
        return bool(stray[: -edge // 2, edge:-edge].max(initial=0) < STRAY)

    def _is_letter(self, place: int) -> bool:
        """Whether a letter fits, and no other one nearly as well."""
        letter, others = self.letters[place], [*self.letters]
        del others[place]
        part, padded = _part(letter, self.ink), _padded(self.ink)
        misfit, offset, phase = min(
            (*_misfit(padded, drawn, part, self.offset, 2), phase)
            for phase in PHASES
            for drawn in (_drawn(self.letters, part, self.blur, phase),)
        )
        own, rest = (_drawn(drawn, part, self.blur, phase) for drawn in ([letter], others))
        if misfit > MISFIT:
            return False
        for text in _alternatives(letter.char):
            other = _drawn([replace(letter, char=text)], part, self.blur, phase)
            if _correlation(own, other) > SAME:
                continue
            worse, _ = _misfit(padded, other + rest, part, offset, 0)
            if misfit > CLEARLY * worse / 2:  # beside its place it may fit better
                worse, _ = _misfit(padded, other + rest, part, offset, 1)
            if misfit > CLEARLY * worse:
                return False
        return True


def _fit(ink: Ink, letters: Sequence[_Letter], blur: float) -> _Fit:
    drawn = _drawn(letters, _whole(ink), blur)
    match = cv2.matchTemplate(_padded(ink), drawn, cv2.TM_CCOEFF_NORMED)
    _, correlation, _, (x, y) = cv2.minMaxLoc(match)
    return _Fit(ink, letters, blur, (x - SHIFT, y - SHIFT), correlation)


def _padded(ink: Ink) -> Ink:
    """The window with `SHIFT` pixels more on each side."""
    wider = cv2.copyMakeBorder(ink, SHIFT, SHIFT, SHIFT, SHIFT, cv2.BORDER_REPLICATE)
    return np.asarray(wider, np.float32)


def _whole(ink: Ink) -> Part:
    return slice(0, ink.shape[0]), slice(0, ink.shape[1])


def _part(letter: _Letter, ink: Ink) -> Part:
    """The window around a letter."""
    across = (letter.x - AROUND, letter.x + letter.advance + AROUND)
    down = (letter.y - ABOVE * letter.size, letter.y + BELOW * letter.size)
    rows, columns = (
        slice(max(round(low * FLAT_PX_PER_MM), 0), min(round(high * FLAT_PX_PER_MM), most))
        for (low, high), most in zip((down, across), ink.shape, strict=True)
    )
    return rows, columns


def _misfit(
    ink: Ink, drawn: Ink, part: Part, offset: tuple[int, int], reach: int
) -> tuple[float, tuple[int, int]]:
    """(the least share of a part's contrast that a drawing does not explain, its offset).

    Args:
        ink: as `_padded` returns it.
    """
    best = 1.0, offset
    for down in range(offset[1] - reach, offset[1] + reach + 1):
        for across in range(offset[0] - reach, offset[0] + reach + 1):
            y, x = part[0].start + down + SHIFT, part[1].start + across + SHIFT
            seen = ink[max(y, 0) : y + drawn.shape[0], max(x, 0) : x + drawn.shape[1]]
            if seen.shape == drawn.shape:
                misfit = 1 - max(_correlation(drawn, seen), 0.0) ** 2
                best = min(best, (misfit, (across, down)))
    return best


def _correlation(one: Ink, other: Ink) -> float:
    """The normalized correlation of two pictures."""
    one, other = one - one.mean(), other - other.mean()
    scale = float(np.vdot(one, one) * np.vdot(other, other)) ** 0.5
    return float(np.vdot(one, other)) / scale if scale > 0 else 0.0


def _drawn(
    letters: Sequence[_Letter], part: Part, blur: float, phase: tuple[float, float] = (0, 0)
) -> Ink:
    """A part of a blank's window with these letters in it.

    Args:
        phase: pixels by which they are moved to the right and down.
    """
    rows, columns = part[0].stop - part[0].start, part[1].stop - part[1].start
    fine = FLAT_PX_PER_MM * FINER
    canvas = Image.new("L", (columns * FINER, rows * FINER))
    pen = ImageDraw.Draw(canvas)
    for letter in letters:
        x = letter.x * fine + (phase[0] - part[1].start) * FINER
        y = letter.y * fine + (phase[1] - part[0].start) * FINER
        if x < canvas.width and x + 2 * letter.size * fine > 0:
            pen.text((x, y), letter.char, 255, _font(round(letter.size * fine, 2)), "ls")
    small = cv2.resize(np.asarray(canvas), (columns, rows), interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.GaussianBlur(small.astype(np.float32), (0, 0), blur) / 255, np.float32)


@cache
def _font(size: float) -> ImageFont.FreeTypeFont:
    file = str(FONTS / "fredoka-500.ttf")
    return ImageFont.truetype(file, size, layout_engine=ImageFont.Layout.BASIC)


@cache
def _alternatives(char: str) -> tuple[str, ...]:
    """The other letters, and the pairs of letters that are about as wide."""
    letters = [letter for letter in known_letters() if letter.isalpha() or letter.isdecimal()]
    wide = width(char, 1)
    pairs = (one + other for one in PLAIN for other in PLAIN)
    alike = (pair for pair in pairs if abs(width(pair, 1) - wide) < PAIR * wide)
    return (*(letter for letter in letters if letter != char), *alike)
