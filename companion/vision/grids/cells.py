"""The cells of a table, cut out of its flattened picture, and the ink in each of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, product
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Millimetres
from companion.vision.core import FLAT_PX_PER_MM, flat_area
from companion.vision.flat import light
from companion.vision.grids.lattice import Lattice
from companion.vision.ink import sums

Place: TypeAlias = tuple[int, int]  # Row and column of a cell, from 0
Band: TypeAlias = tuple[int, Millimetres]  # A row or column between two lines, and its size
Floats = npt.NDArray[np.float32]

CELL: Final[Millimetres] = 10.0  # The height of a usual cell on the flattened picture
# The margin filled with the table's mirror image, so that its outermost lines are like the others
EDGE: Final[Millimetres] = 2.0
GAP: Final = 0.5  # The share of a usual height below which a row is only a gap between two parts
# The brightness of a cell's ground in even light, as a share of paper's, between which it is tinted
TINTED: Final = 0.55, 0.95
INSET: Final[Millimetres] = 0.55  # How far from a cell's lines the search for writing begins
FAINTEST: Final = 0.055  # The least ink of a stroke
SHARE: Final = 0.4  # The share of the pen's usual ink above which a pixel is ink
OWN: Final = 0.85  # The share of a stroke in one cell, from which all of it belongs there
# So close to a cell's lines there are only remains of lines, or the foot of a neighbour's digit
RIM: Final[Millimetres] = 1.2
# The size of a dotted line's dashes, which may lie so far beside its place; the fewest in a cell
DASH: Final[Millimetres] = 2.2
DASHES: Final = 4
# The fewest dashes of an upright line in a cell, and their width by their height
IN_LINE, FLATTEST = 3, 1.5
# Of the remains of a line: the ratio of length to width; the distance beside all digits, and above
# or below them, in their heights
SLIM, BESIDE, BELOW = 3.0, 0.45, 0.1
LONG: Final = 1.4  # The length from which a flat one may lie anywhere, in heights of a digit
ROOM: Final[Millimetres] = 3.0  # How far writing may reach beyond its cell
SPECK: Final[Millimetres] = 1.3  # The length of the shortest stroke that counts
NEAR: Final = 8  # Pixels around a line's place in which its ink is searched for
LINE: Final = 0.5  # The ink of a line, as a share of the faintest stroke's
LINED, DARKER = 25, 75  # The percentiles along a line that give its usual ink, and its most
OVER: Final = 1.3  # The ink of writing over a line, as a multiple of the line's
OWN_LINE: Final = 72  # Pixels of a paper's own lines; strokes are shorter
# The ink of the palest line, and how much more writing over a line has
LEAST_LINE, SPARE = 0.03, 0.03
PALE: Final = 0.8  # The most ink of a paper's own lines, of that of the pen
DARK: Final = 1.35  # The least ink of a thick pen's lines, of that of the writing's pen
THICK: Final = np.ones((7, 7), np.uint8)  # What has room in such lines, and how uneven they are
ACROSS: Final = np.ones((1, 3), np.uint8)


@dataclass(frozen=True, eq=False)
class FlatGrid:
    """A table as if it were photographed from above."""

    lattice: Lattice
    scale: float  # Millimetres a pixel of the lattice's places
    image: npt.NDArray[np.uint8]  # At `FLAT_PX_PER_MM`
    even: Floats  # With the grounds of tinted cells as white as paper
    grounds: Mapping[Place, float] = field(default_factory=dict)  # The cells', in `image`
    # What `inks` found in some cells: a table's sample and its reading ask for the same
    found: dict[tuple[Place, ...], Mapping[Place, Ink]] = field(default_factory=dict)

    @classmethod
    def of(cls, lattice: Lattice, photo: npt.NDArray[np.uint8]) -> FlatGrid:
        """The flattened picture of a photo, gray."""
        scale = CELL / float(np.median(np.diff(lattice.down)))
        sizes = [np.diff(at) * scale for at in (lattice.down, lattice.across)]
        bands = [[*enumerate(each.tolist())] for each in sizes]
        whole = flattened(lattice, bands[0], bands[1], photo)
        image = np.pad(whole, round(EDGE * FLAT_PX_PER_MM), "reflect")
        table = cls(lattice, scale, image, light.evened(image))
        cuts = {place: image[inner(table, place)] for place in table.places}
        grounds = {place: float(np.median(cut)) for place, cut in cuts.items() if cut.size}
        for place in grounds:
            ground = float(np.median(table.even[inner(table, place)]))
            if TINTED[0] < ground < TINTED[1]:
                table.even[flat_area(table.box(place))] /= ground
        return replace(table, grounds=grounds)

    def box(self, place: Place) -> Box:
        """A cell, in millimetres from the picture's top left corner."""
        row, column = place
        x, y = (EDGE + (at - at[0]) * self.scale for at in (self.lattice.across, self.lattice.down))
        return Box(x[column], y[row], x[column + 1] - x[column], y[row + 1] - y[row])

    @property
    def places(self) -> list[Place]:
        """All cells but those of gaps."""
        usual = [np.median(np.diff(at)) for at in (self.lattice.down, self.lattice.across)]
        rows, columns = (
            np.flatnonzero(np.diff(at) >= GAP * size).tolist()
            for at, size in zip((self.lattice.down, self.lattice.across), usual, strict=True)
        )
        return [(row, column) for row in rows for column in columns]


