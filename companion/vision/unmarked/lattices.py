"""Finds areas that lie in rows and columns, seen in perspective, as the boxes of a sheet do.

A lattice grows from one area. A step to a neighbour at its right and one to a neighbour below it
are a first map from whole-numbered places (column, row) to pixels. All areas near such places join,
the map is fitted to them, and so on. For example, areas at (100, 100), (140, 102) and (99, 139) get
the places (0, 0), (1, 0) and (0, 1); then the place (1, 1) is expected at the pixel (139, 141).

Which sheet a lattice belongs to is not decided here, but in `placing`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.mapping.plane import Matrix, affine_map, inverse, magnification, mapped
from companion.vision.unmarked.blobs import Blobs

Places = npt.NDArray[np.intp]

# The distance of neighbours, in sides of an area, after its perspective is taken away
NEAREST, FARTHEST = 0.85, 2.6
STRETCHED: Final = 1.8  # How many times farther they may be before it is taken away
ALIKE: Final = 1.75  # The largest ratio of the areas of neighbours
NEXT: Final = 0.27  # The largest distance of a neighbour from its place, in steps of the lattice
AROUND: Final = 4  # The fewest of the eight places around its first area that must be filled
OFF: Final = 0.17  # The largest distance of an area from its place, in steps of the lattice
LEAP: Final = 2  # How many steps from known places an area may be found in each round
LEAST_AREAS: Final = 10
# The areas of a lattice from which on others at its places are part of the same print
LARGE: Final = 20
PART: Final = 160  # Pixels across the parts of a picture that take turns
SEEDS: Final = 120  # The most areas from which a lattice is grown
# The most areas around one that can be its neighbours in a lattice; more are a texture
MOST_NEAR: Final = 40
CHUNK: Final = 64  # The number of areas whose neighbours are looked for at once
ROUNDS: Final = 12  # The most rounds in which a lattice grows
LONGEST: Final = 20  # The most columns or rows of a lattice; more are a pattern of the table's
# The least share of a lattice's places where there is an area, in the first two rounds and later.
# By chance it is far less.
FIRST_FULL, FULL = 0.5, 0.3


@dataclass(frozen=True, eq=False)
class Lattice:
    """Areas at whole-numbered places of a plane in perspective."""

    places: npt.NDArray[np.int64]  # (n, 2): column and row of each area
    centers: Matrix  # (n, 2): where they are in the picture, in pixels
    homography: Matrix  # (3, 3), from places to pixels
    members: Places  # (n,): the indices of the areas
    # The lattice as it was when it began to be large. Grown, it may cover another pattern, or other
    # rows of the sheet that are not quite in step; a sheet on a checked cloth is found by nothing
    # else.
    core: Lattice | None = None

    @property
    def is_endless(self) -> bool:
        """Whether it has more columns or rows than a sheet: a pattern of the table's."""
        return int(np.ptp(self.places, axis=0).max()) >= LONGEST


def find_lattices(blobs: Blobs) -> list[Lattice]:
    """The lattices of a picture's areas, those with most areas first; they may share areas."""
    if len(blobs.areas) < LEAST_AREAS:
        return []
    neighbors = _neighbors(blobs)
    done = np.zeros(len(blobs.areas), bool)
    lattices: list[Lattice] = []
    seeds = (seed for seed in _spread(blobs, neighbors.regularity) if not done[seed])
    for seed in islice(seeds, SEEDS):
        lattice = _largest(blobs, neighbors, seed)
        done[seed] = True
        if lattice is not None:
            done[lattice.members] = True
            if len(lattice.members) >= LARGE:
                done |= _is_at_place(blobs, lattice)
            if not lattice.is_endless:
                lattices.append(lattice)
    return sorted(lattices, key=lambda lattice: -len(lattice.members))


