"""Ones and sevens of one person, compared with each other."""

from __future__ import annotations

import pytest

from companion.vision.core import Chances
from companion.vision.grids.hand import OTHERWISE, compared


@pytest.mark.parametrize("like_seven", [0.55, 0.9])
def test_ones_that_look_like_sevens_are_read_beside_clear_sevens(like_seven: float) -> None:
    """One person wrote them all, and crosses sevens."""
    doubtful: list[Chances] = [{74: 0.6, 14: 0.35, 49: 0.05}] * 6
    clear: list[Chances] = [{17: 0.9, 77: 0.1}] * 3
    one: Chances = {7: like_seven, 1: 1 - like_seven}
    seven: Chances = {7: 0.99999, 1: 0.00001}
    four: Chances = {4: 1.0}
    beside = compared([*doubtful, *clear], [[one, four]] * 6 + [[one, seven]] * 3)
    # A person is asked about what only the comparison says.
    assert 0.8 < beside[0][14] < 0.9
    assert beside[0][49] == pytest.approx(0.05 * OTHERWISE)
    assert beside[-1][17] > 0.98


def test_a_gap_divides_ones_that_all_look_like_sevens_from_crossed_sevens() -> None:
    """The network is nearly sure of each of them."""
    numbers: list[Chances] = [{7: chance, 1: 1 - chance} for chance in (0.8, 0.9, 0.95)] * 4
    crossed: list[Chances] = [{7: 0.99995, 1: 0.00005}, {7: 0.99998, 1: 0.00002}]
    beside = compared([*numbers, *crossed], [[each] for each in (*numbers, *crossed)])
    assert [max(each, key=lambda mark: each[mark]) for each in beside] == [1] * 12 + [7] * 2
    assert max(beside[0].values()) < 0.97


def test_sevens_are_doubted_where_no_one_and_no_clear_seven_is_among_them() -> None:
    sevens: list[Chances] = [{7: 0.99, 1: 0.01}] * 4
    one: Chances = {1: 0.99, 7: 0.01}
    assert compared(sevens, [[each] for each in sevens])[0][7] < 0.97
    assert compared([*sevens, one], [[each] for each in (*sevens, one)])[0][7] == 0.99
