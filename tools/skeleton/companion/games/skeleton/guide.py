"""The rules in short, and the part of them that matters now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from companion.games.skeleton.rules import Skeleton

from companion.core.guide import END, GOAL, TURN, Guide
from companion.core.values import Document, Player
from companion.core.words import Sentence

FILL: Final = Sentence("Fill the square with sums of two dice, row by row.")
ROLL: Final = Sentence("The active player rolls both dice.")
WRITE: Final = Sentence("Everybody writes the sum in any free field.")
ROWS: Final = Sentence("A full row is worth its sum, twice that if its numbers grow.")
FULL: Final = Sentence("The game ends when every sheet is full. The most points win.")
EXAMPLE: Final[Document] = {
    "sheet": "skeleton",
    **{"A1": 4, "A2": 6, "A3": 9, "B1": 7, "B2": 7, "B3": 3, "C1": 8, "C2": None, "C3": 12},
}


class SkeletonGuide(Guide[Skeleton]):
    chapters = ((GOAL, (FILL,)), (TURN, (ROLL, WRITE)), (END, (ROWS, FULL)))
    example = EXAMPLE

    def now(self, position: Skeleton, here: Sequence[Player]) -> Sequence[Sentence]:
        if position.must_roll:
            return [ROLL] if position.active in here else []
        return [WRITE, ROWS] if self.awaited_here(position, here) else []

    def step(self, position: Skeleton, here: Sequence[Player]) -> Sentence | None:
        now = self.now(position, here)
        return now[0] if now else None
