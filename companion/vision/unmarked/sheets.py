"""All sheets without markers in a photo, flattened, and those that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition
from companion.core.sheet import Paper
from companion.core.words import N_, Sentence
from companion.games.editions import editions
from companion.vision.core import FLAT_PX_PER_MM, Corners, Trouble
from companion.vision.surface import Matrix, Surface, mapped
from companion.vision.unmarked.blobs import Blobs, Color, find_blobs
from companion.vision.unmarked.lattices import find_lattices
from companion.vision.unmarked.matching import Placing, find_placings, paper_corners
from companion.vision.unmarked.rectifying import Rectified, outline_names, rectify
from companion.vision.unmarked.signature import Colors, agreement, likeness, residuals, signature

LONGEST_SIDE: Final = 1600
"""Pixels along the longer side of the picture in which sheets are sought."""
MOST_ENLARGED: Final = 2.0
"""A smaller picture is enlarged by this at most, as gaps between boxes are a pixel wide in it."""
LEAST_PX_PER_MM: Final = 1.3
"""Below this resolution a pen's stroke is less than a pixel wide."""
HIDDEN: Final = 34.0
"""The difference in colour from its kind at which a field is covered by something, or by glare."""
MOST_HIDDEN: Final = 0.55
"""The share of hidden fields above which a sheet is not read."""

PROOF: Final = 0.27
"""The least share of printed outlines other than landmarks that must be found, as the mean over
groups of fields.

Sheets have 0.32 and more; a screen that shows our own drawing, a redrawn sheet or one of another
game has at most 0.2, for their other fields lie elsewhere.
"""
SAME_BOARD: Final = 0.5
"""The least agreement of the landmarks' colours with the board."""
SAME_HUES: Final = 0.8
"""The least likeness of the hues; sheets have 0.93 and more."""
FEW: Final = 3
"""Fewer outlines are no group."""

CUT_OFF: Final = Sentence(
    N_("Too little of a sheet is in the photo. Take it again with the whole sheet in the picture.")
)
UNKNOWN: Final = Sentence(
    N_(
        "A sheet in the photo looks like one that can be read, but what is printed on it is not "
        "where it should be. If it is from a game’s box, lay it flat and take the photo again; "
        "other printings cannot be read."
    )
)
TOO_SMALL: Final = Sentence(
    N_("A sheet is too small in the photo to be read. Go closer, or take a photo of each sheet.")
)


@dataclass(frozen=True, eq=False)
class UnmarkedSheet:
    """A flattened sheet of a publisher's edition."""

    rectified: Rectified
    image: Color
    """BGR, the whole paper at `FLAT_PX_PER_MM`, (height, width, 3)."""
    corners: Corners
    """The paper's corners in the picture in which it was sought."""
    visible: npt.NDArray[np.bool_]
    """Whether the photo shows the paper at each pixel of `image`, (height, width)."""

    @property
    def edition(self) -> Edition:
        return self.rectified.placing.edition

    @property
    def board(self) -> str:
        return self.rectified.placing.board

    @cached_property
    def paper(self) -> Paper:
        """Where its fields lie."""
        return self.edition.paper(self.board)


def find_sheets(
    picture: Color, marked: Sequence[Corners]
) -> tuple[list[UnmarkedSheet], list[Trouble]]:
    """The sheets without markers in a photo, and why others were not read.

    Args:
        picture: the photo, BGR.
        marked: the corners of pads that were found by their markers.
    """
    small, scale = _sought_in(picture)
    blobs = _without_marked(find_blobs(small), marked, scale)
    colors = Colors(small)
    sheets: list[UnmarkedSheet] = []
    troubles: list[Trouble] = []
    for placing in find_placings(find_lattices(blobs), blobs, colors, editions()):
        found = _flattened(picture, small, scale, blobs, colors, placing)
        if isinstance(found, Trouble):
            troubles.append(found)
        else:
            sheets.append(found)
    return sheets, troubles


def _sought_in(picture: Color) -> tuple[Color, float]:
    """(the picture at the size at which sheets are sought, how many times larger the photo is)."""
    factor = min(LONGEST_SIDE / max(picture.shape[:2]), MOST_ENLARGED)
    if factor > 0.9 and factor <= 1.0:
        return picture, 1.0
    size = (round(picture.shape[1] * factor), round(picture.shape[0] * factor))
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(picture, size, interpolation=how), np.uint8), 1 / factor


def _without_marked(blobs: Blobs, marked: Sequence[Corners], scale: float) -> Blobs:
    """The areas that do not lie on one of our own pads."""
    free = np.ones(len(blobs.areas), bool)
    for corners in marked:
        outline = (np.array(corners) / scale).astype(np.float32)
        for place in np.flatnonzero(free):
            x, y = blobs.centers[place]
            free[place] = cv2.pointPolygonTest(outline, (float(x), float(y)), False) < 0
    return Blobs(blobs.centers[free], blobs.shapes[free], blobs.areas[free])


