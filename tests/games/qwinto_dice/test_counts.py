"""Counts of legal fields and of action trees in fixed positions, as perft is for chess.

The numbers were counted by the naive referee (`tests.kit.oracles.qwinto`) trying everything that
could ever be legal; the first ones are derived by hand as well. No clever bug survives them all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from companion.games.qwinto import sheet as qwinto
from tests.kit import play
from tests.kit.games import NAMES, SARAH, TIM, Action, after, roll, table
from tests.kit.oracles.qwinto import PENTAGONS, PLACES, Paper, Referee, name_of, place_of
from tests.kit.wide import wide


def anything(action: Action) -> bool:
    return True


def no_roll(action: Action) -> bool:
    return bool(action["do"] != "roll")


def yellow_die_only(action: Action) -> bool:
    return no_roll(action) or set(action["dice"]) == {"yellow"}


Tree = tuple[tuple[str, ...], dict[str, Any], list[Action], Callable[[Action], bool], list[int]]

TWO, THREE = NAMES[:2], NAMES[:3]
MIDDLE: dict[str, Any] = {"Tim": TIM, "Sarah": SARAH}

TREES: dict[str, Tree] = {
    # 3·6 + 3·6² + 6³ rolls. Then for k dice the 6ᵏ re-rolls, 9k fields and a pass for each of two:
    # 18·(6 + 2·10) + 108·(36 + 2·19) + 216·(216 + 2·28).
    "everything from the start": (TWO, {}, [], anything, [342, 67_212]),
    "the first roll of six": (NAMES, {}, [], anything, [342]),
    # 6 rolls; 6 re-rolls and ten entries for each of two; 6·6·20 after a re-roll, and without one
    # 6·(10·11 + 10·10), since only the active player's entry allows `next`.
    "with the yellow die alone": (TWO, {}, [], yellow_die_only, [6, 156, 1_980, 15_120]),
    "a 9 in the middle, entries only": (
        THREE,
        MIDDLE,
        [roll("Tim", purple=4, yellow=5)],
        no_roll,
        [24, 202, 616, 0],
    ),
    "a 4 in the middle": (
        THREE,
        MIDDLE,
        [roll("Tim", orange=3, purple=1)],
        anything,
        [62, 1_162, 10_740],
    ),
}
MOST_NODES = 5_000
"""A tree with more is counted by `make test-all` alone."""
DEPTHS = [
    case(name, depth)
    for name, (*_, counted) in TREES.items()
    for case, depth in (
        (pytest.param, sum(count <= MOST_NODES for count in counted)),
        (wide, len(counted)),
    )
    if case is pytest.param or max(counted) > MOST_NODES
]


@pytest.mark.parametrize(("name", "depth"), DEPTHS)
def test_the_rules_and_the_referee_count_as_many_sequences(name: str, depth: int) -> None:
    players, sheets, first, tried, counted = TREES[name]
    tries = [action for action in Referee(list(players)).every_action() if tried(action)]
    position = after(table(*players, **sheets), *first)
    assert play.counts(position, play.by_rules(tries), depth) == counted[:depth]
    referee = Referee(list(players), list(first), sheets)
    assert play.counts(referee, play.by_referee(tries), depth) == counted[:depth]


# The referee itself must know the facts, section 1


def test_the_picture_and_the_rules_have_the_fields_of_the_facts() -> None:
    columns = {
        "orange": (2, 3, 4, 6, 7, 8, 9, 10, 11),
        "yellow": (1, 2, 3, 4, 5, 7, 8, 9, 10),
        "purple": (0, 1, 2, 3, 5, 6, 7, 8, 9),
    }
    assert columns == qwinto.COLUMNS
    assert set(PLACES) == {(color, column) for color in columns for column in columns[color]}
    pentagons = {2: "purple", 3: "orange", 7: "orange", 8: "yellow", 9: "purple"}
    assert {column: row for row, column in PENTAGONS} == pentagons == qwinto.PENTAGONS
    names = ["orange.2", "orange.5", "purple.3", "purple.9", "yellow.7"]
    assert sorted(map(name_of, PENTAGONS)) == names
    for color, of_row in columns.items():
        fields = [place_of(color, field) for field in range(11)]
        assert fields == [None, *((color, column) for column in of_row), None]


def test_sarahs_sheet_is_drawn_as_the_official_picture_shows_it() -> None:
    paper = Paper.of(SARAH)
    assert [line.rstrip() for line in paper.drawn().splitlines()[1:]] == [
        "orange            o <5>   o   .   o<10>  13   o  17   o",
        "yellow        2   3   7   8  10   .  11<12>  15  16",
        "purple    2   4 <o>   6   .   7   o   9  11 <o>",
    ]
    assert paper.document() == SARAH
    assert paper.faults() == set()
    assert paper.score()["total"] == 43
