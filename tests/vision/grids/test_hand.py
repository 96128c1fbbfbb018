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
    assert compared(doubtful, [[one, four]] * 6) == doubtful
