"""All sheets without markers in a photo, flattened, and those that cannot be read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition
from companion.core.shapes import inset
from companion.core.sheet import Box, Millimetres, Paper
from companion.core.words import Sentence
from companion.games.editions import editions
from companion.vision.core import FLAT_PX_PER_MM, Corners, Trouble, as_corners, flat_area
from companion.vision.mapping.plane import Matrix, inverse, mapped, scaling
from companion.vision.mapping.surface import Surface
from companion.vision.markers.seeking import resized
from companion.vision.unmarked import certainty
from companion.vision.unmarked.barred import find_barred
from companion.vision.unmarked.blobs import Blobs, Color, find_blobs
from companion.vision.unmarked.lattices import find_lattices
from companion.vision.unmarked.placing import Placing, edition_corners, find_placings
from companion.vision.unmarked.rectifying import Rectified, is_placed_mask, outline_names, rectify
from companion.vision.unmarked.signature import (
    IN_VIEW,
    SAME_HUES,
    Colors,
    agreement,
    hue_correlation,
    is_covered,
    signature,
)

# Pixels along the longer side of the picture that is searched for sheets
LONGEST_SIDE: Final = 1600
# A smaller picture is enlarged by this at most, as gaps between boxes are a pixel wide in it
MOST_ENLARGED: Final = 2.0
# The most pixels per millimetre with which sheets beside pads are searched for, which are about as
# near to the camera as the pads
SOUGHT_PX_PER_MM: Final = 4.0
# A sheet with less is flattened from a larger picture, if there is one
ENOUGH_PX_PER_MM: Final = 4.0
LEAST_PX_PER_MM: Final = 1.3  # Least resolution; below it a pen's stroke is less than a pixel wide
# How far apart, in units, the places that were found may be for the paper to bend smoothly between
SURROUNDING: Final = 5.0
MOST_HIDDEN: Final = 0.55  # The share of hidden fields above which a sheet is not read

# The mean correlation of outlines other than landmarks, as the mean over groups, below which nobody
# is asked whether it is this sheet.
FAR_OFF: Final = 0.15
# The least agreement of the landmarks' colours with the board. Of 44 hard photos of sheets none has
# less than 0.81, gray ones have 0.6 and more; five with a third and more of their boxes in other
# colours have 0.25 to 0.54.
SAME_BOARD: Final = 0.6
# The share of outlines found from which on no other edition or place is tried, and bars that end
# with the picture are whole. Sheets have 0.43 and more, mostly above 0.9; as another edition of
# theirs 0.62 at most, squeezed into a part of their bars 0.67.
CONVINCING: Final = 0.7
BESIDE_BARS: Final[Millimetres] = 2.0  # The paper that the picture shows beside bars that it holds

CUT_OFF: Final = Sentence(
    "Too little of a sheet can be seen in the photo. Take it again with the whole sheet in the "
    "picture."
)
COVERED: Final = Sentence(
    "Something lies on most of a sheet, or it reflects the light. Take that away, and take the "
    "photo again."
)
UNKNOWN: Final = Sentence(
    "A sheet in the photo looks like one that can be read, but its print is in the wrong place. "
    "If it is from a game’s box, lay it flat, with nothing lying on it, and take the photo again. "
    "Otherwise type it in."
)
TOO_SMALL: Final = Sentence(
    "A sheet is too small in the photo to be read. Go closer, or take a photo of each sheet."
)


@dataclass(frozen=True, eq=False)
class UnmarkedSheet:
    """A flattened sheet of a publisher's edition."""

    edition: Edition
    board: str  # `""` where the sheet has no boards
    # Maps the paper to the picture that was given to `find_sheets`, or a larger one
    surface: Surface
    image: Color  # BGR, the whole paper at `FLAT_PX_PER_MM`, (height, width, 3)
    corners: Corners  # the paper's corners in the picture that was given to `find_sheets`
    # Whether the photo shows the paper at each pixel of `image`, (height, width)
    visible: npt.NDArray[np.bool_]
    # The fields that may lie elsewhere, because too little was found there or around them
    lost: frozenset[str] = frozenset()
    # Whether it is surely of this edition, unless a field or blank in `unprinted` is empty
    is_certain: bool = True
    # The fields and blanks whose outlines are not there. Where one is empty, it may be of another
    # edition.
    unprinted: frozenset[str] = frozenset()

    @cached_property
    def paper(self) -> Paper:
        return self.edition.paper(self.board)


