"""The cells of a table, cut out of its flattened picture, and the writing in each of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Box, Mark, Millimetres
from companion.vision.core import FLAT_PX_PER_MM, Chances, flat_area
from companion.vision.flat import light
from companion.vision.ink import networks, sums
from companion.vision.ink.cells import SIDE, in_middle
from companion.vision.ink.opinions import number_chances, pooled
from companion.vision.tables.lattice import Lattice

Place: TypeAlias = tuple[int, int]
"""Row and column of a cell, from 0."""
Band: TypeAlias = tuple[int, Millimetres]
"""A row or column between two lines, and its size."""
Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]

CELL: Final[Millimetres] = 10.0
"""The height of a usual cell on the flattened picture."""
EDGE: Final[Millimetres] = 2.0
"""How much of the table is mirrored around it, so that its outermost lines are like the others."""
GAP: Final = 0.5
"""The share of a usual height below which a row is only a gap between two parts."""
INSET: Final[Millimetres] = 0.55
"""How far a cell's writing is sought from its lines."""
FAINTEST: Final = 0.055
"""The least ink of a stroke."""
SHARE: Final = 0.4
"""The share of the pen's usual ink from which a pixel is ink."""
OWN: Final = 0.85
"""The share of a stroke in one cell, from which all of it belongs there."""
ROOM: Final[Millimetres] = 3.0
"""How far writing may reach beyond its cell."""
SPECK: Final[Millimetres] = 1.3
"""The length of the shortest stroke that counts."""
NEAR: Final = 8
"""Pixels around a line's place in which its ink is sought."""
KNOT: Final = 4
"""Pixels around a crossing in which nothing is taken for writing."""
LINE: Final = 0.5
"""The ink of a line, of that of the faintest stroke."""
# The share of a line's length, in per cent, that has no writing over it
LINED: Final = 25
DARKER: Final = 75
OVER: Final = 1.3  # The ink of writing over a line, of the line's own
ACROSS: Final = np.ones((1, 3), np.uint8)
TALL: Final = 20
"""Pixels to which a usual digit is scaled for the network for sums."""
ALONE: Final = 23
"""The same for the network that reads single digits."""
ABOVE: Final = 0.35
"""The share of a stroke's width below another one, from which both are one digit."""
SLENDER: Final = 0.62  # The width of a usual digit, by its height
SPREAD: Final = 0.3  # How far that of strokes which are so many digits is from theirs together
MOST_TOUCHING: Final = 3  # The most digits that touch each other
LEAST_WAY: Final = 0.05  # The weight of a number of digits below which it is not tried
# The share of a part of touching digits in which the cut between them is sought
REACH: Final = 0.3
EXPONENTS: Final = (1.0, 0.4)
"""Those of `pooled` for the two networks: they make different mistakes, so two that agree know
more."""
MOST_STROKES: Final = 2  # The most strokes that strike a cell out; words have more
SHAPELESS: Final = 0.95  # How surely ink is a stroke in which the network for sums sees no number
MOST: Final = 9_999
MOST_DIGITS: Final = len(str(MOST))


@dataclass(frozen=True, eq=False)
class FlatTable:
    """A table as if it were photographed from above."""

    lattice: Lattice
    scale: float
    """Millimetres a pixel of the lattice's places."""
    image: npt.NDArray[np.uint8]
    """At `FLAT_PX_PER_MM`."""
    even: Floats

    @classmethod
    def of(cls, lattice: Lattice, photo: npt.NDArray[np.uint8]) -> FlatTable:
        """The flattened picture of a photo, gray."""
        scale = CELL / float(np.median(np.diff(lattice.down)))
        sizes = [np.diff(at) * scale for at in (lattice.down, lattice.across)]
        bands = [[*enumerate(each.tolist())] for each in sizes]
        inner = flattened(lattice, bands[0], bands[1], photo)
        image = np.pad(inner, round(EDGE * FLAT_PX_PER_MM), "reflect")
        return cls(lattice, scale, image, light.evened(image))

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


def inner(table: FlatTable, place: Place) -> tuple[slice, slice]:
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
        # Beyond the outermost line the cell before it goes on.
        first = min(max(place, 0), lines - 2)
        weights[:, first], weights[:, first + 1] = 1 - (part + place - first), part + place - first
        parts.append(weights)
        start += size
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class Writing:
    """What stands in a cell."""

    strokes: tuple[Box, ...]
    """The boxes of its connected parts, in pixels, from the left."""
    chances: Chances
    """Number → probability; 0 for one that is struck, with the sign where there is one."""
    is_struck: bool = False

    @property
    def likeliest(self) -> tuple[int | None, float]:
        """The number and its probability."""
        number = max(self.chances, key=lambda mark: self.chances[mark], default=None)
        return (None if number is None else int(number)), self.chances.get(number, 0.0)


