"""Numbers that stand in rows and columns, whether or not there are lines between them.

Ink the size of digits is found first. The rows and columns in which it stands give the perspective,
and lines that were drawn between them give the places of cells' edges.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.mapping.plane import mapped
from companion.vision.tables.lattice import Lattice
from companion.vision.tables.ruling import Segments

Floats = npt.NDArray[np.float64]

WIDEST: Final = 41  # Pixels across the thickest strokes, and more
FAINTEST: Final = 0.08  # The least ink of a stroke
# The share of the strongest ink nearby from which a pixel is writing: a paper's own lines are paler
SHARE: Final = 0.42
AROUND: Final = 91  # Pixels across the part of the photo that is nearby
# The share of the paper's brightness, of which the photo's brightest parts are some, from which a
# ground may be paper in a shadow
DIM, BRIGHT = 0.3, 98
SMALLEST: Final = 9  # Pixels of the sides of digits
HEIGHTS: Final = (
    13.0,
    19.0,
    28.0,
    41.0,
    60.0,
    86.0,
)  # Pixels of digits that are looked for in turn
MOST_DIGITS: Final = 500
# The least change of the paper's brightness in two pixels, of its logarithm, where it ends; light
# falls off slowly, and shadows are soft
STEP: Final = 0.06
FEWEST: Final = 8  # The fewest digits of a table
APART: Final = 3.0  # How far a table's digits are from each other, in heights of one
LONG: Final = 2.2  # From what size on connected ink has lines in it, in heights of a digit
STROKE: Final = 0.7  # How long the straight parts of such lines are
SAME_PEN: Final = 0.6  # The least darkness of a pen's strokes, of its usual ones
TURN: Final = 0.45  # The largest slope of rows
LEAN: Final = 0.3  # The most by which columns are not upright to rows
FAN: Final = 0.24  # The most by which the slopes of the first and the last differ
PLAIN: Final = 0.15  # How much more a fan of slopes has to explain
GUTTER: Final = 0.12  # The least space between columns, in heights of a digit
WORD: Final = 0.6  # The most space between digits of a number
SPILL: Final = 0.15  # The share of rows whose writing may reach into another column
CLOSE: Final = 0.65  # The least distance of rows, in usual ones
DRAWN: Final = 0.6  # The share of a table's height on which a line between columns is drawn
UPRIGHT: Final = 0.5  # From what difference on rows are surely told from columns
MOST_TOGETHER: Final = 2.2  # The most digits of a usual cell
BESIDE: Final = 0.4  # How far the edges of one line are apart, of the reach in which it is sought
LINED: Final = 0.35  # The share of its length on which a line is drawn
LOST: Final = 0.04  # The most digits that are outside of lines which are a table's
MIXED: Final = 0.12  # The most digits beside those of their cell's number
FILLED: Final = 0.6  # The share of cells with digits from which lines are no paper's
STRAY: Final = 0.3  # The least share of cells with digits in a table's first and last rows
FULL: Final = 0.8  # The least share of cells with digits of numbers that are surely in columns
GROUPS: Final = 3  # How many groups of digits of a height may be tables
TRIES: Final = 12  # How many of them are tried
MOST: Final = 40  # The most rows and columns of a table


@dataclass(frozen=True, eq=False)
class Digits:
    """Boxes of ink the size of digits: (n, 4), left, top, right and bottom in pixels."""

    boxes: Floats
    height: float  # of a usual one
    lines: npt.NDArray[np.uint8]  # 1 where there are lines
    nearby: Floats  # (n, 4): boxes of this pen on this paper, also of those farther away

    @property
    def centers(self) -> Floats:
        """(n, 2)."""
        return (self.boxes[:, :2] + self.boxes[:, 2:]) / 2


def writing(
    gray: npt.NDArray[np.uint8],
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.bool_]]:
    """(the ink of a photo without what is pale beside it, such as the lines of squared paper;
    where the paper ends).
    """
    half = cv2.resize(gray, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
    kernel = cv2.getStructuringElement(cv2.MORPH_RECT, (WIDEST // 2, WIDEST // 2))
    size = (gray.shape[1], gray.shape[0])
    closed = cv2.morphologyEx(half, cv2.MORPH_CLOSE, kernel)
    steps = np.log(cv2.blur(closed.astype(np.float32), (5, 5)) + 8)
    steep = np.hypot(
        cv2.Sobel(steps, -1, 1, 0, scale=1 / 8), cv2.Sobel(steps, -1, 0, 1, scale=1 / 8)
    )
    is_end = cv2.resize((steep > STEP).astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
    paper = cv2.resize(cv2.blur(closed, (9, 9)), size)
    # On a black table noise is as strong as ink.
    light = np.maximum(paper, DIM * float(np.percentile(paper, BRIGHT)))
    ink = np.clip((paper - gray.astype(np.float32)) / np.maximum(light, 1), 0, 1)
    small = cv2.resize(ink, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    near = cv2.getStructuringElement(cv2.MORPH_RECT, (AROUND // 4, AROUND // 4))
    most = cv2.resize(cv2.blur(cv2.dilate(small, near), (9, 9)), size)
    strong = ink * (ink > np.maximum(SHARE * most, FAINTEST))
    return np.asarray(strong, np.float32), is_end.astype(bool)


def find_digits(
    ink: npt.NDArray[np.float32], is_end: npt.NDArray[np.bool_], segments: Segments
) -> list[tuple[float, Digits]]:
    """(how much ink, the digits) of each thing that may be a table, that with most first.

    Args:
        ink, is_end: as `writing` returns them.
        segments: both edges of the lines that may be drawn between them.
    """
    mask = (ink > 0).astype(np.uint8)
    found: list[tuple[float, Digits]] = []
    parts = _Parts.of(mask, ink)
    for height in HEIGHTS:
        boxes, dark, lines = _digits(parts, ink, segments, height)
        if len(boxes) < FEWEST:
            continue
        for group in _clusters(boxes, APART * height, is_end)[:GROUPS]:
            # One pen wrote them all.
            same = group[dark[group] > SAME_PEN * np.percentile(dark[group], 75)]
            if len(same) >= FEWEST:
                # Dashes of a dotted line are as often level as upright.
                wide, high = (boxes[same, 2:] - boxes[same, :2]).T
                flat = min(float(np.mean(wide > 2 * high)), float(np.mean(high > 2 * wide)))
                score = float((dark[same] ** 2).sum()) * height * max(1 - 2.5 * flat, 0.05)
                pen = boxes[dark > SAME_PEN * np.percentile(dark[group], 75)]
                usual = _usual_height(boxes[same])
                found.append((score, Digits(boxes[same], usual, lines, pen)))
    return sorted(found, key=lambda each: -each[0])


@dataclass(frozen=True, eq=False)
class _Parts:
    """The connected parts of a mask."""

    labels: npt.NDArray[np.int32]
    boxes: Floats  # (n, 4); that of everything else is the first
    area: Floats
    dark: Floats  # Their mean ink

    @classmethod
    def of(cls, mask: npt.NDArray[np.uint8], ink: npt.NDArray[np.float32]) -> _Parts:
        _, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
        x, y, wide, high, area = stats.T.astype(np.float64)
        sums = np.bincount(labels.ravel(), weights=ink.ravel(), minlength=len(stats))
        boxes = np.stack([x, y, x + wide, y + high], axis=1)
        return cls(np.asarray(labels, np.int32), boxes, area, sums / np.maximum(area, 1))

    def like_digits(self, height: float, thinnest: float) -> npt.NDArray[np.bool_]:
        """Whether each may be a digit so high; `thinnest` is the least of its sides."""
        wide, high = (self.boxes[:, 2:] - self.boxes[:, :2]).T
        tall, thin = np.maximum(wide, high), np.minimum(wide, high)
        fits = (tall >= max(SMALLEST, 0.6 * height)) & (tall <= 1.7 * height)
        fits &= (thin <= 1.2 * height) & (thin >= thinnest)
        fits &= self.area >= 0.08 * wide * high
        fits[0] = False
        return np.asarray(fits)


def _digits(
    parts: _Parts, ink: npt.NDArray[np.float32], segments: Segments, height: float
) -> tuple[Floats, Floats, npt.NDArray[np.uint8]]:
    """(the boxes of what may be digits so high, how dark they are, 1 where there are lines)."""
    sides = (parts.boxes[:, 2:] - parts.boxes[:, :2]).max(axis=1)
    is_long = sides > LONG * height
    is_long[0] = False
    lines = is_long[parts.labels].astype(np.uint8)
    bare = _without_lines(lines, segments, height)
    # What is written over a line is a part of it until the line is taken away.
    over = _Parts.of(bare, ink)
    found = [(parts, parts.like_digits(height, 0)), (over, over.like_digits(height, 0.3 * height))]
    boxes = np.concatenate([each.boxes[fits] for each, fits in found])
    dark = np.concatenate([each.dark[fits] for each, fits in found])
    # Where there are many more, it is a cloth or the grain of wood.
    darkest = np.argsort(-dark, kind="stable")[:MOST_DIGITS]
    return boxes[darkest], dark[darkest], lines & ~bare & 1


def _usual_height(boxes: Floats) -> float:
    return float(np.median((boxes[:, 2:] - boxes[:, :2]).max(axis=1)))


def _without_lines(
    mask: npt.NDArray[np.uint8], segments: Segments, height: float
) -> npt.NDArray[np.uint8]:
    """A mask of lines and what touches them, without the lines."""
    lengths = np.hypot(*(segments[:, 2:] - segments[:, :2]).T)
    bare = mask.copy()
    deep = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
    long = segments[lengths > STROKE * height]
    at = np.linspace(0, 1, 24)[:, np.newaxis]
    xs, ys = (
        np.clip(np.round(a + (b - a) * at).astype(int), 2, size - 3)
        for a, b, size in zip(long.T[:2], long.T[2:], mask.shape[::-1], strict=True)
    )
    near = np.max([deep[ys + dy, xs + dx] for dy in (-2, 0, 2) for dx in (-2, 0, 2)], axis=0)
    thick = np.clip(4 * np.median(near, axis=0) + 2, 3, 22).astype(int)
    for (x, y, right, bottom), width in zip(long.tolist(), thick.tolist(), strict=True):
        cv2.line(bare, (round(x), round(y)), (round(right), round(bottom)), 0, width)
    return bare


def _clusters(
    boxes: Floats, apart: float, is_end: npt.NDArray[np.bool_]
) -> list[npt.NDArray[np.intp]]:
    """The indices of boxes that are near each other on one paper, the largest group first."""
    low, high = boxes[:, None, :2], boxes[:, None, 2:]
    gaps = np.maximum(low - boxes[None, :, 2:], boxes[None, :, :2] - high).max(axis=2)
    linked = gaps < apart
    of, to = np.nonzero(linked)
    centers = (boxes[:, :2] + boxes[:, 2:]) / 2
    for part in np.linspace(0, 1, 16):
        x, y = (centers[of] * (1 - part) + centers[to] * part).astype(int).T
        linked[of, to] &= ~is_end[y, x]
    np.fill_diagonal(linked, True)
    labels = np.arange(len(boxes))
    while True:
        before = labels
        labels = np.where(linked, labels[None], len(boxes)).min(axis=1)
        labels = labels[labels]
        if (labels == before).all():
            break
    groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    return sorted(groups, key=len, reverse=True)


@dataclass(frozen=True, eq=False)
class _Slopes:
    """How lines of one direction slope: v = y + (slope + fan × (y − y0) / size) × (x − x0)."""

    slope: float
    fan: float
    middle: Floats  # x0 and y0
    size: float

    def v(self, x: Floats, y: Floats) -> Floats:
        """How far across the lines a place is."""
        slope = self.slope + self.fan * (y - self.middle[1]) / self.size
        return np.asarray(y + slope * (x - self.middle[0]))


def _slopes(
    at: Floats, reach: Floats, step: float, low: float, high: float
) -> tuple[_Slopes, float]:
    """(the slopes by which boxes cover fewest places across lines, the share of those).

    Args:
        at: (n, 2), centres of boxes, along the lines and across.
        reach: (n,): how far each box reaches across.
        step: pixels across the lines at which is counted.
        low, high: the range of slopes.
    """
    middle = np.median(at, axis=0)
    size = max(float(np.ptp(at[:, 1])), 1.0)
    x, y = (at - middle).T

    def cover(slope: float, fan: float) -> float:
        v = y + (slope + fan * y / size) * x
        starts = np.round((v - reach) / step).astype(int)
        stops = np.maximum(np.round((v + reach) / step).astype(int), starts + 1)
        least = starts.min()
        counts = np.zeros(stops.max() - least + 1)
        np.add.at(counts, starts - least, 1)
        np.add.at(counts, stops - least, -1)
        # Of slopes that are as good the plainest
        return float(np.sqrt(np.cumsum(counts).clip(0)).sum()) * (1 + PLAIN * abs(fan))

    slopes = np.arange(low, high + 1e-9, 0.02)
    fans = np.arange(-FAN, FAN + 1e-9, 0.08)
    _, slope, fan = min((cover(s, f), s, f) for s in slopes for f in fans)
    for fine in (0.01, 0.005, 0.0025):
        tries = [(s, f) for s in (-fine, 0, fine) for f in (-4 * fine, 0, 4 * fine)]
        _, slope, fan = min((cover(slope + s, fan + f), slope + s, fan + f) for s, f in tries)
    return _Slopes(slope, fan, middle, size), cover(slope, fan)


@dataclass(frozen=True, eq=False)
class Numbers:
    """Digits that stand in rows and columns."""

    lattice: Lattice  # whose lines are drawn, or in the middle between numbers
    digits: Floats  # (n, 2): their centres
    cells: npt.NDArray[np.intp]  # (n, 2): row and column of each
    fill: float  # The share of cells with digits
    nearby: Floats  # (n, 4): the boxes of all digits of this pen, also of those in no cell
    height: float  # of a usual digit
    # How alike its rows are divided, by lines or by none, and its columns, 0.25 to 1
    evenness: float

    def scaled(self, factor: float) -> Numbers:
        """The same in a picture so many times larger; integers are the centres of pixels."""
        digits, nearby = ((at + 0.5) * factor - 0.5 for at in (self.digits, self.nearby))
        lattice = self.lattice.scaled(factor)
        height = self.height * factor
        return replace(self, lattice=lattice, digits=digits, nearby=nearby, height=height)


def find_numbers(gray: npt.NDArray[np.uint8], segments: Segments) -> list[Numbers]:
    """What may be tables of numbers in a photo, the likeliest first.

    Args:
        segments: both edges of the lines in it.
    """
    ink, is_end = writing(gray)
    found = []
    for score, digits in find_digits(ink, is_end, segments)[:TRIES]:
        made = _table(digits, segments)
        if made is not None:
            found.append((score * made.fill**2, made))
    found.sort(key=lambda each: -each[0])
    # A second table counts for more than a cloth's pattern around it.
    ordered = found[:1] + sorted(found[1:], key=lambda each: each[1].fill < FULL)
    best: list[Numbers] = []
    for _, made in ordered:
        if all(not _is_same(made, other) for other in best):
            best.append(made)
    return best


def _is_same(one: Numbers, other: Numbers) -> bool:
    """Whether one lies in the other's place."""
    outline = np.concatenate([other.lattice.corners[0], other.lattice.corners[-1, ::-1]])
    inside = [
        cv2.pointPolygonTest(outline.astype(np.float32), tuple(point), False) >= 0
        for point in one.digits.tolist()
    ]
    return bool(np.mean(inside) > 0.3)


