"""Counts of legal fields and of action trees in fixed positions, as perft is for chess.

The numbers were counted by the naive referee (`tests.kit.oracles.qwinto`) trying everything that
could ever be legal; the first ones are derived by hand as well. No clever bug survives them all.
"""

from __future__ import annotations

from collections import Counter
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


def test_the_open_fields_in_the_middle_are_these() -> None:
    """Found by eye on the two sheets: nobody else's sheet matters, nor the rows not called."""
    nine = after(table(*THREE, **MIDDLE), roll("Tim", purple=4, yellow=5))
    assert set(nine.open_fields("Tim")) == {("yellow", 5), ("yellow", 6), ("purple", 7)}
    assert nine.open_fields("Sarah") == ()
    assert len(nine.open_fields("Linus")) == 18
    four = after(table(*THREE, **MIDDLE), roll("Tim", orange=3, purple=1))
    assert set(four.open_fields("Tim")) == {
        ("orange", 2),
        ("orange", 3),
        ("purple", 1),
        ("purple", 2),
    }
    assert set(four.open_fields("Sarah")) == {("orange", 1)}
    assert len(four.open_fields("Linus")) == 18


# The referee itself must know the facts, section 1


def test_the_picture_has_the_fields_of_the_facts() -> None:
    """Columns of each row's fields, and how many fields each column has."""
    assert [column for row, column in PLACES if row == "orange"] == [2, 3, 4, 6, 7, 8, 9, 10, 11]
    assert [column for row, column in PLACES if row == "yellow"] == [1, 2, 3, 4, 5, 7, 8, 9, 10]
    assert [column for row, column in PLACES if row == "purple"] == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    counts = Counter(column for _, column in PLACES)
    assert [counts[column] for column in range(12)] == [1, 2, 3, 3, 2, 2, 2, 3, 3, 3, 2, 1]


def test_the_picture_has_the_pentagons_of_the_facts() -> None:
    pentagons = {column: row for row, column in PENTAGONS}
    assert pentagons == {2: "purple", 3: "orange", 7: "orange", 8: "yellow", 9: "purple"}
    assert pentagons == qwinto.PENTAGONS
    assert sorted(map(name_of, PENTAGONS)) == [
        "orange.2",
        "orange.5",
        "purple.3",
        "purple.9",
        "yellow.7",
    ]


def test_the_rules_number_the_fields_as_the_picture_does() -> None:
    for color, columns in qwinto.COLUMNS.items():
        for field, column in enumerate(columns, start=1):
            assert place_of(color, field) == (color, column)
        assert place_of(color, 0) is None
        assert place_of(color, 10) is None


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
