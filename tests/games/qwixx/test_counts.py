"""Counts of action trees in fixed positions, as perft is for chess.

The numbers were counted by the naive referee (`tests.kit.oracles.qwixx`) trying everything that
could ever be legal; the first ones are derived by hand as well. No clever bug survives them all.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from companion.games.qwixx.sheet import QwixxSheet
from tests.games.qwixx.actions import Action, document, roll, table
from tests.kit import play
from tests.kit.games import NAMES
from tests.kit.oracles.qwixx import PRINTED, Referee

TWO, THREE = NAMES[:2], NAMES[:3]

LATE = {
    "Tim": document(red=[2, 3, 5, 8, 9], yellow=[4, 7], green=[12, 10, 9, 6, 5, 4], failed=2),
    "Sarah": document(red=[3, 4, 5, 6, 7, 8], green=[11, 9, 8, 7, 3], blue=[12]),
}
"""Both can lock red with a 12 and green with a 2."""

CLOSED = {
    "Tim": document(red=[2, 3, 5, 8, 9, 12], blue=[12, 9, 8, 6, 3], locks=["red"], failed=3),
    "Sarah": document(yellow=[2, 3, 4, 5, 6], blue=[10, 8, 7, 5, 4]),
}
"""One more closed row ends the game, and Tim's next failed roll does."""

LATER_ROLLS = [
    {"white": [2, 5], "dice": {"red": 3, "yellow": 5, "green": 2, "blue": 6}},
    {"white": [6, 6], "dice": {"yellow": 1, "green": 2, "blue": 3}},
]
"""All dice are told, or the red one is not, which may be closed."""

Tree = tuple[tuple[str, ...], dict[str, Any], list[Action], list[int]]

TREES: dict[str, Tree] = {
    # The first entry is one of 4 crosses or a pass, for each of two. After the active player's the
    # other has 5 or `next`, after the other's the active player has 5: 5·6 + 5·5. That makes 11
    # ways to each of Tim's own five entries, and then the dice allow 8 crosses and a pass in the
    # colour step: two fewer after a 7 in red, in yellow (both sums lie behind) or in blue, one
    # fewer after a 7 in green: 11·(9 + 7 + 7 + 8 + 7).
    "everything that follows a first roll": (
        TWO,
        {},
        [roll("Tim", (3, 4), red=1, yellow=2, green=3, blue=4)],
        [10, 55, 418, 2 * 418],
    ),
    # 11 ways to Tim's own five entries again. A die that was not told makes 4 to 10: seven crosses
    # in yellow, green and blue, two in red. After a white 7 four of the seven are behind it in its
    # own row, and both of red: 11·(24 + 22 + 3·20). Both later rolls fit, here and above.
    "one coloured die is told": (
        TWO,
        {},
        [roll("Tim", (3, 4), red=1, yellow=None, green=None, blue=None)],
        [10, 55, 1166, 2 * 1166],
    ),
    "three players": (THREE, {}, [roll("Tim", (6, 6))], [9, 57, 213, 1_020]),
    "both can lock red": (
        TWO,
        LATE,
        [roll("Tim", (6, 6), red=3, yellow=4, green=1, blue=2)],
        [5, 15, 45, 63, 236],
    ),
    # Tim has a 2 in green and a pass, Sarah one in yellow as well: 2 + 3, then 2·(3 + 1) + 3·2. In
    # five of these 14 green stays open, so that Tim can still lock it: 5·2 + 9. Where he passes
    # again, both later rolls fit.
    "both can lock green": (
        TWO,
        LATE,
        [roll("Tim", (1, 1), red=6, yellow=6, green=1, blue=1)],
        [5, 14, 19, 10, 50],
    ),
    "the second row": (
        TWO,
        CLOSED,
        [roll("Tim", (1, 1), red=None, yellow=3, green=4, blue=1)],
        [5, 15, 24, 15, 69],
    ),
}


def tries_of(referee: Referee) -> list[Action]:
    """Every entry, and two rolls by everybody."""
    rolls = product(referee.players, LATER_ROLLS)
    return [*referee.every_entry(), *({"do": "roll", "by": by, **dice} for by, dice in rolls)]


@pytest.mark.parametrize("name", TREES)
def test_the_rules_and_the_referee_count_as_many_sequences(name: str) -> None:
    players, sheets, first, counted = TREES[name]
    referee = Referee(list(players), list(first), sheets)
    tries, depth = tries_of(Referee(list(players))), len(counted)
    position = play.after(table(*players, **sheets), *first)
    assert play.counts(position, play.by_rules(tries), depth) == counted
    assert play.counts(referee, play.by_referee(tries), depth) == counted


def test_so_many_ways_lead_to_a_row() -> None:
    """2¹⁰ sets of crosses without the last number, and with it those of five and more before."""
    ways = 0
    for crossed in product([False, True], repeat=11):
        row = [n for n, is_crossed in zip(PRINTED["red"], crossed, strict=True) if is_crossed]
        locks = ["red"] if 12 in row else []
        ways += not QwixxSheet.from_document(document(red=row, locks=locks)).problems()
    assert ways == 1024 + 252 + 210 + 120 + 45 + 10 + 1
