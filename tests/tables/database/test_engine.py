"""The database itself: migrations, what survives a kill, and how it is opened."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from companion.tables import Tables
from companion.tables.database import engine as database_module
from companion.tables.database import schema
from companion.tables.database.engine import Database, alembic_config
from tests.tables.friends import Evening

MIGRATED = "alembic_version"


def test_the_migrations_make_what_the_code_expects(url: str) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext
    from alembic.script import ScriptDirectory

    database = Database(url)
    try:
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
    finally:
        database.close()


def _constraints(connection: sa.Connection) -> dict[str, object]:
    """Everything that `compare_metadata` may overlook: keys and constraints by name."""
    inspector = sa.inspect(connection)
    return {
        table: (
            inspector.get_pk_constraint(table),
            sorted(map(repr, inspector.get_foreign_keys(table))),
            sorted(map(repr, inspector.get_unique_constraints(table))),
            sorted(map(repr, inspector.get_indexes(table))),
            [(c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(table)],
        )
        for table in inspector.get_table_names()
        if table != MIGRATED
    }


def test_a_current_database_starts_without_alembic(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'there.sqlite3'}"
    Tables(url).close()
    script = (
        "import sys; from companion.tables import Tables; Tables(sys.argv[1]).close();"
        "print([name for name in ('alembic', 'flask', 'psycopg') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, url], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_how_sqlite_is_opened(tmp_path: Path) -> None:
    database = Database(f"sqlite:///{tmp_path / 'opened.sqlite3'}")
    try:
        with database.read() as connection:
            pragmas = {
                name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
                for name in ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
            }
        full = 2
        assert pragmas == {
            "journal_mode": "wal",
            "synchronous": full,
            "foreign_keys": 1,
            "busy_timeout": 3_000,
        }
    finally:
        database.close()


def test_reads_never_wait_for_writes_and_writes_give_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another program holds the lock: everybody still reads, and nobody waits for long."""
    monkeypatch.setattr(database_module, "BUSY_TIMEOUT_MS", 200)
    monkeypatch.setattr(database_module, "QUEUE_SECONDS", 0.5)
    path = tmp_path / "locked.sqlite3"
    tables = Tables(f"sqlite:///{path}")
    table = tables.create("host", "qwinto-dice")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    refused: list[float] = []

    def write() -> None:
        start = time.monotonic()
        with pytest.raises(sa.exc.OperationalError):
            tables.create("host", "qwinto-dice")
        refused.append(time.monotonic() - start)

    writers = [threading.Thread(target=write) for _ in range(8)]
    for writer in writers:
        writer.start()
    assert tables.read(table, "host").id == table
    for writer in writers:
        writer.join()
    assert len(refused) == 8
    assert max(refused) < 3
    other.close()
    tables.create("host", "qwinto-dice")
    tables.close()


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
tables = Tables(url)
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

ACKNOWLEDGED = 150


def test_a_kill_loses_no_acknowledged_tap(tmp_path: Path) -> None:
    path = tmp_path / "killed.sqlite3"
    url = f"sqlite:///{path}"
    process = subprocess.Popen(
        [sys.executable, "-c", TAP_ON, url], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        table = process.stdout.readline().strip()
        acknowledged = [process.stdout.readline().strip() for _ in range(ACKNOWLEDGED)]
        process.send_signal(signal.SIGKILL)  # somewhere in the middle of the next ones
        acknowledged += process.stdout.read().split()
    finally:
        process.kill()
        process.wait(30)
        process.stdout.close()
    assert process.returncode == -signal.SIGKILL
    if not acknowledged[-1].removeprefix("own-").isdigit() or len(acknowledged[-1]) < 12:
        acknowledged.pop()  # the kill cut its last line in two

    tables = Tables(url)
    try:
        game = Evening(tables, table, "a-device-that-never-stops")
        kept = [line.id for line in game.read().log if line.id]
        assert set(acknowledged) <= set(_all_taps(path, table))
        assert kept
        last = len(_all_taps(path, table)) - 2
        assert game.position.dice == (("yellow", (last + 1) % 6 + 1),)
        game.do({"do": "pass", "by": "Tim"})
    finally:
        tables.close()
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def _all_taps(path: Path, table: str) -> list[str]:
    connection = sqlite3.connect(path)
    query = "SELECT tap_id FROM events WHERE table_id = ? AND tap_id IS NOT NULL ORDER BY seq"
    rows = connection.execute(query, (table,)).fetchall()
    connection.close()
    return [tap for (tap,) in rows]
