"""Finds and reads a table in a photo in which no sheet was found."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.words import N_, Sentence
from companion.games import grid_layout as layout
from companion.games.editions import known_grids
from companion.games.score_grid import field_name
from companion.vision.core import FieldReading, Trouble, as_corners
from companion.vision.grids import (
    beside,
    cells,
    columns,
    examining,
    grid,
    known,
    refusals,
    ruling,
    trimming,
)
from companion.vision.grids.cells import FlatGrid
from companion.vision.grids.columns import Numbers
from companion.vision.grids.completing import with_lost_lines
from companion.vision.grids.examining import Examined
from companion.vision.grids.grid import SURE, Grid
from companion.vision.grids.known import KnownSheets
from companion.vision.grids.lattice import Lattice, find_lattice
from companion.vision.grids.ruling import Segments
from companion.vision.mapping.plane import Matrix, inverse, mapped, scaling

# The photo in gray, and how pixels are mapped to its own
Larger: TypeAlias = Callable[[], tuple[npt.NDArray[np.uint8], Matrix]]
# Cells that may be a table's, and whether their lines are drawn, the likeliest first
Tries: TypeAlias = Sequence[tuple[Lattice, bool]]

SMALL: Final = 64.0  # A usual cell's height, in pixels, up to which a larger photo shows more
PLAIN: Final = 0.6  # The least share of sure numbers where a table's cells are the right ones
NEAR_EDGE: Final = 0.12  # How near the edge of a photo a table may go on, in heights of a cell
MOST_GAPS: Final = 3  # The most rows of a known table beside its own: its head, and gaps
TRIES: Final = 2  # How many groups of numbers without lines are read
HALF: Final = 0.5  # The least share of cells with digits in a table
FULL: Final = 0.85  # The share of cells with digits from which a second group may be a table
# A menu without lines: the share of its numbers with three digits and more, whose points are too
# small to be seen; the letters before a row; the share of rows that have them, or of columns that
# have names above them, so many rows away
PRICED, LETTERS, NAMED, ABOVE = 0.9, 3, 0.5, 2
# The share of unsure numbers up to which nobody looks at a table's mirror image
WELL_READ: Final = 0.25
# How much better the numbers must be read in the mirror image, and how well at least, 0 to 1
MIRRORED, LEGIBLE = 1.05, 0.3
# The largest share and number of doubtful numbers about which somebody is asked one by one
DOUBTFUL, MOST_ASKED = 0.5, 12
# The share of doubtful numbers from which a hand is hard to read, and the probability from which
# nobody is asked about its numbers
HARD, SURER = 0.1, 0.985

NOT_NUMBERS: Final = N_(
    "Lines of %(rows)s rows and %(columns)s columns can be seen in this photo, but no numbers"
    " between them that can be read. Take the photo from above, so that the table fills the"
    " picture, or type it in."
)
UNREADABLE: Final = N_(
    "Something is written in %(rows)s rows and %(columns)s columns in this photo, but it could "
    "not be read as a table of numbers. Take the photo from closer up, sharp and in even light, "
    "or type it in."
)
IN_DOUBT: Final = N_(
    "There is a table of %(rows)s rows and %(columns)s columns in this photo, but %(doubtful)s "
    "of its numbers are in doubt. Take the photo from closer up, sharp and in even light, or "
    "type it in."
)
CUT_OFF: Final = Sentence(
    "The table in this photo goes on beyond its edge. Take the photo so that all of the table is in"
    " it, with some paper around."
)
AT_EDGE: Final = Sentence(
    "The table reaches the edge of the photo. See whether a column or a row is missing."
)
ANOTHER: Final = Sentence(
    "There is a second table of numbers in this photo, which was not read. Take a photo of each."
)


@dataclass(frozen=True, eq=False)
class FoundGrid:
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

    @property
    def dashes(self) -> tuple[str, ...]:
        """The fields with a dash or slash that is read as 0."""
        found = []
        for place, writing in self.grid.written.items():
            if writing.is_dash and place[0] in self.grid.rows and place[1] in self.grid.columns:
                row, column = self.grid.rows.index(place[0]), self.grid.columns.index(place[1])
                found.append(field_name(row, column))
        return tuple(name for name in found if self.fields[name].value == 0)

    def picture(self, photo: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """The table in the photo as its paper has it, with its heads and without gaps."""
        shown = self.known.grid if self.known else self.grid
        rows = [(row, layout.HEIGHT) for row in (*shown.head_rows, *shown.rows)]
        heads = [(column, layout.HEAD) for column in shown.head_columns]
        columns = [*heads, *((column, layout.WIDTH) for column in shown.columns)]
        return cells.flattened(shown.flat.lattice, rows, columns, photo)


@dataclass(frozen=True, eq=False)
class Search:
    """The search for a table in a photo, and what it saw on the way; places are its pixels."""

    table: FoundGrid | Trouble | None  # what was read, why nothing was; None without any of it
    segments: Segments  # both edges of the lines
    numbers: Sequence[Numbers]  # what may be tables of numbers
    examined: Sequence[Examined]


def find_scores(photo: npt.NDArray[np.uint8], larger: Larger | None = None) -> Search:
    """Seeks a table of numbers in a photo, gray.

    Args:
        larger: the same photo in a larger size, if there is one, in which small cells are read, and
            in which all are searched for if this one is small.
    """
    larger = larger and cache(larger)  # It is decoded each time.
    gray, to_photo = _for_search(photo, larger)
    segments = ruling.segments(gray)
    tables = ruling.tables(segments)
    ruled = find_lattice(tables[0], np.concatenate(tables)) if tables else None
    ruled = ruled and with_lost_lines(ruled, gray)
    numbers = [each.moved(to_photo) for each in columns.find_numbers(gray, segments)]
    ends = mapped(to_photo, segments.reshape(-1, 2, 2)).reshape(-1, 4)
    tries = _tries(ruled and ruled.moved(to_photo), numbers, photo)
    examined: list[Examined] = []
    table = _known_surely(examined, tries, numbers, photo, larger)
    table = table or _decided(examined, tries, numbers, photo)
    return Search(table, ends, numbers, examined)


def _known_surely(
    examined: list[Examined],
    tries: Tries,
    numbers: Sequence[Numbers],
    photo: npt.NDArray[np.uint8],
    larger: Larger | None,
) -> FoundGrid | Trouble | None:
    """Examines cells in turn, until no others need be; what it returns is a known table."""
    for lattice, is_ruled in tries:
        if _plainly(examined):
            break
        if not is_ruled and not _is_inside(lattice, photo):
            # rows of numbers that are printed on something larger
            examined.append(Examined(lattice, is_ruled, "goes on beyond the photo"))
            continue
        seen = _examined(lattice, photo, larger, is_ruled=is_ruled)
        its = next((each for each in numbers if each.lattice is lattice), None)
        if seen.table and its and _is_menu(seen.table, its):
            seen = replace(seen, refusal=refusals.PRICES)
        examined.append(seen)
        if seen.refusal == refusals.PRICES and not any(of_lines for _, of_lines in tries):
            break  # Other cells without lines would be parts of it.
        sheets = known.find_known(seen.table) if seen.table and is_ruled else None
        if seen.table and sheets and sheets.is_certain:
            return _read(seen.table, sheets, photo, numbers)
    return None


def _decided(
    examined: Sequence[Examined],
    tries: Tries,
    numbers: Sequence[Numbers],
    photo: npt.NDArray[np.uint8],
) -> FoundGrid | Trouble | None:
    """The best table among examined cells, or why there is none."""
    read = [each.table for each in examined if each.table]
    if read and not _is_other(examined):
        best = max(read, key=grid.legible)
        return _read(best, known.find_known(best), photo, numbers)
    if numbers and numbers[0].fill >= FULL:
        if not _is_inside(numbers[0].lattice, photo):
            return Trouble("no-sheet", CUT_OFF)
        text, lattice = UNREADABLE, numbers[0].lattice
    elif any(is_ruled for _, is_ruled in tries):
        text, lattice = NOT_NUMBERS, tries[0][0]
    else:
        return None
    rows, across = lattice.corners.shape[:2]
    return _refused(text, lattice, (rows - 1, across - 1))


def _for_search(
    photo: npt.NDArray[np.uint8], larger: Larger | None
) -> tuple[npt.NDArray[np.uint8], Matrix]:
    """(the photo at the size at which lines and digits are searched for, how that one's pixels are
    mapped to the photo's).
    """
    to_photo = np.eye(3)
    if larger and max(photo.shape) < ruling.SIDE:
        photo, to_larger = larger()
        to_photo = inverse(to_larger)
    reduction = min(1.0, ruling.SIDE / max(photo.shape))
    small = cv2.resize(photo, None, fx=reduction, fy=reduction, interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8), to_photo @ scaling(1 / reduction)


def _examined(
    lattice: Lattice, photo: npt.NDArray[np.uint8], larger: Larger | None, *, is_ruled: bool
) -> Examined:
    """Examines cells, in the larger photo if they are small in this one."""
    if larger is None or _height(lattice) > SMALL:
        return examining.examine(lattice, photo, is_ruled=is_ruled)
    gray, to_larger = larger()
    seen = examining.examine(lattice.moved(to_larger), gray, is_ruled=is_ruled)
    if seen.grid is None:
        return replace(seen, lattice=lattice)
    flat = replace(seen.grid.flat, lattice=seen.grid.flat.lattice.moved(inverse(to_larger)))
    return replace(seen, lattice=lattice, grid=replace(seen.grid, flat=flat))


def _plainly(examined: Sequence[Examined]) -> bool:
    """Whether numbers were read so well that no other cells need be tried."""
    seen = [each.grid for each in examined if each.table or each.refusal in refusals.OTHERS]
    return any(each and grid.share_sure(each) >= PLAIN for each in seen)


def _is_other(examined: Sequence[Examined]) -> bool:
    """Whether cells with lines are those of something else, such as a bingo card."""
    return any(each.is_ruled and each.refusal in refusals.OTHERS for each in examined)


def _is_menu(found: Grid, numbers: Numbers) -> bool:
    """Whether words stand before rows of prices, and no names above them."""
    read = [number for line in found.numbers for number in line if number is not None]
    long = sum(abs(number) >= refusals.LONG for number in read)
    if found.head_rows or len(read) < refusals.GLANCED or long < PRICED * len(read):
        return False
    boxes = numbers.nearby
    row, column = found.flat.lattice.places((boxes[:, :2] + boxes[:, 2:]) / 2).T
    above = column[(row < found.rows[0]) & (row >= found.rows[0] - ABOVE)]
    if np.mean(np.isin(found.columns, above)) >= NAMED:
        return False
    before = row[column < found.columns[0]]
    named = [int((before == each).sum()) >= LETTERS for each in found.rows]
    return float(np.mean(named)) >= NAMED


def _height(lattice: Lattice) -> float:
    """The height of a usual cell in a photo, in pixels."""
    return float(np.median(np.linalg.norm(np.diff(lattice.corners, axis=0), axis=-1)))


def _is_inside(lattice: Lattice, photo: npt.NDArray[np.uint8], margin: float = 0.0) -> bool:
    height, width = photo.shape
    most = np.array([width, height]) - margin
    return bool((lattice.outline >= margin).all() and (lattice.outline <= most).all())


def _refused(text: str, lattice: Lattice, size: Sequence[int], **values: int) -> Trouble:
    values |= {"rows": int(size[0]), "columns": int(size[1])}
    return Trouble("no-sheet", Sentence(text, values), as_corners(lattice.outline))


def _tries(
    ruled: Lattice | None, numbers: Sequence[Numbers], photo: npt.NDArray[np.uint8]
) -> Tries:
    """The cells to examine.

    Lines are trusted where each of their cells has the digits of one number.
    """
    by_numbers = [(each.lattice, False) for each in numbers[:TRIES] if each.fill >= HALF]
    if ruled is None:
        return by_numbers
    if not numbers:
        return [(ruled, True)]
    trimmed = trimming.trimmed(ruled, numbers[0], photo)
    if trimming.is_explained(trimmed, numbers[0]):
        return [(trimmed, True)]
    if _has_known_size(trimmed):
        return [(trimmed, True), *by_numbers[:1]]
    return [*by_numbers[:1], (trimmed, True)]


def _has_known_size(ruled: Lattice) -> bool:
    """Whether a known table may have so many rows and columns, with its head and gaps."""
    rows, across = (lines - 1 for lines in ruled.corners.shape[:2])
    return any(
        0 <= rows - len(table.rows) <= MOST_GAPS and across == table.heads + table.columns
        for table in known_grids()
    )


def _read(
    found: Grid,
    sheets: KnownSheets | None,
    photo: npt.NDArray[np.uint8],
    numbers: Sequence[Numbers],
) -> FoundGrid | Trouble:
    size = (len(found.rows), len(found.columns))
    heads = (len(found.head_rows), len(found.head_columns))
    fields = {field_name(*at): field for at, field in sorted(grid.readings(found).items())}
    written = sum(bool(found.chances(*at)) for at in np.ndindex(size))
    doubtful = sum(field.confidence < SURE for field in fields.values())
    if not sheets and doubtful > max(DOUBTFUL * written, MOST_ASKED):
        return _refused(IN_DOUBT, found.flat.lattice, size, doubtful=doubtful)
    board = layout.board_of(*size, *heads)
    others = () if sheets else tuple(notes(found, photo, numbers))
    return FoundGrid(found, board, fields, unsure(fields, written), sheets, others)


def unsure(fields: Mapping[str, FieldReading], written: int) -> tuple[str, ...]:
    """The names of the fields about which a person is asked, the most doubtful one first.

    A hand of which many numbers are in doubt has more that look clear, but are misread.

    Args:
        written: the number of fields that are not empty.
    """
    doubtful = sum(field.confidence < SURE for field in fields.values())
    least = SURER if doubtful >= HARD * written else SURE
    names = [name for name, field in fields.items() if field.confidence < least]
    return tuple(sorted(names, key=lambda name: fields[name].confidence))


def is_mirrored(search: Search, photo: npt.NDArray[np.uint8]) -> bool:
    """Whether what could not be read well is read better from its mirror image."""
    table = search.table
    if isinstance(table, FoundGrid):
        is_well_read = len(table.unsure) <= WELL_READ * len(table.fields)
        seen = None if is_well_read else table.grid
    elif _plainly(search.examined):
        seen = None
    else:
        seen = next((each.grid for each in search.examined if each.grid), None)
        words = (each.lattice for each in search.examined if each.refusal in refusals.WORDS)
        lattice = None if seen else next(words, None)
        if lattice is not None:
            part, sides = examining.sample(FlatGrid.of(lattice, photo))
            return _is_mirrored(part, photo, sides, sides)
    if seen is None:
        return False
    part, _ = examining.sample(seen.flat)
    return _is_mirrored(part, photo, (0,), (0, 2))


def _is_mirrored(
    part: Lattice, photo: npt.NDArray[np.uint8], sides: Sequence[int], flipped_sides: Sequence[int]
) -> bool:
    """Whether cells are read better from the mirror image of the photo.

    Args:
        sides: by how many quarters they may be turned.
        flipped_sides: the same in the mirror image; a number may be read best upside down.
    """
    corners = part.corners[:, ::-1] * (-1, 1) + (photo.shape[1] - 1, 0)
    flipped = Lattice(corners, part.down, -part.across[::-1])
    mirror_image = np.ascontiguousarray(photo[:, ::-1])
    mirrored = max(
        examining.legibility(flipped.turned(quarters), mirror_image) for quarters in flipped_sides
    )
    if mirrored <= LEGIBLE:
        return False
    return mirrored > MIRRORED * max(examining.legibility(part.turned(at), photo) for at in sides)


def notes(
    found: Grid, photo: npt.NDArray[np.uint8], numbers: Sequence[Numbers]
) -> Iterator[Trouble]:
    """Notes for people about writing outside a table that was read."""
    lattice = found.flat.lattice
    size = np.array(lattice.corners.shape[:2]) - 1
    if not _is_inside(lattice, photo, NEAR_EDGE * _height(lattice)):
        yield Trouble("cut-off-table", AT_EDGE, as_corners(lattice.outline))
    yield from beside.two_in_cells(found)
    has_heads = bool(found.head_rows)
    is_seen = False
    for other in numbers[:TRIES]:
        at = lattice.places(other.digits)
        if ((at >= 0) & (at < size)).all(axis=1).mean() > 0.5:
            # Others in it are small print, or parts of digits.
            yield from () if is_seen else beside.left_out(lattice, other, has_heads=has_heads)
            is_seen = True
        elif other.fill >= FULL and _is_table(other.lattice, photo):
            yield Trouble("second-table", ANOTHER, as_corners(other.lattice.outline))


def _is_table(lattice: Lattice, photo: npt.NDArray[np.uint8]) -> bool:
    """Whether some cells without lines look like a table's."""
    return bool(examining.examine(lattice, photo, is_ruled=False, at_a_glance=True).table)
