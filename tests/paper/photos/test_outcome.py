"""What a review says of a photo whose sheet is of no game that is known."""

from __future__ import annotations

from companion.core.edition import UNKNOWN
from companion.games.catalog import KINDS
from companion.games.ruled_layout import board_of
from companion.paper.photos import outcome
from companion.paper.review import Photo, Review
from companion.tables.photos.reviews import ReviewChange
from companion.vision.core import FieldReading, PhotoReading, SheetReading
from companion.vision.worker.wire import Answer


def test_a_table_says_what_its_columns_make_and_is_no_sheet_of_the_review() -> None:
    kind, board = KINDS["table"], board_of(3, 2)
    marks = dict(zip([f.id for f in kind.paper(board).fields], [10, 4, 5, 30, 15, 34], strict=True))
    fields = {name: FieldReading(mark, 1.0) for name, mark in marks.items()}
    corners = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))
    sheet = SheetReading(kind.marked(board, marks), board, corners, fields, (), edition=UNKNOWN)
    answer = Answer(PhotoReading((sheet,), (), (9, 9), 0.1))
    review, photo = Review(), Photo("1", 0)
    outcome._take_sheets(review, photo, answer, ReviewChange.__new__(ReviewChange))
    assert review.sheets == []
    (trouble,) = photo.troubles
    assert trouble["code"] == "table"
    assert trouble["sentence"]["values"] == {"totals": {"list": ["15", "34"]}}
