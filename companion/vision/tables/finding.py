"""Finds and reads a table in a photo in which no sheet was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.words import N_, Sentence
from companion.games import ruled_layout as layout
from companion.games.ruled_table import field_name
from companion.vision.core import FieldReading, Trouble, as_corners
from companion.vision.tables import cells, columns, grid, known, ruling
from companion.vision.tables.columns import Numbers
from companion.vision.tables.grid import SURE, Examined, Grid
from companion.vision.tables.known import KnownSheets
from companion.vision.tables.lattice import Lattice, find_lattice
from companion.vision.tables.ruling import Segments

TRIES: Final = 2  # How many groups of numbers without lines are read
FULL: Final = 0.85  # The share of cells with digits from which a second group may be a table
SEVERAL: Final = 3  # The fewest digits beside a table that are told of
# The share of a table's cells, and the fewest, that nobody is asked about one by one
DOUBTFUL, MOST_ASKED = 0.5, 24

NOT_NUMBERS: Final = Sentence(
    "There are ruled lines in this photo, but no table of numbers between them that can be"
    " read. Take the photo from above, so that the table fills the picture."
)
UNREADABLE: Final = N_(
    "Something is written in %(rows)s rows and %(columns)s columns in this photo, but it could "
    "not be read as a table of numbers. Take the photo from closer up, sharp and in even light."
)
IN_DOUBT: Final = N_(
    "There is a table of %(rows)s rows and %(columns)s columns in this photo, but %(doubtful)s "
    "of its numbers are in doubt. Take the photo from closer up, sharp and in even light, or "
    "type it in."
)
ANOTHER: Final = Sentence(
    "There is a second table of numbers in this photo, which was not read. Take a photo of each."
)
BESIDE: Final = Sentence(
    "There is writing beside the table that was read. See whether a column or a row is missing."
)


@dataclass(frozen=True, eq=False)
class FoundTable:
    """A table that was read; its corners are in the photo's pixels."""

    grid: Grid
    board: str
    fields: dict[str, FieldReading]
    unsure: tuple[str, ...]
    known: KnownSheets | None = None
    notes: tuple[Trouble, ...] = ()  # what else there is in the photo

    @property
    def corners(self) -> npt.NDArray[np.float64]:
        """(4, 2): those of all its lines, from the top left clockwise."""
        return self.grid.flat.lattice.outline

    def picture(self, photo: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """The table in the photo as its paper has it, with its heads and without gaps."""
        shown = self.known.grid if self.known else self.grid
        rows = [(row, layout.HEIGHT) for row in (*shown.head_rows, *shown.rows)]
        heads = [(column, layout.HEAD) for column in shown.head_columns]
        columns = [*heads, *((column, layout.WIDTH) for column in shown.columns)]
        return cells.flattened(shown.flat.lattice, rows, columns, photo)


@dataclass(frozen=True, eq=False)
class Search:
    """A table that was sought in a photo, and what was seen on the way; places are its pixels."""

    table: FoundTable | Trouble | None  # what was read, why nothing was; None without any of it
    segments: Segments  # both edges of the lines
    numbers: Sequence[Numbers]  # what may be tables of numbers
    examined: Sequence[Examined]  # The last one is the table, if it was read.


def find_table(photo: npt.NDArray[np.uint8]) -> Search:
    """Seeks a table of numbers in a photo, gray."""
    reduction = min(1.0, ruling.SIDE / max(photo.shape))
    small = cv2.resize(photo, None, fx=reduction, fy=reduction, interpolation=cv2.INTER_AREA)
    gray = np.asarray(small, np.uint8)
    segments = ruling.segments(gray)
    tables = ruling.tables(segments)
    ruled = find_lattice(tables[0], np.concatenate(tables)) if tables else None
    numbers = columns.find_numbers(gray, segments)
    # Integers are the centres of pixels in both.
    numbers = [each.scaled(1 / reduction) for each in numbers]
    examined: list[Examined] = []
    search = Search(None, (segments + 0.5) / reduction - 0.5, numbers, examined)
    tries = _tries(ruled and ruled.scaled(1 / reduction), numbers)
    for lattice, is_ruled in tries:
        if not is_ruled and not _is_inside(lattice, photo):
            # rows of numbers that are printed on something larger
            examined.append(Examined(lattice, is_ruled, "goes on beyond the photo"))
            continue
        examined.append(grid.examine(lattice, photo, is_ruled=is_ruled))
        if found := examined[-1].table:
            return replace(search, table=_read(found, photo, numbers))
    if numbers and numbers[0].fill >= FULL:
        rows, across = numbers[0].lattice.corners.shape[:2]
        refusal = _refused(UNREADABLE, numbers[0].lattice, (rows - 1, across - 1))
        return replace(search, table=refusal)
    if ruled:
        outline = as_corners(tries[0][0].outline)
        return replace(search, table=Trouble("no-sheet", NOT_NUMBERS, outline))
    return search


def _is_inside(lattice: Lattice, photo: npt.NDArray[np.uint8]) -> bool:
    height, width = photo.shape
    return bool((lattice.outline >= 0).all() and (lattice.outline <= (width, height)).all())


def _refused(text: str, lattice: Lattice, size: Sequence[int], **values: int) -> Trouble:
    values |= {"rows": int(size[0]), "columns": int(size[1])}
    return Trouble("no-sheet", Sentence(text, values), as_corners(lattice.outline))


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


def _read(
    found: Grid, photo: npt.NDArray[np.uint8], numbers: Sequence[Numbers]
) -> FoundTable | Trouble:
    size = (len(found.rows), len(found.columns))
    heads = (len(found.head_rows), len(found.head_columns))
    fields = {field_name(*at): field for at, field in sorted(grid.readings(found).items())}
    unsure = [name for name, field in fields.items() if field.confidence < SURE]
    unsure.sort(key=lambda name: fields[name].confidence)
    sheets = known.find_known(found)
    lattice = found.flat.lattice
    if not sheets and len(unsure) > max(DOUBTFUL * len(fields), MOST_ASKED):
        return _refused(IN_DOUBT, lattice, size, doubtful=len(unsure))
    board = layout.board_of(*size, *heads)
    beside = () if sheets else tuple(notes(lattice, photo, numbers))
    return FoundTable(found, board, fields, tuple(unsure), sheets, beside)


def notes(
    lattice: Lattice, photo: npt.NDArray[np.uint8], numbers: Sequence[Numbers]
) -> Iterator[Trouble]:
    """What a person should know of that is not in a table that was read."""
    size = np.array(lattice.corners.shape[:2]) - 1
    for other in numbers[:TRIES]:
        row, column = columns.places(lattice, other.nearby).T
        is_level = (row >= 0) & (row < size[0])
        is_inside = is_level & (column >= 0) & (column < size[1])
        if is_inside.mean() > 0.5:
            # Names and titles stand above it.
            sides = is_level & (column < 0), is_level & (column >= size[1]), row >= size[0]
            if max(int(side.sum()) for side in sides) >= SEVERAL:
                yield Trouble("beside-table", BESIDE)
        elif other.fill >= FULL and grid.examine(other.lattice, photo, is_ruled=False).table:
            yield Trouble("second-table", ANOTHER, as_corners(other.lattice.outline))
