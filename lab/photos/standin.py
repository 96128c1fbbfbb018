"""A reader that reads nothing: its answer depends on the picture's width alone.

It stands in for `companion.vision.reading` where the app around it is tested. Pads are drawn by
`lab.photos.paper`, so that pages look as they do with the real reader.
"""

from __future__ import annotations

import io
import os
import time
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final

from PIL import Image

from companion.core.edition import OWN, UNKNOWN
from companion.core.sheet import EMPTY, Mark
from companion.core.words import Sentence
from companion.games.catalog import KINDS
from companion.games.editions import find_edition, paper_of
from companion.games.grid_layout import board_of
from companion.games.score_grid import field_name
from companion.vision.core import (
    FLAT_PX_PER_MM,
    Corners,
    FieldReading,
    PhotoReading,
    SheetReading,
    Trouble,
)
from companion.vision.pictures.picture import open_picture
from companion.vision.pictures.scans import PAGE_SIDE

ONE, TWO, CLEAN, ENCORE, TALLY, NOTHING, BLURRED, MANY = 200, 210, 220, 230, 240, 250, 260, 270
SLOW, CRASH, NOISY, GREEDY, BARE, SPINNING = 300, 310, 330, 340, 350, 360
PUBLISHERS, SUMMED, REFUSED, THREE, MISREAD, ASKED = 400, 410, 420, 430, 450, 470
TABLE, UNSUMMED, HALF_BLANK = 480, 490, 500
SLOW_SECONDS: Final = 1000.0  # for ever: whoever waits for the end of that loses patience first

QWINTO: Final[Mapping[str, Mark]] = {
    **{f"orange.{at}": n for at, n in zip((2, 5, 6, 8), (5, 10, 13, 17), strict=True)},
    **{f"yellow.{at}": n for at, n in enumerate((2, 3, 7, 8, 10, 11, 12, 15, 16), 1)},
    **{f"purple.{at}": n for at, n in zip((1, 2, 4, 5, 7, 8), (2, 4, 6, 7, 9, 11), strict=True)},
    "failed.1": True,
    "failed.2": True,
}
OTHER: Final[Mapping[str, Mark]] = {
    **{f"orange.{at}": n for at, n in zip((1, 3, 4, 7), (1, 6, 9, 14), strict=True)},
    **{f"yellow.{at}": n for at, n in zip((2, 3, 6), (4, 8, 12), strict=True)},
    **{f"purple.{at}": n for at, n in zip((3, 5, 6, 9), (5, 10, 12, 18), strict=True)},
    "failed.1": True,
}
CLEAR: Final[Mapping[str, Mark]] = {**QWINTO, "purple.4": 6}
THIRD: Final[Mapping[str, Mark]] = {
    **{f"orange.{at}": n for at, n in zip((2, 3, 6), (3, 7, 12), strict=True)},
    **{f"yellow.{at}": n for at, n in zip((1, 4, 7, 9), (1, 9, 13, 17), strict=True)},
    "failed.3": True,
}
CROSSED: Final[Mapping[str, Mark]] = {
    **{f"{column}{row}": True for column in "GHI" for row in range(1, 8)},
    **{f"{column}{row}": True for column in "DEF" for row in (3, 4)},
    "column.H.first": "circled",
    "column.G.first": "crossed",
    "column.G.later": "circled",
    "column.I.first": "circled",
    "joker.1": True,
    "joker.2": True,
}
ROUNDS: Final[Mapping[str, Mark]] = {
    f"round.{row}.player.{place}": number
    for row, numbers in enumerate(((12, 30, 8), (7, 0, 21), (15, 11, 9)), 1)
    for place, number in enumerate(numbers, 1)
}


RULED: Final = ((12, 7, 30), (5, 45, 8), (20, 0, 9), (37, 53, 47))
"""A ruled table; in the last row are sums, of which the second is wrong."""

SUMS: Final[Mapping[str, int]] = {
    "sum.orange": 4,
    "sum.yellow": 16,
    "sum.purple": 9,
    "sum.failed": 10,
    "sum.total": 46,
}
"""Sums on the sheet of `QWINTO`; the purple row and the total are wrong."""


