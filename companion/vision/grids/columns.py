"""Numbers that stand in rows and columns, whether or not there are lines between them.

Ink the size of digits is found first. The rows and columns in which it stands give the perspective,
and lines that were drawn between them give the places of cells' edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.grids import ruling
from companion.vision.grids.digits import Digits, find_digits, without_squares, writing
from companion.vision.grids.edges import DRAWN, Lines, Slopes, slopes_of
from companion.vision.grids.lattice import Lattice
from companion.vision.grids.ruling import Segments
from companion.vision.mapping.plane import Matrix, mapped

Floats = npt.NDArray[np.float64]

TURN: Final = 0.45  # The largest slope of rows
LEAN: Final = 0.3  # The largest deviation of columns from a right angle to rows
BARE: Final = 0.5  # The least space between a table's side and its digits, in heights of one
GUTTER: Final = 0.12  # The least space between columns, in heights of a digit
WORD: Final = 0.6  # The most space between digits of a number
# How far digits are from the middle of their row, in row distances; remains of lines are farther
OFF: Final = 0.38
NEAR: Final = 2.5  # How far from a digit a line between rows or columns is, in heights of one
# How far digits may be from the middle of their row, in heights of one; where their edges are not
# clear they seem farther
SPREADS: Final = 0.2, 0.35, 0.5
ABOVE: Final = 0.1  # The least space between a digit and one above it, in heights of one
SPILL: Final = 0.15  # The share of rows whose writing may reach into another column
# The least share of rows with two numbers in one column, from which it is two; the most of those
# whose numbers reach from one of them into the other
BOTH, OVER = 0.6, 0.3
CLOSE: Final = 0.65  # The least distance of rows, in usual ones
UPRIGHT: Final = 0.5  # The difference above which rows are surely distinguished from columns
NAME: Final = 3.0  # The usual length of a name, in heights of a digit
MOST_TOGETHER: Final = 2.2  # The most digits of a usual cell
# The most digits that are outside of lines which are a table's, and if both divide them alike
LOST, STRAYS = 0.04, 0.15
STRAY: Final = 0.3  # The least share of cells with digits in a table's first and last rows
FULL: Final = 0.8  # The least share of cells with digits where numbers surely stand in columns
TRIES: Final = 12  # How many candidates are tried
MOST: Final = 40  # The most rows and columns of a table


@dataclass(frozen=True, eq=False)
class Numbers:
    """Digits that stand in rows and columns."""

    lattice: Lattice  # whose lines are drawn, or in the middle between numbers
    digits: Floats  # (n, 2): their centres
    cells: npt.NDArray[np.intp]  # (n, 2): row and column of each
    fill: float  # The share of cells with digits
    nearby: Floats  # (n, 4): the boxes of all digits of this pen, also of those in no cell
    height: float  # of a usual digit
    # How uniformly its rows, and its columns, are divided by lines or by none, 0.25 to 1
    evenness: float
    # The share of filled cells in which no digit stands above another one, less if some hold
    # several numbers beside each other
    single: float

    def moved(self, to: Matrix) -> Numbers:
        """The same in another picture, to whose pixels its own are scaled."""
        nearby = mapped(to, self.nearby.reshape(-1, 2, 2)).reshape(-1, 4)
        return replace(
            self,
            lattice=self.lattice.moved(to),
            digits=mapped(to, self.digits),
            nearby=nearby,
            height=self.height * float(to[0, 0]),
        )


def find_numbers(gray: npt.NDArray[np.uint8], segments: Segments) -> list[Numbers]:
    """Candidates for tables of numbers in a photo, the likeliest first.

    Args:
        segments: both edges of the lines in it, the longest first.
    """
    ink, is_end = writing(gray)
    longest = segments[: ruling.MOST]
    found = _tables(find_digits(ink, is_end, longest), longest)
    bare = without_squares(ink, segments)
    if bare is not None:
        found += _tables(find_digits(bare, is_end, longest), longest)
    found.sort(key=lambda each: (_may_be_pattern(each[1], gray), -each[0]))
    # A second table counts for more than a cloth's pattern around it.
    ordered = found[:1] + sorted(found[1:], key=lambda each: each[1].fill < FULL)
    best: list[Numbers] = []
    for _, made in ordered:
        same = next((at for at, other in enumerate(best) if _is_same(made, other)), None)
        if same is None:
            best.append(made)
        elif _extends(made, best[same]):
            best[same] = made
    return best


def _may_be_pattern(made: Numbers, photo: npt.NDArray[np.uint8]) -> bool:
    """Whether it has gaps and goes on beyond the photo, as a cloth does around a paper."""
    outline = made.lattice.outline
    is_cut_off = (outline < 0).any() or (outline > photo.shape[::-1]).any()
    return bool(made.fill < FULL and is_cut_off)


def _extends(made: Numbers, other: Numbers) -> bool:
    """Whether it has all rows and columns of another, and some more in one direction.

    Sums may be written smaller than points.
    """
    size, inner = (np.array(each.lattice.corners.shape[:2]) for each in (made, other))
    if made.fill < FULL or (size != inner).sum() != 1 or (size < inner).any():
        return False
    at = made.lattice.places(other.digits)
    return bool(((at >= 0) & (at < size - 1)).all(axis=1).mean() >= 1 - LOST)


def _tables(
    candidates: Sequence[tuple[float, Digits]], segments: Segments
) -> list[tuple[float, Numbers]]:
    """(how likely each is, digits in rows and columns), the likeliest first."""
    found = []
    for score, digits in candidates[:TRIES]:
        made = _table(digits, segments)
        if made is not None and not made.lattice.is_slim:
            found.append((score * made.fill**3 * made.evenness * made.single**2, made))
    return sorted(found, key=lambda each: -each[0])


def _is_same(one: Numbers, other: Numbers) -> bool:
    """Whether both lie in the same place."""
    outline = np.concatenate([other.lattice.corners[0], other.lattice.corners[-1, ::-1]])
    inside = [
        cv2.pointPolygonTest(outline.astype(np.float32), tuple(point), False) >= 0
        for point in one.digits.tolist()
    ]
    return bool(np.mean(inside) > 0.3)


def _table(digits: Digits, segments: Segments) -> Numbers | None:
    """The rows and columns of digits, level or upright; None if they are in none."""
    sure = _uprightness(digits)
    lines = _of_lines(segments, digits)
    found: list[tuple[float, Numbers]] = []
    for is_turned in (sure < 0, sure >= 0):
        if found and abs(sure) >= UPRIGHT:
            break  # Numbers whose digits touch each other look like digits of a table on its side.
        for made in _laid_out(digits, lines, is_turned):
            cells = (len(made.lattice.down) - 1) * (len(made.lattice.across) - 1)
            score = made.fill * min(1.0, MOST_TOGETHER * cells / len(digits.boxes))
            score *= (made.evenness * made.single) ** 2
            found.append((score * float(np.exp(-sure if is_turned else sure)), made))
    return max(found, key=lambda each: each[0])[1] if found else None


@dataclass(frozen=True, eq=False)
class _Directions:
    """Digits, seen along rows and columns, whose numbers are not known yet."""

    digits: Digits
    order: Sequence[int]  # which of x and y is along rows, and which across
    level: Slopes
    upright: Slopes
    u: Floats  # (n,): where digits are along their row
    v: Floats  # (n,): and across
    half: Floats  # (n, 2): half their sizes, along and across
    between_rows: Lines
    between_columns: Lines

    @property
    def is_turned(self) -> bool:
        return self.order[0] == 1


def _laid_out(digits: Digits, segments: Segments, is_turned: bool) -> Iterator[Numbers]:
    """Candidates for the rows and columns of digits, for level rows and for upright ones.

    Args:
        segments: the lines between them, as `_of_lines` returns them.
    """
    order = [1, 0] if is_turned else [0, 1]
    tall = digits.height
    at = digits.centers[:, order]
    half = (digits.boxes[:, 2:] - digits.boxes[:, :2])[:, order] / 2
    step = tall / 8
    ends = segments.reshape(-1, 2, 2)[..., order]
    level = slopes_of(at, np.full(len(at), 0.3 * tall), ends, step, -TURN, TURN)
    leans = -level.slope - LEAN, -level.slope + LEAN
    upright = slopes_of(at[:, ::-1], half[:, 0], ends[..., ::-1], step, *leans)
    v_ends = level.v(ends[..., 0], ends[..., 1])
    u_ends = upright.v(ends[..., 1], ends[..., 0])
    u, v = upright.v(at[:, 1], at[:, 0]), level.v(*at.T)
    lines = Lines.of(v_ends, u_ends, tall), Lines.of(u_ends, v_ends, tall)
    seen = _Directions(digits, order, level, upright, u, v, half, *lines)
    tried: set[int] = set()
    for spread in SPREADS:
        rows = _peaks(v, spread * tall, 0.6 * tall)
        if 2 <= len(rows) <= MOST and len(rows) not in tried:
            tried.add(len(rows))
            if made := _divided_by(rows, seen):
                yield made


def _divided_by(rows: Floats, seen: _Directions) -> Numbers | None:
    """The cells of digits whose rows are known; None if they form no columns."""
    pitch = float(np.median(np.diff(rows)))
    away = np.abs(seen.v[:, None] - rows[None])
    of = np.where(away.min(axis=1) < OFF * pitch, away.argmin(axis=1), -1)
    words = _words(seen, of)
    span = (float(rows[0]), float(rows[-1]))
    across = _columns(words, len(rows), seen.digits.height, seen.between_columns, span)
    if across is None or not 2 <= len(across) - 1 <= MOST:
        return None
    edges = [rows[0] - pitch / 2, *(rows[1:] + rows[:-1]) / 2, rows[-1] + pitch / 2]
    ends = (across[0], across[-1])
    down = seen.between_rows.snapped(np.array(edges), 0.42 * pitch, ends)
    corners = _corners(seen.level, seen.upright, down, across)
    moved_v = seen.between_rows.moved(down, across)
    moved_u = seen.between_columns.moved(across, down).T
    corners = corners + np.stack([moved_u, moved_v], axis=-1)
    sides = (down[0], down[-1])
    evenness = seen.between_rows.evenness(down, 0.15 * pitch, ends, are_rows=True)
    evenness *= seen.between_columns.evenness(across, 0.15 * pitch, sides, are_rows=False)
    if seen.is_turned:
        # Otherwise it would be mirrored, and its rows read from right to left.
        corners = corners[:, ::-1, ::-1]
        across = -across[::-1]
    return _with_digits(Lattice(corners, down, across), evenness, of >= 0, words, seen)


def _with_digits(
    lattice: Lattice,
    evenness: float,
    is_in_row: npt.NDArray[np.bool_],
    words: _Words,
    seen: _Directions,
) -> Numbers | None:
    """The part of a lattice in which digits stand, with them."""
    down, across = lattice.down, lattice.across
    side = -1 if seen.is_turned else 1
    row = np.searchsorted(down, seen.v) - 1
    column = np.searchsorted(across, side * seen.u) - 1
    inside = (row >= 0) & (row < len(down) - 1) & (column >= 0) & (column < len(across) - 1)
    cells = np.zeros((len(down) - 1, len(across) - 1), bool)
    cells[row[inside & is_in_row], column[inside & is_in_row]] = True
    top, bottom, left, right = _kept(cells)
    if bottom - top < 2 or right - left < 2:
        return None
    inside &= (row >= top) & (row < bottom) & (column >= left) & (column < right)
    places = np.stack([row - top, column - left], axis=1)[inside]
    kept = Lattice(
        lattice.corners[top : bottom + 1, left : right + 1],
        down[top : bottom + 1],
        across[left : right + 1],
    )
    cells = cells[top:bottom, left:right]
    fill = float(cells.mean() * inside.mean())
    digits = seen.digits
    single = _single(places, seen.v[inside], seen.half[inside, 1], ABOVE * digits.height)
    at = np.searchsorted(across, side * words.middles) - 1
    of_it = (words.rows >= top) & (words.rows < bottom) & (at >= left) & (at < right)
    lengths = (words.stops - words.starts) / digits.height
    single *= _alone(np.stack([words.rows, at], axis=1)[of_it], lengths[of_it])
    centers = digits.centers[inside]
    return Numbers(kept, centers, places, fill, digits.nearby, digits.height, evenness, single)


def _single(cells: npt.NDArray[np.intp], v: Floats, half: Floats, least: float) -> float:
    """The share of cells in which no digit stands above another one.

    Args:
        cells: (n, 2), the cell of each digit.
        v, half: its position across the rows, and half its height.
        least: the least space between a digit and one below it.
    """
    order = np.lexsort([v, *cells.T])
    is_same = (np.diff(cells[order], axis=0) == 0).all(axis=1)
    is_above = np.diff(v[order]) > half[order[1:]] + half[order[:-1]] + least
    stacked = np.unique(cells[order[1:]][is_same & is_above], axis=0)
    return 1 - len(stacked) / len(np.unique(cells, axis=0))


def _alone(cells: npt.NDArray[np.intp], lengths: Floats) -> float:
    """1, or less if there are cells with several numbers.

    Args:
        cells: (n, 2), that of each number.
        lengths: theirs in heights of a digit; what is longer than a name is several numbers.
    """
    return len(np.unique(cells, axis=0)) / max(float((lengths / NAME).clip(1).sum()), 1.0)


def _kept(cells: npt.NDArray[np.bool_]) -> tuple[int, int, int, int]:
    """(first row, the one after the last, first column, the one after the last) of a table.

    Nearly empty rows and columns at its sides are not part of it.
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
    """Above 0 where rows are level: digits are tall, and stand side by side in a number.

    A mistake divides no number: the table is then turned when it is read.
    """
    low, high = digits.boxes[:, :2], digits.boxes[:, 2:]
    apart = np.maximum(low[:, None] - high[None], low[None] - high[:, None])
    close = WORD / 2 * digits.height
    x, y = np.moveaxis(apart, 2, 0)
    beside = int(((x > 0) & (x < close) & (y < -close)).sum())
    below = int(((y > 0) & (y < close) & (x < -close)).sum())
    wide, tall = (high - low).T
    return float(np.log(tall / wide).mean()) + (beside - below) / len(low)


