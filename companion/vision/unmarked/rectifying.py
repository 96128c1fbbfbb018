"""Flattens a sheet without markers, even if the paper is bent, by the edges of its fields."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition
from companion.core.shapes import inset
from companion.core.sheet import Box, Millimetres
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.flat.matching import (
    Displacements,
    Fit,
    fit_spline_to,
    from_flat_pad,
    is_at_rim,
    peak,
)
from companion.vision.flat.print_model import BESIDE, FINE, Float, cut_with_margin, outline_template
from companion.vision.mapping.plane import Matrix, inverse, mapped
from companion.vision.mapping.spline import Grid, Places, Spline
from companion.vision.mapping.surface import Surface
from companion.vision.unmarked.blobs import Blobs, Color
from companion.vision.unmarked.placing import Placing
from companion.vision.unmarked.targets import found_near, targets_of

KNOTS: Final[Millimetres] = 18.0  # Spacing of the spline's knots
# Cost of bending; publishers' sheets are card, or blocks of paper that lie flat
STIFFNESS: Final = 3e6
# How far from its expected place each outline is searched for, round by round
REACHES: Final[tuple[Millimetres, ...]] = (1.2, 0.6)
# The most further rounds, with the first reach, where the place is known only roughly, as long as
# fewer than `MANY_FOUND` are found and each round finds `GROWN` more: where paper curls away, a
# round places the next row. Without them the rows of a bent sheet of bars are lost.
GROWING: Final = 3
MANY_FOUND: Final = 0.6
GROWN: Final = 0.03
# How often areas are searched for with the paper bent to those found before; with two rounds, one
# of 25 curled sheets has a field that is 1.6 mm off
AREA_ROUNDS: Final = 6
AREA_DEVIATION: Final[Millimetres] = 0.15
BAR_DEVIATION: Final[Millimetres] = 0.6  # Standard deviation of a place along a bar
LEAST_FOUND: Final = 0.35  # The share of outlines below which they are noise
# Standard deviation of an outline's place at a correlation of 1
DEVIATION: Final[Millimetres] = 0.08
FOUND: Final = 0.4  # The least correlation of an outline that counts as found
# The fields within this distance of a field, in units, show whether it is where it seems to be
AROUND: Final = 2.3
PLACED: Final = 0.2  # The least share of them that must have been found
SETTLED: Final = 0.7  # The share below which outlines are searched for together
# How often outlines are located together where the paper curls away; otherwise the ends of rows of
# touching fields are lost
GROWTHS: Final = 3
# How far away, in units; at half a unit a field could be taken for its neighbour
FARTHEST: Final = 0.45
TOGETHER_AROUND: Final = 1.6  # The distance, in units, up to which outlines are found together
FEWEST_TOGETHER: Final = 4  # The fewest outlines that together show where they are
TOGETHER: Final[Millimetres] = 0.5  # By how much outlines that are searched for together may differ
# The width of a thick printed line, whose two edges are found as one
LINE: Final[Millimetres] = 0.8
# The difference in colour, of 255, below which a field does not stand out from the ground
ALIKE: Final = 25
CORNER: Final = 0.12  # Corner radius of a square field, roughly, as a share of its height


@dataclass(frozen=True, eq=False)
class Rectified:
    placing: Placing
    surface: Surface  # maps the paper to the photo
    image: Color  # BGR, the whole paper at `FLAT_PX_PER_MM`, (height, width, 3)
    fit: Fit
    scores: Float  # (n,): how far each outline is seen at its place, 0 to 1, as a correlation
    # (n, 2): the centres of fields at which an area or an outline was found, in millimetres
    places: Matrix


def rectify(picture: Color, blobs: Blobs, placing: Placing) -> Rectified:
    """The sheet flattened.

    Args:
        picture: the photo, BGR, in which it was placed.
        blobs: the areas found in it.
    """
    edition = placing.edition
    paper = edition.paper(placing.board)
    model = _model(edition)
    grid = Grid(paper.width, paper.height, KNOTS)
    flat = Spline(grid, np.zeros((2, *grid.counts)))
    surface = Surface(placing.homography, paper.width, paper.height, flat)
    at, by = np.empty((2, 0, 2)) if placing.bends is None else placing.bends
    bars = Displacements(at, by, np.full(len(at), BAR_DEVIATION))
    surface, areas = _bent_to_areas(surface, grid, blobs, edition, bars)
    anchors, is_rough = [bars, areas], placing.bends is not None
    surface, seen, scores = _bent_to_outlines(picture, surface, grid, model, anchors, is_rough)
    lost = _lost_outlines(picture, surface, model, areas, seen, edition.unit)
    for _ in range(GROWTHS):
        if len(lost) < FEWEST_TOGETHER:
            break
        together = _located_together(picture, surface, model, lost, edition.unit)
        others = replace(seen, deviation=seen.deviation.copy())
        others.deviation[lost] = np.inf
        grown = replace(surface, bend=fit_spline_to(grid, [*anchors, others, together], STIFFNESS))
        grown, again, anew = _bent_to_outlines(picture, grown, grid, model, anchors, False)
        still_lost = _lost_outlines(picture, grown, model, areas, again, edition.unit)
        if len(still_lost) >= len(lost):
            break
        surface, seen, scores, lost = grown, again, anew, still_lost
    is_inside = surface.is_inside(picture[..., 0], model.boxes)
    fit = Fit(seen.at, np.isfinite(seen.deviation) & is_inside, is_inside)
    image = surface.flattened(picture, FLAT_PX_PER_MM)
    places = np.concatenate([areas.at, fit.at[fit.is_found]])
    return Rectified(placing, surface, image, fit, scores, places)


def _lost_outlines(
    picture: Color,
    surface: Surface,
    model: _Model,
    areas: Displacements,
    seen: Displacements,
    unit: Millimetres,
) -> Places:
    """The outlines in the photo around which too little was found."""
    places = np.concatenate([areas.at, seen.at[np.isfinite(seen.deviation)]])
    is_inside = surface.is_inside(picture[..., 0], model.boxes)
    return np.flatnonzero(is_inside & ~is_placed_mask(seen.at, places, unit, SETTLED))


def _bent_to_outlines(
    picture: Color,
    surface: Surface,
    grid: Grid,
    model: _Model,
    anchors: list[Displacements],
    is_rough: bool,
) -> tuple[Surface, Displacements, Float]:
    """(the surface bent so that outlines lie on edges in the photo, where they are, how well)."""
    before = -1.0
    for reach in (*(REACHES[0],) * (GROWING if is_rough else 0), *REACHES):
        if reach == REACHES[0] and before >= MANY_FOUND:
            continue
        near = edges(surface.flattened(picture, FINE))
        seen, scores = _located(near, surface, model, reach)
        share = float(np.isfinite(seen.deviation).mean())
        if share >= LEAST_FOUND:
            surface = replace(surface, bend=fit_spline_to(grid, [*anchors, seen], STIFFNESS))
        before = share if is_rough and share > before + GROWN else 1.0
    return surface, seen, scores


def is_placed_mask(
    centers: Matrix, places: Matrix, unit: Millimetres, least: float = PLACED
) -> npt.NDArray[np.bool_]:
    """Whether enough fields around each one were found to locate it, (n,).

    Args:
        centers: (n, 2), of the fields.
        places: (m, 2), the centres of those at which an area or an outline was found.
    """
    gaps = np.linalg.norm(centers[:, np.newaxis] - places[np.newaxis], axis=2)
    around = np.linalg.norm(centers[:, np.newaxis] - centers[np.newaxis], axis=2)
    is_found = gaps.min(axis=1, initial=np.inf) < unit / 4
    is_near = around < AROUND * unit
    return np.asarray((is_near & is_found).sum(axis=1) >= least * is_near.sum(axis=1))


def _located_together(
    picture: Color, surface: Surface, model: _Model, lost: Places, unit: Millimetres
) -> Displacements:
    """Measures where outlines are of which hardly any was found, because the paper curls away."""
    # Those around each are searched for at the same distance; alone, each could be taken for its
    # neighbour
    near, far = edges(surface.flattened(picture, FINE)), round(FARTHEST * unit * FINE)
    soft = []
    for place in lost:
        around = cut_with_margin(near, model.boxes[place], FINE, BESIDE, far)
        alone = cv2.matchTemplate(around, model.templates[place], cv2.TM_CCORR)
        soft.append(cv2.GaussianBlur(alone, (0, 0), TOGETHER * FINE))
    scores = np.stack(soft)
    at = np.array([model.boxes[place].center for place in lost])
    is_around = np.linalg.norm(at[:, np.newaxis] - at, axis=2) < TOGETHER_AROUND * unit
    by, deviation = np.zeros_like(at), np.full(len(at), np.inf)
    for place, group in enumerate(is_around):
        sums = scores[group].sum(axis=0)
        moved, row, column = peak(sums)
        if group.sum() >= FEWEST_TOGETHER and not is_at_rim(sums, row, column):
            by[place], deviation[place] = moved / FINE, AREA_DEVIATION
    return from_flat_pad(surface, at, by, deviation)


def _bent_to_areas(
    surface: Surface, grid: Grid, blobs: Blobs, edition: Edition, bars: Displacements
) -> tuple[Surface, Displacements]:
    """The surface bent so that fields lie where areas are, and how far these are from flat."""
    # Each round finds more of them where the paper curls away
    printed, sizes = targets_of(edition, False)
    seen = Displacements(np.empty((0, 2)), np.empty((0, 2)), np.empty(0))
    for _ in range(AREA_ROUNDS):
        expected = printed + surface.bend.at(printed)
        places, areas = found_near(surface.homography, expected, sizes, blobs)
        at = printed[places]
        by = mapped(inverse(surface.homography), blobs.centers[areas]) - at
        if len(at) <= len(seen.at):
            break
        seen = Displacements(at, by, np.full(len(at), AREA_DEVIATION))
        surface = replace(surface, bend=fit_spline_to(grid, [bars, seen], STIFFNESS))
    return surface, seen


def _located(
    near: Float, surface: Surface, model: _Model, reach: Millimetres
) -> tuple[Displacements, Float]:
    """Measures where each outline is in a picture that was flattened with `surface`.

    Returns:
        The displacements, and each outline's correlation there, (n,); 0 at the rim of its reach.
    """
    at, by, deviation, seen = [], [], [], []
    for box, edge, lines in zip(model.boxes, model.templates, model.lined, strict=True):
        around = cut_with_margin(near, box, FINE, BESIDE, round(reach * FINE))
        for template in (edge, *lines):
            scores = np.asarray(cv2.matchTemplate(around, template, cv2.TM_CCORR), np.float32)
            moved, row, column = peak(scores)
            here = around[row : row + template.shape[0], column : column + template.shape[1]]
            # Writing inside also has edges, so only the pixels of the template count.
            counted = here[template != 0]
            energy = float(np.linalg.norm(counted - counted.mean()))
            score = float(scores[row, column]) / max(energy, 1e-6)
            score = 0.0 if is_at_rim(scores, row, column) else score
            is_found = score > FOUND
            if is_found:
                break
        at.append(box.center)
        by.append(moved / FINE)
        deviation.append(DEVIATION / score**2 if is_found else np.inf)
        seen.append(max(score, 0.0))
    displaced = from_flat_pad(surface, np.array(at), np.array(by), np.array(deviation))
    return displaced, np.array(seen, np.float32)


def edges(flat: Color) -> Float:
    """How much colours change at each pixel, about 0 to 1, whatever the colours are."""
    kernel = np.ones((3, 3), np.uint8)
    soft = cv2.GaussianBlur(flat, (3, 3), 0)
    blue, green, red = cv2.split(cv2.morphologyEx(soft, cv2.MORPH_GRADIENT, kernel))
    # Ten times as fast as NumPy's maximum over so short an axis.
    change = cv2.max(cv2.max(blue, green), red).astype(np.float32)
    # Strong edges, of stars and letters, count no more than those of a pale box.
    level = cv2.blur(change, (61, 61)) * np.float32(2) + np.float32(6)
    return np.asarray(np.minimum(change / level, np.float32(1)), np.float32)


def outline_names(edition: Edition) -> list[str]:
    """The fields and blanks whose outlines `Rectified.fit` has, in its order."""
    # Rings are left out: they are thinner than what is printed in them, and are seldom found
    board = edition.sheet.usual_board
    paper, prints = edition.paper(board), edition.prints[board]
    return [name for name in paper.places if not prints[name].ring]


@dataclass(frozen=True, eq=False)
class _Model:
    """The outlines of an edition's fields and blanks."""

    boxes: tuple[Box, ...]
    templates: tuple[Float, ...]  # as `PrintModel.templates`
    # The same as a thick line, where a field has the ground's colour and only its line shows
    lined: tuple[tuple[Float, ...], ...]