def places(lattice: Lattice, at: Floats) -> npt.NDArray[np.intp]:
    """(n, 2): the row and the column in which places lie, also beyond the lattice."""
    return np.floor(measured(lattice, at)).astype(np.intp)


def measured(lattice: Lattice, at: Floats) -> Floats:
    """(n, 2): the row and the column of places, with the part of the cell that is before each."""
    rows, across = np.mgrid[: lattice.corners.shape[0], : lattice.corners.shape[1]]
    index = np.stack([rows.ravel(), across.ravel()], axis=1).astype(np.float64)
    found, _ = cv2.findHomography(lattice.corners.reshape(-1, 2), index, 0)
    return mapped(np.asarray(found, np.float64), at)


def trimmed(ruled: Lattice, numbers: Numbers) -> Lattice:
    """A lattice without columns at both of its sides in which nothing stands.

    Lines of the paper go on beyond a table that is drawn on it.
    """
    columns = places(ruled, numbers.digits)[:, 1]
    last = ruled.corners.shape[1] - 2
    low, high = max(int(columns.min()), 0), min(int(columns.max()), last)
    if low <= 0 or high >= last or high - low < 1:
        return ruled
    kept = slice(low, high + 2)
    return Lattice(ruled.corners[:, kept], ruled.down, ruled.across[kept])