def picture(width: int, height: int = 120) -> bytes:
    """A JPEG of the width to which an answer belongs."""
    raw = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(raw, "JPEG")
    return raw.getvalue()


def scan(*widths: int) -> bytes:
    """A PDF whose pages have these widths when they are read."""
    first, *others = (Image.new("RGB", (width, PAGE_SIDE), "white") for width in widths)
    raw = io.BytesIO()
    first.save(raw, "PDF", save_all=True, append_images=others)
    return raw.getvalue()


def read(data: bytes, *, pictures: bool = False) -> PhotoReading:
    size = open_picture(data).size
    sheets, troubles = _shown(size[0])
    if pictures:
        sheets = tuple(replace(sheet, flat=_flat(sheet)) for sheet in sheets)
    return PhotoReading(sheets, troubles, size, 0.01)


def _shown(width: int) -> tuple[tuple[SheetReading, ...], tuple[Trouble, ...]]:
    match width:
        case 200:
            return (_sheet("qwinto", "", QWINTO, _UNSURE),), ()
        case 210:
            return (_sheet("qwinto", "", QWINTO, _UNSURE), _sheet("qwinto", "", OTHER)), ()
        case 220:
            return (_sheet("qwinto", "", OTHER),), ()
        case 230:
            unsure: Unsure = {"D3": [(False, 0.2)], "column.H.first": [("open", 0.1)]}
            sheets = (
                _sheet("encore", "black", CROSSED, unsure),
                _sheet("encore", "black", CROSSED),
            )
            return sheets, ()
        case 240:
            unsure = {"round.2.player.1": [(1, 0.3), (None, 0.05)]}
            return (_sheet("tally", "", ROUNDS, unsure),), ()
        case 250:
            text = "There is no printed pad in this photo. All four corners should be in it."
            return (), (Trouble("no-sheet", Sentence(text), sheet="qwixx"),)
        case 260:
            trouble = Trouble("blurred", Sentence("A pad is too blurred to be read. Hold still."))
            return (_sheet("qwinto", "", OTHER),), (trouble,)
        case 270:
            return tuple(_sheet("qwinto", "", OTHER) for _ in range(6)), ()
        case 400:
            summed = {"sum.columns": 6, "sum.jokers": 6, "sum.stars": 22, "sum.total": 10}
            encore = _sheet("encore", "black", CROSSED, edition="schmidt", written=summed)
            return (
                # The sums say that the column is full.
                replace(encore, by_sums=("G7", "column.G.later")),
                _sheet("qwinto", "", QWINTO, _UNSURE, edition="nsv", written=SUMS),
                _sheet("qwinto", "", OTHER, edition="english"),
            ), ()
        case 410:
            totals = {"sum.player.1": 34, "sum.player.2": 42}
            sheets = (
                _sheet("qwinto", "", QWINTO, written=SUMS),
                _sheet("tally", "", ROUNDS, written=totals),
            )
            return sheets, ()
        case 420:
            troubles = (
                Trouble("not-flat", Sentence("A sheet is too curled."), _corners(230)),
                Trouble("cut-off", Sentence("A sheet is only partly in the photo."), _corners(330)),
                Trouble("cut-off", Sentence("A sheet is only partly in the photo."), _corners(430)),
            )
            return (_sheet("qwinto", "", OTHER),), troubles
        case 430:
            middle = _sheet("qwinto", "", THIRD, at=100)
            right = _sheet("qwinto", "", OTHER, at=200)
            return (_sheet("qwinto", "", CLEAR), middle, right), ()
        case 450:
            # One failed throw and the total say that the second cross is none.
            written = {"sum.failed": 5, "sum.total": 48}
            unsure = {"failed.2": [(False, 0.2)], **_UNSURE}
            return (_sheet("qwinto", "", QWINTO, unsure, written=written),), ()
        case 470:
            asked = (
                _sheet("qwinto", "", CLEAR, _UNSURE, edition="nsv"),
                _sheet("qwinto", "", OTHER, edition="nsv", at=100),
            )
            return tuple(replace(sheet, unsure_edition=True) for sheet in asked), ()
        case 480 | 490:
            rows = RULED[: 4 if width == 480 else 3]
            marks = {
                field_name(row, column): number
                for row, numbers in enumerate(rows)
                for column, number in enumerate(numbers)
            }
            unsure = {"row.1.column.2": [(1, 0.3)]}
            board = board_of(len(rows), 3, 1, 1)
            return (_sheet("table", board, marks, unsure, edition=UNKNOWN),), ()
        case 500:
            return (_sheet("tally", "", ROUNDS), _sheet("tally", "", {}, at=100)), ()
        case 300:
            time.sleep(SLOW_SECONDS)
        case 310:
            os._exit(11)
        case 330:
            print("a library that talks")  # it must not get between the frames
        case 340:
            bytearray(8 * 1024**3)
        case 350:
            raise ModuleNotFoundError("No module named 'cv2'")
        case 360:
            while True:  # on a processor, unlike SLOW
                pass
    return (_sheet("qwinto", "", OTHER),), ()


