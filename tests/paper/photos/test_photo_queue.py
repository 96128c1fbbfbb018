"""Photos through PostgreSQL's queue: read anywhere, in turns, and nowhere any more afterwards."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from companion.paper.photos import photo_queue, photo_reader
from companion.paper.photos.photo_queue import SCHEMA, PhotoQueue
from companion.paper.photos.photo_reader import PhotoReader
from companion.paper.photos.sending import SentPhoto, send_photos
from companion.paper.review import Review, discard_review, load_review
from companion.tables import Tables
from companion.tables.database import schema
from companion.vision.worker.pool import Busy, Job, Room
from tests.kit.patience import PATIENCE, until
from tests.kit.photos import standin
from tests.kit.servers.program import PATIENT, Program
from tests.tables.friends import device

pytestmark = pytest.mark.postgres

JOBS = sa.table(
    "procrastinate_jobs",
    sa.column("id", sa.BigInteger),
    sa.column("priority", sa.Integer),
    sa.column("args", sa.JSON),
    schema=SCHEMA,
)
STANDIN, QUICK = "tests.kit.photos.standin", "tests.kit.photos.quick"


@pytest.fixture
def tables(postgres_database: str) -> Iterator[Tables]:
    """A server's tables."""
    opened = Tables(postgres_database, serving=True)
    yield opened
    opened.close()


@pytest.fixture
def queue(tables: Tables) -> PhotoQueue:
    made = PhotoQueue(tables.database)
    made.prepare()
    return made


@contextmanager
def reader(url: str, module: str, dead: float = photo_reader.DEAD_SECONDS) -> Iterator[None]:
    """Another machine that reads photos."""
    tables = Tables(url, serving=True)
    made = PhotoReader(tables, reader=module, heartbeat=dead / 4, dead=dead)
    try:
        yield
    finally:
        made.close()
        tables.close()


def sent(tables: Tables, queue: PhotoQueue, *widths: int, host: str = "") -> tuple[str, str]:
    """A device's new review with photos for `standin`."""
    host = host or device()
    review_id = tables.reviews.make(host, Review().dump())
    raws = [standin.picture(width) for width in widths]
    photos = [SentPhoto(io.BytesIO(raw), len(raw)) for raw in raws]
    send_photos(tables, queue, host, review_id, photos)
    return host, review_id


def states(tables: Tables, host: str, review_id: str) -> list[str]:
    return [photo.state for photo in load_review(tables, host, review_id)[1].photos]


def kept(url: str) -> int:
    """Rows about photos that are left in the database, procrastinate's included."""
    engine = sa.create_engine(url)
    with engine.connect() as connection:
        counts = [
            connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in (schema.photo_jobs, schema.photo_parts, JOBS)
        ]
    engine.dispose()
    return sum(counts)


def test_photos_are_read_elsewhere_and_kept_nowhere(
    tables: Tables, queue: PhotoQueue, postgres_database: str
) -> None:
    host, review_id = sent(tables, queue, standin.ONE, standin.CRASH, standin.NOTHING)
    assert queue.waiting == 3
    with reader(postgres_database, STANDIN):
        assert until(lambda: kept(postgres_database) == 0)
    assert states(tables, host, review_id) == ["read", "failed", "read"]
    review = load_review(tables, host, review_id)[1]
    assert len(review.sheets) == 1
    assert review.photos[1].troubles[0]["code"] == "crashed"


def test_a_photo_larger_than_a_part(queue: PhotoQueue) -> None:
    raw = os.urandom(2 * photo_queue.PART_BYTES + 5)
    queue.submit(Job("large", io.BytesIO(raw), len(raw), False))
    taken = queue.take("large")
    assert taken is not None
    assert taken[0].size == len(raw)
    assert taken[1].read() == raw
    queue.remove("large")
    assert queue.take("large") is None


def test_a_reader_that_dies_is_replaced(
    tables: Tables, queue: PhotoQueue, postgres_database: str
) -> None:
    """Its photo is read by another one, and is gone afterwards."""
    arguments = ["reader", "--db", postgres_database]
    first = Program(PATIENT, arguments, environment={"COMPANION_TEST_READER": STANDIN})
    first.start()
    try:
        host, review_id = sent(tables, queue, standin.SLOW)
        assert until(lambda: states(tables, host, review_id) == ["reading"])
    finally:
        first.kill()
    assert queue.reading == 1
    with reader(postgres_database, QUICK, dead=0.5):
        assert until(lambda: kept(postgres_database) == 0)
    assert states(tables, host, review_id) == ["read"]


