"""Every refusal code of the public interface, one by one: when it comes, and when it does not."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.qwixx.rules import Qwixx
from tests.kit.qwixx import NEXT, Action, after, code, cross, document, passes, roll, table

ADA, BEN, CY = "Ada", "Ben", "Cy"
HUGE = 10**30
NO_TEXT: list[Any] = [None, True, 1, 1.5, [], ["Ada"], {}]
NO_WHOLE_NUMBER: list[Any] = [None, True, "7", 7.5, [], [7], {}]


def begun() -> Qwixx:
    return table(ADA, BEN, CY)


def rolled() -> Qwixx:
    """A white 7; with a white die red makes 4 or 5, yellow 5 or 6, green 6 or 7, blue 7 or 8."""
    return after(begun(), roll(ADA, (3, 4), red=1, yellow=2, green=3, blue=4))


def coloring() -> Qwixx:
    """Ada's colour step: everybody has passed."""
    return after(rolled(), passes(ADA), NEXT)


def red_closed() -> Qwixx:
    """Before Ada's roll, and Ben has locked the red row."""
    return table(ADA, BEN, Ben=document(red=[2, 3, 4, 5, 6, 12], locks=["red"]))


# roll


def test_the_next_player_does_not_roll_while_the_turn_is_open() -> None:
    """“A roll that follows a turn that is still open is refused”"""
    assert code(after(rolled(), passes(ADA)), roll(BEN)) == "not-your-turn"
    assert code(coloring(), roll(BEN)) == "not-your-turn"
    assert code(after(coloring(), passes(ADA)), roll(BEN)) is None


def test_the_dice_are_rolled_once_in_a_turn() -> None:
    assert code(rolled(), roll(ADA)) == "wrong-moment"
    assert code(coloring(), roll(ADA)) == "wrong-moment"


@pytest.mark.parametrize("white", [None, 7, True, "34", {"a": 3, "b": 4}])
def test_white_dice_that_are_no_list_are_a_bad_action(white: Any) -> None:
    assert code(begun(), {**roll(ADA), "white": white}) == "bad-action"


@pytest.mark.parametrize("dice", [None, 7, True, "red", [], [["red", 1]]])
def test_colored_dice_that_are_no_object_are_a_bad_action(dice: Any) -> None:
    assert code(begun(), {**roll(ADA), "dice": dice}) == "bad-action"


def test_a_roll_names_both_kinds_of_dice() -> None:
    for part in ("white", "dice"):
        action = roll(ADA)
        del action[part]
        assert code(begun(), action) == "bad-action"


@pytest.mark.parametrize("value", NO_WHOLE_NUMBER)
def test_a_die_shows_a_whole_number(value: Any) -> None:
    assert code(begun(), roll(ADA, (3, value))) == "bad-action"
    assert code(begun(), {**roll(ADA), "dice": {**roll(ADA)["dice"], "blue": value}}) == (
        "bad-action"
    )


@pytest.mark.parametrize("value", [0, 7, -1, HUGE])
def test_a_die_shows_1_to_6(value: int) -> None:
    assert code(begun(), roll(ADA, (value, 3))) == "bad-dice"
    assert code(begun(), roll(ADA, green=value)) == "bad-dice"


@pytest.mark.parametrize("white", [(), (3,), (3, 4, 5)])
def test_there_are_two_white_dice(white: tuple[int, ...]) -> None:
    assert code(begun(), roll(ADA, white)) == "bad-dice"


@pytest.mark.parametrize("color", ["red", "yellow", "green", "blue"])
def test_no_die_of_an_open_row_is_missing(color: str) -> None:
    assert code(begun(), roll(ADA, **{color: None})) == "bad-dice"


@pytest.mark.parametrize("color", ["white", "orange", "Red", "", "\ud800"])
def test_a_die_of_another_color_is_refused(color: str) -> None:
    dice = {**roll(ADA)["dice"], color: 1}
    assert code(begun(), {**roll(ADA), "dice": dice}) == "bad-dice"


def test_a_die_of_a_closed_row_is_refused() -> None:
    assert code(red_closed(), roll(ADA)) == "bad-dice"
    assert code(red_closed(), roll(ADA, red=None)) is None
    assert code(red_closed(), roll(ADA, red=None, blue=None)) == "bad-dice"


