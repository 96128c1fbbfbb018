"""Databases that earlier versions wrote still open, migrate and say the same (`old/SOURCE.md`)."""

from __future__ import annotations

import gzip
import json
import re
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from companion.tables import Tables
from companion.tables.database.engine import upgrade
from companion.tables.play.records import COLORS
from companion.tables.upkeep import backup
from companion.tables.upkeep.backup import VERSION_TABLE
from tests.kit.history import people
from tests.kit.wide import first_of
from tests.tables.friends import inside

OLD = Path(__file__).with_name("old")
HOST = "host-device-token"
REVISIONS = ("0001", "0002", "0003", "0004", "0005", "0006", "0008", "0009", "0010", "0011", "0012")


def opened(revision: str, folder: Path) -> Tables:
    path = folder / f"{revision}.sqlite3"
    path.write_bytes(gzip.decompress((OLD / f"{revision}.sqlite3.gz").read_bytes()))
    return Tables(f"sqlite:///{path}")


@pytest.fixture(params=REVISIONS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, Tables]]:
    """The revision that wrote a database, and that database opened today."""
    tables = opened(request.param, tmp_path)
    yield request.param, tables
    tables.close()


def content(tables: Tables) -> dict[str, Any]:
    """What a database holds, as exports and checksums of exports."""
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
    table = tables.look(table_id, HOST)
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


def test_an_old_database_says_what_it_said(old: tuple[str, Tables]) -> None:
    revision, tables = old
    assert content(tables) == json.loads((OLD / f"{revision}.json").read_text("utf-8"))


@pytest.mark.postgres
@pytest.mark.parametrize("revision", first_of(REVISIONS, REVISIONS[0], REVISIONS[-1]))
def test_an_old_database_on_postgresql_says_the_same(
    revision: str, tmp_path: Path, postgres_database: str
) -> None:
    """The same rows in the PostgreSQL schema of that version, which is then opened today."""
    path = tmp_path / "old.sqlite3"
    path.write_bytes(gzip.decompress((OLD / f"{revision}.sqlite3.gz").read_bytes()))
    old = sa.create_engine(f"sqlite:///{path}", poolclass=sa.NullPool)
    then, now = sa.MetaData(), sa.MetaData()
    with old.connect() as source, inside(postgres_database) as target:
        upgrade(target, revision)
        then.reflect(source)
        now.reflect(target)
        for table in then.sorted_tables:
            rows = source.execute(sa.select(table)).mappings().all()
            if rows and table.name != VERSION_TABLE:
                target.execute(now.tables[table.name].insert(), list(map(dict, rows)))
    tables = Tables(postgres_database)
    try:
        assert content(tables) == json.loads((OLD / f"{revision}.json").read_text("utf-8"))
    finally:
        tables.close()


def test_an_old_database_and_its_backup_make_the_same_bytes(tmp_path: Path) -> None:
    """Compared unpacked: another zlib may pack them otherwise."""
    made = []
    migrated, restored = opened("0004", tmp_path), Tables(f"sqlite:///{tmp_path / 'new.sqlite3'}")
    backup.restore(restored.database, OLD / "0004.backup")
    for number, tables in enumerate((migrated, restored)):
        path = tmp_path / f"{number}.backup"
        backup.backup(tables.database, path)
        tables.close()
        made.append(gzip.decompress(path.read_bytes()))
    assert made[0] == made[1]


def test_links_of_an_old_database_still_lead_to_their_tables(tmp_path: Path) -> None:
    """Their tokens stood there in clear, and now only as hashes."""
    path = tmp_path / "0003.sqlite3"
    path.write_bytes(gzip.decompress((OLD / "0003.sqlite3.gz").read_bytes()))
    with closing(sqlite3.connect(path)) as connection:
        query = "SELECT token, table_id FROM links WHERE revoked_at IS NULL"
        old = connection.execute(query).fetchall()
    assert old
    tables = Tables(f"sqlite:///{path}")
    for token, table_id in old:
        assert tables.look_link(token).table_id == table_id
        assert tables.enter(token, "a-new-device") == table_id
    tables.close()
    with closing(sqlite3.connect(path)) as connection:
        dump = "\n".join(connection.iterdump())
    assert not any(token in dump for token, _ in old)


@pytest.mark.parametrize(
    "revision", ["0003", "0004", "0005", "0006", "0008", "0009", "0010", "0011", "0012"]
)
def test_an_old_backup_is_restored(tmp_path: Path, revision: str) -> None:
    tables = Tables(f"sqlite:///{tmp_path / 'fresh.sqlite3'}")
    backup.restore(tables.database, OLD / f"{revision}.backup")
    assert content(tables) == json.loads((OLD / f"{revision}.json").read_text("utf-8"))
    tables.close()
