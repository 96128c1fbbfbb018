"""Accepts photos: each becomes part of a review at once, and a job for the readers.

The readers are a pool of processes (`vision.worker.pool`), or a PostgreSQL database's queue.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from functools import partial
from typing import IO, Final, TypeAlias

from companion.core.words import Sentence
from companion.paper.photos.photo_queue import PhotoQueue
from companion.paper.photos.photo_results import LOST, note_began, note_outcome
from companion.paper.review import Photo, Review, changing_review, load_review
from companion.tables import Tables
from companion.tables.database.columns import device_hash
from companion.vision.core import MAX_PHOTO_BYTES
from companion.vision.pictures.exif_time import taken_at
from companion.vision.worker.pool import Busy, Failed, Job, Readers

PhotoReaders: TypeAlias = Readers | PhotoQueue  # processes of the app, or a queue's readers

LOST_MS: Final = 30_000  # age from which a photo without a job counts as lost

BUSY: Final = Failed(
    "too-many-photos",
    Sentence("Too many photos are being read right now. Try again in a moment."),
)
TOO_LARGE: Final = Failed(
    "too-many-bytes",
    Sentence("The photo is larger than %(most)s MB.", {"most": MAX_PHOTO_BYTES // 1024 // 1024}),
)


@dataclass(frozen=True)
class SentPhoto:
    file: IO[bytes]  # open at its beginning; its reader closes it
    size: int  # in bytes
    network: str = ""  # the sender's address; of IPv6, its network
    head: bytes = b""  # the beginning of the original file; see `vision.pictures.exif_time`
    zone: tzinfo | None = None  # the phone's time zone; None for the server's


def send_photos(
    tables: Tables, readers: PhotoReaders, device: str, review_id: str, sent: Sequence[SentPhoto]
) -> None:
    """Adds photos to a review and has them read. A failure becomes a trouble of its photo.

    Raises:
        Refused: `no-such-review`; `too-many-photos` when the review has no room for all of them.
    """
    now = tables.now()
    photos = [Photo(secrets.token_hex(8), now, taken=_taken_ms(each, now)) for each in sent]
    try:
        with changing_review(tables, device, review_id) as review:
            review.add_photos(photos)
    except BaseException:
        for each in sent:
            each.file.close()
        raise
    is_stranger = _is_stranger(tables, device)
    for photo, each in zip(photos, sent, strict=True):
        job = Job(
            id=photo.id,
            review=review_id,
            file=each.file,
            size=each.size,
            keep=review.keep,
            owner=device_hash(device),
            network=each.network,
            is_stranger=is_stranger,
            began=partial(note_began, tables, review_id, photo.id),
            done=partial(note_outcome, tables, review_id, photo.id),
        )
        if failed := _submit(readers, job):
            job.file.close()
            job.done(failed)


def _is_stranger(tables: Tables, device: str) -> bool:
    """Whether the device sits at no table and has no finished games."""
    return not (tables.at_tables(device) or tables.history.games(device))


def _taken_ms(sent: SentPhoto, now: int) -> int:
    """The time by the camera, in milliseconds since 1970; 0 if unknown."""
    taken = taken_at(sent.head, datetime.fromtimestamp(now / 1000, UTC), sent.zone)
    return 0 if taken is None else round(taken.timestamp() * 1000)


def _submit(readers: PhotoReaders, job: Job) -> Failed | None:
    """Gives a photo to the readers; returns their refusal, or None."""
    if job.size > MAX_PHOTO_BYTES:
        return TOO_LARGE
    try:
        readers.submit(job)
    except Busy:
        return BUSY
    return None


def review_after_losses(
    tables: Tables, readers: PhotoReaders, device: str, review_id: str
) -> tuple[int, Review]:
    """Marks photos whose job was lost as failed; returns the review's version and the review.

    Raises:
        Refused: `no-such-review`.
    """
    version, review = load_review(tables, device, review_id)
    old = [each for each in review.photos if each.is_pending and tables.now() - each.at > LOST_MS]
    lost = [photo for photo in old if not readers.has(photo.id)]
    for photo in lost:
        readers.cancel(photo.id)
        note_outcome(tables, review_id, photo.id, LOST)
    # A photo may have been read a moment ago.
    return load_review(tables, device, review_id) if lost else (version, review)
