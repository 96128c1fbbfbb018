"""The lines of a table and where they cross, from segments in perspective on paper that is bent.

Two vanishing points make the table upright; a smooth displacement makes its lines straight; then
all segments of a line have one coordinate, and gaps in it do not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from companion.vision.grids.ruling import Segments
from companion.vision.mapping.plane import Matrix, inverse, mapped

Floats = npt.NDArray[np.float64]

TRIALS: Final = 300  # Pairs of segments from which a vanishing point is tried
# The largest sine of a segment's angle with its family's direction: a bent page's ends
ALONG: Final = 0.045
STEP: Final = 6.0  # Pixels between points of a segment
# What coefficients of the bend cost: they stay small where too few segments say what they are
BEND: Final = 1e-3
OFF: Final = 3.0  # Pixels by which a segment may lie beside its line; the two edges of a line do
THICK: Final = 16.0  # The most pixels between both edges of a thick line
ONE_EDGE: Final = 0.7  # The share of a line's length from which it is one edge of a thick one
LEAST_SHARE: Final = 0.12  # The least length of a line, as a share of the longest one's
# The least share of the lines of the other family that cross a line of a table
CROSSED: Final = 0.6
NEAR: Final = 0.4  # How far from a crossing its lines may end, in widths of a usual cell
# The largest distance of the two parts of a double line, in widths of a usual cell
DOUBLE: Final = 0.17
# The share of a cell by which lines go on beyond the last one of a table without a frame
BEYOND: Final = 0.6
SLIM: Final = 4.0  # The most by which cells are wider than high, or higher than wide
LOOSE: Final = 4.0  # The largest mean area of a table's cells, in usual ones
STEPS: Final = 12  # The most steps, of at most one cell each, towards a place
# The most crossings of a table, with double lines counted once; squared paper has more
MOST_CROSSINGS: Final = 400


@dataclass(frozen=True, eq=False)
class Lattice:
    """A table's lines: `corners[i, j]` is where the i-th from the top crosses the j-th."""

    corners: Floats  # (rows + 1, columns + 1, 2), in pixels
    down: Floats  # (rows + 1,): the lines' places in the upright picture, about in pixels
    across: Floats

    @property
    def is_slim(self) -> bool:
        """Whether its cells are far wider than high, or far higher than wide."""
        shape = float(np.median(np.diff(self.across)) / np.median(np.diff(self.down)))
        return not 1 / SLIM < shape < SLIM

    @property
    def is_loose(self) -> bool:
        """Whether some of its lines are far from the others."""
        sizes = [np.diff(at) for at in (self.across, self.down)]
        return bool(np.prod([np.mean(size) / np.median(size) for size in sizes]) > LOOSE)

    @property
    def outline(self) -> Floats:
        """(4, 2): its corners from the top left clockwise."""
        at = self.corners
        return np.array([at[0, 0], at[0, -1], at[-1, -1], at[-1, 0]])

    def moved(self, to: Matrix) -> Lattice:
        """The same in another picture, to whose pixels its own are mapped."""
        return replace(self, corners=mapped(to, self.corners))

    def turned(self, quarters: int) -> Lattice:
        """The same table with the photo turned by some quarters, counterclockwise."""
        down, across = self.down, self.across
        for _ in range(quarters % 4):
            down, across = -across[::-1], down
        return Lattice(np.rot90(self.corners, quarters), down, across)

    def places(self, at: Floats) -> npt.NDArray[np.intp]:
        """(n, 2): the row and the column of each place, also beyond the lattice."""
        return np.floor(self.measured(at)).astype(np.intp)

    def measured(self, at: Floats) -> Floats:
        """(n, 2): the row and the column of each place, with its position inside the cell, 0 to 1.

        Heads are wider than other columns and paper is bent, so each cell has a mapping of its own;
        those of the outermost cells continue beyond the lattice.
        """
        corners = self.corners
        size = np.array(corners.shape[:2]) - 1
        away = np.linalg.norm(at[:, None] - corners.reshape(1, -1, 2), axis=2)
        found = np.stack(np.divmod(away.argmin(axis=1), size[1] + 1), axis=1).astype(np.float64)
        for _ in range(STEPS):
            cell = np.floor(found).astype(np.intp).clip(0, size - 1)
            row, column = cell.T
            down, across = (found - cell).T[..., np.newaxis]
            start, below = corners[row, column], corners[row + 1, column]
            beside, end = corners[row, column + 1], corners[row + 1, column + 1]
            skew = end - below - beside + start
            ways = np.stack([below - start + across * skew, beside - start + down * skew], axis=2)
            off = at - start - down * (below - start) - across * (beside - start)
            off -= down * across * skew
            found += (np.linalg.pinv(ways) @ off[..., np.newaxis])[..., 0].clip(-1, 1)
        return found