def _of_lines(segments: Segments, digits: Digits) -> Segments:
    """The segments near digits that are edges of removed lines, and not of anything paler.

    The edges of the paper, and of things around it, are farther from digits.
    """
    wide = cv2.dilate(digits.lines, np.ones((5, 5), np.uint8))
    at = np.linspace(0, 1, 16)[:, np.newaxis, np.newaxis]
    x, y = np.moveaxis(segments[:, :2] * (1 - at) + segments[:, 2:] * at, 2, 0).astype(int)
    x, y = x.clip(0, wide.shape[1] - 1), y.clip(0, wide.shape[0] - 1)
    edges = segments[wide[y, x].mean(axis=0) > 0.6]
    middles = (edges[:, :2] + edges[:, 2:]) / 2
    away = np.linalg.norm(middles[:, None] - digits.centers[None], axis=2).min(axis=1)
    return np.asarray(edges[away < NEAR * digits.height])


@dataclass(frozen=True, eq=False)
class _Words:
    """Digits that are close, with no line between them: numbers, or parts of words."""

    starts: Floats  # across the columns
    stops: Floats
    rows: npt.NDArray[np.intp]

    @property
    def middles(self) -> Floats:
        return (self.starts + self.stops) / 2

    def within(self, run: Floats) -> int:
        """How many have their middle in a range of columns."""
        return int(((run[0] <= self.middles) & (self.middles <= run[1])).sum())


