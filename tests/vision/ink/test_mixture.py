"""Fields of one sheet are judged in the light of each other."""

from __future__ import annotations

import pytest

from companion.vision.ink.mixture import compared


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


def test_a_marks_kinds_keep_their_proportion_and_ink_that_is_none_its_share() -> None:
    empty, marked = {"open": 1.0, "crossed": 0.0, "circled": 0.0}, {"open": 0.2, "crossed": 0.6}
    first, *_ = compared([{**marked, "circled": 0.15}, *[empty] * 30], "open")
    assert first["open"] < 0.2
    assert first["crossed"] / first["circled"] == pytest.approx(4)
    assert sum(first.values()) == pytest.approx(1 - (1 - first["open"]) * 0.05 / 0.8)