def _flattened(
    picture: Color, small: Color, scale: float, blobs: Blobs, colors: Colors, placing: Placing
) -> UnmarkedSheet | Trouble:
    placings = (placing, *placing.others)
    rectified = max(
        (rectify(small, blobs, other) for other in placings),
        key=lambda rectified: rectified.fit.everywhere,
    )
    placing = rectified.placing
    surface = rectified.surface
    outline = mapped(surface.homography, paper_corners(placing.edition))
    a, b, c, d = ((x, y) for x, y in ((outline + 0.5) * scale - 0.5).tolist())
    corners: Corners = (a, b, c, d)
    if surface.scale() * scale < LEAST_PX_PER_MM:
        return Trouble("too-small", TOO_SMALL, corners)
    proof = _proof(rectified)
    if proof is None:
        return Trouble("cut-off", CUT_OFF, corners)
    if proof < PROOF or not _has_its_colors(rectified, colors):
        return Trouble("unknown-pad", UNKNOWN, corners)
    image = surface.flattened(picture, FLAT_PX_PER_MM, scale)
    visible = _visible(surface, small, image)
    hidden = _hidden(image, placing)
    boxes = {field.id: field.box for field in placing.edition.paper(placing.board).fields}
    for name in hidden:
        box = boxes[name]
        left, top, right, bottom = (
            max(round(side * FLAT_PX_PER_MM), 0)
            for side in (box.x, box.y, box.x + box.width, box.y + box.height)
        )
        visible[top:bottom, left:right] = False
    if len(hidden) > MOST_HIDDEN * len(boxes):
        return Trouble("cut-off", CUT_OFF, corners)
    return UnmarkedSheet(replace(rectified, image=image), image, corners, visible)


def _proof(rectified: Rectified) -> float | None:
    """The share of outlines other than landmarks that were found, as the mean over groups.

    None if none of them is in the photo.
    """
    placing = rectified.placing
    fit = rectified.fit
    groups: dict[str, list[bool]] = {}
    for name, is_found, is_in in zip(
        outline_names(placing.edition), fit.is_found, fit.is_inside, strict=True
    ):
        if is_in and name not in placing.edition.landmarks:
            groups.setdefault(name.partition(".")[0], []).append(bool(is_found))
    shares = [np.mean(found) for found in groups.values() if len(found) >= FEW]
    return float(np.mean(shares)) if shares else None


def _has_its_colors(rectified: Rectified, colors: Colors) -> bool:
    """Whether the landmarks have the board's colours, and these the right hues."""
    placing = rectified.placing
    mine = signature(placing.edition, placing.board)
    count, around, _ = mine.points.shape
    places = rectified.surface.to_photo(mine.points.reshape(-1, 2)).reshape(count, around, 2)
    found, inside = colors.at(places)
    if likeness(found, inside, mine) < SAME_HUES:
        return False
    is_told = not placing.edition.sheet.boards
    return is_told or agreement(found, inside & mine.is_landmark, mine) >= SAME_BOARD


def _is_inside(places: Matrix, picture: Color) -> npt.NDArray[np.bool_]:
    size = np.array(picture.shape[1::-1])
    return np.asarray(np.all((places >= 0) & (places <= size - 1), axis=1))


def _visible(surface: Surface, picture: Color, image: Color) -> npt.NDArray[np.bool_]:
    """Which pixels of the flattened sheet the photo shows."""
    height, width = image.shape[:2]
    step = 8
    y, x = np.mgrid[0 : height + step : step, 0 : width + step : step]
    points = (np.stack([x.ravel(), y.ravel()], axis=1) + 0.5) / FLAT_PX_PER_MM
    inside = _is_inside(surface.to_photo(points), picture).reshape(x.shape)
    whole = cv2.resize(
        inside.astype(np.uint8),
        (x.shape[1] * step, x.shape[0] * step),
        interpolation=cv2.INTER_NEAREST,
    )
    return np.asarray(whole[:height, :width] > 0)


def _hidden(image: Color, placing: Placing) -> list[str]:
    """The fields whose colour is not that of their kind: a finger, a pen or glare covers them."""
    mine = signature(placing.edition, placing.board)
    colors = Colors(image)
    points: Matrix = mine.points * FLAT_PX_PER_MM - 0.5
    found, inside = colors.at(points)
    off = residuals(found, inside, mine)
    fields = {field.id for field in placing.edition.paper(placing.board).fields}
    return [
        name
        for name, difference in zip(mine.names, off, strict=False)
        if difference > HIDDEN and name in fields
    ]
