"""Photos that wait for a reader in PostgreSQL, so that any machine can read them.

The queue is procrastinate's, in a schema of its own. A photo lies beside it in parts, and is gone
as soon as its job ends. Photos are read in the order in which they came.
"""

from __future__ import annotations

import io
from datetime import timedelta
from functools import cached_property
from importlib import metadata
from typing import IO, TYPE_CHECKING, Any, Final, cast

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.core.refusal import missing_package
from companion.limits import USUAL, Limits
from companion.tables.database import postgres
from companion.tables.database.engine import MIGRATION_LOCK, Database
from companion.tables.database.schema import photo_jobs, photo_parts
from companion.vision.worker.pool import Job, Room, check_room

if TYPE_CHECKING:
    from procrastinate import App

QUEUE: Final = "photos"
TASK: Final = "read-photo"
SCHEMA: Final = "companion_queue"
"""The schema of procrastinate's tables. No backup has it, because waiting photos are worth
minutes; its comment names the version of procrastinate that made it."""
PART_BYTES: Final = 1024 * 1024
"""Bytes of a photo that a server or a reader has in memory at a time."""
ROOM_TIMES: Final = 2
"""How much more room the queue has, for all processes together, than the pool of one."""
HEARD_SECONDS: Final = 60
"""Age of a reader's last sign of life from which it does not count."""
KEPT_SECONDS: Final = 600
"""The longest that a photo waits and is read, with all attempts; then it is deleted."""
LOCK: Final = 0x70686F74
"""The PostgreSQL advisory lock under which photos are queued, one after the other."""