def read(table: FlatTable, places: Sequence[Place]) -> Mapping[Place, Writing]:
    """The writing of those cells in which there is some."""
    found, pen = _strokes(table, places)
    if not found:
        return {}
    tall = float(np.median([_extent(strokes).height for _, strokes in found.values()]))
    gain = sums.STRONG / pen if pen < sums.STRONG / sums.LEAST_GAIN else 1.0
    signed = {place: _signed(strokes) for place, (_, strokes) in found.items()}
    numbers = _numbers(
        [(np.clip(found[at][0] * gain, 0, 1), digits) for at, (_, digits) in signed.items()], tall
    )
    written = {}
    for (place, (is_negative, _)), (chances, readable) in zip(signed.items(), numbers, strict=True):
        ink, strokes = found[place]
        # A short word in small print looks like a dash, but for the network.
        struck = _struck(ink, strokes, table.box(place)) * readable
        if len(strokes) <= MOST_STROKES:
            struck += (1 - struck) * chances.get(None, 0.0) * SHAPELESS
        mixed: dict[Mark, float] = {
            -int(number) if is_negative and number else number: chance * (1 - struck)
            for number, chance in chances.items()
            if number is not None
        }
        mixed[0] = mixed.get(0, 0.0) + struck
        written[place] = Writing(strokes, mixed, is_struck=struck > 0.5)
    return written


def _strokes(
    table: FlatTable, places: Sequence[Place]
) -> tuple[dict[Place, tuple[Floats, tuple[Box, ...]]], float]:
    """(place → the ink that belongs there and the boxes of its strokes in it, the pen's ink).

    A stroke belongs to the cell in which most of it is, and is whole there.
    """
    ink = np.clip(1 - table.even, 0, 1).astype(np.float32)
    inside = [ink[inner(table, place)] for place in places]
    pen = _pen(inside)
    least = max(SHARE * pen, FAINTEST)
    bare = _without_lines(table, ink, least)
    cells = np.zeros(ink.shape, np.int32)
    for number, place in enumerate(places, start=1):
        cells[flat_area(table.box(place))] = number
    mask = bare > least
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    members = np.zeros((count, len(places) + 1), np.int64)
    np.add.at(members, (labels[mask].astype(np.intp), cells[mask].astype(np.intp)), 1)
    # Writing of two cells that touches is cut where they do.
    is_apart = members.max(axis=1) >= OWN * members.sum(axis=1)
    home = np.where(is_apart[labels], members.argmax(axis=1)[labels], cells) * mask
    found = {}
    for number, place in enumerate(places, start=1):
        box = flat_area(table.box(place), ROOM)
        mine = (home[box] == number).astype(np.uint8)
        _, _, stats, _ = cv2.connectedComponentsWithStats(mine)
        longest = stats[1:, [cv2.CC_STAT_WIDTH, cv2.CC_STAT_HEIGHT]].max(axis=1)
        boxes = [Box(*each[:4]) for each in stats[1:][longest >= SPECK * FLAT_PX_PER_MM].tolist()]
        if boxes:
            cut = bare[box] * cv2.dilate(mine, np.ones((3, 3), np.uint8))
            found[place] = cut, tuple(sorted(boxes, key=lambda box: box.x))
    return found, pen


def _pen(inks: Sequence[Floats]) -> float:
    """The ink of the pen's usual strokes."""
    dark = [float(np.percentile(ink, 97)) for ink in inks if ink.size]
    dark = [each for each in dark if each > 2 * FAINTEST]
    return float(np.median(dark)) if dark else 1.0


def _without_lines(table: FlatTable, ink: Floats, least: float) -> Floats:
    """The ink without the table's lines; what is written across them stays whole."""
    bare = ink.copy()
    for turn, along, across in (
        (False, table.lattice.down, table.lattice.across),
        (True, table.lattice.across, table.lattice.down),
    ):
        of, clean = (part.T if turn else part for part in (ink, bare))
        lines, ends = (
            np.round((EDGE + (at - at[0]) * table.scale) * FLAT_PX_PER_MM).astype(int)
            for at in (along, across)
        )
        for at in lines.tolist():
            for start, end in pairwise(ends.tolist()):
                _erase(of, clean, at, slice(start - 2, end + 2), least)
    # Where two lines cross, each looks like writing across the other.
    x, y = (
        np.round((EDGE + (at - at[0]) * table.scale) * FLAT_PX_PER_MM).astype(int).tolist()
        for at in (table.lattice.across, table.lattice.down)
    )
    for down, across in product(y, x):
        bare[max(down - KNOT, 0) : down + KNOT, max(across - KNOT, 0) : across + KNOT] = 0
    return bare


