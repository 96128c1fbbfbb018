"""A photo in, readings out: all the steps one after another."""

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
from companion.vision.finding import Find, Finds
from companion.vision.flattening import Flat
from companion.vision.picture import REDUCTIONS, Picture, open_picture

USUAL_PIXELS: Final = 4_500_000
"""A photo is looked at in this size first: a sheet that fills it has 8 pixels a millimetre."""
MOST_PIXELS: Final = 16_000_000
"""A photo is never looked at in more, however small its sheets are."""
ENOUGH_PX_PER_MM: Final = 4.5
"""Sheets that have less are looked at again in a larger size, if there is one."""
PLAIN_PX_PER_MM: Final = 2.5
"""Where all sheets have that in the smaller size, no other can be so small that it was missed."""
PLACED: Final = 0.6
"""Of the outlines around a field so many must have been found: a corner may be bent over. What is
read elsewhere counts half, so that somebody looks at it."""
CLEAR: Final = 0.9995
"""A box read with less is looked at again."""
ASIDE: Final = (
    (0.18, 0.1, 0.0),
    (-0.18, -0.1, 0.0),
    (0.1, -0.18, 0.12),
    (-0.1, 0.18, -0.12),
)
"""How those looks differ, in millimetres: right, down, and more around the box. Their mean makes a
tenth fewer errors than one look."""
QUALITY: Final = 85
"""Of the JPEGs of flattened pads."""
AT_ONCE: Final = 4
"""Pads of one photo, if there are as many processors. OpenCV works without Python's lock; a second
processor saved a tenth to a third of the time where it was measured."""


def read(data: bytes, *, pictures: bool = False) -> PhotoReading:
    """Reads every pad that a photo shows.

    Args:
        data: a JPEG, PNG, WebP or HEIC file.
        pictures: whether each reading brings a picture of its flattened pad.

    Raises:
        Unreadable: no photo, or none that can be opened.
    """
    started = time.perf_counter()
    picture = open_picture(data)
    gray, scale, finds = _found(picture)
    color = picture.color(scale) if pictures and finds.pads else None
    offset = picture.offset(scale)
    read_pad = partial(_pad, gray, color, scale, offset)
    at_once = min(len(finds.pads), _processors(), AT_ONCE)
    if at_once > 1:
        with ThreadPoolExecutor(at_once) as threads:
            pads = list(threads.map(read_pad, finds.pads))
    else:
        pads = [read_pad(find) for find in finds.pads]
    sheets = tuple(pad for pad in pads if isinstance(pad, SheetReading))
    troubles = tuple(
        replace(one, corners=one.corners and _full_size(one.corners, scale, offset))
        for one in (*finds.troubles, *(pad for pad in pads if isinstance(pad, Trouble)))
    )
    return PhotoReading(
        sheets=sheets,
        troubles=troubles if sheets or troubles else (_NO_SHEET,),
        size=picture.size,
        seconds=time.perf_counter() - started,
    )


def _processors() -> int:
    """That this process may use."""
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


def _found(picture: Picture) -> tuple[npt.NDArray[np.uint8], int, Finds]:
    """The photo at the size at which its pads can be read, how much smaller that is, the pads."""
    width, height = picture.size
    # Half of the largest picture that is opened is small enough, so there is always one.
    sizes = [one for one in REDUCTIONS if width * height / one**2 <= MOST_PIXELS]
    usual = [one for one in sizes if width * height / one**2 <= USUAL_PIXELS] or sizes[-1:]
    gray = picture.gray(usual[0])
    finds = finding.find(gray)
    is_enough = (
        finds.pads
        and not finds.troubles
        and min(find.px_per_mm for find in finds.pads) >= ENOUGH_PX_PER_MM
    )
    if is_enough or usual[0] == sizes[0]:
        return gray, usual[0], finds
    return _larger(picture, usual[0], sizes[0], finds)


def _larger(
    picture: Picture, scale: int, finer: int, finds: Finds
) -> tuple[npt.NDArray[np.uint8], int, Finds]:
    """The same with a larger picture of the photo."""
    gray = picture.gray(finer)
    is_plain = (
        finds.pads
        and not finds.troubles
        and all(len(find.markers) == 4 for find in finds.pads)
        and min(find.px_per_mm for find in finds.pads) >= PLAIN_PX_PER_MM
    )
    if is_plain:
        (left, top), (finer_left, finer_top) = picture.offset(scale), picture.offset(finer)
        offset = (finer_left - left) / finer, (finer_top - top) / finer
        same = finding.again(finds, gray, scale / finer, offset)
        if same is not None:
            return gray, finer, same
    return gray, finer, finding.find(gray)


