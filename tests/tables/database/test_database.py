"""The database: how it is opened, by whom and which, and what survives a kill or a lost file."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final, TypeAlias
from unittest.mock import Mock

import pytest
import sqlalchemy as sa

from companion.cli import main
from companion.core.refusal import Unusable
from companion.tables import Tables, opening
from companion.tables.database import engine, postgres, schema, sqlite_file
from companion.tables.database.engine import Database, alembic_config
from companion.tables.opening import database_url, open_tables
from companion.tables.play.access import revoke
from companion.tables.play.records import COLORS
from companion.tables.upkeep import schedule
from companion.web.run import serve
from lab.history import people
from lab.patience import PATIENCE
from lab.tables import Evening, device, inside, refused
from lab.wide import wide

MIGRATED = "alembic_version"


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def test_the_migrations_make_what_the_code_expects(url: str, tmp_path: Path) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    path = unpacked(EARLIER, tmp_path)
    if url.startswith("sqlite"):
        url = f"sqlite:///{path}"
    else:
        copy_to_postgres(path, url)
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
    monkeypatch.setattr(engine, "BUSY_TIMEOUT_MS", 200)
    monkeypatch.setattr(engine, "QUEUE_SECONDS", 0.5)
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
from lab.games import roll
from lab.tables import evening
game = evening(Tables(sys.argv[1], serving=True), "a-device-that-never-stops")
print(game.id, flush=True)
print(entry := game.do(roll("Tim", yellow=1), id="own-00000000"), flush=True)
for number in range(1, 1_000_000):
    tap = f"own-{number:08}"
    game.tap(id=tap, replaces=entry, action=roll("Tim", yellow=number % 6 + 1))
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
        assert game.position.dice == (("yellow", (len(taps) - 1) % 6 + 1),)
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
    """A server that opens the database by a link is refused, too."""
    link = path_of(file_url).with_name("link.sqlite3")
    link.symlink_to(path_of(file_url))
    with closing(open_tables(file_url, serving=True)):
        for url in (file_url, f"sqlite:///{link}"):
            with pytest.raises(Unusable, match="Another companion is running"):
                open_tables(url, serving=True)
        Tables(file_url).close()  # commands that only read may still look
    open_tables(file_url, serving=True).close()


def test_only_the_owner_may_read_the_database(file_url: str) -> None:
    """A database that an older version left readable for everybody is restricted, too."""
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
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=8192, free=4096))
    with pytest.raises(Unusable, match="the disk is full"):
        open_tables(file_url)


def test_a_folder_that_cannot_be_written(
    file_url: str, path: Path, monkeypatch: pytest.MonkeyPatch, refuse: Refuse, elsewhere: Path
) -> None:
    """A backup of a read-only disk needs only the file; a log cannot be replayed there."""
    Tables(file_url).close()
    monkeypatch.setattr(os, "access", lambda _path, mode, **_more: mode != os.W_OK)
    monkeypatch.setattr(sqlite_file, "opened", opened_read_only)
    assert main(["backup", str(elsewhere / "new"), "--db", file_url]) == 0
    path.with_name(f"{path.name}-wal").write_bytes(b"x" * 100)
    said = refuse("backup {elsewhere}/new", "--db", file_url)
    assert said == f"{path} cannot be read: unable to open database file.\n"
    error = sa.exc.OperationalError("PRAGMA", {}, sqlite3.OperationalError("readonly"))
    monkeypatch.setattr(opening, "Tables", Mock(side_effect=error))
    said = refuse("tidy", "--db", file_url)
    assert f"the folder cannot be written: {path.parent} belongs to " in said


def test_a_new_database_in_a_folder_that_cannot_be_written(
    file_url: str, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    denied = PermissionError(13, "Permission denied", f"{path}.lock")
    monkeypatch.setattr(opening, "Tables", Mock(side_effect=denied))
    monkeypatch.setattr(os, "access", lambda _path, mode, **_more: mode != os.W_OK)
    with pytest.raises(Unusable, match=r"the folder cannot be written"):
        open_tables(file_url)


@contextmanager
def opened_read_only(path: Path, how: str) -> Iterator[sqlite3.Connection]:
    """As `sqlite_file.opened`, on a disk on which nothing can be made beside the file."""
    if how == "mode=rw":
        raise sqlite3.OperationalError("unable to open database file")
    with closing(sqlite3.connect(f"{path.as_uri()}?{how}", uri=True)) as connection:
        yield connection


# Files that somebody deletes, moves or replaces while they are open


@pytest.fixture
def path(file_url: str) -> Path:
    return path_of(file_url)


@pytest.fixture
def database(file_url: str) -> Iterator[Database]:
    with closing(Database(file_url, serving=True)) as opened:
        yield opened


def save(database: Database, numbers: range) -> set[str]:
    """Writes a row for each number; returns the names of those that were acknowledged."""
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


def another(path: Path) -> Path:
    other = path.with_name("other.sqlite3")
    Database(f"sqlite:///{other}").close()
    return other


@pytest.mark.parametrize(
    ("lose_files", "are_kept"),
    [
        (lambda path: lose(path, ""), False),
        (lambda path: another(path).replace(path), False),
        (lambda path: shutil.copy(another(path), path), False),
        (lambda path: path.write_text("no database"), False),
        (lambda path: lose(path, "-wal"), True),
        (lambda path: lose(path, "-wal", "-shm"), True),
    ],
    ids=[
        "no file",
        "another file",
        "another in the file",
        "rubbish in the file",
        "no log",
        "neither log nor index",
    ],
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
    for words in (str(path), "deleted, replaced or overwritten", "restart"):
        assert words in str(refused.value.orig)
    database.close()
    if are_kept:
        assert saved(path) == acknowledged
    elif path.exists():
        assert path.read_bytes() == content
        assert not path.with_name(f"{path.name}-wal").exists(), "it is of the file that is gone"


KILLED: Final = """
import os, shutil, sys
from pathlib import Path
from companion.tables.database.engine import Database
from companion.tables.database.sqlite_file import copy_database
path = Path(sys.argv[1])
database = Database(f"sqlite:///{path}", serving=True)
def save(*numbers):
    with database.write() as connection:
        for number in numbers:
            connection.exec_driver_sql(f"INSERT INTO settings VALUES ('tap-{number}', '')")