def inner(table: FlatGrid, place: Place) -> tuple[slice, slice]:
    """A cell's pixels inside its lines."""
    return flat_area(table.box(place), -INSET)


def flattened(
    lattice: Lattice, down: Sequence[Band], across: Sequence[Band], photo: npt.NDArray[np.uint8]
) -> npt.NDArray[np.uint8]:
    """Some rows and columns of a table, from a photo in gray or in colour.

    Args:
        down, across: each row and column, and its size on the picture.
    """
    rows, columns = lattice.corners.shape[:2]
    level, upright = _weights(down, rows), _weights(across, columns)
    x, y = (
        (level @ part @ upright.T).astype(np.float32) for part in np.moveaxis(lattice.corners, 2, 0)
    )
    return np.asarray(cv2.remap(photo, x, y, cv2.INTER_LINEAR), np.uint8)


def _weights(bands: Sequence[Band], lines: int) -> npt.NDArray[np.float64]:
    """(pixels, lines): how much each line says about where each pixel lies."""
    parts, start = [], 0.0
    for place, size in bands:
        # Together they have as many pixels as the whole.
        at = np.arange(round(start * FLAT_PX_PER_MM), round((start + size) * FLAT_PX_PER_MM))
        part = ((at + 0.5) / FLAT_PX_PER_MM - start) / size
        weights = np.zeros((len(at), lines))
        # The outermost cells continue beyond the last line.
        first = min(max(place, 0), lines - 2)
        weights[:, first], weights[:, first + 1] = 1 - (part + place - first), part + place - first
        parts.append(weights)
        start += size
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Ink:
    """The writing in a cell."""

    picture: Floats  # 0 is paper, and a weak pen is as strong as others
    strokes: tuple[Box, ...]  # the boxes of its connected parts, in pixels, from the left


def inks(table: FlatGrid, places: Sequence[Place]) -> Mapping[Place, Ink]:
    """The ink of those cells in which there is some."""
    asked = tuple(places)
    if asked not in table.found:
        found, pen = _strokes(table, places)
        gain = sums.STRONG / pen if pen < sums.STRONG / sums.LEAST_GAIN else 1.0
        table.found[asked] = {
            place: Ink(np.clip(ink * gain, 0, 1), strokes)
            for place, (ink, strokes) in found.items()
        }
    return table.found[asked]


