"""A printing press for publishers' sheets: shapes and letters on card, in millimetres.

Each layer of ink lands a little beside the others (`Press.layer`), as on a real press.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from benchmarks.photos.printing.fonts import Lettering, Mask
from companion.core.edition import Edition
from companion.core.sheet import Millimetres

Rgb: TypeAlias = tuple[float, float, float]
"""Red, green and blue as a camera shows them in daylight, 0 to 255 each."""
Points: TypeAlias = Sequence[tuple[float, float]] | npt.NDArray[np.floating]

BITS: Final = 5  # fractional bits of OpenCV's coordinates
APART: Final[Millimetres] = 0.08  # standard deviation of a layer's shift
FARTHEST: Final[Millimetres] = 0.4


def mixed(a: Rgb, b: Rgb, share: float) -> Rgb:
    """`share` of the way from one colour to the other; beyond for shares outside 0 to 1."""
    first, second = np.array(a), np.array(b)
    red, green, blue = np.clip(first + (second - first) * share, 0, 255).tolist()
    return red, green, blue


class Tones:
    """The inks of one printing: each drawn by chance about a publisher's, all as vivid."""

    def __init__(self, rng: np.random.Generator, vivid: float, within: tuple[int, int]) -> None:
        self.rng: Final = rng
        self.vivid: Final = vivid
        self.within: Final = within
        """The darkest and the brightest of a colour's parts."""

    def shaken(self, color: Rgb, by: float) -> Rgb:
        """A colour whose parts have this standard deviation."""
        parts = np.array(color) + self.rng.normal(0, by, 3)
        gray = parts.mean()
        red, green, blue = np.clip(gray + (parts - gray) * self.vivid, *self.within).tolist()
        return red, green, blue

    def stock(self, darkest: float, brightest: float) -> Rgb:
        """White card, a little warm or cold."""
        level, warm = float(self.rng.uniform(darkest, brightest)), float(self.rng.normal(0, 3))
        return level + min(warm, 4), level, level - warm


@dataclass
class Press:
    """A piece of card that is being printed. Positions are millimetres from its corner."""

    edition: Edition
    board: str
    width: Millimetres
    height: Millimetres
    scale: float  # pixels per millimetre
    rng: np.random.Generator
    ground: Rgb
    # Where the drawing's own origin lies on the card: trim is never exact.
    origin: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    misprint: float = 1.0  # factor on the shifts of the layers
    offset: tuple[Millimetres, Millimetres] = (0.0, 0.0)
    picture: npt.NDArray[np.uint8] = field(init=False)  # BGR
    unit: Millimetres = field(init=False)
    # Field or blank → its centre.
    places: dict[str, tuple[Millimetres, Millimetres]] = field(init=False)
    # Field or blank → width and height.
    sizes: dict[str, tuple[Millimetres, Millimetres]] = field(init=False)
    start: tuple[Millimetres, Millimetres] = (0.0, 0.0)  # where `at` counts from

    def __post_init__(self) -> None:
        self.unit = self.edition.unit
        boxes = {name: it.box for name, it in self.edition.paper(self.board).places.items()}
        self.places = {name: box.center for name, box in boxes.items()}
        self.sizes = {name: (box.width, box.height) for name, box in boxes.items()}
        size = (round(self.height * self.scale), round(self.width * self.scale), 3)
        self.picture = np.empty(size, np.uint8)
        self.picture[:] = _bgr(self.ground)
        self.offset = self.origin

    def at(self, across: float, down: float) -> tuple[Millimetres, Millimetres]:
        """The place so many units to the right of the start and below it."""
        return self.start[0] + across * self.unit, self.start[1] + down * self.unit

    def cover(self, color: Rgb) -> None:
        """Prints the card all over."""
        self.box(self.width / 2, self.height / 2, self.width * 2, self.height * 2, color)

    def layer(self) -> None:
        """Starts another layer of ink."""
        shift = np.clip(self.rng.normal(0, APART * self.misprint, 2), -FARTHEST, FARTHEST)
        self.offset = (self.origin[0] + float(shift[0]), self.origin[1] + float(shift[1]))

    def _at(self, points: Points) -> npt.NDArray[np.int32]:
        at = (np.asarray(points, float) + self.offset) * self.scale - 0.5
        return np.asarray(np.round(at * (1 << BITS)), np.int32)

    def polygon(self, points: Points, color: Rgb) -> None:
        """Fills a polygon."""
        cv2.fillPoly(self.picture, [self._at(points)], _bgr(color), cv2.LINE_AA, BITS)

    def line(self, points: Points, color: Rgb, wide: Millimetres, closed: bool = False) -> None:
        """Draws a line along points."""
        thick = wide * self.scale
        if thick < 2.5:
            # OpenCV's thin lines have whole pixels of width; a fainter colour is a thinner line.
            share = min(thick / max(round(thick), 1), 1.0)
            x, y = np.asarray(points, float).mean(0)
            color = mixed(self.color_at(float(x), float(y)), color, share)
        cv2.polylines(
            self.picture,
            [self._at(points)],
            closed,
            _bgr(color),
            max(round(thick), 1),
            cv2.LINE_AA,
            BITS,
        )

    def color_at(self, x: Millimetres, y: Millimetres) -> Rgb:
        """The colour printed at a place."""
        column, row = (self._at([(x, y)])[0] >> BITS).tolist()
        row = int(np.clip(row, 0, self.picture.shape[0] - 1))
        column = int(np.clip(column, 0, self.picture.shape[1] - 1))
        blue, green, red = (float(part) for part in self.picture[row, column])
        return red, green, blue

    def box(
        self,
        x: Millimetres,
        y: Millimetres,
        width: Millimetres,
        height: Millimetres,
        color: Rgb,
        radius: Millimetres = 0.0,
        line: Millimetres = 0.0,
    ) -> None:
        """A rectangle around its centre; its outline alone where `line` is given."""
        points = rounded(x, y, width, height, radius)
        if line:
            self.line(points, color, line, closed=True)
        else:
            self.polygon(points, color)

    def disc(self, x: Millimetres, y: Millimetres, diameter: Millimetres, color: Rgb) -> None:
        """A filled circle."""
        self.polygon(circle(x, y, diameter), color)

    def ring(
        self,
        x: Millimetres,
        y: Millimetres,
        diameter: Millimetres,
        color: Rgb,
        line: Millimetres,
    ) -> None:
        """A circle's outline; `diameter` is measured in its middle."""
        self.line(circle(x, y, diameter), color, line, closed=True)

    def text(
        self,
        text: str,
        x: Millimetres,
        y: Millimetres,
        height: Millimetres,
        color: Rgb,
        lettering: Lettering,
        align: Literal["left", "middle", "right"] = "middle",
        widest: Millimetres = 1e9,
    ) -> Millimetres:
        """A text whose ink is centred at x, y, or starts or ends at x; returns its width."""
        turn = float(self.rng.normal(0, lettering.lively)) if lettering.lively else 0.0
        mask = lettering.mask(text, height * self.scale, turn)
        if (mask.shape[1] - 8) / self.scale > widest:
            height *= widest * self.scale / (mask.shape[1] - 8)
            mask = lettering.mask(text, height * self.scale, turn)
        wide = (mask.shape[1] - 8) / self.scale
        x += {"left": wide / 2, "middle": 0.0, "right": -wide / 2}[align]
        self.stamp(mask, x, y, color)
        return float(wide)

    def stamp(self, mask: Mask, x: Millimetres, y: Millimetres, color: Rgb) -> None:
        """Prints a coverage mask centred at x, y."""
        left = (x + self.offset[0]) * self.scale - mask.shape[1] / 2
        top = (y + self.offset[1]) * self.scale - mask.shape[0] / 2
        column, row = int(np.floor(left)), int(np.floor(top))
        shift = np.array([[1, 0, left - column], [0, 1, top - row]])
        size = (mask.shape[1] + 1, mask.shape[0] + 1)
        mask = np.asarray(cv2.warpAffine(mask, shift, size), np.float32)
        rows, columns = self.picture.shape[:2]
        up, out = max(-row, 0), max(-column, 0)
        mask = mask[up : max(rows - row, 0), out : max(columns - column, 0)]
        if not mask.size:
            return
        row, column = max(row, 0), max(column, 0)
        under = self.picture[row : row + mask.shape[0], column : column + mask.shape[1]]
        ink = np.array(_bgr(color), np.float32)
        under[:] = np.round(under + (ink - under) * mask[..., None]).astype(np.uint8)

    def dots(
        self, a: tuple[float, float], b: tuple[float, float], color: Rgb, every: Millimetres
    ) -> None:
        """A dotted line."""
        count = max(int(np.hypot(b[0] - a[0], b[1] - a[1]) / every), 1)
        for share in np.linspace(0, 1, count):
            x, y = a[0] + (b[0] - a[0]) * share, a[1] + (b[1] - a[1]) * share
            self.disc(float(x), float(y), every * 0.45, color)


