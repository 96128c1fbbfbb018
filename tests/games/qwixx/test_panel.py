"""Qwixx's panel: what can be tapped, what a tap sends, and what stands in words beside it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from companion.core.panel import BARRED
from companion.games.qwixx import GAME
from companion.games.qwixx.rules import Qwixx
from companion.tables.ledger.corrections import correct
from companion.tables.ledger.match import Match
from lab.play import NEXT, after, entry, passes, said
from tests.games.qwixx.actions import ROWS, Action, cross, document, roll, table

ADA, BEN, CY = "Ada", "Ben", "Cy"

DICE = {"red": 1, "yellow": 2, "green": 3, "blue": 4}
SEVEN = roll(ADA, (3, 4), **DICE)

RED_LOCKED = document(red=[2, 3, 4, 5, 6, 12], locks=["red"])

PANEL = GAME.panel


def coloring(*players: str) -> Qwixx:
    return after(table(*(players or (ADA, BEN))), SEVEN, passes(ADA), NEXT)


# Words


WHITE = after(table(ADA, BEN, CY), SEVEN)
SAFE = after(WHITE, cross(ADA, "red", 7), NEXT)
FULL = document(red=[11], yellow=[11], green=[3], blue=[3])
NO_FIELD = after(table(ADA, BEN, Ada=FULL, Ben=FULL), SEVEN)
FAILING = after(NO_FIELD, passes(ADA), passes(BEN))


@pytest.mark.parametrize(
    ("position", "here", "words"),
    [
        (table(ADA, BEN), [ADA], "Your turn: roll, then tap the dice"),
        (WHITE, [BEN], "You may write: tap a glowing field or pass"),
        (WHITE, [ADA], "Your turn: tap a glowing field or pass"),
        (coloring(ADA, BEN, CY), [BEN], "Waiting for Ada"),
        (coloring(ADA, BEN, CY), [ADA], "Your turn: tap a glowing field, or take the failed roll"),
        (SAFE, [ADA], "Your turn: tap a glowing field or pass"),
        (after(SAFE, passes(ADA)), [ADA], "Ben rolls the dice"),
        (NO_FIELD, [BEN], "Nothing for you: no field fits"),
        (NO_FIELD, [ADA], "Your turn: no field fits, so pass"),
        (FAILING, [ADA], "Your turn: no field fits, so it is a failed roll"),
    ],
)
def test_hints_of_each_step(position: Qwixx, here: list[str], words: str) -> None:
    assert said(PANEL.hint(position, here)) == words


def test_a_step_in_which_no_field_fits_closes_itself() -> None:
    assert not PANEL.only_passing(NO_FIELD), "the active player passes first"
    position = after(NO_FIELD, passes(ADA))
    assert PANEL.only_passing(position)
    words = "Ada: on to the colored dice – no field fits: Ben"
    assert said(PANEL.describe(position, {**NEXT, "by": ADA})) == words
    assert not PANEL.only_passing(FAILING), "the failed roll is the player's own to take"


@pytest.mark.parametrize(
    ("actions", "action", "words", "words_alone"),
    [
        ([], SEVEN, "Ada rolled: white 3 + 4 = 7, red 1, yellow 2, green 3, blue 4", None),
        ([], {"do": "roll", "by": ADA, "white": [3, 4]}, "Ada rolled: white 3 + 4 = 7", None),
        ([SEVEN], cross(BEN, "green", 7), "Ben crossed the 7 in green", None),
        ([SEVEN], cross(BEN, "green", 2), "Ben crossed the 2 in green, and the lock", None),
        ([SEVEN], passes(ADA), "Ada passed", None),
        ([SEVEN, passes(ADA), NEXT], passes(ADA), "Ada: failed roll, −5", "Ada passed"),
        ([SEVEN, cross(ADA, "red", 7), NEXT], passes(ADA), "Ada passed", None),
        ([SEVEN, passes(ADA)], {**NEXT, "by": ADA},
         "Ada: on to the colored dice – skipped Ben", "Ada: on to the colored dice"),
        ([SEVEN, passes(ADA)], NEXT,
         "The white dice were ended early – skipped Ben", "The white dice were ended early"),
    ],
)  # fmt: skip
def test_every_action_in_words(
    actions: list[Any], action: Action, words: str, words_alone: str | None
) -> None:
    """With the position before the action, and without it, as for an old entry."""
    position = after(table(ADA, BEN), *actions)
    assert said(PANEL.describe(position, action)) == words
    assert said(PANEL.describe(None, action)) == (words_alone or words)


# The dice


ALL_DICE = ["white.0", "white.1", *(f"dice.{row}" for row in ROWS)]
WITHOUT_RED = [part for part in ALL_DICE if part != "dice.red"]
PICKS = {"white.0": 3, "white.1": 4, **{f"dice.{row}": value for row, value in DICE.items()}}


def parts(grid: Any) -> list[str]:
    return [die["part"] for die in grid["dice"]]


def test_a_roll_is_tapped_die_by_die_and_sent_when_all_are_there() -> None:
    """A quick roll asks only for the white dice, and a closed row has no die."""
    now: Any = PANEL.facts(table(ADA, BEN), [])
    assert (now["may_roll"], now["is_rolled"]) == (True, False)
    action = {"do": "roll", "by": ADA, "white": "$white"}
    assert json.loads(now["roll"]["action"]) == {**action, "dice": "$dice"}
    assert parts(now["roll"]) == now["roll"]["needs"].split() == ALL_DICE
    assert json.loads(now["white_roll"]["action"]) == action
    assert parts(now["white_roll"]) == ALL_DICE[:2]
    now = PANEL.facts(table(ADA, BEN, Ben=RED_LOCKED), [])
    assert parts(now["roll"]) == WITHOUT_RED
    assert [color["name"] for color in now["closed_rows"]] == ["red"]


def test_a_wrong_die_can_be_corrected_until_somebody_has_used_it() -> None:
    rolled = after(table(ADA, BEN), SEVEN)
    now: Any = PANEL.facts(rolled, [entry(SEVEN)])
    assert now["may_roll"]
    assert (now["reroll"]["replaces"], now["reroll"]["picks"]) == ("an-entry", PICKS)
    assert not PANEL.facts(after(rolled, passes(BEN)), [entry(SEVEN)])["may_roll"]
    assert not PANEL.facts(coloring(), [entry(SEVEN)])["may_roll"]


def test_what_the_dice_make_in_each_step() -> None:
    white: Any = PANEL.facts(after(table(ADA, BEN), SEVEN), [])
    colored: Any = PANEL.facts(coloring(), [])
    assert (white["white_sum"], white["in_color_step"], colored["in_color_step"]) == (
        7,
        False,
        True,
    )
    sums = {die["name"]: die["sums"] for die in colored["colored"]}
    assert sums == {"red": (4, 5), "yellow": (5, 6), "green": (6, 7), "blue": (7, 8)}


def test_the_dice_of_a_correction_are_those_that_were_entered() -> None:
    grid: Any = PANEL.picker(table(ADA, BEN), entry(SEVEN))
    assert json.loads(grid["json"]) == grid["picks"] == PICKS
    assert PANEL.picker(after(table(ADA, BEN), SEVEN), entry(cross(BEN, "red", 7))) is None
    entered = {"do": "roll", "by": ADA, "white": [3, 4], "dice": {"blue": 2}}
    grid = PANEL.picker(table(ADA, BEN), entry(entered))
    assert parts(grid) == list(grid["picks"]) == ["white.0", "white.1", "dice.blue"]
    now: Any = PANEL.facts(after(table(ADA, BEN), entered), [entry(entered)])
    assert (now["reroll"]["picks"], now["is_all_entered"]) == (grid["picks"], False)
    # A correction before it has closed the red row: its die cannot be tapped any more.
    grid = PANEL.picker(table(ADA, BEN, Ben=RED_LOCKED), entry(SEVEN))
    assert parts(grid) == list(grid["picks"]) == WITHOUT_RED


def test_a_row_that_a_correction_closes_takes_its_die_out_of_later_rolls() -> None:
    """Nothing else of the later turns is lost."""
    first = table(ADA, BEN, Ada=document(red=[2, 3, 4, 5, 6]))
    actions = [roll(ADA, (6, 6)), passes(ADA), passes(BEN), passes(ADA)]
    actions += [roll(BEN, (1, 1), red=5), cross(ADA, "yellow", 2), passes(BEN), passes(BEN)]
    entries = tuple(entry(action, 1 + at // 4, str(at)) for at, action in enumerate(actions))
    match = Match(1, GAME, {}, entries[0].at, first, entries=entries)
    found = correct(match, 1, cross(ADA, "red", 12))
    (unfit,) = found.unfit
    assert (unfit.entry, unfit.becomes) == ("4", roll(BEN, (1, 1), red=None))
    assert found.after.sheet(ADA)["yellow"] == [2]
    assert found.after.turn == 3


# Closed rows, and the buttons


def test_fields_of_a_closed_row_and_lost_numbers_are_barred() -> None:
    """The first for everybody, the others for their player alone."""
    position = table(ADA, BEN, Ben=RED_LOCKED)
    red = {"red.lock", *(f"red.{number}" for number in range(2, 13))}
    assert PANEL.marks(position, ADA) == PANEL.marks(position, BEN) == dict.fromkeys(red, BARRED)
    position = after(table(ADA, BEN), SEVEN, cross(ADA, "green", 7))
    assert PANEL.marks(position, ADA).keys() == {f"green.{number}" for number in range(8, 13)}
    assert PANEL.marks(position, BEN) == {}


def test_buttons_say_what_comes_next_or_what_it_costs() -> None:
    white = after(table(ADA, BEN), SEVEN)
    for position, closing, text in (
        (white, "On to the colored dice", "Pass"),
        (coloring(), "Next turn", "Failed roll −5"),
    ):
        assert said(PANEL.closing(position).text) == closing
        button = PANEL.passing(position, ADA)
        assert button is not None
        assert said(button.text) == text