def find_lattice(table: Segments, everything: Segments) -> Lattice | None:
    """The lines of a table, or None if these are not enough.

    Args:
        table: segments that cross each other.
        everything: all segments of the photo; the table may have further parts.
    """
    rng = np.random.default_rng(53)
    first = _vanishing(table, rng)
    if first is None:
        return None
    others = table[~_is_along(table, first, 5 * ALONG)]
    second = _vanishing(others, rng)
    if second is None:
        return None
    middle = np.append(table.reshape(-1, 2).mean(axis=0), 1.0)
    level, upright = sorted((first, second), key=lambda point: _steepness(point, middle))
    to_plane = _rectifying(level, upright, middle)
    depth = np.column_stack([everything.reshape(-1, 2), np.ones(2 * len(everything))]) @ to_plane[2]
    is_ahead = (depth.reshape(-1, 2) * np.sign(middle @ to_plane[2]) > 0.2).all(axis=1)
    families = []
    for point, axis in ((level, 0), (upright, 1)):
        of_it = everything[_is_along(everything, point, ALONG) & is_ahead]
        if len(of_it) < 2:
            return None
        ends = mapped(to_plane, of_it.reshape(-1, 2, 2))
        ends = ends if axis == 0 else ends[..., ::-1]
        families.append(_family(ends, middle[:2], is_level=axis == 0))
    rows, columns = families
    kept = _pruned(rows.lines, columns.lines)
    if kept is None:
        return None
    return _lattice(replace(rows, lines=kept[0]), replace(columns, lines=kept[1]), to_plane)


def _vanishing(segments: Segments, rng: np.random.Generator) -> Floats | None:
    """The point, (3,), to which most of the segments' length leads."""
    if len(segments) < 4:
        return None
    lengths = np.hypot(*(segments[:, 2:] - segments[:, :2]).T)
    lines = _lines(segments)
    best: tuple[float, Floats] | None = None
    pairs = rng.choice(len(segments), (TRIALS, 2), p=lengths / lengths.sum())
    for one, other in pairs:
        point = np.cross(lines[one], lines[other])
        if not np.abs(point).max() > 1e-9:
            continue
        is_along = _is_along(segments, point, ALONG)
        score = float(lengths[is_along].sum())
        if best is None or score > best[0]:
            best = score, point
    if best is None:
        return None
    chosen = _is_along(segments, best[1], ALONG)
    # The point nearest to all lines: the least singular vector, in units that suit both parts.
    scale = np.diag([1e-3, 1e-3, 1.0])
    of_lines = lines[chosen] @ np.linalg.inv(scale)
    of_lines *= (lengths[chosen] / np.hypot(*of_lines[:, :2].T))[:, np.newaxis]
    fitted = np.linalg.inv(scale) @ np.linalg.svd(of_lines, full_matrices=False)[2][-1]
    better = lengths[_is_along(segments, fitted, ALONG)].sum() >= 0.98 * best[0]
    return np.asarray(fitted if better else best[1])


def _lines(segments: Segments) -> Floats:
    one = np.ones(len(segments))
    start, end = (np.column_stack([part, one]) for part in (segments[:, :2], segments[:, 2:]))
    return np.asarray(np.cross(start, end))


def _is_along(segments: Segments, point: Floats, most: float) -> npt.NDArray[np.bool_]:
    """Whether segments lead to a point; `most` is the sine of their angle with its direction."""
    middle = (segments[:, :2] + segments[:, 2:]) / 2
    way = segments[:, 2:] - segments[:, :2]
    to = point[:2] - middle * point[2]
    sine = way[:, 0] * to[:, 1] - way[:, 1] * to[:, 0]
    return np.asarray(np.abs(sine) <= most * np.hypot(*way.T) * np.hypot(*to.T))


def _steepness(point: Floats, at: Floats) -> float:
    x, y = point[:2] - at[:2] * point[2]
    return float(np.arctan2(abs(y), abs(x)))


def _rectifying(level: Floats, upright: Floats, middle: Floats) -> Matrix:
    """The homography after which lines to `level` are level, and the others upright.

    It keeps places and sizes around `middle`.
    """
    horizon = np.cross(level, upright)
    horizon = horizon / (horizon @ middle)
    to_right, to_bottom = np.cross(middle, upright), np.cross(middle, level)
    rows = []
    for line, axis in ((to_right, 0), (to_bottom, 1)):
        size = np.hypot(*line[:2])
        rows.append(line / size * np.sign(line[axis]) + middle[axis] * horizon)
    return np.array([*rows, horizon])