def is_explained(ruled: Lattice, numbers: Numbers) -> bool:
    """Whether the cells between lines have all digits, and each those of one number."""
    at = places(ruled, numbers.digits)
    size = np.array(ruled.corners.shape[:2]) - 1
    inside = ((at >= 0) & (at < size)).all(axis=1)
    if inside.mean() < 1 - LOST:
        return False
    keys, others = (each[inside, 0] * 1000 + each[inside, 1] for each in (at, numbers.cells))
    if _mixed(keys, others) > MIXED and numbers.fill >= FULL:
        return False
    # Lines of the paper divide what belongs together, and have many empty cells.
    filled = len(np.unique(keys)) / size.prod()
    return bool(filled >= FILLED or _mixed(others, keys) <= MIXED)


def _mixed(cells: npt.NDArray[np.intp], others: npt.NDArray[np.intp]) -> float:
    """The share of digits that are in another of the other cells than most of their cell."""
    least = 0
    for cell in np.unique(cells):
        least += int(np.unique(others[cells == cell], return_counts=True)[1].max())
    return 1 - least / len(cells)


def _table(digits: Digits, segments: Segments) -> Numbers | None:
    """The rows and columns of digits, level or upright; None if they are in none."""
    sure = _uprightness(digits)
    ways = [False, True] if abs(sure) < UPRIGHT else [sure < 0]
    found = []
    for is_turned in ways:
        made = _laid_out(digits, segments, is_turned)
        if made is not None:
            cells = (len(made.lattice.down) - 1) * (len(made.lattice.across) - 1)
            score = made.fill * min(1.0, MOST_TOGETHER * cells / len(digits.boxes))
            score *= made.evenness**2
            found.append((score * float(np.exp(-sure if is_turned else sure)), made))
    return max(found, key=lambda each: each[0])[1] if found else None


