"""The way of a photo from upload to review: a job for the readers, then sheets.

Photos are read in processes of their own (`vision.worker`), so the page is shown at once and asks
for progress.
"""

from __future__ import annotations

import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import zip_longest
from typing import IO, Any, Final, Protocol

from companion.core.refusal import Refusal
from companion.core.words import N_, Sentence
from companion.paper import processes, stored
from companion.paper.order import in_order
from companion.paper.review import MOST_PHOTOS, Photo, Review
from companion.tables import Refused, Tables
from companion.vision.core import MAX_PHOTO_BYTES, Trouble
from companion.vision.pictures.taken import taken_at
from companion.vision.worker.pool import Busy, Failed, Job, Outcome
from companion.vision.worker.wire import Answer, trouble_document

LOST_MS: Final = 30_000
"""Age from which a waiting photo without a job counts as lost: the app was restarted."""
LOST_ELSEWHERE_MS: Final = 10 * 60_000
"""The same for a photo of another computer's process, which cannot be asked for its jobs."""

LOST: Final = Sentence(N_("The app was restarted while it read this photo. Send it again."))
BUSY: Final = Refusal(
    "too-many-photos",
    N_("Too many photos are being read just now. Try again in a moment."),
)


class Readers(Protocol):
    """Readers of photos: `vision.worker.pool.Readers` here, or `queued.QueuedReaders` elsewhere."""

    def submit(self, job: Job) -> None:
        """Queues a photo; raises `Busy` without room for this sender."""

    def has(self, job_id: str) -> bool:
        """Whether a photo is waiting or being read."""

    def cancel(self, job_id: str) -> bool:
        """Stops reading a photo, or skips it in the queue; False if there is no such job."""

    def close(self) -> None:
        """Ends the reading in this process."""


def send(
    tables: Tables,
    readers: Readers,
    device: str,
    review_id: str,
    files: Sequence[IO[bytes]],
    *,
    heads: Sequence[bytes] = (),
    network: str = "",
) -> None:
    """Adds photos to a review and has them read. A failure becomes a trouble of its photo.

    Args:
        heads: the beginnings of the files as the phone has them, in the same order; see `taken`.
        network: where the device is; see `Job.network`.

    Raises:
        Refused: `no-such-review`; `too-many-photos` when the review has no room for all of them.
    """
    _, review = stored.load(tables, device, review_id)
    keep, now = review.keep, tables.now()
    # A photo in the database's queue is lost with no process.
    process = "" if tables.photo_queue is not None else processes.own_name()
    photos = [
        Photo(secrets.token_hex(8), now, process=process, taken=_taken(head, now))
        for _, head in zip_longest(files, heads[: len(files)], fillvalue=b"")
    ]
    # The files are copied first, because nobody else can write while the review is changed.
    jobs = [
        _job(tables, device, review_id, photo, file, keep=keep, network=network)
        for photo, file in zip(photos, files, strict=True)
    ]
    try:
        _append(tables, device, review_id, photos)
    except BaseException:
        _forget(jobs)
        raise
    for photo, job in zip(photos, jobs, strict=True):
        _submit(tables, readers, review_id, photo, job)


def _taken(head: bytes, now: int) -> int:
    """The time at which a photo was taken, in milliseconds since 1970; 0 when nobody knows."""
    moment = taken_at(head, datetime.fromtimestamp(now / 1000, UTC))
    return 0 if moment is None else round(moment.timestamp() * 1000)


def current(tables: Tables, readers: Readers, device: str, review_id: str) -> tuple[int, Review]:
    """The review's version and the review, in which photos without a job have failed.

    Raises:
        Refused: `no-such-review`.
    """
    version, review = stored.load(tables, device, review_id)
    now = tables.now()
    lost = [
        photo.id
        for photo in review.photos
        if photo.is_pending and _is_lost(photo, now - photo.at, readers)
    ]
    if not lost:
        return version, review
    for photo_id in lost:
        note(tables, review_id, photo_id, Failed("lost", LOST))
    # A photo may have been read a moment ago.
    return stored.load(tables, device, review_id)


def _is_lost(photo: Photo, age_ms: int, readers: Readers) -> bool:
    """Whether nobody will read a photo any more. Several processes may share a database."""
    if age_ms <= LOST_MS or readers.has(photo.id):
        return False
    if photo.process == processes.own_name() or processes.has_ended(photo.process):
        return True
    return age_ms > LOST_ELSEWHERE_MS


