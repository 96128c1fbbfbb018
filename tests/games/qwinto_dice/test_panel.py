"""Qwinto's panel: what can be tapped, what a tap sends, and what stands in words beside it."""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime
from typing import Any

import pytest

from companion.core.words import english
from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto_dice import GAME
from companion.games.qwinto_dice.rules import QwintoDice
from companion.tables import Entry
from tests.kit.games import NEXT, after, code, document, passes, roll, table, whole_game, write
from tests.kit.oracles.qwinto import Referee

PANEL = GAME.panel


def in_english(sentence: Any) -> str:
    return str(sentence.translated(english, " or "))


def entry(action: dict[str, Any], turn: int = 1, name: str = "web-entry") -> Entry:
    return Entry(name, action, action.get("by"), turn, "", "", datetime.now(UTC), False)


# What can be tapped


@pytest.mark.parametrize("seed", range(6))
def test_taps_are_what_the_rules_say(seed: int) -> None:
    """In whole games: open fields are legal, the others are refused, and with the very action."""
    chance = random.Random(seed)
    referee = Referee(["Tim", "Sarah", "Linus"][: 2 + seed % 2])
    position = table(*referee.players)
    for number, action in enumerate(whole_game(referee, chance)):
        if number % 5 == 0:
            check_taps(position)
        position = after(position, action)
        referee.happens(action)
    assert position.over
    check_taps(position)


def check_taps(position: QwintoDice) -> None:
    for player in position.players:
        fields = PANEL.taps(position, player)
        may_write = position.called is not None and player in position.waiting
        assert len(fields) == (27 if may_write else 0)
        for name, tap in fields.items():
            row, _, field = name.partition(".")
            assert tap.action == write(player, row, int(field))
            assert tap.is_open == (code(position, tap.action) is None)
            assert tap.ghost == str(position.called)
        button = PANEL.passing(position, player)
        assert (button is None) == (code(position, passes(player)) is not None)
        if button is not None:
            assert button.costs == (player == position.active)
            assert in_english(button.text) == (
                "Failed attempt −5" if player == position.active else "Pass"
            )


# Words


def test_hints() -> None:
    start = table("Tim", "Sarah", "Linus")
    assert in_english(PANEL.hint(start)) == "Tim rolls the dice"
    rolled = after(start, roll("Tim", yellow=4))
    assert in_english(PANEL.hint(rolled)) == "Waiting for Tim, Sarah, Linus"
    assert in_english(PANEL.hint(after(rolled, passes("Sarah")))) == "Waiting for Tim, Linus"
    following = after(rolled, passes("Sarah"), passes("Tim"), passes("Linus"))
    assert in_english(PANEL.hint(following)) == "Sarah rolls the dice"


def test_a_hint_says_first_what_those_on_this_phone_can_do() -> None:
    start = table("Tim", "Sarah", "Linus")
    assert in_english(PANEL.hint(start, ["Tim"])) == "Your turn: roll, then tap the dice"
    assert in_english(PANEL.hint(start, ["Sarah"])) == "Tim rolls the dice"
    assert in_english(PANEL.hint(start, ["Tim", "Sarah"])) == "Tim rolls the dice"
    rolled = after(start, roll("Tim", yellow=4))
    assert in_english(PANEL.hint(rolled, ["Sarah"])) == (
        "You may write: tap a glowing field or pass. Also: Tim, Linus"
    )
    assert in_english(PANEL.hint(rolled, ["Tim"])) == (
        "Your turn: tap a glowing field. Also: Sarah, Linus"
    )
    assert in_english(PANEL.hint(rolled, ["Tim", "Linus"])) == (
        "Tim, Linus: tap a glowing field or pass. Also: Sarah"
    )
    alone = after(rolled, passes("Tim"), passes("Linus"))
    assert in_english(PANEL.hint(alone, ["Sarah"])) == "You may write: tap a glowing field or pass"
    assert in_english(PANEL.hint(alone, ["Tim"])) == "Waiting for Sarah"
    assert in_english(PANEL.hint(alone, ["Tim", "Sarah"])) == "Sarah: tap a glowing field or pass"


def test_a_hint_points_at_no_field_where_none_fits() -> None:
    full = document(yellow=dict(enumerate(range(10, 19), start=1)))
    start = table("Tim", "Sarah", Tim=full, Sarah=full)
    once = after(start, roll("Tim", yellow=4))
    assert in_english(PANEL.hint(once, ["Sarah"])).startswith("Nothing for you: no field fits")
    assert "roll again, or take the failed attempt" in in_english(PANEL.hint(once, ["Tim"]))
    twice = after(once, roll("Tim", yellow=5))
    assert "so it is a failed attempt" in in_english(PANEL.hint(twice, ["Tim"]))


def test_the_hint_at_the_end() -> None:
    position = table("Tim", "Sarah", Tim=document(failed=3))
    position = after(position, roll("Tim", yellow=4), passes("Tim"), passes("Sarah"))
    assert position.over
    assert in_english(PANEL.hint(position)) == "The game is over."
    assert not PANEL.facts(position, [])["may_roll"]
    assert PANEL.passing(position, "Tim") is None
    assert PANEL.taps(position, "Tim") == {}


