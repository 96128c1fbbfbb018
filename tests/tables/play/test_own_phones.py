"""Signing out the other phones of a device: what goes with the one that stays, and who is told."""

from __future__ import annotations

import threading

import pytest

from companion.tables import Tables
from companion.tables.database.columns import device_hash
from companion.tables.play.lobby import take_seat
from companion.tables.play.own_phones import new_device, sign_out_others
from tests.kit.history import paper
from tests.kit.patience import PATIENCE
from tests.tables.friends import evening, refused


def test_all_goes_to_the_device_that_stays(tables: Tables, host: str) -> None:
    game = evening(tables, host)
    game.change(take_seat, game.seat("Tim"))
    game.finish()
    paper(tables, host, "Ada")
    review = tables.reviews.make(host, {})
    games = {match.id for match in tables.history.all_matches(host)}
    sign_out_others(tables, host, stays := new_device())
    mine = game.on(stays)
    assert mine.read().me.role == "host"
    assert mine.read().is_founder
    assert [seat.name for seat in mine.read().seats if seat.mine] == ["Tim"]
    assert {match.id for match in tables.history.all_matches(stays)} == games
    assert tables.reviews.read(review, stays)
    assert refused(game.read) == "not-a-member"
    assert refused(lambda: tables.reviews.read(review, host)) == "no-such-review"
    assert tables.at_tables(host) == tables.history.all_matches(host) == ()
    sign_out_others(tables, host, stays)
    assert mine.read().is_founder, "a repeated request changes nothing"


@pytest.mark.postgres
def test_all_processes_hear_who_is_signed_out(postgres_database: str) -> None:
    here, there = Tables(postgres_database), Tables(postgres_database)
    assert there.postgres is not None
    assert there.postgres.listening.wait(PATIENCE)
    host, heard = new_device(), threading.Event()
    there.bus.subscribe(device_hash(host), lambda _: heard.set())
    sign_out_others(here, host, new_device())
    assert heard.wait(PATIENCE)
    for process in (here, there):
        process.close()
