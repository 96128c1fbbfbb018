"""Skeleton: examples from its rule text."""

from __future__ import annotations

import pytest
from companion.games.skeleton import GAME
from companion.games.skeleton.sheet import SkeletonSheet

from lab.play import after, code


def write(by: str, field: str) -> dict[str, str]:
    return {"do": "write", "by": by, "field": field}


@pytest.mark.parametrize(
    ("numbers", "points"),
    [((4, 6, 9), 38), ((7, 7, 3), 17), ((4, 4, 9), 17), ((4, None, 9), 0)],
    ids=["grows", "full", "not twice the same", "not full"],
)
def test_a_row_is_worth_what_the_rules_say(numbers: tuple[int | None, ...], points: int) -> None:
    sheet = SkeletonSheet().filled(dict(zip(("B1", "B2", "B3"), numbers, strict=True)))
    assert sheet.score() == {"rows": {"A": 0, "B": points, "C": 0}, "total": points}


def test_everybody_writes_the_sum_once_and_then_the_next_one_rolls() -> None:
    start = GAME.start(("Ada", "Ben"), {})
    assert code(start, write("Ada", "A1")) == "wrong-moment"
    rolled = after(start, start.roll([3, 4]), write("Ada", "A1"))
    assert rolled.sheet("Ada")["A1"] == 7
    assert code(rolled, write("Ada", "A2")) == "already-acted"
    assert code(rolled, write("Ben", "A9")) == "no-such-field"
    turn = after(rolled, write("Ben", "C3"))
    assert (turn.turn, turn.active, turn.dice) == (2, "Ben", ())
    assert code(after(turn, turn.roll([1, 1])), write("Ada", "A1")) == "field-taken"
