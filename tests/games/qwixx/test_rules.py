"""The example of the rules, and what refusals say.

Whole games and every refusal are compared with the referee in `tests/games/test_oracles.py`.
"""

from __future__ import annotations

from typing import Any

import pytest

from companion.games.qwixx.rules import Qwixx
from lab.play import NEXT, after, passes
from tests.games.qwixx.actions import Action, cross, document, roll, table

ADA, BEN, CY = "Ada", "Ben", "Cy"


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


BEGUN = table(ADA, BEN, CY)
ROLLED = after(BEGUN, roll(ADA, (3, 4), red=1, yellow=2, green=3, blue=4))
"""A white 7; with a white die red makes 4 or 5, yellow 5 or 6, green 6 or 7, blue 7 or 8."""
COLORING = after(ROLLED, passes(ADA), NEXT)  # Ada's colour step: everybody has passed
ONE_ENTERED = after(BEGUN, roll(ADA, (3, 4), yellow=None, green=None, blue=None), passes(ADA), NEXT)
"""The same, but only the red die was entered."""
RED_CLOSED = table(ADA, BEN, Ben=document(red=[2, 3, 4, 5, 6, 12], locks=["red"]))
"""Before Ada's roll, and Ben has locked the red row."""


@pytest.mark.parametrize(
    ("message", "position", "action"),
    [
        ("This game has 2 of these dice, not 3.", BEGUN, roll(ADA, (1, 2, 3))),
        ("The red die is out of the game: its row is closed.", RED_CLOSED, roll(ADA)),
        ("The white dice make 7, so the 8 cannot be crossed.", ROLLED, cross(BEN, "red", 8)),
        ("A white die and the red die make 4 or 5, so the 7 cannot be crossed.",
         COLORING, cross(ADA, "red", 7)),
        ("A white die and the blue die make from 4 to 10, so the 11 cannot be crossed.",
         ONE_ENTERED, cross(ADA, "blue", 11)),
        ("Only Ada may use the colored dice in this turn.", COLORING, passes(BEN)),
    ],
)  # fmt: skip
def test_refusals_say_what_the_player_has_to_know(
    message: str, position: Qwixx, action: Action
) -> None:
    result: Any = position.play(action)
    assert result.message == message
