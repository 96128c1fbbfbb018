"""Access to the database: its owner, one server, no older program."""

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

from companion.core.refusal import Unusable
from companion.tables import Tables, opening
from companion.tables.database.engine import Database
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


def test_a_database_of_a_newer_version(url: str) -> None:
    database = Database(url)
    with database.write() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = '9901'"))
    database.close()
    with pytest.raises(Unusable, match=r"a newer version .* 9901,.* Nothing was changed\."):
        open_tables(url)


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
