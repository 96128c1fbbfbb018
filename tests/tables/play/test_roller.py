"""Dice rolled by the server: fair, once, told in the log, and no second throw by undo."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.words import english
from companion.games import record
from companion.games.catalog import GAMES
from companion.tables import Tables
from companion.tables.play.lobby import set_setting, start
from companion.tables.play.roller import DRAW
from companion.tables.play.roller import roll as roll_dice
from tests.kit.tables import Evening, refused

NAMES = (("Ada", "red"), ("Ben", "blue"))


def rolling(tables: Tables, host: str, game: str) -> Evening:
    made = Evening(tables, tables.create(host, game, players=NAMES), host)
    made.change(start)
    made.change(set_setting, "roller", True)
    return made


def moment(game: Evening) -> str:
    position = game.read().position
    assert position is not None
    return position.fingerprint


def roll(game: Evening, *parts: str) -> dict[str, Any]:
    game.change(roll_dice, parts, moment(game))
    return dict(game.actions[-1])


@pytest.mark.parametrize("name", [name for name, game in GAMES.items() if game.has_dice])
def test_the_dice_of_every_game_are_rolled_once(tables: Tables, host: str, name: str) -> None:
    game = rolling(tables, host, name)
    known = game.read().game
    awaited = known.dice(game.read().position)
    assert awaited
    parts = [die.part for die in awaited.dice] if awaited.is_chosen else []
    before = moment(game)
    action = roll(game, *parts)
    assert (action["do"], action["by"], action["rolled"]) == ("roll", "Ada", "app")
    assert refused(game.change, roll_dice, parts, before) == "stale"
    told = known.panel.describe(None, action).translated(english, " or ")
    assert told.endswith(" (rolled by the app)")
    exported = tables.export(game.id, host)
    assert record.replay(record.parse(exported)).refusal is None
    tables.import_record(host, exported)


def test_any_dice_of_qwinto_and_the_same_ones_again(tables: Tables, host: str) -> None:
    game = rolling(tables, host, "qwinto-dice")
    for parts in ((), ("pink",), ("orange", "orange")):
        assert refused(game.change, roll_dice, parts, moment(game)) == "bad-tap"
    assert set(roll(game, "orange", "purple")["dice"]) == {"orange", "purple"}
    assert set(roll(game)["dice"]) == {"orange", "purple"}
    assert refused(roll, game) == "stale"


def test_an_undone_roll_comes_again(
    tables: Tables, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = rolling(tables, host, "qwinto-dice")
    first = roll(game, "orange", "purple")
    game.undo()
    monkeypatch.setattr(type(DRAW), "choice", lambda self, faces: faces[0])
    again = roll(game, "orange", "yellow")["dice"]
    assert again == {"orange": first["dice"]["orange"], "yellow": 1}
    # The second roll is another moment, and is drawn anew.
    assert roll(game)["dice"] == {"orange": 1, "yellow": 1}


def test_who_may_have_them_rolled(tables: Tables, host: str) -> None:
    game = rolling(tables, host, "encore")
    ben = game.joined(seat="Ben")
    assert refused(ben.change, set_setting, "roller", False) == "not-host"
    game.change(set_setting, "shared_entry", False)
    now = moment(game)
    assert refused(ben.change, roll_dice, (), now) == "not-your-seat"
    assert refused(game.watching().change, roll_dice, (), now) == "view-only"
    game.change(set_setting, "roller", False)
    assert refused(game.change, roll_dice, (), now) == "no-roller"


def test_a_phone_cannot_say_that_the_app_rolled(tables: Tables, host: str) -> None:
    game = rolling(tables, host, "qwinto-dice")
    forged = {"do": "roll", "by": "Ada", "dice": {"orange": 6}, "rolled": "app"}
    assert refused(game.do, forged) == "bad-tap"
    roll(game, "orange")
    entry = game.read().entries[-1].id
    game.tap(replaces=entry, action=forged)
    assert game.actions == [{"do": "roll", "by": "Ada", "dice": {"orange": 6}}]
