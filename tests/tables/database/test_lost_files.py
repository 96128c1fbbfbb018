"""Files of a SQLite database that somebody deletes, moves or replaces while it is open."""

from __future__ import annotations

import logging
import shutil
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import sqlalchemy as sa

from companion.tables.database import schema, sqlite_file
from companion.tables.database.engine import Database


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "evening.sqlite3"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    opened = Database(f"sqlite:///{path}")
    yield opened
    opened.close()


def save(database: Database, numbers: range) -> set[str]:
    """Writes a row a number; the names of those that were acknowledged."""
    acknowledged = set()
    for number in numbers:
        try:
            with database.write() as connection:
                row = {"name": f"tap-{number}", "value": ""}
                connection.execute(schema.settings.insert().values(row))
        except sa.exc.OperationalError:
            continue
        acknowledged.add(f"tap-{number}")
    return acknowledged


def saved(path: Path) -> set[str]:
    """The rows in a copy of the files at the path: what a killed server leaves behind."""
    copy = path.parent / "copied"
    copy.mkdir(exist_ok=True)
    for file in path.parent.glob(f"{path.name}*"):
        if not file.name.endswith("-shm"):
            shutil.copy(file, copy)
    connection = sqlite3.connect(copy / path.name)
    rows = connection.execute("SELECT name FROM settings WHERE name LIKE 'tap-%'").fetchall()
    connection.close()
    shutil.rmtree(copy)
    return {name for (name,) in rows}


def test_nothing_is_acknowledged_without_the_file(database: Database, path: Path) -> None:
    before = save(database, range(3))
    path.unlink()
    assert save(database, range(3, 43)) == set()
    assert database.fault() == sqlite_file.LOST
    database.close()
    assert saved(path) == before, "the end writes what was acknowledged to its place"
    assert path.stat().st_mode & 0o077 == 0


def test_a_file_that_comes_back_is_written_again(
    database: Database, path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    before = save(database, range(3))
    away = path.rename(path.with_name("away"))
    assert save(database, range(3, 6)) == set()
    away.rename(path)
    with caplog.at_level(logging.INFO):
        after = save(database, range(6, 9))
    assert "is back" in caplog.text
    assert database.fault() is None
    assert len(after) == 3
    assert saved(path) == before | after


def test_the_refusal_says_what_to_do(database: Database, path: Path) -> None:
    path.unlink()
    with pytest.raises(sa.exc.OperationalError) as refused, database.write():
        pass
    reason = str(refused.value.orig)
    assert str(path) in reason
    assert "deleted or replaced" in reason
    assert "restart" in reason


def test_another_file_in_its_place_is_left_alone(database: Database, path: Path) -> None:
    before = save(database, range(3))
    other = path.with_name("other.sqlite3")
    Database(f"sqlite:///{other}").close()
    content = other.read_bytes()
    other.replace(path)
    assert save(database, range(3, 6)) == set()
    database.close()
    assert path.read_bytes() == content
    assert saved(path.with_name(f"{path.name}.rescued")) == before


def test_a_file_that_goes_during_a_change(database: Database, path: Path) -> None:
    with (
        pytest.raises(sa.exc.OperationalError, match="deleted or replaced"),
        database.write() as connection,
    ):
        connection.execute(sa.text("UPDATE settings SET value = ''"))
        path.rename(path.with_name("away"))


def test_a_new_connection_makes_no_new_file(database: Database, path: Path) -> None:
    """SQLite would make an empty one at the path, and a new log for others' old one."""
    path.unlink()
    with database.read() as first, pytest.raises(sa.exc.OperationalError, match="deleted"):
        first.execute(sa.select(schema.settings)).all()
        with database.read() as second:
            second.execute(sa.select(schema.settings))
    assert not path.exists()


@pytest.mark.parametrize("files", [["-wal"], ["-wal", "-shm"]])
def test_a_deleted_log_costs_nothing(
    database: Database, path: Path, files: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    acknowledged = save(database, range(3))
    for suffix in files:
        path.with_name(path.name + suffix).unlink()
    for numbers in (range(3, 6), range(6, 9)):
        with caplog.at_level(logging.WARNING):
            acknowledged |= save(database, numbers)
        assert saved(path) == acknowledged
    assert len(acknowledged) == 9
    assert caplog.text.count("write-ahead log") == 1
    assert "restart" in caplog.text
    assert database.fault() == sqlite_file.LOST
    database.close()
    again = Database(f"sqlite:///{path}")
    assert save(again, range(9, 10)) | acknowledged == saved(path)
    again.close()


def test_deleted_logs_while_many_write(database: Database, path: Path) -> None:
    """No connection may write into another log than the others read."""
    acknowledged: set[str] = set()

    def write(writer: int) -> None:
        for number in range(10):
            place = 1000 * writer + number
            acknowledged.update(save(database, range(place, place + 1)))

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        with suppress(sa.exc.OperationalError), database.read() as connection:
            connection.execute(sa.select(schema.settings)).all()
    for thread in threads:
        thread.join()
    # Logs may have gone faster than any of them could write.
    after = save(database, range(9000, 9003))
    assert len(after) == 3
    assert saved(path) >= acknowledged | after


def test_a_log_that_goes_during_a_change(database: Database, path: Path) -> None:
    with database.write() as connection:
        connection.execute(schema.settings.insert().values(name="tap-1", value=""))
        path.with_name(f"{path.name}-wal").unlink()
    assert saved(path) == {"tap-1"}


def test_a_log_that_cannot_be_written_back_is_a_refusal(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody reads for long: only then must phones try again."""
    monkeypatch.setattr(sqlite_file, "CHECKPOINT_TIMEOUT_MS", 50)
    database = Database(f"sqlite:///{path}")
    before = save(database, range(3))
    with database.read() as reading:
        reading.execute(sa.select(schema.settings)).all()
        before |= save(database, range(3, 5))
        path.with_name(f"{path.name}-wal").unlink()
        assert save(database, range(5, 8)) == set()
    after = save(database, range(8, 10))
    assert (len(before), len(after)) == (5, 2)
    assert saved(path) >= before | after
    database.close()


def test_another_log_in_its_place_is_not_read(database: Database, path: Path) -> None:
    save(database, range(3))
    log = path.with_name(f"{path.name}-wal")
    content = log.read_bytes()
    log.unlink()
    log.write_bytes(content)
    assert save(database, range(3, 5)) == set()
    log.unlink()
    assert len(save(database, range(5, 7))) == 2
