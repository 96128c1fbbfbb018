"""Readers elsewhere: photos go into the database's queue, and `reading` takes them out somewhere.

It has the methods of `worker.pool.Readers`, so that the way of a photo is the same with both.
"""

from __future__ import annotations

from typing import Final

from companion.tables.photos.photo_queue import PhotoQueue, QueuedPhoto, QueueFull
from companion.vision.worker.pool import Busy, Job


class QueuedReaders:
    """The readers of all machines that take photos out of a database's queue."""

    def __init__(self, queue: PhotoQueue) -> None:
        self._queue: Final = queue

    def submit(self, job: Job) -> None:
        """Queues a photo and closes its file; raises `Busy` without room for this sender."""
        photo = QueuedPhoto(job.id, job.review, job.owner, job.network, job.size, job.keep)
        try:
            self._queue.add(photo, job.file)
        except QueueFull as full:
            raise Busy from full
        job.file.close()

    def cancel(self, job_id: str) -> bool:
        """Deletes a photo and stops its reading; False if there is none."""
        return self._queue.cancel(job_id)

    def has(self, job_id: str) -> bool:
        """Whether a photo is waiting or being read."""
        return self._queue.has(job_id)

    def close(self) -> None:
        """Does nothing: the photos of the queue are read whatever ends here."""
