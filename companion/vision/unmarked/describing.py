"""An edition described by a photo of a blank sheet: its fields' places, and its colours.

A known edition of the same sheet says which fields there are, and their print.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import cv2
import numpy as np

from companion.core.edition import Edition, Rgb, edition
from companion.games.catalog import SHEETS
from companion.vision.core import FLAT_PX_PER_MM, Corners
from companion.vision.flat.print_model import Float
from companion.vision.mapping.plane import Matrix, mapped
from companion.vision.unmarked.blobs import Blobs, Color, find_blobs
from companion.vision.unmarked.lattices import find_lattices
from companion.vision.unmarked.placing import Effort, Placing, edition_corners, place
from companion.vision.unmarked.rectifying import edges
from companion.vision.unmarked.signature import Colors, agreement, signature

Table: TypeAlias = dict[str, Any]
"""An edition as its file has it; see `docs/editions.md`."""

LATTICES: Final = 6
"""The most lattices of the paper that are compared with the known edition."""
SURE: Final = 0.9
"""The agreement of colours from which no further lattice is compared."""
UPRIGHT: Final = 0.25
"""The most that the fields as a whole may be larger, smaller or turned, as a share."""
REACH: Final = 0.75
"""How far from their known place all fields of a row are sought, in units."""
NEAR: Final = 0.15
"""The largest distance of a field from its place in a row, in units."""
FARTHER: Final = 0.25
"""Cost of a unit's distance from the known place, as a share of the fields of the row."""
ENOUGH: Final = 0.4
"""The least share of a row's fields that place it."""
ROUNDS: Final = 4
"""How often the fields of a row are sought, each time at the places that the last time tells."""
WHOLE: Final = (0.85, 1.15)
"""Side of an area, as a share of the known field's, between which it is the field and no disc."""
RIM: Final = 0.42
"""Where a disc's colour is measured, as a share of its diameter from the centre."""
SHARP: Final = 0.09
"""The largest correction of a field's place and size by its edges, in units and as a share."""
PULL: Final = 0.5
"""Cost of a unit of such a correction, in edge strength, 0 to 1."""
DECIMALS: Final = 3


def placed(picture: Color, corners: Corners, like: Mapping[str, Any]) -> Table:
    """The known table with its rows where the photo shows them.

    Args:
        picture: BGR.
        corners: the paper's corners in it, clockwise from the top left one of the print.
        like: the table of a known edition of the same sheet.
    """
    known = edition(SHEETS[like["sheet"]], like)
    flat = _flat_paper(picture, corners, known)
    blobs = find_blobs(flat)
    whole = _whole(flat, blobs, known, like)
    table: Table = deepcopy(dict(like))
    lines = _lines(table, blobs, whole)
    near = np.asarray(cv2.GaussianBlur(edges(flat), (3, 3), 0), np.float32)
    lines = {name: _sharpened(line, name, table, known, near) for name, line in lines.items()}
    first = lines[table["fields"][0]["id"]]
    unit = first.axes[0] * np.array([1.0, _height(table, lines)])
    origin = first.pixels(np.zeros((1, 2)))[0]
    for row in (*table["fields"], *table["blanks"]):
        line = lines[row["id"]]
        at = (line.pixels(points(row)) - origin) / unit
        for axis, values in zip(("x", "y"), at.T.round(DECIMALS).tolist(), strict=True):
            row[axis] = values if isinstance(row[axis], list) else values[0]
        row["size"] = [round(side * line.growth, DECIMALS) for side in row["size"]]
    for patch in table.get("patches", ()):
        _move_patch(patch, like, lines, whole, origin, unit)
    ends = (np.array([[0, 0], flat.shape[1::-1]]) - origin) / unit
    table["edge"] = ends.round(DECIMALS).ravel().tolist()
    return table


def _flat_paper(picture: Color, corners: Corners, made: Edition) -> Color:
    """The paper between four corners at `FLAT_PX_PER_MM`, BGR, as large as the edition's."""
    whole = edition_corners(made) * FLAT_PX_PER_MM
    matrix = cv2.getPerspectiveTransform(np.array(corners, np.float32), whole.astype(np.float32))
    width, height = np.round(whole[2]).astype(int).tolist()
    return np.asarray(cv2.warpPerspective(picture, matrix, (width, height)), np.uint8)


