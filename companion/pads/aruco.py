"""Draws markers. Their places on a sheet are in `companion.core.markers`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from companion.core.markers import CELLS, MARKER, SIDE
from companion.pads.aruco_bits import BITS


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
            # Clockwise around the black cell, along each side with a white cell beyond it.
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
