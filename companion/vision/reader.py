"""Reads a photo: runs all steps, from the file to the readings of its sheets."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from companion.core.sheet import EMPTY, Box, Field, Kind, Paper, moved
from companion.core.words import N_, Sentence
from companion.vision import cells, finding, flattening, networks, weighing
from companion.vision.core import Chances, Corners, PhotoReading, SheetReading, Trouble
from companion.vision.finding import FoundPad, FoundPads
from companion.vision.flattening import Flat
from companion.vision.picture import REDUCTIONS, Picture, open_picture

USUAL_PIXELS: Final = 4_500_000
"""The size at which a photo is examined first; a sheet filling it has 8 pixels per mm."""
MOST_PIXELS: Final = 16_000_000
"""The largest size at which a photo is examined, however small its sheets are."""
ENOUGH_PX_PER_MM: Final = 4.5
"""If a sheet has less, the photo is examined again at a larger size, if there is one."""
PLAIN_PX_PER_MM: Final = 2.5
"""If all sheets have at least this in the smaller size, none is so small that it was missed."""
PLACED: Final = 0.6
"""The least share of outlines around a field that must have been found; a corner may be bent over.

Below this, the probabilities of the field are halved, so that a person checks it.
"""
CLEAR: Final = 0.9995
"""A box that is read with a lower probability is read again with `SHIFTS`."""
SHIFTS: Final = (
    (0.18, 0.1, 0.0),
    (-0.18, -0.1, 0.0),
    (0.1, -0.18, 0.12),
    (-0.1, 0.18, -0.12),
)
"""(right, down, additional margin) in millimetres of the additional looks at an unclear box.

The mean over all looks makes a tenth fewer errors than a single look.
"""
QUALITY: Final = 85
"""Quality of the JPEGs of flattened pads, 0 to 100."""
AT_ONCE: Final = 4
"""The most pads of a photo that are read in parallel, if there are as many processors.

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
    read_pad = partial(_read_pad, gray, color, scale, offset)
    at_once = min(len(finds.pads), _processors(), AT_ONCE)
    if at_once > 1:
        with ThreadPoolExecutor(at_once) as threads:
            pads = list(threads.map(read_pad, finds.pads))
    else:
        pads = [read_pad(found) for found in finds.pads]
    sheets = tuple(pad for pad in pads if isinstance(pad, SheetReading))
    troubles = tuple(
        replace(trouble, corners=trouble.corners and _full_size(trouble.corners, scale, offset))
        for trouble in (*finds.troubles, *(pad for pad in pads if isinstance(pad, Trouble)))
    )
    return PhotoReading(
        sheets=sheets,
        troubles=troubles if sheets or troubles else (_NO_SHEET,),
        size=picture.size,
        seconds=time.perf_counter() - started,
    )


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
            "There is no printed pad in this photo. Pads have a black and white square in each "
            "corner; all four should be in the picture, and sharp."
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
        finds.pads
        and not finds.troubles
        and min(found.px_per_mm for found in finds.pads) >= ENOUGH_PX_PER_MM
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
        finds.pads
        and not finds.troubles
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


def _read_pad(
    gray: npt.NDArray[np.uint8],
    color: npt.NDArray[np.uint8] | None,
    scale: int,
    offset: tuple[int, int],
    found: FoundPad,
) -> SheetReading | Trouble:
    flat = flattening.flatten(gray, found)
    if isinstance(flat, Trouble):
        return flat
    shown = None if color is None else _jpeg(flat.warp(color))
    return _sheet_reading(found, flat, _full_size(finding.corners(found), scale, offset), shown)


def _sheet_reading(
    found: FoundPad, flat: Flat, where: Corners, shown: bytes | None
) -> SheetReading:
    sheet, board = found.sheet, found.board
    ink = _ink_chances(flat, sheet.paper(board))
    weighed = weighing.weigh(sheet, board, ink)
    return SheetReading(
        sheet=sheet.marked(board, weighed.marks),
        board=board,
        corners=where,
        fields=weighed.fields,
        unsure=weighed.unsure,
        flat=shown,
    )


