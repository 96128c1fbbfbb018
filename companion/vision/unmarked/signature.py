"""Recognizes an edition and its board in a photo by which parts of the paper share a colour.

Lamps and cameras shift colours by more than two printed colours differ. So a colour in the photo is
never compared with the printed one. Instead, the paper is divided into parts: its fields, and
points between them. All parts that are printed in one colour form a kind. In the right placing, the
parts of a kind agree with each other and differ from those of other kinds:

- `agreement` is the share of the colours' variance that the kinds explain (η²);
- `hue_correlation` compares the hues of the kinds, as a whole, with the printed ones.

Each has a `quick_` version for many placings at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition, Rgb
from companion.core.shapes import inset
from companion.core.sheet import Box, Millimetres
from companion.vision.mapping.plane import Matrix
from companion.vision.unmarked.blobs import Color

Features = npt.NDArray[np.float32]

# How far from a field's centre its colour is looked at, as a share of its width. Pens cross the
# middle, and discs are paler.
RIM: Final = 0.42
ROUND: Final = 0.68  # The share of that in fields that are not square, so that no point is outside
STEP: Final = 0.5  # The distance of points on patches and on the ground, in the edition's units
FINE_STEP: Final = 0.17  # The same on bars
SPREAD: Final = 0.03  # How far around such a point its colour is looked at, in the edition's units
# The weights of a patch and of the ground in `agreement`; a field or blank has 1
PATCH_WEIGHT, GROUND_WEIGHT = 0.7, 0.35
# How far such points keep from anything else that is printed, in the edition's units
CLEAR: Final = 0.12
LIGHT: Final = 0.3  # The weight of lightness, 0 to 255: shadows change it most
# The weight of the ratios of red to green and of blue to green, as logarithms: shadows and lamps of
# one colour change them all alike, or not at all.
HUE: Final = 75.0
DARK: Final = 14.0  # Added to each of the three, so that black has no colour
NEIGHBORS: Final = 15  # How many parts show how light it is at one of them
SHADE_ROUNDS: Final = 2
# The difference in colour from its kind at which a point shows something else
STRANGE: Final = 34.0
NEARLY_ALL: Final = 0.8  # The share of a part's points that show something else where it is covered
# The least hue_correlation of a sheet's hues to those that are printed; sheets have 0.93 and more
SAME_HUES: Final = 0.8
GRAY: Final = 0.1  # The share of the printed hues' variation below which a photo has no hues
IN_VIEW: Final = 0.6  # The share of a part's points above which the part is in the picture
FEWEST_PARTS: Final = 8  # The fewest parts in the picture whose colours mean anything
FAR: Final = 60.0  # Differences count up to this; a finger or a pen is no worse than a wrong colour


@dataclass(frozen=True, eq=False)
class Signature:
    """The parts of an edition's board, n of them, and which of these share a colour."""

    # (n, k, 2): k points of each part, in millimetres on the paper; its colour is their median
    points: Matrix
    kinds: npt.NDArray[np.intp]  # (n,): the kind of each part, an index into `printed`
    # (n,): parts that differ between the boards of one edition
    is_landmark: npt.NDArray[np.bool_]
    weights: Matrix  # (n,): how much a part counts in `agreement`
    ground: int  # the kind of the bare paper
    printed: Features  # (kinds, 3): the features of each kind's colour as the edition has it
    # (n, `NEIGHBORS`): the parts around each part, itself among them
    neighbors: npt.NDArray[np.intp]
    # The fields and blanks that the first parts are; the others are patches and ground
    names: tuple[str, ...]


# Ten points around a part's centre, as shares of its half size
_RING: Final = np.array(
    [(x, y) for x, y in ((1, 0), (-1, 0), (0, 1), (0, -1))]
    + [(x, y) for x in (-1, 1) for y in (-0.55, 0.55)]
    + [(x, y) for x in (-0.55, 0.55) for y in (-1, 1)],
    np.float64,
)


