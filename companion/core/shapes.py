"""The closed shapes that sheets are drawn from, as SVG paths and as points.

Lengths are millimetres. A shape knows no colour and no use; `core.sheet_style` knows both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, TypeAlias

from companion.core.sheet import Box, Millimetres

Point: TypeAlias = tuple[Millimetres, Millimetres]

ARC_POINTS: Final = 64  # Points on the round corners of a rectangle, all four together

# Half the width of a regular pentagon whose corners are 1 away from its centre
_WIDE: Final = math.cos(math.radians(18))
_LOW: Final = math.cos(math.radians(36))  # The distance from that pentagon's centre to its sides
_STAR_INNER: Final = 0.47  # Radius of a star's inner corners, as a share of the outer corners'


def number(value: float) -> str:
    """A length in a path, with three decimals at most."""
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def inset(box: Box, by: Millimetres) -> Box:
    """The box with each edge moved inwards; outwards where `by` is negative."""
    return Box(box.x + by, box.y + by, box.width - 2 * by, box.height - 2 * by)


@dataclass(frozen=True)
class Rounded:
    """A rectangle with round corners; a circle where the radius reaches half of a square's side."""

    box: Box
    radius: Millimetres

    @property
    def path(self) -> str:
        box = self.box
        across, down = number(box.width - 2 * self.corner), number(box.height - 2 * self.corner)
        r = number(self.corner)
        start = f"M{number(box.x + self.corner)} {number(box.y)}"
        arc = f"a{r} {r} 0 0 1"
        top_and_right = f"h{across}{arc} {r} {r}v{down}{arc}-{r} {r}"
        return f"{start}{top_and_right}h-{across}{arc}-{r}-{r}v-{down}{arc} {r}-{r}z"

    @property
    def points(self) -> tuple[Point, ...]:
        """A polygon with `ARC_POINTS` corners that looks the same."""
        x, y = self.box.center
        half_width = self.box.width / 2 - self.corner
        half_height = self.box.height / 2 - self.corner
        points = []
        for step in range(ARC_POINTS):
            turn = math.tau * (step + 0.5) / ARC_POINTS
            across, down = math.cos(turn), math.sin(turn)
            right = math.copysign(half_width, across) + across * self.corner
            below = math.copysign(half_height, down) + down * self.corner
            points.append((x + right, y + below))
        return tuple(points)

    def grown(self, by: Millimetres) -> Rounded:
        """The shape with its edge moved outwards by `by`, inwards if negative."""
        return Rounded(inset(self.box, -by), max(self.radius + by, 0.0))

    @property
    def corner(self) -> Millimetres:
        """The radius of the corners; at most half of the shorter side."""
        return min(self.radius, self.box.width / 2, self.box.height / 2)


@dataclass(frozen=True)
class Pentagon:
    """A pentagon, point up, that touches all four sides of its box."""

    box: Box

    @property
    def path(self) -> str:
        return _polygon(self.points)

    @property
    def points(self) -> tuple[Point, ...]:
        """The five corners, clockwise from the top."""
        box = self.box
        points = []
        for corner in range(5):
            turn = math.radians(72 * corner - 90)
            x = box.x + box.width * (math.cos(turn) / _WIDE + 1) / 2
            y = box.y + box.height * (math.sin(turn) + 1) / (1 + _LOW)
            points.append((x, y))
        return tuple(points)

    def grown(self, by: Millimetres) -> Pentagon:
        """The pentagon with its sides moved outwards by `by`, inwards if negative.

        The distance is exact for a regular pentagon, and right to a tenth of `by` for a pentagon
        that fills a square.
        """
        further = by / _LOW
        wider, higher = 2 * _WIDE * further, (1 + _LOW) * further
        box = self.box
        return Pentagon(
            Box(box.x - wider / 2, box.y - further, box.width + wider, box.height + higher)
        )


Outline: TypeAlias = Rounded | Pentagon


def star_path(x: Millimetres, y: Millimetres, radius: Millimetres) -> str:
    """SVG path of a five-pointed star about (x, y)."""
    points = []
    for corner in range(10):
        turn = math.radians(36 * corner - 90)
        reach = radius if corner % 2 == 0 else radius * _STAR_INNER
        points.append((x + reach * math.cos(turn), y + reach * math.sin(turn)))
    return _polygon(tuple(points))


def lock_path(x: Millimetres, y: Millimetres, radius: Millimetres) -> str:
    """SVG path of a closed padlock about (x, y), twice `radius` high."""
    # The hole in its shackle runs the other way round, so that no filling rule closes it
    top = number(y)
    width, height, leg = (number(part * radius) for part in (1.56, 1.0, 0.4))
    bow, span = number(0.6 * radius), number(1.2 * radius)
    hole, opening = number(0.3 * radius), number(0.6 * radius)
    body = f"M{number(x - 0.78 * radius)} {top}h{width}v{height}h-{width}z"
    outside = f"M{number(x - 0.6 * radius)} {top}v-{leg}a{bow} {bow} 0 0 1 {span} 0v{leg}z"
    inside = f"M{number(x + 0.3 * radius)} {top}v-{leg}a{hole} {hole} 0 0 0-{opening} 0v{leg}z"
    return body + outside + inside


def _polygon(points: tuple[Point, ...]) -> str:
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + "z"