def _ink_chances(flat: Flat, paper: Paper) -> Mapping[str, Chances]:
    """Field id → the probabilities of its marks from the ink alone."""
    even = flat.even
    by_kind: dict[Kind, list[Field]] = {}
    for field in paper.fields:
        by_kind.setdefault(field.kind, []).append(field)
    read: dict[str, Chances] = {}
    for kind, fields in by_kind.items():
        boxes = [box for field in fields for box in cells.boxes(field)]
        chances = iter(_box_chances(even, kind, boxes))
        for field in fields:
            parts = [next(chances) for _ in cells.boxes(field)]
            read[field.id] = weighing.number_chances(parts) if field.cells else parts[0]
    return {
        field.id: _halved(read[field.id])
        if _is_out_of_sight(flat, field, read[field.id])
        else read[field.id]
        for field in paper.fields
    }


def _is_out_of_sight(flat: Flat, field: Field, chances: Chances) -> bool:
    """Whether the field is not where the surface has it, or something lies on it.

    Ink can hide an outline, too, so a lost outline only counts if the field looks empty.
    """
    if flat.fit.around(field.box.center) < PLACED:
        return True
    return _is_empty(chances, field.kind) and any(
        flat.fit.is_lost(box.center) for box in cells.boxes(field)
    )


def _is_empty(chances: Chances, kind: Kind) -> bool:
    return max(chances, key=lambda mark: chances[mark]) == EMPTY[kind]


def _halved(chances: Chances) -> Chances:
    """The probabilities halved, so that the field is unsure and a person checks it."""
    return {mark: chance / 2 for mark, chance in chances.items()}


def _box_chances(even: npt.NDArray[np.float32], kind: Kind, boxes: Sequence[Box]) -> list[Chances]:
    """The probabilities of each box's marks. Unclear boxes are read several times with `SHIFTS`."""
    network = networks.network_for(kind)
    margin = cells.MARGINS[kind]
    pictures = cells.pictures(even, boxes, margin)
    chances = [_BARE] * len(boxes)
    places = np.flatnonzero(~cells.bare_mask(pictures, kind, boxes)).tolist()
    if not places:
        return chances
    for place, read in zip(places, network.chances(pictures[places], kind), strict=True):
        chances[place] = read
    unclear = [place for place in places if max(chances[place].values(), default=0.0) < CLEAR]
    if unclear:
        first = [chances[place] for place in unclear]
        looks = [first, *_shifted_looks(even, kind, [boxes[place] for place in unclear])]
        for place, *seen in zip(unclear, *looks, strict=True):
            chances[place] = {
                mark: sum(look[mark] for look in seen) / len(seen) for mark in seen[0]
            }
    for place in places:
        is_covered = cells.is_covered(pictures[place][0], kind, boxes[place])
        if is_covered and _is_empty(chances[place], kind):
            chances[place] = _halved(chances[place])
    return chances


def _shifted_looks(
    even: npt.NDArray[np.float32], kind: Kind, boxes: Sequence[Box]
) -> Iterator[list[Chances]]:
    """The probabilities of each box's marks, once for each of `SHIFTS`."""
    margin = cells.MARGINS[kind]
    for x, y, wider in SHIFTS:
        shifted = [moved(box, x, y) for box in boxes]
        yield networks.network_for(kind).chances(
            cells.pictures(even, shifted, margin + wider), kind
        )


_BARE: Final[Chances] = {None: 1.0}
"""The reading of a number box without any ink."""


def _full_size(corners: Corners, scale: int, offset: tuple[int, int]) -> Corners:
    """Converts corners from the reduced photo to the full one.

    In the full photo integers are the edges of pixels, in a reduced one their centres.
    """
    a, b, c, d = (
        ((x + 0.5) * scale + offset[0], (y + 0.5) * scale + offset[1]) for x, y in corners
    )
    return (a, b, c, d)


def _jpeg(picture: npt.NDArray[np.uint8]) -> bytes:
    """The picture as a JPEG of `QUALITY`."""
    done, raw = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return raw.tobytes() if done else b""
