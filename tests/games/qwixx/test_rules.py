"""Each sentence of the rules, with an example, and every refusal of the public interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from companion.games.qwixx import GAME
from companion.games.qwixx.rules import Qwixx
from tests.kit.qwixx import NEXT, ROWS, Action, after, code, cross, document, passes, roll, table

ADA, BEN, CY = "Ada", "Ben", "Cy"

FIVE_RED: dict[str, Any] = document(red=[2, 3, 5, 6, 8])
"""Enough crosses to lock the red row."""

FIVE_BLUE: dict[str, Any] = document(blue=[12, 11, 10, 9, 8])

FIVE_GREEN: dict[str, Any] = document(green=[12, 10, 9, 8, 7])


def rolled(position: Qwixx | None = None, white: tuple[int, int] = (3, 4), **dice: int) -> Qwixx:
    """Ada has rolled a white 7; red 1, yellow 2, green 3 and blue 4 if nothing else is said."""
    position = position or table(ADA, BEN)
    shown: dict[str, int | None] = {"red": 1, "yellow": 2, "green": 3, "blue": 4, **dice}
    shown |= dict.fromkeys(position.closed, None)
    return after(position, roll(position.active, white, **shown))


def totals(position: Qwixx) -> dict[str, int]:
    return {player: position.score(player)["total"] for player in position.players}


def test_the_first_player_begins_with_an_empty_sheet() -> None:
    position = GAME.start((ADA, BEN, CY), {})
    assert (position.turn, position.active, position.over) == (1, ADA, False)
    assert position.waiting == (ADA, BEN, CY)
    assert position.winners() == ()
    assert [position.sheet(player) for player in position.players] == [document()] * 3
    assert totals(position) == {ADA: 0, BEN: 0, CY: 0}


def test_two_white_dice_and_every_colored_one_are_rolled() -> None:
    position = rolled()
    assert position.white == (3, 4)
    assert position.colored == (("red", 1), ("yellow", 2), ("green", 3), ("blue", 4))


@pytest.mark.parametrize("row", ROWS)
def test_everybody_may_cross_the_white_sum_in_a_row_of_their_choice(row: str) -> None:
    position = after(rolled(), cross(BEN, row, 7))
    assert position.sheet(BEN) == document(**{row: [7]})
    assert position.open_crosses(ADA) == tuple((color, 7) for color in ROWS)


def test_only_the_active_player_adds_a_white_die_to_a_colored_one() -> None:
    position = after(rolled(), passes(ADA), passes(BEN))
    assert position.waiting == (ADA,)
    assert position.open_crosses(BEN) == ()
    assert position.open_crosses(ADA) == (
        ("red", 4),
        ("red", 5),
        ("yellow", 5),
        ("yellow", 6),
        ("green", 6),
        ("green", 7),
        ("blue", 7),
        ("blue", 8),
    )
    assert after(position, cross(ADA, "yellow", 6)).sheet(ADA) == document(yellow=[6])
    assert code(position, cross(BEN, "yellow", 6)) == "not-your-turn"


@pytest.mark.parametrize(
    ("told", "open_in_blue"),
    [({}, range(2, 12)), ({"red": 1}, range(2, 12)), ({"blue": 5}, (6, 10))],
)
def test_a_die_that_was_not_told_may_show_anything(
    told: dict[str, int], open_in_blue: Sequence[int]
) -> None:
    """With a white 1 or 5 it makes 2 to 11; the 2 is blue's last number."""
    untold = {"do": "roll", "by": ADA, "white": [1, 5], "dice": told}
    rolled = after(table(ADA, BEN, Ada=FIVE_BLUE), untold)
    assert rolled.open_crosses(ADA) == (("red", 6), ("yellow", 6), ("green", 6), ("blue", 6))
    position = after(rolled, passes(BEN), cross(ADA, "yellow", 6))
    blue = [number for row, number in position.open_crosses(ADA) if row == "blue"]
    assert blue == [number for number in open_in_blue if number < 8]
    closed = after(position, cross(ADA, "blue", blue[0]))
    assert closed.closed == (() if told.get("blue") else ("blue",))


def test_equal_white_dice_make_one_sum() -> None:
    position = after(rolled(white=(2, 2), red=6), passes(ADA), passes(BEN))
    assert [number for row, number in position.open_crosses(ADA) if row == "red"] == [8]


