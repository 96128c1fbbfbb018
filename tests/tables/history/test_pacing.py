"""A person in very many games is renamed or deleted in small transactions, and in good time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from companion.tables import Tables
from companion.tables.database.schema import finished_matches as rows
from companion.tables.database.schema import match_changes
from companion.tables.history import Details, pacing, visible
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
    timed.history.mend_details(host, made[6], Details(match.ended_at, "", "", entries))
    return made


@pytest.fixture
def written(timed: Tables, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The number of games that each transaction has changed or deleted."""
    monkeypatch.setattr(pacing, "AT_ONCE", 2)
    counts: list[int] = []
    write = timed.database.write

    @contextmanager
    def counting(*arguments: Any, **more: Any) -> Iterator[Connection]:
        with write(*arguments, **more) as connection:
            before = content(connection)
            yield connection
            after = content(connection)
            counts.append(sum(after.get(key) != row for key, row in before.items()))

    monkeypatch.setattr(timed.database, "write", counting)
    yield counts


def content(connection: Connection) -> dict[str, Any]:
    changes = sa.select(match_changes.c.play_id, sa.func.count()).group_by(match_changes.c.play_id)
    logs = {row[0]: row[1] for row in connection.execute(changes)}
    query = sa.select(rows.c.id, rows.c.players)
    return {row[0]: (row[1], logs.get(row[0])) for row in connection.execute(query)}


WORK: list[Callable[[Tables, str], bool]] = [
    lambda tables, who: tables.history.rename_person(who, ADA, "Eve"),
    lambda tables, who: tables.history.rename_person(who, ADA, "Dora"),
    lambda tables, who: tables.history.delete_person(who, ADA),
]


SIZES = ([2, 2, 2], [2, 2, 1], [2, 2, 2, 1])


@pytest.mark.parametrize(("work", "sizes"), list(zip(WORK, SIZES, strict=True)))
@pytest.mark.usefixtures("many")
def test_a_transaction_changes_few_games(
    timed: Tables, host: str, written: list[int], work: Callable[..., bool], sizes: list[int]
) -> None:
    """Nobody else could write while 20,000 were changed: others got 503."""
    assert work(timed, host)
    assert written == sizes


@pytest.mark.parametrize("work", WORK)
@pytest.mark.usefixtures("many")
def test_a_request_ends_in_time_and_another_goes_on(
    timed: Tables,
    host: str,
    written: list[int],
    work: Callable[..., bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pacing, "SECONDS", 1e-9)
    requests = 1
    while not work(timed, host):
        requests += 1
    assert requests == len(written) > 2
    assert max(written) == 2


def test_a_deletion_that_was_cut_off_is_ended_by_the_next(
    timed: Tables, host: str, many: list[str], monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    """Wherever it is cut off, the person is found again, and nothing of them stays."""
    game = lobby(timed, host, ("Tim", "Ada", "Linus"))
    timed.change(game.id, host, start)
    game.finish()
    lobby(timed, host, ("Ada", "Sarah"))
    monkeypatch.setattr(pacing, "AT_ONCE", 1)
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
        cuts, left = cuts + 1, 3
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
    assert timed.history.rename_person(host, person_id("Tim"), "Tom")
    between = erase.events_between
    reads: list[str] = []

    def counted(connection: Connection, table_id: str, after: int, upto: int) -> Iterator[Event]:
        reads.append(table_id)
        return between(connection, table_id, after, upto)

    monkeypatch.setattr(erase, "events_between", counted)
    assert timed.history.delete_person(host, person_id("Tom"))
    assert reads == [game.id]
    assert "Tom" not in all_text(url)


def test_a_match_that_goes_on_again_keeps_no_name(timed: Tables, host: str, url: str) -> None:
    """No page shows its row, which has the names of its first end."""
    game = evening(timed, host)
    paper(timed, host, "Tim", "Ada")
    game.finish()
    step = game.look().undoable
    assert step is not None
    game.tap(undo=step.id)
    assert timed.history.delete_person(host, person_id("Tim"))
    assert "Tim" not in all_text(url)


def test_who_plays_is_found_without_reading_sheets(
    timed: Tables, host: str, many: list[str]
) -> None:
    """Without those who were deleted."""
    timed.history.delete_person(host, person_id("Cy"))
    with timed.database.read() as connection:
        found = visible.lineups(connection, host)
    matches = timed.history.all_matches(host)
    assert [match.id for match in matches] == [one.id for one in found] == many
    for match, one in zip(matches, found, strict=True):
        names = {player.name for player in match.players if not player.is_deleted}
        assert (one.table_id, one.may_change, set(one.names)) == (None, True, names)
