"""The markers in a pad's corners: their ids, and their places.

The pads print them and the reader finds them. A marker's id encodes sheet, board and corner:

    id = (sheet · 8 + board) · 4 + corner

`sheet` is the number of the sheet's kind (0 to 6), `board` the place in the kind's list of boards
(0 where there is only one), `corner` 0 top left, 1 top right, 2 bottom right, 3 bottom left. All
four markers of a pad are upright. 224 of the dictionary's 250 ids can be used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from companion.core.sheet import Box, Millimetres

DICTIONARY: Final = "DICT_5X5_250"  # OpenCV's name for the set of markers
SIDE: Final = 5  # Cells across and down, without the black border of one cell

Corner: TypeAlias = Literal["top-left", "top-right", "bottom-right", "bottom-left"]
CORNERS: Final[tuple[Corner, ...]] = ("top-left", "top-right", "bottom-right", "bottom-left")

SHEETS: Final = 7
BOARDS: Final = 8

CELLS: Final = SIDE + 2  # Cells across a marker, with its black border

# A marker's side. In a 12-megapixel photo of a whole table, 1.2 m wide, a cell is 4.7 pixels.
MARKER: Final[Millimetres] = 10.0
INSET: Final[Millimetres] = 3.0  # The distance from the pad's cut edge to the marker
# The white margin around a marker, one cell wide, without which it is not found
QUIET: Final[Millimetres] = MARKER / CELLS


@dataclass(frozen=True)
class Marker:
    """A marker on a pad."""

    id: int
    corner: Corner
    box: Box


def marker_id(sheet: int, board: int, corner: Corner) -> int:
    """The id of a corner's marker; the module's docstring has the formula."""
    if not (0 <= sheet < SHEETS and 0 <= board < BOARDS):
        raise ValueError(f"no marker is left for sheet {sheet}, board {board}")
    return (sheet * BOARDS + board) * len(CORNERS) + CORNERS.index(corner)


def meaning(number: int) -> tuple[int, int, Corner] | None:
    """(sheet's number, board's place, corner) of an id, or None for one that no pad has."""
    pad, corner = divmod(number, len(CORNERS))
    sheet, board = divmod(pad, BOARDS)
    return (sheet, board, CORNERS[corner]) if number >= 0 and sheet < SHEETS else None


def on_pad(sheet: int, board: int, width: Millimetres, height: Millimetres) -> tuple[Marker, ...]:
    """The four markers of a pad, from its top left corner."""
    right, bottom = width - INSET - MARKER, height - INSET - MARKER
    places = ((INSET, INSET), (right, INSET), (right, bottom), (INSET, bottom))
    return tuple(
        Marker(marker_id(sheet, board, corner), corner, Box(*place, MARKER, MARKER))
        for corner, place in zip(CORNERS, places, strict=True)
    )
