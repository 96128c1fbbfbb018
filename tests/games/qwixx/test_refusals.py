"""Every refusal code of the public interface, one by one: when it comes, and when it does not."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.qwixx.rules import Qwixx
from tests.kit.qwixx import NEXT, Action, after, code, cross, document, passes, roll, table

ADA, BEN, CY = "Ada", "Ben", "Cy"
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
        *refused("not-your-turn", COLORING, roll(BEN)),
        *refused(None, NEXT_TURN, roll(BEN)),
        *refused("wrong-moment", ROLLED, ROLL),
        *refused("wrong-moment", COLORING, ROLL),
        *refused("bad-dice", BEGUN, roll(ADA, (7, 3)), roll(ADA, green=7)),
        *refused("bad-dice", BEGUN, *(roll(ADA, white) for white in ((), (3,)))),
        *refused("bad-dice", RED_CLOSED, ROLL, telling("red"), roll(ADA, yellow=None, blue=None)),
        *refused(None, RED_CLOSED, roll(ADA, red=None), telling(), telling("blue"), UNTOLD),
        *refused(None, BEGUN, *(roll(ADA, **{color: None}) for color in SUMS), UNTOLD),
        # cross and pass
        *refused("wrong-moment", BEGUN, cross(ADA, "red", 7), passes(ADA), passes(CY)),
        *refused("wrong-moment", NEXT_TURN, cross(ADA, "red", 7), passes(ADA), passes(CY)),
        *refused(
            "not-the-sum",
            ROLLED,
            *(cross(ADA, "red", number) for number in (6, 8, 2, 12, 1, 13)),
            *(cross(BEN, "blue", number) for number in (6, 8, 2, 12, 1, 13)),
        ),
        *((None if number in made else "not-the-sum", COLORING, cross(ADA, row, number))
          for row, made in SUMS.items() for number in range(-1, 15)),
        # A die that was not told may show anything: with 3 or 4 it makes 4 to 10.
        *((None if number in ((4, 5) if row == "red" else range(4, 11)) else "not-the-sum",
           after(BEGUN, telling("red"), passes(ADA), NEXT), cross(ADA, row, number))
          for row in SUMS for number in range(-1, 15)),
        *((code, after(RED_CLOSED, UNTOLD, passes(ADA), NEXT), cross(ADA, row, 5))
          for row, code in (("red", "row-closed"), ("yellow", None))),
        *refused("row-closed", WITHOUT_RED, cross(ADA, "red", 7)),
        *refused("row-closed", after(WITHOUT_RED, passes(ADA), NEXT), cross(ADA, "red", 7)),
        *refused(None, holding(red=[6]), cross(BEN, "red", 7)),
        *refused("not-ascending", holding(red=[7]), cross(BEN, "red", 7)),
        *refused("not-ascending", holding(red=[3, 8]), cross(BEN, "red", 7)),
        *refused(None, holding(blue=[8]), cross(BEN, "blue", 7)),
        *refused("not-ascending", holding(blue=[7]), cross(BEN, "blue", 7)),
        *refused("not-ascending", holding(blue=[12, 6]), cross(BEN, "blue", 7)),
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
        (
            "A white die and the red die make 4 or 5, so the 7 cannot be crossed.",
            COLORING,
            cross(ADA, "red", 7),
        ),
        (
            "A white die and the blue die make from 4 to 10, so the 11 cannot be crossed.",
            after(BEGUN, telling("red"), passes(ADA), NEXT),
            cross(ADA, "blue", 11),
        ),
        ("Only Ada may use the colored dice in this turn.", COLORING, passes(BEN)),
    ],
)
def test_refusals_say_what_the_player_has_to_know(
    message: str, position: Qwixx, action: Action
) -> None:
    result: Any = position.play(action)
    assert result.message == message