@cache
def signature(edition: Edition, board: str) -> Signature:
    """The signature of an edition's board, made once."""
    paper, prints, ground = edition.paper(board), edition.prints[board], edition.grounds[board]
    kind_of: dict[Rgb, int] = {}  # printed colour → the kind of the parts that have it
    points, kinds, weights, is_landmark = [], [], [], []
    for name, place in paper.places.items():
        box = place.box
        round_ = 1.0 if place.shape == "square" else ROUND
        reach = np.array([box.width, box.height]) * RIM * round_
        points.append(np.array(box.center) + _RING * reach)
        kinds.append(kind_of.setdefault(prints[name].fill, len(kind_of)))
        weights.append(1.0)
        is_landmark.append(name in edition.landmarks)
    for point, color, is_bar in _points_between_fields(edition, board):
        points.append(np.array(point) + _RING * (SPREAD * edition.unit))
        kinds.append(kind_of.setdefault(color, len(kind_of)))
        weights.append(GROUND_WEIGHT if color == ground else PATCH_WEIGHT)
        is_landmark.append(is_bar)
    at = np.array(points)
    middles = at.mean(axis=1)
    gaps = np.linalg.norm(middles[:, np.newaxis] - middles[np.newaxis], axis=2)
    of_ground = kind_of.setdefault(ground, len(kind_of))
    colors = np.array([[rgb[::-1] for rgb in kind_of]], np.uint8)
    return Signature(
        points=at,
        kinds=np.array(kinds, np.intp),
        is_landmark=np.array(is_landmark),
        weights=np.array(weights),
        ground=of_ground,
        printed=_features(_packed(colors))[0],
        neighbors=np.argsort(gaps, axis=1)[:, :NEIGHBORS],
        names=tuple(paper.places),
    )


def _points_between_fields(
    edition: Edition, board: str
) -> Iterator[tuple[tuple[Millimetres, Millimetres], Rgb, bool]]:
    """Points of patches and of the ground, the colour printed there, and whether it is a bar's."""
    paper, unit = edition.paper(board), edition.unit
    clear = CLEAR * unit
    columns, rows = (
        np.arange(0.45 * unit, side - 0.3 * unit, STEP * unit)
        for side in (paper.width, paper.height)
    )
    rasters = [_raster(columns, rows)]
    for bar in edition.bars:
        # Little of a bar is seen beside its fields.
        inner = inset(bar, 1.01 * clear)
        across, down = (
            round(side / (FINE_STEP * unit)) + 1 for side in (inner.width, inner.height)
        )
        columns = np.linspace(inner.x, inner.x + inner.width, across)
        rows = np.linspace(inner.y, inner.y + inner.height, down)
        rasters.append(_raster(columns, rows))
    at = np.concatenate(rasters)
    at = at[~np.any([_are_inside(place.box, at, clear) for place in paper.places.values()], axis=0)]
    # Whether each point keeps clear of the patches' edges, and which patch lies on top of it
    is_clear, top = np.ones(len(at), np.bool_), np.full(len(at), -1)
    for number, patch in enumerate(edition.patches):
        is_on = _are_inside(patch.box, at, -clear)
        is_clear = is_on | is_clear & ~_are_inside(patch.box, at, clear)
        top[is_on] = number
    painted = [(patch.color, patch.is_landmark) for patch in edition.patches]
    painted.append((edition.grounds[board], False))  # at -1, where no patch lies
    for (x, y), number in zip(at[is_clear].tolist(), top[is_clear].tolist(), strict=True):
        yield (x, y), *painted[number]


def _raster(x: Matrix, y: Matrix) -> Matrix:
    """(n, 2): the points in the columns `x`, (columns,), and the rows `y`, (rows,), row by row."""
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def _are_inside(box: Box, at: Matrix, more: Millimetres) -> npt.NDArray[np.bool_]:
    """Whether points, (..., 2), are in a box, or in a margin around it."""
    reach = np.array((box.width, box.height)) / 2 + more
    return np.asarray((np.abs(at - box.center) < reach).all(axis=-1))


_LOG_STEPS: Final = np.log(np.arange(256, dtype=np.float32) + DARK) * HUE


def _features(pixels: npt.NDArray[np.uint32]) -> Features:
    """Lightness, red to green, and blue to green of pixels as `_packed` returns them, (..., 3)."""
    parts = pixels[..., np.newaxis].view(np.uint8)
    blue, green, red = (_LOG_STEPS[parts[..., channel]] for channel in range(3))
    return np.stack([parts[..., 3] * np.float32(LIGHT), red - green, blue - green], axis=-1)


def _packed(picture: Color) -> npt.NDArray[np.uint32]:
    """Blue, green, red and gray of each pixel of a BGR picture in one number, (height, width)."""
    gray = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    both = np.empty((*gray.shape, 4), np.uint8)
    cv2.mixChannels([picture, gray], [both], [0, 0, 1, 1, 2, 2, 3, 3])
    return both.view(np.uint32)[..., 0]


