"""A migration keeps a way back, and is asked for where there is none."""

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
from companion.tables.database import engine, schema
from companion.tables.database.engine import upgrade
from companion.tables.opening import open_tables
from companion.web.run import serve
from tests.kit.patience import PATIENCE
from tests.tables.database.test_old_databases import OLD
from tests.tables.friends import inside

EARLIER = "0011"


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


def test_the_file_is_copied_before(
    old: Path, migrated: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    before = dump(old)
    for number in ("0010", "0011"):
        old.with_name(f"{old.name}-before-{number}").touch()
    assert main(["serve", "--port", "0", "--db", f"sqlite:///{old}"]) == 0
    assert migrated == [schema.HEAD]
    copy = old.with_name(f"{old.name}-before-{schema.HEAD}")
    assert sorted(old.parent.glob("*-before-*")) == [
        old.with_name(f"{old.name}-before-0011"),
        copy,
    ]
    assert not list(old.parent.glob(".*"))
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert dump(copy) == before
    assert f"copied as {copy}" in caplog.text
    assert f"migrated from {EARLIER} to {schema.HEAD}" in caplog.text


def test_without_a_copy_nothing_is_migrated(
    old: Path, migrated: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    before = dump(old)
    blocked = old.with_name(f"{old.name}-before-{schema.HEAD}")
    blocked.mkdir()
    assert main(["serve", "--port", "0", "--db", f"sqlite:///{old}"]) == 2
    said = capsys.readouterr().err
    assert "has to be copied before it is migrated" in said
    assert f"{blocked} cannot be written" in said
    assert migrated == []
    assert dump(old) == before
    assert not list(old.parent.glob(".*"))


@pytest.mark.parametrize("command", [["tidy"], ["tidy", "--dry-run"], ["status"]])
def test_only_a_server_migrates(
    old: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    before = old.read_bytes()
    assert main([*command, "--db", f"sqlite:///{old}"]) == 2
    assert "companion serve migrates it" in capsys.readouterr().err
    assert main(["backup", str(old.with_name("x.backup")), "--db", f"sqlite:///{old}"]) == 0
    assert old.read_bytes() == before


def test_a_new_or_current_database_is_not_copied(tmp_path: Path) -> None:
    for _ in range(2):
        Tables(f"sqlite:///{tmp_path / 'new.sqlite3'}").close()
    assert not list(tmp_path.glob("*before*"))


@pytest.mark.postgres
def test_postgresql_is_migrated_when_it_is_said(
    postgres_database: str,
    migrated: list[str],
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    with inside(postgres_database) as connection:
        upgrade(connection, EARLIER)
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


def test_no_earlier_program_goes_on_beside(old: Path) -> None:
    """Programs before 2.0 looked whether a newer one had left them a note."""
    with closing(Tables(f"sqlite:///{old}")) as tables, tables.database.read() as connection:
        names = set(connection.execute(sa.select(schema.settings.c.name)).scalars())
    assert "secret-key" in names
    assert not names & set(engine.OF_EARLIER)
