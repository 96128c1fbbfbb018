"""Every refusal code of the public interface, one by one: when it comes, and when it does not."""

from typing import Any

import pytest

from companion.games.qwinto_dice.rules import QwintoDice
from tests.kit.games import (
    NEXT,
    Action,
    after,
    code,
    document,
    passes,
    roll,
    table,
    write,
)

HUGE = 10**30
NO_TEXT: list[Any] = [None, True, 1, 1.5, [], ["Tim"], {}]


def start() -> QwintoDice:
    return table("Tim", "Sarah", "Linus")


def rolled() -> QwintoDice:
    """Tim has called a 9 for purple or yellow."""
    return after(start(), roll("Tim", purple=4, yellow=5))


def test_composed_and_decomposed_names_are_the_same() -> None:
    position = table("Zo\u00eb", "Tim")
    assert code(position, roll("Zoe\u0308", orange=1)) is None


def test_the_next_player_does_not_roll_while_the_turn_is_open() -> None:
    """“Nothing else closes it: the next player's `roll` in an open turn is refused.”"""
    position = after(rolled(), passes("Tim"))
    assert code(position, roll("Sarah", orange=1)) == "not-your-turn"
    position = after(position, passes("Sarah"))
    assert code(position, roll("Sarah", orange=1)) == "not-your-turn"


@pytest.mark.parametrize("action", [write("Tim", "yellow", 1), passes("Tim"), passes("Linus")])
def test_nobody_writes_or_passes_before_the_roll(action: Action) -> None:
    assert code(start(), action) == "wrong-moment"


def test_the_last_turns_call_is_not_written_in_the_next_turn() -> None:
    position = after(rolled(), passes("Tim"), NEXT)
    assert code(position, write("Linus", "yellow", 5)) == "wrong-moment"


@pytest.mark.parametrize("dice", [None, True, 6, "orange", [], ["orange"], [["orange", 1]], {}])
def test_dice_of_another_type_or_none_at_all_are_a_bad_action(dice: Any) -> None:
    assert code(start(), {"do": "roll", "by": "Tim", "dice": dice}) == "bad-action"


def test_a_roll_without_dice_is_a_bad_action() -> None:
    assert code(start(), {"do": "roll", "by": "Tim"}) == "bad-action"


def test_four_dice_are_too_many() -> None:
    dice = {"orange": 1, "yellow": 1, "purple": 1, "green": 1}
    assert code(start(), roll("Tim", **dice)) in ("bad-action", "bad-dice")


@pytest.mark.parametrize("color", ["green", "gray", "Orange", "", "\ud800"])
def test_a_die_of_another_color_is_refused(color: str) -> None:
    assert code(start(), roll("Tim", **{color: 1})) in ("bad-action", "bad-dice")


@pytest.mark.parametrize("value", [0, 7, -1, 18, HUGE])
def test_a_die_shows_1_to_6(value: int) -> None:
    assert code(start(), roll("Tim", orange=value)) == "bad-dice"
    assert code(start(), roll("Tim", orange=3, yellow=value)) == "bad-dice"


@pytest.mark.parametrize("value", [None, True, "6", 2.5, float("nan"), float("inf"), [6], {}])
def test_a_die_of_another_type_is_a_bad_action(value: Any) -> None:
    assert code(start(), roll("Tim", orange=value)) == "bad-action"


def test_no_rolls_are_left_after_the_second_or_once_somebody_has_acted() -> None:
    again = roll("Tim", purple=1, yellow=1)
    assert code(rolled(), again) is None
    assert code(after(rolled(), again), again) == "no-rolls-left"
    assert code(after(rolled(), write("Sarah", "yellow", 1)), again) == "no-rolls-left"
    assert code(after(rolled(), passes("Linus")), again) == "no-rolls-left"
    assert code(after(rolled(), passes("Tim")), again) in ("no-rolls-left", "already-acted")


def test_a_second_roll_may_name_the_dice_in_another_order() -> None:
    assert code(rolled(), roll("Tim", yellow=1, purple=1)) is None


@pytest.mark.parametrize("row", [*NO_TEXT, "gray", "Yellow", "yellow ", "", "y"])
def test_an_unknown_row_is_a_bad_action(row: Any) -> None:
    assert code(rolled(), write("Tim", row, 1)) == "bad-action"


@pytest.mark.parametrize("field", [None, True, "1", 1.5, float("nan"), float("-inf"), [1], {}])
def test_a_field_of_another_type_is_a_bad_action(field: Any) -> None:
    assert code(rolled(), write("Tim", "yellow", field)) == "bad-action"


@pytest.mark.parametrize("missing", ["row", "field"])
def test_a_write_without_row_or_field_is_a_bad_action(missing: str) -> None:
    action = write("Tim", "yellow", 1)
    del action[missing]
    assert code(rolled(), action) == "bad-action"


@pytest.mark.parametrize("field", [0, 10, -1, -9, 12, HUGE, -HUGE])
def test_a_row_has_the_fields_1_to_9(field: int) -> None:
    assert code(rolled(), write("Tim", "yellow", field)) == "no-such-field"


def test_a_taken_field_is_refused() -> None:
    sheet = document(yellow=[None] * 4 + [7] + [None] * 4)
    position = after(table("Tim", "Sarah", Tim=sheet), roll("Tim", purple=4, yellow=5))
    assert code(position, write("Tim", "yellow", 5)) == "field-taken"
    assert code(position, write("Sarah", "yellow", 5)) is None


@pytest.mark.parametrize("number", [9, 10])
def test_a_number_that_does_not_ascend_is_refused(number: int) -> None:
    sheet = document(yellow=[None, number, *[None] * 7])
    position = after(table("Tim", "Sarah", Tim=sheet), roll("Tim", purple=4, yellow=5))
    assert code(position, write("Tim", "yellow", 9)) == "not-ascending"


def test_a_number_repeated_in_its_column_is_refused() -> None:
    sheet = document(orange=[9, *[None] * 8])
    position = after(table("Tim", "Sarah", Tim=sheet), roll("Tim", purple=4, yellow=5))
    assert code(position, write("Tim", "yellow", 2)) == "repeated-in-column"
    assert code(position, write("Tim", "purple", 3)) == "repeated-in-column"
    assert code(position, write("Tim", "yellow", 3)) is None


def test_a_refusal_says_in_words_what_is_wrong() -> None:
    sheet = document(yellow=[None, 12, *[None] * 7])
    position = after(table("Tim", "Sarah", Tim=sheet), roll("Tim", purple=4, yellow=5))
    refusal = position.refusal("Tim", "yellow", 5)
    assert refusal is not None
    assert "9" in refusal.message
    assert "12" in refusal.message
    assert "%(" not in refusal.message
