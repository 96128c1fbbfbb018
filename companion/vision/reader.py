"""Reads a photo: runs all steps, from the file to the readings of its sheets."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.words import N_, Sentence
from companion.vision import finding, flattening, ink, sharpness, weighing
from companion.vision.core import Chances, Corners, PhotoReading, SheetReading, Trouble
from companion.vision.finding import FoundPads
from companion.vision.flattening import Flat
from companion.vision.picture import REDUCTIONS, Picture, open_picture

USUAL_PIXELS: Final = 4_500_000
"""The size at which a photo is examined first; a sheet filling it has 8 pixels per mm."""
MOST_PIXELS: Final = 16_000_000
"""The largest size at which a photo is examined, however small its sheets are."""
ENOUGH_PX_PER_MM: Final = 4.5
"""If a sheet has less, the photo is examined again at a larger size, if there is one."""
PLAIN_PX_PER_MM: Final = 1.8
"""If all sheets have at least this in the smaller size, none is so small that it was missed.

There, markers are found down to 1.2 pixels per millimetre. With less than twice that in the larger
size, hardly a digit can be read.
"""
QUALITY: Final = 85
"""Quality of the JPEGs of flattened pads, 0 to 100."""
AT_ONCE: Final = 4
"""The most threads that read a photo of as many pads, if there are as many processors.

OpenCV releases Python's global lock. A second processor saved a tenth to a third of the time.
"""


def read(data: bytes, *, pictures: bool = False) -> PhotoReading:
    """Reads every pad that a photo shows.

    Args:
        data: a JPEG, PNG, WebP or HEIC file.
        pictures: whether each reading includes a picture of its flattened pad.

    Raises:
        Unreadable: the file is not a photo, or cannot be opened.
    """
    started = time.perf_counter()
    picture = open_picture(data)
    gray, scale, finds = _find_pads(picture)
    color = picture.color(scale) if pictures and finds.pads else None
    offset = picture.offset(scale)
    with _parallel(len(finds.pads)) as run:
        pads = list(run(partial(flattening.flatten, gray), finds.pads))
        flats = [pad for pad in pads if isinstance(pad, Flat)]
        inks = ink.chances(flats, run)
        shown = list(run(partial(_jpeg, color), flats))
    sheets = tuple(
        _sheet_reading(flat, chances, _full_size(flat.corners, scale, offset), jpeg)
        for flat, chances, jpeg in zip(flats, inks, shown, strict=True)
    )
    troubles = tuple(
        replace(trouble, corners=trouble.corners and _full_size(trouble.corners, scale, offset))
        for trouble in (*finds.troubles, *(pad for pad in pads if isinstance(pad, Trouble)))
    )
    if not sheets and {trouble.code for trouble in troubles} <= {"cut-off"}:
        # Markers are missed for more than one reason.
        troubles = (_BLURRED,) if sharpness.is_blurred(gray) else troubles or (_NO_SHEET,)
    return PhotoReading(
        sheets=sheets,
        troubles=troubles,
        size=picture.size,
        seconds=time.perf_counter() - started,
    )


@contextmanager
def _parallel(sheets: int) -> Iterator[ink.Run]:
    """A `map` in as many threads as so many sheets and this process's processors allow."""
    at_once = min(sheets, _processors(), AT_ONCE)
    if at_once < 2:
        yield map
        return
    with ThreadPoolExecutor(at_once) as threads:
        yield threads.map


def _processors() -> int:
    """The number of processors that this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # macOS, Windows
        return os.cpu_count() or 1


_NO_SHEET: Final = Trouble(
    "no-sheet",
    Sentence(
        N_(
            "There is no sheet in this photo that can be read. The app knows the pads that it "
            "prints, with a black and white square in each corner, and the sheets from some "
            "games' boxes; the whole sheet should be in the picture, and sharp."
        )
    ),
)

_BLURRED: Final = Trouble(
    "blurred",
    Sentence(
        N_(
            "The photo is blurred. Hold the phone still, tap on the pad to focus, and take it "
            "again."
        )
    ),
)


def _find_pads(picture: Picture) -> tuple[npt.NDArray[np.uint8], int, FoundPads]:
    """(the photo at a size at which its pads can be read, the reduction to that size, the pads)."""
    width, height = picture.size
    # `MAX_PIXELS` halved is below `MOST_PIXELS`, so `sizes` is never empty.
    sizes = [factor for factor in REDUCTIONS if width * height / factor**2 <= MOST_PIXELS]
    usual = [factor for factor in sizes if width * height / factor**2 <= USUAL_PIXELS] or sizes[-1:]
    gray = picture.gray(usual[0])
    finds = finding.find(gray)
    is_enough = (
        finds.is_complete and min(found.px_per_mm for found in finds.pads) >= ENOUGH_PX_PER_MM
    )
    if is_enough or usual[0] == sizes[0]:
        return gray, usual[0], finds
    return _find_in_larger(picture, usual[0], sizes[0], finds)


def _find_in_larger(
    picture: Picture, scale: int, finer: int, finds: FoundPads
) -> tuple[npt.NDArray[np.uint8], int, FoundPads]:
    """The result of `_find_pads` at a larger size of the photo.

    Args:
        scale: the reduction at which the pads were found.
        finer: the smaller reduction to be used now.
        finds: the pads that were found.
    """
    gray = picture.gray(finer)
    is_plain = (
        finds.is_complete
        and all(len(found.markers) == 4 for found in finds.pads)
        and min(found.px_per_mm for found in finds.pads) >= PLAIN_PX_PER_MM
    )
    if is_plain:
        (left, top), (finer_left, finer_top) = picture.offset(scale), picture.offset(finer)
        offset = (finer_left - left) / finer, (finer_top - top) / finer
        same = finding.find_again(finds, gray, scale / finer, offset)
        if same is not None:
            return gray, finer, same
    return gray, finer, finding.find(gray)


def _sheet_reading(
    flat: Flat, chances: Mapping[str, Chances], where: Corners, shown: bytes | None
) -> SheetReading:
    """The reading of a sheet, given the ink of its fields.

    Args:
        where: its corners in the photo at full size.
        shown: a JPEG of it, if pictures were asked for.
    """
    if flat.unseen:
        weighed = weighing.weigh_part(flat.sheet, flat.board, chances, flat.unseen)
    else:
        weighed = weighing.weigh(flat.sheet, flat.board, chances, ink.sum_chances(flat))
    return SheetReading(
        sheet=flat.sheet.marked(flat.board, weighed.marks),
        board=flat.board,
        corners=where,
        fields=weighed.fields,
        unsure=weighed.unsure,
        flat=shown,
        written=weighed.written,
    )


def _full_size(corners: Corners, scale: int, offset: tuple[int, int]) -> Corners:
    """Converts corners from the reduced photo to the full one.

    In the full photo integers are the edges of pixels, in a reduced one their centres.
    """
    a, b, c, d = (
        ((x + 0.5) * scale + offset[0], (y + 0.5) * scale + offset[1]) for x, y in corners
    )
    return (a, b, c, d)


def _jpeg(color: npt.NDArray[np.uint8] | None, flat: Flat) -> bytes | None:
    """A sheet of a photo in colour as a JPEG of `QUALITY`; None without a photo in colour."""
    if color is None:
        return None
    done, raw = cv2.imencode(".jpg", flat.warp(color), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return raw.tobytes() if done else b""
