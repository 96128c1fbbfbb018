"""The rules of Qwixx, in short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from companion.core.guide import END, GOAL, TURN, Guide
from companion.core.values import Document, Player
from companion.core.words import Sentence
from companion.games.qwixx.rules import Qwixx

AIM: Final = Sentence(
    "Cross as many numbers as you can in four rows. Each row is crossed in one direction:"
    " numbers that were skipped cannot be crossed later."
)
WHITE: Final = Sentence(
    "On your turn, roll all dice. First, everybody may cross the sum of the two white dice in "
    "any one row."
)
COLORED: Final = Sentence(
    "After that, only you may add a white die and a colored die and cross the sum in the row of "
    "that color."
)
FAILED: Final = Sentence(
    "If you cross nothing at all on your own turn, the failed roll costs 5 points."
)
LOCK: Final = Sentence(
    "With five crosses in a row, you may cross its last number, and the lock with it. That "
    "closes the row for everybody, and its die is out of the game."
)
LAST: Final = Sentence(
    "The game ends when two rows are closed or somebody has a fourth failed roll."
)
POINTS: Final = Sentence(
    "Each additional cross in a row is worth one point more: 1, 3, 6, 10 and so on."
)
STEP_ROLL: Final = Sentence("Roll all dice. The white ones are for everybody.")
STEP_JOIN: Final = Sentence("You may cross the sum of the white dice, too.")
STEP_WHITE: Final = Sentence("Cross the sum in one row. Numbers you skip there are lost.")
STEP_COLORED: Final = Sentence("Add a white die to a colored one, for the row of its color.")
EXAMPLE: Final[Document] = {
    "sheet": "qwixx",
    "red": [2, 4, 5, 7, 8, 12],
    "yellow": [3, 6, 7],
    "green": [12, 10, 9],
    "blue": [11, 8],
    "locks": ["red"],
    "failed": 1,
}


class QwixxGuide(Guide[Qwixx]):
    chapters = ((GOAL, (AIM,)), (TURN, (WHITE, COLORED, FAILED, LOCK)), (END, (LAST, POINTS)))
    example = EXAMPLE

    def now(self, position: Qwixx, here: Sequence[Player]) -> Sequence[Sentence]:
        if position.over or not self.awaited_here(position, here):
            return ()
        if not position.white:
            return (WHITE,)
        if position.in_color_step:
            return (COLORED, FAILED)
        return (WHITE, AIM, LOCK)

    def step(self, position: Qwixx, here: Sequence[Player]) -> Sentence | None:
        if position.over or not here:
            return None
        if not position.white:
            return STEP_ROLL if position.active in here else STEP_JOIN
        mine = self.awaited_here(position, here)
        if not mine or not position.open_crosses(mine[0]):
            return None
        return STEP_COLORED if position.in_color_step else STEP_WHITE
