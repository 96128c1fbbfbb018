"""Photos that wait in PostgreSQL, and their readers: any number of machines may have one.

The queue is procrastinate's: it hands out the jobs and notices readers that have died. A photo is
kept beside it until the processes of `vision.worker.pool` have read it.
"""

from __future__ import annotations

import asyncio
import io
import logging
import threading
from concurrent.futures import Future
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import missing_package
from companion.limits import USUAL, Limits
from companion.paper.photos.photo_results import note_began, note_outcome
from companion.tables import Tables
from companion.tables.database import postgres
from companion.tables.database.engine import MIGRATION_LOCK, Database
from companion.tables.database.schema import photo_jobs, photo_parts
from companion.vision.core import missing_module
from companion.vision.worker.loop import READER
from companion.vision.worker.pool import AT_ONCE, CRASHED, Job, Outcome, Readers, behind, turn_of

if TYPE_CHECKING:
    from procrastinate import JobContext

LOG: Final = logging.getLogger(__name__)

TASK: Final = "read-photo"
SCHEMA: Final = "companion_queue"  # of procrastinate's tables; in no backup: photos wait minutes
_JOBS: Final = sa.table("procrastinate_jobs", sa.column("id"), sa.column("priority"), schema=SCHEMA)
KEPT_SECONDS: Final = 600  # the longest that a photo waits and is read, with all attempts
MOST_RETRIES: Final = 2  # limit of new attempts at a photo whose reader died or lost the database
STALLED_CRON: Final = "* * * * * */10"  # photos of dead readers are looked for every ten seconds
STOP_SECONDS: Final = 2.0  # for photos that are being read at a stop; others are read elsewhere
AGAIN_SECONDS: Final = 1.0  # pause before a reader that lost the database tries again


class PhotoQueue:
    """The queue of one PostgreSQL database. Safe to use from many threads."""

    def __init__(self, database: Database, limits: Limits = USUAL) -> None:
        """Makes procrastinate's tables where there are none.

        Raises:
            Unusable: procrastinate is not installed.
        """
        try:
            from procrastinate import App, PsycopgConnector
        except ModuleNotFoundError as missing:
            work = "Queueing photos on PostgreSQL"
            raise missing_package(work, "procrastinate", "postgres") from missing
        self._database: Final = database
        self._limits: Final = limits
        url = database.engine.url
        _, given = database.engine.dialect.create_connect_args(url)
        arguments = {**postgres.arguments(url), **given}
        arguments["options"] = f"{arguments.get('options', '')} -c search_path={SCHEMA}"
        # Procrastinate. Its own connections are a reader's; here it uses those of the database.
        self.app: Final = App(connector=PsycopgConnector(kwargs=arguments))
        with database.write() as connection, postgres.patient(connection):
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
            if SCHEMA not in sa.inspect(connection).get_schema_names():
                connection.execute(sa.schema.CreateSchema(SCHEMA))
                _in_schema(connection).execute(self.app.schema_manager.get_schema())

    def submit(self, job: Job) -> None:
        """Queues a photo and closes its file; raises `Busy` without room for this sender."""
        with job.file, self._database.write() as connection:
            self._delete(connection, photo_jobs.c.made_at < _OLD)
            held = connection.execute(sa.select(photo_jobs)).all()
            job.turn = turn_of(held, job, self._limits)
            later = [row.job for row in behind(held, job)]
            mine, theirs = photo_jobs.update(), _JOBS.update()
            turns = mine.where(photo_jobs.c.job.in_(later)).values(turn=photo_jobs.c.turn + 1)
            connection.execute(turns)
            priorities = theirs.where(_JOBS.c.id.in_(later)).values(priority=_JOBS.c.priority - 1)
            connection.execute(priorities)
            raw = _in_schema(connection)
            task = self.app.configure_task(TASK, priority=-job.turn, connection=raw)
            row = {"id": job.id, "review_id": job.review, "owner": job.owner, "turn": job.turn}
            row |= {"network": job.network, "size": job.size, "keep": job.keep}
            row |= {"job": task.defer(photo=job.id), "made_at": _NOW}
            connection.execute(photo_jobs.insert().values(row))
            part = {"photo_id": job.id, "number": 0, "data": job.file.read()}
            connection.execute(photo_parts.insert().values(part))

    def take(self, photo_id: str) -> Job | None:
        """A photo to read now, in memory; None if it is gone."""
        query = sa.select(photo_jobs, photo_parts.c.data).join(photo_parts)
        with self._database.read() as connection, postgres.patient(connection):
            row = connection.execute(query.where(photo_jobs.c.id == photo_id)).first()
        if row is None:
            return None
        return Job(row.id, io.BytesIO(row.data), len(row.data), row.keep, review=row.review_id)

    def remove(self, photo_id: str) -> None:
        """Deletes a photo that has been read; harmless when it is gone."""
        with self._database.write() as connection:
            connection.execute(photo_jobs.delete().where(photo_jobs.c.id == photo_id))

    def cancel(self, photo_id: str) -> bool:
        """Deletes a photo and has its reading stopped; False when there is none."""
        with self._database.write() as connection:
            return self._delete(connection, photo_jobs.c.id == photo_id)

    def has(self, photo_id: str) -> bool:
        """Whether a photo is waiting or being read, and not for too long."""
        which = (photo_jobs.c.id == photo_id, photo_jobs.c.made_at >= _OLD)
        with self._database.read() as connection:
            return connection.execute(sa.select(photo_jobs.c.id).where(*which)).first() is not None

    def _delete(self, connection: Connection, which: sa.ColumnElement[bool]) -> bool:
        gone = connection.execute(photo_jobs.delete().where(which).returning(photo_jobs.c.job))
        jobs, raw = gone.scalars().all(), _in_schema(connection)
        for job in jobs:
            self.app.job_manager.cancel_job_by_id(job, abort=True, delete_job=True, connection=raw)
        return bool(jobs)


