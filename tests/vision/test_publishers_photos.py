"""Publishers' sheets through the whole reader: alone, mixed with our pads, and in part."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.core.edition import OWN, Edition
from companion.games.editions import editions
from companion.vision.core import PhotoReading
from companion.vision.reading import read
from tests.kit.photos import paper as own
from tests.kit.photos.publishers import BOARDS, filled
from tests.vision.unmarked.scenes import scene


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
