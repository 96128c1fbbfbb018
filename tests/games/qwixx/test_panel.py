"""Qwixx's panel: what can be tapped, what a tap sends, and what stands in words beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from companion.games.qwixx import GAME
from companion.games.qwixx.rules import Qwixx
from tests.kit.play import entry, said
from tests.kit.qwixx import (
    NEXT,
    ROWS,
    Action,
    after,
    code,
    cross,
    document,
    passes,
    roll,
    table,
)

ADA, BEN, CY = "Ada", "Ben", "Cy"

DICE = {"red": 1, "yellow": 2, "green": 3, "blue": 4}
SEVEN = roll(ADA, (3, 4), **DICE)

RED_LOCKED = document(red=[2, 3, 4, 5, 6, 12], locks=["red"])

PANEL = GAME.panel


def coloring(*players: str) -> Qwixx:
    return after(table(*(players or (ADA, BEN))), SEVEN, passes(ADA), NEXT)


# What can be tapped


def test_every_number_can_be_tapped_after_the_roll() -> None:
    fields = PANEL.taps(after(table(ADA, BEN), SEVEN), BEN)
    assert len(fields) == 44
    for name, tap in fields.items():
        row, _, number = name.partition(".")
        assert tap.action == cross(BEN, row, int(number))
    for position, text in ((coloring(), "Failed roll −5"), (after(table(ADA, BEN), SEVEN), "Pass")):
        button = PANEL.passing(position, ADA)
        assert button is not None
        assert said(button.text) == text


# Words


def test_hints_of_each_step() -> None:
    start = table(ADA, BEN, CY)
    assert said(PANEL.hint(start)) == "Ada rolls the dice"
    assert said(PANEL.hint(start, [ADA])) == "Your turn: roll, then tap the dice"
    white = after(start, SEVEN)
    assert said(PANEL.hint(white, [BEN])) == "You may write: tap a glowing field or pass"
    assert said(PANEL.hint(white, [ADA])) == "Your turn: tap a glowing field or pass"
    failing = coloring(ADA, BEN, CY)
    assert said(PANEL.hint(failing, [BEN])) == "Waiting for Ada"
    assert (
        said(PANEL.hint(failing, [ADA]))
        == "Your turn: tap a glowing field, or take the failed roll"
    )
    safe = after(start, SEVEN, cross(ADA, "red", 7), NEXT)
    assert said(PANEL.hint(safe, [ADA])) == "Your turn: tap a glowing field or pass"
    assert said(PANEL.hint(after(safe, passes(ADA)), [ADA])) == "Ben rolls the dice"


def test_a_hint_points_at_no_field_where_none_fits() -> None:
    full = document(red=[11], yellow=[11], green=[3], blue=[3])
    position = after(table(ADA, BEN, Ada=full, Ben=full), SEVEN)
    assert said(PANEL.hint(position, [BEN])) == "Nothing for you: no field fits"
    assert said(PANEL.hint(position, [ADA])) == "Your turn: no field fits, so pass"
    assert not PANEL.only_passing(position), "the active player passes first"
    position = after(position, passes(ADA))
    assert PANEL.only_passing(position)
    words = "Ada: on to the colored dice – no field fits: Ben"
    assert said(PANEL.describe(position, {**NEXT, "by": ADA})) == words
    position = after(position, passes(BEN))
    assert not PANEL.only_passing(position), "the failed roll is the player's own to take"
    assert said(PANEL.hint(position, [ADA])) == "Your turn: no field fits, so it is a failed roll"


def test_the_end_says_why() -> None:
    position = after(table(ADA, BEN, Ada=document(failed=3)), SEVEN, passes(ADA), NEXT)
    assert PANEL.ended(position) == []
    position = after(position, passes(ADA))
    assert said(PANEL.hint(position)) == "The game is over."
    assert [said(reason) for reason in PANEL.ended(position)] == ["Four failed rolls: Ada"]
    five = document(blue=[12, 11, 10, 9, 8])
    position = after(table(ADA, BEN, Ada=RED_LOCKED, Ben=five), roll(ADA, (1, 1), red=None))
    position = after(position, cross(BEN, "blue", 2), passes(ADA))
    assert [said(reason) for reason in PANEL.ended(position)] == ["Closed rows: red, blue"]


@pytest.mark.parametrize(
    ("actions", "action", "words", "words_alone"),
    [
        ([], SEVEN, "Ada rolled: white 3 + 4 = 7, red 1, yellow 2, green 3, blue 4", None),
        ([], {"do": "roll", "by": ADA, "white": [3, 4]}, "Ada rolled: white 3 + 4 = 7", None),
        ([SEVEN], cross(BEN, "green", 7), "Ben crossed the 7 in green", None),
        ([SEVEN], cross(BEN, "green", 2), "Ben crossed the 2 in green, and the lock", None),
        ([SEVEN], passes(ADA), "Ada passed", None),
        ([SEVEN, passes(ADA)], passes(BEN), "Ben passed", None),
        ([SEVEN, passes(ADA), NEXT], passes(ADA), "Ada has a failed roll", "Ada passed"),
        ([SEVEN, cross(ADA, "red", 7), NEXT], passes(ADA), "Ada passed", None),
        (
            [SEVEN, passes(ADA)],
            {**NEXT, "by": ADA},
            "Ada: on to the colored dice – skipped Ben",
            "Ada: on to the colored dice",
        ),
        (
            [SEVEN, passes(ADA)],
            NEXT,
            "The white step was ended – skipped Ben",
            "The white step was ended",
        ),
    ],
)
def test_every_action_in_words(
    actions: list[Any], action: Action, words: str, words_alone: str | None
) -> None:
    """With the position before it, and without, when it is long gone."""
    position = after(table(ADA, BEN), *actions)
    assert said(PANEL.describe(position, action)) == words
    assert said(PANEL.describe(None, action)) == (words_alone or words)


# The dice


def parts(grid: Any) -> list[str]:
    return [die["part"] for die in grid["dice"]]


def test_a_roll_is_tapped_die_by_die_and_sent_when_all_are_there() -> None:
    now = PANEL.facts(table(ADA, BEN), [])
    assert now["may_roll"]
    assert not now["is_rolled"]
    grid: Any = now["roll"]
    assert parts(grid) == ["white.0", "white.1", *(f"dice.{row}" for row in ROWS)]
    assert grid["needs"].split() == parts(grid)
    assert json.loads(grid["action"]) == {
        "do": "roll",
        "by": ADA,
        "white": "$white",
        "dice": "$dice",
    }


def test_a_quick_roll_asks_for_the_white_dice_alone() -> None:
    grid: Any = PANEL.facts(table(ADA, BEN), [])["white_roll"]
    assert parts(grid) == ["white.0", "white.1"]
    assert json.loads(grid["action"]) == {"do": "roll", "by": ADA, "white": "$white"}


def test_a_roll_is_corrected_with_the_dice_that_were_told() -> None:
    told = {"do": "roll", "by": ADA, "white": [3, 4], "dice": {"blue": 2}}
    grid: Any = PANEL.picker(table(ADA, BEN), entry(told))
    assert grid["picks"] == {"white.0": 3, "white.1": 4, "dice.blue": 2}
    assert parts(grid) == list(grid["picks"])
    now: Any = PANEL.facts(after(table(ADA, BEN), told), [entry(told)])
    assert now["reroll"]["picks"] == grid["picks"]
    assert not now["is_all_told"]


def test_a_closed_row_has_no_die_to_tap() -> None:
    now: Any = PANEL.facts(table(ADA, BEN, Ben=RED_LOCKED), [])
    assert parts(now["roll"]) == ["white.0", "white.1", "dice.yellow", "dice.green", "dice.blue"]
    assert [color["name"] for color in now["closed_rows"]] == ["red"]


def test_a_wrong_die_is_put_right_until_somebody_has_used_it() -> None:
    rolled = after(table(ADA, BEN), SEVEN)
    now: Any = PANEL.facts(rolled, [entry(SEVEN)])
    assert now["may_roll"]
    assert now["reroll"]["replaces"] == "an-entry"
    assert now["reroll"]["picks"] == {
        "white.0": 3,
        "white.1": 4,
        **{f"dice.{row}": value for row, value in DICE.items()},
    }
    assert not PANEL.facts(after(rolled, passes(BEN)), [entry(SEVEN)])["may_roll"]
    assert not PANEL.facts(coloring(), [entry(SEVEN)])["may_roll"]


def test_what_the_dice_make_in_each_step() -> None:
    white: Any = PANEL.facts(after(table(ADA, BEN), SEVEN), [])
    assert (white["white_sum"], white["in_color_step"]) == (7, False)
    colored: Any = PANEL.facts(coloring(), [])
    assert colored["in_color_step"]
    assert {die["name"]: die["sums"] for die in colored["colored"]} == {
        "red": (4, 5),
        "yellow": (5, 6),
        "green": (6, 7),
        "blue": (7, 8),
    }


def test_the_dice_of_a_correction() -> None:
    grid: Any = PANEL.picker(table(ADA, BEN), entry(SEVEN))
    assert json.loads(grid["json"]) == grid["picks"]
    assert grid["picks"]["dice.blue"] == 4
    assert PANEL.picker(after(table(ADA, BEN), SEVEN), entry(cross(BEN, "red", 7))) is None
    # A correction before it has closed the red row: its die cannot be tapped any more.
    grid = PANEL.picker(table(ADA, BEN, Ben=RED_LOCKED), entry(SEVEN))
    assert "dice.red" not in grid["picks"]
    assert "dice.red" not in parts(grid)


# What no longer fits


def test_a_roll_without_a_die_that_is_back_has_not_told_it() -> None:
    """Any face will do, so the rest of the turn fits."""
    position = after(table(ADA, BEN), roll(ADA, (3, 4), red=None), passes(ADA), NEXT)
    assert position.sums("red") == (4, 5, 6, 7, 8, 9, 10)


def test_a_roll_is_adapted_where_its_dice_follow_from_it() -> None:
    position = table(ADA, BEN, Ben=RED_LOCKED)
    assert code(position, SEVEN) == "bad-dice"
    adapted = GAME.adapt(position, SEVEN)
    assert adapted == roll(ADA, (3, 4), **{**DICE, "red": None})
    assert code(position, adapted) is None
    rolled = after(table(ADA, BEN), SEVEN)
    assert GAME.adapt(rolled, cross(BEN, "red", 8)) is None
    assert GAME.adapt(rolled, SEVEN) is None, "it has been rolled"
    assert GAME.adapt(table(BEN, ADA), SEVEN) is None, "it is somebody else's turn"


# Closed rows, and the button that ends a step


def test_the_fields_of_a_closed_row_are_barred_for_everybody() -> None:
    assert PANEL.barred(table(ADA, BEN), ADA) == frozenset()
    position = table(ADA, BEN, Ben=RED_LOCKED)
    assert PANEL.barred(position, ADA) == PANEL.barred(position, BEN)
    assert PANEL.barred(position, ADA) == {
        "red.lock",
        *(f"red.{number}" for number in range(2, 13)),
    }


def test_skipped_numbers_are_barred_for_their_player_alone() -> None:
    position = after(table(ADA, BEN), SEVEN, cross(ADA, "green", 7))
    assert PANEL.barred(position, ADA) == {f"green.{number}" for number in range(8, 13)}
    assert PANEL.barred(position, BEN) == frozenset()


def test_the_button_that_ends_a_step_says_what_comes_next() -> None:
    assert said(PANEL.close_text(after(table(ADA, BEN), SEVEN))) == "On to the colored dice"
    assert said(PANEL.close_text(coloring())) == "Next turn"
