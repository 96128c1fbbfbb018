"""Pictures of a publisher's fields for the networks, with ink separated from print.

The print of such a sheet is known only roughly. Many fields have the same print, though, so each
is aligned with its siblings, and what most of them show is its reference. Everything is a ratio to
the field's own paper, in logarithms; lamps and exposure cancel out.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any, Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import Edition
from companion.core.sheet import NUMBERS, Field, Kind, Millimetres, Shape
from companion.vision.core import FLAT_PX_PER_MM
from companion.vision.ink.cells import SIDE, Floats

# Kind of field → the margin that is cut out with it, as a share of its width. Numbers may be off
# the middle by half a field. Beyond the margin of a mark lies the next field, whose colour is no
# sibling's.
MARGINS: Final = {"number": 0.18, "digits": 1 / 11, "cross": 0.085, "value": 0.085}

# Added to brightness, of 255, before logarithms, so that noise in dark print stays small
DARKNESS: Final = 10.0
# The share of a field's inside that may be darker than its paper: print and ink
PAPER: Final = 0.75
# Discs inside fields end before this distance from the centre, as a share of the width
RIM: Final = 0.4
# Distance from a field's edge at which the print on that side is certain, as a share of its width
BESIDE: Final = 0.05
# The place of the reference among the siblings' values, 0 the darkest and 1 the palest. A minority
# of open fields shows the print, since ink darkens and seldom covers the same pixels.
REFERENCE: Final = 0.8
# The weight of a field's own hue beside its contrast to the ground, which ink and gaps change
HUE: Final = 3.0
# The weight of what hue alone says, because a frame may hide the ground: of 225 framed open fields
# all show 0.7 of their hue and more, and of 20 on which something lies none more than 0.55
HUE_ALONE: Final = 0.8
# The size of a print's colours, log ratios, below which they do not show whether it is in view
PLAIN: Final = 0.15
# How much darker a field's paper is than print in shadow where ink hides most of it
COVERED: Final = 0.1
INKED: Final = 60  # Pixels of a clear mark that are ink
LEAST_GRAIN: Final = 0.01  # The least standard deviation of a print's colours, log ratios
STRONGEST: Final = 0.08  # the share of the crosses, those with most ink, that show a pen's strength
# Least number of equal prints to align; fields with fewer take those of their shape and text
FEW: Final = 3
# Log ratio from which a difference counts as ink or glare when siblings are aligned
INK: Final = 0.3
# Log ratio of ground and paper below which a field's edge does not show its place
FLAT: Final = 0.25
# The most by which a field's place is corrected other than those around it
ALONE: Final[Millimetres] = 0.2
# Added to the squared gradients, because even print says nothing about its place
STIFFNESS: Final = 0.5
EDGE: Final = 1.0
# Log ratio from which a difference counts as ink, for each pass of the alignment by edges
EDGE_INK: Final = (1.0, 0.5)
NEIGHBOURS: Final = 8

# The channels of the pictures of marks. The last two are the same all over a picture.
CHANNELS: Final = (
    "brightness",
    "darker than equal prints",
    "darker than like prints",
    "change of colour",
    "reference",
    "spread of equal prints",
    "level",
    "equal prints",
)

_WELL_INSIDE: Final = np.hypot(*(np.mgrid[:SIDE, :SIDE] - (SIDE - 1) / 2)) < 0.4 * SIDE
_LUMA: Final = np.array((0.114, 0.587, 0.299), np.float32)
_LOGS: Final = np.log(np.arange(256, dtype=np.float32) + np.float32(DARKNESS))


@dataclass(frozen=True, eq=False)
class Siblings:
    """All fields of one flattened sheet, aligned with each other."""

    fields: tuple[Field, ...]
    values: Floats  # (fields, SIDE, SIDE, 3): logarithms of brightness as a share of the paper's
    counts: Floats  # (fields,): how many fields have an equal print, itself included
    # (fields, SIDE, SIDE, 3): `values` of the print alone, as the equal prints have it
    references: Floats
    # (fields, SIDE, SIDE): the luma of `references` as all fields of a like print have it
    like_references: Floats
    # (fields, SIDE, SIDE): how far the palest siblings' luma lies from the middle ones'
    spread: Floats
    # (fields,): the paper's luma relative to equal prints, and to the fields around it
    levels: Floats
    # (fields,): the share of the printed colours that is in view: about 1 in any light, 0 where
    # something lies on a field, or ink fills it; 1 where the print has the ground's colour
    shown: Floats

    @cached_property
    def _darker(self) -> Floats:
        return self.references - self.values

    @cached_property
    def strength(self) -> float:
        """The pen's strength, as a log ratio: the ink of the crosses with most ink.

        If fewer than `STRONGEST` are marked, it is that of the paper's grain; on a sheet without
        fields for crosses it is infinite.
        """
        crosses = [place for place, field in enumerate(self.fields) if field.kind == "cross"]
        if not crosses:
            return math.inf
        return float(np.percentile(self.strokes(crosses), 100 * (1 - STRONGEST)))

    def strokes(self, places: Sequence[int]) -> Floats:
        """The strength of the ink in some fields, or of their grain, (places,)."""
        darker = self._darker[np.asarray(places, np.intp)].max(axis=3)[:, _WELL_INSIDE]
        return np.asarray(np.percentile(darker, 97, axis=1) - np.median(darker, axis=1), np.float32)

    def marks(self, places: Sequence[int], gain: float = 1.0, pen: Floats | None = None) -> Floats:
        """The pictures of some marks: (places, channels, SIDE, SIDE), 0 to 1.

        Args:
            gain: by which the ink is made stronger.
            pen: the weights of blue, green and red in it; None for the channel with most ink.
        """
        at = np.asarray(places, np.intp)
        darker, values = self._darker[at] * np.float32(gain), self.values[at]
        luma = values @ _LUMA
        highest = darker.max(axis=3) if pen is None else np.asarray(darker @ pen, np.float32)
        lowest = darker.min(axis=3)
        constant = np.ones_like(luma)
        parts = (
            _unit(-luma, -0.4, 1.2),
            _unit(highest, -0.3, 1.0),
            _unit((self.like_references[at] - luma) * np.float32(gain), -0.5, 1.0),
            _unit(highest - lowest, 0.0, 0.8),
            _unit(-(self.references[at] @ _LUMA), -0.4, 1.2),
            _unit(self.spread[at], 0.0, 0.8),
            _unit(self.levels[at, np.newaxis, np.newaxis], -0.6, 0.6) * constant,
            _unit(self.counts[at, np.newaxis, np.newaxis], 0.0, 10.0) * constant,
        )
        return np.stack(parts, axis=1).astype(np.float32)

    def pen_on(self, bare: Places, marked: Places) -> Floats:
        """The weights of blue, green and red, (3,), with which a pen's ink stands out from a print.

        They are Fisher's discriminant: the ink's colour by the grain of the print. A red pen on red
        darkens hardly more than the red, in which there is little grain.

        Args:
            bare: fields of one colour that are surely empty.
            marked: fields that are surely marked, of the same colour if there are any.
        """
        inside = self._darker[:, _WELL_INSIDE]
        even = inside - np.median(inside, axis=1, keepdims=True)
        strokes = even[marked]
        inked = np.argsort(strokes.sum(axis=2), axis=1)[:, -INKED:, np.newaxis]
        ink = np.maximum(np.median(np.take_along_axis(strokes, inked, axis=1), axis=(0, 1)), 0)
        grain = np.cov(even[bare].reshape(-1, 3).T) + LEAST_GRAIN**2 * np.eye(3)
        weights = np.linalg.solve(grain, ink)
        return np.asarray(weights * ink.max() / max(float(weights @ ink), 1e-6), np.float32)

    def ink(self, places: Sequence[int]) -> Floats:
        """The ink in some fields, (places, 2, SIDE, SIDE): 0 is print or paper, 1 black ink.

        First in luma, which has little noise, then in the channel that a coloured pen darkens most.
        """
        darker = self._darker[np.asarray(places, np.intp)]
        both = np.stack((darker @ _LUMA, darker.max(axis=3)), axis=1)
        return np.asarray(1 - np.exp(-np.maximum(both, 0)), np.float32)


def _unit(values: Floats, lowest: float, highest: float) -> Floats:
    """Values from `lowest` to `highest` as 0 to 1; beyond these they are clipped."""
    scaled = (values - np.float32(lowest)) / np.float32(highest - lowest)
    return np.asarray(np.clip(scaled, 0, 1), np.float32)


def siblings(flat: npt.NDArray[np.uint8], edition: Edition, board: str) -> Siblings:
    """The fields of a flattened sheet, in the order of `edition.paper(board).fields`.

    Args:
        flat: BGR of shape (height, width, 3), at `FLAT_PX_PER_MM`, from the paper's top left
            corner; fields may lie partly outside it.
    """
    plan = _plan(edition, board)
    # A picture's pixel covers more than one of the sheet's.
    soft = np.asarray(cv2.GaussianBlur(flat, (0, 0), 0.6), np.uint8)
    gray = np.asarray(cv2.cvtColor(soft, cv2.COLOR_BGR2GRAY), np.uint8)
    values, papers, grounds = _normalized(_cut(soft, plan, _shifts(gray, plan)), plan)
    levels, filled = _levels(papers, grounds, plan)
    references, like_references, spread = _references(values, filled, plan)
    return Siblings(
        fields=plan.fields,
        values=values,
        counts=plan.counts,
        references=references,
        like_references=like_references,
        spread=spread,
        levels=np.asarray(levels @ _LUMA, np.float32),
        shown=_shown(papers, grounds, plan),
    )


def _shifts(gray: npt.NDArray[np.uint8], plan: _Plan) -> Floats:
    """The fields' offsets, right and down, from their places in the edition, (fields, 2), in mm."""
    shifts = np.zeros((len(plan.fields), 2), np.float32)
    for ink in EDGE_INK:
        shifts += _edge_steps(_cut(gray, plan, shifts)[..., 0], plan, ink)
        shifts = _calmed(shifts, plan)
    luma, _, grounds = _normalized(_cut(gray, plan, shifts), plan)
    return _calmed(shifts + _sibling_steps(luma[..., 0], grounds, plan), plan)


