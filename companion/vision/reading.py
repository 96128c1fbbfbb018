"""Reads a photo: runs all steps, from the file to the readings of its sheets."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.edition import UNKNOWN
from companion.core.sheet import EMPTY, AnySheetKind, Millimetres, Paper, of_column
from companion.core.words import Sentence
from companion.games.grid_layout import SHEET as TABLE
from companion.vision.core import (
    CRASHED,
    FLAT_PX_PER_MM,
    Chances,
    Corners,
    PhotoReading,
    SheetReading,
    Trouble,
    Unreadable,
    as_corners,
)
from companion.vision.flat import flattening, sharpness
from companion.vision.flat.flattening import Flat
from companion.vision.grids.finding import FoundGrid, Larger, Search, find_scores, is_mirrored
from companion.vision.ink import edition_ink, pad_ink
from companion.vision.ink.printed_names import printed_names
from companion.vision.mapping.plane import Matrix, scaling
from companion.vision.markers import finding
from companion.vision.markers.finding import FoundPads, in_order
from companion.vision.pictures.picture import REDUCTIONS, Picture, open_picture
from companion.vision.unmarked.search import UnmarkedSheet, find_sheets
from companion.vision.weighing import WeighedSheet, weigh

_LOG: Final = logging.getLogger(__name__)
_LOG.addHandler(logging.NullHandler())  # People at a terminal get a sentence, no traceback.

# The size at which a photo is examined first; a sheet filling it has 8 pixels per mm
USUAL_PIXELS: Final = 4_500_000
# The largest size at which a photo is examined, however small its sheets are
MOST_PIXELS: Final = 16_000_000
# If a sheet has less, the photo is examined again at a larger size, if there is one
ENOUGH_PX_PER_MM: Final = 4.5
# If all sheets have at least this in the smaller size, none is so small that it was missed. There,
# markers are found down to 1.2 pixels per millimetre. With less than twice that in the larger size,
# hardly a digit can be read.
PLAIN_PX_PER_MM: Final = 1.8
JPEG_QUALITY: Final = 85
COLUMN_GAP: Final[Millimetres] = 1.6  # the least space between two columns of a pad
# The difference of a pixel's channels, of 255, up to which it may be a gray one
COLORLESS: Final = 12
# The share of a photo's pixels with a colour, below which it was taken in gray
FEWEST_COLORED: Final = 0.002
# The share of a photo that pads with markers cover, above which nothing else is searched for in it
MOST_COVERED: Final = 0.6
# How far a sheet that was seen whole may reach beyond the photo, as a share of the photo's sides
BEYOND: Final = 0.03
# The most threads that read a photo; no more than it has pads, and the machine has processors.
# OpenCV releases Python's global lock. A second processor saved a tenth to a third of the time.
AT_ONCE: Final = 4


def read(data: bytes, *, pictures: bool = False) -> PhotoReading:
    """Reads every pad that a photo shows.

    A fault of the reader is a trouble of this photo, so that others are read all the same.

    Args:
        data: a JPEG, PNG, WebP or HEIC file.
        pictures: whether each reading includes a picture of its flattened pad.

    Raises:
        Unreadable: the file is not a photo, or cannot be opened.

    >>> import cv2
    >>> paper = cv2.imencode(".png", np.full((300, 400), 255, np.uint8))[1]
    >>> photo = read(paper.tobytes())
    >>> photo.size, [trouble.code for trouble in photo.troubles]
    ((400, 300), ['no-sheet'])
    """
    return read_in_steps(data, pictures=pictures).reading


@dataclass(frozen=True, eq=False)
class Steps:
    """A photo that was read, and what was seen on the way."""

    reading: PhotoReading
    picture: Picture
    view: View | None = None  # None where the reader failed
    search: Search | None = None  # for a table, in `view.gray`; None where none was sought


def read_in_steps(data: bytes, *, pictures: bool = False) -> Steps:
    """Reads a photo as `read` does."""
    started = time.perf_counter()
    picture = open_picture(data)

    def reading(sheets: Sequence[SheetReading], troubles: Sequence[Trouble]) -> PhotoReading:
        seconds = time.perf_counter() - started
        return PhotoReading(tuple(sheets), tuple(troubles), picture.size, seconds)

    try:
        view = _view(picture)
        sheets, troubles, search = _found(picture, view, pictures)
    except Unreadable:
        raise
    except (ArithmeticError, LookupError, ValueError, cv2.error):
        _LOG.exception("a photo could not be read")
        return Steps(reading((), (CRASHED,)), picture)
    return Steps(reading(sheets, troubles), picture, view, search)


def _found(
    picture: Picture, view: View, pictures: bool
) -> tuple[Sequence[SheetReading], Sequence[Trouble], Search | None]:
    """(the sheets of a photo that were read, why others were not, the search for a table)."""
    marked, refused = _read_pads(picture, view, pictures)
    with _parallel(len(view.unmarked)) as run:
        unmarked = list(run(partial(_unmarked_reading, view, pictures), view.unmarked))
    sheets = in_order((*marked, *unmarked), attrgetter("corners"))
    troubles = (
        *(_placed(each, view.full_size) for each in (*view.finds.troubles, *refused)),
        *(_placed(each, view.full_size_at_first) for each in view.unmarked_troubles),
    )
    codes = {trouble.code for trouble in troubles}
    search = None
    if view.is_unmarked and not sheets:
        search = find_scores(view.gray, _larger(picture, view.scale))
    table = search and search.table
    if search and is_mirrored(search, view.gray):
        troubles = (_MIRRORED,)
    elif isinstance(table, FoundGrid):
        sheets = [*_table_readings(view, table, picture.color(view.scale) if pictures else None)]
        # Whatever looked like another sheet is a part of this one.
        troubles = tuple(_placed(note, view.full_size) for note in table.notes)
    elif not sheets and (view.is_unmarked or codes <= {"cut-off", "unknown-pad"}):
        seen = _placed(table, view.full_size) if isinstance(table, Trouble) else None
        troubles = _why_nothing(view, troubles, seen, picture.size)
    return sheets, troubles, search


def _read_pads(
    picture: Picture, view: View, pictures: bool
) -> tuple[list[SheetReading], list[Trouble]]:
    """(the readings of the pads with markers, why others of them were not read)."""
    with _parallel(len(view.finds.pads)) as run:
        pads = list(run(partial(flattening.flatten, view.gray), view.finds.pads))
        flats = [pad for pad in pads if isinstance(pad, Flat)]
        inks = pad_ink.chances(flats, run)
        color = picture.color(view.scale) if pictures and flats else None
        shown = list(run(lambda flat: None if color is None else flat.warp(color), flats))
        printed = list(run(printed_names, flats))
    readings: list[SheetReading] = []
    for found in zip(flats, inks, shown, printed, strict=True):
        readings += _marked_readings(view, *found)
    return readings, [pad for pad in pads if isinstance(pad, Trouble)]


def _larger(picture: Picture, scale: int) -> Larger | None:
    """The photo in gray at the next larger size, if it may be examined at that."""
    width, height = picture.size
    finer = scale // 2
    if not finer or width * height / finer**2 > MOST_PIXELS:
        return None
    to_finer = scaling(scale / finer, _offset(picture, scale, finer))
    return lambda: (picture.gray(finer), to_finer)


def _why_nothing(
    view: View, troubles: tuple[Trouble, ...], table: Trouble | None, size: tuple[int, int]
) -> tuple[Trouble, ...]:
    """Why nothing was read: first what hides all else, then what was seen, then general advice.

    Args:
        size: the photo's, in which the corners are.
    """
    # Markers are missed for more than one reason.
    if sharpness.is_dark(view.gray):
        return (_DARK,)
    if sharpness.is_blurred(view.gray):
        return (_BLURRED,)
    if finding.find(np.fliplr(view.gray).copy(), look_closer=False).pads:
        return (_MIRRORED,)
    # A sheet that must be seen whole, and yet reaches beyond the photo, is something else.
    likely = [each for each in troubles if each.code != "unknown-pad" or _is_within(each, size)]
    if view.is_gray and {each.code for each in likely} == {"unknown-pad"}:
        # Without colors any grid may look like a sheet from a game's box.
        return (table or _GRAY,)
    if likely:
        return tuple(likely)
    if table:
        return (table,)
    return troubles or (_GRAY if view.is_gray else _NO_SHEET,)


def _is_within(trouble: Trouble, size: tuple[int, int]) -> bool:
    """Whether the sheet of a trouble lies in the photo, except for `BEYOND`."""
    corners = np.array(trouble.corners or ()).reshape(-1, 2)
    spare = BEYOND * np.array(size)
    return bool(((corners >= -spare) & (corners <= np.array(size) + spare)).all())


def _placed(trouble: Trouble, full_size: Callable[[Corners], Corners]) -> Trouble:
    """A trouble with its corners in the full photo."""
    return replace(trouble, corners=trouble.corners and full_size(trouble.corners))


def _is_gray(picture: npt.NDArray[np.uint8]) -> bool:
    """Whether a photo, BGR, was taken or scanned in gray tones."""
    few = picture[::4, ::4]
    return bool((np.ptp(few, axis=2) > COLORLESS).mean() < FEWEST_COLORED)


@contextmanager
def _parallel(sheets: int) -> Iterator[pad_ink.Run]:
    """A `map` that runs in threads: one for each sheet, as far as there are processors."""
    at_once = min(sheets, _processors(), AT_ONCE)
    if at_once < 2:
        yield map
        return
    with ThreadPoolExecutor(at_once) as threads:
        yield threads.map


def _processors() -> int:
    count = os.cpu_count() or 1
    if sys.platform == "linux":
        count = len(os.sched_getaffinity(0))
    return count


_NO_SHEET: Final = Trouble(
    "no-sheet",
    Sentence(
        "Nothing in this photo can be read. The app reads the pads that it prints, the sheets from "
        "some games’ boxes, and tables of numbers. Take the photo from above, so that the whole "
        "sheet fills the picture, sharp and with nothing lying on it."
    ),
)

_GRAY: Final = Trouble(
    "no-sheet",
    Sentence(
        "Nothing in this photo can be read, and it has no colors. The sheets from games’ boxes are "
        "recognized by their colors: take such a photo in color. Anything else should fill the "
        "picture, sharp and in even light."
    ),
)

_DARK: Final = Trouble(
    "dark", Sentence("The photo is too dark. Turn on a light, and take it again.")
)

_MIRRORED: Final = Trouble(
    "mirrored",
    Sentence("The photo is mirrored, as selfies can be. Take it with the camera on the back."),
)

_BLURRED: Final = Trouble(
    "blurred",
    Sentence(
        "The photo is blurred. Hold the phone still, tap on the sheet to focus, and take it again."
    ),
)


@dataclass(frozen=True, eq=False)
class View:
    """The sheets found in a photo, and the reductions of it in which they were found."""

    gray: npt.NDArray[np.uint8]  # the photo at a size at which the pads with markers can be read
    scale: int  # its reduction
    finds: FoundPads  # the pads with markers
    unmarked: Sequence[UnmarkedSheet]
    unmarked_troubles: Sequence[Trouble]
    full_size: Callable[[Corners], Corners]  # converts corners from `gray` to the full photo
    # Converts corners of a sheet without markers to the full photo
    full_size_at_first: Callable[[Corners], Corners]
    is_gray: bool  # whether no sheet was found in a photo without colours

    @property
    def is_unmarked(self) -> bool:
        """Whether it shows none of our own pads, not even a part of one."""
        return not (self.finds.pads or self.finds.troubles)


def _view(picture: Picture) -> View:
    """Finds all sheets of a photo, in the smallest picture of it that is enough to read them."""
    width, height = picture.size
    # `MAX_PIXELS` halved is below `MOST_PIXELS`, so `sizes` is never empty.
    sizes = [factor for factor in REDUCTIONS if width * height / factor**2 <= MOST_PIXELS]
    usual = next(
        (factor for factor in sizes if width * height / factor**2 <= USUAL_PIXELS), sizes[-1]
    )
    color = picture.color(usual)
    gray = np.asarray(cv2.cvtColor(color, cv2.COLOR_BGR2GRAY), np.uint8)
    finds = finding.find(gray, look_closer=False)
    finer = partial(_finer, picture, usual, sizes[0]) if usual != sizes[0] else None
    unmarked, troubles = _find_beside(finds, color, finer)
    is_empty = not (unmarked or finds.pads or finds.troubles)
    is_gray = is_empty and "cut-off" not in {t.code for t in troubles} and _is_gray(color)
    if is_empty:
        # A pad whose markers are too small for this one is too small to be read in the largest.
        finds = finding.find_closer(gray)
    is_enough = finds.is_complete and all(
        found.px_per_mm >= ENOUGH_PX_PER_MM for found in finds.pads
    )
    is_without_pads = not (finds.pads or finds.troubles)
    scale = usual
    if not is_enough and not is_without_pads and usual != sizes[0]:
        scale = sizes[0]
        gray, finds = _find_in_larger(picture, usual, scale, finds)
    return View(
        gray,
        scale,
        finds,
        unmarked,
        troubles,
        partial(_full_size, picture, scale),
        partial(_full_size, picture, usual),
        is_gray and is_without_pads,
    )


def _find_beside(
    finds: FoundPads,
    color: npt.NDArray[np.uint8],
    finer: Callable[[], tuple[npt.NDArray[np.uint8], Matrix]] | None,
) -> tuple[list[UnmarkedSheet], list[Trouble]]:
    """The sheets without markers beside the pads of a photo, as `find_sheets` returns them.

    Args:
        color, finer: as for `find_sheets`.
    """
    marked = [found.corners for found in finds.pads]
    marked += [trouble.corners for trouble in finds.troubles if trouble.corners]
    height, width = color.shape[:2]
    if _covered(marked, height * width) >= MOST_COVERED:
        return [], []
    least = min((found.px_per_mm for found in finds.pads), default=0.0)
    return find_sheets(color, marked, finer, least)


def _finer(picture: Picture, scale: int, finer: int) -> tuple[npt.NDArray[np.uint8], Matrix]:
    """(the photo in colour at a larger size, how pixels at `scale` are mapped to its own)."""
    return picture.color(finer), scaling(scale / finer, _offset(picture, scale, finer))


def _offset(picture: Picture, scale: int, finer: int) -> tuple[float, float]:
    """The offset of a larger picture in a smaller one, in pixels of the larger."""
    (left, top), (finer_left, finer_top) = picture.offset(scale), picture.offset(finer)
    return (finer_left - left) / finer, (finer_top - top) / finer


def _covered(marked: Sequence[Corners], pixels: int) -> float:
    """The share of the photo that pads cover."""
    areas = (cv2.contourArea(np.array(corners, np.float32)) for corners in marked)
    return float(sum(areas)) / pixels


def _find_in_larger(
    picture: Picture, scale: int, finer: int, finds: FoundPads
) -> tuple[npt.NDArray[np.uint8], FoundPads]:
    """The photo in gray at a larger size, and the pads with markers in it; `finds` at `scale`."""
    gray = picture.gray(finer)
    is_plain = (
        finds.is_complete
        and all(len(found.seen) == 4 for found in finds.pads)
        and min(found.px_per_mm for found in finds.pads) >= PLAIN_PX_PER_MM
    )
    if is_plain:
        same = finding.find_again(finds, gray, scale / finer, _offset(picture, scale, finer))
        if same is not None:
            return gray, same
    return gray, finding.find(gray)


def _marked_readings(
    view: View,
    flat: Flat,
    chances: Mapping[str, Chances],
    shown: npt.NDArray[np.uint8] | None,
    names: Mapping[int, str],
) -> Iterator[SheetReading]:
    """The readings of a pad with markers: one, or one for each column with ink.

    Args:
        shown: a picture of the pad.
        names: those printed on it, by the place of their blanks.
    """
    kind, board, sums = flat.sheet, flat.board, pad_ink.sum_chances(flat)
    where, unseen = view.full_size(flat.corners), dict.fromkeys(flat.unseen, True)
    empty = {field.id: EMPTY[field.kind] for field in flat.paper.layout.fields}
    last, is_any = len(flat.paper.columns) - 1, False
    for column in range(last + 1):
        found = of_column(chances, column)
        weighed = weigh(kind, board, found, of_column(sums, column), of_column(unseen, column))
        is_written = bool(weighed.unsure) or weighed.marks != empty
        if is_written or (column == last and not is_any):
            is_any = True
            own_names = names
            if last:
                own_names = {0: names[column]} if column in names else {}
            picture = None
            if shown is not None:
                picture = _jpeg(_with_column_first(shown, flat.paper, column))
            reading = _reading(kind, board, weighed, where, picture)
            yield replace(reading, names=own_names, column=column)


def _with_column_first(
    picture: npt.NDArray[np.uint8], paper: Paper, column: int
) -> npt.NDArray[np.uint8]:
    """A pad with a column in the place of its first one, to be shown beside what was read there."""
    first = min(field.box.x for field in paper.single.fields) - COLUMN_GAP / 2
    left, right = (round(at * FLAT_PX_PER_MM) for at in (first, paper.columns[column]))
    return np.concatenate((picture[:, :left], np.roll(picture[:, left:], -right, axis=1)), axis=1)


def _unmarked_reading(view: View, pictures: bool, sheet: UnmarkedSheet) -> SheetReading:
    kind, board, edition, paper = sheet.edition.sheet, sheet.board, sheet.edition, sheet.paper
    chances = edition_ink.ink_chances(sheet.image, edition, board, sheet.visible, sheet.lost)
    unseen = edition_ink.unseen(paper, sheet.visible)
    sums = edition_ink.sum_chances(sheet.image, paper, sheet.visible)
    weighed = weigh(kind, board, chances, sums, unseen)
    where = view.full_size_at_first(sheet.corners)
    shown = _jpeg(sheet.image) if pictures else None
    reading = _reading(kind, board, weighed, where, shown)
    is_unsure = not (sheet.is_certain and all(weighed.marks.get(n, True) for n in sheet.unprinted))
    return replace(reading, edition=edition.name, unsure_edition=is_unsure)


def _table_readings(
    view: View, table: FoundGrid, color: npt.NDArray[np.uint8] | None
) -> Iterator[SheetReading]:
    """The readings of a ruled table, a known one's columns each by itself.

    Args:
        color: the photo, if a picture of it is shown.
    """
    where = view.full_size(as_corners(table.corners))
    shown = None if color is None else table.picture(color)
    if (known := table.known) is not None:
        kind = known.edition.sheet
        board = kind.usual_board
        paper = known.edition.paper(board)
        for column, weighed in known.columns.items():
            part = None if shown is None else _jpeg(_with_column_first(shown, paper, column))
            reading = _reading(kind, board, weighed, where, part)
            yield replace(
                reading,
                edition=known.edition.name,
                unsure_edition=not known.is_certain,
                column=column,
            )
        return
    marks = {name: field.value for name, field in table.fields.items()}
    yield SheetReading(
        sheet=TABLE.marked(table.board, marks),
        board=table.board,
        corners=where,
        fields=table.fields,
        unsure=table.unsure,
        flat=None if shown is None else _jpeg(shown),
        edition=UNKNOWN,
        dashes=table.dashes,
    )


def _reading(
    kind: AnySheetKind, board: str, weighed: WeighedSheet, corners: Corners, shown: bytes | None
) -> SheetReading:
    return SheetReading(
        sheet=kind.marked(board, weighed.marks),
        board=board,
        corners=corners,
        fields=weighed.fields,
        unsure=weighed.unsure,
        flat=shown,
        written=weighed.written,
        by_sums=weighed.by_sums,
    )


def _full_size(picture: Picture, scale: int, corners: Corners) -> Corners:
    """Converts corners from the reduced photo to the full one."""
    # In the full photo integers are the edges of pixels, in a reduced one their centres
    left, top = picture.offset(scale)
    return as_corners(((x + 0.5) * scale + left, (y + 0.5) * scale + top) for x, y in corners)


def _jpeg(picture: npt.NDArray[np.uint8]) -> bytes:
    done, raw = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, JPEG_QUALITY])
    return raw.tobytes() if done else b""
