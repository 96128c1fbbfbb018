"""The markers in a pad's corners: which one stands where, and how it is drawn.

A marker's id says sheet, board and corner:

    id = (sheet · 8 + board) · 4 + corner

`sheet` is the sheet's own number (qwinto 0, encore 1, tally 2; 3 to 6 are free, so there is room
for four more), `board` the place in the sheet's list of boards (0 where there is but one), `corner`
0 top left, 1 top right, 2 bottom right, 3 bottom left. All four markers of a pad are upright. 224
of the dictionary's 250 ids can come up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal, TypeAlias

from companion.pads.aruco_bits import BITS, NAME, SIDE
from companion.sheets.core import Box, Millimetres

DICTIONARY: Final = NAME

Corner: TypeAlias = Literal["top-left", "top-right", "bottom-right", "bottom-left"]
CORNERS: Final[tuple[Corner, ...]] = ("top-left", "top-right", "bottom-right", "bottom-left")

SHEETS: Final = 7
BOARDS: Final = 8

CELLS: Final = SIDE + 2
"""Cells across a marker, with its black border."""

MARKER: Final[Millimetres] = 10.0
"""A marker's side. In a 12-megapixel photo of a whole table, 1.2 m wide, a cell is 4.7 pixels."""
INSET: Final[Millimetres] = 3.0
"""From the pad's cut edge to the marker."""
QUIET: Final[Millimetres] = MARKER / CELLS
"""White all around a marker, one cell, without which it is not found."""


@dataclass(frozen=True)
class Marker:
    """A marker on a pad."""

    id: int
    corner: Corner
    box: Box


def marker_id(sheet: int, board: int, corner: Corner) -> int:
    """The id of a corner's marker; see the module's text."""
    if not (0 <= sheet < SHEETS and 0 <= board < BOARDS):
        raise ValueError(f"no marker is left for sheet {sheet}, board {board}")
    return (sheet * BOARDS + board) * len(CORNERS) + CORNERS.index(corner)


def meaning(number: int) -> tuple[int, int, Corner] | None:
    """(sheet's number, board's place, corner) of an id, or None for one that no pad has."""
    pad, corner = divmod(number, len(CORNERS))
    sheet, board = divmod(pad, BOARDS)
    return (sheet, board, CORNERS[corner]) if number >= 0 and sheet < SHEETS else None


def markers(sheet: int, board: int, width: Millimetres, height: Millimetres) -> tuple[Marker, ...]:
    """The four markers of a pad, from its top left corner."""
    right, bottom = width - INSET - MARKER, height - INSET - MARKER
    places = ((INSET, INSET), (right, INSET), (right, bottom), (INSET, bottom))
    return tuple(
        Marker(marker_id(sheet, board, corner), corner, Box(*place, MARKER, MARKER))
        for corner, place in zip(CORNERS, places, strict=True)
    )


def is_black(number: int, row: int, column: int) -> bool:
    """Whether a cell is black; rows and columns count from 0 with the border, outside is white."""
    if not (0 <= row < CELLS and 0 <= column < CELLS):
        return False
    if not (1 <= row <= SIDE and 1 <= column <= SIDE):
        return True
    place = (row - 1) * SIDE + (column - 1)
    return not BITS[number] >> (SIDE * SIDE - 1 - place) & 1


@cache
def path(number: int) -> str:
    """An SVG path of all black cells, for `fill-rule="evenodd"`, in a square from 0 to `MARKER`.

    It follows the outline. A rectangle for each cell would leave hairlines between them in some
    viewers.
    """
    step = MARKER / CELLS
    loops = (
        "M" + "L".join(f"{x * step:.4f} {y * step:.4f}" for x, y in loop) + "z"
        for loop in _outlines(number)
    )
    return "".join(loops)


def _outlines(number: int) -> Iterator[list[tuple[int, int]]]:
    """The corners of each closed line between black and white."""
    edges: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for row in range(CELLS):
        for column in range(CELLS):
            if not is_black(number, row, column):
                continue
            # Clockwise around the black cell, wherever a white one is beside it.
            corners = ((column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1))
            beside = ((row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1))
            for place, neighbor in enumerate(beside):
                if not is_black(number, *neighbor):
                    edges.setdefault(corners[place], []).append(corners[(place + 1) % 4])
    while edges:
        start = at = next(iter(edges))
        loop = []
        while True:
            loop.append(at)
            ends = edges[at]
            following = ends.pop()
            if not ends:
                del edges[at]
            at = following
            if at == start:
                break
        yield _corners_of(loop)


def _corners_of(loop: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The loop without the points at which it goes straight on."""
    return [
        point
        for before, point, after in zip(
            loop[-1:] + loop[:-1], loop, loop[1:] + loop[:1], strict=True
        )
        if (before[0] - point[0], before[1] - point[1])
        != (point[0] - after[0], point[1] - after[1])
    ]
