"""A match folded from its events alone: what an undo takes along."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from companion.core.turns import CLOSE
from companion.games.qwinto_dice import GAME
from companion.tables.ledger import events as kinds
from companion.tables.ledger.events import Event
from companion.tables.ledger.match import Match
from lab.games import passes, roll

AT = datetime(2026, 11, 29, tzinfo=UTC)


@pytest.mark.parametrize(("pass_body", "left"), [({"alone": True}, 1), ({}, 2)])
def test_undoing_an_automatic_act_undoes_the_automatic_one_before_it(
    pass_body: dict[str, Any], left: int
) -> None:
    bodies = [
        {"action": roll("Tim", yellow=3)},
        {"action": passes("Tim"), **pass_body},
        {"action": dict(CLOSE), "alone": True},
    ]
    events = [
        Event(seq, f"tap-{seq}", "m", "Tim", kinds.ACTION, body, AT)
        for seq, body in enumerate(bodies, start=1)
    ]
    match = Match(1, GAME, {}, AT, GAME.start(("Tim", "Sarah"), {})).with_events(events)
    assert len(match.entries) == 3
    undone = match.toggled("tap-3")
    assert isinstance(undone, Match)
    assert len(undone.entries) == left
