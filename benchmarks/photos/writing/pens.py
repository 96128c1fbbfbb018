"""Pens, and how their strokes become ink on paper.

A stroke is drawn as overlapping discs whose radius and strength follow pressure and flow. The layer
of ink is an optical density, which absorbs light by colour (Beer–Lambert law).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from benchmarks.photos.writing.hands import Points
from companion.core.sheet import Millimetres

FINER: Final = 3  # the factor on the layer's resolution at which strokes are drawn


@dataclass(frozen=True)
class Pen:
    """One pen in one hand."""

    kind: str
    width: Millimetres
    # Optical density of a full stroke for blue, green and red light.
    absorbs: tuple[float, float, float]
    unsteady: float  # how much the width varies, as a share
    skips: float  # how much the flow varies, 0 to 1
    grain: float  # how much the paper's roughness shows, 0 to 1
    bleeds: Millimetres  # standard deviation by which ink spreads in the paper
    # The share of light that the card's surface reflects over the ink, whatever its colour.
    veiled: float = 0.0


PENS: Final[Mapping[str, Pen]] = {
    "thin red": Pen("thin red", 0.3, (1.35, 1.4, 0.22), 0.1, 0.25, 0.15, 0.02, veiled=0.02),
    "light pencil": Pen("pencil", 0.4, (0.42, 0.43, 0.44), 0.22, 0.35, 0.75, 0.0, veiled=0.01),
}
"""Pens that hardly differ from some prints. On red card, whose blue and green are little more than
what its surface reflects, a red pen darkens nothing but the red, by a fifth."""


def random_pen(rng: np.random.Generator) -> Pen:
    """A random pen, in a usual colour."""
    blue, black, red = (0.55, 1.7, 2.4), (2.2, 2.3, 2.3), (2.0, 2.1, 0.25)
    green = (1.7, 0.6, 2.2)
    kind = str(rng.choice(["ballpoint", "pencil", "felt", "gel"], p=[0.46, 0.2, 0.14, 0.2]))
    color = {
        "ballpoint": ([blue, black, red], [0.58, 0.34, 0.08]),
        "gel": ([blue, black, red, green], [0.4, 0.46, 0.08, 0.06]),
        "felt": ([blue, black, red, green], [0.3, 0.48, 0.12, 0.1]),
        "pencil": ([(1.25, 1.28, 1.3)], [1.0]),
    }[kind]
    absorbs = np.array(color[0][int(rng.choice(len(color[0]), p=color[1]))])
    strength = {
        "ballpoint": (0.8, 1.3),
        "gel": (1.0, 1.5),
        "felt": (1.0, 1.5),
        "pencil": (0.6, 1.15),
    }
    width = {
        "ballpoint": (0.32, 0.55),
        "gel": (0.42, 0.72),
        "felt": (0.7, 1.25),
        "pencil": (0.35, 0.75),
    }
    absorbs = absorbs * rng.uniform(*strength[kind]) * rng.uniform(0.93, 1.07, 3)
    return Pen(
        kind,
        float(rng.uniform(*width[kind])),
        (float(absorbs[0]), float(absorbs[1]), float(absorbs[2])),
        unsteady={"ballpoint": 0.12, "gel": 0.08, "felt": 0.14, "pencil": 0.22}[kind],
        skips={"ballpoint": 0.3, "gel": 0.08, "felt": 0.08, "pencil": 0.35}[kind],
        grain={"ballpoint": 0.25, "gel": 0.06, "felt": 0.1, "pencil": 0.75}[kind],
        bleeds={"ballpoint": 0.0, "gel": 0.03, "felt": 0.08, "pencil": 0.0}[kind],
    )


def _wander(rng: np.random.Generator, count: int, step: float) -> npt.NDArray[np.float32]:
    """Smooth noise of `count` values around 0, with a random value every `step` values."""
    knots = rng.standard_normal(int(count / step) + 4).astype(np.float32)
    at = np.arange(count, dtype=np.float32) / step
    low = at.astype(int)
    part = at - low
    part = part * part * (3 - 2 * part)
    return np.asarray(knots[low] * (1 - part) + knots[low + 1] * part, np.float32)


class InkLayer:
    """A layer of ink on a piece of paper: the optical density of each pixel."""

    def __init__(self, width: Millimetres, height: Millimetres, scale: float) -> None:
        self.scale = scale
        """Pixels per millimetre."""
        self.density = np.zeros((round(height * scale), round(width * scale)), np.float32)

    def stroke(
        self, points: Points, pen: Pen, rng: np.random.Generator, strength: float = 1.0
    ) -> None:
        """Draws a stroke along points, (n, 2) millimetres from the paper's top left corner."""
        steps = np.hypot(*np.diff(points, axis=0).T)
        way = np.concatenate([[0.0], np.cumsum(steps)])
        count = max(int(way[-1] / 0.06), 2)
        at = np.linspace(0, way[-1], count)
        x, y = (np.interp(at, way, points[:, axis]) for axis in (0, 1))
        # The pen slows down in bends, with more pressure and more ink.
        bend = np.zeros(count)
        if count > 8:
            direction = np.unwrap(np.arctan2(np.gradient(y), np.gradient(x)))
            bend = np.minimum(np.abs(np.gradient(direction)) * 2.0, 1.0)
            bend = np.convolve(bend, np.ones(7) / 7, "same")
        radius = pen.width / 2 * (1 + pen.unsteady * (_wander(rng, count, 25) * 0.6 + bend))
        end = np.minimum(np.arange(count), np.arange(count)[::-1]) * 0.06 / 0.5
        if pen.kind != "felt":
            radius *= 0.72 + 0.28 * np.minimum(end, 1.0)
        flow = 1 - pen.skips * np.clip(0.35 + 0.45 * _wander(rng, count, 18) - 0.4 * bend, 0, 0.9)
        self._discs(x, y, np.maximum(radius, 0.12), flow * strength)

    def _discs(
        self,
        x: npt.NDArray[np.floating],
        y: npt.NDArray[np.floating],
        radius: npt.NDArray[np.floating],
        flow: npt.NDArray[np.floating],
    ) -> None:
        edge = float(radius.max()) + 2 / self.scale
        rows, columns = self.density.shape
        left, top = (int(np.floor((axis.min() - edge) * self.scale)) for axis in (x, y))
        right, bottom = (int(np.ceil((axis.max() + edge) * self.scale)) for axis in (x, y))
        left, top = max(left, 0), max(top, 0)
        right, bottom = min(right, columns), min(bottom, rows)
        if right <= left or bottom <= top:
            return
        fine = np.zeros(((bottom - top) * FINER, (right - left) * FINER), np.uint8)
        scale = self.scale * FINER * 16
        xs = np.round(x * scale - left * FINER * 16 - 8).astype(int).tolist()
        ys = np.round(y * scale - top * FINER * 16 - 8).astype(int).tolist()
        radii = np.round(radius * scale).astype(int).tolist()
        values = np.clip(flow * 200, 1, 255).astype(int).tolist()
        for x_center, y_center, pixels, value in zip(xs, ys, radii, values, strict=True):
            cv2.circle(fine, (x_center, y_center), pixels, value, -1, cv2.LINE_8, 4)
        small = cv2.resize(fine, (right - left, bottom - top), interpolation=cv2.INTER_AREA)
        self._lay((small / 200).astype(np.float32), left, top)

    def stamp(
        self,
        ink: npt.NDArray[np.uint8],
        x: Millimetres,
        y: Millimetres,
        width: Millimetres,
        height: Millimetres,
        turn: float,
        strength: float = 1.0,
    ) -> None:
        """Draws a scan.

        Args:
            ink: the scan, 255 is ink.
            x, y: its top left corner before it is rotated.
            turn: rotation around its centre in radians.
        """
        scale = self.scale
        reach = int(np.ceil(np.hypot(width, height) * scale / 2)) + 2
        across, down = (x + width / 2) * scale, (y + height / 2) * scale
        left, top = int(across) - reach, int(down) - reach
        cos, sin = np.cos(turn), np.sin(turn)
        to_pixels = np.array(
            [
                [width * scale / ink.shape[1] * cos, -height * scale / ink.shape[0] * sin, 0],
                [width * scale / ink.shape[1] * sin, height * scale / ink.shape[0] * cos, 0],
            ]
        )
        middle = to_pixels[:, :2] @ np.array([ink.shape[1] / 2, ink.shape[0] / 2])
        to_pixels[:, 2] = (across - left, down - top) - middle
        drawn = cv2.warpAffine(
            ink.astype(np.float32) / 255, to_pixels, (2 * reach, 2 * reach), flags=cv2.INTER_CUBIC
        )
        if ink.shape[0] < height * scale * 0.7:
            # Sharpens the edges of a coarse scan that was enlarged.
            drawn = 1 / (1 + np.exp(-(drawn - 0.45) * 9)) - 0.017
        self._lay((np.clip(drawn, 0, 1) * strength).astype(np.float32), left, top)

    def _lay(self, ink: npt.NDArray[np.float32], left: int, top: int) -> None:
        rows, columns = self.density.shape
        up, out = max(-top, 0), max(-left, 0)
        ink = ink[up : max(rows - top, 0), out : max(columns - left, 0)]
        if not ink.size:
            return
        top, left = max(top, 0), max(left, 0)
        under = self.density[top : top + ink.shape[0], left : left + ink.shape[1]]
        # Ink over ink is darker than either, but by less than the sum.
        under[:] = np.maximum(under, ink) + 0.35 * np.minimum(under, ink)

    def settled(self, pen: Pen, rng: np.random.Generator) -> npt.NDArray[np.float32]:
        """The density after the ink has spread, with the paper's roughness, (height, width)."""
        density = self.density
        if pen.bleeds:
            bled = cv2.GaussianBlur(density, (0, 0), max(pen.bleeds * self.scale, 0.3))
            density = np.asarray(bled, np.float32)
        if pen.grain:
            white = rng.standard_normal(density.shape, dtype=np.float32)
            rough = np.asarray(cv2.GaussianBlur(white, (0, 0), 0.07 * self.scale), np.float32)
            rough /= max(float(rough.std()), 1e-6)
            density = density * np.clip(1 - pen.grain * (0.25 + 0.4 * rough), 0.1, 1.4)
        return np.asarray(density, np.float32)