# (a photo at some size, BGR; the map from pixels of the searched picture to its own, (3, 3))
Source: TypeAlias = tuple[Color, Matrix]


def find_sheets(
    picture: Color,
    marked: Sequence[Corners],
    finer: Callable[[], tuple[Color, Matrix]] | None = None,
    px_per_mm: float = 0.0,
) -> tuple[list[UnmarkedSheet], list[Trouble]]:
    """The sheets without markers in a photo, and why others were not read.

    Args:
        picture: the photo, BGR.
        marked: the corners of pads that were found by their markers.
        finer: returns the photo at a larger size, for sheets that are small in `picture`, and how
            pixels of `picture` are mapped to its own, (3, 3).
        px_per_mm: the least pixels per millimetre of those pads; 0 without any.
    """
    small, scale = _sought_in(picture, px_per_mm)
    usual = (picture, scaling(scale))
    blobs = find_blobs(small, [np.array(corners) / scale for corners in marked])
    sheets: list[UnmarkedSheet] = []
    troubles: list[Trouble] = []
    larger: Source | None = None
    colors = Colors(small)
    barred = find_barred(blobs, colors, editions())
    for placing in find_placings(find_lattices(blobs), blobs, colors, editions(), barred):
        source = usual
        if finer is not None and placing.px_per_mm * scale < ENOUGH_PX_PER_MM:
            if larger is None:
                larger_picture, to_larger = finer()
                larger = (larger_picture, to_larger @ usual[1])
            source = larger
        found = _flattened(source, blobs, placing)
        if found.corners is not None and source is not usual:
            back = usual[1] @ inverse(source[1])
            found = replace(found, corners=as_corners(mapped(back, np.array(found.corners))))
        if isinstance(found, Trouble):
            troubles.append(replace(found, sheet=placing.edition.sheet.name))
        else:
            sheets.append(found)
    return sheets, troubles


def _sought_in(picture: Color, px_per_mm: float) -> tuple[Color, float]:
    """(the picture at the size that is searched, how many times larger the photo is)."""
    factor = min(LONGEST_SIDE / max(picture.shape[:2]), MOST_ENLARGED)
    if px_per_mm:
        factor = min(factor, SOUGHT_PX_PER_MM / px_per_mm)
    if 0.9 < factor <= 1.0:
        return picture, 1.0
    return resized(picture, factor), 1 / factor


def _flattened(source: Source, blobs: Blobs, placing: Placing) -> UnmarkedSheet | Trouble:
    """The sheet flattened, or why it is not read; with its corners in the source."""
    picture, _ = source
    rectified = _best_rectified(source, blobs, (placing, *placing.others))
    placing, surface, image = rectified.placing, rectified.surface, rectified.image
    corners = as_corners(mapped(surface.homography, edition_corners(placing.edition)))
    if surface.scale() < LEAST_PX_PER_MM:
        return Trouble("too-small", TOO_SMALL, corners)
    groups = certainty.grouped(rectified)
    around = [inset(bar, -BESIDE_BARS) for bar in placing.edition.bars]
    is_cropped = not surface.is_inside(picture, around).all()
    if is_cropped and (not groups or rectified.fit.everywhere < CONVINCING):
        return Trouble("cut-off", CUT_OFF, corners)
    if not groups:
        return Trouble("unknown-pad", UNKNOWN, corners)
    visible = _visible(surface, picture, image)
    colors = _SheetColors(image, visible, placing)
    if np.mean(certainty.outlined(groups)) < FAR_OFF or not colors.are_the_boards():
        return Trouble("unknown-pad", UNKNOWN, corners)
    edition, board = placing.edition, placing.board
    elsewhere, missing = certainty.misplaced(groups), certainty.unprinted(groups)
    certain = not elsewhere and certainty.shows_enough(groups, edition)
    certain = certain and certainty.has_same_print(image, visible, edition, board)
    boxes = {field.id: field.box for field in edition.paper(board).fields}
    shown = set(compress(outline_names(edition), rectified.fit.is_found))
    hidden = [name for name in colors.covered() if name in boxes and name not in shown]
    for name in hidden:
        visible[flat_area(boxes[name])] = False
    if len(hidden) > MOST_HIDDEN * len(boxes):
        return Trouble("covered", COVERED, corners)
    lost = _lost(rectified, boxes) | (elsewhere | missing) & boxes.keys()
    # Cut-off bars may have placed a squeezed sheet, in which even what is found is elsewhere.
    if is_cropped and lost:
        return Trouble("cut-off", CUT_OFF, corners)
    return UnmarkedSheet(edition, board, surface, image, corners, visible, lost, certain, missing)


