"""Sentences of the rules with an example each, and every refusal of the public interface.

Whole games are compared with the referee in `tests/games/test_oracles.py`.
"""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.qwixx.rules import Qwixx
from tests.games.qwixx.actions import Action, cross, document, roll, table
from tests.kit.play import NEXT, after, code, passes, told

ADA, BEN, CY = "Ada", "Ben", "Cy"

FIVE_RED: dict[str, Any] = document(red=[2, 3, 5, 6, 8])
"""Enough crosses to lock the red row."""
FIVE_BLUE: dict[str, Any] = document(blue=[12, 11, 10, 9, 8])
RED_LOCKED: dict[str, Any] = document(red=[2, 3, 5, 6, 8, 12], locks=["red"])


def rolled(position: Qwixx | None = None, white: tuple[int, int] = (3, 4), **dice: int) -> Qwixx:
    """Ada has rolled a white 7; red 1, yellow 2, green 3 and blue 4 if nothing else is said."""
    position = position or table(ADA, BEN)
    shown: dict[str, int | None] = {"red": 1, "yellow": 2, "green": 3, "blue": 4, **dice}
    shown |= dict.fromkeys(position.closed, None)
    return after(position, roll(position.active, white, **shown))


def locked(by: str = BEN, **sheets: dict[str, Any]) -> Qwixx:
    """A white 12, which `by` has crossed in red."""
    position = rolled(table(ADA, BEN, **{by: FIVE_RED, **sheets}), (6, 6))
    return after(position, cross(by, "red", 12))


def late(*white: int, **sheets: dict[str, Any]) -> Qwixx:
    """These sheets after a roll of these white dice, and a 1 with the green die."""
    players = (ADA, BEN, CY) if CY in sheets else (ADA, BEN)
    return rolled(table(*players, **sheets), (white[0], white[1]), green=1)


EXAMPLES: dict[str, tuple[Qwixx, dict[str, Any]]] = {
    "the white step ends when everybody has acted": (
        after(rolled(), cross(BEN, "red", 7), cross(ADA, "red", 7)),
        {"in_color_step": True, "waiting": (ADA,), "turn": 1},
    ),
    "or when it is ended": (
        after(rolled(table(ADA, BEN, CY)), cross(CY, "red", 7), passes(ADA), NEXT),
        {"waiting": (ADA,), BEN: document()},
    ),
    "no cross in either step is a failed roll": (
        after(rolled(), passes(ADA), cross(BEN, "red", 7), passes(ADA)),
        {"totals": {ADA: -5, BEN: 1}},
    ),
    "the last number takes its lock along": (locked(), {BEN: RED_LOCKED, "closed": ()}),
    "a fifth cross opens the lock in the same turn": (
        after(
            rolled(table(ADA, BEN, Ada=document(red=[2, 3, 4, 5])), (5, 6), red=6),
            *(cross(ADA, "red", 11), NEXT, cross(ADA, "red", 12)),
        ),
        {ADA: document(red=[2, 3, 4, 5, 11, 12], locks=["red"]), "closed": ("red",)},
    ),
    "several may lock a row in the same step": (
        after(locked(Ada=FIVE_RED), cross(ADA, "red", 12)),
        {ADA: RED_LOCKED, BEN: RED_LOCKED, "closed": ("red",), "over": False},
    ),
    "its die is out at once": (
        after(locked(), passes(ADA)),
        {"closed": ("red",), "colored": (("yellow", 2), ("green", 3), ("blue", 4))},
    ),
    "everybody finishes the step that closes a second row": (
        after(late(1, 1, Ada=RED_LOCKED, Ben=FIVE_BLUE), cross(BEN, "blue", 2)),
        {"over": False, "closed": ("red",)},
    ),
    "there is no colour step after it": (
        after(
            late(1, 1, Ada=RED_LOCKED, Ben=FIVE_BLUE, Cy=FIVE_BLUE),
            *(cross(CY, "blue", 2), passes(ADA), cross(BEN, "blue", 2)),
        ),
        {
            **{"over": True, "closed": ("red", "blue"), "turn": 1, "waiting": ()},
            "totals": {ADA: 28, BEN: 28, CY: 28},
        },
    ),
    "and so does the second one in the colour step": (
        after(
            late(1, 5, Ada=document(green=[12, 10, 9, 8, 7]), Ben=RED_LOCKED),
            *(passes(BEN), passes(ADA), cross(ADA, "green", 2)),
        ),
        {"over": True, "closed": ("red", "green")},
    ),
    "the fourth failed roll ends the game": (
        after(late(3, 4, Ada=document(failed=3)), passes(ADA), passes(BEN), passes(ADA)),
        {"over": True, "totals": {ADA: -20, BEN: 0}},
    ),
}


@pytest.mark.parametrize(("position", "expected"), EXAMPLES.values(), ids=EXAMPLES)
def test_sentences_of_the_rules(position: Qwixx, expected: dict[str, Any]) -> None:
    assert told(position, expected) == expected


def test_the_example_of_the_rules() -> None:
    """4, 7, 0 and 8 crosses and two failed rolls: 10 + 28 + 0 + 36 − 10 = 64."""
    sheet = document(
        red=[2, 3, 4, 5],
        yellow=[2, 3, 5, 6, 8, 9, 11],
        blue=[12, 11, 10, 9, 8, 7, 2],
        locks=["blue"],
        failed=2,
    )
    assert table(ADA, BEN, Ada=sheet).score(ADA) == {
        "rows": {"red": 10, "yellow": 28, "green": 0, "blue": 36},
        "failed": -10,
        "total": 64,
    }


# Every refusal code of the public interface: when it comes, and when it does not


