"""Opinions on one field."""

import pytest

from companion.vision.core import Chances
from companion.vision.ink.opinions import GAP, number_chances, pooled


def test_digits_are_joined_from_the_right() -> None:
    none: Chances = {None: 1.0}
    assert number_chances([none, none, none]) == {None: 1.0}
    assert number_chances([none, {1: 1.0}, {4: 1.0}]) == {14: 1.0}
    assert number_chances([{1: 1.0}, {0: 1.0}, {8: 1.0}]) == {108: 1.0}
    assert number_chances([none, none, {0: 1.0}]) == {0: 1.0}


def test_boxes_may_be_filled_from_the_left_too() -> None:
    none: Chances = {None: 1.0}
    assert number_chances([{5: 1.0}, none, none]) == {5: 1.0}
    assert number_chances([{1: 1.0}, {0: 1.0}, none]) == {10: 1.0}


def test_a_last_box_that_may_hold_a_digit_speaks_for_one() -> None:
    """Most people fill the boxes from the right, so that the last one is seldom empty."""
    chances = number_chances([{None: 1.0}, {5: 1.0}, {None: 0.6, 1: 0.4}])
    assert chances[51] == pytest.approx(0.4)
    assert 0 < chances[5] < 0.1


def test_a_number_with_a_gap_is_hardly_one() -> None:
    assert number_chances([{1: 1.0}, {None: 1.0}, {5: 1.0}]) == {15: pytest.approx(GAP)}


# Two networks' opinions


def test_two_that_agree_are_surer_than_one() -> None:
    both = pooled({4: 0.95, 9: 0.04}, {4: 0.97, 9: 0.02}, range(1, 19))
    assert 0.95 < both[4] < 1


def test_two_that_contradict_each_other_leave_a_doubt() -> None:
    both = pooled({4: 0.97, 9: 0.02}, {9: 0.97, 4: 0.02}, range(1, 19))
    assert both[4] < 0.95
    assert both[9] > 0.03
    assert set(both) == {4, 9}


def test_a_number_that_the_field_cannot_hold_is_unreadable() -> None:
    both = pooled({4: 0.6}, {41: 0.98, 4: 0.01}, range(1, 19))
    assert 41 not in both
    assert sum(both.values()) < 0.5


def test_what_only_the_second_one_sees_is_a_candidate() -> None:
    both = pooled({4: 0.4}, {7: 0.9, None: 0.05}, range(1, 19))
    assert set(both) == {4, 7, None} or set(both) == {4, 7}
    assert 0 < both[7] < 0.9
