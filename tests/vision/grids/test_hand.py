"""Digits of one person, compared with each other."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from companion.vision.core import Chances
from companion.vision.grids.hand import OTHERWISE, Floats, compared, likened, shape


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


def _drawn(points: list[tuple[int, int]], at: int = 0) -> Floats:
    picture = np.zeros((40, 40), np.float32)
    cv2.polylines(picture, [np.array([(x + at, y) for x, y in points])], False, 1.0, 3)
    return shape(picture)


THREE = [(12, 8), (26, 8), (18, 18), (27, 26), (20, 33), (11, 30)]
FIVE = [(27, 7), (14, 7), (13, 18), (24, 19), (26, 28), (19, 34), (11, 31)]


def test_a_digit_is_read_like_the_clear_ones_of_its_person() -> None:
    """A five that looks like a three to all but those who know this person's fives."""
    doubtful: Chances = {3: 0.6, 5: 0.3, 35: 0.05}
    clear: list[Chances] = [{3: 0.99}, {5: 0.99}] * 3
    digits: list[list[Chances]] = [[{3: 0.6, 5: 0.4}], *([[{3: 1.0}], [{5: 1.0}]] * 3)]
    shapes = [[_drawn(FIVE, at=2)], *([[_drawn(THREE)], [_drawn(FIVE)]] * 3)]
    found = likened([doubtful, *clear], digits, shapes)
    assert max(found[0], key=lambda mark: found[0][mark]) == 5
    # Somebody is asked where the comparison alone says so; other counts of digits stay as likely.
    assert found[0][5] < OTHERWISE
    assert found[0][35] == pytest.approx(0.05 * OTHERWISE)
    alike = likened([{5: 0.8, 3: 0.15}, *clear], digits, shapes)[0]
    assert alike[5] > 0.85
    assert sum(alike.values()) == pytest.approx(0.95)
    assert likened([doubtful, *clear], digits, [[] for _ in shapes])[0] == doubtful


def test_digits_of_one_number_are_not_compared_with_each_other() -> None:
    number: Chances = {33: 0.98, 35: 0.01, 55: 0.005}
    pair: list[Chances] = [{3: 0.9, 5: 0.1}] * 2
    assert likened([number], [pair], [[_drawn(THREE), _drawn(FIVE)]])[0] == pytest.approx(number)