def _laid_out(digits: Digits, segments: Segments, is_turned: bool) -> Numbers | None:
    """The rows and columns of digits if rows are level, or if they are upright."""
    order = [1, 0] if is_turned else [0, 1]
    tall = digits.height
    at = digits.centers[:, order]
    sides = (digits.boxes[:, 2:] - digits.boxes[:, :2])[:, order]
    step = tall / 8
    level, _ = _slopes(at, np.full(len(at), 0.3 * tall), step, -TURN, TURN)
    rows = _peaks(level.v(*at.T), 0.2 * tall, 0.6 * tall)
    if not 2 <= len(rows) <= MOST:
        return None
    upright, _ = _slopes(
        at[:, ::-1], sides[:, 0] / 2, step, -level.slope - LEAN, -level.slope + LEAN
    )
    ends = _of_lines(segments, digits.lines).reshape(-1, 2, 2)[..., order]
    v_ends = level.v(ends[..., 0], ends[..., 1])
    u_ends = upright.v(ends[..., 1], ends[..., 0])
    v, u = level.v(*at.T), upright.v(at[:, 1], at[:, 0])
    pitch = float(np.median(np.diff(rows)))
    beside = np.abs(v[:, None] - rows[None]).min(axis=1) < 0.5 * pitch
    nearest = np.abs(v[:, None] - rows[None]).argmin(axis=1)
    starts, stops = _words(digits, order, u, sides[:, 0] / 2, np.where(beside, nearest, -1))
    line = _Lines.of(u_ends, v_ends, tall)
    across = _columns(starts, stops, len(rows), tall, line, (rows[0], rows[-1]))
    if across is None or not 2 <= len(across) - 1 <= MOST:
        return None
    edges = [rows[0] - pitch / 2, *(rows[1:] + rows[:-1]) / 2, rows[-1] + pitch / 2]
    other = _Lines.of(v_ends, u_ends, tall)
    down = other.snapped(np.array(edges), 0.42 * pitch, (across[0], across[-1]))
    corners = _corners(level, upright, down, across)
    moved_v = other.moved(down, across)
    moved_u = line.moved(across, down).T
    corners = corners + np.stack([moved_u, moved_v], axis=-1)
    evenness = other.evenness(down, 0.15 * pitch, (across[0], across[-1]))
    evenness *= line.evenness(across, 0.15 * pitch, (down[0], down[-1]))
    if is_turned:
        # Mirrored as it is, its rows would be read from right to left.
        corners = corners[:, ::-1, ::-1]
        across = -across[::-1]
    row = np.searchsorted(down, v) - 1
    column = np.searchsorted(across, -u if is_turned else u) - 1
    inside = (row >= 0) & (row < len(down) - 1) & (column >= 0) & (column < len(across) - 1)
    cells = np.zeros((len(down) - 1, len(across) - 1), bool)
    cells[row[inside], column[inside]] = True
    top, bottom, left, right = _kept(cells)
    if bottom - top < 2 or right - left < 2:
        return None
    inside &= (row >= top) & (row < bottom) & (column >= left) & (column < right)
    places = np.stack([row - top, column - left], axis=1)[inside]
    lattice = Lattice(
        corners[top : bottom + 1, left : right + 1],
        down[top : bottom + 1],
        across[left : right + 1],
    )
    fill = float(cells[top:bottom, left:right].mean() * inside.mean())
    return Numbers(lattice, digits.centers[inside], places, fill, digits.nearby, tall, evenness)