@cache
def _model(edition: Edition) -> _Model:
    paper = edition.paper(edition.sheet.usual_board)
    names = outline_names(edition)
    boxes = tuple(paper.places[name].box for name in names)
    picture = np.zeros((round(paper.height * FINE), round(paper.width * FINE), 3), np.uint8)
    for patch in edition.patches:
        _fill(picture, patch.box, "square", 110)
    lined = picture.copy()
    for place in paper.places.values():
        _fill(picture, place.box, place.shape, 255)
        _fill(lined, inset(place.box, -LINE / 2), place.shape, 255)
        _fill(lined, inset(place.box, LINE / 2), place.shape, 0)
    templates, thick = (
        [outline_template(drawn, box, FINE) for box in boxes]
        for drawn in (edges(picture), edges(lined))
    )
    board = edition.sheet.usual_board
    fills = np.array([edition.prints[board][name].fill for name in names], float)
    is_ground = np.abs(fills - edition.grounds[board]).max(axis=1) < ALIKE
    shown = tuple((line,) if same else () for line, same in zip(thick, is_ground, strict=True))
    return _Model(boxes, tuple(templates), shown)


def _fill(picture: Color, box: Box, shape: str, level: int) -> None:
    away = []
    for middle, side, pixels in zip(
        box.center, (box.width, box.height), picture.shape[1::-1], strict=True
    ):
        half = side / 2 * FINE
        radius = CORNER * box.height * FINE if shape == "square" else half
        off = np.abs(np.arange(pixels) + 0.5 - middle * FINE)
        away.append(np.maximum(off - half + radius, 0) / radius)
    columns, rows = (np.flatnonzero(each <= 1) for each in away)
    inside = np.hypot.outer(away[1][rows], away[0][columns]) <= 1
    picture[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1][inside] = level
