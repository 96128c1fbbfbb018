"""How rounds are written down, in short."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from companion.core.guide import END, GOAL, TURN, Guide
from companion.core.values import Player
from companion.core.words import Sentence
from companion.games.rounds.rules import Rounds

AIM: Final = Sentence("Play any game and write its points here, round by round.")
TYPE: Final = Sentence("After each round, everybody types their own points; ± makes them negative.")
ONE: Final = Sentence("One phone is enough for everybody: it asks for one player after another.")
CLOSED: Final = Sentence("The round ends when everybody has points, even if they are 0.")
WRONG: Final = Sentence("To change a wrong number, tap it or open “All turns”.")
KNOWN: Final = Sentence(
    "For a game that it knows, the app asks for bids, tricks or who closed, and counts the points."
)
LAST: Final = Sentence("The game ends at the agreed points or round, or when you say so.")

ASKS_BY_ITSELF: Final = ("closed", "phase")  # the steps whose hint and buttons say all

# Step of a known game → what to do in it
STEPS: Final = {
    "bid": Sentence("Type how many tricks you bid, then tap the tick."),
    "tricks": Sentence("Type how many tricks you took, then tap the tick."),
    "bonus": Sentence("Type your bonus points, or 0, then tap the tick."),
}


class RoundsGuide(Guide[Rounds]):
    chapters = ((GOAL, (AIM,)), (TURN, (TYPE, KNOWN, ONE, CLOSED, WRONG)), (END, (LAST,)))

    def now(self, position: Rounds, here: Sequence[Player]) -> Sequence[Sentence]:
        first = TYPE if position.counting.is_plain else KNOWN
        return () if position.over else (first, CLOSED, WRONG)

    def step(self, position: Rounds, here: Sequence[Player]) -> Sentence | None:
        if position.over or not here:
            return None
        if not set(here) & set(position.awaited):
            return Sentence("Tap your line to change your points.")
        if position.step_name in ASKS_BY_ITSELF:
            return None
        if position.step_name in STEPS:
            return STEPS[position.step_name]
        if position.counting.least >= 0:
            return Sentence("Type the points, then tap the tick.")
        return Sentence("Type the points, then tap the tick. ± makes them negative.")
