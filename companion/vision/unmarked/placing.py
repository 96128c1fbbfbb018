"""Finds the edition and board that a lattice belongs to, and the place of the sheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition
from companion.vision.mapping.plane import Matrix, homographies, mapped, paper_corners
from companion.vision.unmarked.blobs import Blobs
from companion.vision.unmarked.lattices import Lattice
from companion.vision.unmarked.signature import (
    Colors,
    agreement,
    quick_agreement,
    quick_hue_correlation,
    signature,
)
from companion.vision.unmarked.targets import found_targets, targets_of

# The least share of a lattice's areas that must be landmarks of the edition. The rest may be other
# boxes and blanks, which lie in nearly the same rows.
COVERED: Final = 0.5
IN_COLUMN: Final = 0.2
# How far beside a landmark's column, and below a row, a field may be that lattices take for another
# landmark, in units.
NEXT_ROW: Final = 1.4
NEARLY_ALL: Final = 0.75  # A lattice's core with more than this share of its areas is the lattice
MOST_LATTICES: Final = 28  # How many lattices that are not a sheet are tried, cores among them
# How many ways to lay an edition into lattices are tried in vain, as the mean over editions.
# Among other patterned things a sheet is found after less than 240.
MOST_IN_VAIN: Final = 1000
IMPROVING: Final = 30  # The number of ways that one close look counts for
MOST_SHEETS: Final = 16
FEWEST_LANDMARKS: Final = 9
PLAUSIBLE: Final = 0.2  # The agreement of landmarks below which a placing is given up
# The correlation of hues below which it is: upside down, sheets have 0.2, and in place 0.5
PLAUSIBLE_HUES: Final = 0.3
FINALISTS: Final = 3  # How many placings of a lattice in one edition are looked at closely
SLACK: Final = 0.01  # How much agreement a placing may lose that lies closer to its fields
# The agreement of all parts above which a lattice is this sheet. Placed right, nearly all sheets
# have 0.75 and more, however much is written on them; a wrong edition or board, or a wrong place,
# has at most 0.55.
ENOUGH: Final = 0.6
# The same where areas of the right size lie at this share of its fields and blanks: worn print of
# many tones agrees less with itself.
SUPPORTED: Final = 0.45
NEARLY_EVERYWHERE: Final = 0.9
SURE: Final = 0.75
SURE_SUPPORT: Final = 0.3
# The agreement of all parts below which no improvement leads to `ENOUGH`; it adds 0.15 at most
HOPEFUL: Final = 0.4
SEEN: Final = 0.45  # The least share of a sheet's parts that must be in the picture
OVERLAP: Final = 0.25  # The largest share of a sheet that may lie over another one


@dataclass(frozen=True, eq=False)
class Placing:
    """A sheet, an edition and where it seems to be."""

    edition: Edition
    board: str
    homography: Matrix  # (3, 3), from millimetres on the edition's paper to pixels
    score: float  # the agreement of all of its parts that are in the picture, up to 1
    seen: float  # the share of its parts that are in the picture
    # The share of its fields and blanks at which there is an area of the right size
    support: float = 0.0

    # (2, n, 2): points of bent paper and how far they are from flat, in millimetres; if known
    bends: Matrix | None = None
    # Other editions of the same sheet, or other places, that agree about as well
    others: tuple[Placing, ...] = ()

    @property
    def px_per_mm(self) -> float:
        """Pixels per millimetre at the sheet's middle, in the direction with fewer."""
        middle = edition_corners(self.edition).mean(axis=0)
        ends = mapped(self.homography, middle + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
        return float(np.linalg.norm(ends[1:] - ends[0], axis=1).min())

    def moved(self, matrix: Matrix) -> Placing:
        """The placing in a picture of another size; see `Blobs.moved`."""
        return replace(self, homography=matrix @ self.homography)

    @property
    def is_likely(self) -> bool:
        """Whether enough parts are seen, and agree in colour."""
        enough = SUPPORTED if self.support >= NEARLY_EVERYWHERE else ENOUGH
        return self.score >= enough and self.seen >= SEEN

    @property
    def is_sure(self) -> bool:
        """Whether nothing better is searched for in its place."""
        return bool(self.edition.bars) or (self.score >= SURE and self.support >= SURE_SUPPORT)

    @property
    def rank(self) -> float:
        """How well it fits, to compare with other placings."""
        return self.score + self.support / 2


@cache
def _grid(edition: Edition) -> tuple[npt.NDArray[np.bool_], Matrix]:
    """The landmarks of an edition and the fields that continue their columns, as a lattice.

    Returns:
        (columns, rows): where there is one of them; (columns, rows, 2): its centre in millimetres.
    """
    boxes = {field.id: field.box for field in edition.paper(edition.sheet.usual_board).fields}
    printed = np.array([boxes[name].center for name in edition.landmarks])
    others = np.array(
        [box.center for name, box in boxes.items() if name not in edition.landmarks]
    ).reshape(-1, 2)
    for x, y in others[np.argsort(others[:, 1])]:
        across, down = np.abs(printed - (x, y)).T
        if across.min() < IN_COLUMN * edition.unit and down.min() < NEXT_ROW * edition.unit:
            printed = np.concatenate([printed, [(x, y)]])
    places = np.column_stack([_steps(printed[:, axis], edition.unit / 3) for axis in (0, 1)])
    occupied = np.zeros(places.max(axis=0) + 1, bool)
    occupied[places[:, 0], places[:, 1]] = True
    centers = np.zeros((*occupied.shape, 2))
    centers[places[:, 0], places[:, 1]] = printed
    return occupied, centers


def _steps(values: Matrix, least: float) -> npt.NDArray[np.int64]:
    """The number of each value's column or row; values closer than `least` share one."""
    ordered = np.sort(values)
    starts = ordered[np.concatenate([[True], np.diff(ordered) > least])]
    return np.asarray(np.searchsorted(starts, values + least / 2) - 1)


# The four quarter turns, (4, 2, 2)
_TURNS: Final = np.array(
    [[(1, 0), (0, 1)], [(0, -1), (1, 0)], [(-1, 0), (0, -1)], [(0, 1), (-1, 0)]]
)


def find_placings(
    lattices: Iterable[Lattice],
    blobs: Blobs,
    colors: Colors,
    editions: Sequence[Edition],
    known: Sequence[Placing] = (),
) -> list[Placing]:
    """The sheets of a picture, each once, the surest first; at most `MOST_SHEETS`.

    Args:
        known: those that need no lattice to be found.
    """
    found = without_overlaps(known)
    tried = in_vain = 0
    left = [*lattices]
    for lattice in left:
        if any(placing.is_sure and _lies_on(lattice.centers, placing) for placing in found):
            continue
        tried += 1
        is_over = tried > MOST_LATTICES + len(found) or in_vain > MOST_IN_VAIN * len(editions)
        if is_over or len(found) >= MOST_SHEETS:
            break
        placing, ways = place(lattice, blobs, colors, editions)
        if placing and placing.is_likely:
            found = without_overlaps([*found, placing])
        if not any(placing is each for each in found):
            in_vain += ways
        elif placing and placing.is_sure:
            continue
        if lattice.core and len(lattice.core.members) < NEARLY_ALL * len(lattice.members):
            left.append(lattice.core)
    return found[:MOST_SHEETS]


def _lies_on(points: Matrix, placing: Placing) -> bool:
    """Whether most of some points, (n, 2), are part of a sheet."""
    outline = _outline(placing)
    inside = [cv2.pointPolygonTest(outline, (float(x), float(y)), False) > 0 for x, y in points]
    return sum(inside) > 0.5 * len(inside)


def without_overlaps(placings: Sequence[Placing]) -> list[Placing]:
    """The placings without those that lie over a surer one."""
    kept: list[Placing] = []
    outlines: list[npt.NDArray[np.float32]] = []
    for placing in sorted(placings, key=lambda placing: -placing.rank):
        outline = _outline(placing)
        if not any(_overlap(outline, other) for other in outlines):
            kept.append(placing)
            outlines.append(outline)
    return kept


def _outline(placing: Placing) -> npt.NDArray[np.float32]:
    """The corners of a sheet in pixels, (4, 2)."""
    return mapped(placing.homography, edition_corners(placing.edition)).astype(np.float32)


def _overlap(one: npt.NDArray[np.float32], other: npt.NDArray[np.float32]) -> bool:
    """Whether two sheets lie over each other by more than `OVERLAP` of the smaller one."""
    smaller = min(abs(cv2.contourArea(one)), abs(cv2.contourArea(other)))
    return bool(cv2.intersectConvexConvex(one, other)[0] >= OVERLAP * smaller)


def place(
    lattice: Lattice, blobs: Blobs, colors: Colors, editions: Sequence[Edition]
) -> tuple[Placing | None, int]:
    """(the edition that fits a lattice best, if any; how many ways to lay editions were tried).

    It comes with the other editions of its sheet that fit.
    """
    placings: list[Placing] = []
    tried = 0
    for edition in editions:
        if not edition.landmarks:
            continue
        ways = _placings(lattice, edition)
        rough = plausible_placings(edition, ways, colors)
        finalists = sorted(rough, key=lambda placing: -placing.score)[:FINALISTS]
        tried += len(ways) + IMPROVING * len(finalists)
        improved = [improved_placing(placing, blobs, colors) for placing in finalists]
        placings += sorted(filter(None, improved), key=lambda placing: -placing.rank)[:1]
    if not placings:
        return None, tried
    best, *others = sorted(placings, key=lambda placing: -placing.rank)
    alike = (o for o in others if o.edition.sheet is best.edition.sheet and o.score >= ENOUGH)
    return replace(best, others=tuple(alike)), tried


def plausible_placings(edition: Edition, homographies: Matrix, colors: Colors) -> list[Placing]:
    """The placings at which the edition's parts have its colours, for every board."""
    if not len(homographies):
        return []
    board = edition.sheet.usual_board
    mine = signature(edition, board)
    # Boards differ in the landmarks' colours only; where there are none, all parts are needed.
    telling = mine.is_landmark if len(edition.sheet.boards) > 1 else np.ones(len(mine.kinds), bool)
    points = mine.points[telling][:, ::2]
    found, inside = colors.mean_features(_mapped_by_all(homographies, points))
    placings = []
    for board in edition.sheet.every_board:
        mine = signature(edition, board)
        kinds = mine.kinds[telling]
        scores = quick_agreement(found, inside, kinds)
        hues = quick_hue_correlation(found, inside, kinds, mine.printed)
        for at in np.flatnonzero((scores > PLAUSIBLE) & (hues > PLAUSIBLE_HUES)):
            placing = Placing(
                edition, board, homographies[at], float(scores[at]), float(inside[at].mean())
            )
            placings.append(placing)
    return placings


def _mapped_by_all(ways: Matrix, points: Matrix) -> Matrix:
    """(2, k, h, n): points, (n, k, 2), mapped by each homography, (h, 3, 3)."""
    x, y = points.astype(np.float32).transpose(2, 1, 0)[:, :, np.newaxis]
    rows = ways.astype(np.float32).transpose(1, 2, 0)[..., np.newaxis]
    across, down, depth = (row[0] * x + row[1] * y + row[2] for row in rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.stack([across / depth, down / depth])


def _placings(lattice: Lattice, edition: Edition) -> Matrix:
    """(h, 3, 3): the homographies from millimetres to pixels that lay landmarks into a lattice."""
    occupied, centers = _grid(edition)
    columns, rows = occupied.shape
    found = []
    for turn in _TURNS:
        turned = lattice.places @ turn.T
        low, high = turned.min(axis=0), turned.max(axis=0)
        rights = np.arange(-high[0], columns - low[0])[:, np.newaxis, np.newaxis]
        downs = np.arange(-high[1], rows - low[1])[:, np.newaxis]
        across, down = np.broadcast_arrays(turned[:, 0] + rights, turned[:, 1] + downs)
        inside = (across >= 0) & (across < columns) & (down >= 0) & (down < rows)
        across, down = np.where(inside, across, 0), np.where(inside, down, 0)
        hit = inside & occupied[across, down]
        ways = hit.sum(axis=2) >= max(FEWEST_LANDMARKS, COVERED * len(turned))
        ways &= _spread(across, hit) & _spread(down, hit)
        printed = centers[across[ways], down[ways]]
        # Other boxes lie in nearly the same rows, so the lattice itself may be a little off.
        found.append(homographies(printed, lattice.centers, hit[ways]))
    together = np.concatenate(found)
    return together[are_sane(together, edition_corners(edition))]


def _spread(places: npt.NDArray[np.int64], hit: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Whether those that count are in more than one column or row."""
    first = np.where(hit, places, places.max()).min(axis=2)
    return np.asarray(np.where(hit, places, 0).max(axis=2) > first, np.bool_)


def are_sane(ways: Matrix, points: Matrix) -> npt.NDArray[np.bool_]:
    """Whether all points lie in front of the camera, and none far behind the others, (h,).

    Args:
        ways: the homographies to judge, (h, 3, 3).
        points: (n, 2), in millimetres.
    """
    depth = ways[:, 2, :2] @ points.T + ways[:, 2, 2:]
    return np.asarray((depth.min(axis=1) > 0.25 * depth.max(axis=1)) & (depth.max(axis=1) > 0))


def edition_corners(edition: Edition) -> Matrix:
    """The paper's corners in millimetres, (4, 2), clockwise from the top left."""
    return paper_corners(edition.paper(edition.sheet.usual_board))


def scored(placing: Placing, colors: Colors) -> Placing:
    mine = signature(placing.edition, placing.board)
    found, inside = colors.median_features(mapped(placing.homography, mine.points))
    score = agreement(found, inside, mine)
    return replace(placing, score=score, seen=float(inside.mean()))


def improved_placing(placing: Placing, blobs: Blobs, colors: Colors) -> Placing | None:
    """The placing with all fields and blanks that can be found, not only those of its lattice."""
    # None if too few can be found, or it is so bad that it would not be good enough then
    best = scored(placing, colors)
    if best.score < HOPEFUL:
        return None
    for landmarks_only in (True, False, False):
        targets = targets_of(placing.edition, landmarks_only)
        at, seen = found_targets(best.homography, targets, blobs)
        if len(at) < FEWEST_LANDMARKS:
            return None
        found, _ = cv2.findHomography(at, seen, cv2.RANSAC, _tolerance(best, at))
        homography = np.asarray(found, np.float64)
        corners = edition_corners(placing.edition)
        if homography.shape != (3, 3) or not are_sane(homography[np.newaxis], corners)[0]:
            continue
        again = scored(replace(best, homography=homography), colors)
        if again.score > best.score - SLACK:
            best = again
    return supported(best, blobs, colors)


def supported(placing: Placing, blobs: Blobs, colors: Colors) -> Placing:
    """The placing with the share of its fields and blanks that areas lie at."""
    targets = targets_of(placing.edition, False)
    at, _ = found_targets(placing.homography, targets, blobs)
    inside = colors.contains(mapped(placing.homography, targets[0]))
    return replace(placing, support=min(len(at) / max(int(inside.sum()), 1), 1.0))


def _tolerance(placing: Placing, at: Matrix) -> float:
    """About an eighth of a unit in pixels."""
    middle = at.mean(axis=0)
    ends = mapped(placing.homography, middle + np.array([[0.0, 0.0], [placing.edition.unit, 0.0]]))
    return max(float(np.linalg.norm(ends[1] - ends[0])) / 8, 1.5)