class Colors:
    """A picture whose colours are looked up at points."""

    def __init__(self, picture: Color) -> None:
        self._picture = picture

    @cached_property
    def _pixels(self) -> npt.NDArray[np.uint32]:
        return _packed(np.asarray(cv2.GaussianBlur(self._picture, (3, 3), 0), np.uint8))

    def contains(self, places: Matrix) -> npt.NDArray[np.bool_]:
        """Whether points, (..., 2), are in the picture."""
        last = np.array(self._picture.shape[1::-1]) - 1
        return np.asarray(np.all((places >= 0) & (places <= last), axis=-1))

    def median_features(self, places: Matrix) -> tuple[Features, npt.NDArray[np.bool_]]:
        """The features of parts, (n, 3), and whether they are in the picture, (n,).

        Args:
            places: (n, k, 2), the parts' points in pixels.
        """
        pixels, inside = self._pixels_at(np.moveaxis(places, -1, 0))
        return _median(np.moveaxis(_features(pixels), 1, -1)), inside.mean(axis=1) > IN_VIEW

    def features_at(self, places: Matrix) -> Features:
        """The features, (..., 3), of points, (..., 2); beyond the picture those of its edge."""
        return _features(self._pixels_at(np.moveaxis(places, -1, 0))[0])

    def mean_features(self, places: Matrix) -> tuple[Features, npt.NDArray[np.bool_]]:
        """As `median_features`, but means, for h placings at once.

        Args:
            places: (2, k, h, n), the parts' points in pixels.

        Returns:
            (3, h, n) and (h, n).
        """
        pixels, inside = self._pixels_at(places)
        colors = np.moveaxis(_features(pixels), -1, 0).mean(axis=1)
        return colors, inside.mean(axis=0) > IN_VIEW

    def _pixels_at(self, places: Matrix) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.bool_]]:
        """The pixels at points, (2, ...), beyond the picture those of its edge; which are in it."""
        x, y = np.rint(places)
        height, width = self._pixels.shape
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        columns, rows = (
            np.clip(np.nan_to_num(at), 0, side - 1).astype(np.intp)
            for at, side in ((x, width), (y, height))
        )
        return self._pixels[rows, columns], inside


