"""Takes photos out of a PostgreSQL database's queue and reads them here; `companion reader`.

Procrastinate hands out the jobs and notices readers that have died; `vision.worker.pool` has the
processes that look at pictures. Any number of machines may do this at a time.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import closing, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from companion.paper.photos.outcome import EXPIRED, note_began, note_outcome
from companion.paper.photos.photo_queue import QUEUE, TASK, PhotoQueue
from companion.tables import Tables
from companion.tables.opening import open_tables
from companion.vision.core import missing_module
from companion.vision.worker.loop import READER
from companion.vision.worker.pool import AT_ONCE, SENTENCES, Failed, Outcome, Readers

if TYPE_CHECKING:
    from procrastinate import App, JobContext

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
READS: Final = "Photos are read here, {} at a time. Stop with Ctrl+C."
LOOK_SECONDS: Final = 0.1
"""Seconds between two looks whether a reader has reached the queue."""


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
            at_once: photos at a time, each in a process of its own. With 0, photos wait for
                readers elsewhere, and only those that waited too long are deleted here.
            reader: the module that reads; None for `READER`.
            heartbeat: see `HEARTBEAT_SECONDS`.
            dead: see `DEAD_SECONDS`.
            observer: see `Readers.observer`.

        Raises:
            Unusable: procrastinate is not installed.
        """
        self._tables: Final = tables
        self._queue: Final = PhotoQueue(tables.database)
        self._queue.prepare()
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
        from procrastinate import App, PsycopgConnector, RetryStrategy

        connector = PsycopgConnector(
            kwargs=self._queue.connect_arguments(), min_size=1, max_size=self._at_once + 2
        )
        app = App(connector=connector)
        app.task(name=TASK, queue=QUEUE, retry=RetryStrategy(), pass_context=True)(self._job)
        async with app.open_async():
            self.listening.set()
            tasks = {asyncio.create_task(self._tend(app))}
            if self._at_once:
                working = app.run_worker_async(
                    queues=[QUEUE],
                    concurrency=self._at_once,
                    delete_jobs="always",
                    install_signal_handlers=False,
                    shutdown_graceful_timeout=STOP_SECONDS,
                    update_heartbeat_interval=self._heartbeat,
                    stalled_worker_timeout=self._dead,
                )
                tasks.add(asyncio.create_task(working))
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
        from procrastinate.exceptions import JobAborted
        from procrastinate.job_context import AbortReason

        if context.job.attempts > MOST_RETRIES:
            # Its readers died, or lost the database.
            await asyncio.to_thread(self._give_up, photo)
            return
        try:
            await self._read(photo)
        except asyncio.CancelledError:
            if context.abort_reason() is AbortReason.USER_REQUEST:
                raise JobAborted from None  # its sender does not want it any more
            raise

    async def _read(self, photo_id: str) -> None:
        taken = await asyncio.to_thread(self._queue.take, photo_id)
        if taken is None:
            return
        job, file = taken
        done: Future[Outcome] = Future()
        job.began = partial(note_began, self._tables, job.review, photo_id)
        job.done = done.set_result
        self._pool.submit(job)
        try:
            outcome = await asyncio.shield(asyncio.wrap_future(done))
        except asyncio.CancelledError:
            self._pool.cancel(photo_id)
            raise
        if file.error is not None:
            raise file.error
        await asyncio.to_thread(self._note, job.review, photo_id, outcome)

    def _note(self, review_id: str, photo_id: str, outcome: Outcome) -> None:
        """Puts an outcome into the review, and then forgets the photo."""
        note_outcome(self._tables, review_id, photo_id, outcome)
        self._queue.remove(photo_id)

    def _give_up(self, photo_id: str) -> None:
        """Says that a photo could not be read."""
        review_id = self._queue.review_of(photo_id)
        if review_id is not None:
            self._note(review_id, photo_id, Failed("crashed", SENTENCES["crashed"]))

    async def _tend(self, app: App) -> None:
        """Hands out the photos of dead readers again, and deletes those that are too old."""
        from procrastinate.exceptions import ConnectorException

        while True:
            await asyncio.sleep(min(TENDING_SECONDS, self._dead))
            await asyncio.to_thread(expire, self._tables, self._queue)
            stalled = await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=self._dead)
            for job in stalled:
                with suppress(ConnectorException):  # another reader was first
                    await app.job_manager.retry_job(job)


def expire(tables: Tables, queue: PhotoQueue) -> None:
    """Deletes photos that nobody has read for too long, and says so in their reviews."""
    for review_id, photo_id in queue.expire():
        note_outcome(tables, review_id, photo_id, EXPIRED)


@contextmanager
def reading_here(
    tables: Tables, at_once: int, observer: Callable[[str, float], None] | None = None
) -> Iterator[None]:
    """Reads the photos of the queue meanwhile, on PostgreSQL; SQLite's are read without one.

    Args:
        at_once: see `PhotoReader`. It counts as 0 where the libraries are missing.
        observer: see `Readers.observer`.
    """
    if tables.database.is_sqlite:
        yield
        return
    at_once = 0 if missing_module() else at_once
    with closing(PhotoReader(tables, at_once=at_once, observer=observer)):
        yield


def read_photos(url: str, at_once: int, say: Callable[[str], object]) -> None:
    """Reads the photos of a PostgreSQL database until Ctrl+C, SIGTERM or SIGHUP.

    Raises:
        Unusable: the database cannot be opened.
    """
    stopping = threading.Event()
    names = ("SIGINT", "SIGTERM", "SIGHUP")  # no SIGHUP on Windows
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, lambda *_: stopping.set()) for number in numbers}
    try:
        with (
            closing(open_tables(url, serving=True)) as tables,
            closing(PhotoReader(tables, at_once=at_once)) as reader,
        ):
            while not stopping.is_set() and not reader.listening.wait(LOOK_SECONDS):
                pass
            say(READS.format(at_once))
            stopping.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