save(0, 1)
copy_database(path, path.with_name("backup"))
shutil.copy(path, path.with_name("copy"))
save(2, 3)
os.kill(os.getpid(), 9)
"""
OLD_TAPS, NEW_TAPS = {"tap-0", "tap-1"}, {"tap-2", "tap-3"}


@pytest.mark.parametrize(
    ("put", "expected"),
    [
        (lambda path: path, OLD_TAPS | NEW_TAPS),
        (lambda path: Path(shutil.copytree(path.parent, path.parent / "x"), path.name),
         OLD_TAPS | NEW_TAPS),
        (lambda path: Path(shutil.copy(path.with_name("backup"), path)), OLD_TAPS),
        wide(lambda path: path.with_name("backup").replace(path), OLD_TAPS),
        wide(lambda path: Path(shutil.copy(path.with_name("earlier"), path)), set()),
        (lambda path: path.with_name("copy").replace(path), set()),
    ],
    ids=["nothing", "all in another folder", "a backup copied", "a backup moved", "an earlier copy",
         "a copy without the log"],
)  # fmt: skip
def test_a_log_is_replayed_into_its_own_file_only(
    path: Path, put: Callable[[Path], Path], expected: set[str], elsewhere: Path
) -> None:
    """After a kill, a backup replays a log, too, if it comes first."""
    Database(f"sqlite:///{path}").close()
    shutil.copy(path, path.with_name("earlier"))
    killed = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert killed.returncode == -signal.SIGKILL
    there = put(path)
    assert main(["backup", str(elsewhere / "new"), "--db", f"sqlite:///{there}"]) == 0
    Database(f"sqlite:///{there}", serving=True).close()
    for file in (there, elsewhere / "new"):
        assert saved(file) == expected
    aside = [file.name for file in there.parent.glob("*Z-wal")]
    assert len(aside) == (len(expected) < 4)


def test_a_log_that_was_half_moved_counts(path: Path) -> None:
    """After a kill or a full disk meanwhile: the first page names pages that only the log has."""
    half = path.with_name("half.sqlite3")
    with closing(Database(f"sqlite:///{path}", serving=True)) as database:
        with database.write() as connection:
            long = {"name": "long", "value": "x" * 100_000}
            connection.execute(schema.settings.insert().values(long))
        acknowledged = save(database, range(3))
        for suffix in ("", "-wal", ".lock"):
            shutil.copy(f"{path}{suffix}", f"{half}{suffix}")
    with half.open("r+b") as file, path.open("rb") as whole:
        file.write(whole.read(4096))
    Database(f"sqlite:///{half}", serving=True).close()
    assert saved(half) == acknowledged != set()


def test_a_log_of_another_file_stays_while_its_server_runs(path: Path, refuse: Refuse) -> None:
    with closing(Database(f"sqlite:///{path}", serving=True)) as database:
        before = save(database, range(3))
        away = path.rename(path.with_name("away"))
        shutil.copy(away, path)
        for command in COMMANDS:
            assert "Stop it first" in refuse(command, "--db", f"sqlite:///{path}"), command
        with pytest.raises(Unusable, match="deleted, replaced"):
            schedule.write_next(
                database, schedule.Schedule(path.parent, timedelta(days=1), 3), datetime.now(UTC)
            )
        away.replace(path)
    assert saved(path) == before != set()


def test_an_earlier_state_of_the_file_is_noticed(path: Path) -> None:
    """A plain copy that is older than the log takes the file's place, in use or after a kill."""
    copy = path.with_name("copy")
    with closing(Database(f"sqlite:///{path}", serving=True)) as database:
        save(database, range(3))
        with database.read() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint")
        shutil.copy(path, copy)
        save(database, range(3, 300))
        with database.read() as connection:
            connection.exec_driver_sql("PRAGMA wal_checkpoint")
        assert len(save(database, range(300, 303))) == 3
        shutil.copy(copy, path)
        assert save(database, range(303, 306)) == set()
        for suffix in ("", "-wal", ".lock"):
            shutil.copy(f"{path}{suffix}", path.with_name(f"killed{suffix}"))
    for name in ("own.sqlite3", "killed"):
        with closing(Database(f"sqlite:///{path.with_name(name)}", serving=True)):
            assert len(saved(path.with_name(name))) == 3, name