def _kept(cells: npt.NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """(first row, the one after the last, first column, the one after the last) of a table.

    Rows and columns at its sides that hold next to nothing are something else beside it.
    """
    top, left = 0, 0
    bottom, right = cells.shape
    while bottom - top > 1 and right - left > 1:
        part = cells[top:bottom, left:right]
        sides = part[0].mean(), part[-1].mean(), part[:, 0].mean(), part[:, -1].mean()
        least = int(np.argmin(sides))
        if sides[least] >= STRAY:
            break
        top, left = top + (least == 0), left + (least == 2)
        bottom, right = bottom - (least == 1), right - (least == 3)
    return top, bottom, left, right


def _uprightness(digits: Digits) -> float:
    """Above 0 where rows are level: digits are high, and beside those of their number.

    Where it errs, no number has been divided, and the table is turned when it is read.
    """
    low, high = digits.boxes[:, :2], digits.boxes[:, 2:]
    apart = np.maximum(low[:, None] - high[None], low[None] - high[:, None])
    close = WORD / 2 * digits.height
    x, y = np.moveaxis(apart, 2, 0)
    beside = int(((x > 0) & (x < close) & (y < -close)).sum())
    below = int(((y > 0) & (y < close) & (x < -close)).sum())
    wide, tall = (high - low).T
    return float(np.log(tall / wide).mean()) + (beside - below) / len(low)


def _of_lines(segments: Segments, lines: npt.NDArray[np.uint8]) -> Segments:
    """The segments that are edges of lines that were taken away, and of nothing paler."""
    wide = cv2.dilate(lines, np.ones((5, 5), np.uint8))
    at = np.linspace(0, 1, 16)[:, np.newaxis, np.newaxis]
    x, y = np.moveaxis(segments[:, :2] * (1 - at) + segments[:, 2:] * at, 2, 0).astype(int)
    x, y = x.clip(0, lines.shape[1] - 1), y.clip(0, lines.shape[0] - 1)
    return np.asarray(segments[wide[y, x].mean(axis=0) > 0.6])


def _words(
    digits: Digits, order: list[int], u: Floats, half: Floats, rows: npt.NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """Where numbers start and stop: digits that are close, with no line between them.

    Args:
        u, half: the middles of digits across the columns, and half their sizes.
        rows: the row of each digit, below 0 for those that are in none.
    """
    starts: list[float] = []
    stops: list[float] = []
    for row in np.unique(rows[rows >= 0]):
        members = np.flatnonzero(rows == row)
        members = members[np.argsort(u[members])]
        before = -1
        for each in members.tolist():
            start, stop = u[each] - half[each], u[each] + half[each]
            if before >= 0 and start - stops[-1] < WORD * digits.height:
                at = np.linspace(digits.centers[before], digits.centers[each], 30).astype(int)
                if not digits.lines[at[:, 1], at[:, 0]].any():
                    stops[-1] = max(stops[-1], stop)
                    before = each
                    continue
            starts.append(start)
            stops.append(stop)
            before = each
    return np.array(starts), np.array(stops)


def _peaks(values: Floats, spread: float, least: float) -> Floats:
    """The places around which values lie, at least so far apart."""
    low = values.min() - 3 * spread
    step = spread / 4
    grid = np.arange(low, values.max() + 3 * spread, step)
    density = np.exp(-(((grid[:, None] - values) / spread) ** 2)).sum(axis=1)
    inner = density[1:-1]
    tops = np.flatnonzero((inner >= density[:-2]) & (inner > density[2:]) & (inner > 0.8)) + 1
    kept: list[int] = []
    for _ in range(2):
        kept = []
        for top in sorted(tops.tolist(), key=lambda top: -density[top]):
            if all(abs(grid[top] - grid[other]) >= least for other in kept):
                kept.append(top)
        if len(kept) > 2:
            # The rest of a line between two rows is none.
            usual = np.median(density[kept])
            pitch = float(
                np.median(np.diff(np.sort(grid[[k for k in kept if density[k] >= usual / 2]])))
            )
            least = max(least, CLOSE * pitch)
    return np.asarray(np.sort(grid[kept]))


@dataclass(frozen=True, eq=False)
class _Lines:
    """Segments of one direction: how far along the table they reach, and where they lie across."""

    places: Floats  # (n, 2): across, at both ends
    spans: Floats  # (n, 2): along, the first end before the second

    @classmethod
    def of(cls, places: Floats, spans: Floats, tall: float) -> _Lines:
        lengths = np.abs(np.diff(spans, axis=1))[:, 0]
        kept = (np.abs(np.diff(places, axis=1))[:, 0] < 0.12 * lengths) & (lengths > 0.5 * tall)
        places, spans = places[kept], spans[kept]
        swapped = spans[:, :1] > spans[:, 1:]
        return cls(
            np.where(swapped, places[:, ::-1], places), np.where(swapped, spans[:, ::-1], spans)
        )

    def _near(self, at: float, most: float) -> npt.NDArray[np.intp]:
        return np.flatnonzero(np.abs(self.places.mean(axis=1) - at) < most)

    def share(self, at: float, most: float, span: tuple[float, float]) -> float:
        """The share of a span on which there is a line near a place across."""
        grid = np.linspace(*span, 60)
        near = self.spans[self._near(at, most)]
        is_on = (near[:, :1] - 2 <= grid) & (grid <= near[:, 1:] + 2)
        return float(is_on.any(axis=0).mean()) if len(near) else 0.0

    def snapped(self, edges: Floats, most: float, span: tuple[float, float]) -> Floats:
        """Edges, each moved onto the line that is drawn near it."""
        moved = edges.copy()
        for number, edge in enumerate(edges.tolist()):
            if self.share(edge, most, span) < LINED:
                continue
            near = self._near(edge, most)
            lengths = np.diff(self.spans[near], axis=1)[:, 0]
            places = self.places[near].mean(axis=1)
            # Of several lines nearby one is meant; it has two edges.
            away = np.abs(places - edge)
            weights = lengths * np.exp(-(((away - away.min()) / (BESIDE * most)) ** 2))
            moved[number] = np.average(places, weights=weights)
        return np.sort(moved)

    def evenness(self, edges: Floats, most: float, span: tuple[float, float]) -> float:
        """The share of inner edges that are drawn, or of those that are not if these are more."""
        drawn = [self.share(edge, most, span) >= DRAWN for edge in edges[1:-1].tolist()]
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
            place = self.places[near].mean(axis=1) - edge
            off[number] = (weights * place[:, None]).sum(axis=0) / weights.sum(axis=0)
        return off


def _columns(
    starts: Floats, stops: Floats, rows: int, tall: float, lines: _Lines, span: tuple[float, float]
) -> Floats | None:
    """The edges of columns: lines, and the middles of the spaces between digits."""
    step = tall / 12
    low = float(starts.min())
    first = np.round((starts - low) / step).astype(int)
    last = np.maximum(np.round((stops - low) / step).astype(int), first + 1)
    counts = np.zeros(last.max() + 1)
    np.add.at(counts, first, 1)
    np.add.at(counts, last, -1)
    covered = np.cumsum(counts)[:-1] > SPILL * rows
    edges_at = np.flatnonzero(np.diff(np.concatenate([[False], covered, [False]]).astype(int)))
    runs = low + edges_at.reshape(-1, 2) * step
    if not len(runs):
        return None
    groups = [runs[0]]
    for run in runs[1:]:
        gap = run[0] - groups[-1][1]
        between = (run[0] + groups[-1][1]) / 2
        is_lined = lines.share(between, gap / 2 + 0.1 * tall, span) >= 0.5
        if gap >= GUTTER * tall or is_lined:
            groups.append(run)
        else:
            groups[-1] = np.array([groups[-1][0], run[1]])
    groups = [part for run in groups for part in _divided(run, lines, span, tall)]
    groups = [run for run in groups if run[1] - run[0] > 0.15 * tall]
    if len(groups) < 2:
        return None
    edges = [(left[1] + right[0]) / 2 for left, right in pairwise(groups)]
    width = float(np.median(np.diff([run.mean() for run in groups])))
    first_edge = min(groups[0].mean() - width / 2, groups[0][0] - 0.15 * tall)
    last_edge = max(groups[-1].mean() + width / 2, groups[-1][1] + 0.15 * tall)
    wide = np.array([first_edge, *edges, last_edge])
    for number in range(1, len(groups)):
        gap = groups[number][0] - groups[number - 1][1]
        wide[number : number + 1] = lines.snapped(
            wide[number : number + 1], gap / 2 + 0.25 * tall, span
        )
    for number in (0, len(groups)):
        wide[number : number + 1] = lines.snapped(wide[number : number + 1], 0.3 * width, span)
    return np.sort(wide)


def _divided(run: Floats, lines: _Lines, span: tuple[float, float], tall: float) -> list[Floats]:
    """What is between the lines that are drawn through a range of columns."""
    at = np.arange(run[0] + 0.4 * tall, run[1] - 0.4 * tall, 0.1 * tall)
    shares = np.array([lines.share(place, 0.12 * tall, span) for place in at.tolist()])
    cuts: list[float] = []
    for number in np.argsort(-shares, kind="stable").tolist():
        place = float(at[number])
        if shares[number] >= DRAWN and all(abs(place - cut) > tall for cut in cuts):
            cuts.append(place)
    return [np.array(part) for part in pairwise([run[0], *sorted(cuts), run[1]])]


def _corners(level: _Slopes, upright: _Slopes, down: Floats, across: Floats) -> Floats:
    """(rows, columns, 2): where lines at these places cross, along and across."""
    u, v = np.meshgrid(across, down)
    x, y = u.copy(), v.copy()
    for _ in range(12):
        y_next = y + (v - level.v(x, y))
        x = x + (u - upright.v(y, x))
        y = y_next
    return np.stack([x, y], axis=-1)
