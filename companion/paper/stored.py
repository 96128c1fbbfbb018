"""Reviews as the tables keep them: loaded, changed and written back in one transaction."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from companion.paper.review import Review
from companion.tables import Tables


def load(tables: Tables, device: str, review_id: str) -> tuple[int, Review]:
    """The review's version and the review; raises `Refused`: `no-such-review`."""
    version, body = tables.reviews.look(review_id, device)
    return version, Review.load(body)


@contextmanager
def changing(tables: Tables, device: str, review_id: str) -> Iterator[Review]:
    """Changes a review and deletes the pictures of sheets that were removed from it.

    Raises:
        Refused: `no-such-review`.
    """
    with tables.reviews.changing(review_id, device) as change:
        review = Review.load(change.body)
        before = {sheet.picture_name for sheet in review.sheets}
        yield review
        after = {sheet.picture_name for sheet in review.sheets}
        change.pictures |= dict.fromkeys(before - after)
        change.body = review.dump()


def discard(tables: Tables, device: str, review_id: str) -> Review:
    """Deletes a review; raises `Refused`: `no-such-review`."""
    with tables.reviews.changing(review_id, device) as change:
        change.is_over = True
        return Review.load(change.body)
