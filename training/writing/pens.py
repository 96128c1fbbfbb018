"""Pens, and the canvas they write on: strokes and masks become ink in a picture of a pad."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from typing import Final, Literal, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Millimetres
from training import Rng

PX_PER_MM: Final = 12.0
"""The resolution at which pads are written on before they are photographed."""

Kind: TypeAlias = Literal["ballpoint", "gel", "pencil", "felt", "paint"]
Color: TypeAlias = tuple[float, float, float]
"""Blue, green and red, each 0 to 1: the reflected share of white light."""

Way: TypeAlias = npt.NDArray[np.float32]
"""A polyline on the pad in millimetres, (points, 2): x to the right, y down."""
Mask: TypeAlias = npt.NDArray[np.uint8]
"""The share of each pixel that a pen has touched, 0 to 255."""

TILE: Final = 1024
"""The side of a tile of noise in pixels."""
_SUBPIXELS: Final = 4
"""Fractional bits of coordinates in OpenCV's drawing functions."""

_COLORS: Final[dict[Kind, tuple[tuple[float, Color, Color], ...]]] = {
    # Kind → (relative frequency, darkest colour, palest colour).
    "ballpoint": (
        (0.5, (0.45, 0.12, 0.06), (0.75, 0.32, 0.24)),
        (0.38, (0.06, 0.05, 0.05), (0.26, 0.22, 0.22)),
        (0.12, (0.12, 0.08, 0.62), (0.26, 0.2, 0.86)),
    ),
    "gel": (
        (0.5, (0.02, 0.02, 0.02), (0.14, 0.13, 0.13)),
        (0.4, (0.4, 0.08, 0.04), (0.62, 0.22, 0.14)),
        (0.1, (0.1, 0.06, 0.6), (0.22, 0.16, 0.8)),
    ),
    "pencil": ((1.0, (0.2, 0.2, 0.2), (0.36, 0.35, 0.35)),),
    "felt": (
        (0.46, (0.03, 0.03, 0.03), (0.16, 0.14, 0.14)),
        (0.24, (0.5, 0.12, 0.04), (0.75, 0.36, 0.2)),
        (0.18, (0.1, 0.06, 0.66), (0.24, 0.2, 0.86)),
        (0.09, (0.14, 0.4, 0.04), (0.36, 0.56, 0.22)),
        (0.03, (0.06, 0.4, 0.86), (0.16, 0.5, 0.94)),
    ),
    # Opaque pens for black card: white, gold, silver.
    "paint": (
        (0.6, (0.84, 0.86, 0.86), (0.98, 0.98, 0.98)),
        (0.25, (0.2, 0.5, 0.62), (0.42, 0.72, 0.84)),
        (0.15, (0.6, 0.6, 0.6), (0.76, 0.74, 0.74)),
    ),
}


@dataclass(frozen=True)
class Pen:
    """A pen in somebody's hand."""

    kind: Kind
    width: Millimetres
    color: Color
    opacity: float
    """1 covers the paper with the pen's colour; less lets the paper through."""
    grain: float
    """The share of the paper's grain that shows in the line, 0 to 1."""
    flow: float
    """Unevenness of the flow of ink, 0 to 1."""
    press: float
    """Variation of the line's width, as a share of it."""
    sheen: float = 0.0
    """The share of light that the ink throws back itself, which shows on black card."""

    @property
    def contrast(self) -> float:
        """The contrast of a line in luma, 0 to 1: with black card for paint, else with white."""
        blue, green, red = self.color
        luma = 0.114 * blue + 0.587 * green + 0.299 * red
        return (
            (luma if self.kind == "paint" else 1 - luma)
            * self.opacity
            * (1 - 0.4 * self.grain)
            * (1 - 0.5 * self.flow)
        )


def any_pen(rng: Rng) -> Pen:
    """A random pen, as it lies on a game table."""
    drawn = rng.random()
    if drawn < 0.38:
        color = _color("ballpoint", rng)
        width, opacity = rng.uniform(0.38, 0.62), rng.uniform(0.72, 1)
        grain, flow = rng.uniform(0, 0.25), rng.uniform(0, 0.35)
        return Pen("ballpoint", width, color, opacity, grain, flow, rng.uniform(0, 0.25))
    if drawn < 0.5:
        color = _color("gel", rng)
        return Pen("gel", rng.uniform(0.4, 0.75), color, rng.uniform(0.9, 1), 0.03, 0.1, 0.12)
    if drawn < 0.82:
        return pencil(rng, rng.uniform(0.24, 1))
    color = _color("felt", rng)
    width, opacity = rng.uniform(0.8, 1.6), rng.uniform(0.8, 1)
    return Pen("felt", width, color, opacity, 0.05, rng.uniform(0, 0.2), rng.uniform(0, 0.15))


