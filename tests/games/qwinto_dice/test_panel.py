"""Qwinto's panel: what can be tapped, what a tap sends, and what stands in words beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto_dice import GAME
from tests.kit.games import NEXT, after, document, passes, roll, table, write
from tests.kit.play import entry, said

PANEL = GAME.panel


# What can be tapped


def test_every_field_can_be_tapped_after_the_roll() -> None:
    position = after(table("Tim", "Sarah"), roll("Tim", yellow=4))
    fields = PANEL.taps(position, "Sarah")
    assert len(fields) == 27
    for name, tap in fields.items():
        row, _, field = name.partition(".")
        assert (tap.action, tap.ghost) == (write("Sarah", row, int(field)), "4")
    buttons = [PANEL.passing(position, name) for name in ("Tim", "Sarah")]
    assert [said(button.text) for button in buttons if button] == ["Failed attempt −5", "Pass"]


# Words


def test_hints() -> None:
    start = table("Tim", "Sarah", "Linus")
    assert said(PANEL.hint(start)) == "Tim rolls the dice"
    rolled = after(start, roll("Tim", yellow=4))
    assert said(PANEL.hint(rolled)) == "Waiting for Tim, Sarah, Linus"
    assert said(PANEL.hint(after(rolled, passes("Sarah")))) == "Waiting for Tim, Linus"
    following = after(rolled, passes("Sarah"), passes("Tim"), passes("Linus"))
    assert said(PANEL.hint(following)) == "Sarah rolls the dice"


def test_a_hint_says_first_what_those_on_this_phone_can_do() -> None:
    start = table("Tim", "Sarah", "Linus")
    assert said(PANEL.hint(start, ["Tim"])) == "Your turn: roll, then tap the dice"
    assert said(PANEL.hint(start, ["Sarah"])) == "Tim rolls the dice"
    assert said(PANEL.hint(start, ["Tim", "Sarah"])) == "Tim rolls the dice"
    rolled = after(start, roll("Tim", yellow=4))
    assert said(PANEL.hint(rolled, ["Sarah"])) == ("You may write: tap a glowing field or pass")
    assert said(PANEL.hint(rolled, ["Tim"])) == ("Your turn: tap a glowing field")
    assert said(PANEL.hint(rolled, ["Tim", "Linus"])) == ("Tim, Linus: tap a glowing field or pass")
    alone = after(rolled, passes("Tim"), passes("Linus"))
    assert said(PANEL.hint(alone, ["Sarah"])) == "You may write: tap a glowing field or pass"
    assert said(PANEL.hint(alone, ["Tim"])) == "Waiting for Sarah"
    assert said(PANEL.hint(alone, ["Tim", "Sarah"])) == "Sarah: tap a glowing field or pass"


def test_a_hint_points_at_no_field_where_none_fits() -> None:
    full = document(yellow=dict(enumerate(range(10, 19), start=1)))
    start = table("Tim", "Sarah", Tim=full, Sarah=full)
    once = after(start, roll("Tim", yellow=4))
    assert said(PANEL.hint(once, ["Sarah"])).startswith("Nothing for you: no field fits")
    assert "roll again, or take the failed attempt" in said(PANEL.hint(once, ["Tim"]))
    twice = after(once, roll("Tim", yellow=5))
    assert "so it is a failed attempt" in said(PANEL.hint(twice, ["Tim"]))


def test_the_hint_at_the_end() -> None:
    position = table("Tim", "Sarah", Tim=document(failed=3))
    position = after(position, roll("Tim", yellow=4), passes("Tim"), passes("Sarah"))
    assert position.over
    assert said(PANEL.hint(position)) == "The game is over."
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
    assert said(PANEL.describe(position, action)) == words
    assert said(PANEL.describe(None, action)) == (words_alone or words)


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
    assert grid(now["picker"]) == (list(qwinto.COLORS), picks, "an-entry", "dice")
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


def test_two_full_rows_end_qwinto_and_are_named() -> None:
    rows = {color: dict(enumerate(range(1, 10), start=1)) for color in ("yellow", "purple")}
    position = table("Tim", "Sarah", Sarah=document(**rows))
    (sentence,) = GAME.panel.ended(position)
    assert said(sentence) == "Two rows are full: Sarah"
