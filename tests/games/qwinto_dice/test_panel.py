"""Qwinto's panel: what can be tapped, what a tap sends, and what stands in words beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from companion.games.qwinto import sheet as qwinto
from companion.games.qwinto_dice import GAME
from companion.games.qwinto_dice.rules import QwintoDice
from lab.games import NEXT, after, document, passes, roll, table, write
from lab.play import entry, said

PANEL = GAME.panel


def test_taps_show_the_number_and_the_buttons_what_they_cost() -> None:
    position = after(table("Tim", "Sarah"), roll("Tim", yellow=4))
    assert PANEL.taps(position, "Sarah")["yellow.2"].ghost == "4"
    buttons = [PANEL.passing(position, name) for name in ("Tim", "Sarah")]
    assert [said(button.text) for button in buttons if button] == ["Failed attempt −5", "Pass"]


# Words


FULL = document(yellow=dict(enumerate(range(10, 19), start=1)))
START = table("Tim", "Sarah", "Linus")
ROLLED = after(START, roll("Tim", yellow=4))
ALONE = after(ROLLED, passes("Tim"), passes("Linus"))
NO_FIELD = after(table("Tim", "Sarah", Tim=FULL, Sarah=FULL), roll("Tim", yellow=4))
TWICE = after(NO_FIELD, roll("Tim", yellow=5))


@pytest.mark.parametrize(
    ("position", "here", "words"),
    [
        (START, [], "Tim rolls the dice"),
        (START, ["Tim"], "Your turn: roll, then tap the dice"),
        (ROLLED, [], "Waiting for Tim, Sarah, Linus"),
        (ROLLED, ["Sarah"], "You may write: tap a glowing field or pass"),
        (ROLLED, ["Tim"], "Your turn: tap a glowing field"),
        (ROLLED, ["Tim", "Linus"], "Tim: tap a glowing field"),
        (ROLLED, ["Linus", "Sarah", "Tim"], "Linus: tap a glowing field or pass"),
        (NO_FIELD, ["Tim", "Sarah"], "Tim: no field fits – roll again, or −5"),
        (after(table(*"ABCDEF"), roll("A", yellow=4)), [], "Waiting for 6 players"),
        (ALONE, ["Tim"], "Waiting for Sarah"),
        (ALONE, ["Tim", "Sarah"], "Sarah: tap a glowing field or pass"),
        (after(ALONE, passes("Sarah")), [], "Sarah rolls the dice"),
        (NO_FIELD, ["Sarah"], "Nothing for you: no field fits"),
        (NO_FIELD, ["Tim"], "Your turn: no field fits – roll again, or −5"),
        (TWICE, ["Tim"], "so it is a failed attempt"),
    ],
)
def test_hints(position: QwintoDice, here: list[str], words: str) -> None:
    """The actions of the players on this phone come first."""
    assert words in said(PANEL.hint(position, here))


@pytest.mark.parametrize(
    ("actions", "action", "words", "words_alone"),
    [
        ([], roll("Tim", purple=1, orange=3), "Tim rolled: orange 3 + purple 1 = 4", None),
        ([roll("Tim", yellow=1)], roll("Tim", yellow=6),
         "Tim rolled again: yellow 6", "Tim rolled: yellow 6"),
        ([roll("Tim", yellow=4)], write("Sarah", "yellow", 9),
         "Sarah wrote 4 in yellow, field 9", "Sarah in yellow, field 9"),
        ([roll("Tim", yellow=4)], passes("Sarah"), "Sarah passed", None),
        ([roll("Tim", yellow=4)], passes("Tim"), "Tim: failed attempt, −5", "Tim passed"),
        ([roll("Tim", yellow=4), passes("Tim")], NEXT,
         "The turn was ended – skipped Sarah", "The turn was ended"),
        ([roll("Tim", yellow=4), passes("Tim")], {**NEXT, "by": "Tim"},
         "Tim: next turn – skipped Sarah", "Tim: next turn"),
    ],
)  # fmt: skip
def test_every_action_in_words(
    actions: list[Any], action: dict[str, Any], words: str, words_alone: str | None
) -> None:
    """With the position before the action, and without it, as for an old entry."""
    position = after(table("Tim", "Sarah"), *actions)
    assert said(PANEL.describe(position, action)) == words
    assert said(PANEL.describe(None, action)) == (words_alone or words)


# The dice


def test_facts_before_and_after_the_roll() -> None:
    start = table("Tim", "Sarah")
    before = PANEL.facts(start, [])
    asked = ("called", "may_roll", "may_reroll")
    assert [before[name] for name in asked] == [None, True, False]
    assert grid(before["picker"]) == (list(qwinto.COLORS), {}, "", "dice")
    action = roll("Tim", yellow=4, purple=5)
    rolled = after(start, action)
    now = PANEL.facts(rolled, [entry(action)])
    assert [color["name"] for color in now["called_colors"]] == ["yellow", "purple"]  # type: ignore[attr-defined]
    picks = {"dice.yellow": 4, "dice.purple": 5}
    assert grid(now["picker"]) == (list(qwinto.COLORS), picks, "an-entry", "dice")
    assert grid(now["reroll"]) == (["yellow", "purple"], {}, "", "dice.yellow dice.purple")
    assert [now[name] for name in asked] == [9, True, True]
    written = PANEL.facts(after(rolled, passes("Sarah")), [entry(action)])
    asked_later = [written[name] for name in asked]
    assert asked_later == [9, True, False], "a wrongly tapped die can still be corrected"
    assert not PANEL.facts(after(rolled, passes("Tim")), [entry(action)])["may_roll"]


def test_after_the_second_roll_only_its_dice_can_be_corrected() -> None:
    """The other dice were not rolled; tapping one would be refused."""
    actions = [roll("Tim", yellow=4), roll("Tim", yellow=6)]
    position = after(table("Tim", "Sarah"), *actions)
    entries = [entry(actions[0], name="web-first"), entry(actions[1], name="web-second")]
    now = grid(PANEL.facts(position, entries)["picker"])
    assert now[:3] == (["yellow"], {"dice.yellow": 6}, "web-second")
    following = after(position, passes("Tim"), passes("Sarah"))
    assert grid(PANEL.facts(following, entries)["picker"])[2] == "", "it is of an earlier turn"


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
    """The picker's colours, pressed dice, replaced entry and needed parts."""
    assert json.loads(picked["json"]) == picked["picks"]
    assert picked["faces"] == [1, 2, 3, 4, 5, 6]
    colors = [row["name"] for row in picked["dice"]]
    return colors, picked["picks"], picked["replaces"], picked["needs"]
