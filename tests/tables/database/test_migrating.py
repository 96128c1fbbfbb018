"""A migration keeps a way back, is asked for where there is none, and may leave older servers."""

from __future__ import annotations

import gzip
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
import sqlalchemy as sa

from companion.cli import main
from companion.core.refusal import Unusable
from companion.tables import Tables
from companion.tables.database import schema
from companion.tables.database.engine import Database, upgrade
from companion.tables.opening import open_tables
from companion.tables.play.access import join_link
from companion.web.run import serve
from tests.kit.patience import PATIENCE
from tests.kit.servers import newer
from tests.kit.servers.process import new_table, serving
from tests.tables.database.test_old_databases import OLD
from tests.tables.friends import device, evening, inside

EARLIER = "0009"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A SQLite database of an earlier version, with games in it."""
    path = tmp_path / "companion.sqlite3"
    path.write_bytes(gzip.decompress((OLD / f"{EARLIER}.sqlite3.gz").read_bytes()))
    return path


@pytest.fixture
def migrated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The databases that `companion serve` has opened; it ends then."""
    opened: list[str] = []
    monkeypatch.setattr(
        serve, "_serve_alone", lambda _serving, tables, *_: opened.append(revision(tables))
    )
    monkeypatch.setattr(serve, "end_soon", lambda: None)
    return opened


def revision(tables: Tables) -> str:
    with tables.database.read() as connection:
        return str(connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar())


def dump(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


def test_the_file_is_copied_before(
    old: Path, migrated: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = dump(old)
    for number in ("0003", "0008"):
        old.with_name(f"{old.name}-before-{number}").touch()
    assert main(["serve", "--port", "0", "--db", f"sqlite:///{old}"]) == 0
    assert migrated == [schema.HEAD]
    copy = old.with_name(f"{old.name}-before-{schema.HEAD}")
    assert sorted(old.parent.glob("*-before-*")) == [
        old.with_name(f"{old.name}-before-0008"),
        copy,
    ]
    assert not list(old.parent.glob(".*"))
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert dump(copy) == before
    said = capsys.readouterr().err
    assert f"copied as {copy}" in said
    assert f"migrated from {EARLIER} to {schema.HEAD}" in said


def test_without_a_copy_nothing_is_migrated(
    old: Path, migrated: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = dump(old)
    blocked = old.with_name(f"{old.name}-before-{schema.HEAD}")
    blocked.mkdir()
    assert main(["serve", "--port", "0", "--db", f"sqlite:///{old}"]) == 2
    assert f"cannot be copied as {blocked}" in capsys.readouterr().err
    assert migrated == []
    assert dump(old) == before
    assert not list(old.parent.glob(".*"))


def test_a_new_or_current_database_is_not_copied(tmp_path: Path) -> None:
    for _ in range(2):
        Tables(f"sqlite:///{tmp_path / 'new.sqlite3'}").close()
    assert not list(tmp_path.glob("*before*"))


@pytest.mark.postgres
def test_postgresql_is_migrated_when_it_is_said(
    postgres_database: str, migrated: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with inside(postgres_database) as connection:
        upgrade(connection, EARLIER)
    words = ["serve", "--port", "0", "--db", postgres_database]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert "companion backup FILE" in said
    assert "--migrate" in said
    assert migrated == []
    assert main([*words, "--migrate"]) == 0
    assert migrated == [schema.HEAD]
    assert f"migrated from {EARLIER} to {schema.HEAD}" in capsys.readouterr().err


@pytest.mark.postgres
def test_old_servers_go_on_beside_a_newer_one(postgres_database: str, tmp_path: Path) -> None:
    """The newer one has a migration that only adds something."""
    made = newer.migrations(tmp_path, works_with=schema.HEAD)
    url = postgres_database
    with closing(open_tables(url, serving=True)) as old:
        game = evening(old, host := device())
        assert old.postgres is not None
        assert old.postgres.listening.wait(PATIENCE)
        options = ("--host", "127.0.0.1", "--db", url, "--migrate")
        where = {newer.FOLDER: str(made)}
        with serving(*options, module=newer.__name__, **where) as new:
            assert revision(old) == newer.REVISION
            assert old.database.is_current()
            assert new.ask("GET", "/health/ready").status == 200
            game.do({"do": "roll", "by": "Tim", "dice": {"orange": 4}})
            link = old.change(game.id, host, join_link)
            assert new.ask("GET", f"/j/{link.token}").status == 200
            new_table(new)
            with old.database.read() as connection:
                assert len(connection.execute(sa.select(schema.tables.c.id)).all()) == 2
    open_tables(url, serving=True).close()  # and start again


@pytest.mark.postgres
def test_a_newer_version_that_leaves_nobody_waits_for_all_to_stop(
    postgres_database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = newer.migrations(tmp_path, works_with=newer.REVISION)
    with closing(open_tables(postgres_database, serving=True)) as old:
        assert old.postgres is not None
        assert old.postgres.listening.wait(PATIENCE)
        with monkeypatch.context() as patched:
            newer.become_newer(made, patched.setattr)
            with pytest.raises(Unusable, match="Stop it first"):
                open_tables(postgres_database, serving=True, older="migrate")
        assert revision(old) == schema.HEAD
    with monkeypatch.context() as patched:
        newer.become_newer(made, patched.setattr)
        open_tables(postgres_database, serving=True, older="migrate").close()
    with pytest.raises(Unusable, match=r"score_sheet_companion-9\.1\.0-py3-none-any\.whl"):
        open_tables(postgres_database)


@pytest.mark.parametrize("works_with", [schema.HEAD, newer.REVISION])
def test_an_older_program_copies_no_part_of_a_newer_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, works_with: str
) -> None:
    """It would leave out the columns that it does not know."""
    url = f"sqlite:///{tmp_path / 'x.sqlite3'}"
    made = newer.migrations(tmp_path, works_with)
    with monkeypatch.context() as patched:
        newer.become_newer(made, patched.setattr)
        Database(url).close()
    with pytest.raises(Unusable, match=r"needs version 9\.1\.0"):
        Database(url, older="keep")
