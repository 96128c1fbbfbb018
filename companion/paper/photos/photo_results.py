"""Results of reading photos, written into their reviews: sheets, pictures and troubles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from companion.core.words import Sentence
from companion.paper.form_marks import is_empty
from companion.paper.review import Photo, Review
from companion.tables import Refused, Tables
from companion.tables.photos.reviews import ReviewChange
from companion.vision.core import SheetReading, Trouble
from companion.vision.worker.pool import Failed, Outcome
from companion.vision.worker.wire import Answer, trouble_document

LOST: Final = Failed(
    "lost", Sentence("This photo was not read. Send it again, or type the sheets in.")
)

BLANK: Final = Sentence("A sheet in this photo is empty, so it was left out.")


def note_began(tables: Tables, review_id: str, photo_id: str) -> None:
    """Notes that a photo is being read. Any thread may call it."""

    def begin(photo: Photo, _review: Review, _change: ReviewChange) -> None:
        photo.state = "reading"

    _change_photo(tables, review_id, photo_id, begin)


def note_outcome(tables: Tables, review_id: str, photo_id: str, outcome: Outcome) -> None:
    """Puts the outcome of a photo into its review. Any thread may call it."""

    def take(photo: Photo, review: Review, change: ReviewChange) -> None:
        if isinstance(outcome, Failed):
            photo.state = "failed"
            photo.troubles = [trouble_document(Trouble(outcome.code, outcome.sentence))]
            return
        pages = [photo]
        for number, _ in enumerate(outcome.further, start=2):
            pages.append(Photo(f"{photo.id}-{number}", photo.at, taken=photo.taken))
        review.add_photos(pages[1:], after=photo)
        for page, answer in zip(pages, (outcome, *outcome.further), strict=True):
            page.state = "read"
            page.troubles = list(map(trouble_document, answer.reading.troubles))
            _add_sheets(review, page, answer, change)

    try:
        _change_photo(tables, review_id, photo_id, take)
    except Refused as refused:  # no room for its pictures
        note_outcome(tables, review_id, photo_id, Failed(refused.code, _sentence(refused)))


def _sentence(refused: Refused) -> Sentence:
    return Sentence(refused.refusal.text, refused.refusal.values)


def _add_sheets(review: Review, photo: Photo, answer: Answer, change: ReviewChange) -> None:
    written = [reading for reading in answer.reading.sheets if not _is_blank(reading)]
    for reading in answer.reading.sheets:
        if written and reading not in written:
            trouble = Trouble("blank-sheet", BLANK, reading.corners, reading.sheet.kind.name)
            photo.troubles.append(trouble_document(trouble))
            continue
        try:
            sheet = review.add_reading(reading, photo.id)
        except Refused as refused:
            photo.troubles.append(trouble_document(Trouble(refused.code, _sentence(refused))))
            break
        if reading.flat:
            change.pictures[sheet.picture_name] = reading.flat
    review.take_printed()
    if answer.kept:
        change.pictures[photo.kept_name] = answer.kept
        photo.size = list(answer.reading.size)


def _is_blank(reading: SheetReading) -> bool:
    """Whether nothing is written on a sheet, for certain."""
    has_ink = reading.unsure or reading.written
    return not has_ink and all(is_empty(field.value) for field in reading.fields.values())


def _change_photo(
    tables: Tables,
    review_id: str,
    photo_id: str,
    change_it: Callable[[Photo, Review, ReviewChange], None],
) -> None:
    """Changes a photo that is not read yet; without effect if it or its review is gone."""
    try:
        with tables.reviews.changing(review_id, None) as change:
            review = Review.load(change.body)
            photo = review.photo(photo_id)
            if photo is None or not photo.is_pending:
                return
            change_it(photo, review, change)
            change.body = review.dump()
    except Refused as refused:
        if refused.code != "no-such-review":
            raise
