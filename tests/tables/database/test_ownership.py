"""Access to the database: its owner, one server, no restore beside it, no older program."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
import sqlalchemy as sa

from companion import __version__, cli
from companion.core.refusal import Unusable
from companion.tables import Tables, opening
from companion.tables.database import schema
from companion.tables.database.engine import NEEDED, WORKS_WITH, Database
from companion.tables.opening import open_tables
from tests.kit.patience import PATIENCE
from tests.tables.friends import device


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


@pytest.fixture
def file_url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'own.sqlite3'}"


def test_a_second_server_is_refused(file_url: str) -> None:
    first = open_tables(file_url, serving=True)
    try:
        with pytest.raises(Unusable, match="Another companion is running"):
            open_tables(file_url, serving=True)
        Tables(file_url).close()  # commands that only read may still look
    finally:
        first.close()
    open_tables(file_url, serving=True).close()


def test_a_killed_server_leaves_no_lock(file_url: str) -> None:
    script = (
        "import sys, os; from companion.tables.opening import open_tables;"
        "open_tables(sys.argv[1], serving=True); os._exit(9)"
    )
    done = subprocess.run([sys.executable, "-c", script, file_url], check=False, timeout=PATIENCE)
    assert done.returncode == 9
    open_tables(file_url, serving=True).close()


def test_nothing_is_restored_under_a_server(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved = tmp_path / "saved.backup"
    server = open_tables(url, serving=True)
    try:
        table = server.create(host := device(), "qwinto-dice")
        assert cli.main(["backup", str(saved), "--db", url]) == 0
        if (relay := server.postgres) is not None:
            assert relay.listening.wait(PATIENCE)
        assert cli.main(["restore", str(saved), "--db", url, "--replace"]) == 2
        assert "Stop it first" in capsys.readouterr().err
        assert server.look(table, host).phase == "lobby"
    finally:
        server.close()
    assert cli.main(["restore", str(saved), "--db", url, "--replace"]) == 0


def test_only_the_owner_may_read_the_database(file_url: str) -> None:
    tables = open_tables(file_url, serving=True)
    try:
        tables.create(device(), "qwinto-dice")
        folder = path_of(file_url).parent
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
        assert set(modes.values()) == {0o600}, modes
        assert {"own.sqlite3", "own.sqlite3-wal", "own.sqlite3.lock"} <= set(modes)
    finally:
        tables.close()


def test_an_older_database_is_made_private(file_url: str) -> None:
    Tables(file_url).close()
    path_of(file_url).chmod(0o644)
    Tables(file_url).close()
    assert stat.S_IMODE(path_of(file_url).stat().st_mode) == 0o600


def test_the_one_file_is_whole_after_the_end(file_url: str, tmp_path: Path) -> None:
    """Even where a thread still holds a connection, and SQLite would leave all in its log."""
    tables = open_tables(file_url, serving=True)
    table = tables.create(device(), "qwinto-dice")
    reading = sqlite3.connect(path_of(file_url))
    tables.close()
    copy = tmp_path / "copy.sqlite3"
    shutil.copy(path_of(file_url), copy)
    reading.close()
    connection = sqlite3.connect(copy)
    assert connection.execute("SELECT id FROM tables").fetchall() == [(table,)]
    connection.close()


def test_the_end_does_not_wait_long_for_a_reader(file_url: str) -> None:
    tables = open_tables(file_url)
    tables.create(device(), "qwinto-dice")
    reading = sqlite3.connect(path_of(file_url), isolation_level=None)
    reading.execute("BEGIN")
    reading.execute("SELECT count(*) FROM events").fetchall()
    tables.create(device(), "qwinto-dice")
    closing = threading.Thread(target=tables.close)
    closing.start()
    closing.join(PATIENCE)
    assert not closing.is_alive()
    reading.close()


@pytest.mark.parametrize("version", ["7.5", __version__, None])
def test_a_database_of_a_newer_version(url: str, version: str | None) -> None:
    """A build between releases has the number of the one before, which would not help."""
    database = Database(url)
    with database.write() as connection:
        kept = connection.execute(sa.select(schema.settings)).all()
        assert sorted(kept) == [(NEEDED, __version__), (WORKS_WITH, "0011")]
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9901'"))
        connection.execute(schema.settings.delete())
        noted = {NEEDED: version, WORKS_WITH: "9901"} if version else {}
        for name, value in noted.items():
            connection.execute(schema.settings.insert().values(name=name, value=value))
    database.close()
    with pytest.raises(Unusable) as refused:
        open_tables(url)
    message = str(refused.value)
    needed = "needs version 7.5 of the companion" if version == "7.5" else "a newer version"
    assert needed in message
    assert ("Install score_sheet_companion-7.5-py3" in message) is (version == "7.5")
    assert "9901" in message
    assert "Nothing was changed" in message


def test_a_full_disk_at_the_start(file_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own words for it differ: no room for the log, for its shared memory, for a page."""

    def full(*_arguments: object, **_more: object) -> None:
        raise sa.exc.OperationalError("PRAGMA", {}, sqlite3.OperationalError("disk I/O error"))

    monkeypatch.setattr(opening, "Tables", full)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=4096))
    with pytest.raises(Unusable, match="the disk is full"):
        open_tables(file_url)


def test_a_link_to_the_database_is_the_same_database(tmp_path: Path) -> None:
    server = open_tables(f"sqlite:///{tmp_path / 'own.sqlite3'}", serving=True)
    (tmp_path / "link.sqlite3").symlink_to(tmp_path / "own.sqlite3")
    try:
        with pytest.raises(Unusable, match="Another companion is running"):
            open_tables(f"sqlite:///{tmp_path / 'link.sqlite3'}", serving=True)
    finally:
        server.close()