def test_a_file_with_two_names_is_opened_by_one(path: Path, refuse: Refuse) -> None:
    """SQLite would keep a log for each of the names."""
    link = path.with_name("link.sqlite3")
    with closing(Database(f"sqlite:///{path}", serving=True)) as database:
        before = save(database, range(3))
        os.link(path, link)
        for command in COMMANDS:
            assert "has another name" in refuse(command, "--db", f"sqlite:///{link}"), command
        before |= save(database, range(3, 6))
    Database(f"sqlite:///{path}", serving=True).close()
    assert len(before) == 6
    assert saved(path) == before


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


def test_a_file_that_disappears_during_a_change(database: Database, path: Path) -> None:
    with (
        pytest.raises(sa.exc.OperationalError, match="deleted, replaced"),
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


# Databases of earlier versions (`old/SOURCE.md`)

OLD = Path(__file__).with_name("old")
HOST = "host-device-token"
REVISIONS = ("0011", "0012", "0013", "0014", "0015")
TOO_OLD = "0001"
EARLIER = "0011"


def unpacked(revision: str, folder: Path) -> Path:
    """A SQLite database of an earlier version, with matches in it."""
    path = folder / f"{revision}.sqlite3"
    path.write_bytes(gzip.decompress((OLD / f"{revision}.sqlite3.gz").read_bytes()))
    return path


def copy_to_postgres(path: Path, url: str) -> None:
    """Makes the tables of a SQLite database, with their rows, in an empty PostgreSQL one."""
    old = sa.create_engine(f"sqlite:///{path}", poolclass=sa.NullPool)
    then = sa.MetaData()
    with old.connect() as source, inside(url) as target:
        then.reflect(source)
        for column in (column for table in then.sorted_tables for column in table.c):
            column.type, column.server_default = column.type.as_generic(), None
        then.create_all(target)
        for table in then.sorted_tables:
            if rows := source.execute(sa.select(table)).mappings().all():
                target.execute(table.insert(), list(map(dict, rows)))


@pytest.fixture(params=REVISIONS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Tables]]:
    """The revision that wrote a database, and that database opened today."""
    with closing(Tables(f"sqlite:///{unpacked(request.param, tmp_path)}")) as tables:
        yield request.param, tables