def _levels(papers: Floats, grounds: Floats, plan: _Plan) -> tuple[Floats, Floats]:
    """(how pale the papers are, (fields, 3); the same in the worst channel, (fields,)).

    Both are relative to equal prints; the second is negative where ink fills a field.

    Args:
        papers, grounds: as `_normalized` returns them.
    """
    levels, beside = np.empty_like(papers), np.empty_like(papers)
    for group in plan.equal:
        levels[group] = papers[group] - np.median(papers[group], axis=0)
        beside[group] = grounds[group] - np.median(grounds[group], axis=0)
    levels -= np.median(levels[plan.around], axis=1)
    # A shadow, unlike ink, darkens the ground beside a field, too.
    return levels, np.maximum(levels, -beside).min(axis=1)


def _references(values: Floats, filled: Floats, plan: _Plan) -> tuple[Floats, Floats, Floats]:
    """(`references`, `like_references`, `spread`) of `Siblings`; `filled` as of `_levels`."""
    references = np.empty_like(values)
    likes, spread = np.empty(values.shape[:3], np.float32), np.empty(values.shape[:3], np.float32)
    for group in plan.equal:
        ranked = np.sort(values[_palest(group, filled)], axis=0)
        references[group] = ranked[_rank(REFERENCE, len(ranked))]
        ranked = np.sort(values[group], axis=0)
        spread[group] = (ranked[_rank(0.9, len(group))] - ranked[_rank(0.5, len(group))]) @ _LUMA
    for group in plan.like:
        ranked = np.sort(values[_palest(group, filled)] @ _LUMA, axis=0)
        likes[group] = ranked[_rank(REFERENCE, len(ranked))]
    return references, likes, spread