def _pad(
    gray: npt.NDArray[np.uint8],
    color: npt.NDArray[np.uint8] | None,
    scale: int,
    offset: tuple[int, int],
    find: Find,
) -> SheetReading | Trouble:
    flat = flattening.flatten(gray, find)
    if isinstance(flat, Trouble):
        return flat
    shown = None if color is None else _jpeg(flat.warp(color))
    return _sheet(find, flat, _full_size(finding.corners(find), scale, offset), shown)


def _sheet(find: Find, flat: Flat, where: Corners, shown: bytes | None) -> SheetReading:
    sheet, board = find.sheet, find.board
    ink = _ink(flat, sheet.paper(board))
    weighed = weighing.weighed(sheet, board, ink)
    return SheetReading(
        sheet=sheet.marked(board, weighed.marks),
        board=board,
        corners=where,
        fields=weighed.fields,
        unsure=weighed.unsure,
        flat=shown,
    )


def _ink(flat: Flat, paper: Paper) -> Mapping[str, Chances]:
    """What each field of a pad may hold, as far as its ink says."""
    even = flat.even
    by_kind: dict[Kind, list[Field]] = {}
    for field in paper.fields:
        by_kind.setdefault(field.kind, []).append(field)
    read: dict[str, Chances] = {}
    for kind, fields in by_kind.items():
        chances = iter(_chances(even, kind, [box for one in fields for box in cells.boxes(one)]))
        for field in fields:
            parts = [next(chances) for _ in cells.boxes(field)]
            read[field.id] = weighing.joined(parts) if field.cells else parts[0]
    return {
        field.id: _doubted(read[field.id])
        if _is_out_of_sight(flat, field, read[field.id])
        else read[field.id]
        for field in paper.fields
    }


def _is_out_of_sight(flat: Flat, field: Field, chances: Chances) -> bool:
    """Whether nobody knows what is looked at: the paper is elsewhere, or something lies on it.

    Ink may hide a field's outline, too, so a field is not doubted for that where ink is seen.
    """
    if flat.fit.around(field.box.center) < PLACED:
        return True
    return _is_empty(chances, field.kind) and any(
        flat.fit.is_lost(box.center) for box in cells.boxes(field)
    )


def _is_empty(chances: Chances, kind: Kind) -> bool:
    return max(chances, key=lambda mark: chances[mark]) == EMPTY[kind]


def _doubted(chances: Chances) -> Chances:
    """The same with so little trust that somebody looks at it."""
    return {mark: chance / 2 for mark, chance in chances.items()}


def _chances(even: npt.NDArray[np.float32], kind: Kind, boxes: Sequence[Box]) -> list[Chances]:
    """What each box may hold. Those that are not clear are looked at from a little aside, too."""
    network = networks.of(kind)
    margin = cells.MARGINS[kind]
    pictures = cells.pictures(even, boxes, margin)
    chances = [_BARE] * len(boxes)
    places = np.flatnonzero(~cells.bare(pictures, kind, boxes)).tolist()
    if not places:
        return chances
    for place, one in zip(places, network.chances(pictures[places], kind), strict=True):
        chances[place] = one
    unclear = [place for place in places if max(chances[place].values(), default=0.0) < CLEAR]
    if unclear:
        first = [chances[place] for place in unclear]
        looks = [first, *_aside(even, kind, [boxes[place] for place in unclear])]
        for place, *seen in zip(unclear, *looks, strict=True):
            chances[place] = {mark: sum(one[mark] for one in seen) / len(seen) for mark in seen[0]}
    for place in places:
        is_covered = cells.is_covered(pictures[place][0], kind, boxes[place])
        if is_covered and _is_empty(chances[place], kind):
            chances[place] = _doubted(chances[place])
    return chances


def _aside(
    even: npt.NDArray[np.float32], kind: Kind, boxes: Sequence[Box]
) -> Iterator[list[Chances]]:
    """Look by look, what boxes may hold that are seen from a little aside."""
    margin = cells.MARGINS[kind]
    for x, y, wider in ASIDE:
        aside = [moved(box, x, y) for box in boxes]
        yield networks.of(kind).chances(cells.pictures(even, aside, margin + wider), kind)


_BARE: Final[Chances] = {None: 1.0}
"""What a box holds in which there is no ink at all."""


def _full_size(corners: Corners, scale: int, offset: tuple[int, int]) -> Corners:
    """Places in the reduced photo as places in the photo itself.

    There whole numbers are the pixels' edges, and in a reduced one their middles.
    """
    a, b, c, d = (
        ((x + 0.5) * scale + offset[0], (y + 0.5) * scale + offset[1]) for x, y in corners
    )
    return (a, b, c, d)


def _jpeg(picture: npt.NDArray[np.uint8]) -> bytes:
    done, raw = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    return raw.tobytes() if done else b""