def _median(values: Features) -> Features:
    """The median along the last axis; far quicker than NumPy's where that is short."""
    ranked, count = np.sort(values, axis=-1), values.shape[-1]
    return np.asarray((ranked[..., (count - 1) // 2] + ranked[..., count // 2]) / 2)


def quick_agreement(
    colors: Features, inside: npt.NDArray[np.bool_], kinds: npt.NDArray[np.intp]
) -> Matrix:
    """`agreement` of h placings at once, (h,), with means and without a limit for differences.

    Args:
        colors: (3, h, n).
        inside: (h, n): which parts are in the picture; the others do not count.
    """
    # Three sums of squares: of the mean of all parts, of the means of their kinds, of the parts
    # themselves without the first one. η² = (explained - common) / overall.
    weighted, of_kinds, numbers = _by_kinds(colors, inside, kinds)
    common = (weighted.sum(axis=2) ** 2).sum(axis=0) / np.maximum(numbers.sum(axis=1), 1)
    explained = (of_kinds**2).sum(axis=0) / np.maximum(numbers, 1)
    overall = (weighted * weighted).sum(axis=(0, 2)) - common
    ratio = (explained.sum(axis=1) - common) / np.maximum(overall, 1e-6)
    return np.where((inside.sum(axis=1) >= FEWEST_PARTS) & (overall > 0), ratio, 0.0)


def quick_hue_correlation(
    colors: Features, inside: npt.NDArray[np.bool_], kinds: npt.NDArray[np.intp], printed: Features
) -> Matrix:
    """`hue_correlation` of h placings at once, (h,), with means and of all kinds; 1 if gray.

    Args:
        colors, inside: as for `quick_agreement`.
        printed: (kinds, 3).
    """
    _, of_kinds, numbers = _by_kinds(colors[1:], inside, kinds)
    is_seen = numbers > 0
    count = np.maximum(is_seen.sum(axis=1), 1)[:, np.newaxis]
    hues = (of_kinds / np.maximum(numbers, 1), printed[np.unique(kinds), 1:].T[:, np.newaxis])
    found, wanted = (
        np.where(is_seen, part - (part * is_seen).sum(axis=2, keepdims=True) / count, 0)
        for part in hues
    )
    found_norm, wanted_norm = (np.sqrt((part**2).sum(axis=(0, 2))) for part in (found, wanted))
    correlation = (found * wanted).sum(axis=(0, 2)) / np.maximum(found_norm * wanted_norm, 1e-6)
    return np.where(found_norm < GRAY * wanted_norm, 1.0, correlation)


def _by_kinds(
    colors: Features, inside: npt.NDArray[np.bool_], kinds: npt.NDArray[np.intp]
) -> tuple[Features, Features, Features]:
    """(colours ordered by kinds, 0 outside the picture; each kind's sums; each kind's numbers)."""
    order = np.argsort(kinds, kind="stable")
    starts = np.flatnonzero(np.diff(kinds[order], prepend=-1))
    weights = inside.astype(np.float32)[:, order]
    weighted = colors[..., order] * weights
    sums, numbers = (np.add.reduceat(part, starts, axis=-1) for part in (weighted, weights))
    return weighted, sums, numbers


def agreement(colors: Features, inside: npt.NDArray[np.bool_], expected: Signature) -> float:
    """The share of the difference between parts that their kinds explain, up to 1.

    It is η², the correlation ratio, with medians for means and differences up to `FAR`. Light and
    shade are removed first: what all parts around a part have in common, whatever their kinds.

    Args:
        colors: (n, 3), of all parts.
        inside: (n,), which of them are in the picture.
    """
    if inside.sum() < FEWEST_PARTS:
        return 0.0
    even = _evenly_lit(colors, inside, expected)
    return explained_share(even[inside], expected.kinds[inside], expected.weights[inside])


def explained_share(
    colors: Features, kinds: npt.NDArray[np.intp], weights: Matrix | float = 1.0
) -> float:
    """The share of the difference between colours, (n, 3), that their kinds, (n,), explain."""
    everywhere = np.ones(len(kinds), np.bool_)
    within = ((colors - _kind_medians(colors, everywhere, kinds)) ** 2).sum(axis=1)
    overall = ((colors - np.median(colors, axis=0)) ** 2).sum(axis=1)
    whole = float((np.minimum(overall, FAR**2) * weights).sum())
    return 1.0 - float((np.minimum(within, FAR**2) * weights).sum()) / whole if whole else 0.0


def is_covered(
    points: Features, colors: Features, inside: npt.NDArray[np.bool_], expected: Signature
) -> npt.NDArray[np.bool_]:
    """Whether something such as a finger lies on each part, (n,).

    Then nearly all points of the part have another colour than its kind. Ink covers some of them
    only, and a ring drawn around a field only those along its edge.

    Args:
        points: (2, n, k, 3), the features of points along each part's edge, and well inside it.
        colors: (n, 3), of all parts.
        inside: (n,), which of them are in the picture.
    """
    even = _evenly_lit(colors, inside, expected)
    wanted = _kind_medians(even, inside, expected.kinds) + (colors - even)
    off = np.linalg.norm(points - wanted[:, np.newaxis], axis=-1)
    return np.asarray((off > STRANGE).mean(axis=-1).min(axis=0) > NEARLY_ALL)


def hue_correlation(colors: Features, inside: npt.NDArray[np.bool_], expected: Signature) -> float:
    """Pearson's correlation, over the kinds, of the hues in the photo with the printed ones.

    A correlation does not change under a coloured lamp or with a pale print, but it drops for a
    sheet whose colours are exchanged. A gray photo has no hues: lightness takes their place, unless
    the sheet's fields have one or two colours only, as many a table that is no such sheet.
    """
    even = _evenly_lit(colors, inside, expected)
    # The print between the fields is known less well; the ground differs from year to year.
    fields = set(map(int, expected.kinds[: len(expected.names)]))
    fields |= set(map(int, expected.kinds[expected.is_landmark]))
    seen = []
    for kind in fields if len(fields) > 2 else range(len(expected.printed)):
        count = (inside & (expected.kinds == kind)).sum()
        if kind != expected.ground and count >= 2:
            seen.append(kind)
    if len(seen) < 3:
        return 0.0
    found = np.array([np.median(even[inside & (expected.kinds == kind)], axis=0) for kind in seen])
    measured, printed = (part - part.mean(axis=0) for part in (found, expected.printed[seen]))
    hues = slice(1, None)
    is_gray = np.linalg.norm(measured[:, hues]) < GRAY * np.linalg.norm(printed[:, hues])
    if is_gray and len(fields) > 2:
        hues = slice(0, 1)
    measured, printed = measured[:, hues], printed[:, hues]
    size = float(np.linalg.norm(measured) * np.linalg.norm(printed))
    return float((measured * printed).sum()) / size if size else 0.0


def _evenly_lit(colors: Features, inside: npt.NDArray[np.bool_], expected: Signature) -> Features:
    """The colours without light and shade: without what the parts around each have in common."""
    even = colors
    for _ in range(SHADE_ROUNDS):
        off = even - _kind_medians(even, inside, expected.kinds)
        off[~inside] = 0
        even = even - _median(np.moveaxis(off[expected.neighbors], 1, -1))
    return even


def _kind_medians(
    colors: Features, inside: npt.NDArray[np.bool_], kinds: npt.NDArray[np.intp]
) -> Features:
    """The median colour of each part's kind, (n, 3)."""
    medians = np.zeros_like(colors)
    for kind in np.unique(kinds[inside]):
        is_kind = kinds == kind
        medians[is_kind] = _median(colors[is_kind & inside].T)
    return medians
