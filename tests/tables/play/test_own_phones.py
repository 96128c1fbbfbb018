"""The phones of one device: who is forgotten, in which processes, and the days in the list."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from companion.tables import Tables
from companion.tables.play.own_phones import phone_key
from tests.kit.patience import PATIENCE, until
from tests.tables.friends import Clock, device

DAY = 24 * 60 * 60


def add(tables: Tables, host: str) -> str:
    """The key of a phone that is added to the host's."""
    return phone_key(*tables.own_phones.use_link(tables.own_phones.make_link(host, "", ""), ""))


@pytest.mark.postgres
def test_a_phone_is_forgotten_in_all_processes(postgres_database: str) -> None:
    here, there = Tables(postgres_database), Tables(postgres_database)
    assert there.postgres is not None
    assert there.postgres.listening.wait(PATIENCE)
    key = add(here, host := device())
    assert not there.own_phones.is_forgotten(key)
    here.own_phones.forget(host, key)
    assert here.own_phones.is_forgotten(key)
    assert until(lambda: there.own_phones.is_forgotten(key))
    again = add(there, host)
    with here.database.write() as connection:  # the notice of it gets lost
        connection.execute(sa.text("UPDATE own_phones SET forgotten_at = 1"))
    there.postgres._catch_up()
    assert there.own_phones.is_forgotten(again)
    for process in (here, there):
        process.close()


def test_who_is_forgotten_is_asked_once(tables: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    key = add(tables, host := device())
    assert not tables.own_phones.is_forgotten(key)
    with monkeypatch.context() as patch:
        patch.setattr(tables.database, "read", None)
        assert not tables.own_phones.is_forgotten(key)
    tables.own_phones.forget(host, key)
    assert tables.own_phones.is_forgotten(key)


def test_an_unknown_answer_forgets_nobody_by_mistake(
    tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the database does not answer nobody gets in; then it is asked again."""
    key = add(tables, host := device())

    def silent() -> None:
        raise OperationalError("SELECT", {}, Exception("it does not answer"))

    with monkeypatch.context() as patch:
        patch.setattr(tables.database, "read", silent)
        tables.own_phones.forget(host, key)
        with pytest.raises(OperationalError):
            tables.own_phones.is_forgotten(key)
    assert tables.own_phones.is_forgotten(key)


def test_the_day_of_the_last_visit(timed: Tables, clock: Clock, host: str) -> None:
    device_token, name = timed.own_phones.use_link(timed.own_phones.make_link(host, "", ""), "")
    clock.turn(seconds=3 * DAY)
    timed.seen(device_token, name)
    timed._seen.note(timed)
    seen = {phone.key: phone.seen_at for phone in timed.own_phones.of_device(host)}
    assert (seen[phone_key(host, name)] - seen[phone_key(host, "")]).days == 3