def points(row: Mapping[str, Any]) -> Matrix:
    """The centres of a row's fields in units, (n, 2)."""
    parts = [
        row[axis] if isinstance(row[axis], list) else [row[axis]] * len(row["each"])
        for axis in ("x", "y")
    ]
    return np.array(parts, float).T


@dataclass(frozen=True, eq=False)
class _Line:
    """Where rows of one name lie on the flattened paper."""

    axes: Matrix
    """(2,): pixels of a unit to the right and down."""
    origin: Matrix
    """(2,): the pixel of the known table's origin."""
    growth: float = 1.0
    """The size of its fields, as a share of the known one."""
    found: Matrix | None = None
    """(n, 4): a field's place in units and in pixels, of those that were found."""
    heights: tuple[float, ...] = ()
    """Height by width of these fields in pixels, as a share of the known one."""

    def pixels(self, at: Matrix) -> Matrix:
        """Points in units, (n, 2), as pixels."""
        return at * self.axes + self.origin


def _fitted(before: _Line, at: Matrix, seen: Matrix) -> _Line:
    """The line through points; an axis along which they do not reach far keeps its unit."""
    axes, origin = before.axes.copy(), before.origin.copy()
    for axis in (0, 1):
        if np.ptp(at[:, axis]) > 2:
            axes[axis], origin[axis] = np.polyfit(at[:, axis], seen[:, axis], 1)
        else:
            origin[axis] = np.median(seen[:, axis] - at[:, axis] * axes[axis])
    return _Line(axes, origin)


def _whole(flat: Color, blobs: Blobs, known: Edition, like: Mapping[str, Any]) -> _Line:
    """Where all of the print lies, roughly: as the known edition's lattice does, or its paper."""
    unit = known.unit * FLAT_PX_PER_MM
    line = _Line(np.full(2, unit), -np.array(like["edge"][:2]) * unit)
    colors, best = Colors(flat), None
    for lattice in find_lattices(blobs)[:LATTICES]:
        for part in filter(None, (lattice, lattice.core)):
            placing = place(part, blobs, colors, (known,), Effort())
            if placing is not None and _is_upright(placing, known):
                best = placing if best is None or placing.rank > best.rank else best
        if best is not None and best.score >= SURE:
            break
    if best is None:
        return line
    at = np.concatenate([points(row) for row in like["fields"]])
    millimetres = (at - like["edge"][:2]) * known.unit
    return _fitted(line, at, mapped(best.homography, millimetres))


def _is_upright(placing: Placing, known: Edition) -> bool:
    """Whether the print fills the paper about as in the known edition."""
    paper = edition_corners(known)
    off = mapped(placing.homography, paper) / FLAT_PX_PER_MM - paper
    return bool(np.abs(off).max() < UPRIGHT * paper.max())


def _lines(table: Table, blobs: Blobs, whole: _Line) -> dict[str, _Line]:
    """Name of rows → where they lie. Rows that are not found lie as those around them."""
    lines: dict[str, _Line] = {}
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for row in (*table["fields"], *table["blanks"]):
        rows.setdefault(row["id"], []).append(row)
    for name, parts in rows.items():
        at = np.concatenate([points(row) for row in parts])
        sizes = np.concatenate([np.tile(row["size"], (len(row["each"]), 1)) for row in parts])
        if line := _line(at, sizes, blobs, whole):
            lines[name] = line
    if lines:
        seen = np.concatenate([line.found for line in lines.values() if line.found is not None])
        whole = _fitted(whole, seen[:, :2], seen[:, 2:])
    return {name: lines.get(name, whole) for name in rows}