def _words(seen: _Directions, of: npt.NDArray[np.intp]) -> _Words:
    """The numbers in each row.

    Args:
        of: the row of each digit, below 0 for those that are in none.
    """
    digits, lines = seen.digits, seen.digits.lines
    u, half = seen.u, seen.half[:, 0]
    starts: list[float] = []
    stops: list[float] = []
    rows: list[int] = []
    for row in np.unique(of[of >= 0]).tolist():
        members = np.flatnonzero(of == row)
        members = members[np.argsort(u[members])]
        before = -1
        for each in members.tolist():
            start, stop = u[each] - half[each], u[each] + half[each]
            if before >= 0 and start - stops[-1] < WORD * digits.height:
                at = np.linspace(digits.centers[before], digits.centers[each], 30).astype(int)
                if not lines[at[:, 1], at[:, 0]].any():
                    stops[-1] = max(stops[-1], stop)
                    before = each
                    continue
            starts.append(start)
            stops.append(stop)
            rows.append(row)
            before = each
    return _Words(np.array(starts), np.array(stops), np.array(rows, np.intp))


def _peaks(values: Floats, spread: float, least: float) -> Floats:
    """The centres of groups of values, at least `least` apart."""
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
            # What remains of a line between two rows is not a row.
            usual = np.median(density[kept])
            pitch = float(
                np.median(np.diff(np.sort(grid[[k for k in kept if density[k] >= usual / 2]])))
            )
            least = max(least, CLOSE * pitch)
    return np.asarray(np.sort(grid[kept]))