def _shown(papers: Floats, grounds: Floats, plan: _Plan) -> Floats:
    """`Siblings.shown`: each field's colours projected on the median of equal prints'.

    Args:
        papers, grounds: as `_normalized` returns them.
    """
    hues = papers - papers.mean(axis=1, keepdims=True)
    hues = HUE * (hues - np.median(hues, axis=0))
    of_both, is_plain = _share_shown(np.concatenate([hues, grounds], axis=1), plan)
    of_hue, is_gray = _share_shown(hues, plan)
    # What lies on a field lies beside it, too, and has no contrast to itself.
    is_bare = ~is_gray & (np.linalg.norm(grounds, axis=1) > PLAIN)
    shares = np.where(is_bare, np.maximum(of_both, HUE_ALONE * of_hue), of_both)
    return np.where(is_plain, 1, shares).astype(np.float32)


def _share_shown(colors: Floats, plan: _Plan) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """(the share of the printed colours that fields show, whether they are too pale to tell)."""
    printed = np.empty_like(colors)
    for group in plan.equal:
        printed[group] = np.median(colors[group], axis=0)
    sizes = (printed**2).sum(axis=1)
    divisors: Floats = np.maximum(sizes, PLAIN**2)
    return (colors * printed).sum(axis=1) / divisors, sizes <= PLAIN**2


