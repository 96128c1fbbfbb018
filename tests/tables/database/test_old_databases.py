"""Databases that earlier versions wrote still open, migrate and say the same (`old/SOURCE.md`)."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from companion.cli import main
from companion.tables import Refused, Tables
from companion.tables.database.engine import upgrade
from companion.tables.database.schema import metadata
from companion.tables.play.access import revoke
from companion.tables.play.records import COLORS
from tests.kit.history import people
from tests.tables.friends import inside

OLD = Path(__file__).with_name("old")
HOST = "host-device-token"
REVISIONS = ("0011", "0012", "0013", "0014")
TOO_OLD = "0001"


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


def test_an_old_database_says_what_it_said(old: tuple[str, Tables]) -> None:
    revision, tables = old
    assert content(tables) == json.loads((OLD / f"{revision}.json").read_text("utf-8"))


@pytest.mark.postgres
@pytest.mark.parametrize("revision", REVISIONS)
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
            if rows and table.name != "alembic_version":
                target.execute(now.tables[table.name].insert(), list(map(dict, rows)))
    tables = Tables(postgres_database)
    try:
        assert content(tables) == json.loads((OLD / f"{revision}.json").read_text("utf-8"))
    finally:
        tables.close()


@pytest.mark.parametrize("command", [["serve", "--port", "0"], ["tidy"], ["status"]])
def test_an_older_one_is_refused_with_the_version_to_take_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    path = tmp_path / "x.sqlite3"
    path.write_bytes(gzip.decompress((OLD / f"{TOO_OLD}.sqlite3.gz").read_bytes()))
    before = path.read_bytes()
    assert main([*command, "--db", f"sqlite:///{path}"]) == 2
    assert "Open it once with version 1.0.0, then with this one." in capsys.readouterr().err
    assert path.read_bytes() == before


def test_what_was_changed_by_hand_is_marked(old: tuple[str, Tables]) -> None:
    """The row has what followed from the match's log, which is gone."""
    revision, tables = old
    edited = [match for match in tables.history.all_matches(HOST) if match.edited]
    contested = [match for match in edited if match.is_contested]
    assert (len(edited), len(contested)) == ((4, 1) if revision >= "0013" else (3, 0))
    with tables.database.read() as connection:
        names = set(sa.inspect(connection).get_table_names())
    assert names - {"alembic_version"} == metadata.tables.keys()


def test_a_link_to_a_seat_leads_nowhere_and_its_phone_can_be_sent_away(tmp_path: Path) -> None:
    tables = opened("0013", tmp_path)
    table_id = next(line.id for line in tables.at_tables(HOST) if "Ben" in line.names)
    assert tables.at_tables("guest-device-token")
    old, join = tables.links(table_id, HOST)
    assert tables.link_with_id(join.id).table_id == table_id
    with pytest.raises(Refused):
        tables.link_with_id(old.id)
    tables.change(table_id, HOST, revoke, old.id)
    assert not tables.at_tables("guest-device-token")
    tables.close()