@dataclass(frozen=True, eq=False)
class _Line:
    """A line as if it were level: `u` along it and `v` across."""

    place: float  # v, without the page's bend
    ends: Floats  # (n, 2, 2): u and v of both ends of its segments, those of the left one first
    first: float = 0.5  # The share of its length that is a stroke's first edge across

    def reaches(self, u: Floats, near: float) -> npt.NDArray[np.bool_]:
        """Whether there is a segment at each place along it, or not far from it."""
        starts, stops = self.ends[:, 0, 0] - near, self.ends[:, 1, 0] + near
        return np.asarray(((starts[:, None] <= u) & (u <= stops[:, None])).any(axis=0))

    @property
    def length(self) -> float:
        """The length of all its segments."""
        return float((self.ends[:, 1, 0] - self.ends[:, 0, 0]).sum())

    def span(self, near: float) -> tuple[float, float]:
        """Where the longest part without wider gaps begins and ends along it."""
        starts, stops = self.ends[np.argsort(self.ends[:, 0, 0]), :, 0].T
        stops = np.maximum.accumulate(stops)
        breaks = np.flatnonzero(starts[1:] > stops[:-1] + near)
        parts = np.stack(
            [np.append(starts[0], starts[breaks + 1]), np.append(stops[breaks], stops[-1])]
        )
        longest = int(np.argmax(parts[1] - parts[0]))
        return float(parts[0, longest]), float(parts[1, longest])

    def with_other(self, other: _Line) -> _Line:
        """Both as one line, in the middle between them."""
        return _Line((self.place + other.place) / 2, np.concatenate([self.ends, other.ends]))


@dataclass(frozen=True, eq=False)
class _Family:
    """The lines of one direction, and how the page bends them."""

    lines: list[_Line]  # By their places
    bend: Floats  # the coefficients of `_terms`
    middle: Floats  # (2,): the u and v from which the terms count

    def displacement(self, u: Floats, v: Floats) -> Floats:
        """How far across a line is displaced at some places."""
        return np.asarray(_terms(u - self.middle[0], v - self.middle[1]) @ self.bend)


UNIT: Final = 1000.0  # Pixels in which the terms of a bend are counted, so that all are of one size


def _terms(u: Floats, v: Floats) -> Floats:
    """(..., terms): what the displacement of lines is a sum of."""
    x, y = u / UNIT, v / UNIT
    return UNIT * np.stack([x, x * x, x * y, x * x * y, x**3, x * y * y], axis=-1)


def _family(ends: Floats, middle: Floats, *, is_level: bool) -> _Family:
    """The lines of segments, (n, 2, 2), and their bend: first from slopes, then from places."""
    swaps = ends[:, 0, 0] > ends[:, 1, 0]
    # A segment has its stroke on its left; of upright lines, x and y have changed places.
    is_first = swaps == is_level
    ends = np.where(swaps[:, np.newaxis, np.newaxis], ends[:, ::-1], ends)
    terms = _terms(*np.moveaxis(ends - middle, 2, 0))
    rises = ends[:, 1, 1] - ends[:, 0, 1]
    bend = _solved(terms[:, 1] - terms[:, 0], rises)
    made = _Family([], bend, middle)
    for _ in range(2):
        flat = ends[..., 1] - made.displacement(ends[..., 0], ends[..., 1])
        groups = _groups(flat.mean(axis=1))
        parts = [
            (terms[group].reshape(-1, terms.shape[-1]), ends[group, :, 1].ravel())
            for group in groups
        ]
        bend = _solved(
            np.concatenate([one - one.mean(axis=0) for one, _ in parts]),
            np.concatenate([other - other.mean() for _, other in parts]),
        )
        made = _Family([], bend, middle)
    flat = ends[..., 1] - made.displacement(ends[..., 0], ends[..., 1])
    lines = []
    for group in _groups(flat.mean(axis=1)):
        lengths = np.ptp(ends[group, :, 0], axis=1)
        place = float(np.average(flat[group].mean(axis=1), weights=lengths))
        first = float(np.average(is_first[group], weights=lengths))
        lines.append(_Line(place, ends[group], first))
    longest = max((line.length for line in lines), default=0.0)
    lines = [line for line in lines if line.length > LEAST_SHARE * longest]
    return replace(made, lines=_strokes(lines))


def _strokes(lines: Sequence[_Line]) -> list[_Line]:
    """The lines; both edges of a thick one are one."""
    strokes: list[_Line] = []
    for line in lines:
        before = strokes[-1] if strokes else None
        are_edges = before and before.first >= ONE_EDGE and line.first <= 1 - ONE_EDGE
        if before and are_edges and line.place - before.place <= THICK:
            strokes[-1] = before.with_other(line)
        else:
            strokes.append(line)
    return strokes


