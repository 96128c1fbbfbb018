"""Estimates how the paper is bent, from where its printed outlines appear in the photo.

The markers' corners give a first estimate. Then groups of outlines are located near their expected
places, then every outline by itself. One smooth surface is fitted to all measurements; outliers
(pens, shadows, fingers) lose their weight. Where the markers say too little, because the paper is
strongly curled or some are missing, the surface is grown from the markers step by step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import Millimetres
from companion.vision.flat.print_model import (
    BESIDE,
    COARSE,
    FINE,
    Float,
    PrintModel,
    cut_with_margin,
    lines,
    print_model,
    reduced,
)
from companion.vision.mapping.plane import Matrix, inverse, mapped
from companion.vision.mapping.spline import Grid, Spline, fit_spline
from companion.vision.mapping.surface import ALONE, Raster, Surface
from companion.vision.markers.grouping import FoundPad
from companion.vision.markers.seeking import Gray

KNOTS: Final[Millimetres] = 11.0
# Spacing of the spline's knots for single outlines; for markers and groups of outlines
ROUGH_KNOTS: Final[Millimetres] = 24.0
STIFFNESS: Final = 8e5
ROUGH_STIFFNESS: Final = 1e5  # Cost of bending for them; see `spline.fit_spline`

# Outlines this close to a field show whether the surface is right there
NEAR: Final[Millimetres] = 15.0
# An outline whose centre is this close to a field's is the outline of that field
HERE: Final[Millimetres] = 0.5
VOTES_REACH: Final[Millimetres] = 4.5  # How far from its expected place a group is searched for
# A first correction above this means a fold between the markers, and a second round: of 12 pads
# with a fold of 18 to 25 degrees, two lack one or two outlines in a hundred without it
NEWS: Final[Millimetres] = 1.2

CONVINCING: Final = 0.95  # The share of outlines found from which on no other surface is tried
# How far from the known part of a pad a growing surface takes up groups of outlines
STEP: Final[Millimetres] = 34.0
GROWTHS: Final = 20  # The most steps of a growing surface; each covers about `STEP`
# The largest distance of neighbouring outlines between which the surface is certain
LINK: Final[Millimetres] = 18.0
# A surface has stopped growing when no further group was found and none moved by more; where it
# ends with the last group, a folded pad has 90 instead of 95 outlines in a hundred
SETTLED: Final[Millimetres] = 0.25

# How far from its expected place each outline is searched for, round by round
REACHES: Final[tuple[Millimetres, ...]] = (1.5, 0.6)
# The least correlation of an outline that counts as found. Outlines of another pad reach 0.2; those
# of the right pad reach at least 0.3 when blurred or written on, and 0.7 when clean.
FOUND: Final = 0.22
# The least strength of an outline, as a share of the usual outline's, that counts as found. Of
# 19,300 outlines in view none has less than 0.5, however written on, in glare or in shadow; what
# lies under a finger, a coin or a scrap of paper has up to 0.45, and noise there correlates, too.
SHOWN: Final = 0.48
# An outline that is farther from the fitted surface counts as lost; of 10,000, one is 0.08 off
ASTRAY: Final[Millimetres] = 0.15
# Standard deviation of an outline's place at a correlation of 1; it grows as that falls
DEVIATION: Final[Millimetres] = 0.03
# The least standard deviation of a measurement, because paper is not as smooth as a spline
LEAST: Final[Millimetres] = 0.05


@dataclass(frozen=True, eq=False)
class Displacements:
    """Displacements that were measured at points of a pad."""

    at: Matrix  # the points, (n, 2), in millimetres on the pad
    by: Matrix  # the apparent displacements, (n, 2), in millimetres
    # The expected standard deviations, (n,), in millimetres; infinite where nothing was found
    deviation: Matrix


def surface_from_markers(found: FoundPad) -> tuple[Surface, Displacements]:
    """The surface fitted to the markers alone, and the displacements of their corners."""
    paper = found.kind.paper
    printed = np.concatenate([found.kind.printed[corner] for corner in found.seen])
    points = np.concatenate([marker.corners for marker in found.seen.values()]).astype(np.float64)
    homography = found.homography
    by = mapped(inverse(homography), points) - printed
    seen = Displacements(printed, by, np.full(len(by), 0.05))
    bend = fit_spline_to(Grid(paper.width, paper.height, ROUGH_KNOTS), [seen], ROUGH_STIFFNESS)
    return Surface(homography, paper.width, paper.height, bend), seen


@dataclass(frozen=True, eq=False)
class Fit:
    """The printed outlines, and whether each was found where the surface has it."""

    at: Matrix  # the centres of the outlines, (n, 2), in millimetres on the pad
    is_found: npt.NDArray[np.bool_]  # whether each outline was found, (n,)
    is_inside: npt.NDArray[np.bool_]  # whether each outline is inside the photo, (n,)

    @property
    def everywhere(self) -> float:
        """The share of the outlines inside the photo that were found, 0 to 1."""
        return float(self.is_found[self.is_inside].mean()) if self.is_inside.any() else 0.0

    def around(self, place: tuple[Millimetres, Millimetres]) -> float:
        """The share of the outlines within `NEAR` of a place and inside the photo that were found.

        It is 1 where nothing is printed.
        """
        near = (np.linalg.norm(self.at - place, axis=1) < NEAR) & self.is_inside
        return float(self.is_found[near].mean()) if near.any() else 1.0

    def is_lost(self, place: tuple[Millimetres, Millimetres]) -> bool:
        """Whether an outline is centred at this place and was not found."""
        here = np.linalg.norm(self.at - place, axis=1) < HERE
        return bool(here.any() and not self.is_found[here].any())

    def connected(self, origins: Matrix) -> Fit:
        """The fit with those outlines alone that others connect with one of the origins."""
        # The print repeats. Beyond a gap a surface may be off by a whole row of boxes.
        found = self.at[self.is_found]
        apart = np.linalg.norm(found[:, np.newaxis] - found, axis=2) < LINK
        reached = np.linalg.norm(found[:, np.newaxis] - origins, axis=2).min(axis=1) < STEP
        while np.any(grown := apart[reached].any(axis=0) & ~reached):
            reached |= grown
        is_found = self.is_found.copy()
        is_found[self.is_found] = reached
        return replace(self, is_found=is_found)


def fit_surface(
    gray: Gray, found: FoundPad, first: Surface, corners: Displacements
) -> tuple[Surface, Fit]:
    """The surface fitted to markers and printed outlines, and how well it fits.

    Args:
        gray: the photo in which the pad was found.
        first: the surface from the markers alone.
        corners: the displacements of their corners.
    """
    sheet, paper = found.kind.sheet, found.kind.paper
    model = print_model(paper, sheet.number, sheet.every_board.index(found.kind.board))
    base = lines(first.flattened(gray, FINE), FINE)
    rough = Grid(paper.width, paper.height, ROUGH_KNOTS)
    seen = _locate_groups(reduced(base), first, model, VOTES_REACH)
    surface = replace(first, bend=fit_spline_to(rough, [corners, seen], ROUGH_STIFFNESS))
    if np.abs(surface.bend.at(seen.at) - first.bend.at(seen.at)).max(initial=0.0) > NEWS:
        again = reduced(_reframed(base, first, surface))
        seen = _locate_groups(again, surface, model, VOTES_REACH)
        surface = replace(first, bend=fit_spline_to(rough, [corners, seen], ROUGH_STIFFNESS))
    surface, fit = _fit_outlines(gray, base, first, surface, corners, model)
    if fit.everywhere >= CONVINCING and not found.is_guess:
        return surface, fit
    grown = _grown(gray, first, corners, model)
    base = lines(grown.flattened(gray, FINE), FINE)
    other, other_fit = _fit_outlines(gray, base, grown, grown, corners, model)
    if np.count_nonzero(other_fit.is_found) > np.count_nonzero(fit.is_found):
        surface, fit = other, other_fit
    return surface, fit.connected(corners.at)


def _fit_outlines(
    gray: Gray,
    base: Float,
    before: Surface,
    surface: Surface,
    corners: Displacements,
    model: PrintModel,
) -> tuple[Surface, Fit]:
    """A surface fitted to single outlines, and how well it fits.

    Args:
        base: the pad's lines, flattened with `before`.
        surface: a rough estimate.
        corners: of the markers.
    """
    near = _reframed(base, before, surface)
    # Pens are darker than the outlines, and are clipped to them.
    level = np.median(near[model.mask])
    base, near = np.minimum(base, level), np.minimum(near, level)
    knots = Grid(surface.width, surface.height, KNOTS)
    for reach in REACHES:
        near = _reframed(base, before, surface) if reach < REACHES[0] else near
        seen = _locate_outlines(near, surface, model, reach)
        surface = replace(surface, bend=fit_spline_to(knots, [corners, seen], STIFFNESS))
    is_inside = surface.is_inside(gray, [outline.box for outline in model.outlines])
    off = np.linalg.norm(seen.by - surface.bend.at(seen.at), axis=1)
    is_found = np.isfinite(seen.deviation) & (off < ASTRAY) & is_inside
    return surface, Fit(seen.at, is_found, is_inside)


def _grown(gray: Gray, first: Surface, corners: Displacements, model: PrintModel) -> Surface:
    """A rough surface that grows from the markers, some of the outlines at a time.

    Each step takes up what is found close to the known part, where the surface can be continued.
    Farther off, the print could be mistaken for its neighbours, as it repeats.
    """
    rough = Grid(first.width, first.height, ROUGH_KNOTS)
    surface, known = first, np.zeros(len(model.groups), bool)
    for _ in range(GROWTHS):
        fine = lines(surface.flattened(gray, FINE), FINE)
        seen = _locate_groups(reduced(fine), surface, model, VOTES_REACH)
        origins = np.concatenate([corners.at, seen.at[known]])
        apart = np.linalg.norm(seen.at[:, np.newaxis] - origins, axis=2).min(axis=1)
        taken = np.isfinite(seen.deviation) & (apart < STEP)
        near = Displacements(seen.at, seen.by, np.where(taken, seen.deviation, np.inf))
        grown = replace(first, bend=fit_spline_to(rough, [corners, near], ROUGH_STIFFNESS))
        moved = np.abs(grown.bend.at(seen.at) - surface.bend.at(seen.at))[taken]
        surface = grown
        if not np.any(taken & ~known) and moved.max(initial=0.0) < SETTLED:
            break
        known = taken
    return surface


def _reframed(base: Float, before: Surface, after: Surface) -> Float:
    """A picture that was flattened with one surface, resampled as if flattened with another."""
    raster = Raster(after.width, after.height, FINE)
    x, y = raster.millimetres
    old = before.bend.on_grid(x, y).astype(np.float32)
    aim = np.stack(np.meshgrid(x, y), axis=-1) + after.bend.on_grid(x, y)
    places = aim - old
    for _ in range(2):
        there = cv2.remap(
            old, raster.steps(places), ALONE, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        places = aim - there
    moved = cv2.remap(base, raster.between(places * FINE - 0.5), ALONE, cv2.INTER_LINEAR)
    return np.asarray(moved, np.float32)


def _locate_groups(
    coarse: Float, surface: Surface, model: PrintModel, reach: Millimetres
) -> Displacements:
    """Measures where groups of outlines are in a picture that was flattened with `surface`."""
    far = round(reach * COARSE)
    votes = np.empty((len(model.outlines), 2 * far + 1, 2 * far + 1), np.float32)
    for place, (outline, template) in enumerate(
        zip(model.outlines, model.coarse_templates, strict=True)
    ):
        around = cut_with_margin(coarse, outline.box, COARSE, BESIDE, far)
        scores = cv2.matchTemplate(around, template, cv2.TM_CCORR)
        inner = around[far:-far, far:-far]
        votes[place] = scores * (1 / max(cv2.norm(inner), 1e-6))
    at, by, deviation = [], [], []
    for middle, members in model.groups:
        together = votes[members].mean(axis=0)
        moved, row, column = peak(together)
        at.append(middle)
        by.append(moved / COARSE)
        deviation.append(np.inf if is_at_rim(together, row, column) else 0.3)
    places, moves = np.reshape(at, (-1, 2)), np.reshape(by, (-1, 2))  # a single row has no groups
    return from_flat_pad(surface, places, moves, np.array(deviation))


def _locate_outlines(
    fine: Float, surface: Surface, model: PrintModel, reach: Millimetres
) -> Displacements:
    """Measures where each outline is in a picture that was flattened with `surface`."""
    at, by, deviation, strength = [], [], [], []
    for outline, template in zip(model.outlines, model.templates, strict=True):
        around = cut_with_margin(fine, outline.box, FINE, BESIDE, round(reach * FINE))
        scores = np.asarray(cv2.matchTemplate(around, template, cv2.TM_CCORR), np.float32)
        moved, row, column = peak(scores)
        here = around[row : row + template.shape[0], column : column + template.shape[1]]
        # A normalized correlation does not depend on how dark or blurred the print is.
        score = float(scores[row, column]) / max(cv2.norm(here), 1e-6)
        is_found = score > FOUND and not is_at_rim(scores, row, column)
        at.append(outline.box.center)
        by.append(moved / FINE)
        deviation.append(DEVIATION / score**2 if is_found else np.inf)
        strength.append(scores[row, column])
    is_shown = np.array(strength) > SHOWN * np.median(strength)
    return from_flat_pad(surface, np.array(at), np.array(by), np.where(is_shown, deviation, np.inf))


def is_at_rim(scores: Float, row: int, column: int) -> bool:
    """Whether the true peak may lie outside the scores."""
    return row in (0, scores.shape[0] - 1) or column in (0, scores.shape[1] - 1)


def peak(scores: Float) -> tuple[Matrix, int, int]:
    """(subpixel offset (x, y) from the middle, row, column) of the highest score."""
    _, _, _, (column, row) = cv2.minMaxLoc(scores)
    rows, columns = scores.shape
    x, y = column - (columns - 1) / 2, row - (rows - 1) / 2
    if 0 < column < columns - 1:
        x += _vertex(*map(float, scores[row, column - 1 : column + 2]))
    if 0 < row < rows - 1:
        y += _vertex(*map(float, scores[row - 1 : row + 2, column]))
    return np.array([x, y]), row, column


def _vertex(before: float, top: float, after: float) -> float:
    """The offset of the vertex of a parabola through three neighbours from the middle one."""
    bend = before - 2 * top + after
    return 0.0 if bend >= 0 else (before - after) / (2 * bend)


def from_flat_pad(surface: Surface, at: Matrix, by: Matrix, deviation: Matrix) -> Displacements:
    """Offsets measured in a flattened picture, as displacements from a flat pad."""
    return Displacements(at, by + surface.bend.at(at + by), deviation)


def fit_spline_to(grid: Grid, seen: list[Displacements], stiffness: float) -> Spline:
    at = np.concatenate([part.at for part in seen])
    by = np.concatenate([part.by for part in seen])
    deviation = np.concatenate([part.deviation for part in seen])
    known = np.isfinite(deviation)
    return fit_spline(grid, at[known], by[known], np.maximum(deviation[known], LEAST), stiffness)
