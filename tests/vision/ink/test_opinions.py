"""Several opinions on one field are joined; the fields of a sheet are judged together."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from companion.core.sheet import Field, Kind
from companion.vision.core import Chances
from companion.vision.ink import sums
from companion.vision.ink.mixture import compared
from companion.vision.ink.opinions import number_chances, pooled, second_opinions, sharpened
from companion.vision.weighing import SLIP_ODDS

NONE: Chances = {None: 1.0}


@pytest.mark.parametrize(
    ("boxes", "chances"),
    [
        ([NONE, NONE, NONE], NONE),
        ([NONE, {1: 1.0}, {4: 1.0}], {14: 1.0}),
        ([{1: 1.0}, {0: 1.0}, {8: 1.0}], {108: 1.0}),
        ([NONE, NONE, {0: 1.0}], {0: 1.0}),
        # They may have been filled from the left, or the last digit is beside its box.
        ([{5: 1.0}, NONE, NONE], {5: 0.5}),
        ([{1: 1.0}, {0: 1.0}, NONE], {10: 0.5}),
        # With a gap, it is hardly a number.
        ([{1: 1.0}, NONE, {5: 1.0}], {15: pytest.approx(1 / SLIP_ODDS)}),
    ],
)
def test_digits_are_joined(boxes: list[Chances], chances: Chances) -> None:
    assert number_chances(boxes) == chances


def test_a_last_box_that_may_hold_a_digit_speaks_for_one() -> None:
    """Most people fill the boxes from the right, so that the last one is seldom empty."""
    chances = number_chances([{None: 1.0}, {5: 1.0}, {None: 0.6, 1: 0.4}])
    assert chances[51] == pytest.approx(0.4)
    assert 0 < chances[5] < 0.1


def test_scribbles_in_all_boxes_leave_the_likeliest_number() -> None:
    chances = number_chances([{None: 1e-4, 1: 1e-5}] * 4)
    assert max(chances, key=lambda mark: chances[mark]) is None


# Two networks' opinions


def test_two_networks_that_agree_are_surer_than_one() -> None:
    both = pooled({4: 0.95, 9: 0.04}, {4: 0.97, 9: 0.02}, range(1, 19))
    assert 0.95 < both[4] < 1


def test_two_networks_that_contradict_each_other_leave_a_doubt() -> None:
    both = pooled({4: 0.97, 9: 0.02}, {9: 0.97, 4: 0.02}, range(1, 19))
    assert both[4] < 0.95
    assert both[9] > 0.03
    assert set(both) == {4, 9}


def test_a_number_that_the_field_cannot_hold_is_unreadable() -> None:
    both = pooled({4: 0.6}, {41: 0.98, 4: 0.01}, range(1, 19))
    assert 41 not in both
    assert sum(both.values()) < 0.5


def test_a_number_that_only_the_second_network_sees_is_a_candidate() -> None:
    both = pooled({4: 0.4}, {7: 0.9, None: 0.05}, range(1, 19))
    assert set(both) == {4, 7, None} or set(both) == {4, 7}
    assert 0 < both[7] < 0.9


@pytest.mark.parametrize(("kind", "least"), [("number", 0.7), ("digits", 0.5)])
def test_the_second_network_counts_less_in_round_fields(
    kind: Kind, least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sums, "read", lambda *_: {"here": {18: 0.9, 13: 0.05}})
    field = cast("Field", SimpleNamespace(id="here", kind=kind, box=None, numbers=range(1, 19)))
    found = second_opinions(np.zeros((1, 1)), [field], {"here": {13: 0.8, 18: 0.15}})
    assert least < found["here"][13] < least + 0.1


def test_what_several_looks_have_in_common_is_surer_than_their_mean() -> None:
    sure = sharpened({14: 0.95, 19: 0.03, None: 0.01})
    assert 0.97 < sure[14] < 1
    assert sure[19] > sure[None]
    assert 0.99 < sum(sure.values()) <= 1


# The fields of one sheet are judged together


def crosses(*marked: float) -> list[dict[bool, float]]:
    return [{False: 1 - each, True: each} for each in marked]


def test_in_grainy_light_a_field_much_paler_than_all_crosses_is_empty() -> None:
    found = compared(crosses(*[0.7] * 5, *[0.02] * 20, *[0.99999] * 25), False)
    assert all(each[True] < 0.1 for each in found[:25])
    assert all(each[True] > 0.99 for each in found[25:])


def test_faint_crosses_are_crosses_beside_fields_that_are_clearly_empty() -> None:
    found = compared(crosses(*[0.3] * 10, *[1e-5] * 40), False)
    assert all(each[True] > 0.9 for each in found[:10])
    assert all(each[True] < 0.01 for each in found[10:])


def test_fields_between_both_stay_unclear() -> None:
    found = compared(crosses(*[1e-4] * 20, 0.02, 0.5, 0.98, *[0.9999] * 20), False)
    assert 0.1 < found[21][True] < 0.9


@pytest.mark.parametrize("chance", [1e-9, 1 - 1e-9])
def test_a_sheet_of_equal_fields_is_read_as_each_of_them(chance: float) -> None:
    found = compared(crosses(*[chance] * 40), False)
    assert all(each[True] == pytest.approx(chance, abs=0.01) for each in found)


def test_marks_keep_their_proportions_and_unreadable_ink_keeps_its_share() -> None:
    empty, marked = {"open": 1.0, "crossed": 0.0, "circled": 0.0}, {"open": 0.2, "crossed": 0.6}
    first, *_ = compared([{**marked, "circled": 0.15}, *[empty] * 30], "open")
    assert first["open"] < 0.2
    assert first["crossed"] / first["circled"] == pytest.approx(4)
    assert sum(first.values()) == pytest.approx(1 - (1 - first["open"]) * 0.05 / 0.8)
