"""Kniffel by examples from `facts/kniffel.md`: what fields are worth, turns, jokers, the end."""

from __future__ import annotations

from typing import Any

import pytest

from companion.core.signs import brought
from companion.games.kniffel.sheet import KniffelSheet, worth
from companion.games.scoring import filled_sheet
from tests.games.kniffel.oracle import table
from tests.kit.oracles.kniffel import EVERY_ROLL, PRINTED, plain_points
from tests.kit.play import after, code

ANNA, BEN = "Anna", "Ben"


def roll(*dice: int, by: str = ANNA) -> dict[str, Any]:
    return {"do": "roll", "by": by, "dice": list(dice)}


def write(field: str, by: str = ANNA, **typed: Any) -> dict[str, Any]:
    return {"do": "write", "by": by, "field": field, **typed}


@pytest.mark.parametrize(
    ("dice", "field", "points"),
    [
        ((1, 1, 4, 5, 1), "ones", 3),
        ((2, 3, 4, 5, 6), "ones", 0),
        ((6, 6, 6, 2, 1), "sixes", 18),
        ((3, 3, 3, 2, 6), "three-of-a-kind", 17),
        ((3, 3, 2, 2, 6), "three-of-a-kind", 0),
        ((5, 5, 5, 5, 1), "four-of-a-kind", 21),
        ((5, 5, 5, 2, 2), "full-house", 25),
        ((5, 5, 5, 5, 5), "full-house", 0),
        ((1, 3, 4, 5, 6), "small-straight", 30),
        ((1, 2, 3, 4, 4), "small-straight", 30),
        ((1, 2, 3, 5, 6), "small-straight", 0),
        ((2, 3, 4, 5, 6), "large-straight", 40),
        ((1, 2, 3, 4, 6), "large-straight", 0),
        ((4, 4, 4, 4, 4), "kniffel", 50),
        ((1, 2, 3, 5, 6), "chance", 17),
    ],
)
def test_dice_are_worth_what_the_table_says(dice: tuple[int, ...], field: str, points: int) -> None:
    assert worth(KniffelSheet(), field, dice) == points


def test_every_roll_is_worth_what_the_referee_counts() -> None:
    sheet = KniffelSheet()
    for dice in EVERY_ROLL[::7]:
        for field in PRINTED:
            assert worth(sheet, field, dice) == plain_points(field, list(dice))


def test_the_write_closes_the_turn_and_the_last_roll_counts() -> None:
    position = after(table(ANNA, BEN), roll(1, 1, 1, 2, 3), roll(1, 1, 1, 1, 3), write("ones"))
    assert position.sheet_of(ANNA).at("ones") == 4
    assert (position.turn, position.active, position.dice) == (2, BEN, ())