def _is_at_place(blobs: Blobs, lattice: Lattice) -> npt.NDArray[np.bool_]:
    """Whether areas of any size lie where a lattice has one: discs in boxes, letters in discs."""
    # Not where it has none: a sheet may lie on a checked cloth
    low, high = lattice.places.min(axis=0), lattice.places.max(axis=0)
    near = _near(blobs.centers, lattice.homography, low, high)
    exact = mapped(inverse(lattice.homography), blobs.centers[near])
    nearest = np.round(exact)
    is_near = np.abs(exact - nearest).max(axis=1) < NEXT
    is_near &= np.isin(_keys(nearest.astype(np.int64)), _keys(lattice.places))
    found = np.zeros(len(blobs.areas), bool)
    found[near[is_near]] = True
    return found


def _keys(places: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """One number for each column and row."""
    return places[:, 0] * 4096 + places[:, 1]


def _spread(blobs: Blobs, regularity: npt.NDArray[np.int64]) -> list[int]:
    """The areas with regular neighbours: first the best of each part of the picture, and so on."""
    # A checked cloth has more of them than the sheet that lies on it
    usable = np.flatnonzero(regularity >= 2)
    usable = usable[np.argsort(-regularity[usable], kind="stable")]
    sides = np.sqrt(blobs.areas[usable])
    parts: dict[tuple[int, ...], int] = {}
    ranks = []
    for place, side in zip(usable.tolist(), sides.tolist(), strict=True):
        # Areas of other sizes are another pattern.
        part = (*(blobs.centers[place] // PART).astype(int).tolist(), round(4 * math.log2(side)))
        parts[part] = parts.get(part, 0) + 1
        ranks.append(parts[part])
    return list(map(int, usable[np.argsort(ranks, kind="stable")]))


@dataclass(frozen=True, eq=False)
class _Neighbors:
    """For each of n areas, those that may be next to it in a lattice."""

    near: list[Places]  # (n) arrays: the indices of an area's neighbours
    # (n, 2, 2): takes the perspective of an area away from a step in pixels, so that the area
    # becomes a square with sides of 1
    whiten: Matrix
    regularity: npt.NDArray[np.int64]  # (n,): how many pairs of neighbours lie at opposite sides


def _neighbors(blobs: Blobs) -> _Neighbors:
    count = len(blobs.areas)
    whiten = np.linalg.inv(np.linalg.cholesky(blobs.shapes)) / np.sqrt(12)
    of, to = _pairs(blobs)
    steps = blobs.centers[to] - blobs.centers[of]
    flat = (whiten[of] @ steps[..., np.newaxis])[..., 0]
    length = flat[:, 0] ** 2 + flat[:, 1] ** 2
    is_near = (length > NEAREST**2) & (length < FARTHEST**2)
    of, to, flat = of[is_near], to[is_near], flat[is_near]
    counts = np.bincount(of, minlength=count)
    ends = np.cumsum(counts)
    regularity = np.zeros(count, int)
    for place in np.flatnonzero((counts >= 2) & (counts <= MOST_NEAR)):
        x, y = flat[ends[place] - counts[place] : ends[place]].T
        # Opposite steps add up to almost nothing.
        opposite = (abs(np.add.outer(x, x)) < 0.3) & (abs(np.add.outer(y, y)) < 0.3)
        regularity[place] = np.count_nonzero(opposite) // 2
    return _Neighbors(np.split(to, ends[:-1]), whiten, regularity)


def _pairs(blobs: Blobs) -> tuple[Places, Places]:
    """(areas, areas of about their size that are not far from them), ordered by the first."""
    # Ordered by size, the areas alike to each are a slice.
    sides = np.sqrt(blobs.areas)
    order = np.argsort(sides)
    ranked, (x, y) = sides[order], blobs.centers[order].T
    reach = FARTHEST * STRETCHED * ranked
    firsts, lasts = (np.searchsorted(ranked, ranked * ALIKE**way) for way in (-0.5, 0.5))
    of, to = [], []
    for start in range(0, len(order), CHUNK):
        some = slice(start, start + CHUNK)
        alike = slice(firsts[start], lasts[some][-1])
        beside = reach[some, np.newaxis]
        is_near = abs(x[alike] - x[some, np.newaxis]) < beside
        is_near &= abs(y[alike] - y[some, np.newaxis]) < beside
        rows, columns = np.nonzero(is_near)
        rows, columns = rows + start, columns + alike.start
        is_alike = (columns >= firsts[rows]) & (columns < lasts[rows])
        of.append(order[rows[is_alike]])
        to.append(order[columns[is_alike]])
    first = np.concatenate(of)
    ranks = np.argsort(first, kind="stable")
    return first[ranks], np.concatenate(to)[ranks]


def _bases(blobs: Blobs, neighbors: _Neighbors, seed: int) -> Iterator[tuple[Matrix, Matrix]]:
    """Pairs of steps from an area to neighbours, in pixels, (2,) each, which may be a step to the
    next column and one to the next row, clockwise as x and y are; each pair once.
    """
    near = neighbors.near[seed]
    steps = blobs.centers[near] - blobs.centers[seed]
    flat = steps @ neighbors.whiten[seed].T
    length = np.hypot(flat[:, 0], flat[:, 1])
    order = np.argsort(length)
    found: set[tuple[int, int]] = set()
    for first in order[:3].tolist():
        cosine = np.abs(flat @ flat[first]) / (length * length[first])
        # Nearly perpendicular once the perspective is taken away, and the nearest of those.
        across = [place for place in order.tolist() if cosine[place] < 0.3]
        for second in across[:2]:
            one, other = steps[first], steps[second]
            is_clockwise = one[0] * other[1] - one[1] * other[0] > 0
            pair = (first, second) if is_clockwise else (second, first)
            if pair not in found and _around(flat, flat[first], flat[second]) >= AROUND:
                found.add(pair)
                yield steps[pair[0]], steps[pair[1]]


# From a place to the eight around it, (8, 2)
_STEPS: Final = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y])


def _around(flat: Matrix, right: Matrix, down: Matrix) -> int:
    """The number of the eight places around an area at which there is another one."""
    wanted = _STEPS @ np.array([right, down])
    gaps = np.abs(wanted[:, np.newaxis] - flat[np.newaxis]).max(axis=2)
    return int((gaps.min(axis=1) < NEXT * np.hypot(*right)).sum())


def _largest(blobs: Blobs, neighbors: _Neighbors, seed: int) -> Lattice | None:
    """The largest lattice that grows from one area; None if all stay small."""
    best: Lattice | None = None
    for right, down in _bases(blobs, neighbors, seed):
        lattice = _grown(blobs, seed, right, down)
        if lattice is not None and (best is None or len(lattice.members) > len(best.members)):
            best = lattice
    return best


def _grown(blobs: Blobs, seed: int, right: Matrix, down: Matrix) -> Lattice | None:
    """The lattice from one area on, with these first steps; None if it stays small."""
    homography = np.array([[right[0], down[0], 0], [right[1], down[1], 0], [0, 0, 1.0]])
    homography[:2, 2] = blobs.centers[seed]
    members = np.array([seed], np.intp)
    lattice = Lattice(np.zeros((1, 2), np.int64), blobs.centers[members], homography, members)
    share = blobs.areas[seed] / max(abs(float(np.linalg.det(homography[:2, :2]))), 1e-6)
    core: Lattice | None = None
    for round_ in range(ROUNDS):
        grown = _grown_once(blobs, lattice, share, FIRST_FULL if round_ < 2 else FULL)
        if grown is None:
            break
        if grown.is_endless:
            return grown
        is_same = set(grown.members.tolist()) == set(lattice.members.tolist())
        lattice = grown
        if core is None and len(lattice.members) >= LARGE:
            core = lattice
        cells = magnification(lattice.homography, lattice.places.astype(np.float64))
        share = float(np.median(blobs.areas[lattice.members] / cells))
        if is_same:
            break
    columns, rows = (len(np.unique(lattice.places[:, axis])) for axis in (0, 1))
    if len(lattice.members) < LEAST_AREAS or min(columns, rows) < 3:
        return None
    return replace(lattice, core=core)


def _grown_once(blobs: Blobs, lattice: Lattice, share: float, full: float) -> Lattice | None:
    """The lattice of all areas that lie at its places or near them; None if they form none.

    Args:
        share: how much of a place an area fills, as a rule.
        full: the least share of places where there is an area.
    """
    found = _members(blobs, lattice, share)
    if found is None or len(found[0]) < 3:
        return None
    members, places = found
    homography = _fitted(places, blobs.centers[members])
    if homography is None or len(members) / np.prod(np.ptp(places, axis=0) + 1) < full:
        return None
    return Lattice(places, blobs.centers[members], homography, members)


def _members(
    blobs: Blobs, lattice: Lattice, share: float
) -> tuple[Places, npt.NDArray[np.int64]] | None:
    """(the areas that lie at whole-numbered places near a lattice's, (n,); these places, (n, 2)).

    None if there are none. `share` as for `_grown_once`.
    """
    homography, count = lattice.homography, len(lattice.members)
    if abs(float(np.linalg.det(homography))) < 1e-9:
        return None
    leap = 1 if count < 6 else LEAP
    low, high = lattice.places.min(axis=0) - leap, lattice.places.max(axis=0) + leap
    near = _near(blobs.centers, homography, low, high)
    if not len(near):
        return None
    exact = mapped(inverse(homography), blobs.centers[near])
    places = np.round(exact)
    off = np.abs(exact - places).max(axis=1)
    filled = blobs.areas[near] / magnification(homography, places) / share
    is_member = (
        ((places >= low) & (places <= high)).all(axis=1)
        & (off < (OFF if count > 4 else OFF * 1.4))
        & (filled > 1 / ALIKE)
        & (filled < ALIKE)
    )
    at = np.flatnonzero(is_member)
    # Of several areas at one place the nearest counts.
    order = at[np.argsort(off[at], kind="stable")]
    keys = places[order].astype(np.int64)
    _, first = np.unique(_keys(keys), return_index=True)
    return near[order[first]], keys[first]


def _near(
    centers: Matrix,
    homography: Matrix,
    low: npt.NDArray[np.int64],
    high: npt.NDArray[np.int64],
) -> Places:
    """The areas in the part of the picture where the places from `low` to `high` are, (n,).

    Empty if the horizon crosses that part.
    """
    left, top = low - 0.5
    right, bottom = high + 0.5
    corners = np.array([(x, y) for x in (left, right) for y in (top, bottom)])
    depth = corners @ homography[2, :2] + homography[2, 2]
    if depth.min() <= 0.05 * depth.max():
        return np.empty(0, np.intp)
    seen = mapped(homography, corners)
    left, top = seen.min(axis=0)
    right, bottom = seen.max(axis=0)
    x, y = centers[:, 0], centers[:, 1]
    return np.flatnonzero((x > left) & (x < right) & (y > top) & (y < bottom))


def _fitted(places: npt.NDArray[np.int64], centers: Matrix) -> Matrix | None:
    """The homography from places to pixels, (3, 3); affine while there are few of them.

    None if the places lie in a line, or nothing fits.
    """
    spread = places - places.mean(axis=0)
    if np.linalg.matrix_rank(spread) < 2:
        return None
    if len(places) < 9 or min(np.ptp(places[:, 0]), np.ptp(places[:, 1])) < 2:
        return affine_map(places.astype(np.float64), centers)
    found, _ = cv2.findHomography(places.astype(np.float64), centers, 0)
    fitted = np.asarray(found, np.float64)
    return fitted if fitted.shape == (3, 3) else None