class PhotoQueue:
    """The queue of one PostgreSQL database. Safe to use from many threads."""

    def __init__(self, database: Database, limits: Limits = USUAL) -> None:
        self._database: Final = database
        self._room: Final = Room.of(limits, ROOM_TIMES)

    @cached_property
    def _app(self) -> App:
        """Procrastinate, which uses our own connections here and opens none."""
        from procrastinate import App, SyncPsycopgConnector

        return App(connector=SyncPsycopgConnector())

    def prepare(self) -> None:
        """Makes procrastinate's tables, again where an earlier version of it has made them.

        Photos that wait meanwhile are lost, and their reviews say so.

        Raises:
            Unusable: procrastinate is not installed.
        """
        try:
            version = metadata.version("procrastinate")
        except metadata.PackageNotFoundError as missing:
            work = "Queueing photos on PostgreSQL"
            raise missing_package(work, "procrastinate", "postgres") from missing
        from procrastinate.schema import SchemaManager

        made_by = sa.func.obj_description(sa.func.to_regnamespace(SCHEMA), "pg_namespace")
        with self._database.write() as connection, postgres.patient(connection):
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(MIGRATION_LOCK)))
            found = connection.execute(sa.select(made_by)).scalar() or ""
            if _numbers(found) >= _numbers(version):
                return
            connection.execute(sa.text(f"DROP SCHEMA IF EXISTS {SCHEMA} CASCADE"))
            connection.execute(photo_jobs.delete())
            connection.execute(sa.text(f"CREATE SCHEMA {SCHEMA}"))
            connection.execute(sa.text(f"COMMENT ON SCHEMA {SCHEMA} IS '{version}'"))
            _in_schema(connection).execute(SchemaManager.get_schema())

    def connect_arguments(self) -> dict[str, Any]:
        """The arguments with which a reader opens its own connections to the queue."""
        engine = self._database.engine
        _, given = engine.dialect.create_connect_args(engine.url)
        arguments = {**postgres.arguments(engine.url), **given}
        options = f"{arguments.get('options', '')} -c search_path={SCHEMA}"
        return {**arguments, "options": options.strip()}

    def submit(self, job: Job) -> None:
        """Queues a photo and closes its file; raises `Busy` without room for this sender."""
        row = {
            "id": job.id,
            "review_id": job.review,
            "owner": job.owner,
            "network": job.network,
            "size": job.size,
            "keep": job.keep,
            "made_at": _NOW,
        }
        with self._database.write() as connection:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
            check_room(connection.execute(sa.select(photo_jobs)).all(), job, self._room)
            connection.execute(photo_jobs.insert().values(row))
        try:
            # Apart from its place, because nobody else may be queued under the lock.
            with job.file, self._database.write() as connection:
                for number, data in enumerate(iter(lambda: job.file.read(PART_BYTES), b"")):
                    part = {"photo_id": job.id, "number": number, "data": data}
                    connection.execute(photo_parts.insert().values(part))
                task = self._app.configure_task(
                    TASK, queue=QUEUE, connection=_in_schema(connection)
                )
                mine = photo_jobs.update().where(photo_jobs.c.id == job.id)
                connection.execute(mine.values(job=task.defer(photo=job.id)))
        except BaseException:
            self.remove(job.id)
            raise

    def take(self, photo_id: str) -> tuple[Job, StoredPhoto] | None:
        """The job of a photo that is to be read now, and its file; None when it is gone."""
        query = sa.select(photo_jobs).where(photo_jobs.c.id == photo_id)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        file = StoredPhoto(self._database, photo_id)
        return Job(row.id, cast(IO[bytes], file), row.size, row.keep, review=row.review_id), file

    def remove(self, photo_id: str) -> None:
        """Deletes a photo; harmless when it is gone."""
        with self._database.write() as connection:
            connection.execute(photo_jobs.delete().where(photo_jobs.c.id == photo_id))

    def cancel(self, photo_id: str) -> bool:
        """Deletes a photo and has its reading stopped; False when there is none."""
        return bool(self._cancel(photo_jobs.c.id == photo_id))

    def expire(self, seconds: float = KEPT_SECONDS) -> list[tuple[str, str]]:
        """Deletes the photos that are older; returns the review and the id of each."""
        return self._cancel(photo_jobs.c.made_at < _NOW - int(seconds * 1000))

    def has(self, photo_id: str) -> bool:
        """Whether a photo is waiting or being read."""
        return self.review_of(photo_id) is not None

    def review_of(self, photo_id: str) -> str | None:
        """The review to which a photo belongs; None when the photo is gone."""
        query = sa.select(photo_jobs.c.review_id).where(photo_jobs.c.id == photo_id)
        with self._database.read() as connection:
            return connection.execute(query).scalar()

    @property
    def waiting(self) -> int:
        """The number of photos that wait, on all machines together."""
        return self._count("todo")

    @property
    def reading(self) -> int:
        """The number of photos that are being read, on all machines together."""
        return self._count("doing")

    @property
    def readers(self) -> int:
        """The number of readers that were heard lately, on all machines together."""
        workers = sa.table("procrastinate_workers", sa.column("last_heartbeat"), schema=SCHEMA)
        lately = sa.func.now() - timedelta(seconds=HEARD_SECONDS)
        query = sa.select(sa.func.count()).where(workers.c.last_heartbeat > lately)
        with self._database.read() as connection:
            return connection.execute(query).scalar_one()

    def close(self) -> None:
        """Does nothing: the photos of the queue are read whatever ends here."""

    def _count(self, status: str) -> int:
        jobs = sa.table("procrastinate_jobs", sa.column("status"), schema=SCHEMA)
        which = sa.cast(jobs.c.status, sa.Text) == status
        with self._database.read() as connection:
            count = sa.select(sa.func.count()).select_from(jobs).where(which)
            return connection.execute(count).scalar_one()

    def _cancel(self, which: sa.ColumnElement[bool]) -> list[tuple[str, str]]:
        columns = (photo_jobs.c.review_id, photo_jobs.c.id, photo_jobs.c.job)
        with self._database.write() as connection:
            gone = connection.execute(photo_jobs.delete().where(which).returning(*columns)).all()
            raw = _in_schema(connection)
            for job in (row.job for row in gone if row.job is not None):
                self._app.job_manager.cancel_job_by_id(
                    job, abort=True, delete_job=True, connection=raw
                )
        return [(row.review_id, row.id) for row in gone]


class StoredPhoto(io.RawIOBase):
    """The bytes of a photo, which leave the database part by part as they are read."""

    def __init__(self, database: Database, photo_id: str) -> None:
        self._database: Final = database
        self._photo_id: Final = photo_id
        self._number = 0
        self._left = b""
        self.error: Exception | None = None
        """The database's error when it did not give a part."""

    def readable(self) -> bool:
        """Says that this is a file to read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Reads the next bytes; raises `OSError` where the database does not answer."""
        if not self._left:
            part = sa.select(photo_parts.c.data).where(
                photo_parts.c.photo_id == self._photo_id, photo_parts.c.number == self._number
            )
            try:
                with self._database.read() as connection:
                    self._left = connection.execute(part).scalar() or b""
            except sa.exc.SQLAlchemyError as error:
                self.error = error
                raise OSError(str(error)) from error
            self._number += 1
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size


def _in_schema(connection: Connection) -> Any:
    """The driver's connection, which finds procrastinate's functions until the transaction ends."""
    path = sa.func.concat(f"{SCHEMA}, ", sa.func.current_setting("search_path"))
    connection.execute(sa.select(sa.func.set_config("search_path", path, True)))
    return connection.connection.driver_connection


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, without what marks one before its release."""
    return tuple(int(part) for part in version.split(".") if part.isdigit())


_NOW: Final = sa.cast(
    sa.func.extract("epoch", sa.func.clock_timestamp()) * 1000, sa.BigInteger
)  # the database's own clock: machines may disagree about the time
