"""The database itself: how it is opened and by whom, and what survives a kill or a lost file."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
import sqlalchemy as sa

from companion.core.refusal import Unusable
from companion.tables import Tables, opening
from companion.tables.database import engine as database_module
from companion.tables.database import postgres, schema, sqlite_file
from companion.tables.database.engine import Database, alembic_config
from companion.tables.opening import open_tables
from tests.kit.patience import PATIENCE
from tests.kit.tables import Evening, device

MIGRATED = "alembic_version"


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def test_the_migrations_make_what_the_code_expects(url: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    with closing(Database(url)) as database:
        with database.read() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            assert compare_metadata(context, schema.metadata) == []
            scripts = ScriptDirectory.from_config(alembic_config(connection))
            assert scripts.get_heads() == [schema.HEAD]
            migrated = _constraints(connection)
        with database.write() as connection:
            schema.metadata.drop_all(connection)
            schema.metadata.create_all(connection)
            assert _constraints(connection) == migrated


def _constraints(connection: sa.Connection) -> dict[str, object]:
    """Everything that `compare_metadata` may overlook: keys and constraints by name."""
    look = sa.inspect(connection)
    lists = look.get_foreign_keys, look.get_unique_constraints, look.get_indexes
    return {
        table: (
            look.get_pk_constraint(table),
            [sorted(map(repr, of(table))) for of in lists],
            [(c["name"], str(c["type"]), c["nullable"]) for c in look.get_columns(table)],
        )
        for table in look.get_table_names()
        if table != MIGRATED
    }


def test_how_sqlite_is_opened(file_url: str) -> None:
    full = 2
    pragmas = {"journal_mode": "wal", "synchronous": full, "foreign_keys": 1, "busy_timeout": 3_000}
    with closing(Database(file_url)) as database, database.read() as connection:
        for name, value in pragmas.items():
            assert connection.exec_driver_sql(f"PRAGMA {name}").scalar() == value


def test_writes_give_up_and_reads_go_on(file_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program holds the lock: everybody still reads, and nobody waits for long."""
    monkeypatch.setattr(database_module, "BUSY_TIMEOUT_MS", 200)
    monkeypatch.setattr(database_module, "QUEUE_SECONDS", 0.5)
    with (
        closing(Tables(file_url)) as tables,
        closing(sqlite3.connect(path_of(file_url), isolation_level=None)) as other,
        ThreadPoolExecutor(8) as pool,
    ):
        table = tables.create("host", "qwinto-dice")
        other.execute("BEGIN IMMEDIATE")
        writers = [pool.submit(tables.create, "host", "qwinto-dice") for _ in range(8)]
        assert tables.read(table, "host").id == table
        for writer in writers:
            with pytest.raises(sa.exc.OperationalError):
                writer.result(PATIENCE)
        other.execute("ROLLBACK")
        tables.create("host", "qwinto-dice")


@pytest.mark.parametrize("nowhere", ["sqlite://", "sqlite:///:memory:"])
def test_sqlite_needs_a_file(nowhere: str) -> None:
    with pytest.raises(ValueError, match="file"):
        Database(nowhere)


TAP_ON = """
import sys
from companion.tables import Tables
from companion.tables import Tap
from companion.tables.play import lobby
url = sys.argv[1]
tables = Tables(url, serving=True)
device = "a-device-that-never-stops"
table = tables.create(device, "qwinto-dice", players=[("Tim", "red"), ("Sarah", "blue")])
tables.change(table, device, lobby.start)
print(table, flush=True)
entry = "tap-the-first"
roll = {"do": "roll", "by": "Tim", "dice": {"yellow": 1}}
tables.tap(table, device, Tap.parse({"id": entry, "action": roll}))
print(entry, flush=True)
for number in range(1_000_000):
    tap = f"own-{number:08}"
    roll["dice"] = {"yellow": (number + 1) % 6 + 1}
    tables.tap(table, device, Tap.parse({"id": tap, "replaces": entry, "action": roll}))
    print(tap, flush=True)
"""