# cross and pass


@pytest.mark.parametrize("action", [cross(ADA, "red", 7), passes(ADA), passes(CY)])
def test_nobody_crosses_or_passes_before_the_roll(action: Action) -> None:
    assert code(begun(), action) == "wrong-moment"
    assert code(after(coloring(), passes(ADA)), action) == "wrong-moment"


@pytest.mark.parametrize("row", [*NO_TEXT, "", "white", "Red", "red ", "orange"])
def test_an_unknown_row_is_a_bad_action(row: Any) -> None:
    assert code(rolled(), cross(BEN, row, 7)) == "bad-action"


@pytest.mark.parametrize("number", NO_WHOLE_NUMBER)
def test_a_number_is_a_whole_number(number: Any) -> None:
    assert code(rolled(), cross(BEN, "red", number)) == "bad-action"


@pytest.mark.parametrize("number", [6, 8, 2, 12, 0, 1, 13, -7, HUGE])
def test_in_the_white_step_only_the_white_sum_is_crossed(number: int) -> None:
    assert code(rolled(), cross(ADA, "red", number)) == "not-the-sum"
    assert code(rolled(), cross(BEN, "blue", number)) == "not-the-sum"


@pytest.mark.parametrize("number", range(-1, 15))
def test_in_the_colour_step_a_white_die_and_the_rows_die_make_the_number(number: int) -> None:
    sums = {"red": (4, 5), "yellow": (5, 6), "green": (6, 7), "blue": (7, 8)}
    for row, made in sums.items():
        expected = None if number in made else "not-the-sum"
        assert code(coloring(), cross(ADA, row, number)) == expected


def test_a_closed_row_takes_no_cross() -> None:
    position = after(red_closed(), roll(ADA, (3, 4), red=None))
    assert code(position, cross(ADA, "red", 7)) == "row-closed"
    assert code(after(position, passes(ADA), NEXT), cross(ADA, "red", 7)) == "row-closed"


@pytest.mark.parametrize(
    ("row", "crossed", "fits"),
    [
        ("red", [6], True),
        ("red", [7], False),
        ("red", [3, 8], False),
        ("blue", [8], True),
        ("blue", [7], False),
        ("blue", [12, 6], False),
    ],
)
def test_a_number_left_of_or_at_the_last_cross_is_not_crossed(
    row: str, crossed: list[int], fits: bool
) -> None:
    position = after(table(ADA, BEN, Ben=document(**{row: crossed})), roll(ADA, (3, 4)))
    assert code(position, cross(BEN, row, 7)) == (None if fits else "not-ascending")


@pytest.mark.parametrize(("row", "white"), [("yellow", (6, 6)), ("green", (1, 1))])
def test_the_last_number_needs_five_crosses(row: str, white: tuple[int, int]) -> None:
    position = after(begun(), roll(ADA, white))
    assert code(position, cross(BEN, row, sum(white))) == "needs-five"


@pytest.mark.parametrize("action", [cross(BEN, "red", 7), cross(BEN, "red", 5), passes(BEN)])
def test_others_do_nothing_in_the_colour_step(action: Action) -> None:
    assert code(coloring(), action) == "not-your-turn"
    position = after(rolled(), cross(ADA, "red", 7), NEXT)
    assert code(position, action) == "not-your-turn", "not even those who have not acted"


# next


def test_every_refusal_says_what_is_wrong() -> None:
    """The sentences, filled in with what the player has to know."""
    told = {
        "There are 2 white dice, not 3.": (begun(), roll(ADA, (1, 2, 3))),
        "The blue die is missing: it is rolled as long as its row is open.": (
            begun(),
            roll(ADA, blue=None),
        ),
        "The red die is out of the game: its row is closed.": (red_closed(), roll(ADA)),
        "The white dice make 7, so the 8 cannot be crossed.": (rolled(), cross(BEN, "red", 8)),
        "A white die and the red die make 4 or 5, so the 7 cannot be crossed.": (
            coloring(),
            cross(ADA, "red", 7),
        ),
        "Only Ada may use the colored dice in this turn.": (coloring(), passes(BEN)),
    }
    for message, (position, action) in told.items():
        result: Any = position.play(action)
        assert result.message == message