def test_the_white_step_comes_first() -> None:
    """No colour step before the white step has ended, and no white one after it."""
    position = rolled()
    assert code(position, cross(ADA, "red", 5)) == "not-the-sum"
    position = after(position, cross(ADA, "red", 7))
    assert code(position, cross(ADA, "green", 6)) == "already-acted"
    position = after(position, passes(BEN))
    assert position.sums("yellow") == (5, 6)
    assert code(position, cross(ADA, "yellow", 7)) == "not-the-sum"
    assert code(position, cross(ADA, "green", 7)) is None, "4 white + 3 green"


def test_the_active_player_may_cross_in_both_steps_in_their_order() -> None:
    """The colour step's number has to be right of the white step's."""
    position = after(rolled(), cross(ADA, "red", 7), passes(BEN))
    assert code(position, cross(ADA, "red", 5)) == "not-ascending"
    position = after(rolled(), cross(ADA, "green", 7), passes(BEN), cross(ADA, "green", 6))
    assert position.sheet(ADA) == document(green=[7, 6])
    assert position.turn == 2


def test_both_steps_are_voluntary_and_nobody_else_takes_a_failed_roll() -> None:
    position = after(rolled(), cross(ADA, "red", 7), passes(BEN), passes(ADA))
    assert [position.sheet(player)["failed"] for player in (ADA, BEN)] == [0, 0]
    position = after(rolled(), passes(ADA), passes(BEN), cross(ADA, "red", 5))
    assert [position.sheet(player)["failed"] for player in (ADA, BEN)] == [0, 0]


def test_an_active_player_who_crosses_in_neither_step_takes_a_failed_roll() -> None:
    position = after(rolled(), passes(ADA), cross(BEN, "red", 7))
    assert not position.sheet(ADA)["failed"], "the colour step may still save it"
    assert position.passing_fails
    position = after(position, passes(ADA))
    assert totals(position) == {ADA: -5, BEN: 1}
    assert (position.turn, position.active) == (2, BEN)


def test_passing_costs_nothing_before_the_colour_step() -> None:
    assert not table(ADA, BEN).passing_fails
    assert not rolled().passing_fails
    assert not after(rolled(), cross(ADA, "red", 7), NEXT).passing_fails


def test_next_ends_the_white_step_for_those_who_have_not_acted() -> None:
    position = after(rolled(table(ADA, BEN, CY)), cross(CY, "red", 7))
    assert code(position, NEXT) == "active-must-act"
    position = after(position, passes(ADA), NEXT)
    assert position.waiting == (ADA,)
    assert position.sheet(BEN) == document()
    assert code(position, cross(BEN, "red", 7)) == "not-your-turn"


def test_the_white_step_ends_by_itself_when_everybody_has_acted() -> None:
    position = after(rolled(), cross(BEN, "red", 7))
    assert (position.in_color_step, position.waiting) == (False, (ADA,))
    position = after(position, cross(ADA, "red", 7))
    assert (position.in_color_step, position.waiting) == (True, (ADA,))
    assert position.turn == 1


# Crossing


def test_red_and_yellow_grow_and_green_and_blue_fall() -> None:
    sheet = document(red=[6], yellow=[8], green=[6], blue=[8])
    position = rolled(table(ADA, BEN, Ada=sheet))
    assert position.open_crosses(ADA) == (("red", 7), ("blue", 7))


# Locking


def locked(by: str = BEN, **sheets: dict[str, Any]) -> Qwixx:
    """A white 12, which `by` has crossed in red."""
    position = rolled(table(ADA, BEN, **{by: FIVE_RED, **sheets}), (6, 6))
    return after(position, cross(by, "red", 12))


def test_the_last_number_takes_its_lock_along() -> None:
    position = locked()
    assert position.sheet(BEN) == document(red=[2, 3, 5, 6, 8, 12], locks=["red"])
    assert position.score(BEN)["rows"]["red"] == 28, "seven crosses with the lock"


@pytest.mark.parametrize(("count", "refused"), [(4, "needs-five"), (5, None), (6, None)])
def test_it_needs_five_crosses_before(count: int, refused: str | None) -> None:
    sheet = document(blue=[12, 11, 9, 8, 6, 5][:count])
    position = rolled(table(ADA, BEN, Ben=sheet), (1, 1))
    assert code(position, cross(BEN, "blue", 2)) == refused