def test_a_kill_loses_no_acknowledged_tap(file_url: str) -> None:
    command = [sys.executable, "-c", TAP_ON, file_url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        table = process.stdout.readline().strip()
        acknowledged = [process.stdout.readline().strip() for _ in range(150)]
        process.send_signal(signal.SIGKILL)  # somewhere in the middle of the next ones
        acknowledged += process.stdout.read().split()
    assert process.returncode == -signal.SIGKILL
    if not acknowledged[-1].removeprefix("own-").isdigit() or len(acknowledged[-1]) < 12:
        acknowledged.pop()  # the kill cut its last line in two

    with closing(open_tables(file_url, serving=True)) as tables:  # the killed one keeps no lock
        game = Evening(tables, table, "a-device-that-never-stops")
        taps = [event.id for event in game.read().log if event.id]
        assert set(acknowledged) <= set(taps)
        assert game.position.dice == (("yellow", (len(taps) - 2 + 1) % 6 + 1),)
        game.do({"do": "pass", "by": "Tim"})
    with closing(sqlite3.connect(path_of(file_url))) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


@pytest.mark.postgres
def test_postgresql_ends_what_takes_too_long(postgres_database: str) -> None:
    with closing(Tables(postgres_database)) as tables, tables.database.read() as connection:
        for name in ("statement_timeout", "lock_timeout"):
            assert connection.execute(sa.text(f"SHOW {name}")).scalar() != "0", name
        with postgres.patient(connection):
            assert connection.execute(sa.text("SHOW statement_timeout")).scalar() == "0"


def test_the_address_may_say_otherwise() -> None:
    url = sa.make_url("postgresql+psycopg://u@/x?connect_timeout=30&options=-c%20lock_timeout%3D1")
    given = postgres.arguments(url)
    assert not {"connect_timeout", "options"} & set(given)
    assert given["tcp_user_timeout"] == 8000


# Who may open it


def test_a_second_server_is_refused(file_url: str) -> None:
    """Also one that opens it by a link to it."""
    link = path_of(file_url).with_name("link.sqlite3")
    link.symlink_to(path_of(file_url))
    with closing(open_tables(file_url, serving=True)):
        for url in (file_url, f"sqlite:///{link}"):
            with pytest.raises(Unusable, match="Another companion is running"):
                open_tables(url, serving=True)
        Tables(file_url).close()  # commands that only read may still look
    open_tables(file_url, serving=True).close()


def test_only_the_owner_may_read_the_database(file_url: str) -> None:
    """Also where an older version had left it to everybody."""
    Tables(file_url).close()
    path_of(file_url).chmod(0o644)
    with closing(open_tables(file_url, serving=True)) as tables:
        tables.create(device(), "qwinto-dice")
        folder = path_of(file_url).parent
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
        assert set(modes.values()) == {0o600}, modes
        assert {"own.sqlite3", "own.sqlite3-wal", "own.sqlite3.lock"} <= set(modes)


def test_a_database_of_a_newer_version(url: str) -> None:
    database = Database(url)
    with database.write() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9901'"))
    database.close()
    with pytest.raises(Unusable, match=r"a newer version .* 9901,.* Nothing was changed\."):
        open_tables(url)


def test_a_full_disk_at_the_start(file_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own words for it differ: no room for the log, for its shared memory, for a page."""
    error = sa.exc.OperationalError("PRAGMA", {}, sqlite3.OperationalError("disk I/O error"))
    monkeypatch.setattr(opening, "Tables", Mock(side_effect=error))
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=4096))
    with pytest.raises(Unusable, match="the disk is full"):
        open_tables(file_url)


# Files that somebody deletes, moves or replaces while they are open


@pytest.fixture
def path(file_url: str) -> Path:
    return path_of(file_url)


@pytest.fixture
def database(file_url: str) -> Iterator[Database]:
    with closing(Database(file_url)) as opened:
        yield opened


def save(database: Database, numbers: range) -> set[str]:
    """Writes a row a number; the names of those that were acknowledged."""
    acknowledged = set()
    for number in numbers:
        with suppress(sa.exc.OperationalError):
            with database.write() as connection:
                row = {"name": f"tap-{number}", "value": ""}
                connection.execute(schema.settings.insert().values(row))
            acknowledged.add(f"tap-{number}")
    return acknowledged


def saved(path: Path) -> set[str]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name FROM settings WHERE name LIKE 'tap-%'")
        return {name for (name,) in rows}


def lose(path: Path, *suffixes: str) -> None:
    for suffix in suffixes:
        path.with_name(path.name + suffix).unlink()


def replace_by_another(path: Path) -> None:
    other = path.with_name("other.sqlite3")
    Database(f"sqlite:///{other}").close()
    other.replace(path)


@pytest.mark.parametrize(
    ("lose_files", "are_kept"),
    [
        (lambda path: lose(path, ""), False),
        (replace_by_another, False),
        (lambda path: lose(path, "-wal"), True),
        (lambda path: lose(path, "-wal", "-shm"), True),
    ],
    ids=["no file", "another file", "no log", "neither log nor index"],
)
def test_nothing_is_acknowledged_without_the_files(
    database: Database, path: Path, lose_files: Callable[[Path], None], are_kept: bool
) -> None:
    """The end of the last connection writes what its log had into its file, and into no other."""
    acknowledged = save(database, range(3))
    lose_files(path)
    content = path.read_bytes() if path.exists() else b""
    assert save(database, range(3, 6)) == set()
    assert database.fault() == sqlite_file.LOST
    with pytest.raises(sa.exc.OperationalError) as refused, database.write():
        pass
    for words in (str(path), "deleted or replaced", "restart"):
        assert words in str(refused.value.orig)
    database.close()
    if are_kept:
        assert saved(path) == acknowledged
    elif path.exists():
        assert path.read_bytes() == content


def test_a_file_that_comes_back_is_written_again(database: Database, path: Path) -> None:
    before = save(database, range(3))
    away = path.rename(path.with_name("away"))
    assert save(database, range(3, 6)) == set()
    away.rename(path)
    after = save(database, range(6, 9))
    assert database.fault() is None
    assert len(after) == 3
    database.close()
    assert saved(path) == before | after


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
