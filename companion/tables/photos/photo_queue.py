"""Photos on their way to a reader, on PostgreSQL: what waits, whose turn it is, what is too old.

The queue itself is procrastinate's, in a schema of its own. A photo lies beside it in parts, and is
gone as soon as its job ends. Nothing here reads a photo.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cached_property
from typing import IO, TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables.database.engine import Database
from companion.tables.database.schema import photo_jobs, photo_parts
from companion.tables.photos import queue_schema

if TYPE_CHECKING:
    from procrastinate import App

QUEUE: Final = "photos"
TASK: Final = "read-photo"
PART_BYTES: Final = 1024 * 1024
"""Bytes of a photo that a server or a reader has in memory at a time."""
MOST_WAITING: Final = 192
"""Photos in the queue."""
MOST_PER_OWNER: Final = 24
"""Photos in the queue from the same sender: as many as a review has."""
MOST_BYTES: Final = 800 * 1024 * 1024
"""Size of all photos that wait or are being read."""
KEPT_SECONDS: Final = 600
"""The longest that a photo waits and is read, with all attempts; then it is deleted."""
_LOCK: Final = 0x70686F74
"""The PostgreSQL advisory lock under which photos are queued, one after the other."""


class QueueFull(Exception):
    """There is no room for this sender."""


@dataclass(frozen=True)
class QueuedPhoto:
    """A photo without its bytes."""

    id: str
    review_id: str
    owner: str
    """The sender. Senders take turns."""
    network: str
    """The sender's network. Networks take turns, too."""
    size: int
    keep: bool
    """Whether the photo itself is wanted with its reading."""


@dataclass(frozen=True)
class _Place:
    owner: str
    network: str
    size: int
    turn: int
    is_started: bool


