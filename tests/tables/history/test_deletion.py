"""A person in many games is renamed or deleted in all of them, whatever fails meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy.engine import Connection

from companion.tables import Tables
from companion.tables.history import Details
from companion.tables.history.people import person_id
from companion.tables.ledger import erase
from companion.tables.ledger.events import Event
from companion.tables.play.lobby import again, start
from tests.kit.history import paper
from tests.tables.friends import evening, lobby
from tests.tables.history.test_history import all_text

ENDED = datetime(2025, 3, 1, 20, 15, tzinfo=UTC)
ADA = person_id("Ada")


@pytest.fixture
def many(timed: Tables, host: str) -> list[str]:
    """Seven games: Ada plays in six, alone in one, and had the name of Zoë in the seventh."""
    others = [("Ben",), ("Cy",), (), ("Ben",), ("Dora",), ("Cy",), ("Ben",)]
    made = [
        paper(timed, host, "Ada", *names, ended=ENDED + timedelta(days=day))
        for day, names in enumerate(others)
    ]
    match = timed.history.match(host, made[6])
    entries = tuple((name, None) for name in ("Zoë", "Ben"))
    timed.history.edit_details(host, made[6], Details(match.ended_at, "", "", entries))
    return made


def test_a_deletion_that_was_cut_off_is_ended_by_the_next(
    timed: Tables, host: str, many: list[str], monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Wherever it is cut off, the person is found again, and nothing of them stays."""
    game = lobby(timed, host, ("Tim", "Ada", "Linus"))
    timed.change(game.id, host, start)
    game.finish()
    lobby(timed, host, ("Ada", "Sarah"))
    write = timed.database.write

    class CutOff(Exception):
        pass

    cuts = 0
    left = 1

    def failing(*arguments: Any, **more: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise CutOff
        return write(*arguments, **more)

    monkeypatch.setattr(timed.database, "write", failing)
    while True:
        cuts, left = cuts + 1, cuts
        try:
            timed.history.delete_person(host, ADA)
        except CutOff:
            continue
        break
    assert cuts > 2
    monkeypatch.undo()
    assert "Ada" not in all_text(url)
    assert [player.name for player in timed.history.match(host, many[6]).players] == ["Zoë", "Ben"]


def test_a_tables_log_is_read_once(
    timed: Tables, host: str, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """For each match of a renamed person it was read again: minutes in one transaction."""
    game = evening(timed, host)
    game.finish()
    for _ in range(2):
        timed.change(game.id, host, again)
        game.finish()
    timed.history.rename_person(host, person_id("Tim"), "Tom")
    between = erase.events_between
    reads: list[str] = []

    def counted(connection: Connection, table_id: str, after: int, upto: int) -> Iterator[Event]:
        reads.append(table_id)
        return between(connection, table_id, after, upto)

    monkeypatch.setattr(erase, "events_between", counted)
    timed.history.delete_person(host, person_id("Tom"))
    assert reads == [game.id]
    assert "Tom" not in all_text(url)


def test_a_match_that_goes_on_again_keeps_no_name(timed: Tables, host: str, url: str) -> None:
    """No page shows its row, which has the names of its first end."""
    game = evening(timed, host)
    paper(timed, host, "Tim", "Ada")
    game.finish()
    step = game.read().undoable
    assert step is not None
    game.tap(undo=step.id)
    timed.history.delete_person(host, person_id("Tim"))
    assert "Tim" not in all_text(url)