REFUSED: dict[str, tuple[tuple[dict[str, Any], ...], dict[str, Any], str]] = {
    "another player's turn": ((), roll(1, 2, 3, 4, 5, by=BEN), "not-your-turn"),
    "a fourth roll": ((roll(1, 2, 3, 4, 5),) * 3, roll(1, 2, 3, 4, 5), "no-rolls-left"),
    "four dice": ((), roll(1, 2, 3, 4), "bad-dice"),
    "a seven": ((), roll(1, 2, 3, 4, 7), "bad-dice"),
    "writing before a roll": ((), write("ones"), "wrong-moment"),
    "passing": ((roll(1, 2, 3, 4, 5),), {"do": "pass", "by": ANNA}, "bad-action"),
    "closing the turn": ((roll(1, 2, 3, 4, 5),), {"do": "next"}, "bad-action"),
    "a sum": ((roll(1, 2, 3, 4, 5),), write("sum.upper"), "no-such-field"),
    "points that no dice give": ((), write("twos", points=3), "points-impossible"),
    "24 for a full house": ((), write("full-house", points=24), "points-impossible"),
    "a chance of nothing": ((), write("chance", points=0), "points-impossible"),
    "a field twice": (
        (write("ones", points=3), write("ones", by=BEN, points=0)),
        write("ones", points=2),
        "field-taken",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_rules_do_not_allow_is_refused(case: str) -> None:
    before, action, refused = REFUSED[case]
    assert code(after(table(ANNA, BEN), *before), action) == refused


def joker_table(**filled: int) -> Any:
    """Anna alone, with these fields filled by typed points."""
    position = table(ANNA, jokers="forced")
    for field, points in filled.items():
        position = after(position, write(field.replace("_", "-"), points=points))
    return position


FIVES = roll(5, 5, 5, 5, 5)
LOWER = {
    "three_of_a_kind": 5,
    "four_of_a_kind": 5,
    "full_house": 0,
    "small_straight": 0,
    "large_straight": 0,
    "chance": 5,
}


def test_a_joker_goes_to_the_upper_field_of_its_number_first() -> None:
    position = after(joker_table(kniffel=50), FIVES)
    assert code(position, write("full-house")) == "joker-first"
    written = after(position, write("fives"))
    assert written.score(ANNA) == {
        "upper": 25,
        "bonus": 0,
        "lower": 50,
        "extra": 100,
        "total": 175,
    }


@pytest.mark.parametrize(
    ("field", "points"), [("full-house", 25), ("small-straight", 30), ("large-straight", 40)]
)
def test_a_joker_has_full_points_below_where_its_number_is_taken(field: str, points: int) -> None:
    written = after(joker_table(kniffel=50, fives=20), FIVES, write(field))
    assert written.sheet_of(ANNA).at(field) == points
    assert written.score(ANNA)["extra"] == 100


def test_a_joker_is_struck_out_above_only_where_nothing_is_open_below() -> None:
    position = after(joker_table(kniffel=50, fives=20), FIVES)
    assert code(position, write("ones")) == "joker-first"
    full_below = after(joker_table(kniffel=50, fives=20, **LOWER), FIVES, write("ones"))
    assert full_below.sheet_of(ANNA).at("ones") == 0


def test_a_kniffel_that_was_struck_out_brings_a_joker_without_extra_points() -> None:
    written = after(joker_table(kniffel=0, fives=20), FIVES, write("full-house"))
    assert (written.sheet_of(ANNA).at("full-house"), written.score(ANNA)["extra"]) == (25, 0)


def test_a_typed_joker_says_that_it_brings_extra_points() -> None:
    position = joker_table(kniffel=50, fives=20)
    assert code(position, write("three-of-a-kind", points=24, extra=True)) == "points-impossible"
    typed = after(position, write("three-of-a-kind", points=25, extra=True))
    assert typed.score(ANNA)["extra"] == 100
    assert after(position, write("three-of-a-kind", points=25)).score(ANNA)["extra"] == 0


def test_five_alike_are_what_they_are_where_no_jokers_are_played() -> None:
    position = after(table(ANNA), write("kniffel", points=50), FIVES, write("full-house"))
    assert position.score(ANNA)["total"] == 50


PROBLEMS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "none": ({"ones": 3, "kniffel": 50}, []),
    "points that no dice give": ({"twos": 3, "full-house": 24}, ["number-out-of-range"] * 2),
    "an extra without a Kniffel": ({"jokers": "forced", "extra": 1}, ["extra-without-kniffel"]),
    "an extra where none is played": ({"kniffel": 50, "extra": 1}, ["extra-without-kniffel"]),
    "an extra": ({"jokers": "forced", "kniffel": 50, "extra": 2}, []),
}


@pytest.mark.parametrize("case", PROBLEMS)
def test_a_sheet_tells_all_its_problems(case: str) -> None:
    document, codes = PROBLEMS[case]
    sheet = KniffelSheet.from_document({"sheet": "kniffel", **document})
    assert [problem.code for problem in sheet.problems()] == codes


def test_a_line_that_is_struck_out_is_what_the_turn_brought() -> None:
    struck = {"sheet": "kniffel", "jokers": "none", "sixes": 0}
    signs = brought(filled_sheet({**struck, "sixes": None}), filled_sheet(struck))
    assert [sign.text for sign in signs] == ["0"]
