"""Takes photos out of a PostgreSQL database's queue and reads them here; `companion reader`.

Procrastinate hands out the jobs and notices readers that have died; `vision.worker.pool` has the
processes that look at pictures. Any number of machines may do this at a time.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from procrastinate import App, JobContext, PsycopgConnector, RetryStrategy
from procrastinate.exceptions import ConnectorException, JobAborted
from procrastinate.job_context import AbortReason
from procrastinate.jobs import Status

from companion.core.words import N_, Sentence
from companion.paper import photos
from companion.tables import Tables
from companion.tables.photos.photo_queue import QUEUE, TASK, PhotoQueue
from companion.vision.worker.loop import READER
from companion.vision.worker.pool import AT_ONCE, SENTENCES, Failed, Job, Outcome, Readers

LOG: Final = logging.getLogger(__name__)

HEARTBEAT_SECONDS: Final = 5.0
"""Seconds between two heartbeats of a reader."""
DEAD_SECONDS: Final = 20.0
"""Silence of a reader, in seconds, after which others read its photos."""
MOST_RETRIES: Final = 2
"""Limit of new attempts at a photo whose reader died or lost the database."""
TENDING_SECONDS: Final = 5.0
"""Seconds between two searches for photos of dead readers, and for those that are too old."""
STOP_SECONDS: Final = 2.0
"""Time that a stop gives to photos that are being read; another reader repeats the others."""
AGAIN_SECONDS: Final = 1.0
"""Pause before a reader that lost the database tries again."""

EXPIRED: Final = Failed(
    "lost", Sentence(N_("Nobody came to read this photo. Send it again, or type the sheets in."))
)


class PhotoReader:
    """Reads the photos of a database's queue, in a thread of its own, until it is closed."""

    def __init__(
        self,
        tables: Tables,
        *,
        at_once: int = AT_ONCE,
        reader: str | None = None,
        heartbeat: float = HEARTBEAT_SECONDS,
        dead: float = DEAD_SECONDS,
        observer: Callable[[str, float], None] | None = None,
    ) -> None:
        """Starts to read.

        Args:
            at_once: photos at a time, each in a process of its own.
            reader: the module that reads; None for `READER`.
            heartbeat: see `HEARTBEAT_SECONDS`.
            dead: see `DEAD_SECONDS`.
            observer: see `Readers.observer`.
        """
        assert tables.photo_queue is not None  # noqa: S101 - the caller has looked
        self._tables: Final = tables
        self._queue: Final[PhotoQueue] = tables.photo_queue
        self._at_once: Final = at_once
        self._heartbeat: Final = heartbeat
        self._dead: Final = dead
        self._pool: Final = Readers(reader or READER, at_once=at_once)
        self._pool.observer = observer
        self._loop: Final = asyncio.new_event_loop()
        self._stopping: Final = asyncio.Event()
        self.listening: Final = threading.Event()
        """An event that is set once the queue has been reached."""
        self._thread: Final = threading.Thread(target=self._run, name="photo-reader", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends the reading; photos that are not done within `STOP_SECONDS` go back."""
        self._loop.call_soon_threadsafe(self._stopping.set)
        self._thread.join(STOP_SECONDS * 3)
        self._pool.close()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._read_all())

    async def _read_all(self) -> None:
        stopping = asyncio.create_task(self._stopping.wait())
        while not stopping.done():
            try:
                await self._read_until(stopping)
            except Exception:
                # For example, the database may be gone for a while.
                LOG.warning("lost the queue of photos; trying again", exc_info=True)
                await asyncio.wait({stopping}, timeout=AGAIN_SECONDS)

    async def _read_until(self, stopping: asyncio.Task[Any]) -> None:
        """Reads until it is told to stop; raises what ends a connection to the queue."""
        connector = PsycopgConnector(
            kwargs=self._queue.connect_arguments(), min_size=1, max_size=self._at_once + 2
        )
        app = App(connector=connector)
        retry = RetryStrategy(max_attempts=MOST_RETRIES)
        app.task(name=TASK, queue=QUEUE, retry=retry, pass_context=True)(self._job)
        async with app.open_async():
            self.listening.set()
            working = asyncio.create_task(
                app.run_worker_async(
                    queues=[QUEUE],
                    concurrency=self._at_once,
                    delete_jobs="always",
                    install_signal_handlers=False,
                    shutdown_graceful_timeout=STOP_SECONDS,
                    update_heartbeat_interval=self._heartbeat,
                    stalled_worker_timeout=self._dead,
                )
            )
            tending = asyncio.create_task(self._tend(app))
            tasks = {working, tending}
            try:
                await asyncio.wait({*tasks, stopping}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for task in tasks:
                    task.cancel()
                ended = await asyncio.gather(*tasks, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):
                raise error

    async def _job(self, context: JobContext, photo: str) -> None:
        """Reads one photo; what it raises makes the queue hand the photo out again."""
        try:
            await self._read(photo)
        except asyncio.CancelledError:
            if context.abort_reason() is AbortReason.USER_REQUEST:
                raise JobAborted from None  # its sender does not want it any more
            raise
        except Exception:
            if context.job.attempts >= MOST_RETRIES:
                await asyncio.to_thread(self._give_up, photo)
            raise

    async def _read(self, photo_id: str) -> None:
        done: asyncio.Future[Outcome] = self._loop.create_future()

        def finish(outcome: Outcome) -> None:
            if not done.done():
                done.set_result(outcome)

        def finish_soon(outcome: Outcome) -> None:
            self._loop.call_soon_threadsafe(finish, outcome)

        review_id = await asyncio.to_thread(self._submit, photo_id, finish_soon)
        if review_id is None:
            return
        try:
            outcome = await done
        except asyncio.CancelledError:
            self._pool.cancel(photo_id)
            raise
        await asyncio.to_thread(self._note, review_id, photo_id, outcome)

    def _submit(self, photo_id: str, done: Callable[[Outcome], None]) -> str | None:
        """Gives a photo to the processes; returns its review, or None when it is gone."""
        taken = self._queue.take(photo_id)
        if taken is None:
            return None
        photo, file = taken
        job = Job(
            id=photo.id,
            review=photo.review_id,
            file=file,
            size=photo.size,
            keep=photo.keep,
            began=partial(photos.note_began, self._tables, photo.review_id, photo.id),
            done=done,
        )
        self._pool.submit(job)
        return photo.review_id

    def _note(self, review_id: str, photo_id: str, outcome: Outcome) -> None:
        """Puts an outcome into the review, and then forgets the photo."""
        photos.note(self._tables, review_id, photo_id, outcome)
        self._queue.remove(photo_id)

    def _give_up(self, photo_id: str) -> None:
        """Says that a photo, at which its readers died, could not be read."""
        review_id = self._queue.review_of(photo_id)
        if review_id is not None:
            self._note(review_id, photo_id, Failed("crashed", SENTENCES["crashed"]))

    async def _tend(self, app: App) -> None:
        """Hands out the photos of dead readers again, and deletes those that are too old."""
        while True:
            await asyncio.sleep(min(TENDING_SECONDS, self._dead))
            await asyncio.to_thread(expire, self._tables)
            manager = app.job_manager
            for job in await manager.get_stalled_jobs(seconds_since_heartbeat=self._dead):
                if job.attempts >= MOST_RETRIES:
                    await asyncio.to_thread(self._give_up, str(job.task_kwargs["photo"]))
                    retry = manager.finish_job_by_id_async(
                        job.id or 0, status=Status.FAILED, delete_job=True
                    )
                else:
                    retry = manager.retry_job(job)
                try:
                    await retry
                except ConnectorException:
                    LOG.debug("another reader was first", exc_info=True)


def expire(tables: Tables) -> None:
    """Deletes photos that nobody has read for too long, and says so in their reviews."""
    if tables.photo_queue is None:
        return
    try:
        for review_id, photo_id in tables.photo_queue.expire():
            photos.note(tables, review_id, photo_id, EXPIRED)
    except Exception:
        # The database may be gone for a while; the next time finds them.
        LOG.warning("old photos could not be deleted", exc_info=True)