def _line(at: Matrix, sizes: Matrix, blobs: Blobs, whole: _Line) -> _Line | None:
    """Where rows of one name lie; None where too few of their fields are found."""
    if not len(blobs.areas):
        return None
    unit = float(whole.axes[0])
    line, enough = whole, max(2, ENOUGH * len(at))
    for round_ in range(ROUNDS):
        expected = line.pixels(at)
        off = blobs.centers[np.newaxis] - expected[:, np.newaxis]
        share = (
            np.sqrt(blobs.areas) / np.sqrt(sizes.prod(axis=1) * whole.axes.prod())[:, np.newaxis]
        )
        off[(share < 0.55) | (share > 1.25)] = np.inf
        shift = _shift(off, unit) if not round_ else np.zeros(2)
        gaps = np.linalg.norm(off - shift, axis=2)
        nearest = gaps.argmin(axis=1)
        fields = np.flatnonzero(gaps.min(axis=1) < NEAR * unit)
        if len(fields) < enough:
            return None
        mine = nearest[fields]
        line = _fitted(line, at[fields], blobs.centers[mine])
    grown = share[fields, mine]
    grown = grown[(grown > WHOLE[0]) & (grown < WHOLE[1])]
    slant = blobs.shapes[mine, 1, 1] / blobs.shapes[mine, 0, 0]
    heights = np.sqrt(slant) * sizes[fields, 0] / sizes[fields, 1]
    found = np.hstack([at[fields], blobs.centers[mine]])
    growth = float(np.median(grown)) if len(grown) else 1.0
    return _Line(line.axes, line.origin, growth, found, tuple(heights.tolist()))


def _sharpened(line: _Line, name: str, table: Table, known: Edition, near: Float) -> _Line:
    """The line with its fields' outlines where edges are.

    Args:
        near: `rectifying.edges` of the flattened paper.
    """
    rows = [row for row in (*table["fields"], *table["blanks"]) if row["id"] == name]
    paper = known.paper(known.sheet.usual_board)
    ways = []
    for row in rows:
        shape = paper.places[name.format(row["each"][0])].shape
        outline = (_SQUARE if shape == "square" else _CIRCLE) * np.array(row["size"]) / 2
        ways.append(np.repeat(outline[np.newaxis], len(row["each"]), axis=0))
    around = np.concatenate(ways)
    middle = np.concatenate([points(row) for row in rows])[:, np.newaxis] * line.axes + line.origin

    def strength(growth: float, shift: Matrix) -> float:
        pull = abs(growth - line.growth) + float(np.abs(shift / line.axes).sum())
        at = middle + around * line.axes * growth + shift
        whole = np.clip(np.round(at - 0.5).astype(int), 0, np.array(near.shape[::-1]) - 1)
        return float(near[whole[..., 1], whole[..., 0]].mean()) - PULL * pull

    growth, shift = line.growth, np.zeros(2)
    if any(row.get("ring") for row in rows):
        # A ring has an edge on both sides, and its field ends at neither.
        return replace(line, growth=1.0)
    steps = np.linspace(-SHARP, SHARP, 13)
    for _ in range(2):
        growth = max(growth + steps, key=lambda new: strength(new, shift))
        for axis in np.eye(2):
            moved = [shift + step * line.axes * axis for step in steps / 3]
            shift = max(moved, key=lambda new: strength(growth, new))
    return replace(line, origin=line.origin + shift, growth=float(growth))


_CIRCLE: Final = np.array([(np.cos(a), np.sin(a)) for a in np.arange(32) / 16 * np.pi])
_SIDES: Final = np.array(
    [(side, along) for side in (-1.0, 1.0) for along in np.linspace(-0.75, 0.75, 8)]
)
_SQUARE: Final = np.concatenate([_SIDES, _SIDES[:, ::-1]])
"""Points of an outline that is two wide and high, around its centre."""


def _shift(off: Matrix, unit: float) -> Matrix:
    """By how many pixels most fields of a row lie beside where they are expected, (2,).

    Args:
        off: (fields, areas, 2), how far each area is from each field.
    """
    near = np.abs(off).max(axis=2) < REACH * unit
    best, most = np.zeros(2), 0.0
    for way in off[near]:
        hits = (np.linalg.norm(off - way, axis=2) < NEAR * unit).any(axis=1).sum()
        score = float(hits) - FARTHER * len(off) * float(np.linalg.norm(way)) / unit
        if score > most:
            best, most = way, score
    return best