def pencil(rng: Rng, opacity: float) -> Pen:
    """A random pencil; an `opacity` of 0.3 is faint, 1 is dark."""
    color = _color("pencil", rng)
    grain, flow = rng.uniform(0.15, 0.6), rng.uniform(0.05, 0.5)
    return Pen(
        "pencil", rng.uniform(0.34, 0.9), color, opacity, grain, flow, rng.uniform(0.05, 0.3)
    )


def paint_pen(rng: Rng) -> Pen:
    """A random white, gold or silver pen, as people buy them for black card."""
    return Pen(
        "paint", rng.uniform(0.5, 1.3), _color("paint", rng), rng.uniform(0.8, 1), 0.05, 0.15, 0.1
    )


def worn(pen: Pen, rng: Rng) -> Pen:
    """The same pen with slightly different width and opacity, because no two strokes are alike."""
    return replace(
        pen,
        width=pen.width * rng.uniform(0.88, 1.12),
        opacity=min(pen.opacity * rng.uniform(0.88, 1.08), 1.0),
    )


def _color(kind: Kind, rng: Rng) -> Color:
    """A random colour of a kind of pen."""
    choices = _COLORS[kind]
    at = rng.choice(len(choices), p=np.array([share for share, _, _ in choices]))
    _, dark, pale = choices[int(at)]
    mixed = rng.random()
    blue, green, red = (low + (high - low) * mixed for low, high in zip(dark, pale, strict=True))
    return blue, green, red


@cache
def _tiles() -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """(grain of paper, flow of ink): tiles of smooth noise with uniform distribution, 0 to 1."""
    rng = np.random.default_rng(20261121)
    tiles = []
    for sigma in (1.0, 9.0):
        noise = rng.standard_normal((TILE, TILE)).astype(np.float32)
        smooth = cv2.GaussianBlur(noise, (0, 0), sigma, borderType=cv2.BORDER_REFLECT)
        ranks = smooth.ravel().argsort().argsort().astype(np.float32)
        tiles.append((ranks / ranks.size).reshape(TILE, TILE))
    return tiles[0], tiles[1]


@cache
def _repeated(which: Literal["grain", "flow"], times: int) -> Way:
    whole = _tiles()[0 if which == "grain" else 1]
    return np.tile(whole, (times, times))