def _job(
    tables: Tables,
    device: str,
    review_id: str,
    photo: Photo,
    file: IO[bytes],
    *,
    keep: bool,
    network: str,
) -> Job | None:
    """The photo in a nameless file of its own; None when it is too large."""
    # The request's own files are closed when it has been answered.
    held: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - the job closes it
    try:
        shutil.copyfileobj(file, held)
        size = held.tell()
        held.seek(0)
    except OSError:
        held.close()
        raise
    if size > MAX_PHOTO_BYTES:
        held.close()
        return None
    return Job(
        id=photo.id,
        review=review_id,
        file=held,
        size=size,
        keep=keep,
        owner=device,
        network=network,
        began=partial(note_began, tables, review_id, photo.id),
        done=partial(note, tables, review_id, photo.id),
    )


def _forget(jobs: Iterable[Job | None]) -> None:
    """Closes the files of jobs that will not be submitted."""
    for job in jobs:
        if job is not None:
            job.file.close()


def _append(tables: Tables, device: str, review_id: str, photos: Sequence[Photo]) -> None:
    with stored.changing(tables, device, review_id) as review:
        if len(review.photos) + len(photos) > MOST_PHOTOS:
            text = N_("There are %(most)s photos here already. Start anew with the others.")
            raise Refused(Refusal("too-many-photos", text, {"most": MOST_PHOTOS}))
        review.photos += photos


def _submit(
    tables: Tables, readers: Readers, review_id: str, photo: Photo, job: Job | None
) -> None:
    """Gives a photo to the readers; a refusal becomes a trouble of the photo."""
    if job is None:
        note(tables, review_id, photo.id, _too_large())
        return
    try:
        readers.submit(job)
    except Busy:
        job.file.close()
        note(tables, review_id, photo.id, Failed(BUSY.code, Sentence(BUSY.text)))


def _too_large() -> Failed:
    text = N_("The photo is larger than %(most)s MB.")
    return Failed("too-many-bytes", Sentence(text, {"most": MAX_PHOTO_BYTES // 1024 // 1024}))


def note_began(tables: Tables, review_id: str, photo_id: str) -> None:
    """Notes that a photo is being read. Any thread may call it."""

    def begin(photo: Photo, _review: Review) -> None:
        photo.state = "reading"

    _change_photo(tables, review_id, photo_id, begin)


def note(tables: Tables, review_id: str, photo_id: str, outcome: Outcome) -> None:
    """Puts the outcome of a photo into its review. Any thread may call it."""
    pictures: dict[str, bytes | None] = {}

    def take(photo: Photo, review: Review) -> None:
        if isinstance(outcome, Failed):
            photo.state = "failed"
            photo.troubles = [_failed_document(outcome.code, outcome.sentence)]
            return
        photo.state = "read"
        photo.troubles = [trouble_document(trouble) for trouble in outcome.reading.troubles]
        _take(review, photo, outcome, pictures)

    try:
        _change_photo(tables, review_id, photo_id, take, pictures)
    except Refused as refused:  # no room for its pictures
        failed = Failed(refused.code, Sentence(refused.refusal.text, refused.refusal.values))
        note(tables, review_id, photo_id, failed)


def _failed_document(code: str, sentence: Sentence) -> dict[str, Any]:
    return trouble_document(Trouble(code, sentence))


def _take(review: Review, photo: Photo, answer: Answer, pictures: dict[str, bytes | None]) -> None:
    for reading in in_order(answer.reading.sheets):
        try:
            sheet = review.add_reading(reading, photo.id)
        except Refused as refused:
            sentence = Sentence(refused.refusal.text, refused.refusal.values)
            photo.troubles.append(_failed_document(refused.code, sentence))
            break
        photo.sheets += 1
        if reading.flat:
            pictures[sheet.picture_name] = reading.flat
    if answer.kept:
        pictures[photo.kept_name] = answer.kept
        photo.size = list(answer.reading.size)


def _change_photo(
    tables: Tables,
    review_id: str,
    photo_id: str,
    change_it: Callable[[Photo, Review], None],
    pictures: Mapping[str, bytes | None] | None = None,
) -> None:
    try:
        with tables.reviews.changing(review_id, None) as change:
            review = Review.load(change.body)
            photo = review.photo(photo_id)
            if photo is None or not photo.is_pending:
                return
            change_it(photo, review)
            change.body = review.dump()
            change.pictures |= pictures or {}
    except Refused as refused:
        # The review may have been thrown away or saved meanwhile.
        if refused.code != "no-such-review":
            raise
