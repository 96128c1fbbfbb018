"""Photos through PostgreSQL's queue: read anywhere, in turns, and nowhere any more afterwards."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from companion.paper import photos, reading, stored
from companion.paper.queued import QueuedReaders
from companion.paper.reading import PhotoReader
from companion.paper.review import Review
from companion.tables import Tables
from companion.tables.database import schema
from companion.tables.photos import photo_queue, queue_schema
from companion.tables.photos.photo_queue import PhotoQueue, QueuedPhoto, QueueFull
from tests.kit.patience import PATIENCE, until
from tests.kit.photos import standin
from tests.tables.friends import device

pytestmark = pytest.mark.postgres

JOBS = sa.table(
    "procrastinate_jobs",
    sa.column("id", sa.BigInteger),
    sa.column("priority", sa.Integer),
    sa.column("args", sa.JSON),
    schema=queue_schema.NAME,
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
    assert tables.photo_queue is not None
    return tables.photo_queue


@contextmanager
def reader(url: str, module: str, dead: float = reading.DEAD_SECONDS) -> Iterator[None]:
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
    files = [io.BytesIO(standin.picture(width)) for width in widths]
    photos.send(tables, QueuedReaders(queue), host, review_id, files, network="10.0.0.1")
    return host, review_id


def states(tables: Tables, host: str, review_id: str) -> list[str]:
    return [photo.state for photo in stored.load(tables, host, review_id)[1].photos]


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
    assert queue.waiting() == 3
    with reader(postgres_database, STANDIN):
        assert until(lambda: kept(postgres_database) == 0)
    assert states(tables, host, review_id) == ["read", "failed", "read"]
    review = stored.load(tables, host, review_id)[1]
    assert len(review.sheets) == 1
    assert review.photos[1].troubles[0]["code"] == "crashed"


def test_a_photo_larger_than_a_part(queue: PhotoQueue) -> None:
    raw = os.urandom(2 * photo_queue.PART_BYTES + 5)
    queue.add(photo("large", size=len(raw)), io.BytesIO(raw))
    taken = queue.take("large")
    assert taken is not None
    assert taken[1].read() == raw
    taken[1].close()
    queue.remove("large")
    assert queue.take("large") is None


def test_a_reader_that_dies_is_replaced(
    tables: Tables, queue: PhotoQueue, postgres_database: str
) -> None:
    """Its photo is read by another one, and is gone afterwards."""
    command = [
        sys.executable,
        "-m",
        "tests.kit.servers.patient",
        "reader",
        "--db",
        postgres_database,
    ]
    environment = dict(os.environ, COMPANION_TEST_READER=STANDIN)
    first = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE)
    try:
        host, review_id = sent(tables, queue, standin.SLOW)
        assert until(lambda: states(tables, host, review_id) == ["reading"])
    finally:
        first.kill()
        first.communicate()
    assert queue.waiting() == 1
    with reader(postgres_database, QUICK, dead=0.5):
        assert until(lambda: kept(postgres_database) == 0)
    assert states(tables, host, review_id) == ["read"]


def test_a_reader_that_is_stopped_gives_its_photo_back(
    tables: Tables, queue: PhotoQueue, postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "STOP_SECONDS", 0.1)
    with reader(postgres_database, STANDIN):
        host, review_id = sent(tables, queue, standin.SLOW)
        assert until(lambda: states(tables, host, review_id) == ["reading"])
        monkeypatch.setattr(reading, "STOP_SECONDS", PATIENCE)  # for the thread's end
    assert queue.waiting() == 1
    with reader(postgres_database, QUICK):
        assert until(lambda: kept(postgres_database) == 0)
    assert states(tables, host, review_id) == ["read"]


def test_a_photo_at_which_readers_die_is_given_up(
    tables: Tables, queue: PhotoQueue, postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries = []

    def fails(_reader: PhotoReader, photo_id: str, _done: object) -> str:
        tries.append(photo_id)
        raise MemoryError

    monkeypatch.setattr(PhotoReader, "_submit", fails)
    monkeypatch.setattr(reading.LOG, "disabled", True)
    host, review_id = sent(tables, queue, standin.ONE)
    with reader(postgres_database, STANDIN):
        assert until(lambda: kept(postgres_database) == 0)
    assert states(tables, host, review_id) == ["failed"]
    assert len(tries) == reading.MOST_RETRIES + 1


def test_a_photo_that_nobody_reads_is_deleted(
    tables: Tables, queue: PhotoQueue, postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, review_id = sent(tables, queue, standin.ONE)
    reading.expire(tables)
    assert queue.waiting() == 1, "it is not old"
    monkeypatch.setattr(queue, "expire", lambda: PhotoQueue.expire(queue, -1))
    reading.expire(tables)
    assert kept(postgres_database) == 0
    assert states(tables, host, review_id) == ["failed"]


def test_what_its_sender_stops_or_throws_away_is_deleted(
    tables: Tables, queue: PhotoQueue, postgres_database: str
) -> None:
    with reader(postgres_database, STANDIN):
        host, review_id = sent(tables, queue, standin.SLOW)
        assert until(lambda: states(tables, host, review_id) == ["reading"])
        readers = QueuedReaders(queue)
        photo_id = stored.load(tables, host, review_id)[1].photos[0].id
        assert readers.has(photo_id)
        assert readers.cancel(photo_id)
        assert not readers.has(photo_id)
        assert not readers.cancel(photo_id)
        assert until(lambda: kept(postgres_database) == 0)
    sent(tables, queue, standin.ONE, host=host)
    for review, _ in tables.reviews.of_device(host):
        stored.discard(tables, host, review)
    with queue._database.read() as connection:
        for table in (schema.photo_jobs, schema.photo_parts):
            assert connection.execute(sa.select(table)).all() == []


def photo(name: str, owner: str = "A", network: str = "10.0.0.1", size: int = 10) -> QueuedPhoto:
    return QueuedPhoto(name, "review", owner, network, size, False)


def order(queue: PhotoQueue) -> list[str]:
    """The photos that wait, the next one first, as the queue hands them out."""
    with queue._database.read() as connection:
        jobs = JOBS.select().order_by(JOBS.c.priority.desc(), JOBS.c.id)
        return [row.args["photo"] for row in connection.execute(jobs)]


def test_senders_and_networks_take_turns(queue: PhotoQueue) -> None:
    def add(*names: str, owner: str, network: str) -> None:
        for name in names:
            queue.add(photo(name, owner, network), io.BytesIO(b"x" * 10))

    add("a1", "a2", "a3", "a4", owner="A", network="10.0.0.1")
    add("b1", owner="B", network="10.0.0.2")
    assert order(queue) == ["a1", "b1", "a2", "a3", "a4"]
    add("c1", "c2", owner="C", network="10.0.0.1")
    assert order(queue) == ["a1", "b1", "a2", "c1", "a3", "a4", "c2"]
    # Where it is already the third one's turn, nobody comes before those who wait.
    taken = queue.take("a3")
    assert taken is not None
    taken[1].close()
    add("d1", owner="D", network="10.0.0.3")
    assert order(queue) == ["a1", "b1", "a2", "c1", "a3", "a4", "c2", "d1"]


def test_nobody_fills_the_queue(queue: PhotoQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(photo_queue, "MOST_WAITING", 6)
    monkeypatch.setattr(photo_queue, "MOST_PER_OWNER", 2)
    monkeypatch.setattr(photo_queue, "MOST_BYTES", 1000)

    def fits(name: str, owner: str, network: str, size: int = 10) -> bool:
        try:
            queue.add(photo(name, owner, network, size), io.BytesIO(b"x" * size))
        except QueueFull:
            return False
        return True

    assert fits("1", "A", "10.0.0.1") and fits("2", "A", "10.0.0.1")
    assert not fits("3", "A", "10.0.0.1"), "the sender has enough"
    assert fits("4", "B", "10.0.0.1")
    assert not fits("5", "C", "10.0.0.1"), "the network has half of it"
    assert fits("6", "D", "10.0.0.2")
    assert not fits("7", "E", "10.0.0.3", 980), "too many bytes"
    assert fits("8", "E", "10.0.0.3")


def test_the_queue_is_made_once_and_upgraded(
    queue: PhotoQueue, postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue.prepare()
    scripts = list(queue_schema._scripts((3, 3, 0)))
    assert len(scripts) >= 2, "the migrations since then"
    ran: list[object] = []
    monkeypatch.setattr(queue_schema.metadata, "version", lambda _name: "99.0.0")
    monkeypatch.setattr(queue_schema, "_scripts", lambda found: ran.append(found) or ["SELECT 1"])
    queue.prepare()
    queue.prepare()
    assert len(ran) == 1
    with queue._database.read() as connection:
        assert queue_schema._found(connection) == (99, 0, 0)