def test_a_fifth_cross_in_the_white_step_opens_the_lock_in_the_colour_step() -> None:
    position = rolled(table(ADA, BEN, Ada=document(red=[2, 3, 4, 5])), (5, 6), red=6)
    position = after(position, cross(ADA, "red", 11), NEXT)
    assert ("red", 12) in position.open_crosses(ADA)
    position = after(position, cross(ADA, "red", 12))
    assert position.sheet(ADA)["locks"] == ["red"]
    assert position.closed == ("red",)


def test_the_row_is_closed_for_everybody_from_the_end_of_the_step_on() -> None:
    position = locked(Ada=document(red=[4]))
    assert position.closed == ()
    assert code(position, cross(ADA, "red", 12)) == "needs-five", "open as long as the step lasts"
    position = after(position, passes(ADA))
    assert position.closed == ("red",)
    position = after(position, passes(ADA))
    position = after(position, roll(BEN, (3, 4), red=None))
    for player in (ADA, BEN):
        assert code(position, cross(player, "red", 7)) == "row-closed"
        assert not [row for row, _ in position.open_crosses(player) if row == "red"]


def test_several_players_can_lock_the_same_row_in_the_white_step() -> None:
    position = after(locked(Ada=FIVE_RED), cross(ADA, "red", 12))
    assert position.closed == ("red",)
    assert not position.over, "one row, however many have locked it"
    assert [position.sheet(player)["locks"] for player in (ADA, BEN)] == [["red"], ["red"]]


def test_the_die_of_a_closed_row_is_out_at_once() -> None:
    """“so a row closed in the white step can't be used in the colour step of that turn”"""
    position = after(locked(Ada=document(red=[4])), passes(ADA))
    assert "red" not in dict(position.colored)
    assert code(position, cross(ADA, "red", 7)) == "row-closed", "6 white + 1 red"
    assert position.sums("red") == ()
    position = after(position, passes(ADA))
    assert position.open_rows == ("yellow", "green", "blue")
    assert code(position, roll(BEN)) == "bad-dice"
    assert code(position, roll(BEN, red=None)) is None


def test_others_than_those_who_locked_it_have_no_lock() -> None:
    position = after(locked(), passes(ADA))
    assert position.sheet(ADA)["locks"] == []


# The end


def test_the_second_row_closed_in_the_white_step_ends_the_game_with_that_step() -> None:
    red = document(red=[2, 3, 5, 6, 8, 12], locks=["red"])
    blue = document(blue=[12, 11, 10, 9, 8])
    position = table(ADA, BEN, CY, Ada=red, Ben=blue, Cy=blue)
    assert position.closed == ("red",)
    position = after(rolled(position, (1, 1)), cross(CY, "blue", 2), passes(ADA))
    assert not position.over, "everybody still finishes the step"
    position = after(position, cross(BEN, "blue", 2))
    assert position.over
    assert position.closed == ("red", "blue")
    assert position.sheet(ADA)["failed"] == 0, "no colour step, and so no failed roll"
    assert (position.turn, position.active, position.waiting) == (1, ADA, ())
    assert position.winners() == (ADA, BEN, CY)


def test_two_rows_closed_in_the_same_step_end_the_game() -> None:
    sheets = {"Ada": FIVE_RED, "Ben": document(yellow=[2, 3, 4, 5, 6])}
    position = rolled(table(ADA, BEN, **sheets), (6, 6))
    position = after(position, cross(ADA, "red", 12), cross(BEN, "yellow", 12))
    assert position.over
    assert position.winners() == (ADA, BEN)


def test_the_second_row_closed_in_the_colour_step_ends_the_game() -> None:
    closed = document(red=[2, 3, 4, 5, 6, 12], locks=["red"])
    position = rolled(table(ADA, BEN, Ada=FIVE_GREEN, Ben=closed), (1, 5), green=1)
    position = after(position, passes(BEN), passes(ADA), cross(ADA, "green", 2))
    assert (position.over, position.closed) == (True, ("red", "green"))
    assert position.winners() == (ADA, BEN)


@pytest.mark.parametrize("player", [ADA, BEN])
def test_one_closed_row_and_three_failed_rolls_end_nothing(player: str) -> None:
    sheet = document(red=[2, 3, 4, 5, 6, 12], locks=["red"], failed=3)
    position = rolled(table(ADA, BEN, **{player: sheet}))
    assert not after(position, passes(ADA), NEXT, cross(ADA, "yellow", 5)).over


