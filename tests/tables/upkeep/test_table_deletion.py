"""Deleting a table: what goes, what stays, and who may."""

from __future__ import annotations

from functools import partial

import sqlalchemy as sa

from companion.tables import Tables
from companion.tables.database.schema import metadata
from companion.tables.play.lobby import again
from companion.tables.upkeep.table_deletion import delete_table
from tests.tables.friends import device, evening, inside, refused

GONE = ("events", "games", "links", "members", "tables")


def rows_of(url: str, table_id: str) -> dict[str, int]:
    with inside(url) as connection:
        return {
            name: connection.execute(
                sa.select(sa.func.count()).where(
                    (table.c.id if name == "tables" else table.c.table_id) == table_id
                )
            ).scalar_one()
            for name, table in metadata.tables.items()
            if name in (*GONE, "plays")
        }


def test_a_deleted_table_leaves_only_its_finished_matches(
    timed: Tables, host: str, url: str
) -> None:
    game = evening(timed, host)
    guest = game.joined(seat="Sarah")
    screen = game.watching()
    game.finish()
    [before] = timed.history.all_matches(host)
    timed.change(game.id, host, again)
    game.do({"do": "roll", "by": "Sarah", "dice": {"orange": 3}})
    woken: list[int] = []
    timed.bus.subscribe(game.id, woken.append)
    delete_table(timed, game.id, host)
    assert woken, "the streams must look, and end"
    assert not any(rows_of(url, game.id).values())
    for who in (host, guest.device, screen.device):
        assert refused(partial(timed.read, game.id, who)) == "no-such-table"
        assert timed.at_tables(who) == ()
    for who in (host, guest.device):
        [after] = timed.history.all_matches(who)
        assert after.may_change
        assert (after.players, after.record) == (before.players, before.record)
        assert (after.table_id, after.number) == (None, None)
    assert timed.history.all_matches(screen.device) == ()
    # Each has a copy of its own.
    timed.history.delete_match(host, before.id)
    assert len(timed.history.all_matches(guest.device)) == 1
    # Another process has nothing in its memory, and finds nothing either.
    other = Tables(url)
    try:
        assert refused(partial(other.read, game.id, host)) == "no-such-table"
    finally:
        other.close()


def test_only_its_founder_deletes_a_table(timed: Tables, host: str) -> None:
    game = evening(timed, host)
    version = game.read().version
    guest, screen = game.joined(), game.watching()
    version = game.read().version
    assert refused(partial(delete_table, timed, game.id, guest.device)) == "not-host"
    assert refused(partial(delete_table, timed, game.id, screen.device)) == "not-host"
    assert refused(partial(delete_table, timed, game.id, device())) == "not-a-member"
    assert game.read().version == version
    delete_table(timed, game.id, host)
    assert refused(partial(delete_table, timed, game.id, host)) == "no-such-table"
