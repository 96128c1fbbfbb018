"""Files of a SQLite database that somebody deletes, moves or replaces while it is open."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
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
    save(database, range(3))
    path.unlink()
    assert save(database, range(3, 43)) == set()
    assert database.fault() == sqlite_file.LOST


def test_a_file_that_comes_back_is_written_again(database: Database, path: Path) -> None:
    before = save(database, range(3))
    away = path.rename(path.with_name("away"))
    assert save(database, range(3, 6)) == set()
    away.rename(path)
    after = save(database, range(6, 9))
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
    save(database, range(3))
    other = path.with_name("other.sqlite3")
    Database(f"sqlite:///{other}").close()
    content = other.read_bytes()
    other.replace(path)
    assert save(database, range(3, 6)) == set()
    database.close()
    assert path.read_bytes() == content


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
def test_without_its_log_nothing_is_acknowledged_or_lost(
    database: Database, path: Path, files: list[str]
) -> None:
    """The end of the last connection writes into the file what the log had."""
    acknowledged = save(database, range(3))
    for suffix in files:
        path.with_name(path.name + suffix).unlink()
    assert save(database, range(3, 6)) == set()
    assert database.fault() == sqlite_file.LOST
    database.close()
    with closing(Database(f"sqlite:///{path}")) as again:
        assert save(again, range(9, 10)) | acknowledged == saved(path)


def test_another_log_in_its_place_is_not_read(database: Database, path: Path) -> None:
    save(database, range(3))
    log = path.with_name(f"{path.name}-wal")
    content = log.read_bytes()
    log.unlink()
    log.write_bytes(content)
    assert save(database, range(3, 5)) == set()