def _palest(group: Places, filled: Floats) -> Places:
    """Those of a group that have paper in view; values relative to ink would look too pale.

    They are at least `FEW`, if there are: a field's own ink must not pass for its print.
    """
    order = group[np.argsort(-filled[group], kind="stable")]
    return order[: max(int((filled[group] > -COVERED).sum()), FEW)]


Places: TypeAlias = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class _Plan:
    """Knowledge of a board before any photo: which fields are printed the same, and where."""

    fields: tuple[Field, ...]
    grids: Floats  # The points on the paper of each pixel of the pictures, (fields, SIDE, SIDE, 2)
    shapes: tuple[tuple[Kind, Shape, Places], ...]
    equal: tuple[Places, ...]  # Groups of fields whose print is also equal in colour
    like: tuple[Places, ...]  # Groups of fields of the same kind, shape and text
    counts: Floats  # The size of the group of `equal` of each field, (fields,)
    aligned: tuple[tuple[Places, Places], ...]  # (fields, those they are aligned with)
    around: Places  # The fields nearest to each field, (fields, NEIGHBOURS)


@cache
def _plan(edition: Edition, board: str) -> _Plan:
    fields = edition.paper(board).fields
    equal: dict[Hashable, list[int]] = {}
    like: dict[Hashable, list[int]] = {}
    shapes: dict[tuple[Kind, Shape], list[int]] = {}
    keys: list[tuple[Hashable, Hashable]] = []
    for place, field in enumerate(fields):
        printed = edition.prints[board][field.id]
        if field.kind in NUMBERS:
            # The print there is small, pale, and another number in each field.
            printed = replace(printed, text="")
        plain = replace(printed, text="") if field.kind == "cross" else printed
        is_disc = printed.disc is not None
        shape = (field.kind, field.shape, printed.text, printed.star, printed.ring, is_disc)
        keys.append(((field.kind, field.shape, plain), shape))
        equal.setdefault(keys[-1][0], []).append(place)
        like.setdefault(shape, []).append(place)
        shapes.setdefault((field.kind, field.shape), []).append(place)
    by_equal = {key: np.array(places) for key, places in equal.items()}
    by_like = {key: np.array(places) for key, places in like.items()}
    shape_of = dict(keys)
    aligned = []
    for key, group in by_equal.items():
        aligned.append((group, group if len(group) >= FEW else by_like[shape_of[key]]))
    centers = np.array([field.box.center for field in fields])
    away = np.linalg.norm(centers[:, np.newaxis] - centers, axis=2)
    return _Plan(
        fields,
        np.stack(list(map(_grid, fields))),
        tuple((kind, shape, np.array(places)) for (kind, shape), places in shapes.items()),
        tuple(by_equal.values()),
        tuple(by_like.values()),
        np.array([len(equal[key]) for key, _ in keys], np.float32),
        tuple(aligned),
        np.argsort(away, axis=1, kind="stable")[:, 1 : NEIGHBOURS + 1],
    )


