"""Nobody fills the database: tables, games from files, and what is thrown away in time."""

from __future__ import annotations

import json

import pytest
import sqlalchemy as sa

from companion.limits import USUAL
from companion.tables import Tables, quotas
from companion.tables.database import schema
from companion.tables.play.access import join_link
from companion.tables.play.lobby import start
from tests.kit.history import take_in
from tests.kit.limits import set_limits
from tests.tables.friends import Clock, device, evening, refused


def test_a_device_makes_so_many_tables(
    timed: Tables, clock: Clock, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limits(monkeypatch, timed, tables_per_device=4)
    made = [timed.create(host, "qwinto-dice", players=[("A", "red"), ("B", "blue")])]
    timed.change(made[0], host, start)
    made += [timed.create(host, "qwinto-dice") for _ in range(3)]
    assert refused(lambda: timed.create(host, "qwinto-dice")) == "too-many-tables"
    timed.create(device(), "qwinto-dice")
    clock.turn(seconds=24 * 60 * 60 + 1)
    timed.create(host, "qwinto-dice")
    clock.turn(seconds=USUAL.unused_table_days * 24 * 60 * 60)
    timed.create(host, "qwinto-dice")
    kept = {line.id for line in timed.at_tables(host)}
    assert made[0] in kept and not set(made[1:]) & kept


def test_unused_tables_go_and_leave_nothing(timed: Tables, clock: Clock, host: str) -> None:
    played = evening(timed, host)
    unused = timed.create(host, "qwinto-dice", players=[("A", "red")])
    link = timed.change(unused, host, join_link)
    timed.enter(link.id, device(), new_name="B")
    clock.turn(seconds=(USUAL.unused_table_days + 1) * 24 * 60 * 60)
    timed.create(host, "qwinto-dice")
    assert refused(lambda: timed.read(unused, host)) == "no-such-table"
    assert played.read().phase == "playing"
    with timed.database.read() as connection:
        for table in (schema.events, schema.members, schema.links):
            left = sa.select(sa.func.count()).where(table.c.table_id == unused)
            assert connection.execute(left).scalar() == 0, table.name


def test_a_device_keeps_so_many_games(
    timed: Tables, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quotas, "MOST_MATCHES", 2)
    players = [{"name": "Ada", "total": 7, "won": True, "sheet": None}]
    games = [
        {"game": "qwinto-dice", "source": "typed", "ended": f"2023-01-0{day}T00:00:00Z"}
        | {"players": players}
        for day in (1, 2, 3)
    ]

    def file(count: int) -> bytes:
        return json.dumps({"format": "companion-history/1", "games": games[:count]}).encode()

    assert take_in(timed, host, file(2)) == 2
    assert refused(lambda: take_in(timed, host, file(3))) == "too-many-games"
    assert take_in(timed, host, file(2)) == 0
