"""The fold of a table's events, and the states that are kept."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from companion.games.qwinto_dice import GAME
from companion.tables.ledger import events as kinds
from companion.tables.ledger.events import Event
from companion.tables.ledger.match import Match
from companion.tables.ledger.state import State
from companion.tables.ledger.store import StateCache

AT = datetime(2026, 11, 29, tzinfo=UTC)


@pytest.mark.parametrize(
    ("number", "starts", "ends"), [(2, True, True), (2, False, False), (1, False, True)]
)
def test_a_deleted_match_ends_the_one_before_where_it_began(
    number: int, *, starts: bool, ends: bool
) -> None:
    match = Match(1, GAME, {}, AT, GAME.start(("Tim", "Sarah"), {}))
    state = State(version=4, game=GAME.name, number=1, match=match)
    body = {"number": number, "start": starts, "seats": []}
    after = state.after([Event(5, "", "m", "", kinds.ERASED, body, AT)])
    assert (after.match is None, after.number) == (ends, number)


def test_an_older_state_does_not_replace_a_newer_one() -> None:
    cache = StateCache()
    newer = State(version=5)
    cache.put("a-table", newer)
    cache.put("a-table", State(version=4))
    assert cache.get("a-table") is newer