def _best_rectified(source: Source, blobs: Blobs, placings: Iterable[Placing]) -> Rectified:
    """The sheet flattened by the first convincing one of several placings, or else the best."""
    picture, from_sought = source
    areas = blobs.moved(from_sought)
    tried: list[Rectified] = []
    for placing in placings:
        tried.append(rectify(picture, areas, placing.moved(from_sought)))
        if tried[-1].fit.everywhere > CONVINCING:
            break
    return max(tried, key=lambda rectified: rectified.fit.everywhere)


def _lost(rectified: Rectified, boxes: Mapping[str, Box]) -> frozenset[str]:
    """The fields whose place is not known, because the paper may curl away."""
    # Too little was found around them, and they do not lie among what was found farther off
    unit, places = rectified.placing.edition.unit, rectified.places
    centers = np.array([box.center for box in boxes.values()])
    is_placed = is_placed_mask(centers, places, unit)
    return frozenset(
        name
        for name, center, placed in zip(boxes, centers, is_placed, strict=True)
        if not (placed or _is_among(center, places, SURROUNDING * unit))
    )


def _is_among(center: Matrix, places: Matrix, reach: Millimetres) -> bool:
    """Whether places at all sides of a point are within reach."""
    near = places[np.linalg.norm(places - center, axis=1) < reach].astype(np.float32)
    at = (float(center[0]), float(center[1]))
    return len(near) > 2 and cv2.pointPolygonTest(cv2.convexHull(near), at, False) > 0


class _SheetColors:
    def __init__(self, image: Color, visible: npt.NDArray[np.bool_], placing: Placing) -> None:
        self._mine = signature(placing.edition, placing.board)
        self._has_boards = bool(placing.edition.sheet.boards)
        points: Matrix = self._mine.points * FLAT_PX_PER_MM - 0.5
        colors = Colors(image)
        self._found, inside = colors.median_features(points)
        middles = points.mean(axis=1, keepdims=True)
        self._points = colors.features_at(np.stack([points, (points + middles) / 2]))
        whole = np.clip(np.round(points).astype(int), 0, np.array(visible.shape[::-1]) - 1)
        self._inside = inside & (visible[whole[..., 1], whole[..., 0]].mean(axis=1) > IN_VIEW)

    def are_the_boards(self) -> bool:
        """Whether the landmarks have the board's colours, and these the right hues."""
        if hue_correlation(self._found, self._inside, self._mine) < SAME_HUES:
            return False
        landmarks = self._inside & self._mine.is_landmark
        return not self._has_boards or agreement(self._found, landmarks, self._mine) >= SAME_BOARD

    def covered(self) -> list[str]:
        """The fields and blanks on which something lies, or a highlight."""
        are = is_covered(self._points, self._found, self._inside, self._mine)
        return [name for name, is_hidden in zip(self._mine.names, are, strict=False) if is_hidden]


def _visible(surface: Surface, picture: Color, image: Color) -> npt.NDArray[np.bool_]:
    """Whether the photo shows each pixel of the flattened sheet."""
    height, width = image.shape[:2]
    step = 8
    y, x = np.mgrid[0 : height + step : step, 0 : width + step : step]
    points = (np.stack([x.ravel(), y.ravel()], axis=1) + 0.5) / FLAT_PX_PER_MM
    inside = Colors(picture).contains(surface.to_photo(points)).reshape(x.shape)
    return inside.repeat(step, axis=0).repeat(step, axis=1)[:height, :width]