BEGUN = table(ADA, BEN, CY)
ROLLED = after(BEGUN, roll(ADA, (3, 4), red=1, yellow=2, green=3, blue=4))
"""A white 7; with a white die red makes 4 or 5, yellow 5 or 6, green 6 or 7, blue 7 or 8."""
SUMS = {"red": (4, 5), "yellow": (5, 6), "green": (6, 7), "blue": (7, 8)}
COLORING = after(ROLLED, passes(ADA), NEXT)
"""Ada's colour step: everybody has passed."""
NEXT_TURN = after(COLORING, passes(ADA))
RED_CLOSED = table(ADA, BEN, Ben=document(red=[2, 3, 4, 5, 6, 12], locks=["red"]))
"""Before Ada's roll, and Ben has locked the red row."""
WITHOUT_RED = after(RED_CLOSED, roll(ADA, (3, 4), red=None))
ROLL = roll(ADA)
UNTOLD = {key: value for key, value in ROLL.items() if key != "dice"}
"""A roll that does not speak of colored dice."""


def holding(**rows: list[int]) -> Qwixx:
    """Ben has this sheet, and Ada has rolled a white 7."""
    return after(table(ADA, BEN, Ben=document(**rows)), roll(ADA, (3, 4)))


def telling(*colors: str) -> Action:
    """A white 7 with a 1 on each of these coloured dice; the others are left out."""
    return {"do": "roll", "by": ADA, "white": [3, 4], "dice": dict.fromkeys(colors, 1)}


def refused(expected: str | None, position: Qwixx, *actions: Action) -> list[tuple[Any, ...]]:
    return [(expected, position, action) for action in actions]


@pytest.mark.parametrize(
    ("expected", "position", "action"),
    [
        # roll. “A roll that follows a turn that is still open is refused”
        *refused("not-your-turn", after(ROLLED, passes(ADA)), roll(BEN)),
        *refused(None, NEXT_TURN, roll(BEN)),
        *refused("wrong-moment", ROLLED, ROLL),
        *refused("wrong-moment", COLORING, ROLL),
        *refused("bad-dice", BEGUN, roll(ADA, (7, 3)), roll(ADA, green=7)),
        *refused("bad-dice", RED_CLOSED, ROLL, telling("red"), roll(ADA, yellow=None, blue=None)),
        *refused(None, RED_CLOSED, roll(ADA, red=None), telling(), telling("blue"), UNTOLD),
        *refused(None, BEGUN, *(roll(ADA, **{color: None}) for color in SUMS), UNTOLD),
        # cross and pass
        *refused("wrong-moment", BEGUN, cross(ADA, "red", 7), passes(ADA), passes(CY)),
        *refused("not-the-sum", ROLLED, *(cross(BEN, "blue", number) for number in (6, 8, 1, 13))),
        *((None if number in made else "not-the-sum", COLORING, cross(ADA, row, number))
          for row, made in SUMS.items() for number in range(-1, 15)),
        # A die that was not told may show anything: with 3 or 4 it makes 4 to 10.
        *((None if number in ((4, 5) if row == "red" else range(4, 11)) else "not-the-sum",
           after(BEGUN, telling("red"), passes(ADA), NEXT), cross(ADA, row, number))
          for row in SUMS for number in range(-1, 15)),
        *((code, after(RED_CLOSED, UNTOLD, passes(ADA), NEXT), cross(ADA, row, 5))
          for row, code in (("red", "row-closed"), ("yellow", None))),
        *refused("row-closed", after(WITHOUT_RED, passes(ADA), NEXT), cross(ADA, "red", 7)),
        *refused(None, holding(red=[6]), cross(BEN, "red", 7)),
        *refused("not-ascending", holding(red=[7]), cross(BEN, "red", 7)),
        *refused(None, holding(blue=[8]), cross(BEN, "blue", 7)),
        *refused("not-ascending", holding(blue=[7]), cross(BEN, "blue", 7)),
        *refused("needs-five", after(BEGUN, roll(ADA, (6, 6))), cross(BEN, "yellow", 12)),
        *refused("needs-five", after(BEGUN, roll(ADA, (1, 1))), cross(BEN, "green", 2)),
        # Others do nothing in the colour step, not even those who have not acted before.
        *(("not-your-turn", position, action)
          for position in (COLORING, after(ROLLED, cross(ADA, "red", 7), NEXT))
          for action in (cross(BEN, "red", 7), cross(BEN, "red", 5), passes(BEN))),
    ],
)  # fmt: skip
def test_refusals(expected: str | None, position: Qwixx, action: Action) -> None:
    assert code(position, action) == expected


@pytest.mark.parametrize(
    ("message", "position", "action"),
    [
        ("There are 2 white dice, not 3.", BEGUN, roll(ADA, (1, 2, 3))),
        ("The red die is out of the game: its row is closed.", RED_CLOSED, ROLL),
        ("The white dice make 7, so the 8 cannot be crossed.", ROLLED, cross(BEN, "red", 8)),
        ("A white die and the red die make 4 or 5, so the 7 cannot be crossed.",
         COLORING, cross(ADA, "red", 7)),
        ("A white die and the blue die make from 4 to 10, so the 11 cannot be crossed.",
         after(BEGUN, telling("red"), passes(ADA), NEXT), cross(ADA, "blue", 11)),
        ("Only Ada may use the colored dice in this turn.", COLORING, passes(BEN)),
    ],
)  # fmt: skip
def test_refusals_say_what_the_player_has_to_know(
    message: str, position: Qwixx, action: Action
) -> None:
    result: Any = position.play(action)
    assert result.message == message