def rounded(
    x: Millimetres, y: Millimetres, width: Millimetres, height: Millimetres, radius: Millimetres
) -> npt.NDArray[np.float64]:
    """The outline of a rectangle with round corners around its centre."""
    radius = min(radius, width / 2, height / 2)
    a, b = width / 2 - radius, height / 2 - radius
    angle = np.linspace(0, np.pi / 2, 7 if radius else 1)
    quarters = []
    for number, (right, down) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        turned = angle + number * np.pi / 2
        quarters.append(
            np.stack(
                [x + right * a + radius * np.cos(turned), y + down * b + radius * np.sin(turned)], 1
            )
        )
    return np.concatenate(quarters)


def circle(x: Millimetres, y: Millimetres, diameter: Millimetres) -> npt.NDArray[np.float64]:
    """A circle's outline."""
    angle = np.linspace(0, 2 * np.pi, 48, endpoint=False)
    return np.stack([x + diameter / 2 * np.cos(angle), y + diameter / 2 * np.sin(angle)], 1)


def star(
    x: Millimetres, y: Millimetres, radius: Millimetres, inner: float = 0.45, points: int = 5
) -> npt.NDArray[np.float64]:
    """A star's outline; `inner` is the share of the radius at which it is notched."""
    angle = np.arange(2 * points) * np.pi / points - np.pi / 2
    far = np.where(np.arange(2 * points) % 2, inner, 1.0) * radius
    return np.stack([x + far * np.cos(angle), y + far * np.sin(angle)], 1)


def pentagon(x: Millimetres, y: Millimetres, height: Millimetres) -> npt.NDArray[np.float64]:
    """A regular pentagon's outline, with a corner at the top."""
    radius = height / (1 + np.cos(np.pi / 5))
    middle = height / 2 - radius
    angle = np.arange(5) * 2 * np.pi / 5 - np.pi / 2
    return np.stack([x + radius * np.cos(angle), y + radius * np.sin(angle) - middle], 1)


def _bgr(color: Rgb) -> tuple[float, float, float]:
    red, green, blue = (float(np.clip(part, 0, 255)) for part in color)
    return blue, green, red