def tile(which: Literal["grain", "flow"], height: int, width: int, rng: Rng) -> Way:
    """A random part of a tile, (height, width); larger than a tile, it repeats."""
    whole = _repeated(which, -(-max(height, width) // TILE))
    rows, columns = whole.shape
    y, x = rng.integers(rows - height + 1), rng.integers(columns - width + 1)
    return whole[y : y + height, x : x + width]


def curve(points: Sequence[tuple[float, float]], steps: int = 8) -> Way:
    """A smooth curve through points (Catmull–Rom spline), with `steps` points in each interval."""
    known = np.array((points[0], *points, points[-1]), np.float64)
    at = np.linspace(0, 1, steps, endpoint=False)[:, np.newaxis]
    p0, p1, p2, p3 = (known[n : len(known) - 3 + n, np.newaxis] for n in range(4))
    way = 0.5 * (
        2 * p1
        + (p2 - p0) * at
        + (2 * p0 - 5 * p1 + 4 * p2 - p3) * at**2
        + (3 * p1 - p0 - 3 * p2 + p3) * at**3
    )
    return np.concatenate((way.reshape(-1, 2), known[-1:])).astype(np.float32)


def jittered(box: Box, by: Millimetres, rng: Rng) -> tuple[float, float]:
    """A random point near the centre of a box; `by` is the standard deviation."""
    x, y = box.center
    dx, dy = np.clip(rng.normal(0, by, 2), -2.2 * by, 2.2 * by)
    return x + float(dx), y + float(dy)


class Canvas:
    """A picture of a piece of a printed pad that is written on."""

    def __init__(self, picture: npt.NDArray[np.uint8], x: Millimetres, y: Millimetres) -> None:
        """A canvas with this picture.

        Args:
            picture: BGR at `PX_PER_MM`; it is changed in place.
            x, y: its top left corner on the pad.
        """
        self.picture = picture
        self.x = x
        self.y = y

    def draw(self, ways: Sequence[Way], pen: Pen, rng: Rng) -> None:
        """Draws strokes of a pen."""
        points = np.concatenate(ways)
        around = pen.width + 0.3
        left, top = self._pixel(points.min(axis=0) - around)
        right, bottom = self._pixel(points.max(axis=0) + around)
        width, height = right - left, bottom - top
        if width < 2 or height < 2 or self._is_outside(left, top, width, height):
            return
        mask = np.zeros((height, width), np.uint8)
        origin = np.array((self.x, self.y), np.float32)
        corner = np.array((left, top), np.float32)
        for way in ways:
            pixels = (way - origin) * PX_PER_MM - corner
            _stroke(mask, pixels, pen, rng)
        self.lay(mask, left, top, pen, rng)

    def lay(self, mask: Mask, left: int, top: int, pen: Pen, rng: Rng) -> None:
        """Adds ink where a mask says.

        Args:
            left, top: the mask's corner in the picture, in pixels.
        """
        height, width = mask.shape
        rows, columns = self.picture.shape[:2]
        x1, y1, x2, y2 = (
            max(left, 0),
            max(top, 0),
            min(left + width, columns),
            min(top + height, rows),
        )
        if x1 >= x2 or y1 >= y2:
            return
        part = mask[y1 - top : y2 - top, x1 - left : x2 - left]
        alpha = part * np.float32(pen.opacity / 255)
        high, wide = part.shape
        if pen.grain > 0:
            grain = tile("grain", high, wide, rng)
            # A pencil only touches the peaks of the paper, and fewer of them if pressed less.
            alpha *= np.clip(1 - pen.grain * 2 * (grain - 0.45), 0.1, 1)
        if pen.flow > 0:
            alpha *= 1 - pen.flow * tile("flow", high, wide, rng)
        ink = cover if pen.kind == "paint" else paint
        here = self.picture[y1:y2, x1:x2]
        ink(here, alpha, pen.color)
        if pen.sheen:
            shine = cv2.merge([alpha * np.float32(255 * pen.sheen)] * 3)
            cv2.add(here, shine, here, dtype=cv2.CV_8U)

    def here(self, box: Box) -> Box:
        """A box of the pad, from the picture's corner."""
        return Box(box.x - self.x, box.y - self.y, box.width, box.height)

    def _pixel(self, at: npt.NDArray[np.float32]) -> tuple[int, int]:
        x, y = (at - (self.x, self.y)) * PX_PER_MM
        return int(np.floor(x)), int(np.floor(y))

    @property
    def width(self) -> Millimetres:
        return self.picture.shape[1] / PX_PER_MM

    @property
    def height(self) -> Millimetres:
        return self.picture.shape[0] / PX_PER_MM

    def pixel(self, x: Millimetres, y: Millimetres) -> tuple[int, int]:
        """The pixel of the picture that shows a point of the pad."""
        return round((x - self.x) * PX_PER_MM), round((y - self.y) * PX_PER_MM)

    def _is_outside(self, left: int, top: int, width: int, height: int) -> bool:
        rows, columns = self.picture.shape[:2]
        return left >= columns or top >= rows or left + width <= 0 or top + height <= 0


def paint(part: npt.NDArray[np.uint8], alpha: npt.NDArray[np.float32], color: Color) -> None:
    """Multiplies a part of a picture by a colour, as ink absorbs light; `part` is changed.

    Args:
        alpha: the coverage of each pixel, 0 to 1.
    """
    left = cv2.merge([1 + alpha * np.float32(channel - 1) for channel in color])
    part[...] = cv2.multiply(part, left, dtype=cv2.CV_8U)


def cover(part: npt.NDArray[np.uint8], alpha: npt.NDArray[np.float32], color: Color) -> None:
    """Covers a part of a picture with an opaque colour; `part` is changed.

    Args:
        alpha: the coverage of each pixel, 0 to 1.
    """
    clear, pigment = 1 - alpha[..., np.newaxis], np.float32(255) * np.array(color, np.float32)
    part[...] = np.round(part * clear + pigment * (1 - clear)).astype(np.uint8)


def _stroke(mask: Mask, pixels: Way, pen: Pen, rng: Rng) -> None:
    """Draws one polyline in a mask, with varying width."""
    fine = np.round(pixels * (1 << _SUBPIXELS)).astype(np.int32).reshape(-1, 1, 2)
    width = pen.width * PX_PER_MM
    pieces = 1 if pen.press < 0.06 or len(fine) < 6 else min(max(len(fine) // 4, 2), 5)
    bounds = np.linspace(0, len(fine) - 1, pieces + 1).astype(int)
    factor = 1.0
    for start, end in pairwise(bounds):
        thickness = max(round(width * factor), 1)
        cv2.polylines(mask, [fine[start : end + 1]], False, 255, thickness, cv2.LINE_AA, _SUBPIXELS)
        factor = float(
            np.clip(factor + rng.normal(0, pen.press * 0.6), 1 - pen.press, 1 + pen.press)
        )