def test_the_fourth_failed_roll_ends_the_game() -> None:
    position = rolled(table(ADA, BEN, Ada=document(failed=3), Ben=document(red=[2])))
    position = after(position, passes(ADA), passes(BEN))
    assert not position.over
    position = after(position, passes(ADA))
    assert position.over
    assert totals(position) == {ADA: -20, BEN: 1}
    assert position.winners() == (BEN,)


# Points


@pytest.mark.parametrize(
    ("crosses", "points"), list(enumerate([0, 1, 3, 6, 10, 15, 21, 28, 36, 45, 55]))
)
def test_what_a_row_without_its_lock_is_worth(crosses: int, points: int) -> None:
    row = list(range(2, 12))[:crosses]
    assert table(ADA, BEN, Ada=document(yellow=row)).score(ADA)["rows"]["yellow"] == points


@pytest.mark.parametrize(("crosses", "points"), list(enumerate([28, 36, 45, 55, 66, 78], start=7)))
def test_what_a_row_with_its_lock_is_worth(crosses: int, points: int) -> None:
    row = [*range(12, 2, -1)][: crosses - 2]
    sheet = document(green=[*row, 2], locks=["green"])
    assert table(ADA, BEN, Ada=sheet).score(ADA)["rows"]["green"] == points


def test_the_example_of_the_rules() -> None:
    """4, 7, 0 and 8 crosses and two failed rolls: 10 + 28 + 0 + 36 − 10 = 64."""
    sheet = document(
        red=[2, 3, 4, 5],
        yellow=[2, 3, 5, 6, 8, 9, 11],
        blue=[12, 11, 10, 9, 8, 7, 2],
        locks=["blue"],
        failed=2,
    )
    assert table(ADA, BEN, Ada=sheet).score(ADA) == {
        "rows": {"red": 10, "yellow": 28, "green": 0, "blue": 36},
        "failed": -10,
        "total": 64,
    }


def test_a_tie_is_shared() -> None:
    same = document(red=[2, 3], failed=3)
    position = rolled(table(ADA, BEN, CY, Ada=same, Ben=document(), Cy=document()))
    position = after(position, passes(ADA), NEXT, passes(ADA))
    assert totals(position) == {ADA: -17, BEN: 0, CY: 0}
    assert position.winners() == (BEN, CY)


# Every refusal code of the public interface: when it comes, and when it does not


ADA, BEN, CY = "Ada", "Ben", "Cy"
BEGUN = table(ADA, BEN, CY)
ROLLED = after(BEGUN, roll(ADA, (3, 4), red=1, yellow=2, green=3, blue=4))
"""A white 7; with a white die red makes 4 or 5, yellow 5 or 6, green 6 or 7, blue 7 or 8."""
SUMS = {"red": (4, 5), "yellow": (5, 6), "green": (6, 7), "blue": (7, 8)}
COLORING = after(ROLLED, passes(ADA), NEXT)
"""Ada's colour step: everybody has passed."""
NEXT_TURN = after(COLORING, passes(ADA))
RED_CLOSED = table(ADA, BEN, Ben=document(red=[2, 3, 4, 5, 6, 12], locks=["red"]))
"""Before Ada's roll, and Ben has locked the red row."""
WITHOUT_RED = after(RED_CLOSED, roll(ADA, (3, 4), red=None))
ROLL = roll(ADA)
UNTOLD = {key: value for key, value in ROLL.items() if key != "dice"}
"""A roll that does not speak of colored dice."""


def holding(**rows: list[int]) -> Qwixx:
    """Ben has this sheet, and Ada has rolled a white 7."""
    return after(table(ADA, BEN, Ben=document(**rows)), roll(ADA, (3, 4)))


def telling(*colors: str) -> Action:
    """A white 7 with a 1 on each of these coloured dice; the others are left out."""
    return {"do": "roll", "by": ADA, "white": [3, 4], "dice": dict.fromkeys(colors, 1)}


def refused(expected: str | None, position: Qwixx, *actions: Action) -> list[tuple[Any, ...]]:
    return [(expected, position, action) for action in actions]