def _columns(
    words: _Words, rows: int, tall: float, lines: Lines, span: tuple[float, float]
) -> Floats | None:
    """The edges of columns: lines, and the middles of the spaces between digits."""
    groups = _joined(_runs(words, rows, tall), words, rows, tall, lines, span)
    groups = [part for run in groups for part in _divided(run, lines, span, tall)]
    groups = [part for run in groups for part in _parted(run, words)]
    groups = [run for run in groups if run[1] - run[0] > 0.15 * tall]
    sure = [words.within(run) >= STRAY * rows for run in groups]
    if sum(sure) >= 2:
        # A table ends before what stands beside it.
        groups = groups[sure.index(True) : len(sure) - sure[::-1].index(True)]
    if len(groups) < 2:
        return None
    edges = [(left[1] + right[0]) / 2 for left, right in pairwise(groups)]
    width = float(np.median(np.diff([run.mean() for run in groups])))
    first_edge = min(groups[0].mean() - width / 2, groups[0][0] - BARE * tall)
    last_edge = max(groups[-1].mean() + width / 2, groups[-1][1] + BARE * tall)
    wide = np.array([first_edge, *edges, last_edge])
    for number in range(1, len(groups)):
        gap = groups[number][0] - groups[number - 1][1]
        wide[number : number + 1] = lines.snapped(
            wide[number : number + 1], gap / 2 + 0.25 * tall, span
        )
    for number in (0, len(groups)):
        wide[number : number + 1] = lines.snapped(wide[number : number + 1], 0.3 * width, span)
    return np.sort(wide)