def _solved(terms: Floats, wanted: Floats) -> Floats:
    """The coefficients by which terms, (n, k), sum up to what is wanted, (n,)."""
    form = terms.T @ terms / UNIT + BEND * len(terms) * np.eye(terms.shape[1])
    return np.asarray(np.linalg.solve(form, terms.T @ wanted / UNIT))


def _groups(places: Floats) -> list[npt.NDArray[np.intp]]:
    """The indices of places that lie close to each other, from the least on."""
    order = np.argsort(places)
    if not len(order):
        return []
    return np.split(order, np.flatnonzero(np.diff(places[order]) > OFF) + 1)


def _places(lines: Sequence[_Line]) -> Floats:
    return np.array([line.place for line in lines])


def _usual(lines: Sequence[_Line]) -> float:
    """The usual distance of neighbours; those of double lines do not count."""
    gaps = np.diff(_places(lines))
    gaps = gaps[gaps > 3 * OFF]
    return float(np.median(gaps)) if len(gaps) else 0.0


def _pruned(
    rows: Sequence[_Line], columns: Sequence[_Line]
) -> tuple[list[_Line], list[_Line]] | None:
    """The lines that cross most others; None if these are not a table."""
    lines = [*rows], [*columns]
    while all(len(family) >= 2 for family in lines):
        near = [NEAR * _usual(family) for family in lines]
        crossed = np.stack([line.reaches(_places(lines[1]), near[1]) for line in lines[0]])
        crossed &= np.stack([line.reaches(_places(lines[0]), near[0]) for line in lines[1]], axis=1)
        shares = crossed.mean(axis=1), crossed.mean(axis=0)
        worst = min((0, 1), key=lambda family: shares[family].min())
        if shares[worst].min() >= CROSSED:
            crossings = np.prod([len(_joined(family)) for family in lines])
            return lines if crossings <= MOST_CROSSINGS else None
        del lines[worst][int(shares[worst].argmin())]
    return None


def _joined(lines: Sequence[_Line]) -> list[_Line]:
    """The lines; double ones are one."""
    most = DOUBLE * _usual(lines)
    joined = [lines[0]]
    for line in lines[1:]:
        if line.place - joined[-1].place < most:
            joined[-1] = joined[-1].with_other(line)
        else:
            joined.append(line)
    return joined


def _framed(lines: Sequence[_Line], across: Sequence[_Line]) -> list[_Line]:
    """The lines, and those of a frame that was not drawn: where the others end."""
    beyond = BEYOND * _usual(lines)
    spans = np.array([line.span(beyond) for line in across])
    # The frame is where most of the others end, not the paper whose sides are some of them.
    middle = (len(spans) - 1) // 2
    low, high = -np.sort(-spans[:, 0])[middle], np.sort(spans[:, 1])[middle]
    framed = [*lines]
    whole = np.array([[(-np.inf, low), (np.inf, low)]])
    if lines[0].place - low > beyond:
        framed.insert(0, _Line(float(low), whole))
    if high - lines[-1].place > beyond:
        framed.append(_Line(float(high), whole))
    return framed


def _lattice(rows: _Family, columns: _Family, to_plane: Matrix) -> Lattice:
    """The crossings of the lines, each moved to where its segments are nearby."""
    level = _framed(_joined(rows.lines), columns.lines)
    upright = _framed(_joined(columns.lines), rows.lines)
    down, across = _places(level), _places(upright)
    u, v = np.meshgrid(across, down)
    for _ in range(4):
        v_next = down[:, np.newaxis] + rows.displacement(u, v)
        u = across + columns.displacement(v, u)
        v = v_next
    moved_v = np.stack([_residual(rows, line, across) for line in level])
    moved_u = np.stack([_residual(columns, line, down) for line in upright], axis=1)
    corners = mapped(inverse(to_plane), np.stack([u + moved_u, v + moved_v], axis=-1))
    return Lattice(corners, down, across)


def _residual(family: _Family, line: _Line, at: Floats) -> Floats:
    """How far a line's segments lie beside its place, near each of some places along it."""
    if not np.isfinite(line.ends).all():
        return np.zeros(len(at))
    u, v = np.moveaxis(line.ends, 2, 0)
    off = (v - family.displacement(u, v) - line.place).mean(axis=1)
    width = max(float(np.median(np.diff(at))), 1.0)
    # A segment counts at the nearest of its points.
    away = np.maximum(np.maximum(u[:, :1] - at, at - u[:, 1:]), 0.0) / width
    weights = np.ptp(u, axis=1)[:, np.newaxis] * np.exp(-(away**2)) + 1e-9
    return np.asarray((weights * off[:, np.newaxis]).sum(axis=0) / weights.sum(axis=0))