@pytest.mark.parametrize(
    ("actions", "action", "words", "words_alone"),
    [
        ([], roll("Tim", purple=1, orange=3), "Tim rolled: orange 3 + purple 1 = 4", None),
        (
            [roll("Tim", yellow=1)],
            roll("Tim", yellow=6),
            "Tim rolled again: yellow 6",
            "Tim rolled: yellow 6",
        ),
        (
            [roll("Tim", yellow=4)],
            write("Sarah", "yellow", 9),
            "Sarah wrote 4 in yellow, field 9",
            "Sarah in yellow, field 9",
        ),
        ([roll("Tim", yellow=4)], passes("Sarah"), "Sarah passed", None),
        ([roll("Tim", yellow=4)], passes("Tim"), "Tim has a failed attempt", "Tim passed"),
        (
            [roll("Tim", yellow=4), passes("Tim")],
            NEXT,
            "The turn was ended – skipped Sarah",
            "The turn was ended",
        ),
        (
            [roll("Tim", yellow=4), passes("Tim")],
            {**NEXT, "by": "Tim"},
            "Tim: next turn – skipped Sarah",
            "Tim: next turn",
        ),
    ],
)
def test_every_action_in_words(
    actions: list[Any], action: dict[str, Any], words: str, words_alone: str | None
) -> None:
    """With the position before it, and without, when it is long gone."""
    position = after(table("Tim", "Sarah"), *actions)
    assert in_english(PANEL.describe(position, action)) == words
    assert in_english(PANEL.describe(None, action)) == (words_alone or words)


@pytest.mark.parametrize("name", ["%s", "%(dice)s %(sum)s", "%", "100 %% {x}"])
def test_names_are_no_formats(name: str) -> None:
    position = table(name, "Sarah")
    assert in_english(PANEL.hint(position)) == f"{name} rolls the dice"
    assert in_english(PANEL.describe(None, roll(name, yellow=1))) == f"{name} rolled: yellow 1"
    assert in_english(PANEL.describe(None, passes(name))) == f"{name} passed"
    position = after(position, roll(name, yellow=1))
    assert in_english(PANEL.hint(position)) == f"Waiting for {name}, Sarah"
    wrote = in_english(PANEL.describe(position, write(name, "yellow", 1)))
    assert wrote == f"{name} wrote 1 in yellow, field 1"


# The dice


def test_facts_before_and_after_the_roll() -> None:
    start = table("Tim", "Sarah")
    before = PANEL.facts(start, [])
    assert before["called"] is None
    assert before["may_roll"]
    assert not before["may_reroll"]
    assert grid(before["picker"]) == (list(qwinto.COLORS), {}, "", "dice")
    action = roll("Tim", yellow=4, purple=5)
    rolled = after(start, action)
    now = PANEL.facts(rolled, [entry(action)])
    assert now["called"] == 9
    assert [color["name"] for color in now["called_colors"]] == ["yellow", "purple"]  # type: ignore[attr-defined]
    picks = {"dice.yellow": 4, "dice.purple": 5}
    assert grid(now["picker"]) == (list(qwinto.COLORS), picks, "web-entry", "dice")
    assert grid(now["reroll"]) == (["yellow", "purple"], {}, "", "dice.yellow dice.purple")
    assert now["may_reroll"]
    written = PANEL.facts(after(rolled, passes("Sarah")), [entry(action)])
    assert not written["may_reroll"]
    assert written["may_roll"], "a wrongly tapped die can still be put right"
    assert not PANEL.facts(after(rolled, passes("Tim")), [entry(action)])["may_roll"]


def test_the_roll_of_an_earlier_turn_is_not_replaced() -> None:
    actions = [roll("Tim", yellow=4), passes("Tim"), passes("Sarah")]
    position = after(table("Tim", "Sarah"), *actions)
    now = PANEL.facts(position, [entry(action) for action in actions])
    assert grid(now["picker"])[2] == ""


def test_after_the_second_roll_only_its_dice_can_be_put_right() -> None:
    """The other dice were not rolled; tapping one would be refused."""
    actions = [roll("Tim", yellow=4), roll("Tim", yellow=6)]
    position = after(table("Tim", "Sarah"), *actions)
    entries = [entry(actions[0], name="web-first"), entry(actions[1], name="web-second")]
    colors, picks, replaces, _ = grid(PANEL.facts(position, entries)["picker"])
    assert replaces == "web-second"
    assert picks == {"dice.yellow": 6}
    assert colors == ["yellow"]


def test_dice_of_a_correction() -> None:
    start = table("Tim", "Sarah")
    first = PANEL.picker(start, entry(roll("Tim", yellow=4)))
    assert first is not None
    assert grid(first) == (list(qwinto.COLORS), {"dice.yellow": 4}, "", "dice")
    second = PANEL.picker(after(start, roll("Tim", yellow=4)), entry(roll("Tim", yellow=6)))
    assert second is not None
    assert grid(second) == (["yellow"], {"dice.yellow": 6}, "", "dice.yellow")
    assert PANEL.picker(start, entry(passes("Tim"))) is None


def grid(picked: Any) -> tuple[list[str], dict[str, int], str, str]:
    """Colours, what is pressed, what it replaces, and what it needs."""
    assert json.loads(picked["json"]) == picked["picks"]
    assert picked["faces"] == [1, 2, 3, 4, 5, 6]
    colors = [row["name"] for row in picked["rows"]]
    return colors, picked["picks"], picked["replaces"], picked["needs"]