def _strokes(
    table: FlatGrid, places: Sequence[Place]
) -> tuple[dict[Place, tuple[Floats, tuple[Box, ...]]], float]:
    """(place → the ink that belongs there and the boxes of its strokes in it, the pen's ink).

    A stroke belongs to the cell in which most of it is, and is whole there.
    """
    ink = np.clip(1 - table.even, 0, 1).astype(np.float32)
    long = _long_lines(ink)
    is_line = (long > 0) & (ink < OVER * long + SPARE)
    written = np.where(is_line, 0, ink)
    pen = _pen([written[inner(table, place)] for place in places])
    least = max(SHARE * pen, FAINTEST)
    # The paper's own lines are paler than the pen.
    bare = _without_lines(table, ink, least)
    bare[is_line & (long < PALE * pen)] = 0
    bare[_thick_lines(long > DARK * pen)] = 0
    home = _homes(table, places, bare > least)
    found = {}
    shortest = SPECK * FLAT_PX_PER_MM
    for number, place in enumerate(places, start=1):
        box = flat_area(table.box(place), ROOM)
        mine = (home[box] == number).astype(np.uint8)
        within = (home[flat_area(table.box(place), -RIM)] == number).any()
        _, parts, stats, _ = cv2.connectedComponentsWithStats(mine)
        is_dash = _are_dashes(stats, *_from(flat_area(table.box(place), -DASH), box))
        # Where lines of the paper cross they are darker than elsewhere.
        is_speck = stats[:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1) < shortest
        is_speck &= np.bincount(parts[long[box] > 0], minlength=len(stats)) > 0
        mine[(is_dash | is_speck)[parts]] = 0
        stats = stats[~is_dash]
        longest = stats[1:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1)
        boxes = [Box(*each[:4]) for each in stats[1:][longest >= shortest].tolist()]
        boxes = _without_rests(boxes, *_from(flat_area(table.box(place)), box))
        if boxes and within:
            cut = bare[box] * cv2.dilate(mine, np.ones((3, 3), np.uint8))
            found[place] = cut, tuple(sorted(boxes, key=lambda box: box.x))
    return found, pen


def _homes(
    table: FlatGrid, places: Sequence[Place], mask: npt.NDArray[np.bool_]
) -> npt.NDArray[np.intp]:
    """The cell to which each pixel of ink belongs, from 1; 0 elsewhere."""
    cells = np.zeros(mask.shape, np.intp)
    for number, place in enumerate(places, start=1):
        cells[flat_area(table.box(place))] = number
    count, labels = cv2.connectedComponents(mask.astype(np.uint8))
    strokes, inside = labels[mask].astype(np.intp), cells[mask]
    size = (count, len(places) + 1)
    members = np.bincount(strokes * size[1] + inside, minlength=count * size[1]).reshape(size)
    # Where the writing of two cells touches, it is cut between them.
    is_apart = members.max(axis=1) >= OWN * members.sum(axis=1)
    cells[:] = 0
    cells[mask] = np.where(is_apart[strokes], members.argmax(axis=1)[strokes], inside)
    return cells


def _without_rests(boxes: Sequence[Box], down: slice, across: slice) -> list[Box]:
    """A cell's strokes without the remains of its lines, which would be read as ones or signs.

    Args:
        down, across: the pixels of the cell from line to line.
    """
    return [
        box
        for box in boxes
        if not _is_rest(box, [other for other in boxes if other is not box], down, across)
    ]


def _is_rest(box: Box, others: Sequence[Box], down: slice, across: slice) -> bool:
    """Whether a stroke lies along a side of its cell, away from all others."""
    tall = max((other.height for other in others), default=math.inf)
    near = RIM * FLAT_PX_PER_MM
    x, _ = box.center
    if box.height > SLIM * box.width and min(abs(x - across.start), abs(x - across.stop)) < near:
        gaps = (max(at.x - box.x - box.width, box.x - at.x - at.width) for at in others)
        return min(gaps, default=0.0) > BESIDE * tall
    if _may_be_line(box, down, tall):
        # A line may leave several remains.
        digits = (other for other in others if not _may_be_line(other, down, tall))
        gaps = (max(at.y - box.y - box.height, box.y - at.y - at.height) for at in digits)
        return min(gaps, default=0.0) > (0.0 if box.width > LONG * tall else BELOW * tall)
    return False


def _may_be_line(box: Box, down: slice, tall: float) -> bool:
    """Whether a stroke is flat and lies at its cell's upper or lower side, or is long."""
    near = RIM * FLAT_PX_PER_MM
    _, y = box.center
    is_near = min(abs(y - down.start), abs(y - down.stop)) < near
    return box.width > SLIM * box.height and (is_near or box.width > LONG * tall)


def _are_dashes(stats: npt.NDArray[np.int32], down: slice, across: slice) -> npt.NDArray[np.bool_]:
    """Which connected parts of a cell belong to dotted lines: many, small, and near its sides.

    An upright line may lie elsewhere: its dashes stand above each other. A minus sign is flat.

    Args:
        down, across: the pixels that are not near its sides.
    """
    x, y, width, height, _ = stats.T
    length = np.maximum(width, height)
    is_near = (x >= across.stop) | (x + width <= across.start)
    is_near |= (y >= down.stop) | (y + height <= down.start)
    is_small = length < DASH * FLAT_PX_PER_MM
    is_dash = is_near & is_small
    is_dash &= is_dash.sum() >= DASHES
    is_upright = is_small & (length >= SPECK * FLAT_PX_PER_MM) & (width <= FLATTEST * height)
    left, right = x[is_upright], (x + width)[is_upright]
    are_in_line = (left[:, np.newaxis] <= right) & (left <= right[:, np.newaxis])
    is_dash[is_upright] |= are_in_line.sum(axis=1) >= IN_LINE
    return np.asarray(is_dash)