def _grid(field: Field) -> Floats:
    """The points on the paper of each pixel of a field's picture, (SIDE, SIDE, 2)."""
    unit = (np.arange(SIDE) + 0.5) / SIDE - 0.5
    grid = np.stack(np.meshgrid(unit, unit), axis=-1) * _size(field) + field.box.center
    return np.asarray(grid, np.float32)


def _size(field: Field) -> Millimetres:
    """The side of a field's picture on the paper."""
    return max(field.box.width, field.box.height) * (1 + 2 * MARGINS[field.kind])


def _rank(share: float, count: int) -> int:
    return round(share * (count - 1))


def _cut(flat: npt.NDArray[np.uint8], plan: _Plan, shifts: Floats) -> Floats:
    """Logarithms of the fields' pictures, (fields, SIDE, SIDE, channels); shifts in millimetres."""
    at = (plan.grids + shifts[:, np.newaxis, np.newaxis]) * np.float32(FLAT_PX_PER_MM)
    at = at.reshape(-1, SIDE, 2) - np.float32(0.5)
    seen = cv2.remap(
        flat, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return np.asarray(_LOGS[seen].reshape(len(plan.fields), SIDE, SIDE, -1))


def _normalized(logs: Floats, plan: _Plan) -> tuple[Floats, Floats, Floats]:
    """(pictures relative to each field's paper and ground, papers, grounds relative to them)."""
    values = np.empty_like(logs)
    papers = np.empty((len(logs), logs.shape[3]), np.float32)
    grounds = np.empty_like(papers)
    for kind, shape, places in plan.shapes:
        inside, well_inside, _, outside = _areas(kind, shape)
        mine = logs[places]
        paper = _percentile(mine[:, well_inside], PAPER)
        around = _percentile(mine[:, outside], 0.5)
        values[places] = mine - np.where(
            inside[..., np.newaxis],
            paper[:, np.newaxis, np.newaxis],
            around[:, np.newaxis, np.newaxis],
        )
        papers[places], grounds[places] = paper, around - paper
    return values, papers, grounds


def _percentile(values: Floats, share: float) -> Floats:
    """The value at a share of the ranks along axis 1."""
    rank = _rank(share, values.shape[1])
    return np.asarray(np.partition(values, rank, axis=1)[:, rank])


Area: TypeAlias = npt.NDArray[np.bool_]


@cache
def _areas(kind: Kind, shape: Shape) -> tuple[Area, Area, Area, Area]:
    """(inside a field's edge, well inside, along the edge inside, beside it), each (SIDE, SIDE)."""
    unit = ((np.arange(SIDE) + 0.5) / SIDE - 0.5) * (1 + 2 * MARGINS[kind])
    x, y = np.meshgrid(unit, unit)
    if shape == "circle":
        reach = np.hypot(x, y)
    elif shape == "pentagon":
        sides = [math.radians(90 + 72 * side) for side in range(5)]
        # A regular pentagon that touches its box lies lower in it; its sides are 0.447 away.
        lower = y - 0.053
        far = [x * math.cos(side) + lower * math.sin(side) for side in sides]
        reach = np.max(far, axis=0) * (0.5 / 0.447)
    else:
        reach = np.maximum(np.abs(x), np.abs(y))
    # Beside a square the next one is near.
    near, far_off = (0.015, 0.06) if shape == "square" else (BESIDE, 1.0)
    return (
        reach < 0.5,
        reach < 0.5 - BESIDE,
        (reach > RIM) & (reach < 0.48),
        (reach > 0.5 + near) & (reach < 0.5 + far_off),
    )


def _edge_steps(logs: Floats, plan: _Plan, ink: float) -> Floats:
    """How far right and down of where they were cut out fields are, by their edges, in mm.

    One step of Gauss and Newton (Lucas and Kanade 1981) toward a field of even brightness on even
    ground. Ink, and whatever else differs, loses its weight.

    Args:
        ink: log ratio from which a difference loses its weight.
    """
    steps = np.zeros((len(logs), 2), np.float32)
    for kind, shape, places in plan.shapes:
        inside, _, rim, outside = _areas(kind, shape)
        mine = logs[places]
        paper = _percentile(mine[:, rim], 0.5)[:, np.newaxis, np.newaxis]
        around = _percentile(mine[:, outside], 0.5)[:, np.newaxis, np.newaxis]
        contrast = around - paper
        edge = cv2.GaussianBlur(1 - inside.astype(np.float32), (0, 0), EDGE)
        down, across = np.gradient(edge)
        soft = np.stack([cv2.GaussianBlur(picture, (0, 0), EDGE / 2) for picture in mine])
        rest = (soft - paper - contrast * edge) * (rim | outside | (edge > 0.1) & (edge < 0.9))
        steps[places] = _solved(rest, contrast * across, contrast * down, ink)
        steps[places] *= _size(plan.fields[int(places[0])]) / SIDE
    return steps


def _sibling_steps(values: Floats, grounds: Floats, plan: _Plan) -> Floats:
    """How far right and down of where they were cut out fields are, by the print inside them.

    As `_edge_steps`, but toward the siblings' median.

    Args:
        grounds: the ground's luma relative to each field's paper.
    """
    steps = np.zeros((len(values), 2), np.float32)
    soft = np.stack([cv2.GaussianBlur(picture, (0, 0), 1.0) for picture in values])
    for places, group in plan.aligned:
        if len(group) < FEW:
            continue
        field = plan.fields[int(places[0])]
        well_inside = _areas(field.kind, field.shape)[1]
        middle = np.median(soft[group], axis=0)
        # An outline may be all that shows the place of a field as bright as its ground.
        is_even = np.abs(grounds[places]).mean() < FLAT
        down, across = (part * (well_inside | is_even) for part in np.gradient(middle))
        steps[places] = _solved(soft[places] - middle, across, down, INK)
        steps[places] *= _size(field) / SIDE
    return steps


def _calmed(shifts: Floats, plan: _Plan) -> Floats:
    """The shifts, none far from those of the fields around: paper bends smoothly."""
    middle = np.median(shifts[plan.around], axis=1)
    return np.asarray(middle + np.clip(shifts - middle, -ALONE, ALONE), np.float32)


def _solved(
    rest: npt.NDArray[np.floating[Any]],
    across: npt.NDArray[np.floating[Any]],
    down: npt.NDArray[np.floating[Any]],
    ink: float,
) -> npt.NDArray[np.floating[Any]]:
    """The steps, in pixels, that make the residuals smallest, (fields, 2).

    Args:
        rest: what fields show beyond what is expected, (fields, SIDE, SIDE).
        across, down: the gradient of what is expected.
    """
    weight = 1 / (1 + (rest / ink) ** 2)
    xx, yy, xy, x, y = (
        (weight * part).sum(axis=(1, 2))
        for part in (across**2, down**2, across * down, across * rest, down * rest)
    )
    xx, yy = xx + STIFFNESS, yy + STIFFNESS
    # A field a step further right shows the expected picture minus its gradient times the step.
    steps = -np.stack((yy * x - xy * y, xx * y - xy * x), axis=1)
    return np.asarray(steps / (xx * yy - xy * xy)[:, np.newaxis])
