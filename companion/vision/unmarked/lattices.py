"""Areas that lie in rows and columns, seen in perspective, as boxes of a sheet do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.vision.mapping.plane import Matrix, affine_map, inverse, magnification, mapped
from companion.vision.unmarked.blobs import Blobs

Places = npt.NDArray[np.intp]

NEAREST: Final = 0.85
# The distance of neighbours, in sides of the area between them, after its perspective is taken
# away.
FARTHEST: Final = 2.6
ALIKE: Final = 1.75  # The largest ratio of the areas of neighbours
NEXT: Final = 0.27  # The largest distance of a neighbour from its place, in steps of the lattice
AROUND: Final = 4  # The fewest of the eight places around its first area that must be filled
OFF: Final = 0.17  # The largest distance of an area from its place, in steps of the lattice
LEAP: Final = 2  # How many steps from known places an area may be found in each round
LEAST_AREAS: Final = 10
# The areas of a lattice from which on others at its places are part of the same print
LARGE: Final = 20
PART: Final = 160  # Pixels across the parts of a picture that take turns
SEEDS: Final = 120  # The most areas from which lattices are tried to grow
# The most areas around one that can be its neighbours in a lattice; more are a texture
MOST_NEAR: Final = 40
CHUNK: Final = 64
ROUNDS: Final = 12
LONGEST: Final = 20  # The most columns or rows of a lattice; more are a pattern of the table's
# The least share of a lattice's places where there is an area. By chance it is far less.
FULL: Final = 0.3


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
    neighbors = _Neighbors(blobs)
    done = np.zeros(len(blobs.areas), bool)
    lattices: list[Lattice] = []
    seeds = (seed for seed in _spread(blobs, neighbors.regularity) if not done[seed])
    for seed in islice(seeds, SEEDS):
        lattice = _grown(blobs, neighbors, seed)
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
    """The areas with regular neighbours, the best of each part of the picture first."""
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


class _Neighbors:
    """Finds the areas that may be next to each other in a lattice."""

    def __init__(self, blobs: Blobs) -> None:
        # (n, 2, 2): takes an area's perspective away, and makes a square's side 1
        self.whiten = np.linalg.inv(np.linalg.cholesky(blobs.shapes)) / np.sqrt(12)
        of, to = _pairs(blobs)
        flat = (self.whiten[of] @ (blobs.centers[to] - blobs.centers[of])[..., np.newaxis])[..., 0]
        length = flat[:, 0] ** 2 + flat[:, 1] ** 2
        is_near = (length > NEAREST**2) & (length < FARTHEST**2)
        of, to, flat = of[is_near], to[is_near], flat[is_near]
        counts = np.bincount(of, minlength=len(blobs.areas))
        ends = np.cumsum(counts)
        self.near: list[Places] = np.split(to, ends[:-1])
        # (n,): how many pairs of neighbours lie at opposite sides of an area
        self.regularity = np.zeros(len(blobs.areas), int)
        for place in np.flatnonzero((counts >= 2) & (counts <= MOST_NEAR)):
            x, y = flat[ends[place] - counts[place] : ends[place]].T
            opposite = (abs(np.add.outer(x, x)) < 0.3) & (abs(np.add.outer(y, y)) < 0.3)
            self.regularity[place] = np.count_nonzero(opposite) // 2


def _pairs(blobs: Blobs) -> tuple[Places, Places]:
    """(areas, areas of about their size that are not far from them), ordered by the first."""
    sides = np.sqrt(blobs.areas)
    order = np.argsort(sides)
    ranked, (x, y) = sides[order], blobs.centers[order].T
    reach = FARTHEST * 1.8 * ranked
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
    """Pairs of steps from an area to neighbours, that may be a step to the right and one down."""
    near = neighbors.near[seed]
    way = blobs.centers[near] - blobs.centers[seed]
    flat = way @ neighbors.whiten[seed].T
    length = np.hypot(flat[:, 0], flat[:, 1])
    order = np.argsort(length)
    for first in order[:3]:
        cosine = np.abs(flat @ flat[first]) / (length * length[first])
        # Nearly perpendicular once the perspective is taken away, and the nearest of those.
        across = [place for place in order if cosine[place] < 0.3]
        for second in across[:2]:
            if _around(flat, flat[first], flat[second]) >= AROUND:
                yield way[first], way[second]


_STEPS: Final = np.array([(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y])


def _around(flat: Matrix, right: Matrix, down: Matrix) -> int:
    """The number of the eight places around an area at which there is another one."""
    wanted = _STEPS @ np.array([right, down])
    gaps = np.abs(wanted[:, np.newaxis] - flat[np.newaxis]).max(axis=2)
    return int((gaps.min(axis=1) < NEXT * np.hypot(*right)).sum())


def _grown(blobs: Blobs, neighbors: _Neighbors, seed: int) -> Lattice | None:
    best: Lattice | None = None
    for first, second in _bases(blobs, neighbors, seed):
        # Clockwise, as x and y are.
        is_clockwise = first[0] * second[1] - first[1] * second[0] > 0
        right, down = (first, second) if is_clockwise else (second, first)
        lattice = _grow(blobs, seed, right, down)
        if lattice is not None and (best is None or len(lattice.members) > len(best.members)):
            best = lattice
    return best


def _grow(blobs: Blobs, seed: int, right: Matrix, down: Matrix) -> Lattice | None:
    """The lattice from one area on, with these first steps; None if it stays small."""
    homography = np.array([[right[0], down[0], 0], [right[1], down[1], 0], [0, 0, 1.0]])
    homography[:2, 2] = blobs.centers[seed]
    members = np.array([seed], np.intp)
    places = np.zeros((1, 2), np.int64)
    share = blobs.areas[seed] / max(abs(float(np.linalg.det(homography[:2, :2]))), 1e-6)
    core: Lattice | None = None
    for round_ in range(ROUNDS):
        found = _members(blobs.centers, blobs.areas, homography, places, share, len(members))
        if found is None or len(found[0]) < 3:
            break
        new, new_places = found
        fitted = _fitted(new_places, blobs.centers[new])
        full = len(new) / np.prod(np.ptp(new_places, axis=0) + 1)
        if fitted is None or full < (0.5 if round_ < 2 else FULL):
            break
        if np.ptp(new_places, axis=0).max() >= LONGEST:
            return Lattice(new_places, blobs.centers[new], fitted, new)
        is_same = len(new) == len(members) and set(new.tolist()) == set(members.tolist())
        members, places, homography = new, new_places, fitted
        if core is None and len(members) >= LARGE:
            core = Lattice(places, blobs.centers[members], homography, members)
        cells = magnification(homography, places.astype(np.float64))
        share = float(np.median(blobs.areas[members] / cells))
        if is_same:
            break
    if len(members) < LEAST_AREAS or min(len(np.unique(places[:, axis])) for axis in (0, 1)) < 3:
        return None
    return Lattice(places, blobs.centers[members], homography, members, core)


def _members(
    centers: Matrix,
    areas: Matrix,
    homography: Matrix,
    known: npt.NDArray[np.int64],
    share: float,
    count: int,
) -> tuple[Places, npt.NDArray[np.int64]] | None:
    """The areas that lie at whole-numbered places near known ones, and these places."""
    if abs(float(np.linalg.det(homography))) < 1e-9:
        return None
    leap = 1 if count < 6 else LEAP
    low, high = known.min(axis=0) - leap, known.max(axis=0) + leap
    near = _near(centers, homography, low, high)
    if not len(near):
        return None
    exact = mapped(inverse(homography), centers[near])
    places = np.round(exact)
    off = np.abs(exact - places).max(axis=1)
    is_in = (places >= low) & (places <= high)
    filled = areas[near] / magnification(homography, places) / share
    is_member = (
        is_in[:, 0]
        & is_in[:, 1]
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
    """The areas in the part of the picture where the places from `low` to `high` are."""
    left, top = low - 0.5
    right, bottom = high + 0.5
    corners = np.array([(x, y) for x in (left, right) for y in (top, bottom)])
    depth = corners @ homography[2, :2] + homography[2, 2]
    if depth.min() <= 0.05 * depth.max():  # the horizon crosses it
        return np.empty(0, np.intp)
    seen = mapped(homography, corners)
    left, top = seen.min(axis=0)
    right, bottom = seen.max(axis=0)
    x, y = centers[:, 0], centers[:, 1]
    return np.flatnonzero((x > left) & (x < right) & (y > top) & (y < bottom))


def _fitted(places: npt.NDArray[np.int64], centers: Matrix) -> Matrix | None:
    """The homography from places to pixels; affine while there are few of them."""
    spread = places - places.mean(axis=0)
    if np.linalg.matrix_rank(spread) < 2:
        return None
    if len(places) < 9 or min(np.ptp(places[:, 0]), np.ptp(places[:, 1])) < 2:
        return affine_map(places.astype(np.float64), centers)
    found, _ = cv2.findHomography(places.astype(np.float64), centers, 0)
    fitted = np.asarray(found, np.float64)
    return fitted if fitted.shape == (3, 3) else None