def _erase(ink: Floats, clean: Floats, at: int, along: slice, least: float) -> None:
    """Takes a level line between two others out of `clean`, but not the writing over it."""
    first = max(at - NEAR, 1)
    # Neighbours tell a line from the top of a seven that lies on it. Where a line slants, its ink
    # is in the next row.
    reach = (along.stop - along.start) * 3 // 4
    nearby = slice(max(along.start - reach, 0), along.stop + reach)
    thick = cv2.dilate(ink[first : at + NEAR, nearby], np.ones((3, 1), np.uint8))
    line, most = np.percentile(thick, (LINED, DARKER), axis=1, keepdims=True)
    lined = np.flatnonzero(line > LINE * least)
    if not len(lined):
        return
    rows = slice(first + int(lined[0]), first + int(lined[-1]) + 1)
    above = cv2.dilate(ink[rows.start - 2 : rows.start, along].max(axis=0, keepdims=True), ACROSS)
    below = cv2.dilate(ink[rows.stop : rows.stop + 2, along].max(axis=0, keepdims=True), ACROSS)
    crosses = np.minimum(above, below) > least
    is_over = ink[rows, along] > OVER * most[rows.start - first : rows.stop - first]
    clean[rows, along] *= crosses | is_over


def _extent(strokes: Sequence[Box]) -> Box:
    """The box around some."""
    left, top = min(box.x for box in strokes), min(box.y for box in strokes)
    right = max(box.x + box.width for box in strokes)
    bottom = max(box.y + box.height for box in strokes)
    return Box(left, top, right - left, bottom - top)


def _signed(strokes: tuple[Box, ...]) -> tuple[bool, tuple[Box, ...]]:
    """(whether a minus sign stands before the digits, the digits)."""
    first, *others = strokes
    if not others:
        return False, strokes
    rest = _extent(others)
    middle = (first.y + first.height / 2 - rest.y) / rest.height
    is_dash = first.width >= 1.6 * first.height and first.height <= 0.3 * rest.height
    is_before = first.x + first.width <= rest.x + 0.15 * rest.height
    if is_dash and is_before and 0.15 < middle < 0.85 and first.width < 1.2 * rest.height:
        return True, tuple(others)
    return False, strokes


def _struck(ink: Floats, strokes: tuple[Box, ...], cell: Box) -> float:
    """How probably a cell is struck out: by a slash, a dash or a cross."""
    whole = _extent(strokes)
    height = cell.height * FLAT_PX_PER_MM
    rows, columns = (
        slice(int(whole.y), int(whole.y + whole.height)),
        slice(int(whole.x), int(whole.x + whole.width)),
    )
    part = ink[rows, columns]
    if len(strokes) == 1 and whole.width >= 2.2 * whole.height and whole.height < 0.4 * height:
        # A dash is as thick everywhere; a short word in small print is not.
        thick = (part > part.max() / 2).sum(axis=0)
        usual = float(np.median(thick))
        is_even = np.percentile(thick, 90) <= 1.5 * usual + 1 and usual < 0.16 * height
        return 0.97 if is_even else 0.0
    if (
        len(strokes) > MOST_STROKES
        or whole.height < 0.3 * height
        or whole.width < 0.3 * whole.height
    ):
        return 0.0
    v, u = np.mgrid[0 : part.shape[0], 0 : part.shape[1]]
    u, v = (u + 0.5) / part.shape[1], (v + 0.5) / part.shape[0]
    rising, falling = np.abs(u + v - 1), np.abs(u - v)
    wide = 0.17
    total = float(part.sum())
    on_rising, on_falling = (float(part[line < wide].sum()) / total for line in (rising, falling))
    on_any = float(part[np.minimum(rising, falling) < wide].sum()) / total
    if len(strokes) == 1 and max(on_rising, on_falling) > 0.93:
        # A slanting 1 is steeper than a slash.
        return float(np.clip((whole.width / whole.height - 0.3) / 0.4, 0, 0.97))
    if on_any > 0.9 and min(on_rising, on_falling) > 0.4:
        return 0.97
    return 0.0