def _from(area: tuple[slice, slice], other: tuple[slice, slice]) -> tuple[slice, slice]:
    """An area of a picture in the coordinates of a part of it."""
    down, across = (
        slice(mine.start - its.start, mine.stop - its.start)
        for mine, its in zip(area, other, strict=True)
    )
    return down, across


def _pen(inks: Sequence[Floats]) -> float:
    """The ink of the pen's usual strokes."""
    dark = [float(np.percentile(ink, 97)) for ink in inks if ink.size]
    dark = [each for each in dark if each > 2 * FAINTEST]
    return float(np.median(dark)) if dark else 1.0


def _without_lines(table: FlatGrid, ink: Floats, least: float) -> Floats:
    """The ink without the table's lines; what is written across them stays whole."""
    bare = ink.copy()
    down, across = (
        np.round((EDGE + (at - at[0]) * table.scale) * FLAT_PX_PER_MM).astype(int).tolist()
        for at in (table.lattice.down, table.lattice.across)
    )
    ways = ((ink, bare, down, across), (ink.T, bare.T, across, down))
    for of, clean, lines, ends in ways:
        for at, (start, end) in product(lines, pairwise(ends)):
            _erase(of, clean, at, slice(start - 2, end + 2), least)
    return bare


def _long_lines(ink: Floats) -> Floats:
    """The ink of level and upright lines that are longer than any stroke; 0 beside them."""
    lines = []
    for of in (ink, ink.T):
        # Where a line slants, its ink is in the next row.
        thick = cv2.dilate(of, np.ones((3, 1), np.uint8))
        line = cv2.morphologyEx(thick, cv2.MORPH_OPEN, np.ones((1, OWN_LINE), np.uint8))
        lines.append(line * (line > LEAST_LINE))
    return np.asarray(np.maximum(lines[0], lines[1].T), np.float32)


def _thick_lines(is_dark: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Where dark lines are thick, with their uneven edges."""
    thick = cv2.morphologyEx(is_dark.astype(np.uint8), cv2.MORPH_OPEN, THICK)
    return np.asarray(cv2.dilate(thick, THICK), np.bool_)


def _erase(ink: Floats, clean: Floats, at: int, along: slice, least: float) -> None:
    """Takes a level line between two others out of `clean`, but not the writing over it."""
    first = max(at - NEAR, 1)
    # Neighbours separate a line from a seven's top that lies on it. Where a line slants, its ink
    # is in the next row.
    reach = (along.stop - along.start) * 3 // 4
    nearby = slice(max(along.start - reach, 0), along.stop + reach)
    thick = cv2.dilate(ink[first : at + NEAR, nearby], np.ones((3, 1), np.uint8))
    line, most = (_percentile(np.asarray(thick, np.float32), share) for share in (LINED, DARKER))
    lined = np.flatnonzero(line > LINE * least)
    if not len(lined):
        return
    rows = slice(first + int(lined[0]), first + int(lined[-1]) + 1)
    above = cv2.dilate(ink[rows.start - 2 : rows.start, along].max(axis=0, keepdims=True), ACROSS)
    below = cv2.dilate(ink[rows.stop : rows.stop + 2, along].max(axis=0, keepdims=True), ACROSS)
    crosses = np.minimum(above, below) > least
    is_over = ink[rows, along] > OVER * most[rows.start - first : rows.stop - first]
    clean[rows, along] *= crosses | is_over


def _percentile(rows: Floats, share: int) -> npt.NDArray[np.float64]:
    """(rows, 1): as `np.percentile` has it, in a third of the time; it is asked for each line."""
    ordered = np.sort(rows, axis=1)
    place = (rows.shape[1] - 1) * (share / 100)
    low = int(place)
    high = min(low + 1, rows.shape[1] - 1)
    before, after = ordered[:, [low]], ordered[:, [high]]
    step, part = (after - before).astype(np.float64), place - low
    return np.asarray(before + step * part if part < 0.5 else after - step * (1 - part))
