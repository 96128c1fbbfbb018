"""Counts of action trees in fixed positions, as perft is for chess.

They are derived by hand, and counted by the naive referees (`lab.oracles`), which try everything
that could ever be legal. So the referees are tested, too.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, NamedTuple

import pytest

from lab import games as qwinto
from lab.games import NAMES, Action
from lab.oracles.qwinto import Referee as QwintoReferee
from lab.oracles.qwixx import Referee as QwixxReferee
from lab.play import after, by_referee, by_rules, counts
from lab.wide import wide
from tests.games.qwixx import actions as qwixx

TWO = NAMES[:2]
Sheets = dict[str, dict[str, Any]]


class Tree(NamedTuple):
    sheets: Sheets
    first: Action
    counted: list[int]
    is_tried: Callable[[Action], bool] = bool
    """Whether a later action is tried; by default all are."""


# Qwinto with dice


def yellow_die_only(action: Action) -> bool:
    return bool(action["do"] != "roll") or set(action["dice"]) == {"yellow"}


QWINTO_TREES: dict[str, Tree] = {
    # 3·6 + 3·6² + 6³ rolls. Then for k dice the 6ᵏ re-rolls, 9k fields and a pass for each of two:
    # 18·(6 + 2·10) + 108·(36 + 2·19) + 216·(216 + 2·28).
    "everything from the start": Tree({}, {}, [342, 67_212]),
    # 6 rolls; 6 re-rolls and ten entries for each of two; 6·6·20 after a re-roll, and without one
    # 6·(10·11 + 10·10), since only the active player's entry allows `next`.
    "with the yellow die alone": Tree({}, {}, [6, 156, 1_980, 15_120], yellow_die_only),
}  # fmt: skip

# Qwixx

LATE = {
    "Tim": qwixx.document(red=[2, 3, 5, 8, 9], yellow=[4, 7], green=[12, 10, 9, 6, 5, 4], failed=2),
    "Sarah": qwixx.document(red=[3, 4, 5, 6, 7, 8], green=[11, 9, 8, 7, 3], blue=[12]),
}
"""Both can lock green with a 2."""

LATER_ROLLS = [
    {"white": [2, 5], "dice": {"red": 3, "yellow": 5, "green": 2, "blue": 6}},
    {"white": [6, 6], "dice": {"yellow": 1, "green": 2, "blue": 3}},
]
"""All dice are entered, or all but the red one, whose row may be closed."""

QWIXX_TREES: dict[str, Tree] = {
    # The first entry is one of 4 crosses or a pass, for each of two. After the active player's the
    # other has 5 or `next`, after the other's the active player has 5: 5·6 + 5·5. That makes 11
    # ways to each of Tim's own five entries, and then the dice allow 8 crosses and a pass in the
    # colour step: two fewer after a 7 in red, in yellow (both sums lie behind) or in blue, one
    # fewer after a 7 in green: 11·(9 + 7 + 7 + 8 + 7).
    "everything that follows a first roll": Tree(
        {}, qwixx.roll("Tim", (3, 4), red=1, yellow=2, green=3, blue=4),
        [10, 55, 418, 2 * 418]),
    # 11 ways to Tim's own five entries again. A die not entered makes 4 to 10: seven crosses
    # in yellow, green and blue, two in red. After a white 7 four of the seven are behind it in its
    # own row, and both of red: 11·(24 + 22 + 3·20). Both later rolls fit, here and above.
    "one coloured die is entered": Tree(
        {}, qwixx.roll("Tim", (3, 4), red=1, yellow=None, green=None, blue=None),
        [10, 55, 1166, 2 * 1166]),
    # Tim has a 2 in green and a pass, Sarah one in yellow as well: 2 + 3, then 2·(3 + 1) + 3·2. In
    # five of these 14 green stays open, so that Tim can still lock it: 5·2 + 9. Where he passes
    # again, both later rolls fit.
    "both can lock green": Tree(
        LATE, qwixx.roll("Tim", (1, 1), red=6, yellow=6, green=1, blue=1),
        [5, 14, 19, 10, 50]),
}  # fmt: skip


def qwixx_tries(referee: Any) -> list[Action]:
    """Every entry, and two rolls by everybody."""
    rolls = product(referee.players, LATER_ROLLS)
    return [*referee.every_entry(), *({"do": "roll", "by": by, **dice} for by, dice in rolls)]


GAMES: dict[str, tuple[Any, Any, Callable[[Any], list[Action]], dict[str, Tree]]] = {
    "qwinto": (qwinto.table, QwintoReferee, QwintoReferee.every_action, QWINTO_TREES),
    "qwixx": (qwixx.table, QwixxReferee, qwixx_tries, QWIXX_TREES),
}
MOST_NODES = 5_000  # a tree with more is counted by `make test-all` alone
DEPTHS = [
    case(game, name, depth)
    for game, (*_, trees) in GAMES.items()
    for name, tree in trees.items()
    for case, depth in (
        (pytest.param, sum(count <= MOST_NODES for count in tree.counted)),
        (wide, len(tree.counted)),
    )
    if case is pytest.param or max(tree.counted) > MOST_NODES
]


@pytest.mark.parametrize(("game", "name", "depth"), DEPTHS)
def test_the_rules_and_the_referee_count_as_many_sequences(
    game: str, name: str, depth: int
) -> None:
    table, judge, everything, trees = GAMES[game]
    sheets, first, counted, is_tried = trees[name]
    begun = [first] if first else []
    tries = [action for action in everything(judge(list(TWO))) if is_tried(action)]
    position = after(table(*TWO, **sheets), *begun)
    assert counts(position, by_rules(tries), depth) == counted[:depth]
    referee = judge(list(TWO), begun, sheets)
    assert counts(referee, by_referee(tries), depth) == counted[:depth]
