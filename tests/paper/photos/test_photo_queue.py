"""Photos through PostgreSQL's queue: read anywhere, in turns, and then kept nowhere."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from companion.limits import USUAL
from companion.paper.photos import photo_queue, sending
from companion.paper.photos.photo_queue import SCHEMA, PhotoQueue, PhotoReader
from companion.paper.photos.photo_results import note_outcome
from companion.paper.photos.sending import SentPhoto, review_after_losses, send_photos
from companion.paper.review import Review, load_review
from companion.tables import Tables
from companion.tables.database import schema
from companion.vision.worker.pool import CRASHED, Busy, Job, Outcome
from lab.patience import PATIENCE, until
from lab.photos import standin
from lab.servers.program import PATIENT, Program
from lab.tables import device

pytestmark = pytest.mark.postgres

JOBS = sa.table(
    "procrastinate_jobs",
    sa.column("id", sa.BigInteger),
    sa.column("priority", sa.Integer),
    sa.column("args", JSONB),
    sa.column("status"),
    schema=SCHEMA,
)
WORKERS = sa.table("procrastinate_workers", sa.column("last_heartbeat"), schema=SCHEMA)
STANDIN, QUICK = "lab.photos.standin", "lab.photos.quick"


@pytest.fixture
def tables(postgres_database: str) -> Iterator[Tables]:
    """A server's tables."""
    opened = Tables(postgres_database, serving=True)
    yield opened
    opened.close()


@pytest.fixture
def queue(tables: Tables) -> PhotoQueue:
    return PhotoQueue(tables.database)


@contextmanager
def reader(url: str, module: str) -> Iterator[None]:
    """A reader on another machine."""
    with pytest.MonkeyPatch.context() as patch, closing(Tables(url, serving=True)) as tables:
        patch.setattr(photo_queue, "READER", module)
        with closing(PhotoReader(tables)):
            yield


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


def waiting(tables: Tables) -> list[str]:
    """The photos that no reader has taken yet, the next one first."""
    todo = JOBS.c.args.has_key("photo"), sa.cast(JOBS.c.status, sa.Text) == "todo"
    query = sa.select(JOBS.c.args).where(*todo).order_by(JOBS.c.priority.desc(), JOBS.c.id)
    with tables.database.read() as connection:
        return [args["photo"] for args in connection.execute(query).scalars()]


def is_empty(tables: Tables) -> bool:
    """Whether nothing about photos is left in the database, procrastinate's rows included."""
    with tables.database.read() as connection:
        return not any(
            connection.execute(sa.select(sa.func.count()).select_from(table)).scalar()
            for table in (schema.photo_jobs, schema.photo_parts, JOBS)
        )


def make_old(tables: Tables) -> None:
    """Makes all photos older than any may become."""
    with tables.database.write() as connection:
        connection.execute(schema.photo_jobs.update().values(made_at=0))


def test_photos_are_read_elsewhere_and_kept_nowhere(
    tables: Tables, queue: PhotoQueue, postgres_database: str
) -> None:
    host, review_id = sent(tables, queue, standin.ONE, standin.CRASH, standin.NOTHING)
    assert len(waiting(tables)) == 3
    with reader(postgres_database, STANDIN):
        assert until(lambda: is_empty(tables))
    assert states(tables, host, review_id) == ["read", "failed", "read"]
    review = load_review(tables, host, review_id)[1]
    assert len(review.sheets) == 1
    assert review.photos[1].troubles[0]["code"] == "crashed"


def test_a_reader_that_dies_is_replaced(
    tables: Tables, queue: PhotoQueue, postgres_database: str, monkeypatch: pytest.MonkeyPatch
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
    assert waiting(tables) == []
    with tables.database.write() as connection:
        connection.execute(WORKERS.update().values(last_heartbeat=sa.text("'2000-01-01'")))
    monkeypatch.setattr(photo_queue, "STALLED_CRON", "* * * * * *")
    with reader(postgres_database, QUICK):
        assert until(lambda: is_empty(tables))
    assert states(tables, host, review_id) == ["read"]


def test_a_reader_that_is_stopped_gives_its_photo_back(
    tables: Tables, queue: PhotoQueue, postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(photo_queue, "STOP_SECONDS", 0.1)
    with reader(postgres_database, STANDIN):
        host, review_id = sent(tables, queue, standin.SLOW)
        assert until(lambda: states(tables, host, review_id) == ["reading"])
        monkeypatch.setattr(photo_queue, "STOP_SECONDS", PATIENCE)  # for the thread's end
    assert len(waiting(tables)) == 1
    with reader(postgres_database, QUICK):
        assert until(lambda: is_empty(tables))
    assert states(tables, host, review_id) == ["read"]


def test_a_photo_at_which_readers_fail_is_given_up(
    tables: Tables, queue: PhotoQueue, postgres_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its outcome cannot be stored."""
    tries: list[Outcome] = []

    def note(tables: Tables, review_id: str, photo_id: str, outcome: Outcome) -> None:
        tries.append(outcome)
        if outcome is not CRASHED:
            raise MemoryError
        note_outcome(tables, review_id, photo_id, outcome)

    monkeypatch.setattr(photo_queue, "note_outcome", note)
    monkeypatch.setattr(photo_queue, "MOST_RETRIES", 0)
    host, review_id = sent(tables, queue, standin.ONE)
    with reader(postgres_database, STANDIN):
        assert until(lambda: is_empty(tables))
    assert states(tables, host, review_id) == ["failed"]
    assert len(tries) == 2


def test_a_photo_that_nobody_reads_is_deleted(
    tables: Tables, queue: PhotoQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When its review is looked at, or another photo comes."""
    monkeypatch.setattr(sending, "LOST_MS", -1)
    host, review_id = sent(tables, queue, standin.ONE)
    assert review_after_losses(tables, queue, host, review_id)[1].photos[0].state == "waiting"
    make_old(tables)
    assert review_after_losses(tables, queue, host, review_id)[1].photos[0].state == "failed"
    assert is_empty(tables)
    queue.submit(job("1"))
    make_old(tables)
    queue.submit(job("2"))
    assert waiting(tables) == ["2"]


def test_a_photo_that_its_sender_stops_or_throws_away_is_deleted(
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
        assert until(lambda: is_empty(tables))
    sent(tables, queue, standin.ONE, host=host)
    for review in tables.reviews.of_device(host):
        with tables.reviews.changing(review.id, host) as change:
            change.is_over = True
    with tables.database.read() as connection:
        for table in (schema.photo_jobs, schema.photo_parts):
            assert connection.execute(sa.select(table)).all() == []


def job(name: str, owner: str = "A", network: str = "") -> Job:
    return Job(name, io.BytesIO(b"x"), 1, False, owner=owner, network=network)


def test_addresses_and_then_devices_take_turns(tables: Tables, queue: PhotoQueue) -> None:
    for name, owner in (("1", "A"), ("2", "A"), ("3", "B"), ("4", "A"), ("5", "B")):
        queue.submit(job(name, owner))
    assert waiting(tables) == ["1", "3", "2", "5", "4"]
    queue.submit(job("6", "C", "elsewhere"))
    assert waiting(tables) == ["1", "6", "3", "2", "5", "4"]


def test_nobody_fills_the_queue(tables: Tables) -> None:
    queue = PhotoQueue(tables.database, replace(USUAL, waiting_photos_per_device=1))
    queue.submit(job("1"))
    with pytest.raises(Busy):
        queue.submit(job("2"))
    queue.submit(job("3", "B"))
    assert waiting(tables) == ["1", "3"]
    assert PhotoQueue(tables.database).has("3"), "its tables are made once"