class PhotoQueue:
    """The queue of one PostgreSQL database. Safe to use from many threads."""

    def __init__(self, database: Database) -> None:
        self._database: Final = database

    @cached_property
    def _app(self) -> App:
        """Procrastinate, which uses our own connections here and opens none."""
        from procrastinate import App, SyncPsycopgConnector

        return App(connector=SyncPsycopgConnector())

    def prepare(self) -> None:
        """Makes or upgrades the queue's schema; raises `Unusable` without procrastinate."""
        queue_schema.prepare(self._database)

    def connect_arguments(self) -> dict[str, Any]:
        """The arguments with which a reader opens its own connections to the queue."""
        return queue_schema.connect_arguments(self._database.engine)

    def add(self, photo: QueuedPhoto, file: IO[bytes]) -> None:
        """Queues a photo; raises `QueueFull`."""
        row = {
            "id": photo.id,
            "review_id": photo.review_id,
            "owner": photo.owner,
            "network": photo.network,
            "size": photo.size,
            "keep": photo.keep,
            "is_started": False,
            "made_at": _NOW,
        }
        with self._database.write() as connection:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
            turn = _turn(_places(connection), photo)
            connection.execute(photo_jobs.insert().values(**row, turn=turn))
        try:
            with self._database.write() as connection:
                for number, data in enumerate(iter(lambda: file.read(PART_BYTES), b"")):
                    part = {"photo_id": photo.id, "number": number, "data": data}
                    connection.execute(photo_parts.insert().values(part))
                with queue_schema.first(connection) as raw:
                    task = self._app.configure_task(
                        TASK, queue=QUEUE, priority=-turn, connection=raw
                    )
                    job = task.defer(photo=photo.id)
                mine = photo_jobs.c.id == photo.id
                connection.execute(photo_jobs.update().where(mine).values(job=job))
        except BaseException:
            self.remove(photo.id)
            raise

    def take(self, photo_id: str) -> tuple[QueuedPhoto, IO[bytes]] | None:
        """A photo that is to be read now, in a nameless file; None when it is gone."""
        mine = photo_jobs.c.id == photo_id
        started = photo_jobs.update().where(mine).values(is_started=True)
        parts = sa.select(photo_parts.c.data).where(photo_parts.c.photo_id == photo_id)
        file: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
        try:
            with self._database.write() as connection:
                row = connection.execute(started.returning(*_PHOTO)).one_or_none()
                for number in range(-(-row.size // PART_BYTES) if row else 0):
                    part = parts.where(photo_parts.c.number == number)
                    file.write(connection.execute(part).scalar_one())
            file.seek(0)
        except BaseException:
            file.close()
            raise
        if row is None:
            file.close()
            return None
        return QueuedPhoto(*row), file

    def remove(self, photo_id: str) -> None:
        """Deletes a photo; harmless when it is gone."""
        with self._database.write() as connection:
            connection.execute(photo_jobs.delete().where(photo_jobs.c.id == photo_id))

    def cancel(self, photo_id: str) -> bool:
        """Deletes a photo and has its reading stopped; False when there is none."""
        with self._database.write() as connection:
            return bool(self._cancel(connection, photo_jobs.c.id == photo_id))

    def expire(self, seconds: float = KEPT_SECONDS) -> list[tuple[str, str]]:
        """Deletes the photos that are older; returns the review and the id of each."""
        with self._database.write() as connection:
            return self._cancel(connection, photo_jobs.c.made_at < _NOW - int(seconds * 1000))

    def has(self, photo_id: str) -> bool:
        """Whether a photo is waiting or being read."""
        query = sa.select(sa.literal(1)).where(photo_jobs.c.id == photo_id)
        with self._database.read() as connection:
            return connection.execute(query).first() is not None

    def review_of(self, photo_id: str) -> str | None:
        """The review to which a photo belongs; None when the photo is gone."""
        query = sa.select(photo_jobs.c.review_id).where(photo_jobs.c.id == photo_id)
        with self._database.read() as connection:
            return connection.execute(query).scalar()

    def waiting(self) -> int:
        """The number of photos that wait or are being read."""
        with self._database.read() as connection:
            count = sa.select(sa.func.count()).select_from(photo_jobs)
            return connection.execute(count).scalar_one()

    def count(self, is_started: bool) -> int:
        """The number of photos that are being read, or of those that wait."""
        which = photo_jobs.c.is_started.is_(is_started)
        with self._database.read() as connection:
            count = sa.select(sa.func.count()).select_from(photo_jobs).where(which)
            return connection.execute(count).scalar_one()

    def _cancel(
        self, connection: Connection, which: sa.ColumnElement[bool]
    ) -> list[tuple[str, str]]:
        columns = (photo_jobs.c.review_id, photo_jobs.c.id, photo_jobs.c.job)
        gone = connection.execute(photo_jobs.delete().where(which).returning(*columns)).all()
        if not gone:
            return []
        with queue_schema.first(connection) as raw:
            for job in (row.job for row in gone if row.job is not None):
                self._app.job_manager.cancel_job_by_id(
                    job, abort=True, delete_job=True, connection=raw
                )
        return [(row.review_id, row.id) for row in gone]


def _places(connection: Connection) -> list[_Place]:
    columns = (photo_jobs.c[name] for name in _Place.__dataclass_fields__)
    return [_Place(*row) for row in connection.execute(sa.select(*columns))]


def _turn(places: list[_Place], photo: QueuedPhoto) -> int:
    """The turn of a photo, of which the smallest is read next; raises `QueueFull`.

    Self-clocked fair queueing (Golestani 1994): each photo of a sender is a step behind its last
    one, or behind what is being read now. A network's senders share one sender's part of the
    readers, so the step is as wide as their number.
    """
    waiting = [place for place in places if not place.is_started]
    near = [place for place in waiting if place.network == photo.network]
    free = MOST_WAITING - len(waiting)
    own = [place for place in near if place.owner == photo.owner]
    if len(near) >= free or len(own) >= MOST_PER_OWNER:
        raise QueueFull
    free_bytes = MOST_BYTES - sum(place.size for place in places)
    near_bytes = sum(place.size for place in places if place.network == photo.network)
    if max(near_bytes, photo.size) > free_bytes:
        raise QueueFull
    read_now = max((place.turn for place in places if place.is_started), default=0)
    if waiting and not read_now:
        read_now = min(place.turn for place in waiting) - 1
    last = max((place.turn for place in own), default=0)
    return max(read_now, last) + len({place.owner for place in near} | {photo.owner})


_PHOTO: Final = [photo_jobs.c[name] for name in QueuedPhoto.__dataclass_fields__]
_NOW: Final = sa.cast(
    sa.func.extract("epoch", sa.func.clock_timestamp()) * 1000, sa.BigInteger
)  # the database's own clock: machines may disagree about the time
