"""Finds and reads a table in a photo in which no sheet was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.words import Sentence
from companion.games import ruled_layout as layout
from companion.games.ruled_table import field_name
from companion.vision.core import FieldReading, Trouble
from companion.vision.tables import cells, columns, grid, known, ruling
from companion.vision.tables.columns import Numbers
from companion.vision.tables.grid import SURE, Grid
from companion.vision.tables.known import KnownSheets
from companion.vision.tables.lattice import Lattice, find_lattice

TRIES: Final = 2  # How many groups of numbers without lines are read

NOT_NUMBERS: Final = Trouble(
    "no-sheet",
    Sentence(
        "There are ruled lines in this photo, but no table of numbers between them that can be"
        " read. Take the photo from above, so that the table fills the picture."
    ),
)


@dataclass(frozen=True, eq=False)
class FoundTable:
    """A table that was read; its corners are in the photo's pixels."""

    grid: Grid
    board: str
    fields: dict[str, FieldReading]
    unsure: tuple[str, ...]
    known: KnownSheets | None = None

    @property
    def corners(self) -> npt.NDArray[np.float64]:
        """(4, 2): those of all its lines, from the top left clockwise."""
        corners = self.grid.flat.lattice.corners
        return np.array([corners[0, 0], corners[0, -1], corners[-1, -1], corners[-1, 0]])

    def picture(self, photo: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """The table in the photo as its paper has it, with its heads and without gaps."""
        shown = self.known.grid if self.known else self.grid
        rows = [(row, layout.HEIGHT) for row in (*shown.head_rows, *shown.rows)]
        heads = [(column, layout.HEAD) for column in shown.head_columns]
        columns = [*heads, *((column, layout.WIDTH) for column in shown.columns)]
        return cells.flattened(shown.flat.lattice, rows, columns, photo)


def find_table(photo: npt.NDArray[np.uint8]) -> FoundTable | Trouble | None:
    """The table of numbers in a photo, gray; why there is none; None without anything like it."""
    reduction = min(1.0, ruling.SIDE / max(photo.shape))
    small = cv2.resize(photo, None, fx=reduction, fy=reduction, interpolation=cv2.INTER_AREA)
    gray = np.asarray(small, np.uint8)
    segments = ruling.segments(gray)
    tables = ruling.tables(segments)
    ruled = find_lattice(tables[0], np.concatenate(tables)) if tables else None
    numbers = columns.find_numbers(gray, segments)
    for lattice, is_ruled in _tries(ruled, numbers):
        # Integers are the centres of pixels in both.
        corners = (lattice.corners + 0.5) / reduction - 0.5
        found = grid.find_grid(replace(lattice, corners=corners), photo, is_ruled=is_ruled)
        if found:
            return _read(found)
    return NOT_NUMBERS if ruled is not None else None


def _tries(ruled: Lattice | None, numbers: Sequence[Numbers]) -> list[tuple[Lattice, bool]]:
    """(cells that may be a table's, whether their lines are drawn), the likeliest first.

    Lines are trusted where each of their cells has the digits of one number.
    """
    by_numbers = [(each.lattice, False) for each in numbers[:TRIES]]
    if ruled is None:
        return by_numbers
    if not numbers:
        return [(ruled, True)]
    trimmed = columns.trimmed(ruled, numbers[0])
    if columns.is_explained(trimmed, numbers[0]):
        return [(trimmed, True)]
    return [*by_numbers[:1], (ruled, True)]


def _read(found: Grid) -> FoundTable:
    size = (len(found.rows), len(found.columns))
    heads = (len(found.head_rows), len(found.head_columns))
    fields = {field_name(*at): field for at, field in sorted(grid.readings(found).items())}
    unsure = [name for name, field in fields.items() if field.confidence < SURE]
    unsure.sort(key=lambda name: fields[name].confidence)
    board = layout.board_of(*size, *heads)
    return FoundTable(found, board, fields, tuple(unsure), known.find_known(found))
