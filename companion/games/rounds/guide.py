"""How rounds are written down, in short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from companion.core.guide import END, GOAL, TURN, Guide
from companion.core.values import Player
from companion.core.words import Sentence
from companion.games.rounds.rules import Rounds

AIM: Final = Sentence("Play any game. Its points are written down here, round by round.")
TYPE: Final = Sentence("After each round everybody types the own points; ± makes them negative.")
ONE: Final = Sentence("One phone can do it for all: it asks for one player after the other.")
CLOSED: Final = Sentence("The round is closed when everybody has points in it, be it 0.")
WRONG: Final = Sentence("A wrong number is changed by a tap on it, or in all turns.")
LAST: Final = Sentence("The game ends at the points or the round agreed on, or when you say so.")


class RoundsGuide(Guide[Rounds]):
    chapters = ((GOAL, (AIM,)), (TURN, (TYPE, ONE, CLOSED, WRONG)), (END, (LAST,)))

    def now(self, position: Rounds, here: Sequence[Player]) -> Sequence[Sentence]:
        return () if position.over else (TYPE, CLOSED, WRONG)

    def step(self, position: Rounds, here: Sequence[Player]) -> Sentence | None:
        if position.over or not here:
            return None
        if not set(here) & set(position.waiting):
            return Sentence("A tap on your line changes your points.")
        return Sentence("Type the points, then tap the tick. ± makes them negative.")