def _runs(words: _Words, rows: int, tall: float) -> Floats:
    """(n, 2): where digits stand in more than a few rows, from the left."""
    step = tall / 12
    low = float(words.starts.min())
    first = np.round((words.starts - low) / step).astype(int)
    last = np.maximum(np.round((words.stops - low) / step).astype(int), first + 1)
    counts = np.zeros(last.max() + 1)
    np.add.at(counts, first, 1)
    np.add.at(counts, last, -1)
    covered = np.cumsum(counts)[:-1] > SPILL * rows
    edges = np.flatnonzero(np.diff(np.concatenate([[False], covered, [False]]).astype(int)))
    return np.asarray(low + edges.reshape(-1, 2) * step)


def _joined(
    runs: Floats, words: _Words, rows: int, tall: float, lines: Lines, span: tuple[float, float]
) -> list[Floats]:
    """The same without spaces inside of numbers."""
    groups: list[Floats] = []
    for run in runs:
        if not groups:
            groups.append(run)
            continue
        gap = run[0] - groups[-1][1]
        between = (run[0] + groups[-1][1]) / 2
        is_lined = lines.share(between, gap / 2 + 0.1 * tall, span) >= 0.5
        fewest = min(words.within(groups[-1]), words.within(run))
        # A column of few numbers keeps its distance; anything closer belongs to its neighbour.
        least = WORD if fewest < STRAY * rows else GUTTER
        if gap >= least * tall or is_lined:
            groups.append(run)
        else:
            groups[-1] = np.array([groups[-1][0], run[1]])
    return groups


def _divided(run: Floats, lines: Lines, span: tuple[float, float], tall: float) -> list[Floats]:
    """The parts between the lines that are drawn through a range of columns."""
    at = np.arange(run[0] + 0.4 * tall, run[1] - 0.4 * tall, 0.1 * tall)
    shares = np.array([lines.share(place, 0.12 * tall, span) for place in at.tolist()])
    cuts: list[float] = []
    for number in np.argsort(-shares, kind="stable").tolist():
        place = float(at[number])
        if shares[number] >= DRAWN and all(abs(place - cut) > tall for cut in cuts):
            cuts.append(place)
    return [np.array(part) for part in pairwise([run[0], *sorted(cuts), run[1]])]


def _parted(run: Floats, words: _Words) -> list[Floats]:
    """The columns in a range of them, in most of whose rows there are two numbers.

    Numbers of the others may reach over the space between them.
    """
    inside = (run[0] <= words.middles) & (words.middles <= run[1])
    rows, starts, stops = words.rows[inside], words.starts[inside], words.stops[inside]
    count = len(np.unique(rows))
    cuts: list[tuple[int, float, float]] = []
    for start in starts.tolist():
        left = stops[stops <= start]
        stop = float(left.max(initial=-np.inf))
        is_left = stops <= start
        both = len(np.intersect1d(rows[is_left], rows[~is_left & (starts >= start)]))
        over = int((~is_left & (starts < start)).sum())
        if both >= BOTH * count and over <= OVER * count:
            cuts.append((both - over, stop, start))
    if not cuts:
        return [run]
    _, stop, start = max(cuts)
    parts = np.array([run[0], stop]), np.array([start, run[1]])
    return [each for part in parts for each in _parted(part, words)]


def _corners(level: Slopes, upright: Slopes, down: Floats, across: Floats) -> Floats:
    """(rows, columns, 2): where lines at these places cross, along and across."""
    u, v = np.meshgrid(across, down)
    x, y = u.copy(), v.copy()
    for _ in range(12):
        y_next = y + (v - level.v(x, y))
        x = x + (u - upright.v(y, x))
        y = y_next
    return np.stack([x, y], axis=-1)