@pytest.mark.parametrize(
    ("expected", "position", "action"),
    [
        # roll. “A roll that follows a turn that is still open is refused”
        *refused("not-your-turn", after(ROLLED, passes(ADA)), roll(BEN)),
        *refused("not-your-turn", COLORING, roll(BEN)),
        *refused(None, NEXT_TURN, roll(BEN)),
        *refused("wrong-moment", ROLLED, ROLL),
        *refused("wrong-moment", COLORING, ROLL),
        *refused("bad-dice", BEGUN, roll(ADA, (7, 3)), roll(ADA, green=7)),
        *refused("bad-dice", BEGUN, *(roll(ADA, white) for white in ((), (3,)))),
        *refused("bad-dice", RED_CLOSED, ROLL, telling("red"), roll(ADA, yellow=None, blue=None)),
        *refused(None, RED_CLOSED, roll(ADA, red=None), telling(), telling("blue"), UNTOLD),
        *refused(None, BEGUN, *(roll(ADA, **{color: None}) for color in SUMS), UNTOLD),
        # cross and pass
        *refused("wrong-moment", BEGUN, cross(ADA, "red", 7), passes(ADA), passes(CY)),
        *refused("wrong-moment", NEXT_TURN, cross(ADA, "red", 7), passes(ADA), passes(CY)),
        *refused(
            "not-the-sum",
            ROLLED,
            *(cross(ADA, "red", number) for number in (6, 8, 2, 12, 1, 13)),
            *(cross(BEN, "blue", number) for number in (6, 8, 2, 12, 1, 13)),
        ),
        *((None if number in made else "not-the-sum", COLORING, cross(ADA, row, number))
          for row, made in SUMS.items() for number in range(-1, 15)),
        # A die that was not told may show anything: with 3 or 4 it makes 4 to 10.
        *((None if number in ((4, 5) if row == "red" else range(4, 11)) else "not-the-sum",
           after(BEGUN, telling("red"), passes(ADA), NEXT), cross(ADA, row, number))
          for row in SUMS for number in range(-1, 15)),
        *((code, after(RED_CLOSED, UNTOLD, passes(ADA), NEXT), cross(ADA, row, 5))
          for row, code in (("red", "row-closed"), ("yellow", None))),
        *refused("row-closed", WITHOUT_RED, cross(ADA, "red", 7)),
        *refused("row-closed", after(WITHOUT_RED, passes(ADA), NEXT), cross(ADA, "red", 7)),
        *refused(None, holding(red=[6]), cross(BEN, "red", 7)),
        *refused("not-ascending", holding(red=[7]), cross(BEN, "red", 7)),
        *refused("not-ascending", holding(red=[3, 8]), cross(BEN, "red", 7)),
        *refused(None, holding(blue=[8]), cross(BEN, "blue", 7)),
        *refused("not-ascending", holding(blue=[7]), cross(BEN, "blue", 7)),
        *refused("not-ascending", holding(blue=[12, 6]), cross(BEN, "blue", 7)),
        *refused("needs-five", after(BEGUN, roll(ADA, (6, 6))), cross(BEN, "yellow", 12)),
        *refused("needs-five", after(BEGUN, roll(ADA, (1, 1))), cross(BEN, "green", 2)),
        # Others do nothing in the colour step, not even those who have not acted before.
        *(("not-your-turn", position, action)
          for position in (COLORING, after(ROLLED, cross(ADA, "red", 7), NEXT))
          for action in (cross(BEN, "red", 7), cross(BEN, "red", 5), passes(BEN))),
    ],
)  # fmt: skip
def test_refusals(expected: str | None, position: Qwixx, action: Action) -> None:
    assert code(position, action) == expected


@pytest.mark.parametrize(
    ("message", "position", "action"),
    [
        ("There are 2 white dice, not 3.", BEGUN, roll(ADA, (1, 2, 3))),
        ("The red die is out of the game: its row is closed.", RED_CLOSED, ROLL),
        ("The white dice make 7, so the 8 cannot be crossed.", ROLLED, cross(BEN, "red", 8)),
        (
            "A white die and the red die make 4 or 5, so the 7 cannot be crossed.",
            COLORING,
            cross(ADA, "red", 7),
        ),
        (
            "A white die and the blue die make from 4 to 10, so the 11 cannot be crossed.",
            after(BEGUN, telling("red"), passes(ADA), NEXT),
            cross(ADA, "blue", 11),
        ),
        ("Only Ada may use the colored dice in this turn.", COLORING, passes(BEN)),
    ],
)
def test_refusals_say_what_the_player_has_to_know(
    message: str, position: Qwixx, action: Action
) -> None:
    result: Any = position.play(action)
    assert result.message == message