def _in_schema(connection: Connection) -> Any:
    """The driver's connection, which finds procrastinate's functions until the transaction ends."""
    path = sa.func.concat(f"{SCHEMA}, ", sa.func.current_setting("search_path"))
    connection.execute(sa.select(sa.func.set_config("search_path", path, True)))
    return connection.connection.driver_connection


_NOW: Final = sa.cast(
    sa.func.extract("epoch", sa.func.clock_timestamp()) * 1000, sa.BigInteger
)  # the database's own clock: machines may disagree about the time
_OLD: Final = _NOW - KEPT_SECONDS * 1000


class PhotoReader:
    """Reads the photos of a database's queue, in a thread of its own, until it is closed."""

    def __init__(self, tables: Tables, at_once: int = AT_ONCE) -> None:
        """Starts to read `at_once` photos at a time, each in a process; raises as `PhotoQueue`."""
        self._tables: Final = tables
        self._queue: Final = PhotoQueue(tables.database)
        self._pool: Final = Readers(READER, at_once=at_once)
        self._loop: Final = asyncio.SelectorEventLoop()  # psycopg takes no other one on Windows
        self._reading: Final = self._loop.create_task(self._read_all(at_once))
        self._thread: Final = threading.Thread(target=self._run, name="photo-reader", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Ends the reading; photos that are not done within `STOP_SECONDS` go back."""
        self._loop.call_soon_threadsafe(self._reading.cancel)
        self._thread.join(STOP_SECONDS * 3)
        self._pool.close()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(asyncio.wait({self._reading}))

    async def _read_all(self, at_once: int) -> None:
        app = self._queue.app
        app.task(name=TASK, retry=MOST_RETRIES + 1, pass_context=True)(self._read)
        app.periodic(cron=STALLED_CRON)(app.task(pass_context=True)(retry_stalled))
        while True:
            try:
                await app.open_async()
                await app.run_worker_async(
                    concurrency=at_once,
                    delete_jobs="always",
                    install_signal_handlers=False,
                    shutdown_graceful_timeout=STOP_SECONDS,
                )
            except Exception:
                # For example, the database may be gone for a while.
                LOG.warning("lost the queue of photos; trying again", exc_info=True)
            finally:
                await app.close_async()  # even if it was only half open
            await asyncio.sleep(AGAIN_SECONDS)

    async def _read(self, context: JobContext, photo: str) -> None:
        """Reads one photo; what it raises makes the queue hand the photo out again."""
        from procrastinate.job_context import AbortReason

        done: Future[Outcome] = Future()
        try:
            job = await asyncio.to_thread(self._queue.take, photo)
            if job is None:
                return
            job.began = partial(note_began, self._tables, job.review, photo)
            job.done = done.set_result
            if context.job.attempts > MOST_RETRIES:
                job.done(CRASHED)
            else:
                self._pool.submit(job)
            outcome = await asyncio.shield(asyncio.wrap_future(done))
            await asyncio.to_thread(note_outcome, self._tables, job.review, photo, outcome)
            await asyncio.to_thread(self._queue.remove, photo)
        except asyncio.CancelledError:
            self._pool.cancel(photo)
            if context.abort_reason() is AbortReason.SHUTDOWN:
                raise  # or else its sender does not want it any more


async def retry_stalled(context: JobContext, timestamp: int) -> None:
    """Hands out the photos of dead readers again."""
    jobs = context.app.job_manager
    for job in await jobs.get_stalled_jobs():
        await jobs.retry_job(job)


def reading_here(tables: Tables, at_once: int) -> AbstractContextManager[object]:
    """Reads the photos of the queue meanwhile, on PostgreSQL; SQLite's are read without one."""
    # With none at once, or without the libraries, readers elsewhere do it; raises as `PhotoQueue`
    if tables.database.is_sqlite:
        return nullcontext()
    if at_once and not missing_module():
        return closing(PhotoReader(tables, at_once))
    return nullcontext(PhotoQueue(tables.database))