Unsure = dict[str, list[tuple[Mark, float]]]
_UNSURE: Final[Unsure] = {
    "orange.8": [(15, 0.2), (14, 0.04)],
    "purple.4": [(8, 0.3)],
}


def _corners(left: float) -> Corners:
    return ((left, 30.0), (left + 60, 34.0), (left + 62, 90.0), (left + 2, 84.0))


def _sheet(
    name: str,
    board: str,
    marks: Mapping[str, Mark],
    unsure: Unsure | None = None,
    *,
    edition: str = OWN,
    written: Mapping[str, int] | None = None,
    at: float = 0.0,
) -> SheetReading:
    """A sheet in a photo; `at` is how far to the right it lies."""
    sheet = KINDS[name]
    fields = {}
    zeros = [field for field, mark in marks.items() if mark == 0] if name == "table" else []
    for field in paper_of(sheet, board, edition).fields:
        value = marks.get(field.id, EMPTY[field.kind])
        others = tuple((unsure or {}).get(field.id, ()))
        fields[field.id] = FieldReading(value, 0.7 if others else 0.999, others)
    return SheetReading(
        sheet=sheet.marked(board, {name: read.value for name, read in fields.items()}),
        board=board,
        corners=((at + 10, 10.0), (at + 90, 10.0), (at + 90, 50.0), (at + 10, 50.0)),
        fields=fields,
        unsure=tuple(unsure or ()),
        edition=edition,
        written={blank: FieldReading(number, 0.98) for blank, number in (written or {}).items()},
        dashes=tuple(zeros),  # That is how they are written.
    )


def empty_sheet(name: str, board: str) -> SheetReading:
    """A sheet of any kind on which nothing is written."""
    return _sheet(name, board, {})


Values = tuple[tuple[str, Mark], ...]


def _flat(sheet: SheetReading) -> bytes:
    marks, sums = (
        tuple((name, read.value) for name, read in fields.items())
        for fields in (sheet.fields, sheet.written)
    )
    return _drawn(sheet.sheet.kind.name, sheet.board, sheet.edition, marks, sums)


@cache
def _drawn(name: str, board: str, edition: str, marks: Values, sums: Values) -> bytes:
    from lab.photos import paper, publishers

    printed = paper_of(KINDS[name], board, edition)
    if name == "table":
        pad = paper.ruled(printed.fields, dict(marks), (printed.width, printed.height))
    elif edition == OWN:
        pad = paper.filled(name, dict(marks), board, sums=dict(sums))
    else:
        pad = publishers.filled_in(find_edition(name, edition), dict(marks), board, dict(sums))
    size = (round(printed.width * FLAT_PX_PER_MM), round(printed.height * FLAT_PX_PER_MM))
    raw = io.BytesIO()
    Image.fromarray(pad.picture[..., ::-1]).resize(size).save(raw, "JPEG", quality=85)
    return raw.getvalue()