def test_a_reader_that_is_stopped_gives_its_photo_back(
    tables: Tables, queue: PhotoQueue, postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(photo_reader, "STOP_SECONDS", 0.1)
    with reader(postgres_database, STANDIN):
        host, review_id = sent(tables, queue, standin.SLOW)
        assert until(lambda: states(tables, host, review_id) == ["reading"])
        monkeypatch.setattr(photo_reader, "STOP_SECONDS", PATIENCE)  # for the thread's end
    assert queue.waiting == 1
    with reader(postgres_database, QUICK):
        assert until(lambda: kept(postgres_database) == 0)
    assert states(tables, host, review_id) == ["read"]


def test_a_photo_at_which_readers_die_is_given_up(
    tables: Tables, queue: PhotoQueue, postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def fails(_queue: PhotoQueue, photo_id: str) -> None:
        tries.append(photo_id)
        raise MemoryError

    monkeypatch.setattr(PhotoQueue, "take", fails)
    host, review_id = sent(tables, queue, standin.ONE)
    with reader(postgres_database, STANDIN):
        assert until(lambda: kept(postgres_database) == 0)
    assert states(tables, host, review_id) == ["failed"]
    assert len(tries) == photo_reader.MOST_RETRIES + 1


def test_a_photo_that_nobody_reads_is_deleted(
    tables: Tables, queue: PhotoQueue, postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, review_id = sent(tables, queue, standin.ONE)
    photo_reader.expire(tables, queue)
    assert queue.waiting == 1, "it is not old"
    monkeypatch.setattr(queue, "expire", lambda: PhotoQueue.expire(queue, -1))
    photo_reader.expire(tables, queue)
    assert kept(postgres_database) == 0
    assert states(tables, host, review_id) == ["failed"]


def test_what_its_sender_stops_or_throws_away_is_deleted(
    tables: Tables, queue: PhotoQueue, postgres_database: str
) -> None:
    with reader(postgres_database, STANDIN):
        host, review_id = sent(tables, queue, standin.SLOW)
        assert until(lambda: states(tables, host, review_id) == ["reading"])
        photo_id = load_review(tables, host, review_id)[1].photos[0].id
        assert queue.has(photo_id)
        assert queue.cancel(photo_id)
        assert not queue.has(photo_id)
        assert not queue.cancel(photo_id)
        assert until(lambda: kept(postgres_database) == 0)
    sent(tables, queue, standin.ONE, host=host)
    for review, _ in tables.reviews.of_device(host):
        discard_review(tables, host, review)
    with queue._database.read() as connection:
        for table in (schema.photo_jobs, schema.photo_parts):
            assert connection.execute(sa.select(table)).all() == []


def job(name: str, owner: str = "A", network: str = "10.0.0.1", size: int = 10) -> Job:
    return Job(name, io.BytesIO(b"x" * size), size, False, owner=owner, network=network)


def test_photos_are_handed_out_as_they_came(queue: PhotoQueue, postgres_database: str) -> None:
    for name, owner in (("1", "A"), ("2", "A"), ("3", "B"), ("4", "A")):
        queue.submit(job(name, owner))
    assert (queue.waiting, queue.reading) == (4, 0)
    with queue._database.read() as connection:
        jobs = connection.execute(JOBS.select().order_by(JOBS.c.id)).all()
    assert [(row.priority, row.args["photo"]) for row in jobs] == [(0, name) for name in "1234"]


def test_nobody_fills_the_queue(queue: PhotoQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "_room", Room(photos=8, bytes=2000, per_owner=2))

    def fits(name: str, owner: str, network: str, size: int = 10) -> bool:
        try:
            queue.submit(job(name, owner, network, size))
        except Busy:
            return False
        return True

    assert fits("1", "A", "10.0.0.1") and fits("2", "A", "10.0.0.1")
    assert not fits("3", "A", "10.0.0.1"), "the sender has enough"
    assert fits("4", "B", "10.0.0.1") and fits("5", "B", "10.0.0.1")
    assert not fits("6", "C", "10.0.0.1"), "the network has as many as it leaves free"
    assert not fits("7", "D", "10.0.0.2", 1001), "too many bytes"
    assert fits("8", "D", "10.0.0.2") and fits("9", "D", "10.0.0.2")
    assert fits("10", "E", "10.0.0.3")


def test_the_queue_is_made_once_and_anew_for_a_newer_procrastinate(
    queue: PhotoQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.submit(job("1"))
    queue.prepare()
    assert queue.waiting == 1
    monkeypatch.setattr(photo_queue.metadata, "version", lambda _name: "99.0.0")
    queue.prepare()
    assert queue.waiting == 0
    assert not queue.has("1")
    queue.submit(job("2"))
    monkeypatch.undo()
    queue.prepare()
    assert queue.waiting == 1, "an older one leaves it"