def _numbers(
    written: Sequence[tuple[Floats, tuple[Box, ...]]], tall: float
) -> list[tuple[Chances, float]]:
    """(the probabilities of numbers, that of ink which can mean something) of each.

    The network for sums reads it whole, that of fields digit by digit.

    Args:
        written: the ink of each, and the boxes of its digits' strokes.
        tall: the height of a usual digit in pixels.
    """
    if not written:
        return []
    sizes = (sums.HEIGHT, sums.WIDTH)
    whole = [_picture(ink, _extent(strokes), tall, TALL, sizes) for ink, strokes in written]
    network = networks.sums_network()
    columns = sums.column_chances(
        network.logits(np.stack(whole)[:, np.newaxis]), network.temperature
    )
    ways = [_ways(ink, _apart(strokes)) for ink, strokes in written]
    alone = [
        (ink, box)
        for (ink, _), found in zip(written, ways, strict=True)
        for _, boxes in found
        for box in boxes
    ]
    singles = [_picture(ink, box, tall, ALONE, (SIDE, SIDE)) for ink, box in alone]
    digits = iter(
        networks.network_for("digits").chances(np.stack(singles)[:, np.newaxis], "digits")
    )
    together = []
    for seen, found in zip(columns, ways, strict=True):
        one = sums.number_chances(seen, MOST)
        other: dict[Mark, float] = {}
        for weight, boxes in found:
            for number, chance in number_chances([next(digits) for _ in boxes]).items():
                other[number] = other.get(number, 0.0) + weight * chance
        pool = pooled(one, other, range(MOST + 1), EXPONENTS)
        together.append((pool, min(sum(one.values()), 1.0)))
    return together


def _ways(ink: Floats, boxes: Sequence[Box]) -> list[tuple[float, list[Box]]]:
    """The ways in which strokes may be digits, one or several that touch, each with its weight."""
    ways: list[tuple[float, list[Box]]] = [(1.0, [])]
    for box in boxes:
        counts = range(1, MOST_TOUCHING + 1)
        off = [(box.width / box.height - SLENDER * count) / SPREAD for count in counts]
        parts = [math.exp(-(each**2)) for each in off]
        parts[0] = max(parts[0], LEAST_WAY)
        ways = [
            (weight * part / sum(parts), [*before, *_cut(ink, box, count)])
            for weight, before in ways
            for count, part in zip(counts, parts, strict=True)
            if part >= LEAST_WAY and len(before) + count <= MOST_DIGITS
        ]
    return ways


def _cut(ink: Floats, box: Box, count: int) -> list[Box]:
    """The box cut into as many, where there is least ink near equal parts."""
    down = slice(int(box.y), int(box.y + box.height))
    along = ink[down, int(box.x) : int(box.x + box.width)].sum(axis=0)
    edges = [0.0]
    for number in range(1, count):
        middle, reach = box.width * number / count, box.width * REACH / count
        near = np.arange(round(middle - reach), round(middle + reach) + 1)
        edges.append(float(near[along[near].argmin()]))
    edges.append(box.width)
    return [Box(box.x + left, box.y, right - left, box.height) for left, right in pairwise(edges)]


def _apart(strokes: Sequence[Box]) -> list[Box]:
    """The boxes of single digits: strokes above each other are one."""
    groups: list[list[Box]] = []
    for box in strokes:
        if groups:
            last = _extent(groups[-1])
            common = min(last.x + last.width, box.x + box.width) - max(last.x, box.x)
            if common > ABOVE * min(last.width, box.width):
                groups[-1].append(box)
                continue
        groups.append([box])
    return [_extent(group) for group in groups]


def _picture(ink: Floats, part: Box, tall: float, to: int, size: tuple[int, int]) -> Floats:
    """A picture for a network: in its middle a part of the ink, usual digits `to` pixels high."""
    pad = 2
    top, left = max(int(part.y) - pad, 0), max(int(part.x) - pad, 0)
    cut = ink[top : int(part.y + part.height) + pad, left : int(part.x + part.width) + pad]
    height = max(round(max(tall, part.height) * size[0] / to), cut.shape[0])
    width = max(height * size[1] // size[0], cut.shape[1])
    room = np.zeros((height, width), np.float32)
    down, across = (height - cut.shape[0]) // 2, (width - cut.shape[1]) // 2
    room[down : down + cut.shape[0], across : across + cut.shape[1]] = cut
    return in_middle(1 - room, 1.0, *size)