def _height(table: Table, lines: Mapping[str, _Line]) -> float:
    """A unit's height by its width in pixels: how much the paper's corners stretch it."""
    landmarks = {row["id"] for row in table["fields"] if row.get("landmark")}
    seen = [part for name in landmarks for part in lines[name].heights]
    return float(np.median(seen)) if seen else 1.0


def _move_patch(
    patch: Table,
    like: Mapping[str, Any],
    lines: Mapping[str, _Line],
    whole: _Line,
    origin: Matrix,
    unit: Matrix,
) -> None:
    """Moves a printed area with the rows that lie on it."""
    at, size = np.array(patch["at"], float), np.array(patch["size"], float)
    line = next(
        (lines[row["id"]] for row in like["fields"] if (np.abs(points(row) - at) < size / 2).all()),
        whole,
    )
    patch["at"] = ((line.pixels(at) - origin) / unit).round(DECIMALS).tolist()
    patch["size"] = (size * line.axes / unit).round(DECIMALS).tolist()


def colored(picture: Color, corners: Corners, table: Mapping[str, Any]) -> Table:
    """The table with the colours that its fields, patches and ground have in a photo.

    The print's inks stay as they are, and so do the grounds of boards that are not in the photo.
    """
    made = edition(SHEETS[table["sheet"]], table)
    flat = _flat_paper(picture, corners, made)
    board = _board(made, flat)
    mine, prints, paper = signature(made, board), made.prints[board], made.paper(board)
    seen = _medians(flat, mine.points)
    printed: dict[Rgb, list[Matrix]] = {}
    for name, color in zip(mine.names, seen, strict=False):
        printed.setdefault(prints[name].fill, []).append(color)
    around = np.array([(0, 1), (1, 0), (0, -1), (-1, 0), (0.7, 0.7), (-0.7, 0.7)])
    for name, printed_there in prints.items():
        if (disc := printed_there.disc) is not None:
            box = paper.places[name].box
            at = box.center + around * RIM * printed_there.disc_size * box.width
            printed.setdefault(disc, []).append(_medians(flat, at[np.newaxis])[0])
    new: Table = deepcopy(dict(table))
    for name, color in new["colors"].items():
        new["colors"][name] = _middle(printed.get(tuple(color), ()), color)
    between, free = mine.points[len(mine.names) :].mean(axis=1), seen[len(mine.names) :]
    covered = np.zeros(len(between), bool)
    for patch, area in zip(new.get("patches", ()), made.patches, strict=True):
        box = area.box
        inside = (np.abs(between - box.center) < np.array([box.width, box.height]) / 2).all(axis=1)
        patch["color"] = _middle(free[inside], patch["color"])
        covered |= inside
    ground = board or "all"
    new["grounds"][ground] = _middle(free[~covered], new["grounds"][ground])
    return new


def _board(made: Edition, flat: Color) -> str:
    """The board whose colours lie as those of the photo do; "" where there are none."""
    colors = Colors(flat)
    boards = made.sheet.every_board

    def likely(board: str) -> float:
        mine = signature(made, board)
        found, inside = colors.at(mine.points * FLAT_PX_PER_MM)
        return agreement(found, inside, mine)

    return max(boards, key=likely) if len(boards) > 1 else boards[0]


def _medians(flat: Color, places: Matrix) -> Matrix:
    """The colour of each part, (n, 3), red, green and blue; places (n, k, 2) in millimetres."""
    whole = np.round(places * FLAT_PX_PER_MM).astype(int)
    limits = np.array(flat.shape[1::-1]) - 1
    at = np.clip(whole, 0, limits)
    return np.asarray(np.median(flat[at[..., 1], at[..., 0], ::-1], axis=1))


def _middle(colors: Sequence[Matrix] | Matrix, otherwise: Sequence[int]) -> list[int]:
    """The median of some colours, or another one where there are none."""
    if not len(colors):
        return list(otherwise)
    return [round(float(part)) for part in np.median(np.array(colors), axis=0)]
