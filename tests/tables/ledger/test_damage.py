"""A damaged log: its table says so, and nothing else is concerned."""

from __future__ import annotations

import logging

import pytest
import sqlalchemy as sa

from companion.tables import Tables
from companion.tables.database import schema
from companion.tables.play.lobby import start
from tests.tables.friends import device, evening, refused

DAMAGE = [
    {"body": "{"},
    {"body": "[]"},
    {"body": "{}"},
    {"kind": "no-such-kind"},
    {"seq": 500},
    {"at": 10**17},
]


@pytest.mark.parametrize("change", DAMAGE, ids=str)
def test_a_damaged_table_is_refused(
    url: str, change: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    host = device()
    tables = Tables(url)
    sound, broken = (evening(tables, host) for _ in range(2))
    with tables.database.write() as connection:
        here = (schema.events.c.table_id == broken.id) & (schema.events.c.seq == 2)
        connection.execute(sa.update(schema.events).where(here).values(**change))
    tables.close()
    tables = Tables(url)
    try:
        with caplog.at_level(logging.CRITICAL):
            assert refused(lambda: tables.read(broken.id, host)) == "damaged-table"
            assert refused(lambda: tables.change(broken.id, host, start)) == "damaged-table"
        assert tables.read(sound.id, host).phase == "playing"
        assert len(tables.at_tables(host)) == 2
        tables.history.matches(host)
    finally:
        tables.close()