def content(tables: Tables) -> dict[str, Any]:
    """The content of a database, as exports and checksums of exports."""
    # Backups had no identities when the checksums were made.
    history = re.sub(rb'("changed":[^,]*|"id":"[^"]*"),', b"", tables.history.export_json(HOST))
    csv = tables.history.export_csv(HOST)
    return {
        "tables": {line.id: table_content(tables, line.id) for line in tables.at_tables(HOST)},
        "people": [
            [person.name, person.figures.games, person.figures.wins, person.figures.best]
            for person in people(tables, HOST)
        ],
        "games": len(json.loads(history)["games"]),
        "history_crc": zlib.crc32(history),
        "csv_crc": zlib.crc32(csv),
    }


def table_content(tables: Tables, table_id: str) -> dict[str, Any]:
    table = tables.read(table_id, HOST)
    assert table.version == tables.version(table_id, HOST)
    record = tables.export(table_id, HOST) if table.position else None
    if record is not None:
        # Records had no colors when the checksums were made; the seats' colors stand beside.
        record.pop(COLORS, None)
    return {
        "version": table.version,
        "phase": table.phase,
        "game": table.game.name,
        "number": table.number,
        "seats": [[seat.name, seat.color, seat.held] for seat in table.seats],
        "log": [line.kind for line in table.log],
        "record_crc": zlib.crc32(json.dumps(record, sort_keys=True).encode()),
    }


def test_an_old_database_keeps_its_content(old: tuple[str, Tables]) -> None:
    revision, tables = old
    require_essences(tables)
    assert content(tables) == json.loads((OLD / f"{revision}.json").read_text("utf-8"))


@pytest.mark.postgres
@pytest.mark.parametrize("revision", REVISIONS)
def test_postgresql_keeps_it_too(revision: str, tmp_path: Path, postgres_database: str) -> None:
    copy_to_postgres(unpacked(revision, tmp_path), postgres_database)
    with closing(Tables(postgres_database)) as tables:
        assert content(tables) == json.loads((OLD / f"{revision}.json").read_text("utf-8"))
        require_essences(tables)


def require_essences(tables: Tables) -> None:
    """Each match has the key that it would get if it were saved now."""
    rows = schema.finished_matches
    with tables.database.read() as connection:
        essences = dict(connection.execute(sa.select(rows.c.id, rows.c.essence)).all())
    for match in tables.history.all_matches(HOST):
        assert match.essence == essences[match.id]
    assert all(essences.values())


def test_changes_by_hand_are_marked(old: tuple[str, Tables]) -> None:
    """The row has what followed from the match's log, which is gone."""
    revision, tables = old
    edited = [match for match in tables.history.all_matches(HOST) if match.edited]
    contested = [match for match in edited if match.is_contested]
    assert (len(edited), len(contested)) == ((4, 1) if revision >= "0013" else (3, 0))
    with tables.database.read() as connection:
        names = set(sa.inspect(connection).get_table_names())
    assert names - {MIGRATED} == schema.metadata.tables.keys()


