"""Ink and rules together: the rules decide between close readings and never against clear ink."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from companion.core.sheet import EMPTY
from companion.games.catalog import SHEETS
from companion.games.qwinto.sheet import COLUMNS
from companion.vision.core import Chances
from companion.vision.weighing import GAP, number_chances, weigh

QWINTO, ENCORE, TALLY = (SHEETS[name] for name in ("qwinto", "encore", "tally"))


def ink(sheet: str, written: Mapping[str, Chances]) -> dict[str, Chances]:
    """An otherwise clearly empty pad."""
    board = SHEETS[sheet].usual_board
    return {
        field.id: written.get(field.id, {EMPTY[field.kind]: 1.0})
        for field in SHEETS[sheet].paper(board).fields
    }


def test_clear_ink_is_read_as_it_is() -> None:
    read = weigh(QWINTO, "", ink("qwinto", {"orange.1": {3: 0.9999}, "failed.1": {True: 0.9999}}))
    assert read.marks["orange.1"] == 3
    assert read.marks["failed.1"] is True
    assert read.marks["yellow.4"] is None
    assert read.unsure == ()


def test_the_rules_decide_between_close_readings() -> None:
    """A one with a flag or a seven with a bar: between 3 and 9 it can only be the seven."""
    written: dict[str, Chances] = {
        "orange.3": {3: 0.9999},
        "orange.4": {1: 0.6, 7: 0.4},
        "orange.5": {9: 0.9999},
    }
    read = weigh(QWINTO, "", ink("qwinto", written))
    assert read.marks["orange.4"] == 7
    assert read.fields["orange.4"].confidence > 0.98
    assert read.fields["orange.4"].others[0][0] == 1


def test_a_column_without_repeats_decides_too() -> None:
    column = set(COLUMNS["orange"]) & set(COLUMNS["yellow"])
    orange, yellow = (COLUMNS[color].index(min(column)) + 1 for color in ("orange", "yellow"))
    written: dict[str, Chances] = {
        f"orange.{orange}": {4: 0.4, 9: 0.6},
        f"yellow.{yellow}": {9: 0.9999},
    }
    read = weigh(QWINTO, "", ink("qwinto", written))
    assert read.marks[f"orange.{orange}"] == 4


@pytest.mark.parametrize("sure", [0.99999, 1.0])
def test_who_breaks_a_rule_in_clear_ink_is_read_so(sure: float) -> None:
    written: dict[str, Chances] = {"orange.3": {9: sure, 3: 1 - sure}, "orange.4": {7: sure}}
    read = weigh(QWINTO, "", ink("qwinto", written))
    assert (read.marks["orange.3"], read.marks["orange.4"]) == (9, 7)
    assert QWINTO.marked("", read.marks).problems


def test_what_the_rules_had_to_push_far_is_unsure() -> None:
    written: dict[str, Chances] = {"orange.3": {9: 0.995, 3: 0.005}, "orange.4": {7: 0.99999}}
    read = weigh(QWINTO, "", ink("qwinto", written))
    assert "orange.3" in read.unsure


def test_ink_that_says_nothing_is_unsure_with_its_likeliest_values() -> None:
    read = weigh(QWINTO, "", ink("qwinto", {"purple.2": {5: 0.3, 6: 0.1, None: 0.01}}))
    assert read.unsure == ("purple.2",)
    assert read.marks["purple.2"] == 5
    assert read.fields["purple.2"].confidence < 0.5


def test_a_hand_that_is_hard_to_read_is_looked_at_more_closely() -> None:
    """Mistakes come together: who writes one four like a nine writes them all so."""
    likely: dict[str, Chances] = {"orange.1": {1: 0.99, 2: 0.01}}
    unclear: dict[str, Chances] = {
        f"yellow.{number}": {number + 3: 0.6, number + 4: 0.4} for number in (1, 4, 7, 9)
    }
    assert "orange.1" not in weigh(QWINTO, "", ink("qwinto", likely)).unsure
    assert "orange.1" in weigh(QWINTO, "", ink("qwinto", likely | unclear)).unsure


@pytest.mark.parametrize("unclear", [0, 4, 6, 12])
def test_doubt_stays_however_much_else_is_unclear(unclear: int) -> None:
    """The ways to read a sheet that are kept are too few to hold every doubt."""
    written: dict[str, Chances] = {
        f"round.{1 + place // 2}.player.{1 + place % 2}": {11: 0.52, 17: 0.48}
        for place in range(unclear)
    }
    read = weigh(TALLY, "", ink("tally", {**written, "round.8.player.1": {41: 0.9, 91: 0.1}}))
    assert "round.8.player.1" in read.unsure
    assert read.fields["round.8.player.1"].confidence < 0.95
    assert read.fields["round.8.player.1"].others[0][0] == 91


def test_the_least_sure_field_comes_first() -> None:
    written: dict[str, Chances] = {"orange.1": {1: 0.9, 7: 0.1}, "purple.1": {1: 0.6, 7: 0.4}}
    assert weigh(QWINTO, "", ink("qwinto", written)).unsure == ("purple.1", "orange.1")


def test_a_box_that_fills_a_claimed_column_is_read_as_crossed() -> None:
    column = {f"H{row}": {True: 0.9999, False: 0.0001} for row in (1, 2, 3, 4, 5, 6)}
    written: dict[str, Chances] = {
        **column,
        "H7": {True: 0.4, False: 0.6},
        "column.H.first": {"circled": 0.9999},
    }
    read = weigh(ENCORE, "black", ink("encore", written))
    assert read.marks["H7"] is True
    assert not ENCORE.marked("black", read.marks).problems


def test_jokers_are_crossed_from_the_left() -> None:
    written: dict[str, Chances] = {
        "joker.1": {True: 0.5, False: 0.5},
        "joker.2": {True: 0.9999, False: 0.0001},
    }
    assert weigh(ENCORE, "black", ink("encore", written)).marks["joker.1"] is True


def test_digits_are_joined_from_the_right() -> None:
    none: Chances = {None: 1.0}
    assert number_chances([none, none, none]) == {None: 1.0}
    assert number_chances([none, {1: 1.0}, {4: 1.0}]) == {14: 1.0}
    assert number_chances([{1: 1.0}, {0: 1.0}, {8: 1.0}]) == {108: 1.0}
    assert number_chances([none, none, {0: 1.0}]) == {0: 1.0}


def test_a_number_written_too_far_left_is_read_with_less_trust() -> None:
    chances = number_chances([{5: 1.0}, {None: 1.0}, {None: 1.0}])
    assert list(chances) == [5]
    assert 0 < chances[5] < 0.5


def test_a_number_with_a_gap_is_never_sure() -> None:
    gap = number_chances([{1: 1.0}, {None: 1.0}, {5: 1.0}])
    assert gap == {15: pytest.approx(GAP)}
    read = weigh(TALLY, "", ink("tally", {"round.1.player.1": gap}))
    assert read.marks["round.1.player.1"] == 15
    assert read.unsure == ("round.1.player.1",)
