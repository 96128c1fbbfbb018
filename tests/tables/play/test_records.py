"""Export and import: a round trip, and what is refused."""

from __future__ import annotations

import random
from typing import Any

import pytest

from companion.core.refusal import Unusable
from companion.games import record
from companion.tables import Refused, Tables
from companion.tables.play import lobby
from companion.tables.play.records import MOST_ACTIONS
from tests.games.qwinto_dice import moves
from tests.kit.games import passes, roll, write
from tests.kit.play import record_of, some_action
from tests.tables.friends import Evening, refused

OPENING = [roll("Tim", yellow=3), write("Tim", "yellow", 2), passes("Sarah")]


def test_a_whole_game_goes_round(tables: Tables, host: str, game: Evening) -> None:
    chance = random.Random(7)
    for _ in range(60):
        if not game.position.over:
            game.do(some_action(game.position, moves, chance))
    exported = tables.export(game.id, host)
    again = Evening(tables, tables.import_record(host, exported, "Tablet"), host)
    assert again.id != game.id
    assert tables.export(again.id, host) == exported
    assert again.position == game.position
    assert again.read().me.role == "host"
    assert record.replay(record.parse(exported)).position == game.position
    if not again.position.over:
        again.do(some_action(again.position, moves, chance))  # and the game goes on


def test_a_finished_game_is_over(tables: Tables, host: str, game: Evening) -> None:
    game.finish()
    again = Evening(tables, tables.import_record(host, tables.export(game.id, host)), host)
    assert (again.read().phase, again.read().number) == ("over", 1)
    again.change(lobby.again)


def test_an_illegal_action_is_named(tables: Tables, host: str) -> None:
    before = tables.at_tables(host)
    wrong = [*OPENING, write("Tim", "yellow", 3), {"do": "next"}]
    with pytest.raises(Refused) as caught:
        tables.import_record(host, record_of(["Tim", "Sarah"], wrong))
    assert (caught.value.code, caught.value.index) == ("wrong-moment", 3)
    assert caught.value.refusal.values["player"] == "Sarah"
    assert tables.at_tables(host) == before


def test_what_a_table_cannot_take(tables: Tables, host: str) -> None:
    for action in (None, 3, [], "pass", {}, {"do": 3}):
        document = record_of(["Tim", "Sarah"], [action])
        assert refused(tables.import_record, host, document) == "bad-action"
    for name in ("x" * 25, "a\u202eb", "a\x00b"):
        document = record_of(["Tim", name], [])
        assert refused(tables.import_record, host, document) == "bad-name"


@pytest.mark.parametrize(
    "document",
    [
        None,
        {},
        record_of(["Tim"], []),
        record_of(["Tim", "Tim"], []),
        record_of(["Tim", "Sarah"], [], "chess"),
        record_of(["Tim", "Sarah"], [{**OPENING[0], "note": "x" * 3000}]),
        record_of(["Tim", "Sarah"], [{**OPENING[0], "note": float("inf")}]),
        record_of(["Tim", "Sarah"], OPENING * MOST_ACTIONS),
        {**record_of(["Tim", "Sarah"], []), "format": "companion-record/2"},
    ],
)
def test_no_record(tables: Tables, host: str, document: Any) -> None:
    with pytest.raises(Unusable):
        tables.import_record(host, document)