def test_the_key_is_filled_in_for_any_number_of_matches(tmp_path: Path) -> None:
    path = unpacked("0014", tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        more = (
            "INSERT INTO plays (id, owner, game, source, ended_at, place, notes, players, identity)"
            " SELECT value || id, 'x', game, source, ended_at, place, notes, players, value || id"
            " FROM plays, generate_series WHERE table_id IS NULL"
        )
        series = "WITH RECURSIVE generate_series(value) AS"
        numbers = "(SELECT 1 UNION ALL SELECT value + 1 FROM generate_series WHERE value < 400)"
        connection.execute(f"{series} {numbers} {more}")
        connection.commit()
        assert connection.execute("SELECT COUNT(*) FROM plays").fetchone()[0] > 1_000
    with closing(Tables(f"sqlite:///{path}")) as tables:
        require_essences(tables)


def test_a_link_to_a_seat_leads_nowhere_and_its_phone_can_be_sent_away(tmp_path: Path) -> None:
    with closing(Tables(f"sqlite:///{unpacked('0013', tmp_path)}")) as tables:
        table_id = next(line.id for line in tables.at_tables(HOST) if "Ben" in line.names)
        assert tables.at_tables("guest-device-token")
        old, join = tables.links(table_id, HOST)
        assert tables.link_with_id(join.id).table_id == table_id
        assert refused(tables.link_with_id, old.id) == "no-such-link"
        tables.change(table_id, HOST, revoke, old.id)
        assert not tables.at_tables("guest-device-token")


# A migration keeps a way back, and has to be requested where there is none


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    return unpacked(EARLIER, tmp_path)


@pytest.fixture
def migrated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The databases that `companion serve` has opened; it ends then."""
    opened: list[str] = []
    monkeypatch.setattr(
        serve, "_serve", lambda _options, tables, *_: opened.append(revision(tables))
    )
    monkeypatch.setattr(serve, "_end_soon", lambda: None)
    return opened


def revision(tables: Tables) -> str:
    with tables.database.read() as connection:
        return str(connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar())


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_the_file_is_copied_before_a_migration(
    earlier: Path, migrated: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    before = dump(earlier)
    for number in ("0010", "0011"):
        earlier.with_name(f"{earlier.name}-before-{number}").touch()
    for _ in range(2):  # the second time it is current
        assert main(["serve", "--port", "0", "--db", f"sqlite:///{earlier}"]) == 0
    assert migrated == [schema.HEAD] * 2
    copy = earlier.with_name(f"{earlier.name}-before-{schema.HEAD}")
    kept = earlier.with_name(f"{earlier.name}-before-0011")
    assert sorted(earlier.parent.glob("*-before-*")) == [kept, copy]
    assert not list(earlier.parent.glob(".*"))
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert dump(copy) == before
    assert f"copied as {copy}" in caplog.text
    assert f"migrated from {EARLIER} to {schema.HEAD}" in caplog.text


def test_without_a_copy_nothing_is_migrated(
    earlier: Path, migrated: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = dump(earlier)
    blocked = earlier.with_name(f"{earlier.name}-before-{schema.HEAD}")
    blocked.mkdir()
    assert main(["serve", "--port", "0", "--db", f"sqlite:///{earlier}"]) == 2
    said = capsys.readouterr().err
    assert "has to be copied before it is migrated" in said
    assert f"{blocked} cannot be used" in said
    assert migrated == []
    assert dump(earlier) == before
    assert not list(earlier.parent.glob(".*"))


@pytest.mark.parametrize(
    ("revision", "serve", "said"),
    [
        (EARLIER, [], "companion serve migrates it"),
        (TOO_OLD, ["serve --port 0"], "Open it once with version 1.0.0, then with this one."),
    ],
)
def test_only_a_server_migrates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], revision: str, serve: list[str], said: str
) -> None:
    path = unpacked(revision, tmp_path)
    before = path.read_bytes()
    database = ["--db", f"sqlite:///{path}"]
    for command in ("tidy", "tidy --dry-run", "status", *serve):
        assert main([*command.split(), *database]) == 2
        assert said in capsys.readouterr().err
    assert main(["backup", str(tmp_path / "x.backup"), *database]) == 0
    assert path.read_bytes() == before


@pytest.mark.postgres
def test_postgresql_is_migrated_on_request(
    tmp_path: Path,
    postgres_database: str,
    migrated: list[str],
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    copy_to_postgres(unpacked(EARLIER, tmp_path), postgres_database)
    words = ["serve", "--port", "0", "--db", postgres_database]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "pg_dump" in said
    assert "--migrate" in said
    assert migrated == []
    assert main([*words, "--migrate"]) == 0
    assert migrated == [schema.HEAD]
    assert f"migrated from {EARLIER} to {schema.HEAD}" in caplog.text


@pytest.mark.postgres
def test_postgresql_is_not_migrated_under_a_server(postgres_database: str) -> None:
    with closing(open_tables(postgres_database, serving=True)) as old:
        assert old.postgres is not None
        assert old.postgres.listening.wait(PATIENCE)
        with inside(postgres_database) as connection:
            connection.execute(
                sa.text("UPDATE alembic_version SET version_num = :x"), {"x": EARLIER}
            )
        with pytest.raises(Unusable, match="Stop it first"):
            open_tables(postgres_database, serving=True, older="migrate")
        assert revision(old) == EARLIER
        assert not old.database.is_current()


# No command opens, changes or makes a SQLite file that is not meant to be the companion's

COMMANDS: Final = (
    "serve --host 127.0.0.1 --port 0",
    "backup {elsewhere}/new.backup",
    "restore {elsewhere}/games.backup",
    "restore {elsewhere}/games.backup --replace",
    "tidy",
    "tidy --dry-run",
    "status",
)


@pytest.fixture(scope="module")
def elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a backup."""
    folder = tmp_path_factory.mktemp("elsewhere")
    url = f"sqlite:///{folder / 'companion.sqlite3'}"
    Tables(url).close()
    assert main(["backup", str(folder / "games.backup"), "--db", url]) == 0
    return folder


@pytest.fixture(autouse=True)
def _serves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes a server that would start a failure, instead of a wait."""
    monkeypatch.setattr(serve, "_serve", lambda *_: pytest.fail("it serves"))


def contents(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Each file of a folder: its bytes, its mode and the time of its last change.

    Readers note themselves in `-shm`.
    """
    files = [path for path in folder.iterdir() if not path.name.endswith("-shm")]
    stats = [path.stat() for path in files]
    return {
        path.name: (path.read_bytes(), stat.S_IMODE(found.st_mode), found.st_mtime_ns)
        for path, found in zip(files, stats, strict=True)
    }


Refuse: TypeAlias = Callable[..., str]


@pytest.fixture
def refuse(capsys: pytest.CaptureFixture[str], elsewhere: Path) -> Refuse:
    """Gives the sentence with which a command refuses a database."""

    def refuse(command: str, *database: str) -> str:
        capsys.readouterr()
        assert main([*command.format(elsewhere=elsewhere).split(), *database]) == 2, command
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("\n") == 1
        assert said.err.endswith(".\n")
        return said.err

    return refuse


def sql(*statements: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    return make


STRANGERS: Final[dict[str, Callable[[Path], object]]] = {
    "a diary": lambda path: path.write_text("This is a diary and no database. " * 100),
    "a line feed": lambda path: path.write_text("\n"),
    "another one's with migrations": sql(
        "CREATE TABLE alembic_version (version_num)",
        "INSERT INTO alembic_version VALUES ('0001')",
        "CREATE TABLE users (name)",
    ),
    "another one's with a log": sql("PRAGMA journal_mode = WAL", "CREATE TABLE mails (text)"),
}


@pytest.mark.parametrize("stranger", STRANGERS)
def test_a_strange_file_stays_as_it_is(tmp_path: Path, refuse: Refuse, stranger: str) -> None:
    path = tmp_path / "file"
    STRANGERS[stranger](path)
    path.chmod(0o644)
    before = contents(tmp_path)
    for command in COMMANDS:
        said = refuse(command, "--db", f"sqlite:///{path}")
        assert ("another program's" if "another" in stranger else "is not a database") in said
        assert contents(tmp_path) == before, command


def test_damaged_pages_are_one_sentence_until_a_backup_replaces_them(
    tmp_path: Path, elsewhere: Path, refuse: Refuse
) -> None:
    path = tmp_path / "x.sqlite3"
    url = f"sqlite:///{path}"
    Tables(url).close()
    with path.open("r+b") as raw:
        raw.seek(4096)  # the first page of settings
        raw.write(random.Random(7).randbytes(20 * 4096))
    for command in COMMANDS:
        if "restore" not in command:
            assert "is not a database, or it is damaged" in refuse(command, "--db", url), command
    assert not (elsewhere / "new.backup").exists()
    assert main(["restore", str(elsewhere / "games.backup"), "--replace", "--db", url]) == 0
    assert main(["status", "--db", url]) == 0


def test_no_database_is_made_by_mistake(tmp_path: Path, elsewhere: Path, refuse: Refuse) -> None:
    """An empty file becomes none, either; but `restore` into a new one is how a backup is tried."""
    url = f"sqlite:///{tmp_path / 'new.sqlite3'}"
    for empty in ({}, {"new.sqlite3": b""}):
        for name, nothing in empty.items():
            (tmp_path / name).write_bytes(nothing)
        for command in ("backup {elsewhere}/new.backup", "tidy", "tidy --dry-run", "status"):
            assert "There is no database" in refuse(command, "--db", url)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == empty
    assert main(["restore", str(elsewhere / "games.backup"), "--db", url]) == 0
    assert main(["status", "--db", url]) == 0


@pytest.mark.parametrize("address", ["", " "])
def test_an_empty_address_is_not_the_default_database(
    tmp_path: Path, refuse: Refuse, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    """`restore --replace --db "$UNSET"` would have deleted it."""
    monkeypatch.delenv("COMPANION_DB", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    Tables(database_url()).close()
    before = contents(tmp_path / "companion")
    for command in (*COMMANDS, "reader"):
        assert "--db is empty" in refuse(command, "--db", address)
    assert contents(tmp_path / "companion") == before


def test_a_database_that_is_still_only_in_its_log(tmp_path: Path) -> None:
    """A server that has just started, and one that was killed just then."""
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    with closing(Tables(url, serving=True)):
        assert main(["tidy", "--dry-run", "--db", url]) == 0
        (tmp_path / "copy").mkdir()
        for path in tmp_path.glob("x.sqlite3*"):
            shutil.copy(path, tmp_path / "copy")
    assert main(["tidy", "--db", f"sqlite:///{tmp_path / 'copy' / 'x.sqlite3'}"]) == 0


def test_places_where_no_database_can_be(tmp_path: Path, refuse: Refuse) -> None:
    there = f"sqlite:///{tmp_path / 'there.sqlite3'}"
    Tables(there).close()
    before = contents(tmp_path)
    for command in (
        f"backup {tmp_path}",
        f"backup {tmp_path}/there.sqlite3",
        f"backup {tmp_path}/no/x",
        f"restore {tmp_path}",
    ):
        refuse(command, "--db", there)
    for command in (f"backup {tmp_path}/x", f"restore {tmp_path}/there.sqlite3"):
        said = refuse(command, "--db", f"sqlite:///{tmp_path}/no/x.sqlite3")
        assert f"There is no folder {tmp_path / 'no'}." in said
    refuse(f"restore {tmp_path}/none", "--db", "nonsense")
    assert contents(tmp_path) == before
    for link, leads_to, words in (
        ("astray", tmp_path / "no" / "x.sqlite3", f"There is no folder {tmp_path / 'no'}."),
        ("loop", tmp_path / "loop", "is a link that leads to itself"),
    ):
        (tmp_path / link).symlink_to(leads_to)
        for command in ("serve --port 0", f"restore {tmp_path}/there.sqlite3", "tidy"):
            assert words in refuse(command, "--db", f"sqlite:///{tmp_path / link}"), command


def test_no_backup_takes_the_place_of_something_else(
    path: Path, file_url: str, elsewhere: Path, refuse: Refuse
) -> None:
    """Of the files that belong to the database, or of a device."""
    (pipe := path.with_name("pipe")).touch()
    with closing(Tables(file_url, serving=True)):
        (link := path.with_name("link")).hardlink_to(path)
        for own in (f"{path}-wal", f"{path}-shm", f"{path}.lock", str(link)):
            assert "belongs to the database" in refuse(f"backup {own}", "--db", file_url)
        link.unlink()
        pipe.unlink()
        os.mkfifo(pipe)
        assert "is a folder, a device" in refuse(f"backup {pipe}", "--db", file_url)
    for command in COMMANDS:
        refuse(command, "--db", f"sqlite:///{pipe}")
    (link := path.with_name("link")).symlink_to(elsewhere / "new")
    assert main(["backup", str(link), "--db", file_url]) == 0
    assert link.is_symlink()
    (elsewhere / "new").unlink()
    assert pipe.is_fifo()


def test_a_note_that_cannot_be_read_is_ignored(path: Path, file_url: str) -> None:
    Tables(file_url, serving=True).close()
    path.with_name(f"{path.name}.lock").write_bytes(b"\xff x y")
    Tables(file_url, serving=True).close()


@pytest.mark.parametrize("suffix", ["", "-wal", ".lock"])
def test_the_owner_of_a_file_that_cannot_be_opened_is_named(
    path: Path, file_url: str, suffix: str, monkeypatch: pytest.MonkeyPatch, refuse: Refuse
) -> None:
    Tables(file_url, serving=True).close()
    other = path.with_name(f"{path.name}{suffix}")
    other.touch(mode=0o600)
    owner = other.owner()
    monkeypatch.setattr(os, "geteuid", lambda: 4711)
    monkeypatch.setattr(os, "access", lambda path, _mode: str(path) != str(other))
    monkeypatch.setattr(opening, "Tables", Mock(side_effect=PermissionError(13, "denied")))
    assert refuse("tidy", "--db", file_url) == (
        f"The database {path} cannot be opened: {other} belongs to {owner} (permissions 0600), and"
        f" this runs as user 4711. Run this as {owner}, or give it to user 4711 (chown).\n"
    )
