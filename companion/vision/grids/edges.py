"""Where rows, columns and the lines between them lie, in perspective."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

FAN: Final = 0.24  # The largest difference between the slopes of the first and the last line
PLAIN: Final = 0.15  # How much more a fan of slopes must explain than parallel lines
LONG: Final = 16  # The steps of the shortest line that shows a slope: two heights of a digit
WEIGHT: Final = 0.04  # How much a step of a line counts, if a box counts 1
DRAWN: Final = 0.6  # The share of a table's height on which a line between columns is drawn
# How far the two edges of a line are apart, as a share of the reach in which it is sought
BESIDE: Final = 0.4
LINED: Final = 0.35  # The least share of a line's length on which it is drawn


@dataclass(frozen=True, eq=False)
class Slopes:
    """How lines of one direction slope: v = y + (slope + fan × (y − y0) / size) × (x − x0)."""

    slope: float
    fan: float
    middle: Floats  # x0 and y0
    size: float

    def v(self, x: Floats, y: Floats) -> Floats:
        """How far across the lines a place is."""
        slope = self.slope + self.fan * (y - self.middle[1]) / self.size
        return np.asarray(y + slope * (x - self.middle[0]))


def slopes_of(
    at: Floats, reach: Floats, lines: Floats, step: float, low: float, high: float
) -> Slopes:
    """The slopes by which boxes and lines cover fewest places across.

    Args:
        at: (n, 2), centres of boxes, along the lines and across.
        reach: (n,): how far each box reaches across.
        lines: (m, 2, 2): both ends of lines that may be drawn, along and across.
        step: pixels across the lines at which is counted.
        low, high: the range of slopes.
    """
    middle = np.median(at, axis=0)
    size = max(float(np.ptp(at[:, 1])), 1.0)
    way = np.abs(np.diff(lines, axis=1)[:, 0])
    steepest = max(abs(low), abs(high)) + FAN / 2
    kept = (way[:, 0] > LONG * step) & (way[:, 1] < steepest * way[:, 0])
    weights = np.concatenate([np.ones(len(at)), WEIGHT * way[kept, 0] / step])
    seen = _Seen(at - middle, reach, lines[kept] - middle, weights, step, size)
    _, slope, fan = seen.best(np.arange(low, high + 1e-9, 0.02), np.arange(-FAN, FAN + 1e-9, 0.08))
    for fine in (0.01, 0.005, 0.0025):
        steps = np.array([-fine, 0, fine])
        _, slope, fan = seen.best(slope + steps, fan + 4 * steps)
    return Slopes(slope, fan, middle, size)


@dataclass(frozen=True, eq=False)
class _Seen:
    """Boxes and lines as for `slopes_of`, from their middle, of which some slope is sought."""

    at: Floats
    reach: Floats
    lines: Floats
    weights: Floats  # (n + m,): how much each counts
    step: float
    size: float

    def best(self, slopes: Floats, fans: Floats) -> tuple[float, float, float]:
        """The least of `covers`, with the slope and the fan that have it."""
        return min(
            (score, slope, fan)
            for fan in fans.tolist()
            for score, slope in zip(self.covers(slopes, fan), slopes.tolist(), strict=True)
        )

    def covers(self, slopes: Floats, fan: float) -> list[float]:
        """How many places across are covered for each of some slopes, all at once."""
        boxes, *ends = (
            y + (slopes[:, None] + fan * y / self.size) * x
            for x, y in (self.at.T, self.lines[:, 0].T, self.lines[:, 1].T)
        )
        lowest = np.hstack([boxes - self.reach, np.minimum(*ends)])
        highest = np.hstack([boxes + self.reach, np.maximum(*ends)])
        starts, stops = (np.round(ends / self.step).astype(int) for ends in (lowest, highest))
        stops = np.maximum(stops, starts + 1)
        least = starts.min(axis=1)
        after = np.cumsum(stops.max(axis=1) - least + 1)
        # The places of the slopes follow each other.
        off = (np.append(0, after[:-1]) - least)[:, None]
        changes = np.bincount(
            np.concatenate([starts + off, stops + off]).ravel(),
            np.concatenate(
                [np.tile(self.weights, len(slopes)), np.tile(-self.weights, len(slopes))]
            ),
        )
        # Of equally good slopes, the plainest
        return [
            float(np.sqrt(np.cumsum(part).clip(0)).sum()) * (1 + PLAIN * abs(fan))
            for part in np.split(changes, after[:-1])
        ]


@dataclass(frozen=True, eq=False)
class Lines:
    """Segments of one direction: how far along the table they reach, and where they lie across."""

    places: Floats  # (n, 2): across, at both ends
    spans: Floats  # (n, 2): along, the first end before the second

    @classmethod
    def of(cls, places: Floats, spans: Floats, tall: float) -> Lines:
        lengths = np.abs(np.diff(spans, axis=1))[:, 0]
        kept = (np.abs(np.diff(places, axis=1))[:, 0] < 0.12 * lengths) & (lengths > 0.5 * tall)
        places, spans = places[kept], spans[kept]
        swapped = spans[:, :1] > spans[:, 1:]
        return cls(
            np.where(swapped, places[:, ::-1], places), np.where(swapped, spans[:, ::-1], spans)
        )

    @cached_property
    def middles(self) -> Floats:
        """(n,): where they lie across, in the middle of both ends."""
        return np.asarray(self.places.mean(axis=1))

    def _near(self, at: float, most: float) -> npt.NDArray[np.intp]:
        return np.flatnonzero(np.abs(self.middles - at) < most)

    def share(self, at: float, most: float, span: tuple[float, float]) -> float:
        """The share of a span on which there is a line near a place across."""
        near = self.spans[self._near(at, most)]
        if not len(near):
            return 0.0
        grid = np.linspace(*span, 60)
        is_on = (near[:, :1] - 2 <= grid) & (grid <= near[:, 1:] + 2)
        return float(is_on.any(axis=0).mean())

    def snapped(self, edges: Floats, most: float, span: tuple[float, float]) -> Floats:
        """Edges, each moved onto the line that is drawn near it."""
        moved = edges.copy()
        for number, edge in enumerate(edges.tolist()):
            if self.share(edge, most, span) < LINED:
                continue
            near = self._near(edge, most)
            lengths = np.diff(self.spans[near], axis=1)[:, 0]
            places = self.middles[near]
            # Only one of several lines nearby is the right one; it has two edges.
            away = np.abs(places - edge)
            weights = lengths * np.exp(-(((away - away.min()) / (BESIDE * most)) ** 2))
            moved[number] = np.average(places, weights=weights)
        return np.sort(moved)

    def evenness(
        self, edges: Floats, most: float, span: tuple[float, float], *, are_rows: bool
    ) -> float:
        """The share of inner edges that are drawn, or of those that are not if these are more.

        Args:
            are_rows: whether the first and the last of them may be those of heads and sums.
        """
        inner = edges[2:-2] if are_rows else edges[1:-1]
        drawn = [self.share(edge, most, span) >= DRAWN for edge in inner.tolist()]
        return max(float(np.mean(drawn)), 1 - float(np.mean(drawn))) if drawn else 1.0

    def moved(self, edges: Floats, along: Floats) -> Floats:
        """(edges, along): how far beside each edge its line lies, near some places along it."""
        off = np.zeros((len(edges), len(along)))
        width = max(float(np.median(np.diff(along))), 1.0)
        most = 0.25 * float(np.median(np.diff(edges)))
        for number, edge in enumerate(edges.tolist()):
            near = self._near(edge, most)
            if not len(near) or self.share(edge, most, (along[0], along[-1])) < LINED:
                continue
            first, last = self.spans[near].T
            away = np.maximum(np.maximum(first[:, None] - along, along - last[:, None]), 0) / width
            weights = (last - first)[:, None] * np.exp(-(away**2)) + 1e-9
            place = self.middles[near] - edge
            off[number] = (weights * place[:, None]).sum(axis=0) / weights.sum(axis=0)
        return off
