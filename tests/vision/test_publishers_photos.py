"""Publishers' sheets through the whole reader: alone, mixed with our pads, and in part."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import cv2
import numpy as np
import pytest

from companion.core.edition import OWN, Edition, Rgb
from companion.core.sheet import EMPTY, Kind, Mark
from companion.games.editions import editions
from companion.vision.core import PhotoReading
from companion.vision.reading import read
from tests.kit.photos import paper as own
from tests.kit.photos.paper import draw
from tests.kit.photos.publishers import (
    BOARDS,
    cross,
    crosses_go_over_print,
    filled,
    filling,
    ring,
    tick,
)
from tests.vision.unmarked.scenes import scene, sheet_picture


def taken(photo: np.ndarray, **options: bool) -> PhotoReading:
    return read(cv2.imencode(".jpg", photo, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes(), **options)


def some_marks(made: Edition, board: str) -> dict[str, bool | int | str]:
    """Marks that break no rule by themselves: a few crosses, or one number in each row."""
    fields = made.paper(board).fields
    crosses = [field.id for field in fields if field.kind == "cross"]
    numbers = [field.id for field in fields if field.kind == "number"]
    marks: dict[str, bool | int | str] = dict.fromkeys(crosses[50:56] or crosses[:2], True)
    return marks | dict.fromkeys(numbers[4::11], 7)


@pytest.mark.parametrize(("made", "board"), BOARDS)
def test_round_trip_of_every_edition_and_board(made: Edition, board: str) -> None:
    marks = some_marks(made, board)
    picture = filled(made.sheet.name, made.name, marks, board).picture
    (sheet,) = taken(scene(picture, turn=6, tilt=12, size=(1600, 1200)).photo).sheets
    assert (sheet.edition, sheet.board) == (made.name, board)
    wrong = [
        name
        for name, field in sheet.fields.items()
        if field.value not in (marks.get(name), None, False, "open")
        or (name in marks and field.value != marks[name])
    ]
    assert not set(wrong) - set(sheet.unsure)


def test_a_gray_photo_that_cannot_be_read_is_refused_for_its_tones() -> None:
    """`unmarked/test_search.py` reads gray photos of boards."""
    made = editions()[0]
    photo = scene(filled(made.sheet.name, made.name, {}, "").picture, size=(1600, 1200)).photo
    reading = taken(cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY))
    (trouble,) = reading.troubles
    assert (reading.sheets, trouble.code) == ((), "no-sheet")
    assert "without colors" in str(trouble.sentence)


def test_publishers_sheets_beside_one_of_our_own_pads() -> None:
    some = editions()[-3:]
    pictures = [filled(m.sheet.name, m.name, {}, m.sheet.usual_board).picture for m in some]
    last = some[-1].sheet
    pad = own.printed(last.name, last.usual_board)
    views = [scene(part, turn=3, size=(1500, 1100)).photo for part in (*pictures, pad.picture)]
    sheets = taken(np.vstack([np.hstack(views[:2]), np.hstack(views[2:4])])).sheets
    assert sorted(sheet.edition for sheet in sheets) == sorted([OWN, *(made.name for made in some)])


PENS: Mapping[str, tuple[Rgb, float]] = {
    "ballpoint": ((30, 40, 120), 0.5),
    "black felt": ((26, 26, 28), 1.2),
    "white": ((245, 245, 245), 1.0),
    "gold": ((190, 160, 80), 1.0),
}
"""Name → colour, and the width of a line in millimetres."""
DRAWN = {"cross": cross, "ring": ring, "tick": tick, "filling": filling}
VISIBLE = 40
"""The difference in some channel, of 255, by which a pen is seen on a field."""
MISSED: Mapping[tuple[str, str, str], str] = {
    ("encore", "ballpoint", "filling"): "Filled values whose print is unique look open.",
    ("encore", "black felt", "filling"): "Filled values whose print is unique look open.",
    ("encore", "white", "filling"): "White boxes look open; most are asked for.",
    ("encore", "gold", "cross"): "Gold strokes on yellow and orange look like print.",
    ("encore", "gold", "tick"): "Gold strokes on yellow and orange look like print.",
    ("encore", "gold", "filling"): "Gold boxes look open; most are asked for.",
    **dict.fromkeys(
        [("gamewright", "white", drawn) for drawn in DRAWN],
        "White strokes on numbers' grounds that are nearly white look open.",
    ),
}
"""(sheet or edition, pen, mark) → why some fields are wrong, and nobody is asked."""


def markable(made: Edition, pen: str, drawn: str) -> dict[str, Mark]:
    """A third of the fields in which a person sees the mark, and what it means there."""
    board = made.sheet.usual_board
    meanings: dict[Kind, Mark] = {
        "value": "circled" if drawn == "ring" else "crossed",
        "cross": drawn != "ring" or crosses_go_over_print(made),
    }
    seen = [
        field
        for field in made.paper(board).fields
        if meanings.get(field.kind)
        and np.abs(np.subtract(made.prints[board][field.id].fill, PENS[pen][0])).max() > VISIBLE
    ]
    return {field.id: meanings[field.kind] for field in seen[::3]}


def pens_and_marks() -> list[Any]:
    """Each edition, pen and mark that a person sees there."""
    cases = []
    for made, pen, drawn in product(editions(), PENS, DRAWN):
        name = made.sheet.name
        reason = MISSED.get((name, pen, drawn)) or MISSED.get((made.name, pen, drawn))
        marks = [pytest.mark.xfail(strict=True, reason=reason)] if reason else []
        if markable(made, pen, drawn):
            case = f"{name}-{made.name}-{pen}-{drawn}"
            cases.append(pytest.param(made, pen, drawn, marks=marks, id=case))
    return cases


@pytest.mark.wide
@pytest.mark.parametrize(("made", "pen", "drawn"), pens_and_marks())
def test_every_pens_marks_are_read_or_asked_for(made: Edition, pen: str, drawn: str) -> None:
    """On the usual board, whose ground may be black."""
    board = made.sheet.usual_board
    written = markable(made, pen, drawn)
    picture = sheet_picture(made, board)
    boxes = {field.id: field.box for field in made.paper(board).fields}
    ink, width = PENS[pen]
    for name in written:
        for line in DRAWN[drawn](boxes[name]):
            draw(picture, line, width, ink[::-1])
    (sheet,) = taken(scene(picture, turn=4, tilt=8, size=(1600, 1200)).photo).sheets
    empty = {field.id: EMPTY[field.kind] for field in made.paper(board).fields}
    wrong = {name for name, field in sheet.fields.items() if field.value != (empty | written)[name]}
    assert sorted(wrong - set(sheet.unsure)) == []
