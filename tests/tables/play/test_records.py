"""Export and import: a round trip, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.refusal import Unusable
from companion.tables import Refused, Tables
from companion.tables.play import lobby
from companion.tables.play.records import MOST_ACTIONS
from tests.kit.games import passes, roll, write
from tests.kit.play import record_of
from tests.kit.tables import Evening, refused

OPENING = [roll("Tim", yellow=3), write("Tim", "yellow", 2), passes("Sarah")]


def test_a_finished_game_is_over(tables: Tables, host: str, game: Evening) -> None:
    game.finish()
    again = Evening(tables, tables.import_record(host, tables.export(game.id, host)), host)
    table = again.read()
    assert (table.phase, table.number, table.me.role) == ("over", 1, "host")
    assert table.position == game.position
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
